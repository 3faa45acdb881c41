#!/usr/bin/env python3
"""Write the sources of the manual for Sphinx, and the man page tyto.3.

    python3 docs/manual/generate.py [--tyto TYTO] [--some N] [--missing] OUT
    python3 docs/manual/generate.py --man FILE

OUT is a folder, which is made anew. TYTO is the command that describes its commands. --some N
writes every N-th function alone, for a quick look; --missing lists functions without an example
or a statement about gradients, shapes or dtypes.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import commands  # noqa: E402
import evaluate  # noqa: E402
import guide  # noqa: E402
import man  # noqa: E402
from description import Description  # noqa: E402
from excerpts import Excerpts  # noqa: E402
from function import Pages  # noqa: E402
from groups import Headers, toctree  # noqa: E402
from markup import Links, block, heading, index  # noqa: E402
from names import Names  # noqa: E402
from reference import Reference  # noqa: E402
from refusals import Refusals  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class Manual:
    """A folder of sources."""

    def __init__(self, out, tyto, some):
        self.out, self.tyto = out, tyto
        self.d = Description(ROOT)
        self.guides = guide.pages(ROOT)
        self.links = Links(self.d, self.guides, list(self.d.functions)[::some])
        self.names = Names(self.d)
        self.programs = sorted(p.stem for p in (ROOT / "examples").glob("*.c"))
        self.words = {}
        for line in (ROOT / "docs/manual/index.txt").read_text(encoding="utf-8").split("\n"):
            page, _, words = line.partition(": ")
            if words and not line.startswith("#"):
                self.words.setdefault(page, []).extend(w.strip() for w in words.split(","))

    def write(self, name, text):
        """Write a page."""
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".rst") and name[:-4] in self.words:
            entries = index(self.words[name[:-4]])
            # What precedes the index of a page of a function has to stay first.
            before, found, after = text.partition(".. index::\n")
            if before.strip().startswith(":orphan:") and found:
                text = before + entries.rstrip("\n") + "\n" + after
            else:
                text = entries + "\n" + text
        path.write_text(text, encoding="utf-8")

    def functions(self):
        """Write the pages of functions; return what some of them lack."""
        text = evaluate.FILE.read_text(encoding="utf-8")
        examples = {
            name: (command, output, found)
            for name, command, output, found, _ in evaluate.entries(text)
        }
        pages = Pages(self.d, self.links, self.names, Refusals(ROOT), Excerpts(self.d), examples)
        for name in self.d.functions:
            if name in self.links.written:
                self.write("c/%s.rst" % name, pages.page(self.d.functions[name]))
        return pages.missing

    def tables(self):
        """Write the pages of headers, tables and commands."""
        headers, reference = Headers(self.d, self.links), Reference(self.d, self.links)
        for header in headers.order():
            self.write("headers/%s.rst" % header, headers.page(header))
        self.write("headers/contents.rst", headers.contents())
        for name, text in reference.pages():
            self.write("tables/%s.rst" % name, text)
        self.write("tables/contents.rst", reference.contents())
        if self.tyto:
            known, indexed = commands.described(self.tyto), set()
            for command in known:
                self.write(
                    "commands/%s.rst" % command["name"],
                    commands.page(command, self.links, self.names.synonyms, indexed),
                )
            self.write("commands/contents.rst", commands.contents(known, self.links))

    def example_programs(self):
        """Write a page for each program of examples/."""
        for name in self.programs:
            text = (ROOT / ("examples/%s.c" % name)).read_text(encoding="utf-8")
            said = re.match(r"/\*\s*(.*?)\*/", text, re.S)
            words = (
                " ".join(re.sub(r"^\s*\*", "", said.group(1), flags=re.M).split()) if said else ""
            )
            body = block(text.rstrip("\n").split("\n"), "c")
            self.write(
                "programs/%s.rst" % name,
                "\n\n".join(
                    [
                        index([name.replace("_", " ") + " (program)"]),
                        heading(name),
                        self.links.line(words),
                        body,
                    ]
                )
                + "\n",
            )
        self.write(
            "programs/contents.rst",
            heading("Example programs") + "\n\n"
            "Each is a file of ``examples/``, which the tests run.\n\n"
            + toctree(self.programs, hidden=False)
            + "\n",
        )

    def guide_pages(self):
        """Write the pages of docs/, the gallery and the pictures."""
        for name, path in self.guides.items():
            text = guide.copy(path.read_text(encoding="utf-8"), self.guides, self.programs)
            self.write(
                "guide/%s.md" % name, guide.with_index(text, self.words.get("guide/" + name))
            )
        plots = self.guides["plots"].read_text(encoding="utf-8")
        self.write(
            "guide/gallery.md",
            guide.with_index(guide.gallery(plots), ["gallery", "plots", "figures", "charts"]),
        )
        for picture in sorted((ROOT / "docs").glob("*.svg")):
            shutil.copy(picture, self.out / "guide" / picture.name)

    def start(self):
        """Write the first page: the first screen of README.md, and the parts of the manual."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        said, code, printed = re.match(
            r"# Tyto\n\n(.*?)\n\n```c\n(.*?)```\n\n```\n(.*?)```\n", text, re.S
        ).groups()
        parts = [
            heading("Tyto"),
            self.links.line(" ".join(said.split())),
            block(code.rstrip().split("\n"), "c"),
            "It prints:",
            block(printed.rstrip().split("\n"), "text"),
            heading("Reference", "-"),
            toctree(
                (
                    ["headers/contents", "tables/contents"]
                    + (["commands/contents"] if self.tyto else [])
                    + ["programs/contents", "guide/gallery"]
                ),
                hidden=False,
            ),
        ]
        for title, pages in guide.parts(self.guides):
            if pages:
                parts += [heading(title, "-"), toctree(["guide/" + p for p in pages], hidden=False)]
        self.write("index.rst", "\n\n".join(parts) + "\n")


def main(arguments):
    """Write what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tyto")
    parser.add_argument("--some", type=int, default=1)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--man", action="store_true")
    parser.add_argument("out", type=Path)
    given = parser.parse_args(arguments)
    if given.man:
        given.out.write_text(man.page(Description(ROOT)), encoding="utf-8")
        return 0
    if given.out.exists():
        shutil.rmtree(given.out)
    manual = Manual(given.out, given.tyto, given.some)
    missing = manual.functions()
    manual.tables()
    manual.example_programs()
    manual.guide_pages()
    manual.start()
    count = len(list((given.out / "c").glob("*.rst")))
    print(
        "manual: %d pages of functions; %d without an example, %d without a statement about "
        "gradients" % (count, len(missing["example"]), len(missing["gradient"]))
    )
    if given.missing:
        for part, names in missing.items():
            print("without %s: %s" % (part, " ".join(names)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
