"""Find the names that a function has elsewhere: in NumPy, in expressions, in Python."""

import ast
import re

from description import HIDDEN

SYNONYMS = re.compile(r"^([A-Z]+)\(\"([^\"]+)\"\)", re.M)
MOST_FORM = 60  # characters of an expression of NumPy that stands for a name
# Modules whose functions serve the package alone.
PRIVATE = ("_base.py", "_methods.py", "_rules.py", "_bar.py")


class Names:
    """Names of the public functions in other languages."""

    def __init__(self, description):
        root = description.root
        self.description = description
        self.aliases = {}
        text = (root / "src/expression/aliases.def").read_text(encoding="utf-8")
        for alias, ours in re.findall(r"^ALIAS\((\w+), (\w+)\)", text, re.M):
            self.aliases.setdefault(ours, []).append(alias)
        self.goldens = {}
        # Functions of the test are no names of NumPy.
        text = (root / "tests/goldens/make.py").read_text(encoding="utf-8")
        helpers = set(re.findall(r"^def (\w+)", text, re.M))
        text = (root / "tests/goldens/goldens.txt").read_text(encoding="utf-8")
        for line in text.split("\n"):
            ours, _, theirs = line.partition(" | ")
            called = re.match(r"(\w+)\(", ours)
            if (
                called
                and not line.startswith("#")
                and not helpers & set(re.findall(r"\w+", theirs))
            ):
                self.goldens.setdefault(called.group(1), []).append((ours, theirs))
        self.synonyms = {}
        text = (root / "src/base/synonyms.def").read_text(encoding="utf-8")
        for macro, words in SYNONYMS.findall(text):
            ours, *others = words.split()
            self.synonyms.setdefault((macro, ours), []).extend(others)
        self.unbound = {}
        for line in (root / "python/generate/unbound.txt").read_text(encoding="utf-8").split("\n"):
            name, _, reason = line.partition(": ")
            self.unbound[name] = reason
        self.python = {}
        for path in sorted((root / "python/tyto").rglob("*.py")):
            if path.name in PRIVATE:
                continue
            self.read_python(path, path.relative_to(root / "python"))

    def read_python(self, path, place):
        """Remember the public names of one module that stand for functions of the module c, or call
        them."""
        parts = [
            p for p in place.with_suffix("").parts if p != "__init__" and not p.startswith("_")
        ]
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                names = [t.id for t in node.targets if isinstance(t, ast.Name)]
                used = [node.value] if isinstance(node.value, ast.Attribute) else []
            elif isinstance(node, ast.FunctionDef):
                names, used = [node.name], list(ast.walk(node))
            else:
                continue
            called = {
                a.attr
                for a in used
                if isinstance(a, ast.Attribute)
                and isinstance(a.value, ast.Name)
                and a.value.id == "c"
            }
            for attribute in called:
                known = self.python.setdefault("ty_" + attribute, [])
                for name in names:
                    full = ".".join(parts + [name])
                    # A function of Python that calls several is the one of which it has the name.
                    if (
                        not name.startswith("_")
                        and full not in known
                        and (len(called) == 1 or name == attribute)
                    ):
                        known.append(full)

    def expressions(self, name):
        """Return the names by which an expression calls a function."""
        function = self.description.functions[name]
        row = function.get("row", {})
        # Functions of words and numbers only serve an expression.
        counts = self.description.gives_tensors(function)
        found = list(self.description.called.get(name, [])) if counts else []
        if row.get("table", "").startswith("tyto/rows/"):
            ours = row["columns"]["name"]
            own = HIDDEN.get(ours, ours)
            found = [own] + [f for f in found if f != own]
        return found

    def numpy(self, name):
        """Return the names of NumPy that stand for a function."""
        found = []
        for expression in self.expressions(name)[:1]:
            found += self.aliases.get(expression, [])
        return found

    def numpy_forms(self, name):
        """Return pairs of a call and NumPy's name or expression for it: its functions of the same
        meaning, for which the call is None, or the shortest expression that a test compares."""
        found = [(None, "numpy." + n) for n in self.numpy(name)]
        for expression in self.expressions(name)[:1]:
            lines = self.goldens.get(expression, [])
            if any(theirs in ("", ours) for ours, theirs in lines):
                return [(None, "numpy." + expression)] + found
            other = [pair for pair in lines if len(pair[1]) < MOST_FORM]
            if not found and other:
                return [min(other, key=lambda pair: len(pair[1]))]
        return found

    def usual(self, name):
        """Return usual words of other libraries for a function."""
        found = []
        for expression in self.expressions(name)[:1]:
            for word in self.synonyms.get(("FUNCTION", expression), []):
                if word.replace("_", " ") not in found:
                    found.append(word.replace("_", " "))
        return found

    def in_python(self, name):
        """Return the names of the package of Python, and the reason if there is none."""
        if name in self.unbound:
            return [], self.unbound[name]
        short = name[3:]
        known = sorted(self.python.get(name, []), key=lambda n: (n.split(".")[-1] != short, len(n)))
        return ["c." + short] + known[:3], None
