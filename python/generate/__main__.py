"""Write the tables of tyto.json for the extension: python3 python/generate JSON FOLDER.

With --unbound in the place of the folder, print what is not bound, as unbound.txt has it.
"""

import json
import os
import sys

from classify import classify
from prose import learn
from stubs import Stubs
from tables import Tables

PER_FILE = 200  # functions in one file of C, which compiles in a few seconds


def write(path, text):
    """Write a file, unless it has this text already, so that builds see no change."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def unbound(tables, reasons):
    """Return lines of functions and fields that are not bound, with their reasons."""
    lines = ["%s: %s\n" % pair for pair in reasons.items()]
    for name in tables.records:
        fields = tables.kinds.record(name)[1]
        lines += ["%s.%s: %s\n" % (name, *pair) for pair in fields.items()]
    return "".join(sorted(lines))


def main(description, folder):
    """Write tables, calls and stubs into the folder, and print the files of C.

    A stub has the name of its module in tyto, such as c.pyi and nn.__init__.pyi.
    """
    with open(description, encoding="utf-8") as file:
        kinds, calls, reasons = classify(json.load(file))
    tables = Tables(kinds, calls)
    for e in kinds.enums.values():
        learn({constant: word for word, constant in tables.words(e)})
    if folder == "--unbound":
        print(unbound(tables, reasons), end="")
        return
    os.makedirs(folder, exist_ok=True)
    files = {"tables.h": tables.header(), "tables.c": tables.index()}
    files["c.pyi"], files["nn.__init__.pyi"] = Stubs(tables).text(), Stubs(tables).layers()
    for i in range(0, len(calls), PER_FILE):
        files["calls_%02d.c" % (i // PER_FILE)] = tables.functions(calls[i : i + PER_FILE])
    for name, text in files.items():
        write(os.path.join(folder, name), text)
        if name.endswith(".c"):
            print(os.path.join(folder, name))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 python/generate JSON FOLDER|--unbound")
    main(sys.argv[1], sys.argv[2])
