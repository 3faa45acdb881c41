#!/usr/bin/env python3
"""Make docs/manual/examples.txt: for each function of expressions one call by `tyto eval`, and what
it prints.

    python3 docs/manual/evaluate.py [--check] TYTO [NAME...]

The calls come from the tests (goldens first) and pages, with small operands in the place of the
tests' own; rows of elementwise functions without any are called within their range. --check runs
the file's commands again, and fails if one prints something else. An entry has the name, the
command, its output, and what a gradient by the first floating operand gives: the text and the
operand that are differentiated, and "gradient: exists" or the message.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from description import HIDDEN, Description

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/manual/examples.txt"
# Operands by the names of tests/goldens/make.py, of the same shapes and dtypes.
INPUTS = {
    "x": "[[0.5, -1, 2, 0], [1.5, 3, -0.5, 1], [-2, 0.25, 1, 4]]",
    "y": "[[1, 2, 0.5, 3], [2, 1, 4, 0.25], [3, 0.5, 1, 2]]",
    "v": "[3.5, -1, 2.25, 3.5, 0, -7.5, 1.125]",
    "w": "[0.5, -2, 4, 1.5, -0.25]",
    "h": "cast([0.5, -1.25, 3, 2, -0.125, 7.5], f16)",
    "i": "cast([0, 2, 1, 3, 1], i32)",
    "j": "[[1, -2, 3, 4], [0, 5, -6, 7], [8, 9, 2, -3]]",
    "u": "cast([3, 255, 0, 17, 128, 4], u8)",
    "b": "[[true, false, true, true], [false, false, true, false], [true, true, false, false]]",
    "m": "[true, false, true]",
    "c": "[[1+2j, 0.5, -1j, 2], [1, 1-1j, 0, 3j], [-1, 2+1j, 1j, 0.5]]",
    "d": "cast([1+2j, -1j, 3.5, -2+0.5j, 0.25-4j], c64)",
    "s": "[[4, 1, 0, 2], [1, 3, 1, 0], [0, 1, 5, 1], [2, 0, 1, 6.5]]",
    "f": "reshape(arange(24, dtype=f32) / 8, (2, 3, 4))",
    "t": "reshape(arange(120) / 8, (2, 3, 4, 5))",
    "n": "[1.5, nan, -inf, inf, -2, 0]",
    "e": "zeros((0, 3))",
    "z": "2.5",
}
MOST_LINES, MOST_WIDTH = 14, 100  # an example is read at a glance
CHOSEN = 1000  # cost that a call of calls.txt saves, which is more than any has
MOST_TRIES = 12  # calls that are tried for a function
WORD = re.compile(r"(?<![\w.])([a-z])(?![\w(=])")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def sources():
    """Return texts that contain calls: those of calls.txt, goldens, other tables of tests,
    pages."""
    yield (ROOT / "docs/manual/calls.txt").read_text(encoding="utf-8").split("\n")
    goldens = (ROOT / "tests/goldens/goldens.txt").read_text(encoding="utf-8")
    yield [line.split(" | ")[0].strip() for line in goldens.split("\n") if not line.startswith("#")]
    for path in sorted((ROOT / "tests").rglob("*.def")):
        if path.stat().st_size < 1 << 20:
            text = path.read_text(encoding="utf-8")
            yield [found.replace('\\"', '"') for found in TEXT.findall(text) if "(" in found]
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        yield re.findall(r"tyto eval '([^']+)'$", text, re.M)


def calls():
    """Return the calls of each function, in the order of the sources, the shortest of a source
    first."""
    found = {}
    for texts in sources():
        here = {}
        for text in texts:
            match = re.match(r"(\w+)\(", text)
            if match and len(text) < 100 and text.count("(") == text.count(")"):
                here.setdefault(match.group(1), []).append(text)
        for name, list_ in here.items():
            found.setdefault(name, []).extend(sorted(list_, key=len))
    return found


def renamed(known):
    """Give calls by NumPy's names to the functions that they stand for."""
    text = (ROOT / "src/expression/aliases.def").read_text(encoding="utf-8")
    for alias, ours in re.findall(r"^ALIAS\((\w+), (\w+)\)", text, re.M):
        known.setdefault(ours, []).extend(ours + c[len(alias) :] for c in known.pop(alias, []))
    return known


def whole(call):
    """Return a call behind the operands that it names."""
    used = [
        n
        for n in dict.fromkeys(WORD.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", call)))
        if n in INPUTS
    ]
    return "".join("%s = %s; " % (n, INPUTS[n]) for n in used) + call


def of_row(columns):
    """Return a call of an elementwise row within its range."""
    low, high = float(columns["low"]), float(columns["high"])
    operands = [k for k in columns if k.startswith("gradient")]
    integer = columns["in"] in ("INTEGER", "BITS")
    out = []
    for k, operand in enumerate(operands):
        numbers = [low + (high - low) * (at + k * 0.1) / 4 for at in (1, 2, 3)]
        if integer or "whole" in columns[operand]:
            numbers = [max(1, round(abs(x))) for x in numbers]
        out.append("[%s]" % ", ".join("%g" % round(x, 2) for x in numbers))
    return "%s(%s)" % (HIDDEN.get(columns["name"], columns["name"]), ", ".join(out))


def run(tyto, *words):
    """Run `tyto eval` and return its status, output and message."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TY_")}
    done = subprocess.run(
        [tyto, "eval", *words],
        capture_output=True,
        text=True,
        timeout=60,
        env=clean,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout.rstrip("\n"), done.stderr


def quote(text):
    """Quote a word for the shell."""
    return "'%s'" % text.replace("'", "'\\''")


def arguments(call):
    """Return the begins and ends of the arguments of a call."""
    out, depth, begin = [], 0, call.find("(") + 1
    for end in range(begin, len(call)):
        if not depth and call[end] in ",)":
            out.append((begin, end))
            begin = end + 1
        depth += (call[end] in "([") - (call[end] in ")]")
        if depth < 0:
            break
    return [(a + len(call[a:b]) - len(call[a:b].lstrip()), b) for a, b in out]


def operands(call):
    """Yield the number of an argument, its begin and end, for each that may be a tensor: numbers,
    names, lists and calls, by place or name; after a list its first element, as the list may be one
    of tensors."""
    for number, (begin, end) in enumerate(arguments(call), 1):
        named = re.match(r"(\w+)\s*=(?!=)\s*", call[begin:end])
        if named:
            begin += named.end()
        text = call[begin:end]
        if not text or text[0] in "\"'(" or text in ("true", "false", "none"):
            continue
        yield number, begin, end
        if text[0] == "[":
            inner = arguments("(" + call[begin + 1 : end - 1] + ")")
            yield number, begin + inner[0][0], begin + inner[0][1]


# Messages of gradients that do not exist, the most telling first.
REFUSALS = ("there is no gradient", "has no gradient", "only floating and complex tensors")


def derivative(tyto, text, values):
    """Return what the gradient of a text by its operand, "x=[...]", gives, and its place among
    those of other arguments: nonzero ones come first.  (None, 0) for other failures."""
    status, output, message = run(tyto, text, values, "--grad", values.split("=")[0])
    if status == 0:
        return "exists", int(output.endswith("= 0.0"))
    for place, mark in enumerate(REFUSALS, 2):
        if mark in message:
            return re.sub(r"^tyto: (?:column \d+: )?", "", message.split("\n")[0]), place
    return None, 0


def gradient(tyto, text, call):
    """Return the lines about the gradient of a call by the first argument that has one, [] if no
    argument is a tensor.

    The argument is multiplied by a number q, 1, and the gradient is taken by q.  So any expression
    can be an argument.
    """
    best, known = None, set()
    for number, begin, end in operands(call):
        if number in known:
            continue
        with_q = text[: len(text) - len(call)] + "%s(%s) * q%s" % (
            call[:begin],
            call[begin:end],
            call[end:],
        )
        found, place = derivative(tyto, with_q, "q=1.0")
        if found:
            known.add(number)
        if found and (best is None or place < best[0]):
            by = " by argument %d" % number if found == "exists" and number > 1 else ""
            best = place, ["% " + with_q, "% q=1.0", "gradient: " + found + by]
    return best[1] if best else []


def example(tyto, candidates, name):
    """Return the lines of the entry of one function, [] if no call is short."""
    best, chosen = None, (ROOT / "docs/manual/calls.txt").read_text(encoding="utf-8").split("\n")
    for call in candidates[:MOST_TRIES]:
        text = whole(call)
        try:
            status, output, _ = run(tyto, text)
        except subprocess.TimeoutExpired:
            continue
        lines = output.split("\n")
        if status or not output or len(lines) > MOST_LINES or max(map(len, lines)) > MOST_WIDTH:
            continue
        dull = re.search(r"nan|e-1[5-9]", output) or output in ("[]", "0", "0.0")
        cost = len(text) + 20 * len(lines) + 200 * bool(dull) - CHOSEN * (call in chosen)
        if best is None or cost < best[0]:
            best = cost, text, lines, call
    if not best:
        return []
    _, text, lines, call = best
    return ["== " + name, "$ tyto eval " + quote(text)] + lines + gradient(tyto, text, call)


def entries(text):
    """Return the entries of the file: name, command, output, gradient, and the text and operand of
    the gradient."""
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        name, command, *lines = part.rstrip("\n").split("\n")
        found, differentiated = None, []
        if lines[-1].startswith("gradient: "):
            found = lines.pop()[len("gradient: ") :]
            differentiated = [line[2:] for line in lines[-2:]]
            del lines[-2:]
        yield name, command[2:], "\n".join(lines), found, differentiated


def functions_with_calls(tyto):
    """Return the calls of each function of expressions, by its name."""
    description = Description(ROOT)
    found, known = renamed(calls()), {}
    for function in description.functions.values():
        columns = function.get("row", {}).get("columns", {})
        if "low" in columns:
            call = of_row(columns)
            name = call.split("(")[0]
            known[name] = found.get(name, []) + [call]
    for line in run(tyto, "--functions")[1].split("\n"):
        name = line.split("(")[0]
        if name in description.expressions or "ty_" + name in description.functions:
            known.setdefault(name, found.get(name, []))
    return known


def check(tyto):
    """Run the commands of the file again, and return the number of those that give something else,
    and of functions that lack a command."""
    failed = passed = 0
    known = functions_with_calls(tyto)
    for name, command, output, found, differentiated in entries(FILE.read_text(encoding="utf-8")):
        expression = command[len("tyto eval '") : -1].replace("'\\''", "'")
        status, now, message = run(tyto, expression)
        if status or now != output:
            print("examples: %s: prints\n%s\ninstead of\n%s" % (command, now or message, output))
            failed += 1
        if found and derivative(tyto, *differentiated)[0] != found.split(" by argument ")[0]:
            print("examples: %s: its gradient is no longer: %s" % (name, found))
            failed += 1
        known.pop(name, None)
        passed += 1
    for name in sorted(n for n in known if example(tyto, known[n], n)):
        print("examples: %s lacks an entry; run docs/manual/evaluate.py" % name)
        failed += 1
    print("examples: %d commands of tyto eval, %d differ" % (passed, failed))
    return failed


def main(arguments):
    """Write the file, or check it."""
    if arguments[:1] == ["--check"]:
        return 1 if check(os.path.abspath(arguments[1])) else 0
    tyto, names = os.path.abspath(arguments[0]), arguments[1:]
    known = functions_with_calls(tyto)
    wanted = sorted(n for n in known if not names or n in names)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda n: example(tyto, known[n], n), wanted))
    text = "\n".join(line for lines in made for line in lines) + "\n"
    if names:
        print(text)
    else:
        FILE.write_text(text, encoding="utf-8")
        print("examples: %d functions, %d without a call" % (sum(map(bool, made)), made.count([])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
