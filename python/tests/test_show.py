"""Arrays as text, in NumPy's format."""

import unittest

from tyto import _core

asarray = _core.asarray


class Show(unittest.TestCase):
    """repr, str and format."""

    def test_repr(self):
        cases = [
            (asarray(5), "Array(5)"),
            (asarray(1.5), "Array(1.5)"),
            (asarray([1, 2.5]), "Array([1. , 2.5])"),
            (asarray([1, 20]), "Array([ 1, 20])"),
            (asarray([True, False]), "Array([ True, False])"),
            (asarray([1 + 2j]), "Array([1.+2.j])"),
            (asarray([1, 2], "float32"), "Array([1., 2.], dtype=float32)"),
            (asarray([]), "Array([], dtype=float64)"),
            (asarray([[], []]), "Array([], shape=(2, 0), dtype=float64)"),
            (asarray([[1, 2], [3, 4]]), "Array([[1, 2],\n       [3, 4]])"),
            (asarray([[[1], [2]], [[3], [4]]]), "Array([[[1],\n        [2]],\n\n       [[3],\n        [4]]])"),
            (asarray(range(2000)), "Array([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))"),
        ]
        for x, expected in cases:
            self.assertEqual(repr(x), expected)

    def test_lines(self):
        self.assertEqual(repr(asarray(range(18), "uint16")),
                         "Array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
                         "       17], dtype=uint16)")
        self.assertEqual(repr(asarray([float(i) for i in range(16)], "float16")),
                         "Array([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12.,\n"
                         "       13., 14., 15.], dtype=float16)")
        rows = asarray([list(range(i, i + 100)) for i in range(20)])
        self.assertEqual(repr(rows).splitlines()[3:5],
                         ["       ...,", "       [ 17,  18,  19, ..., 114, 115, 116],"])

    def test_str_and_format(self):
        self.assertEqual((str(asarray([1.0, 2.5])), str(asarray([[], []])), str(asarray(3))), ("[1.  2.5]", "[]", "3"))
        self.assertEqual((f"{asarray(2.5):.3f}", f"{asarray(7):04d}", f"{asarray([1, 2])}"), ("2.500", "0007", "[1 2]"))
        self.assertRaises(TypeError, format, asarray([1, 2]), ".3f")
        self.assertRaises(ValueError, format, asarray(1.5), "d")
