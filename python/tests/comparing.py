"""Comparisons that the tests of transformations share."""

import unittest

import tyto
from tyto import c, tree

array = tyto._core.asarray


def values(x):
    """Return a tree with lists of numbers in the place of arrays."""
    return tree.map(
        lambda leaf: memoryview(leaf).tolist() if isinstance(leaf, tyto.Array) else leaf, x
    )


def numbers(x):
    """Return the elements of a tree of arrays as one list."""
    return [
        v for leaf in tree.leaves(x) for v in memoryview(c.ravel(c.cast(leaf, "float64"))).tolist()
    ]


def differences(f, x, step=1e-6):
    """Return the gradient of f by a list of numbers, by central differences."""
    found = []
    for i in range(len(x)):
        high, low = list(x), list(x)
        high[i] += step
        low[i] -= step
        found.append((numbers(f(array(high)))[0] - numbers(f(array(low)))[0]) / (2 * step))
    return found


class Base(unittest.TestCase):
    """Comparisons of trees of arrays."""

    def near(self, x, y, tolerance=1e-7):
        """Check that numbers of two trees or lists are equal up to a relative tolerance."""
        x, y = [v if isinstance(v, list) else numbers(v) for v in (x, y)]
        self.assertEqual(len(x), len(y))
        for a, b in zip(x, y):
            self.assertLessEqual(abs(a - b), tolerance * max(1, abs(b)), (x, y))
