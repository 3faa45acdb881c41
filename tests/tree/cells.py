"""Evaluate the tables of pages for people who come from other libraries.

A column whose heading is a language has a cell of code in each row, or none.  All cells of ours are
evaluated: "C" and "C++" are expressions, or statements that end in ";"; "`tyto eval`" is an
expression of the command; "command" is a command line.  Cells of one row have equal values.  Cells
of other libraries are evaluated and compared where the library is installed.  The names in cells
are those that the block of C or C++ above the table declares.
"""

import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "cells"))
import foreign

SOURCE = pathlib.Path(os.environ.get("SOURCE") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("BUILD") or SOURCE / "build/release").resolve()
CELLS = SOURCE / "tests/tree/cells"
EVAL, COMMAND = "`tyto eval`", "command"
# Languages of compilers: extension, header, beginning and end of a cell, macro that shows, options.
COMPILED = {
    "C": ("c", "c.h", "", "", "SHOW", []),
    "GSL": ("c", "gsl.h", "OPEN_GSL", "CLOSE_GSL", "SHOW_GSL", ["-lgsl", "-lgslcblas"]),
    "C++": ("cc", "cpp.h", "", "", "show", []),
    "Eigen": ("cc", "eigen.h", "{0}", "", "theirs::show", ["-I/usr/include/eigen3"]),
    "xtensor": ("cc", "xtensor.h", "{0}", "", "theirs::show", []),
}
# Declarations of other libraries that take the place of a tensor's.
OTHERS = {
    "Eigen": {1: "const Eigen::VectorXd", 2: "const Eigen::MatrixXd"},
    "xtensor": {1: "const xt::xarray<double>", 2: "const xt::xarray<double>"},
}
PYTHON = ("NumPy", "PyTorch", "scikit-learn")
FOREIGN = tuple(foreign.PROGRAMS)
OURS = ("C", "C++", EVAL, COMMAND)
LANGUAGES = (*COMPILED, *PYTHON, *FOREIGN, EVAL, COMMAND)


class Table:
    """A table of code, and the blocks of C and C++ that declare its names."""

    def __init__(self, page, line, heading, blocks):
        self.page, self.line, self.heading, self.blocks = page, line, heading, dict(blocks)
        self.rows = []  # pairs of a line number and the cells

    def columns(self, language):
        """Return the triples of line, column and code in a language."""
        return [(line, i, cells[i]) for line, cells in self.rows
                for i, name in enumerate(self.heading) if name == language and cells[i]]


def split(line):
    """Return the cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def code(cell, where):
    """Return the code of a cell, "" for one without."""
    inside = re.fullmatch(r"`([^`]+)`", cell)
    if not inside and "`" in cell:
        sys.exit(f"{where}: a cell of code is one piece of code: {cell}")
    return inside.group(1).replace("\\|", "|") if inside else ""


def tables(page):
    """Return the tables of a page with a column of ours."""
    found, blocks, kept, fence, table = [], {}, [], "", None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{page.name}:{number}"
        if line.startswith("```"):
            if fence and re.match(r"(ty_)?tensor ", kept[0] if kept else ""):
                blocks[fence] = "\n".join(kept)
            elif fence == "c" and kept and kept[0].startswith("static "):
                blocks["functions"] = "\n".join(kept)
            fence, kept = "" if fence else line[3:] or "text", []
        elif fence:
            kept.append(line)
        elif not line.startswith("|"):
            table = None
        elif table is None:
            table = Table(page, number, split(line), blocks)
            if any(name in OURS for name in table.heading):
                found.append(table)
                unknown = [name for name in table.heading if name not in LANGUAGES]
                if unknown[1:]:
                    sys.exit(f"{where}: {unknown} are no languages of {LANGUAGES}")
        elif not line.startswith("|--"):
            cells = split(line)
            if len(cells) != len(table.heading):
                sys.exit(f"{where}: {len(cells)} cells below {len(table.heading)} headings")
            table.rows.append((number, [
                code(cell, where) if name in LANGUAGES else "" for name, cell in
                zip(table.heading, cells)]))
    return found


def names(block):
    """Return the names of the tensors that a block declares."""
    found = []
    for declaration in re.findall(r"^(?:ty_)?tensor (.*?);", block, re.DOTALL | re.MULTILINE):
        found += re.findall(r"(?:^|,\s*)\*?(\w+)\s*=", re.sub(r"//.*", "", declaration))
    return found


def shadow(language, block):
    """Return declarations of another library's arrays in the place of tensors."""
    if language not in OTHERS:
        return ""
    make = "array" if language == "xtensor" else "vector"
    lines = [f"const tensor &{name}_ = {name};" for name in names(block)]
    inner = []
    for name in names(block):
        one, two = OTHERS[language][1], OTHERS[language][2]
        is_matrix = language == "Eigen" and re.search(rf"\b{name} = [^;]*?\{{\{{", block)
        kind, maker = (two, "matrix") if is_matrix else (one, make)
        inner.append(f"{kind} {name} = theirs::{maker}({name}_); (void){name};")
    return "\n".join(lines) + "\n{\n" + "\n".join(inner)


def statement_of(cell, show):
    """Return the statement that evaluates a cell."""
    if cell.endswith(";"):
        return cell
    if cell.startswith("TY_LAYER("):
        return f"const ty_layer_value layer = {cell}; (void)layer;"
    if re.match(r"\(ty_\w+\)\{", cell):  # a struct, which is only made
        return f"__auto_type made = {cell}; (void)made;"
    return f"{show}(({cell}));"


def unit(language, page_tables):
    """Return a program that shows the cells of a language."""
    extension, header, begin, end, show, _ = COMPILED[language]
    is_c, body, calls = extension == "c", [], []
    functions = {table.blocks["functions"]: 0 for table in page_tables
                 if is_c and "functions" in table.blocks}
    for table in page_tables:
        block = table.blocks.get("c" if is_c else "cpp", "")
        for line, i, cell in table.columns(language):
            place = f'#line {line} "docs/{table.page.name}"'
            statement = statement_of(cell, show)
            inner = shadow(language, block) if begin == "{0}" else begin
            body.append(f"static void cell_{line}_{i}(void) {{\n{block}\n{inner}\n{place}\n"
                        f"{statement}\n{end}\n{'}' if begin == '{0}' else ''}\n}}\n")
            calls.append(f'now_showing = "{line} {i}"; cell_{line}_{i}();')
    calls = "\n".join(calls if is_c else [f"try {{ {x} }} catch (const std::exception &e) {{ "
                                          f"std::fprintf(stderr, \"%s: %s\\n\", now_showing, "
                                          "e.what()); }" for x in calls])
    return (f'#include "tests/tree/cells/{header}"\n{"".join(functions)}\n{"".join(body)}\n'
            f"int main(void) {{\nty_scope *scope = ty_open();\n{calls}\nty_close(scope);\n}}\n")


def saver(table):
    """Return a program that saves the tensors of a table's block of C in files."""
    block = table.blocks["c"]
    saves = "".join(f'if (!ty_save("{name}.npy", {name}, NULL)) return 1;\n' for name in names(block))
    return (f'#include "tests/tree/cells/c.h"\nint main(void) {{\n{block}\n{saves}return 0;\n}}\n')


class Failures:
    """Counts of what was compared, and the messages of what was wrong."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, right, message):
        """Count a comparison, and print the message if it was wrong."""
        self.passed, self.failed = self.passed + bool(right), self.failed + (not right)
        if not right:
            print("FAILED:", message)


def run(command, folder, **options):
    """Run a command, and return its result with texts of its streams."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300,
                          check=False, **options)


def compile_and_run(language, source, folder, failures):
    """Return the lines that a program prints; none if it is not compiled."""
    extension, _, _, _, _, options = COMPILED[language]
    is_c = extension == "c"
    path = folder / f"cells.{extension}"
    path.write_text(source, encoding="utf-8")
    compiler = os.environ.get("CC", "cc") if is_c else os.environ.get("CXX", "c++")
    command = [*shlex.split(compiler), "-std=gnu11" if is_c else "-std=c++17", "-O0", "-w",
               f"-I{SOURCE}", f"-I{SOURCE}/include", path.name, "-o", "cells", f"-L{BUILD}",
               f"-Wl,-rpath,{BUILD}", "-ltyto", *options, "-lm"]
    compiled = run(command, folder)
    failures.check(not compiled.returncode, f"{language}: {compiled.stderr[:4000]}")
    if compiled.returncode:
        return []
    done = run(["./cells"], folder)
    failures.check(not done.returncode and not done.stderr,
                   f"{language}: status {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def values_of(lines):
    """Return the values that lines show: for a line and a column, a list of dtype, shape, elements."""
    found = {}
    for line in lines:
        head, _, elements = line.partition("|")
        _, row, column, dtype, *shape = head.split(" ")
        if dtype == "text":
            continue
        sizes = [int(n) for n in shape[0].split(",")] if shape and shape[0] else []
        found.setdefault((int(row), int(column)), []).append(
            (dtype, sizes, [float(x) for x in elements.split()]))
    return found


def elements_of(value):
    """Return the numbers of a JSON array of tyto eval as a flat list."""
    words = {None: math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    if isinstance(value, list):
        return [x for part in value for x in elements_of(part)]
    return [float(words[value] if value is None or isinstance(value, str) else value)]


def evaluate(table, line, text, folder, failures):
    """Return the results of an expression of the command."""
    operands = [f"{name}={name}.npy" for name in names(table.blocks["c"])
                if re.search(rf"\b{name}\b", text)]
    done = run([str(BUILD / "tyto"), "eval", text, "--json", *operands], folder)
    failures.check(not done.returncode, f"{table.page.name}:{line}: tyto eval '{text}': "
                   f"{done.stdout}{done.stderr}")
    results = json.loads(done.stdout)["results"] if not done.returncode else []
    return [(x["dtype"], x["shape"], elements_of(x["values"])) for x in results]


def is_near(a, b, tolerance):
    """Return true if two results have equal shapes and nearly equal elements."""
    if a[1] != b[1] and (math.prod(a[1]), math.prod(b[1])) != (1, 1) or len(a[2]) != len(b[2]):
        return False
    return all(x == y or x != x and y != y or abs(x - y) <= tolerance * max(1, abs(x), abs(y))
               for x, y in zip(a[2], b[2]))


def are_equal(ours, others):
    """Return true if two cells of ours have results of equal dtypes, shapes and elements."""
    return len(ours) == len(others) and all(
        is_near(a, b, 0) and ("-" in (a[0], b[0]) or a[0] == b[0]) for a, b in zip(ours, others))


def compare(table, shown, skipped, unequal, failures):
    """Compare the cells of each row with the first one of ours, but for skipped languages."""
    for line, cells in table.rows:
        ours = [i for i, name in enumerate(table.heading)
                if name in OURS and name != COMMAND and cells[i]]
        first = shown.get((line, ours[0]), []) if ours else []
        if not first:
            continue
        for i, name in enumerate(table.heading):
            if i == ours[0] or not cells[i] or name in skipped or cells[i] in unequal:
                continue
            other = shown.get((line, i), [])
            failures.check(
                are_equal(first, other) if name in OURS else all(
                    any(is_near(a, b, 1e-6) for b in other) for a in first),
                f"{table.page.name}:{line}: {cells[ours[0]]} is {first}, {cells[i]} is {other}")


def installed(language, folder):
    """Return true if another library can be used here."""
    if language in FOREIGN:
        return foreign.is_installed(language, folder, run)
    if language in PYTHON:
        module = {"NumPy": "numpy", "PyTorch": "torch", "scikit-learn": "sklearn"}[language]
        return not run([os.environ.get("TY_PYTHON", "python3"), "-c", f"import {module}"],
                       SOURCE).returncode
    _, header, _, _, _, options = COMPILED[language]
    compiler = "cc" if header == "gsl.h" else "c++"
    flags = [x for x in options if x.startswith("-I")]
    standard = ["-std=c++17", "-x", "c++"] if compiler == "c++" else ["-x", "c"]
    return not run([compiler, *standard, "-fsyntax-only", f"-I{SOURCE}", f"-I{SOURCE}/include",
                    *flags, str(CELLS / header)], SOURCE).returncode


def theirs_in_python(language, page_tables, folder, failures):
    """Return the values of cells of a library of Python."""
    cells = [[line, i, cell, names(table.blocks["c"])] for table in page_tables
             for line, i, cell in table.columns(language)]
    done = run([os.environ.get("TY_PYTHON", "python3"), "-B", str(CELLS / "theirs.py"), language],
               folder, input=json.dumps(cells))
    failures.check(not done.returncode and not done.stderr, f"{language}: {done.stderr}")
    return values_of(done.stdout.splitlines())


def theirs_in_a_program(language, page_tables, folder, failures):
    """Return the values of cells of a library of OCaml or Nim."""
    found = sorted({name for table in page_tables for name in names(table.blocks["c"])})
    cells = []
    for table in page_tables:
        ours = {line: row[table.heading.index("C")] for line, row in table.rows}
        cells += [(line, i, cell, ours[line]) for line, i, cell in table.columns(language)]
    lines = foreign.compile_and_run(language, found, cells, folder, failures, run)
    return values_of(lines)


def check_page(page, folder, unequal, failures):
    """Evaluate the tables of a page."""
    found, lacking = tables(page), []
    for table in found:
        if "c" in table.blocks:
            compile_and_run("C", saver(table), folder, failures)
    shown = {}
    for language in (*COMPILED, *PYTHON, *FOREIGN):
        cells = sum(len(table.columns(language)) for table in found)
        if not cells:
            continue
        if language not in OURS and not installed(language, folder):
            lacking.append(language)
        elif language in FOREIGN:
            shown.update(theirs_in_a_program(language, found, folder, failures))
        elif language in PYTHON:
            shown.update(theirs_in_python(language, found, folder, failures))
        else:
            shown.update(values_of(compile_and_run(language, unit(language, found), folder,
                                                   failures)))
    for table in found:
        for line, i, text in table.columns(EVAL):
            shown[line, i] = evaluate(table, line, text, folder, failures)
        for line, _, text in table.columns(COMMAND):
            done = run(["sh", "-c", text], folder,
                       env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"})
            failures.check(not done.returncode and done.stdout + done.stderr,
                           f"{page.name}:{line}: {text}: {done.stdout}{done.stderr}")
        compare(table, shown, (*lacking, COMMAND), unequal, failures)
    cells = sum(bool(cell) for table in found for _, row in table.rows for cell in row)
    print(f"{page.name}: {cells} cells", *[f"{name} is not installed" for name in lacking], sep="; ")


def main():
    """Evaluate the tables of the pages that are named, or of all."""
    folder = pathlib.Path(sys.argv[1])
    pages = [SOURCE / "docs" / name for name in sys.argv[2:]] or sorted(
        (SOURCE / "docs").glob("from_*.md"))
    lines = (CELLS / "unequal.txt").read_text(encoding="utf-8").splitlines()
    unequal = {line.split(" # ")[0] for line in lines if line and not line.startswith("#")}
    failures = Failures()
    for page in pages:
        check_page(page, folder, unequal, failures)
    print(f"{failures.passed} passed, {failures.failed} failed")
    sys.exit(failures.failed > 0 or failures.passed < 10)


if __name__ == "__main__":
    main()
