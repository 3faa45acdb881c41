"""Conversion of Python's numbers and sequences to arrays, and back."""

import collections
import decimal
import fractions
import unittest

from tyto import _core

asarray = _core.asarray


class Sequences(unittest.TestCase):
    """asarray of nested sequences."""

    def test_dtypes(self):
        cases = [(5, (), "int64"), (1.5, (), "float64"), (True, (), "bool"), (2j, (), "complex128"),
                 ([1, 2], (2,), "int64"), ([1, 2.5], (2,), "float64"), ([True, 2], (2,), "int64"),
                 ([1, 2.5, 3j], (3,), "complex128"), ([True, False], (2,), "bool"),
                 ([2**63, 1], (2,), "uint64"), ([2**63, -1], (2,), "float64"), ([-1, 2**63], (2,), "float64"),
                 ([], (0,), "float64"), ([[], []], (2, 0), "float64"), (((1,), (2,)), (2, 1), "int64")]
        for value, shape, dtype in cases:
            x = asarray(value)
            self.assertEqual((x.shape, x.dtype), (shape, dtype), value)
            wanted = [list(one) for one in value] if isinstance(value, tuple) else value
            self.assertEqual(x.tolist(), wanted)

    def test_other_sequences_and_numbers(self):
        self.assertEqual(asarray(range(3)).tolist(), [0, 1, 2])
        self.assertEqual(asarray(collections.deque([1, 2])).tolist(), [1, 2])
        self.assertEqual(asarray([fractions.Fraction(1, 2), decimal.Decimal(2)]).tolist(), [0.5, 2.0])

    def test_arrays_inside(self):
        x = asarray([asarray([1, 2]), asarray([3.5, 4])])
        self.assertEqual((x.tolist(), x.dtype), ([[1, 2], [3.5, 4]], "float64"))
        self.assertEqual(asarray([[asarray(1), 2], [3, 4]]).tolist(), [[1, 2], [3, 4]])
        self.assertEqual(asarray([asarray(1), 2], "float32").dtype, "float32")
        self.assertRaises(ValueError, asarray, [asarray([1, 2]), asarray([1])])

    def test_ragged(self):
        for value, place in (([[1, 2], [3]], r"\[1\] has 1"), ([1, [2]], r"\[1\] has 1"), ([[1], 2], r"\[1\] is one"),
                             ([[[1, 2]], [[1, 2, 3]]], r"\[1\]\[0\] has 3")):
            with self.assertRaisesRegex(ValueError, place):
                asarray(value)

    def test_refused(self):
        loop = []
        loop.append(loop)
        self.assertRaisesRegex(ValueError, "nested", asarray, loop)
        for bad in ("abc", {1: 2}, {1}, None, ["a"], [None], [[1, "x"]], object(), iter([1])):
            self.assertRaises(TypeError, asarray, bad)
        self.assertRaises(OverflowError, asarray, [2**64])

    def test_hostile(self):
        class Shrinks(collections.UserList):
            def __getitem__(self, i):
                if i > 1:
                    raise IndexError(i)
                return i

        class Grows(list):
            pass

        class Raises:
            def __index__(self):
                raise KeyError("mine")

        self.assertRaises(IndexError, asarray, Shrinks([0, 1, 2]))
        self.assertRaises(KeyError, asarray, [1, Raises()])

        class Clears:
            def __init__(self, owner):
                self.owner = owner

            def __float__(self):
                self.owner.clear()
                return 1.0

        owner = [1, None, 3]
        owner[1] = Clears(owner)
        self.assertRaises((IndexError, RuntimeError), asarray, owner)

    def test_dtype_given(self):
        self.assertEqual(asarray([1.5, -2.5], "int32").tolist(), [1, -2])
        self.assertEqual(asarray([2**70], "float32").tolist(), [2.0**70])
        self.assertEqual(asarray([3, 0], bool).tolist(), [True, False])
        self.assertEqual(asarray([-128, 127], "int8").tolist(), [-128, 127])
        self.assertEqual(asarray([2**63 - 1, -2**63], "int64").tolist(), [2**63 - 1, -2**63])
        self.assertEqual(asarray([2**64 - 1], "uint64").tolist(), [2**64 - 1])
        for value, dtype in (([300], "int8"), ([-1], "uint8"), ([2**63], "int64"), ([2.0**63], "int64"),
                             ([float("nan")], "int8"), ([float("inf")], "int64"), ([256.0], "uint8")):
            self.assertRaises(OverflowError, asarray, value, dtype)
        self.assertRaises(TypeError, asarray, [1j], "float32")

    def test_copies(self):
        x = asarray([1, 2])
        self.assertIs(asarray(x), x)
        self.assertIs(asarray(x, "int64"), x)
        y = asarray(x, copy=True)
        y[0] = 9
        self.assertEqual((x.tolist(), y.tolist()), ([1, 2], [9, 2]))
        self.assertRaises(ValueError, asarray, x, "float32", copy=False)
        self.assertRaises(ValueError, asarray, [1, 2], copy=False)


class Numbers(unittest.TestCase):
    """One number of an array."""

    def test_item(self):
        x = asarray([[1, 2, 3], [4, 5, 6]])
        self.assertEqual((x.item(4), x.item(-1), x.item(1, 1), x.item((0, 2)), asarray([7]).item()), (5, 6, 5, 3, 7))
        self.assertRaises(ValueError, x.item)
        self.assertRaises(IndexError, x.item, 6)
        self.assertRaises(IndexError, x.item, 1, 1, 1)

    def test_conversions(self):
        self.assertEqual((int(asarray(2.5)), float(asarray(3)), complex(asarray(3)), bool(asarray(0))), (2, 3, 3, False))
        self.assertEqual(range(5)[asarray(2)], 2)
        self.assertEqual(asarray(2.5, "bfloat16").item(), 2.5)
        for convert in (int, float, bool, complex):
            self.assertRaises(ValueError, convert, asarray([1, 2]))
        for convert in (int, float):
            self.assertRaises(TypeError, convert, asarray(1j))
        for bad in (asarray(1.0), asarray([1]), asarray(True)):
            self.assertRaises(TypeError, range(5).__getitem__, bad)

    def test_lists(self):
        for value in ([[1, 2], [3, 4]], [1.5], [], 3, [True], [1j], [[[]]]):
            self.assertEqual(asarray(value).tolist(), value)
