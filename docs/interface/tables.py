"""Reads rows of tables (*.def): MACRO(column, ...), with the names of the columns from the table's own comment."""
import re

NUMBER = re.compile(r"-?\d+(\.\d*)?(e-?\d+)?$", re.I)
STRINGS = re.compile(r'(\s*"(?:\\.|[^"\\])*")+\s*$')


def columns(text, macro):
    """Return the columns that the comment of a table names for `macro`, [] if it does not."""
    for found in re.finditer(r"\b%s\(([^()]*)\)" % macro, text):
        names = [name.strip().strip('"') for name in found[1].split(",")]
        for i, name in enumerate(names): # "gradient a, b, c" are three gradients
            if len(name) == 1 and i and names[i - 1].startswith("gradient "):
                names[i] = "gradient " + name
        return names
    return []


def split(text):
    """Split at commas outside of brackets and strings."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if text[at] == '"':
            at = re.compile(r'"(?:\\.|[^"\\])*"').match(text, at).end() - 1
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if text[at] == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return parts + [text[start:]]


def value(text):
    """Return a number, the text of strings, or the text of an expression."""
    text = re.sub(r"\s+", " ", text.strip())
    if STRINGS.match(text):
        return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', text)).replace('\\"', '"').replace("\\\\", "\\")
    if NUMBER.match(text):
        return float(text) if re.search(r"[.e]", text, re.I) else int(text)
    return text


def rows(text, comment):
    """Return {line: (last line, macro, columns)} of the rows in the text of a table; columns is a dictionary."""
    found = {}
    for match in re.finditer(r"^([A-Z][A-Z0-9_]*)\(", text, re.M):
        at, depth = match.end(), 1
        while depth:
            if text[at] == '"':
                at = re.compile(r'"(?:\\.|[^"\\])*"').match(text, at).end() - 1
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
        values = [value(part) for part in split(text[match.end():at - 1])]
        names = columns(comment, match[1]) or ["name"]
        line = text.count("\n", 0, match.start()) + 1
        last = text.count("\n", 0, at) + 1
        found[line] = (last, match[1], dict(zip(names, values)))
    return found
