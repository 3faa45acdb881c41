"""Compares the JSON of commands with the forms in docs/json.md.

    forms.py PAGE commands <help.json            names of the commands with --json, and of those without
    forms.py PAGE check SECTION FILE             FILE has a form of the section, such as "tyto fit" or "Messages"
"""
import json
import re
import sys

TOKEN = re.compile(r'\s*("[^"]*"|[A-Za-z_]\w*|[{}\[\],:?])')


class Reader:
    """Reads a block of forms: NAME: FORM defines a name, other forms are those of the command."""

    def __init__(self, block):
        words = re.sub(r"#.*", "", block)
        self.tokens, at = [], 0
        while words[at:].strip():
            found = TOKEN.match(words, at)
            if not found:
                raise SyntaxError(f"docs/json.md: cannot read {words[at:at + 40]!r}")
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        if wanted and token != wanted:
            raise SyntaxError(f"docs/json.md: expected {wanted!r}, found {token!r}")
        self.at += 1
        return token

    def form(self):
        forms = [self.one()]
        while self.peek() == "or":
            self.take()
            forms.append(self.one())
        return ("or", forms)

    def one(self):
        token = self.take()
        if token == "[":
            inner = self.form()
            self.take("]")
            return ("list", inner)
        if token != "{":
            return ("text", token[1:-1]) if token[0] == '"' else ("name", token)
        members = {}
        while self.peek() != "}":
            key = self.take()[1:-1]
            optional = self.peek() == "?" and bool(self.take())
            self.take(":")
            members[key] = (optional, self.form())
            if self.peek() == ",":
                self.take()
        self.take("}")
        return ("object", members)

    def block(self, names):
        forms = []
        while self.peek():
            if self.peek(1) == ":":
                name = self.take()
                self.take(":")
                names[name] = self.form()
            else:
                forms.append(self.form())
        return ("or", forms)


def is_number(x):
    return x is None or x in ("Infinity", "-Infinity") or (isinstance(x, (int, float)) and not isinstance(x, bool))


def is_elements(x):
    return all(map(is_elements, x)) if isinstance(x, list) else isinstance(x, bool) or is_number(x)


TYPES = {
    "text": lambda x: isinstance(x, str),
    "whole": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "flag": lambda x: isinstance(x, bool),
    "number": is_number,
    "null": lambda x: x is None,
    "elements": is_elements,
}


def differs(x, form, names, place="the object"):
    """Return why x does not have the form; None if it has."""
    kind, inner = form
    if kind == "or":
        reasons = [differs(x, one, names, place) for one in inner]
        return None if None in reasons else max(reasons, key=len)
    if kind == "text":
        return None if x == inner else f"{place}: expected {inner!r}"
    if kind == "name" and inner in names:
        return differs(x, names[inner], names, place)
    if kind == "name":
        return None if TYPES[inner](x) else f"{place}: expected {inner}, found {json.dumps(x)[:60]}"
    if kind == "list":
        if not isinstance(x, list):
            return f"{place}: expected a list, found {json.dumps(x)[:60]}"
        return next(filter(None, (differs(e, inner, names, f"{place}[{i}]") for i, e in enumerate(x))), None)
    if not isinstance(x, dict):
        return f"{place}: expected an object, found {json.dumps(x)[:60]}"
    for key in x.keys() - inner.keys():
        return f"{place}: {key} is not in docs/json.md"
    for key, (optional, value) in inner.items():
        if key not in x:
            if not optional:
                return f"{place}: {key} is missing"
        elif reason := differs(x[key], value, names, f"{place}.{key}"):
            return reason
    return None


def sections(page):
    """Return the form of each section's object, by its title, and the defined names of all."""
    names, found = {}, {}
    for part in re.split(r"(?m)^## ", open(page, encoding="utf-8").read())[1:]:
        title, rest = part.split("\n", 1)
        for block in re.findall(r"(?ms)^```\n(.*?)^```", rest):
            found[title] = Reader(block).block(names)
    return found, names


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def main(page, act, title=None, path=None):
    found, names = sections(page)
    if act == "commands":
        for c in json.load(sys.stdin)["commands"]:
            has = any(o["name"] == "--json" for o in c["options"]) and f"tyto {c['name']}" in found
            print("yes" if has else "no", c["name"])
        return 0
    try:
        x = json.loads(open(path, encoding="utf-8").read(), parse_constant=refuse)
    except ValueError as error:
        print(f"{title}: {error}")
        return 1
    reason = differs(x, found[title], names)
    if reason:
        print(f"{title}: {reason}")
    return reason is not None


sys.exit(main(*sys.argv[1:]))
