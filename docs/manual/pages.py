#!/usr/bin/env python3
"""Check the sources of a manual: pages.py FOLDER [LIBRARY], as generate.py writes it.

Each public function has a page with its declaration, its meaning, facts and an example; each
header, command and table has one, too. The words of the index lead somewhere. Fewer functions
may lack an example, not more. LIBRARY is libtyto.so, which has to know the words of values.
"""

import ctypes
import re
import sys
from pathlib import Path

from description import Description, sentences
from function import SUBJECTS, chosen
import stated

ROOT = Path(__file__).resolve().parents[2]
MOST_WITHOUT_EXAMPLE = 0  # `generate.py --missing` lists them
MOST_WITHOUT_GRADIENT = 0  # tests/grad/stated.def states those of functions without a row
MOST_WITHOUT = {"shapes": 0, "dtypes": 0}  # stated.txt states those that no header tells
WORDS = (
    "optimizer",
    "standard error",
    "thread-safe",
    "learning rate",
    "weight decay",
    "regression",
    "gradient",
    "eigenvalues",
    "missing values",
    "random numbers",
    "stochastic gradient descent",
)
LACKS_EXAMPLE = "so there is no example to show"
LACKS_GRADIENT = "says of the operators of which it consists"


def page_faults(description, function, text):
    """Yield what the page of a function lacks."""
    name = function["name"]
    if "\n%s\n%s" % (name, "=" * max(3, len(name))) not in text:
        yield "heading"
    if re.search(r"\b%s\(" % name, text) is None or "#include <tyto/" not in text:
        yield "declaration"
    wanted = ["Errors", "Ownership", "Python"]
    if description.gives_tensors(function) and description.takes_tensors(function):
        wanted.append("Gradient")
    for part in wanted:
        if not re.search(r"^:%s: \S" % part, text, re.M):
            yield part
    if function.get("result_facts", {}).get("nullable") and "A handle that has failed" in text:
        yield "NULL among its errors"
    for fact in re.findall(r"^:(?:Shapes|Dtypes|Shapes, dtypes): (.*)", text, re.M):
        if re.match(r"(?:that|those|it|its|they|their) ", fact):
            yield "what a fact refers to: " + fact
        if fact.count("(") > fact.count(")"):
            yield "the end of parentheses: " + fact
        if re.search(r"; [A-Z][a-z]+ ", fact):
            yield "the end of a sentence: " + fact
    if ".. rubric:: Example" not in text:
        yield "example"
    meaning = text.split(".. code-block:: c", 1)[-1].split(".. rubric:: Facts")[0]
    words = [line for line in meaning.split("\n")[4:] if line and not line.startswith((" ", ".."))]
    if not words:
        yield "meaning"


def tells(description, function, subject):
    """Return True if the comment of a function tells a subject."""
    said = sentences(description.meaning(function))
    return any(chosen(s, SUBJECTS[subject]) for s in said)


def idle_rows(description):
    """Yield a sentence for each row of stated.txt that no page shows."""
    for name, said in stated.read(ROOT).items():
        function = description.functions.get(name)
        if function is None:
            yield "stated.txt: there is no %s" % name
        elif stated.by_rule(description, function):
            yield "stated.txt: the signature of %s tells its shapes and dtypes" % name
        else:
            for subject, text in zip(SUBJECTS, said):
                if text != "-" and tells(description, function, subject):
                    yield "stated.txt: the comment of %s tells %s: write -" % (name, subject)


def lacks(description, function, text, subject):
    """Return True if neither the facts nor the comment of a function of tensors tell a subject."""
    if not (description.takes_tensors(function) or description.gives_tensors(function)):
        return False
    if re.search(r"^:(?:%s|Shapes, dtypes): \S" % subject.capitalize(), text, re.M):
        return False
    return not tells(description, function, subject)


def faults(out):
    """Yield a sentence for each fault of the sources."""
    description = Description(ROOT)
    without = {LACKS_EXAMPLE: [], LACKS_GRADIENT: []}
    lacking = {subject: [] for subject in SUBJECTS}
    for name, function in description.functions.items():
        path = out / "c" / (name + ".rst")
        if not path.exists():
            yield "%s has no page" % name
            continue
        text = path.read_text(encoding="utf-8")
        for part in page_faults(description, function, text):
            yield "the page of %s lacks: %s" % (name, part)
        for mark, names in without.items():
            if mark in text:
                names.append(name)
        for subject, names in lacking.items():
            if lacks(description, function, text, subject):
                names.append(name)
    for subject, names in lacking.items():
        if len(names) > MOST_WITHOUT[subject]:
            yield "%d functions of tensors say nothing of %s, nor does a header; at most %d may" % (
                len(names),
                subject,
                MOST_WITHOUT[subject],
            )
    for mark, most in (
        (LACKS_EXAMPLE, MOST_WITHOUT_EXAMPLE),
        (LACKS_GRADIENT, MOST_WITHOUT_GRADIENT),
    ):
        if len(without[mark]) > most:
            yield "%d pages say \"%s\"; at most %d may: give the functions a test or a sentence" % (
                len(without[mark]),
                mark,
                most,
            )
    yield from idle_rows(description)
    for header in description.headers:
        if not (out / "headers" / (header + ".rst")).exists():
            yield "tyto/%s.h has no page" % header
    for path in (ROOT / "docs").glob("*.md"):
        if not (out / "guide" / path.name).exists():
            yield "docs/%s is not in the manual" % path.name
    errors = (out / "tables/errors.rst").read_text(encoding="utf-8")
    classes = (ROOT / "include/tyto/cplusplus/error.hpp").read_text(encoding="utf-8")
    named = re.findall(r"C\+\+: ``([^`]*)``", errors)
    for name in named:
        if not re.search(r"\b(using|class) %s\b" % name.removeprefix("ty::"), classes):
            yield "tables/errors: tyto.hpp has no exception %s" % name
    if not named:
        yield "tables/errors: no exception of C++ is named"
    entries = "".join(
        p.read_text(encoding="utf-8") for p in sorted(out.rglob("*")) if p.suffix in (".rst", ".md")
    )
    entries = set(re.findall(r"^   single: (.*)$", entries, re.M))
    for word in WORDS:
        if not any(e == word or e.startswith(word + " (") for e in entries):
            yield "the index has no entry \"%s\"" % word


def wrong_words(library):
    """Yield a sentence for each word of a value by which the library finds another one."""
    description = Description(ROOT)
    library = ctypes.CDLL(library)
    for kind, entry in description.types.values():
        if kind != "enums" or not entry.get("named"):
            continue
        words = description.words(entry)
        for value in entry["values"]:
            name = value["name"]
            if name not in words:
                continue
            found = library[entry["named"]](words[name].encode())
            if found != value["value"]:
                yield "%s finds %d by the word \"%s\" of %s" % (
                    entry["named"],
                    found,
                    words[name],
                    name,
                )


def main(arguments):
    """Print the faults of the sources."""
    found = list(faults(Path(arguments[0])))
    for library in arguments[1:]:
        found += wrong_words(library)
    for fault in found[:50]:
        print("manual: " + fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
