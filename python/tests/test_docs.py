"""Run the examples of docs/python.md, and evaluate its tables."""

import doctest
import pathlib
import re
import unittest

import others
import tyto as ty

try:
    import numpy
except ImportError:
    numpy = None

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def blocks(text):
    """Return the examples of fenced blocks, with blank lines in place of all else."""
    kept, inside = [], False
    for line in text.splitlines():
        fence = line.startswith("```")
        inside = (line == "```python") if fence else inside
        kept.append(line if inside and not fence else "")
    return "\n".join(kept) + "\n"


def rows(text, heading):
    """Return the pairs of code in the table below a heading."""
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [re.findall(r"`((?:[^`])+)`", line) for line in section.splitlines()
             if line.startswith("| `")]
    return [row for row in cells if len(row) == 2]


class Page(unittest.TestCase):
    """The page says what happens."""

    def test_examples(self):
        """Each example prints what the page shows."""
        example = doctest.DocTestParser().get_doctest(
            blocks(PAGE.read_text(encoding="utf-8")), {}, "python.md", str(PAGE), 0)
        self.assertGreater(len(example.examples), 20)
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.REPORT_NDIFF
        output = []
        runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
        runner.run(example, out=output.append)
        self.assertEqual(runner.summarize(verbose=False).failed, 0, "".join(output))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_numpy_table(self):
        """Both columns of the table have equal values."""
        pairs = rows(PAGE.read_text(encoding="utf-8"), "From NumPy")
        self.assertGreater(len(pairs), 10)
        for theirs, ours in pairs:
            inputs = {"x": [[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]], "v": [4.0, 9.0, 16.0]}
            want = eval(theirs, {"np": numpy, **{k: numpy.array(v) for k, v in inputs.items()}})
            got = eval(ours, {"ty": ty, **{k: ty.asarray(v) for k, v in inputs.items()}})
            with self.subTest(numpy=theirs, tyto=ours):
                self.same(got, want)

    def same(self, got, want):
        """Check that two results have equal elements."""
        if isinstance(want, tuple):
            self.assertEqual(len(got), len(want))
            for one, other in zip(got, want):
                self.same(one, other)
            return
        elements = got.tolist() if isinstance(got, ty.Array) else got
        self.assertTrue(numpy.allclose(numpy.array(elements), want), f"{got} instead of {want}")

    def test_other_tables(self):
        """Expressions for users of PyTorch and JAX can be evaluated; both columns are equal."""
        text = PAGE.read_text(encoding="utf-8")
        x = [[3.0, 1.0, 2.0], [0.5, 4.0, 2.5]]
        lists = {"x": x, "leaf": x, "i": [[0, 1, 0], [1, 0, 1]]}
        for heading, names in (("From PyTorch", others.torch_arrays),
                               ("From JAX", others.jax_arrays)):
            pairs = rows(text, heading)
            self.assertGreater(len(pairs), 5, heading)
            for theirs, ours in pairs:
                with self.subTest(theirs=theirs, ours=ours):
                    got = eval(ours, {"ty": ty, "key": ty.random.key(1),
                                      **{k: ty.asarray(v) for k, v in lists.items()}})
                    left = names(lists)
                    if left:
                        others.compare(self, theirs, others.evaluate(theirs, left), got)


if __name__ == "__main__":
    unittest.main()
