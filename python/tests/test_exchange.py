"""Exchange of memory: buffers, DLPack, __array_interface__, NumPy."""

import array
import ctypes
import gc
import io
import unittest
import weakref

import tyto
import versions

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipUnless(numpy, "NumPy is not installed")


def address(x):
    """Return the address of an object with a buffer."""
    view = memoryview(x)
    if view.readonly:
        return numpy.asarray(view).__array_interface__["data"][0]
    return ctypes.addressof(ctypes.c_char.from_buffer(view.cast("B") if view.ndim else view))


class Buffers(unittest.TestCase):
    """The buffer protocol, both ways."""

    formats = {
        "bool": "?",
        "int8": "b",
        "int16": "h",
        "int32": "i",
        "int64": "l",
        "uint8": "B",
        "uint16": "H",
        "uint32": "I",
        "uint64": "L",
        "float16": "e",
        "float32": "f",
        "float64": "d",
    }

    def test_exports(self):
        """Each dtype has its format; the memory is shared both ways."""
        for name, code in self.formats.items():
            x = tyto.asarray([[0, 1], [1, 0]], dtype=name)
            view = memoryview(x)
            self.assertEqual((view.format, view.shape, view.readonly), (code, (2, 2), False))
            x[0, 0] = 1
            before = bytes(view)
            self.assertEqual(before[: view.itemsize], before[view.itemsize : 2 * view.itemsize])
            if code != "e":  # which memoryview cannot read
                self.assertEqual(view.tolist(), x.tolist())
                view[1, 1] = 1
                self.assertEqual(x.tolist()[1], [1, 1])
        self.assertEqual(memoryview(tyto.asarray(1j)).format, "Zd")

    def test_views(self):
        """Views export their steps, and consumers that need order are refused."""
        x = tyto.reshape(tyto.arange(12, dtype="int32"), (3, 4))
        view = memoryview(x[::-1, ::2])
        self.assertEqual((view.strides, view.tolist()), ((-16, 8), [[8, 10], [4, 6], [0, 2]]))
        self.assertEqual(bytes(x.T), bytes(memoryview(x.T).tobytes()))
        self.assertRaisesRegex(BufferError, "row-major", io.BytesIO().write, x.T)
        self.assertEqual(memoryview(tyto.asarray(3.5)).tolist(), 3.5)
        self.assertEqual(memoryview(tyto.zeros((0, 3))).shape, (0, 3))

    def test_all_dtypes(self):
        """Bytes go out and come back in dtypes without a format of buffers, too."""
        for dtype in ("bfloat16", "float16", "complex64", "bool", "uint8", "float64"):
            x = tyto.ones((2, 3), dtype=dtype)
            back = tyto.frombuffer(x.T.tobytes(), dtype)
            self.assertEqual((back.dtype, back.tolist()), (x.dtype, [1] * 6))
            self.assertEqual((x[0, 0].tobytes() * 6, x[:0].tobytes()), (x.tobytes(), b""))
        self.assertRaisesRegex(ValueError, "a bool is the byte 2", tyto.frombuffer, b"\2", "bool")

    def test_lifetime(self):
        """A view keeps the memory alive without its array."""
        view = memoryview(tyto.ones(1000))
        gc.collect()
        tyto.zeros(1000)
        self.assertEqual(sum(view.tolist()), 1000)

    def test_refused(self):
        """Dtypes without a format, promises under record and gradients are refused."""
        x = tyto.asarray([1.0], dtype="bfloat16")
        self.assertRaisesRegex(BufferError, "__dlpack__", memoryview, x)
        self.assertRaisesRegex(TypeError, "promise", tyto.jit(memoryview), tyto.ones(1))
        refused = []

        def f(x):
            with self.assertRaisesRegex(TypeError, "stop_gradient"):
                memoryview(x)
            refused.append(bytes(memoryview(tyto.stop_gradient(x))))
            return x * x

        tyto.grad(f)(2.0)
        self.assertEqual(len(refused), 1)

    def test_imports(self):
        """Arrays over buffers of the standard library share their memory."""
        numbers = array.array("d", [1, 2, 3])
        x = tyto.asarray(numbers)
        numbers[1] = 5
        self.assertEqual(x.tolist(), [1, 5, 3])
        x[0] = 7
        self.assertEqual(numbers[0], 7)
        self.assertRaises(BufferError, numbers.append, 4)  # exported
        del x
        gc.collect()
        numbers.append(4)
        grid = (ctypes.c_int16 * 3 * 2)((1, 2, 3), (4, 5, 6))
        x = tyto.asarray(grid)
        self.assertEqual((str(x.dtype), x.tolist()), ("int16", [[1, 2, 3], [4, 5, 6]]))
        self.assertEqual(tyto.asarray(bytearray(b"\1\2")).tolist(), [1, 2])
        self.assertEqual(tyto.asarray(memoryview(b"abcdef")[::-2]).tolist(), [102, 100, 98])

    def test_read_only(self):
        """Memory that others may not write stays read-only."""
        x = tyto.asarray(memoryview(b"\1\2\3"))
        self.assertTrue(memoryview(x).readonly)
        self.assertRaises(tyto.Error, x.__setitem__, 0, 1)
        y = x + 0
        y[0] = 9
        self.assertEqual((x.tolist(), y.tolist()), ([1, 2, 3], [9, 2, 3]))

    def test_elements_without_dtype(self):
        """Structs, characters and objects have no dtype."""

        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_float)]

        for bad in (
            (Pair * 2)(),
            (ctypes.c_char * 3)(),
            array.array("u", "ab"),
            (ctypes.c_void_p * 2)(),
        ):
            self.assertRaisesRegex(TypeError, "no dtype", tyto.asarray, bad)

    @needs_numpy
    def test_orders_and_alignment(self):
        """Elements that are swapped or not aligned are copied unless that is forbidden."""
        swapped = numpy.arange(6, dtype=">i4").reshape(2, 3)
        shifted = numpy.frombuffer(bytearray(41), dtype="u1")[1:].view("f8")[:2]
        shifted[:] = [1.5, 2.5]
        for x in (swapped, shifted, numpy.array([1 + 2j, 3j], dtype=">c16")):
            self.assertEqual(tyto.asarray(x).tolist(), x.tolist())
            self.assertRaises((BufferError, ValueError), tyto.asarray, x, copy=False)

    def test_no_leak(self):
        """An owner is free when the last array over its memory is."""

        class Owner(bytearray):
            pass

        owner = Owner(b"\0" * 64)
        alive = weakref.ref(owner)
        x = tyto.asarray(owner)
        y = x[3:]
        del owner, x
        gc.collect()
        self.assertIsNotNone(alive())
        del y
        gc.collect()
        self.assertIsNone(alive())


class Capsule:
    """A producer that returns a given capsule."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule = capsule
        self.device = device

    def __dlpack__(self, **keywords):
        """Return the capsule or raise it."""
        if isinstance(self.capsule, BaseException):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self):
        """Return the device."""
        return self.device


class OldProducer(Capsule):
    """A producer before DLPack 1, which accepts no arguments."""

    def __dlpack__(self):
        """Return the capsule."""
        return self.capsule


class Dlpack(unittest.TestCase):
    """DLPack, both ways."""

    def test_round_trip(self):
        """Capsules of both versions share the memory, also of views and of each dtype."""
        for name in (*Buffers.formats, "bfloat16", "complex64", "complex128", "float8_e5m2"):
            x = tyto.astype(tyto.asarray([[0, 1, 1], [1, 0, 1]], dtype="float32"), name)
            for version in (None, (0, 8), (1, 0), (1, 1), (2, 0)):
                y = tyto.from_dlpack(x.__dlpack__(max_version=version))
                self.assertEqual((y.dtype, y.shape, repr(y)), (x.dtype, x.shape, repr(x)))
        x = tyto.reshape(tyto.arange(12), (3, 4))
        for view in (x[::-1, ::2], x.T, x[1], x[0:0], x[1, 2]):
            y = tyto.from_dlpack(view)
            self.assertEqual((y.shape, y.tolist()), (view.shape, view.tolist()))
        y = tyto.from_dlpack(x)
        y[0, 0] = 99
        self.assertEqual(x[0, 0].tolist(), 99)
        self.assertEqual(x.__dlpack_device__(), (1, 0))

    def test_copies(self):
        """copy=True gives memory of its own."""
        x = tyto.asarray([1.0, 2.0])
        y = tyto.from_dlpack(x, copy=True)
        y[0] = 5
        self.assertEqual(x.tolist(), [1, 2])
        z = tyto.from_dlpack(x, copy=False)
        z[0] = 5
        self.assertEqual(x.tolist(), [5, 2])

    def test_capsules_used_twice(self):
        """A capsule is taken once; others are freed by themselves."""
        x = tyto.ones(3)
        for version in (None, (1, 0)):
            capsule = x.__dlpack__(max_version=version)
            tyto.from_dlpack(Capsule(capsule))
            self.assertRaisesRegex(ValueError, "used already", tyto.from_dlpack, Capsule(capsule))
            del capsule
            x.__dlpack__(max_version=version)  # never used
        gc.collect()
        self.assertEqual(x.tolist(), [1, 1, 1])

    def test_misuse(self):
        """Objects that are no producers, other devices and wrong capsules are told."""
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_void_p,
        ]
        name = ctypes.create_string_buffer(b"tensor")
        other = new(ctypes.addressof(name), name, None)
        cases = [
            (3, TypeError, "__dlpack__"),
            (Capsule(3), TypeError, "capsule"),
            (Capsule(other), ValueError, "'tensor'; expected"),
            (Capsule(tyto.ones(1).__dlpack__(), device=7), BufferError, "tuple of two"),
            (Capsule(BufferError("no")), BufferError, "^no$"),
            (Capsule(KeyError("own")), KeyError, "own"),
        ]
        for bad, kind, text in cases:
            self.assertRaisesRegex(kind, text, tyto.from_dlpack, bad)
        self.assertEqual(tyto.from_dlpack(OldProducer(tyto.ones(2).__dlpack__())).tolist(), [1, 1])
        x = tyto.ones(1)
        self.assertRaises(BufferError, x.__dlpack__, stream=1)
        self.assertRaises(BufferError, x.__dlpack__, dl_device=(2, 0))
        self.assertRaises(TypeError, x.__dlpack__, dl_device="cpu")
        self.assertRaises(TypeError, x.__dlpack__, max_version=1)
        self.assertRaises(TypeError, x.__dlpack__, copy=1)
        self.assertRaises(TypeError, x.__dlpack__, None)
        self.assertRaises(TypeError, tyto._core.from_dlpack, x, device=3)
        self.assertRaises(tyto.Error, tyto.from_dlpack, x, device="nothing:0")

    def test_read_only(self):
        """Read-only memory is flagged, and copied for consumers that know no flag."""
        x = tyto.asarray(memoryview(b"\1\2\3"))
        y = tyto.from_dlpack(x)
        self.assertRaises(tyto.Error, y.__setitem__, 0, 1)
        z = tyto.from_dlpack(x.__dlpack__())
        z[0] = 9
        self.assertEqual(x.tolist(), [1, 2, 3])
        self.assertRaisesRegex(BufferError, "read-only", x.__dlpack__, copy=False)

    def test_promises(self):
        """Promises are evaluated, and gradients refused."""
        promise = tyto.c.add(tyto.c.lazy(tyto.ones(2)), tyto.ones(2))
        self.assertEqual(tyto.from_dlpack(promise).tolist(), [2, 2])
        self.assertRaisesRegex(
            TypeError, "stop_gradient", tyto.grad(lambda x: tyto.from_dlpack(x)), 1.0
        )


class Foreign:
    """Memory of ctypes that is described by __array_interface__."""

    def __init__(self, **changes):
        self.memory = (ctypes.c_double * 6)(*range(6))
        self.__array_interface__ = {
            "shape": (2, 3),
            "typestr": "<f8",
            "data": (ctypes.addressof(self.memory), False),
            "version": 3,
            **changes,
        }


class Interfaces(unittest.TestCase):
    """__array_interface__ and __array__."""

    def test_interface(self):
        """The memory is shared, and its owner lives as long."""
        source = Foreign()
        alive = weakref.ref(source)
        x = tyto.asarray(source)
        source.memory[4] = 40
        self.assertEqual(x.tolist(), [[0, 1, 2], [3, 40, 5]])
        del source
        gc.collect()
        self.assertIsNotNone(alive())
        del x
        gc.collect()
        self.assertIsNone(alive())
        self.assertEqual(tyto.asarray(Foreign(strides=(8, 16))).tolist(), [[0, 2, 4], [1, 3, 5]])

    def test_export(self):
        """Our arrays describe their memory, too."""

        class Described:
            def __init__(self, x):
                self.held, self.__array_interface__ = x, x.__array_interface__

        x = tyto.reshape(tyto.arange(6.0), (2, 3))
        for view in (x, x.T, x[::-1, ::2], tyto.asarray([True, False]), tyto.asarray(1j)):
            self.assertEqual(tyto.asarray(Described(view)).tolist(), view.tolist())
        y = tyto.asarray(Described(x))
        y[0, 0] = 9
        self.assertEqual(x[0, 0].tolist(), 9)
        self.assertFalse(hasattr(tyto.asarray([1.0], dtype="bfloat16"), "__array_interface__"))
        self.assertTrue(tyto.asarray(memoryview(b"1")).__array_interface__["data"][1])

    def test_lies(self):
        """Descriptions that contradict themselves are told."""
        cases = [
            dict(shape=(2, -3)),
            dict(shape=[2, 3]),
            dict(shape=(1 << 62, 1 << 62)),
            dict(shape=(2,) * 65),
            dict(strides=(8,)),
            dict(strides=("a", "b")),
            dict(typestr="O8"),
            dict(typestr="<f3"),
            dict(typestr=8),
            dict(typestr="|V16"),
            dict(data=None),
            dict(data=(0, False)),
            dict(data=("x", False)),
            dict(mask=1),
        ]
        for changes in cases:
            with self.assertRaises((TypeError, BufferError, ValueError), msg=str(changes)):
                tyto.asarray(Foreign(**changes))

    def test_array_method(self):
        """Objects with __array__ alone are asked for it."""

        class Made:
            def __init__(self, result):
                self.result = result

            def __array__(self, dtype=None, copy=None):
                if isinstance(self.result, Exception):
                    raise self.result
                return self.result

        self.assertEqual(tyto.asarray(Made(array.array("i", [1, 2]))).tolist(), [1, 2])
        self.assertRaisesRegex(TypeError, "buffer", tyto.asarray, Made(3))
        self.assertRaises(KeyError, tyto.asarray, Made(KeyError("own")))


@needs_numpy
class Numpy(unittest.TestCase):
    """NumPy's arrays, functions and ufuncs."""

    def test_same_addresses(self):
        """No copies are made at the border, in either direction."""
        a = numpy.arange(12.0).reshape(3, 4)
        for view in (a, a[::-1, ::2], a.T, a[1:, :0]):
            x = tyto.asarray(view)
            back = numpy.asarray(x)
            self.assertTrue((back == view).all())
            if view.size:
                self.assertEqual(back.__array_interface__["data"], view.__array_interface__["data"])
                self.assertEqual(back.strides, view.strides)
        x = tyto.arange(5.0)
        b = numpy.from_dlpack(x)
        self.assertEqual(
            b.__array_interface__["data"][0], numpy.asarray(x).__array_interface__["data"][0]
        )
        if versions.at_least("numpy", "2.1"):  # before, arrays of DLPack were read-only
            b[0] = 7
            self.assertEqual(x.tolist()[0], 7)

    def test_array(self):
        """__array__ converts and copies as asked."""
        x = tyto.asarray([1.0, 2.0])
        self.assertEqual(numpy.asarray(x, dtype="float32").dtype, numpy.float32)
        if versions.at_least("numpy", "2.0"):  # False meant: copy if it must be
            self.assertRaises(ValueError, numpy.array, x, dtype="float32", copy=False)
        y = numpy.array(x, copy=True)
        y[0] = 9
        self.assertEqual(x.tolist(), [1, 2])
        self.assertEqual(numpy.asarray([x, x]).shape, (2, 2))
        frozen = numpy.ones(3)
        frozen.flags.writeable = False
        self.assertFalse(numpy.asarray(tyto.asarray(frozen)).flags.writeable)

    def test_bfloat16(self):
        """bfloat16 passes through ml_dtypes, or is told."""
        x = tyto.asarray([1.5, -2.0], dtype="bfloat16")
        try:
            import ml_dtypes
        except ImportError:
            self.assertRaisesRegex(TypeError, "ml_dtypes", numpy.asarray, x)
            return
        y = numpy.asarray(x)
        self.assertEqual((y.dtype, y.tolist()), (ml_dtypes.bfloat16, [1.5, -2]))
        z = tyto.asarray(y)
        self.assertEqual((str(z.dtype), z.tolist()), ("bfloat16", [1.5, -2]))

    def test_elements_without_dtype(self):
        """Objects, texts, dates and structs of NumPy are told."""
        for bad in (
            numpy.array([object()]),
            numpy.array(["a"]),
            numpy.array(["2020"], dtype="M8[D]"),
            numpy.zeros(2, dtype="i4,f4"),
            numpy.zeros(2, dtype="g"),
        ):
            self.assertRaises((TypeError, ValueError, BufferError), tyto.asarray, bad)

    def test_ufuncs(self):
        """Ufuncs on our arrays are our functions."""
        x = tyto.asarray([1.0, 4.0])
        for result, want in (
            (numpy.sqrt(x), [1, 2]),
            (numpy.add(x, 1), [2, 5]),
            (numpy.ones(2) + x, [2, 5]),
            (numpy.power(x, 2.0), [1, 16]),
            (numpy.arctan2(x, x) * 0, [0, 0]),
            (numpy.absolute(-x), [1, 4]),
            (numpy.add.reduce(x), 5),
            (numpy.maximum.reduce(x, axis=0), 4),
            (numpy.multiply(x, 2, dtype="float32"), [2, 8]),
        ):
            self.assertIsInstance(result, tyto.Array)
            self.assertEqual(result.tolist(), want)
        out = numpy.zeros(2)
        self.assertIs(numpy.exp(x * 0, out=out), out)
        self.assertEqual(out.tolist(), [1, 1])
        a = numpy.ones(2)
        a += x
        self.assertEqual(a.tolist(), [2, 5])
        self.assertRaisesRegex(TypeError, "numpy.isnat", numpy.isnat, x)
        self.assertRaisesRegex(TypeError, "where", numpy.sqrt, x, where=[True, False])
        self.assertRaisesRegex(TypeError, "numpy.add.at", numpy.add.at, x, [0], 1)

    def test_functions(self):
        """Functions of NumPy on our arrays are ours, or a clear error."""
        x = tyto.asarray([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(numpy.sum(x, axis=0).tolist(), [4, 6])
        self.assertEqual(numpy.concatenate([x, x]).shape, (4, 2))
        self.assertEqual(numpy.linalg.det(x).shape, ())
        self.assertEqual(numpy.where(x > 2, x, 0).tolist(), [[0, 0], [3, 4]])
        self.assertEqual(numpy.shape(x), (2, 2))
        for result in (numpy.sum(x), numpy.linalg.inv(x), numpy.fft.fft(x)):
            self.assertIsInstance(result, tyto.Array)
        self.assertRaisesRegex(TypeError, "busday_count", numpy.busday_count, x, x)

    def test_gradients_through_ufuncs(self):
        """Functions written for NumPy have gradients."""

        def f(x):
            return numpy.sum(numpy.sin(x) * x)

        x = tyto.asarray([0.5, 1.5])
        want = numpy.cos(numpy.asarray(x)) * numpy.asarray(x) + numpy.sin(numpy.asarray(x))
        self.assertTrue(numpy.allclose(numpy.asarray(tyto.grad(f)(x)), want))
        self.assertEqual(tyto.jit(f)(x).tolist(), f(x).tolist())


if __name__ == "__main__":
    unittest.main()
