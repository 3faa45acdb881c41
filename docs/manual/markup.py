"""Write reStructuredText: escaped words, links to functions, types, headers and pages, tables."""

import re

SPECIAL = re.compile(r"([\\*`|])")
UNDERLINE = re.compile(r"(?<=\w)_(?!\w)")
COLON = re.compile(r"(?<!http)(?<!https)(?<=\w):(?=\w)")  # FILE:KEY is no address
LINK = re.compile(
    r"<tyto/(?P<header>\w+)\.h>|docs/(?P<page>\w+)\.md|\b(?P<name>ty_\w+|TY_\w+|DL\w+)\b"
    r"|\b(?P<part>\w+)\.h\b|`(?P<code>[^`\n]+)`"
)
BEFORE = " \n([{<-/:'\""
AFTER = " \n.,:;!?)]}>-/'\""


def escape(text):
    """Escape the characters that reStructuredText reads as markup."""
    return COLON.sub(r"\\:", UNDERLINE.sub(r"\\_", SPECIAL.sub(r"\\\1", text)))


def literal(text):
    """Return words in the face of code, without breaks of lines."""
    text = " ".join(text.split())
    return (
        "``%s``" % text if text and "``" not in text and not text.endswith("\\") else escape(text)
    )


def anchor(name):
    """Return the label of a type on the page of its header."""
    return "type-" + name.lower().replace("_", "-")


class Links:
    """Turn names in comments into links."""

    def __init__(self, description, pages, written):
        self.description = description
        self.pages = pages
        self.written = set(written)

    def function(self, name):
        """Return the link to the page of a function, its name alone where the page is not
        written."""
        return ":doc:`%s </c/%s>`" % (name, name) if name in self.written else literal(name)

    def target(self, name):
        """Return the role that links a public name, None if no page describes it."""
        d = self.description
        if name in d.all:
            plain = d.all[name].get("plain", name)
            return ":doc:`%s </c/%s>`" % (name, plain) if plain in self.written else literal(name)
        if name in d.types:
            return ":ref:`%s <%s>`" % (name, anchor(name))
        if name in d.enumerators and d.enumerators[name].get("name"):
            return ":ref:`%s <%s>`" % (name, anchor(d.enumerators[name]["name"]))
        return None

    def role(self, match):
        """Return the markup of one match of LINK, None to leave the words as they are."""
        group = match.lastgroup
        text = match.group(group)
        if group == "name":
            return self.target(text)
        if group == "page":
            return ":doc:`%s </guide/%s>`" % (text, text) if text in self.pages else None
        if group == "code":
            return self.target(text) or literal(text)
        if text in self.description.headers:
            return ":doc:`%s.h </headers/%s>`" % (text, text)
        return None

    def line(self, text):
        """Return one run of words as markup."""
        out, at = [], 0
        for match in LINK.finditer(text):
            role = self.role(match)
            if role is None:
                continue
            before = text[at : match.start()]
            out.append(escape(before))
            last = text[match.start() - 1] if match.start() else " "
            out.append(("" if last in BEFORE else "\\ ") + role)
            after = text[match.end()] if match.end() < len(text) else " "
            out.append("" if after in AFTER else "\\ ")
            at = match.end()
        out.append(escape(text[at:]))
        return "".join(out).strip()

    def comment(self, text):
        """Return a comment of a header as paragraphs; indented lines keep their form."""
        out = []
        for paragraph in re.split(r"\n\s*\n", text):
            kept, words = [], []
            for line in paragraph.split("\n"):
                if line.startswith("  "):
                    if words:
                        out.append(self.line(" ".join(words)))
                        words = []
                    kept.append(line)
                else:
                    if kept:
                        out.append(block(kept))
                        kept = []
                    words.append(line.strip())
            if words:
                out.append(self.line(re.sub(r"\s+", " ", " ".join(words))))
            if kept:
                out.append(block(kept))
        return "\n\n".join(part for part in out if part)


def block(lines, language=None):
    """Return lines that keep their form, coloured as a language if one is given."""
    least = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    body = "\n".join("   " + x[least:].rstrip() if x.strip() else "" for x in lines)
    return (".. code-block:: %s\n\n" % language if language else "::\n\n") + body


def heading(text, mark="="):
    """Return a heading over a line of marks."""
    return "%s\n%s" % (text, mark * max(3, len(text)))


def table(head, rows, css="wide"):
    """Return a table of cells, each of one line of markup."""
    out = [".. list-table::\n   :header-rows: 1\n   :widths: auto\n   :class: %s\n" % css]
    for row in [head] + rows:
        for i, cell in enumerate(row):
            out.append("   %s - %s" % ("*" if i == 0 else " ", cell or ""))
    return "\n".join(out)


def field(name, text):
    """Return an entry of a list of facts; further paragraphs of it are indented."""
    lines = text.split("\n")
    return ":%s: %s" % (name, "\n".join([lines[0]] + ["   " + x if x else "" for x in lines[1:]]))


def index(entries):
    """Return entries of the index for this place of a page; duplicates and blanks are left out."""
    seen = []
    for entry in entries:
        entry = " ".join(entry.replace(";", ",").replace("!", "").split())
        if entry and entry not in seen:
            seen.append(entry)
    return ".. index::\n%s" % "".join("   single: %s\n" % e for e in seen) if seen else ""
