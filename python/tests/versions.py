"""Versions of other packages that comparisons need."""

import importlib
import re

MARK = re.compile(r"\[(\w+) ([\d.]+)\] ")


def numbers(version):
    """Return the leading numbers of a version, such as (2, 1) of "2.1.0rc1"."""
    return tuple(int(part) for part in re.match(r"\d+(?:\.\d+)*", version)[0].split("."))


def at_least(package, version):
    """Return True if a package is installed in that version or a newer one."""
    try:
        found = importlib.import_module(package).__version__
    except ImportError:
        return False
    return numbers(found) >= numbers(version)


def marked(line):
    """Return a line without its mark, and True if what the mark needs is there.

    "[numpy 2.0] " in front of a line is a mark: older versions give something else.
    """
    mark = MARK.match(line)
    return (line[mark.end():], at_least(*mark.groups())) if mark else (line, True)
