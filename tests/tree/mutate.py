#!/usr/bin/env python3
"""Mutants: one small change in a random line of src/, and the first test that notices.

  ./dev mutate [N] [--seed S] [--only REGEX]    N mutants (default 20) of files whose path matches REGEX

Each mutant is built in a copy of the tree (build/mutate) and tested with a twentieth of the generated cases.  Tests load
one shared library, so a mutant costs one unit and one link.  Tests of its own folder run first, then those that have
noticed mutants before, then all others.  Mutants that do not compile, or whose object code is the same, are drawn anew
and not counted.  Survivors are printed at the end, to be judged: a test is missing, or the change makes no difference.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPY = os.path.join(ROOT, "build", "mutate")
BUILD = os.path.join(COPY, "build", "release")
SECONDS = 120  # limit of one test program; the slowest takes 20 with a twentieth of the cases
# Tests that do not load the shared library, repeat others with failing allocations, or compare with other programs.
OTHER = "script_|replay_|plans|example_|_oom$"

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


def sources(only):
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [f for f in listed.stdout.split() if f.endswith(".c") and "/tools/" not in f and re.search(only, f)]


def copy_tree():
    """The tracked files as they are now; what is the same as before keeps its time, so that little is built."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in listed:
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


def build(*target):
    jobs = str(os.cpu_count() or 2)
    made = subprocess.run(["cmake", "--build", BUILD, "--parallel", jobs, *target, "--", "--quiet"], capture_output=True,
                          text=True)
    return made.returncode == 0


def objects(name):
    """The code of what a source is compiled to, debug information left out: sources are compiled once or, as kernels, more often."""
    found = []
    for folder, _, files in os.walk(os.path.join(BUILD, "CMakeFiles", "tyto_objects.dir")):
        for file in files:
            if file == os.path.basename(name) + ".o":
                path = os.path.join(folder, file)
                dump = subprocess.run(["objdump", "-d", "-s", "-j", ".text", "-j", ".rodata", "--no-show-raw-insn", path],
                                      capture_output=True, text=True)
                found.append(dump.stdout)
    return found


def ctest(*options):
    environment = dict(os.environ, TY_TEST_QUICK="1")
    run = subprocess.run(["ctest", "--test-dir", BUILD, "-j", str(os.cpu_count() or 2), "--timeout", str(SECONDS),
                          "--stop-on-failure", *options], capture_output=True, text=True, env=environment)
    failed = re.findall(r"Test +#\d+: (\S+) .*(?:\*\*\*|Failed|Timeout)", run.stdout)
    return failed[0] if failed else None


def subject(name):
    """Tests of the same folder: their names, as ctest wants them."""
    folder = os.path.join(ROOT, "tests", *name.split("/")[1:-1])
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    names = [f[:-2] for _, _, files in os.walk(folder) for f in files if re.fullmatch(r"test_\w+\.c", f)]
    return "^(" + "|".join(names) + ")$" if names else "^$"


def all_tests():
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N", "-E", OTHER], capture_output=True, text=True, check=True)
    return re.findall(r"Test +#\d+: (\S+)", listed.stdout)


def killer(name, tests, kills):
    """The first test that fails.  kills: how many mutants each test has noticed."""
    near = [t for t in tests if re.match(subject(name), t)]
    keen = sorted((t for t in tests if kills.get(t) and t not in near), key=lambda t: -kills[t])
    far = [t for t in tests if t not in near and t not in keen]
    for group in (near, keen, far):
        by = ctest("-R", "^(" + "|".join(group) + ")$") if group else None
        if by:
            kills[by] = kills.get(by, 0) + 1
            return by
    return None


def draw(chance, files):
    while True:
        name = chance.choice(files)
        all_places = list(places(os.path.join(ROOT, name)))
        if all_places:
            return (name, *chance.choice(all_places))


def attempt(name, number, changed, tests, kills):
    """Who kills the mutant; "" nobody; None: it is none."""
    path = os.path.join(COPY, name)
    with open(path, encoding="utf-8") as source:
        original = source.read()
    before = objects(name)
    lines = original.splitlines(keepends=True)
    lines[number] = changed
    try:
        with open(path, "w", encoding="utf-8") as source:
            source.write("".join(lines))
        if not build("--target", "tyto_internal") or (before and objects(name) == before):
            return None
        return killer(name, tests, kills) or ""
    finally:
        with open(path, "w", encoding="utf-8") as source:
            source.write(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="?", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    files = sources(options.only)
    if not files:
        sys.exit(f"mutate: the path of no source matches '{options.only}'")
    copy_tree()
    subprocess.run(["cmake", "--preset", "release", "-DTY_WERROR=OFF", "-DTY_SHARED_INTERNAL=ON",
                    "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"], cwd=COPY, check=True, stdout=subprocess.DEVNULL)
    by = "the build" if not build() else ctest("-E", OTHER)
    if by:
        sys.exit(f"mutate: the tree as it is fails: {by}")
    tests, kills = all_tests(), {}
    chance, survivors, done = random.Random(options.seed), [], 0
    while done < options.n:
        name, number, line, changed = draw(chance, files)
        by = attempt(name, number, changed, tests, kills)
        if by is None:
            continue
        done += 1
        print(f"{done:4d} {by or 'SURVIVES':28s} {name}:{number + 1}: {line.strip()}  ->  {changed.strip()}", flush=True)
        if not by:
            survivors.append((name, number, line, changed))
    build("--target", "tyto_internal")
    for name, number, line, changed in survivors:
        print(f"survives: {name}:{number + 1}: {line.strip()}  ->  {changed.strip()}")
    killed = done - len(survivors)
    print(f"{killed} of {done} mutants are killed, {100 * killed / done:.1f} %")


if __name__ == "__main__":
    main()
