#!/usr/bin/env python3
"""Check the links of a built manual: links.py FOLDER.

Each href and src must be a file of the folder, and each fragment an identifier of its page.
Nothing may be loaded from elsewhere. Pages that no link reaches from index.html are reported,
too.
"""

import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and identifiers of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.loads, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("id", "name") and value:
                self.names.add(value)
            elif key in ("href", "src", "action", "poster", "data", "srcset") and value is not None:
                # A reader follows the links of <a>; everything else is loaded with the page.
                (self.links if tag in ("a", "form") else self.loads).append(unescape(value))


def faults(root):
    """Yield a sentence for each link that is broken, and for each page that cannot be reached."""
    pages = {
        p.relative_to(root).as_posix(): Page(p.read_text(encoding="utf-8"))
        for p in sorted(root.rglob("*.html"))
    }
    seen, left = {"index.html"}, ["index.html"]
    reached = {}
    for name, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads:
                    yield "%s loads %s from elsewhere" % (name, link)
                elif parts.scheme not in ("http", "https", "mailto"):
                    yield "%s has the link %s" % (name, link)
                continue
            target = (root / name).parent / unquote(parts.path) if parts.path else root / name
            target = target.resolve()
            if not target.is_file():
                yield "%s refers to %s, which is no file" % (name, link)
                continue
            path = target.relative_to(root.resolve()).as_posix()
            reached.setdefault(name, set()).add(path)
            if (
                parts.fragment
                and path in pages
                and unquote(parts.fragment) not in pages[path].names
            ):
                yield "%s refers to %s, but that page has no #%s" % (name, link, parts.fragment)
    while left:
        for path in reached.get(left.pop(), ()):
            if path in pages and path not in seen:
                seen.add(path)
                left.append(path)
    for name in sorted(set(pages) - seen):
        yield "no link leads to %s" % name
    sheets = [p for p in root.rglob("*.css")]
    for sheet in sheets:
        for found in re.findall(r"url\(([^)]*)\)|@import", sheet.read_text(encoding="utf-8")):
            yield "%s loads %s" % (sheet.relative_to(root), found)


def main(arguments):
    """Print the faults of a folder, and its size."""
    root = Path(arguments[0])
    if not (root / "index.html").is_file():
        print("links: %s has no index.html" % root)
        return 1
    found = list(faults(root))
    for fault in found[:50]:
        print("links: " + fault)
    files = [p for p in root.rglob("*") if p.is_file()]
    print(
        "links: %d files, %.1f MB, %d broken links"
        % (len(files), sum(p.stat().st_size for p in files) / 1e6, len(found))
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
