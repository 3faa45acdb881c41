"""Reads the functions of expressions: their parameters with types and defaults, as other languages may want them."""
import glob
import re

import tables

FILES = ["src/expression/functions.def", *sorted(glob.glob("src/expression/functions/*.def"))]
CALLER = "src/expression/functions.c" # includes the tables, and defines macros and functions that they use
COLUMNS = "CALL(name, parameters, result) CALL_MANY(name, parameters, number, statement)"
# Functions that report errors, ask for shapes and name results: expressions call them on the way.
SERVICES = {"ty_ok", "ty_poison_code", "ty_rank", "ty_named"}
DOCS = "src/expression/function_docs.def"


def read(functions):
    """Return the entries; `functions` are the names of the public functions."""
    with open(DOCS, encoding="utf-8") as file:
        docs = dict(re.findall(r'#define DOC_(\w+) "((?:\\.|[^"\\])*)"', file.read()))
    texts = {}
    for name in [CALLER, *FILES]:
        with open(name, encoding="utf-8") as file:
            texts[name] = file.read().replace("\\\n", " ")
    everything = "\n".join(texts.values())
    strings, bodies, found = macros_of_strings(everything), helpers(everything), []
    for name in FILES:
        for _, macro, columns in tables.rows(expanded(texts[name], strings), COLUMNS).values():
            if macro in ("CALL", "CALL_MANY"):
                found.append(entry(macro, columns, docs))
                code = str(columns.get("result", columns.get("statement")))
                found[-1]["calls"] = [word for word in called(code, bodies, set())
                                      if word in functions and word not in SERVICES]
    return found


def macros_of_strings(text):
    """Return the macros without parameters whose bodies are strings, with these bodies."""
    return dict(re.findall(r'^#define (\w+)[ \t]+("(?:\\.|[^"\\\n])*"(?:[ \t]*"(?:\\.|[^"\\\n])*")*)[ \t]*$', text, re.M))


def expanded(text, strings):
    """Return the text of a table in which the names of such macros are replaced by their bodies."""
    lines = [line for line in text.split("\n") if not line.startswith("#define")]
    return re.sub(r"\b[A-Z][A-Z0-9_]*\b", lambda word: strings.get(word[0], word[0]), "\n".join(lines))


def helpers(text):
    """Return the bodies of the static functions, and of the macros with parameters."""
    bodies = dict(re.findall(r"^#define (\w+)\([^)]*\)(.*)$", text, re.M))
    bodies.update(re.findall(r"^static [^;={}]*?\b(\w+)\([^;{}]*\) \{(.*?)\}$", text, re.M | re.S))
    return bodies


def called(code, bodies, seen):
    """Return the words ty_... of code and of the helpers that it uses, in order."""
    out = {}
    for word in re.findall(r"\b[A-Za-z_]\w*", code):
        if word.startswith("ty_"):
            out[word] = True
        elif word in bodies and word not in seen:
            seen.add(word)
            out.update(called(bodies[word], bodies, seen))
    return out


def entry(macro, columns, docs):
    parameters = [parameter(text.strip()) for text in tables.split(columns["parameters"]) if text.strip()]
    for p in parameters:
        if not all(name.isidentifier() for name in [p["name"], *p.get("also", ())]):
            raise SystemExit("interface: the expression %s has a parameter %r" % (columns["name"], p["name"]))
    out = {"name": columns["name"], "parameters": parameters, "calls": [],
           "doc": docs.get(columns["name"], "").replace('\\"', '"').replace("\\\\", "\\")}
    return dict(out, many=True) if macro == "CALL_MANY" else out


def parameter(text):
    """name|other:type=default"""
    text, _, default = text.partition("=")
    names, _, kind = text.partition(":")
    names = names.split("|")
    out = {"name": names[0], "type": kind or "tensor"}
    if names[1:]:
        out["also"] = names[1:]
    return dict(out, default=default) if default else out
