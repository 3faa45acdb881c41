"""Check the rules of the tree for files of Python: python3 python/tests/check.py [FOLDER...].

Files compile, have at most 500 lines of at most 100 columns, functions at most 60 lines; modules,
classes and functions have docstrings whose first paragraph ends with a full stop; private
functions and properties may lack one.
"""

import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_LINES, MOST_COLUMNS, MOST_OF_FUNCTION = 500, 100, 60


def decorator(node):
    """Return the name of a decorator, if it is a plain one."""
    return getattr(node, "id", None)


def undocumented(node, test):
    """Return true if a definition must have a docstring and has none."""
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return ast.get_docstring(node) is None
    inner = test or node.name.startswith("_") or "property" in map(decorator, node.decorator_list)
    return not inner and ast.get_docstring(node) is None


def faults_of_docstring(words):
    """Return the reason why a docstring is refused, or None."""
    if words is None:
        return None
    first = words.strip().split("\n\n")[0]
    good = first.endswith((".", ":"))
    return None if good else "the first paragraph of its docstring has no full stop"


def names(tree):
    """Yield name and node of the module and of its classes, functions and methods."""
    yield "the module", tree
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def faults(path):
    """Yield the faults of a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    if len(lines) - 1 > MOST_LINES:
        yield f"{path}: {len(lines) - 1} lines (at most {MOST_LINES})"
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS:
            yield f"{path}:{number}: {len(line)} columns (at most {MOST_COLUMNS})"
        if line != line.rstrip():
            yield f"{path}:{number}: blanks at the end"
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield f"{path}:{error.lineno}: {error.msg}"
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        length = node.end_lineno - node.lineno + 1
        if length > MOST_OF_FUNCTION:
            most = f"(at most {MOST_OF_FUNCTION})"
            yield f"{path}:{node.lineno}: {node.name} has {length} lines {most}"
    test = "tests" in path.parts
    for name, node in names(tree):
        if undocumented(node, test):
            yield f"{path}:{getattr(node, 'lineno', 1)}: {name} has no docstring"
        reason = faults_of_docstring(ast.get_docstring(node))
        if reason:
            yield f"{path}:{getattr(node, 'lineno', 1)}: {name}: {reason}"


def main(folders):
    """Print all faults, and return the exit code."""
    found = [
        fault
        for folder in folders
        for path in sorted(pathlib.Path(folder).rglob("*.py"))
        if not path.is_symlink()
        for fault in faults(path)
    ]
    print("\n".join(found) or "python: well")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [ROOT]))
