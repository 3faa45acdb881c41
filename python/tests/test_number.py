"""Operators of arrays."""

import operator
import unittest

from tyto import _core

asarray = _core.asarray
PAIRS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


class Operators(unittest.TestCase):
    """Results are those of Python's own numbers."""

    def test_pairs(self):
        for dtype, functions in (("int64", PAIRS + BITS), ("float64", PAIRS)):
            for f in functions:
                a, b = [7, 5, 3], [2, 3, 1]
                expected = [f(x, y) for x, y in zip(a, b)]
                self.assertEqual(f(asarray(a, dtype), asarray(b, dtype)).tolist(), expected, f)
                self.assertEqual(f(asarray(a, dtype), 2).tolist(), [f(x, 2) for x in a], f)
                self.assertEqual(f(7, asarray(b, dtype)).tolist(), [f(7, y) for y in b], f)

    def test_one_operand(self):
        x = asarray([-1, 2])
        self.assertEqual(
            [f(x).tolist() for f in (operator.neg, abs, operator.invert, operator.pos)],
            [[1, -2], [1, 2], [0, -3], [-1, 2]],
        )
        y = +x
        y[0] = 5
        self.assertEqual(x.tolist(), [-1, 2])

    def test_matrices(self):
        x = asarray([[1, 2], [3, 4]])
        self.assertEqual((x @ x).tolist(), [[7, 10], [15, 22]])
        self.assertRaises(ValueError, operator.matmul, x, asarray([1, 2, 3]))
        self.assertRaises(ValueError, operator.matmul, x, 2)

    def test_divmod(self):
        self.assertEqual([x.tolist() for x in divmod(asarray([7, -7]), 2)], [[3, -4], [1, 1]])

    def test_bools(self):
        b = asarray([True, False])
        self.assertEqual(
            ((~b).tolist(), (b & b).tolist(), (b + 1).tolist()),
            ([False, True], [True, False], [2, 1]),
        )
        self.assertRaises(TypeError, operator.sub, b, b)
        self.assertRaises(TypeError, operator.neg, b)

    def test_complex(self):
        c = asarray([1j, 2])
        self.assertEqual((abs(c).tolist(), (c == c).tolist()), ([1, 2], [True, True]))
        for f in (operator.lt, operator.le, operator.gt, operator.ge):
            self.assertRaises(TypeError, f, c, 1)

    def test_hash(self):
        self.assertRaises(TypeError, hash, asarray([1]))


class PythonNumbers(unittest.TestCase):
    """Numbers of Python beside arrays: NumPy 2's rules."""

    def test_dtypes(self):
        for dtype, number, expected in (
            ("float32", 2, "float32"),
            ("float32", 2.5, "float32"),
            ("int8", 2, "int8"),
            ("int8", 2.5, "float64"),
            ("float32", 1j, "complex64"),
            ("bool", 2, "int64"),
            ("int8", True, "int8"),
            ("bfloat16", 2.5, "bfloat16"),
        ):
            self.assertEqual((asarray([1], dtype) + number).dtype, expected)
            self.assertEqual((number * asarray([1], dtype)).dtype, expected)

    def test_out_of_range(self):
        u = asarray([1, 2], "uint8")
        for number in (300, -1, 10**30, -(10**30)):
            self.assertRaises(OverflowError, operator.add, u, number)
            self.assertRaises(OverflowError, operator.add, number, u)
        self.assertRaises(OverflowError, operator.add, asarray([1]), 2**63)
        self.assertEqual((asarray([1], "uint64") + (2**64 - 2)).tolist(), [2**64 - 1])
        self.assertEqual((asarray([1.0]) + 10**30).tolist(), [1e30])

    def test_comparisons_are_exact(self):
        u = asarray([1, 255], "uint8")
        self.assertEqual((u < 300).tolist(), [True, True])
        self.assertEqual((u > -1).tolist(), [True, True])
        self.assertEqual((u == 10**30).tolist(), [False, False])
        wide = asarray([2**63, 2**64 - 1], "uint64")
        self.assertEqual((wide > 2**63).tolist(), [False, True])
        self.assertEqual((wide == 2**63 + 1).tolist(), [False, False])
        self.assertEqual((wide < 2**64).tolist(), [True, True])
        self.assertEqual((wide == 2**64).tolist(), [False, False])
        self.assertEqual((asarray([2**63 - 1]) < 2**63).tolist(), [True])
        self.assertEqual((asarray([2**63 - 1]) < 10**400).tolist(), [True])
        self.assertEqual((asarray([-(2**63)]) > -(10**400)).tolist(), [True])

    def test_powers(self):
        self.assertRaises(ValueError, pow, asarray([2]), -1)
        self.assertRaises(ValueError, pow, asarray([2]), -(10**30))
        self.assertRaises(OverflowError, pow, asarray([2]), 10**30)
        self.assertEqual(pow(asarray([1], "uint64"), 2**63).tolist(), [1])
        self.assertEqual(pow(asarray([2.0]), -1).tolist(), [0.5])
        self.assertRaises(TypeError, pow, asarray([2]), 2, 3)

    def test_other_objects(self):
        x = asarray([1])
        for other in ("a", None, object(), {}):
            for f in (operator.add, operator.matmul, operator.lt):
                self.assertRaises(TypeError, f, x, other)
                self.assertRaises(TypeError, f, other, x)
            self.assertIs(x == other, False)


class InPlace(unittest.TestCase):
    """Operators with assignment write into memory."""

    def test_views_show_it(self):
        for n in (4, 100000):
            x = asarray([float(i) for i in range(n)])
            view, same = x[1:3], x
            x += 1
            x *= x
            self.assertIs(same, x)
            self.assertEqual(view.tolist(), [4, 9])
            view -= 4
            self.assertEqual(x[:3].tolist(), [1, 0, 5])

    def test_overlap(self):
        x = asarray(list(range(10)))
        x[1:] += x[:-1]
        self.assertEqual(x.tolist(), [0, 1, 3, 5, 7, 9, 11, 13, 15, 17])

    def test_refused(self):
        x = asarray([1, 2])
        self.assertRaises(TypeError, operator.iadd, x, 0.5)
        self.assertRaises(TypeError, operator.itruediv, x, 2)
        self.assertRaises(ValueError, operator.iadd, x, asarray([[1], [2]]))
        self.assertRaises(OverflowError, operator.iadd, x, 2**63)
        self.assertEqual(x.tolist(), [1, 2])

    def test_dtype_stays(self):
        x = asarray([1, 2], "float32")
        x += asarray([0.5, 0.5])
        self.assertEqual((x.tolist(), x.dtype), ([1.5, 2.5], "float32"))
