"""Small operations keep the memory of the process constant."""

import os
import resource
import unittest

from tyto import _core

asarray = _core.asarray
CALLS = int(os.environ.get("TYTO_TEST_CALLS", 20000))  # of each operation; 10**6 take a minute and more


def resident():
    """Return the largest resident size of the process so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def refused(f, *arguments):
    """Call a function that raises."""
    try:
        f(*arguments)
    except (ValueError, TypeError, IndexError, OverflowError):
        return
    raise AssertionError("nothing was raised")


class Leaks(unittest.TestCase):
    """Each operation many times."""

    def operations(self):
        """Return names and functions without arguments."""
        x, y, m = asarray([1.0] * 10), asarray([2.0] * 10), asarray([True] * 10)
        rows = [[1.0, 2.0], [3.0, 4.0]]
        return {
            "add": lambda: x + y,
            "number": lambda: x * 2.5,
            "compare": lambda: x < 3,
            "negative": lambda: -x,
            "in place": lambda: x.__imul__(1.0),
            "view": lambda: x[2:5],
            "mask": lambda: x[m],
            "item": lambda: float(x[3]),
            "assign": lambda: x.__setitem__(3, 1.0),
            "assign array": lambda: x.__setitem__(slice(None), y),
            "assign mask": lambda: x.__setitem__(m, 2.0),
            "list": lambda: asarray(rows).tolist(),
            "attributes": lambda: (x.shape, x.strides, x.dtype, x.T, x.device),
            "repr": lambda: x[:2].__format__(""),
            "bad shape": lambda: refused(x.__add__, asarray([1.0, 2.0])),
            "bad key": lambda: refused(x.__getitem__, 99),
            "bad list": lambda: refused(asarray, [[1], [1, 2]]),
            "bad number": lambda: refused(m.__neg__),
        }

    def test_memory_is_constant(self):
        for name, operation in self.operations().items():
            calls = CALLS // (10 if name.startswith(("bad", "repr", "assign mask")) else 1)
            for _ in range(calls // 4):
                operation()
            before = resident()
            for _ in range(calls):
                operation()
            # a leak of one array of 10 doubles a call would be over 150 bytes
            self.assertLess(resident() - before, max(512, calls * 100 // 1024), name)
