"""Write the pages of headers: functions by groups, types with their fields."""

import re

from description import header_of
from markup import anchor, block, heading, index, literal, table

RANK = [
    "tyto",
    "core",
    "create",
    "shape",
    "index",
    "arithmetic",
    "math",
    "reduce",
    "sort",
    "contract",
    "linalg",
]


def split_group(group):
    """Return the title of a group of functions, and the sentence about all of them, if any."""
    title, _, said = re.match(r"([^(]*?)([:;] |$)(.*)", group).groups() if group else ("", "", "")
    if not title:
        title, said = group, ""
    # A dtype stays as it is.
    upper = [t if re.match(r"[a-z]\d", t) else t[:1].upper() + t[1:] for t in (title, said)]
    return upper[0], upper[1] + "." if said else ""


class Headers:
    """Pages of headers, and the page that lists them."""

    def __init__(self, description, links):
        self.d, self.links = description, links
        self.of = {}
        for kind in (
            "structs",
            "handles",
            "enums",
            "callbacks",
            "aliases",
            "constants",
            "variables",
        ):
            for entry in description.data[kind]:
                self.of.setdefault(header_of(entry), []).append((kind, entry))

    def order(self):
        """Return the headers: those that all programs need, then the others."""
        return sorted(self.d.headers, key=lambda h: (RANK.index(h) if h in RANK else len(RANK), h))

    def first(self, header):
        """Return the first paragraph of a header's comment, without the sentence about its
        place."""
        text = self.d.headers[header]["doc"].split("\n\n")[0]
        return text.split(" Part of <")[0].strip()

    def values(self, entry):
        """Return the table of the values of an enumeration, without columns that are empty."""
        words = self.d.words(entry) if entry.get("named") else {}
        rows = [["name", "value", "word", "meaning"]]
        for value in entry["values"]:
            name = value["name"]
            said = value.get("doc", "") if value.get("doc") != entry.get("doc") else ""
            if name == entry.get("count"):
                said = said or "the number of values, and none of them"
            word = literal(words[name]) if name in words else ""
            rows.append(
                [
                    literal(name),
                    str(value["value"]),
                    word,
                    self.links.line(" ".join(said.split())),
                ]
            )
        kept = [k for k in range(4) if any(row[k] for row in rows[1:])]
        titles, *lines = [[row[k] for k in kept] for row in rows]
        return table(titles, lines, "values")

    def page(self, header):
        """Return the page of a header."""
        entry = self.d.headers[header]
        parts = [
            index([header + ".h"]),
            heading("tyto/%s.h" % header),
            self.links.comment(entry["doc"]),
        ]
        include = self.d.include(entry)
        if include != header:
            parts.append("``#include <tyto/%s.h>`` includes it." % include)
        for group, functions in self.d.of_header(header).items():
            title, said = split_group(group or "functions")
            parts += [heading(self.links.line(title), "-"), self.links.line(said)]
            parts.append(
                table(
                    ["function", "meaning"],
                    [
                        [self.links.function(f["name"]), self.links.line(self.d.summary(f))]
                        for f in functions
                    ],
                    "functions",
                )
            )
        types = [
            self.type(kind, e)
            for kind, e in self.of.get(header, [])
            if kind not in ("constants", "variables")
        ]
        types = [t for t in types if t]
        if types:
            parts += [heading("Types", "-")] + types
        parts.append(self.constants(header))
        return "\n\n".join(p for p in parts if p) + "\n"

    def type(self, kind, entry):
        """Return the section of one type."""
        name = entry.get("name")
        if not name:
            return ""
        parts = [".. _%s:" % anchor(name), index([name]), heading(name, "^")]
        if kind == "callbacks":
            parts.append(block(["typedef " + entry["c"] + ";"], "c"))
        elif kind == "aliases":
            parts.append(block(["typedef " + entry["c"] + ";"], "c"))
        if entry.get("doc"):
            parts.append(self.links.comment(entry["doc"]))
        if kind == "structs":
            parts.append(
                table(
                    ["field", "meaning"],
                    [
                        [literal(f["c"]), self.field(f)]
                        for f in entry["fields"]
                        if not f.get("reserved")
                    ],
                    "fields",
                )
            )
        if kind == "enums":
            parts.append(self.values(entry))
            if entry.get("named"):
                parts.append("%s finds a value by its name." % self.links.line(entry["named"]))
        if kind == "handles" and entry.get("free"):
            parts.append("Freed by %s." % self.links.line(", ".join(entry["free"])))
        return "\n\n".join(p for p in parts if p)

    def field(self, field):
        """Return the meaning of a field, with its default if the comment does not state it."""
        text = " ".join(field.get("doc", "").split())
        default = field.get("default")
        if default is not None and str(default) not in text:
            text += "%sDefault: %s." % (" " if text else "", default)
        return self.links.line(text)

    def constants(self, header):
        """Return the table of constants and variables of a header."""
        lines = []
        for kind, entry in self.of.get(header, []):
            if kind not in ("constants", "variables") or "row" in entry:
                continue
            value = entry.get("value", "")
            shown = "" if isinstance(value, dict) else str(value)
            lines.append(
                [
                    literal(entry.get("c") or entry["name"]),
                    literal(shown) if shown else "",
                    self.links.line(" ".join(entry.get("doc", "").split())),
                ]
            )
        if not lines:
            return ""
        return (
            heading("Constants", "-")
            + "\n\n"
            + table(["name", "value", "meaning"], lines, "values")
        )

    def contents(self):
        """Return the page that lists all headers."""
        parts = [
            index(["functions", "headers"]),
            heading("Functions by header"),
            "Each function has a page of its own, which its header's page lists; the index has "
            "all names. "
            "``#include <tyto/tyto.h>`` includes the core; other headers are included separately.",
            table(
                ["header", "contents", "functions"],
                [
                    [
                        ":doc:`%s.h <%s>`" % (h, h),
                        self.links.line(self.first(h)),
                        str(sum(map(len, self.d.of_header(h).values()))),
                    ]
                    for h in self.order()
                ],
                "headers",
            ),
            toctree(self.order()),
        ]
        return "\n\n".join(parts) + "\n"


def toctree(pages, caption=None, hidden=True):
    """Return a list of pages for the order of the manual."""
    out = [".. toctree::", "   :maxdepth: 1"]
    out += ["   :hidden:"] if hidden else []
    out += ["   :caption: " + caption] if caption else []
    return "\n".join(out + [""] + ["   " + p for p in pages])
