#!/usr/bin/env python3
"""Mutants: one small change in a random line of src/, and the first test that notices.

  ./dev mutate [N] [--seed S] [--only REGEX]    N mutants (default 20) of files whose path matches REGEX

A copy of the tree (build/mutate) is built once, its tests with one shared library.  A mutant costs one unit and a small
library of that unit, which is loaded ahead of the other (LD_PRELOAD).  mutate_reach.c records once which tests run
functions of which sources.  A mutant meets

  - the tests that run a function of its source, with a twentieth of their generated cases: likely and short ones first,
    those of other folders until they have taken PATIENCE seconds;
  - then the tests of its folder that take less than SHORT seconds, with failing allocations.

A test that fails with the unchanged unit loaded ahead does not count.  A survivor is a change of the unit's code that
none of these tests notices: a test is missing, or the change makes no difference.  Mutants that do not compile, or whose
code is the same, are drawn anew and not counted.
"""
import argparse
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from mutate_tests import BUILD, COPY, JOBS, LIBRARY, ROOT, SCRATCH, Tests, output

# test_unload loads the library that users get, which no mutant is in.  test_stack measures the stack, where calls
# through the shared library's table take more.
OUT = {"test_unload", "test_stack"}

# What is put in the place of what: each occurrence of the first in a line of code is a place for a mutant.
CHANGES = [
    (r"(?<![<>=!+\-*/&|^%])<(?![<=])", "<="), (r"<=", "<"), (r"(?<![->=])>(?![>=])", ">="), (r">=", ">"),
    (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
    (r"(?<=[\w\)\]]) \+ (?=[\w\(])", " - "), (r"(?<=[\w\)\]]) - (?=[\w\(])", " + "),
    (r"(?<=[\w\)\]]) \* (?=[\w\(])", " + "), (r"(?<=[\w\)\]]) / (?=[\w\(])", " * "),
    (r"(?<=[\w\)\]]) % (?=[\w\(])", " / "), (r"\+\+", "--"), (r"\+=", "-="), (r"-=", "+="),
    (r"\breturn true\b", "return false"), (r"\breturn false\b", "return true"),
    (r"\breturn NULL\b", "return (void *)1"), (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "2"),
    (r"!(?=[\w(])", ""), (r"\bbreak;", ";"), (r"\bcontinue;", ";"),
]


def code_lines(path):
    """The lines of a file that are code, with their numbers: no comments, includes, tables, declarations at the left edge."""
    inside = False
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source):
            if inside:
                inside = "*/" not in line
                continue
            if line.lstrip().startswith("/*"):
                inside = "*/" not in line
                continue
            if line.startswith("    ") and '"' not in line and not line.lstrip().startswith(("*", "#", "static const")):
                yield number, line


def places(path):
    for number, line in code_lines(path):
        code = line.split("/*")[0]
        for pattern, replacement in CHANGES:
            for match in re.finditer(pattern, code):
                yield number, line, line[:match.start()] + replacement + line[match.end():]


def tracked(folder="."):
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def copy_tree():
    """The tracked files as they are now; what is the same as before keeps its time, so that little is built."""
    names = set(tracked())
    for folder in ("src", "tests", "include"):
        for above, _, files in os.walk(os.path.join(COPY, folder)):
            for path in (os.path.join(above, file) for file in files):
                if os.path.relpath(path, COPY) not in names:
                    os.remove(path)  # there before, but no more
    for name in names:
        there, here = os.path.join(COPY, name), os.path.join(ROOT, name)
        if not os.path.exists(here) or os.path.islink(here):
            continue
        os.makedirs(os.path.dirname(there), exist_ok=True)
        with open(here, "rb") as a:
            content = a.read()
        if os.path.exists(there):
            with open(there, "rb") as b:
                if b.read() == content:
                    continue
        shutil.copy(here, there)


def build(tests):
    """Builds the copy, through ccache and with mold where they are: a minute then, else half an hour."""
    options = ["-DTY_SHARED_INTERNAL=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"]
    if shutil.which("ccache"):
        options += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
    if shutil.which("mold"):
        options += ["-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=mold", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold"]
    cached = dict(os.environ, CCACHE_BASEDIR=COPY, CCACHE_NOHASHDIR="1")
    subprocess.run(["cmake", "--preset", "release", *options], cwd=COPY, check=True, stdout=subprocess.DEVNULL, env=cached)
    subprocess.run(["cmake", "--build", BUILD, "--parallel", str(JOBS), "--target", *tests, "--", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL, env=cached)
    os.makedirs(SCRATCH, exist_ok=True)


def objects():
    """Objects that each source is compiled into: kernels are compiled once for each instruction set."""
    found, unit = {}, None
    for line in output("ninja", "-t", "deps").splitlines():
        if line.startswith("    "):
            found.setdefault(os.path.relpath(os.path.join(BUILD, line.strip()), COPY), []).append(unit)
        elif line:
            unit = line.split(":")[0]
    return found


def draw(chance, files):
    while True:
        name = chance.choice(files)
        all_places = list(places(os.path.join(ROOT, name)))
        if all_places:
            return (name, *chance.choice(all_places))


def compiled(units, commands):
    """Compiles units into SCRATCH; None where that fails, else the objects."""
    made = []
    for i, unit in enumerate(units):
        command = [word for word in shlex.split(commands[unit]) if word != "-Werror"]
        command[command.index("-o") + 1] = made_here = os.path.join(SCRATCH, f"unit{i}.o")
        if subprocess.run(command, cwd=BUILD, capture_output=True).returncode:
            return None
        made.append(made_here)
    return made


def code(made):
    """The contents of objects without debug information."""
    stripped, contents = os.path.join(SCRATCH, "stripped.o"), []
    for path in made:
        output("strip", "-g", path, "-o", stripped)
        with open(stripped, "rb") as file:
            contents.append(file.read())
    return contents


def link(library, made):
    """A library of objects; None where something is missing, else its path."""
    path = os.path.join(SCRATCH, library)
    linked = subprocess.run(["cc", "-shared", "-o", path, *made, LIBRARY, "-Wl,-rpath," + BUILD], cwd=BUILD,
                            capture_output=True)
    return None if linked.returncode else path


def attempt(name, number, changed, tests, units, commands):
    """Who kills the mutant; "" nobody; None: it is none."""
    path = os.path.join(COPY, name)
    since = os.stat(path).st_mtime_ns
    with open(path, encoding="utf-8") as source:
        lines = source.readlines()
    try:
        with open(path, "w", encoding="utf-8") as source:
            source.writelines(lines[:number] + [changed] + lines[number + 1:])
        made = compiled(units, commands)
    finally:
        with open(path, "w", encoding="utf-8") as source:
            source.writelines(lines)
        os.utime(path, ns=(since, since))  # nothing is to be built anew
    if not made or code(made) == code(units):
        return None
    mutant, unchanged = link("mutant.so", made), link("unchanged.so", units)
    return tests.killer(name, mutant, unchanged) or "" if mutant else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="?", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutate: stopped"))  # sources and tests are put right first
    copy_tree()
    where = {os.path.basename(f)[:-2]: f for f in tracked("tests") if re.search(r"/test_\w+\.c$", f)}
    where = {test: at for test, at in where.items() if test not in OUT}
    build(where)
    units = objects()
    files = [f for f in tracked("src") if f.endswith(".c") and f in units and re.search(options.only, f)]
    if not files:
        sys.exit(f"mutate: the path of no source matches '{options.only}'")
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        commands = {shlex.split(c["command"])[shlex.split(c["command"]).index("-o") + 1]: c["command"]
                    for c in json.load(file)}
    tests = Tests(where)
    chance, survivors, done = random.Random(options.seed), [], 0
    while done < options.n:
        name, number, line, changed = draw(chance, files)
        begin = time.monotonic()
        by = attempt(name, number, changed, tests, units[name], commands)
        if by is None:
            continue
        done += 1
        took = time.monotonic() - begin
        said = f"{name}:{number + 1}: {line.strip()}  ->  {changed.strip()}"
        print(f"{done:4d} {took:4.0f} s  {by or 'SURVIVES':28s} {said}", flush=True)
        if not by:
            survivors.append(said)
    for said in survivors:
        print(f"survives: {said}")
    killed = done - len(survivors)
    print(f"{killed} of {done} mutants are killed, {100 * killed / done:.1f} %")


if __name__ == "__main__":
    main()
