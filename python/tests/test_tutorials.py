"""Compare first uses of arrays with NumPy's, for each line of tutorials.txt."""

import pathlib
import tempfile
import unittest
import warnings

import tyto as ty
import versions

try:
    import numpy
except ImportError:
    numpy = None

LINES = pathlib.Path(__file__).resolve().with_name("tutorials.txt")
SETTINGS = {
    "x": [[1.0, 2.0, 3.0], [4.0, 5.5, 6.0]], "v": [1.0, 2.0, 3.0], "m": [[2.0, 1.0], [1.0, 3.0]],
    "w": [0.1, -0.4, 0.7, 1.9, -1.2, 0.3, 0.2, -0.1, 0.6, 0.45, -0.7, 1.1, 0.05, 0.35, -0.2, 2.4],
}


def run(line, np, folder):
    """Return the value of the last of the statements in a line."""
    *statements, expression = line.split("; ")
    names = {"np": np, "path": str(pathlib.Path(folder) / "f"),
             **{name: np.asarray(value) for name, value in SETTINGS.items()}}
    for statement in statements:
        exec(statement, names)
    return eval(expression, names)


def flat(value):
    """Return nested tuples and lists as a list: arrays as lists of numbers with their shapes."""
    if isinstance(value, (tuple, list)):
        return [one for item in value for one in flat(item)]
    if isinstance(value, ty.Array):
        return [(str(value.dtype), value.shape, value.tolist())]
    if numpy and isinstance(value, (numpy.ndarray, numpy.generic)):
        return [(str(value.dtype), value.shape, value.tolist())]
    if hasattr(value, "name") and hasattr(value, "kind"):  # a dtype
        return [value.name]
    return [value]


def numbers(value):
    """Return the numbers in nested lists."""
    if isinstance(value, (tuple, list)):
        return [x for item in value for x in numbers(item)]
    return [value]


def differ(got, want):
    """Return True if two items of flat() differ, numbers by more than rounding."""
    if isinstance(want, (int, float, complex)):  # a number of NumPy's may be one of Python's here
        want = ("", (), want)
    if isinstance(got, (int, float, complex)):
        got = ("", (), got)
    if not isinstance(want, tuple) or not isinstance(got, tuple):
        return got != want
    if got[1] != want[1] or (got[0] and want[0] and got[0] != want[0]):
        return True
    pairs = zip(numbers(got[2]), numbers(want[2]))
    return not all(a == b or (a != a and b != b) or abs(a - b) <= 1e-6 * (1 + abs(b))
                   for a, b in pairs)


class Tutorials(unittest.TestCase):
    """Results equal NumPy's."""

    def setUp(self):
        """Make a folder for files."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def lines(self):
        """Return the lines that are no comments."""
        lines = LINES.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line and line[0] != "#"]

    def check(self, line):
        """Compare a line with NumPy, or at least evaluate it."""
        line, comparable = versions.marked(line)
        got = flat(run(line, ty, self.folder))
        if not numpy or not comparable:
            return
        try:
            want = flat(run(line, numpy, self.folder))
        except (AttributeError, TypeError):  # another version of NumPy
            return
        self.assertEqual(len(got), len(want), (got, want))
        for one, other in zip(got, want):
            self.assertFalse(differ(one, other), f"{one} instead of {other}")

    def test_lines(self):
        """Each line has NumPy's value."""
        for line in self.lines():
            with self.subTest(line=line), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if not line.startswith("! "):
                    self.check(line)

    def test_refusals(self):
        """Each line after "!" raises an exception here and in NumPy."""
        refused = [line[2:] for line in self.lines() if line.startswith("! ")]
        self.assertGreater(len(refused), 10)
        for line in refused:
            line, comparable = versions.marked(line)
            for np in filter(None, (ty, numpy if comparable else None)):
                with self.subTest(line=line, np=np.__name__):
                    self.assertRaises(Exception, run, line, np, self.folder)


if __name__ == "__main__":
    unittest.main()
