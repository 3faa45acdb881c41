"""Programs of OCaml and Nim that show the cells of Owl and Arraymancer.

Each cell is in the line of the program that it has in the page, so a message of a compiler names
the line of the page.  The module `theirs` shows values, and declares names that no tensor has.
"""

import os
import pathlib
import shlex
import shutil

CELLS = pathlib.Path(__file__).resolve().parent
# For each library: the environment variable of a compiler and its usual command; the options of a
# program that only imports the library, and of one with cells; the patterns of its lines.
PROGRAMS = {
    "Owl": {
        "extension": "ml",
        "variable": ("OCAMLOPT", "ocamlfind ocamlopt"),
        "import": "open Owl",
        "probe": ["-package", "owl", "-i"],
        "options": ["-w", "-a", "-package", "owl", "-linkpkg", "theirs.ml", "cells.ml", "-o",
                    "cells"],
        "begin": "open Owl open Theirs",
        "name": 'let {0} = from "{0}"',
        "value": 'let () = cell "{place}" (fun () -> Obj.repr ({code}))',
    },
    "Arraymancer": {
        "extension": "nim",
        "variable": ("NIM", "nim"),
        "import": "import arraymancer",
        "probe": ["check", "--hints:off", "--warnings:off"],
        "options": ["c", "--hints:off", "--warnings:off", "--nimcache:cache", "-o:cells",
                    "cells.nim"],
        "begin": "import theirs",
        "name": 'let {0} = read_npy[float]("{0}.npy");',
        "value": "let c{line} = {code}",
        "statement": "{code}",
        "layer": "layer Net{line}, {code}",
        "end": 'show("{place}", c{line})',
    },
}


def compiler(language):
    """Return the words of the command of a language's compiler."""
    variable, usual = PROGRAMS[language]["variable"]
    return shlex.split(os.environ.get(variable, usual))


def is_installed(language, folder, run):
    """Return true if a compiler of the language finds the library."""
    words, program = compiler(language), PROGRAMS[language]
    if not shutil.which(words[0]):
        return False
    path = folder / f"probe.{program['extension']}"
    path.write_text(program["import"] + "\n", encoding="utf-8")
    return not run([*words, *program["probe"], path.name], folder).returncode


def kind_of(ours):
    """Return the kind of a cell: a value, a statement, or a layer of a network."""
    return "layer" if ours.startswith("TY_LAYER(") else "statement" if ours[-1:] == ";" else "value"


def source_of(language, names, cells):
    """Return a program that shows cells: tuples of line, column, code and the cell of C beside."""
    program = PROGRAMS[language]
    lines = ["" for _ in range(max(line for line, *_ in cells))]
    lines[:2] = program["begin"], " ".join(program["name"].format(name) for name in names)
    for line, column, code, ours in cells:
        kind, place = kind_of(ours), f"{line} {column}"
        pattern = program.get(kind, program["value"])
        lines[line - 1] = pattern.format(line=line, place=place, code=code)
        if kind == "value" and "end" in program:
            lines.append(program["end"].format(line=line, place=place))
    return "\n".join(lines) + "\n"


def compile_and_run(language, names, cells, folder, failures, run):
    """Return the lines that the cells of a language show."""
    program = PROGRAMS[language]
    path = folder / f"cells.{program['extension']}"
    path.write_text(source_of(language, names, cells), encoding="utf-8")
    shutil.copy(CELLS / f"{language.lower()}.{program['extension']}", path.with_stem("theirs"))
    compiled = run([*compiler(language), *program["options"]], folder)
    failures.check(not compiled.returncode,
                   f"{language}: {compiled.stdout[:4000]}{compiled.stderr[:4000]}")
    if compiled.returncode:
        return []
    done = run(["./cells"], folder)
    failures.check(not done.returncode and not done.stderr,
                   f"{language}: status {done.returncode}: {done.stderr[:4000]}")
    return done.stdout.splitlines()
