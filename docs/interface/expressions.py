"""Reads the functions of expressions: their parameters with types and defaults, as other languages may want them."""
import glob
import re

import tables

FILES = ["src/expression/functions.def", *sorted(glob.glob("src/expression/functions/*.def"))]
COLUMNS = "CALL(name, parameters, result) CALL_MANY(name, parameters, number, statement)"
DOCS = "src/expression/function_docs.def"


def read():
    with open(DOCS, encoding="utf-8") as file:
        docs = dict(re.findall(r'#define DOC_(\w+) "((?:\\.|[^"\\])*)"', file.read()))
    found = []
    for name in FILES:
        with open(name, encoding="utf-8") as file:
            rows = tables.rows(file.read(), COLUMNS)
        for _, macro, columns in rows.values():
            if macro in ("CALL", "CALL_MANY"):
                found.append(entry(macro, columns, docs))
    return found


def entry(macro, columns, docs):
    parameters = [parameter(text.strip()) for text in tables.split(columns["parameters"]) if text.strip()]
    called = re.findall(r"\bty_[a-z0-9_]+(?=\()", str(columns.get("result", columns.get("statement"))))
    out = {"name": columns["name"], "parameters": parameters, "calls": sorted(set(called), key=called.index),
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
