#!/usr/bin/env python3
"""Writes docs/tyto.json, the description of the public interface for tools and other languages (docs/interface.md).

    python3 docs/interface/interface.py [--check] [FOLDER OUTPUT]

Run it from the root of the tree; CC names the compiler.  FOLDER has the headers (include), OUTPUT is the file
(docs/tyto.json).  --check compares with the file instead of writing it, and fails if it differs.
"""
import glob
import json
import os
import sys

import describe
import meaning
import source
from declarations import Parser
from layout import Layout

TESTED = "tests/array/test_handles.c"
# places.h defines a macro for each function, after which the headers would not parse.
LEFT_OUT = {"tyto/places.h"}
LISTS = ("headers", "builtins", "dtypes", "handles", "enums", "structs", "callbacks", "aliases", "variables",
         "constants", "macros", "functions", "expressions")


def headers(folder):
    names = sorted(name[len(folder) + 1:] for name in glob.glob(folder + "/tyto/*.h"))
    return [name for name in names if name not in LEFT_OUT]


def lp64(layout):
    return [layout["builtin " + name] for name in ("int", "long", "void *", "size_t")] == [4, 8, 8, 8]


def make(compiler, folder):
    """Return the description, or None if this machine's ABI is not LP64."""
    names = headers(folder)
    tokens, macros = source.preprocess(compiler, names, folder)
    parser, layout = Parser(tokens), Layout()
    about = describe.Description(parser, macros, layout, folder, meaning.tested(TESTED))
    about.ask()
    layout.answer(compiler, names, folder)
    return about.result(names) if lp64(layout) else None


def line(item):
    return json.dumps(item, ensure_ascii=False)


def text(description):
    """Return the JSON text, with a line for each entry of a list."""
    parts = []
    for key, value in description.items():
        if key in LISTS:
            parts.append('"%s": [\n%s\n]' % (key, ",\n".join(line(item) for item in value)))
        else:
            parts.append('"%s": %s' % (key, line(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"] or ["include", "docs/tyto.json"]
    check, output = "--check" in sys.argv, arguments[1]
    description = make(os.environ.get("CC") or "cc", arguments[0])
    if description is None:
        print("interface: left out: %s has the layouts of LP64, and this machine has others" % output, file=sys.stderr)
        return 0 if check else 1
    made = text(description)
    if check:
        return compare(made, output)
    with open(output, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


def compare(made, output):
    with open(output, encoding="utf-8") as file:
        old, new = file.read().split("\n"), made.split("\n")
    for i in range(max(len(old), len(new))):
        if old[i:i + 1] != new[i:i + 1]:
            print("interface: line %d of %s should be: %.160s" % (i + 1, output, (new[i:i + 1] or ["missing"])[0]))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
