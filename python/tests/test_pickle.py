"""pickle, copy and deepcopy."""

import copy
import pickle
import unittest

import tyto

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)


class Pickles(unittest.TestCase):
    """Arrays survive."""

    def test_protocols(self):
        """Each protocol, dtype and view survives."""
        arrays = [
            tyto.reshape(tyto.arange(6), (2, 3)).T,
            tyto.zeros((0, 2)),
            tyto.asarray(2.5),
            tyto.asarray([True]),
        ]
        for name in (*DTYPES, "bfloat16", "complex64", "complex128", "float8_e5m2"):
            arrays.append(tyto.astype(tyto.asarray([0.0, 1.0, 1.0]), name))
        for x in arrays:
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                y = pickle.loads(pickle.dumps({"x": x}, protocol))["x"]
                self.assertEqual((y.dtype, y.shape, repr(y)), (x.dtype, x.shape, repr(x)))

    def test_out_of_band(self):
        """Buffers out of band are not copied, and what is loaded can be written."""
        x = tyto.arange(1000.0)
        buffers = []
        data = pickle.dumps(x, 5, buffer_callback=buffers.append)
        self.assertLess(len(data), 300)
        y = pickle.loads(data, buffers=buffers)
        y[0] = 5
        self.assertEqual(x[0].tolist(), 5)
        z = pickle.loads(pickle.dumps(x))
        z[0] = 6
        self.assertEqual((x[0].tolist(), z[0].tolist()), (5, 6))

    def test_damaged(self):
        """Bytes that do not fit the shape are told."""
        make = tyto._core.array_of_bytes
        for args in (
            ("float64", (2,), b"123"),
            ("float64", (-1,), b""),
            ("float64", (1 << 40, 1 << 40), b""),
            ("float64", (1,) * 65, b"12345678"),
        ):
            self.assertRaises((ValueError, tyto.Error), make, *args)
        self.assertRaises(TypeError, make, "nothing", (1,), b"1")
        self.assertEqual(make("bool", (2,), b"\0\7").tolist(), [False, True])

    def test_copies(self):
        """Copies are independent."""
        x = tyto.asarray([1.0, 2.0])
        for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": [x]})["x"][0]):
            y[0] = 9
            self.assertEqual(x.tolist(), [1, 2])


if __name__ == "__main__":
    unittest.main()
