"""Attributes of arrays, dtypes, and errors."""

import copy
import gc
import pickle
import unittest
import weakref

import tyto
from tyto import _core

asarray = _core.asarray


class Attributes(unittest.TestCase):
    """Facts about arrays."""

    def test_shapes(self):
        x = asarray([[1, 2, 3], [4, 5, 6]], "int16")
        self.assertEqual((x.shape, x.ndim, x.size, x.itemsize, x.nbytes), ((2, 3), 2, 6, 2, 12))
        self.assertEqual(x.strides, (6, 2))
        self.assertEqual((x.dtype, x.device), (_core.int16, "cpu"))
        self.assertEqual(asarray(5).shape, ())
        self.assertEqual(_core.c.broadcast(asarray(1, "int8"), (2**61,)).nbytes, 2**61)

    def test_transposed(self):
        x = asarray([[[1, 2], [3, 4], [5, 6]]])
        self.assertEqual((x.T.shape, x.mT.shape), ((2, 3, 1), (1, 2, 3)))
        self.assertEqual(x.mT.tolist(), [[[1, 3, 5], [2, 4, 6]]])
        self.assertRaises(ValueError, lambda: asarray([1]).mT)

    def test_parts(self):
        x = asarray([1 + 2j, 3 - 4j])
        self.assertEqual((x.real.tolist(), x.imag.tolist()), ([1, 3], [2, -4]))

    def test_not_made_by_the_class(self):
        with self.assertRaisesRegex(TypeError, "asarray"):
            _core.Array()

    def test_weak_references(self):
        x = asarray([1])
        ended = []
        reference = weakref.ref(x, ended.append)
        self.assertIs(reference(), x)
        del x
        gc.collect()
        self.assertEqual((reference(), ended), (None, [reference]))

    def test_chains_of_views_end_without_recursion(self):
        x = asarray([1, 2])
        for _ in range(200000):
            x = x[:]
        self.assertEqual(x.tolist(), [1, 2])


class DTypes(unittest.TestCase):
    """Element types."""

    def test_one_object_each(self):
        self.assertIs(_core.DType("float32"), _core.float32)
        self.assertIs(_core.DType("f32"), _core.float32)
        self.assertIs(copy.deepcopy(_core.int8), _core.int8)
        self.assertIs(pickle.loads(pickle.dumps(_core.bfloat16)), _core.bfloat16)

    def test_classes_of_python(self):
        given = [bool, int, float, complex]
        expected = [_core.bool, _core.int64, _core.float64, _core.complex128]
        self.assertEqual([_core.DType(one) for one in given], expected)

    def test_equality_and_hash(self):
        self.assertEqual(_core.float32, "float32")
        self.assertNotEqual(_core.float32, "float64")
        self.assertNotEqual(_core.float32, _core.float64)
        self.assertNotEqual(_core.float32, 5)
        self.assertEqual({_core.int8: 1}["int8"], 1)

    def test_facts(self):
        self.assertEqual(
            [
                d.kind
                for d in (_core.bool, _core.int8, _core.uint8, _core.bfloat16, _core.complex64)
            ],
            list("biufc"),
        )
        self.assertEqual((_core.int4.bits, _core.complex128.itemsize), (4, 16))
        self.assertEqual((repr(_core.int8), str(_core.int8)), ("tyto.int8", "int8"))

    def test_refused(self):
        for bad in ("float33", "", "object", list, None, 3, object()):
            self.assertRaises(TypeError, _core.DType, bad)
        with self.assertRaisesRegex(ValueError, "counts bytes in NumPy"):
            _core.DType("i8")


class Errors(unittest.TestCase):
    """Exceptions of the library's errors."""

    def test_classes(self):
        for name, built_in in (
            ("ShapeError", ValueError),
            ("DtypeError", TypeError),
            ("IndexError", IndexError),
            ("MemoryError", MemoryError),
            ("FileError", OSError),
            ("LimitError", OverflowError),
        ):
            error = getattr(_core, name)
            self.assertTrue(issubclass(error, built_in) and issubclass(error, _core.Error), name)
            self.assertEqual(error.__module__, "tyto")

    def test_arguments_by_place(self):
        """Arguments have NumPy's places, and True is no array for a result."""
        x = tyto.ones((2, 3))
        for call in (
            lambda: tyto.sum(x, 0, None, None, True),
            lambda: tyto.max(x, 0, None, True),
            lambda: tyto.var(x, 0, None, None, 0, True),
            lambda: tyto.median(x, 0, None, False, True),
            lambda: tyto.quantile(x, 0.5, 0, None, False, "linear", True),
            lambda: x.mean(0, None, None, True),
        ):
            self.assertEqual(call().shape, (1, 3))
        for call in (
            lambda: tyto.all(x, 0, True),
            lambda: tyto.max(x, 0, True),
            lambda: tyto.sum(x, 0, None, True),
            lambda: x.cumsum(0, None, True),
        ):
            self.assertRaisesRegex(TypeError, "out takes one array", call)
        self.assertRaisesRegex(TypeError, "positional", tyto.logsumexp, x, 0, True)

    def test_classes(self):
        """A dtype equals the class of Python whose numbers have it, and is one of tyto.dtype."""
        self.assertIsInstance(tyto.float32, tyto.dtype)
        self.assertTrue(tyto.float64 == float and tyto.int64 == int and tyto.bool == bool)
        self.assertTrue(tyto.float32 != float and tyto.float64 != int)
        for other in (None, 3, object, [1.0], tyto.ones(1)):
            self.assertFalse(tyto.float64 == other, other)

    def test_refused_dtype(self):
        """The error of a wrong dtype names the argument."""
        self.assertRaisesRegex(TypeError, "dtype: 3 is no dtype", tyto.zeros, 2, 3)

    def test_round(self):
        """Python's round() takes arrays."""
        self.assertEqual((round(asarray(2.5)), type(round(asarray(2.5)))), (2, int))
        self.assertEqual(float(round(asarray(2.345), 1)), 2.3)
        self.assertEqual(round(asarray([1.26, 2.5]), 1).tolist(), [1.3, 2.5])

    def test_attributes(self):
        with self.assertRaises(_core.ShapeError) as caught:
            asarray([1, 2]) + asarray([1, 2, 3])
        error = caught.exception
        self.assertEqual((error.code, error.function), ("shape", "add"))
        self.assertEqual([one["shape"] for one in error.operands], [[2], [3]])
        self.assertEqual(str(error), error.message)
