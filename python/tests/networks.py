"""What the tests of networks share."""

import io
import pathlib
import re

import tyto as ty

TABLES = pathlib.Path(__file__).resolve().parents[2] / "include" / "tyto" / "tables"
ROWS = re.compile(r"^[A-Z][A-Z0-9]*\((\w+)", re.MULTILINE)


def entries(table):
    """Return the first words of the rows of a table of the library."""
    return set(ROWS.findall((TABLES / f"{table}.def").read_text(encoding="utf-8")))


def close(a, b, most=1e-5):
    """Return True if all elements of two arrays or numbers are nearly equal."""
    a, b = ty.asarray(a), ty.asarray(b)
    return a.shape == b.shape and bool(ty.all(ty.abs(a - b) <= most * (1 + ty.abs(b))))


def draw(seed, *shape):
    """Return normal numbers of float32."""
    return ty.random.normal(ty.random.key(seed), shape, ty.float32)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Return True."""
        return True
