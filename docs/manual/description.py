"""Read docs/tyto.json, and answer questions about its functions, types and headers."""

import json
import os
import re

# Rows of tables have headers of their own below rows/; the header that includes them speaks for
# them.
ROWS = {"arithmetic": "arithmetic", "logic": "arithmetic"}
# A function of the table of expressions hides a row of its name: max reduces.
HIDDEN = {"max": "maximum", "min": "minimum"}
REDUCED = {"max": "ty_amax", "min": "ty_amin"}


def header_of(entry):
    """Return the name of the header page of an entry, without folder and suffix."""
    name = entry["header"][len("tyto/") : -len(".h")]
    if name.startswith("rows/"):
        return ROWS.get(name[5:], "math")
    return name


def bare(type_):
    """Return the name of the type at the end of pointers, arrays and constants; None for
    functions."""
    while "name" not in type_:
        inner = type_.get("pointer", type_.get("array"))
        if inner is None:
            return None
        type_ = inner
    return type_["name"]


def is_tensor(type_):
    """Return True if a type is a tensor or an array of tensors."""
    return bare(type_) == "ty_tensor"


def sentences(text):
    """Split a comment into sentences; indented lines are left out."""
    # A colon in front of them ends a sentence.
    text = re.sub(r":(?=\n+  )", ".", text)
    words = "\n".join(line for line in text.split("\n") if not line.startswith("  "))
    # A point ends no sentence in "et al. 2017", "eq. 16" and "J. Efron".
    ends = r"(?<=[.])(?<!et al[.])(?<!sec[.])(?<!eq[.])(?<![ (][A-Z][.])(?:  +|[ \n]+(?=[A-Z0-9`*(])|\n\n+)"
    parts = re.split(ends, words)
    return [" ".join(part.split()) for part in parts if part.strip()]


def clauses(text):
    """Split a comment into clauses between semicolons, without a full stop.

    A clause that begins with a word for something before it stays with the clause before, and so
    does the end of parentheses.
    """
    ends = r"; (?!(?:that|this|these|those|it|its|they|their|then|both|all|one)\b)"
    out = []
    for sentence in sentences(text):
        parts = re.split(ends, sentence)
        for at, part in enumerate(parts):
            if at and out[-1].count("(") > out[-1].count(")"):
                out[-1] += "; " + part
            else:
                out.append(part)
    return [part.rstrip(".") for part in out]


class Description:
    """The public interface: functions that programs call, in the order of the headers."""

    def __init__(self, root):
        self.root = root
        with open(root / "docs" / "tyto.json", encoding="utf-8") as file:
            self.data = json.load(file)
        self.version = self.data["version"]
        self.all = {f["name"]: f for f in self.data["functions"]}
        # ty_x_sized serves other languages; its page is that of ty_x.
        self.functions = {n: f for n, f in self.all.items() if "plain" not in f}
        self.sized = {f["plain"]: n for n, f in self.all.items() if "plain" in f}
        self.headers = {h["name"][5:-2]: h for h in self.data["headers"]}
        self.types = {}
        for kind in ("structs", "handles", "enums", "callbacks", "aliases"):
            for entry in self.data[kind]:
                if entry.get("name"):
                    self.types[entry["name"]] = (kind, entry)
        self.enumerators = {v["name"]: e for e in self.data["enums"] for v in e["values"]}
        self.expressions = {e["name"]: e for e in self.data["expressions"]}
        self.called = {}
        for expression in self.data["expressions"]:
            for name in expression["calls"]:
                self.called.setdefault(name, []).append(expression["name"])
        # Rows that other macros make are not in the description, but have the function's name.
        with open(root / "docs/manual/examples.txt", encoding="utf-8") as file:
            shown = [line[3:-1] for line in file if line.startswith("== ")]
        for name in shown + list(self.expressions):
            own = REDUCED.get(name, "ty_" + name)
            if own in self.functions and name not in self.called.get(own, []):
                self.called.setdefault(own, []).insert(0, name)

    def of_header(self, header):
        """Return the functions of a header page by their groups, in order."""
        groups = {}
        for function in self.functions.values():
            if header_of(function) == header:
                row = function.get("row", {}).get("table", "")
                rows = row.startswith("tyto/rows/")
                group = "elementwise: " + row[10:-4] if rows else function.get("group", "")
                groups.setdefault(group, []).append(function)
        return groups

    def include(self, entry):
        """Return the header that a program includes for an entry."""
        name = header_of(entry) if "header" in entry else entry["name"][5:-2]
        seen = set()
        while name not in seen:
            seen.add(name)
            doc = self.headers.get(name, {}).get("doc", "")
            part = re.search(r"Part of <tyto/(\w+)\.h>", doc)
            if not part:
                break
            name = part.group(1)
        return "tyto" if name == "core" else name

    def takes_tensors(self, function):
        """Return True if a parameter that is read is a tensor."""
        return any(is_tensor(p["type"]) and not p.get("writes") for p in function["parameters"])

    def gives_tensors(self, function):
        """Return True if the result, a part of it or a written parameter is a tensor."""
        result = function["result"]
        if is_tensor(result) or any(
            is_tensor(p["type"]) and p.get("writes") and p["name"] != "error"
            for p in function["parameters"]
        ):
            return True
        kind, entry = self.types.get(bare(result) or "", (None, None))
        return kind == "structs" and any(is_tensor(f["type"]) for f in entry["fields"])

    def options(self, function):
        """Return the comment of the options of a layer, "" for other functions.

        All layers share a comment; the struct of their options tells them apart.
        """
        row = function.get("row", {})
        if not row.get("table", "").endswith("/layers.def"):
            return ""
        return self.types.get("ty_%s_layer" % row["columns"]["name"], (None, {}))[1].get("doc", "")

    def meaning(self, function):
        """Return the comment of a function, behind that of its options if it is a layer."""
        return "\n\n".join(filter(None, [self.options(function), function["doc"]]))

    def words(self, entry):
        """Return the words of the values of an enumeration, by the names of the values: those of
        its table, of the comment of the function that finds them, or the ends of the names."""
        values = [v for v in entry["values"] if v["name"] != entry.get("count")]
        names = [v["name"] for v in values]
        start = 0
        if len(names) > 1:
            start = os.path.commonprefix(names).rfind("_") + 1
        words = [name[start:].lower() for name in names]
        if entry.get("named"):
            said = re.sub(r"\(.*?\)|; also .*", "", self.all[entry["named"]]["doc"], flags=re.S)
            found = re.findall(r"\"([^\"]*)\"", said)
            words = found if len(found) == len(values) else words
        for at, value in enumerate(values):
            columns = value.get("row", {}).get("columns", {})
            words[at] = columns.get("word", columns.get("name", words[at]))
        return dict(zip(names, words))

    def summary(self, function):
        """Return the first sentence of a function's comment, short enough for a table."""
        row = function.get("row", {})
        if "doc" in row.get("columns", {}):
            text = row["columns"]["doc"]
        elif self.options(function):
            text = sentences(self.options(function))[0]
        else:
            found = sentences(function["doc"])
            text = found[0] if found else function["doc"]
            text = re.split(r"[;:] (?![^(]*\))", text)[0]
        text = text.rstrip(".")
        return text[0].upper() + text[1:] if text and not re.match(r"\w*_|[a-z] ", text) else text
