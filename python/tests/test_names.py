"""NumPy's names with all their options: padding, histograms, gradients, files, generators."""

import io
import itertools
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

STATISTICS = ("maximum", "mean", "median", "minimum")


def attempt(function, np, *arrays):
    """Return the arrays that a function returns as a list, or None if it raises an exception."""
    try:
        result = function(np, *map(np.asarray, arrays))
    except Exception:
        return None
    result = result if isinstance(result, (tuple, list)) else [result]
    return [numpy.asarray(x) for x in result]


@unittest.skipUnless(numpy, "NumPy is not installed")
class Equal(unittest.TestCase):
    """Results and refusals equal NumPy's."""

    def setUp(self):
        """Draw the same numbers for each test."""
        self.random = numpy.random.default_rng(0)

    def check(self, what, function, *arrays):
        """Compare results, dtypes and shapes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got, want = attempt(function, ty, *arrays), attempt(function, numpy, *arrays)
        self.assertEqual(got is None, want is None, what)
        for one, other in zip(got or (), want or ()):
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape), what)
            self.assertTrue(numpy.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True),
                            (what, one, other))

    def test_padding(self):
        """All modes, for all dtypes, shapes and widths."""
        modes = [("constant", {}), ("constant", {"constant_values": (1, 2)}), ("wrap", {}),
                 ("edge", {}), ("reflect", {}), ("symmetric", {}),
                 ("reflect", {"reflect_type": "odd"}), ("symmetric", {"reflect_type": "odd"}),
                 ("linear_ramp", {}), ("linear_ramp", {"end_values": (4, -2)}), ("none", {}),
                 ("edge", {"constant_values": 1})]
        modes += [(name, {}) for name in STATISTICS]
        modes += [(name, {"stat_length": n}) for name in STATISTICS for n in (1, (2, 1), 50)]
        for dtype, shape, width in itertools.product(
                ("f8", "f4", "i4", "u1", "c16", "?"), ((4,), (1,), (2, 3), (3, 1), (0,), (0, 2)),
                (0, 1, (1, 2), 7)):
            x = (self.random.random(shape) * 9).astype(dtype)
            for mode, options in modes:
                if dtype in ("c16", "?") and mode in (*STATISTICS, "linear_ramp"):
                    continue  # NumPy orders complex numbers, and rounds bools
                if dtype == "u1" and options.keys() & {"reflect_type", "end_values"}:
                    continue  # negative numbers wrap
                self.check((dtype, shape, width, mode, options),
                           lambda np, x: np.pad(x, width, mode, **options), x)
        widths = [((1, 0), (0, 2)), 1.5, -1]
        if versions.at_least("numpy", "2.2"):
            widths += [{0: 1}, {-1: (2, 0)}, {2: 1}]
        for width in widths:
            self.check(width, lambda np, x: np.pad(x, width), numpy.ones((2, 3)))

    def test_histograms(self):
        """Numbers of bins, edges and estimators."""
        names = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")
        for n, dtype in itertools.product((1, 2, 3, 40, 1000), ("f8", "i8")):
            x = (self.random.normal(size=n) * 10).astype(dtype)
            if dtype == "i8" and not versions.at_least("numpy", "2.0"):
                continue  # bins of integers could be narrower than 1
            for bins, limits in itertools.product((*names, 5, [-10, 0, 10]),
                                                  (None, (-3, 4), (0, 0))):
                self.check((n, dtype, bins, limits),
                           lambda np, x: np.histogram(x, bins, limits), x)
        sample = self.random.random((20, 3))
        for bins, density in itertools.product((2, (2, 3, 4), (2, [0.2, 0.5], 3)), (False, True)):
            self.check((bins, density), lambda np, x: [
                (y := np.histogramdd(x, bins, density=density))[0], *y[1]], sample)

    def test_gradients(self):
        """Distances, coordinates and ends."""
        for shape, dtype, ends in itertools.product(
                ((3,), (4,), (3, 4), (2, 3, 3), (1,), (2,)), ("f8", "f4", "i4", "c16"), (1, 2)):
            x = (self.random.random(shape) * 9).astype(dtype)
            at = [numpy.cumsum(numpy.arange(1.0, n + 1)) for n in shape]
            for what, function in (
                    ("plain", lambda np, x: np.gradient(x, edge_order=ends)),
                    ("one", lambda np, x: np.gradient(x, 2.5, edge_order=ends, axis=-1)),
                    ("axis", lambda np, x: np.gradient(x, at[-1].tolist(), edge_order=ends,
                                                       axis=-1)),
                    ("all", lambda np, x: np.gradient(x, *[v.tolist() for v in at],
                                                      edge_order=ends))):
                self.check((what, shape, dtype, ends), function, x)

    def test_orders(self):
        """Elements by rows and by columns, flags, and places of several kth."""
        for shape in ((2, 3), (3,), (2, 3, 4), (0, 3), ()):
            x = self.random.random(shape)
            for order in ("C", "F", "A", "Z"):
                self.check((shape, order), lambda np, x: [
                    np.reshape(x, (-1,), order=order), x.ravel(order), x.flatten(order),
                    x.T.ravel(order), x.T.reshape(-1, order=order)], x)
            for flag in ("c_contiguous", "f_contiguous", "writeable"):
                self.check((shape, flag), lambda np, x: [
                    numpy.asarray(getattr(y.flags, flag))
                    for y in (x, x.T, x[..., ::2] if x.ndim else x, x[::-1] if x.ndim else x)], x)
        x = self.random.integers(0, 9, (3, 5))
        for kth, axis in itertools.product((0, -1, [0, 2], [1, -1], (2,), [9]), (-1, 0, None)):
            self.check((kth, axis), lambda np, x: np.take(
                np.partition(x, kth, axis=axis), np.asarray(kth), axis=axis), x)

    def test_scalar_types(self):
        """The smallest dtype of a number."""
        for x in (0, 1, 255, 256, -1, -129, 2**40, -2**40, 1.5, 1e30, 1e300, 1j, True, 2**63):
            self.assertEqual(ty.min_scalar_type(x).name, numpy.min_scalar_type(x).name, x)

    @unittest.skipUnless(versions.at_least("numpy", "2.0"), "NumPy promoted by values")
    def test_result_types(self):
        """NumPy's numbers and arrays have a dtype, those of Python adopt that of others."""
        operands = [1, 2.0, True, numpy.float64(1), numpy.float32(1), numpy.int64(1),
                    numpy.complex128(1), numpy.bool_(True), numpy.float64, "int16",
                    numpy.dtype("u2"), numpy.ones(2, "f4"), numpy.ones(2, "i1")]
        for pair in itertools.product(operands, repeat=2):
            self.assertEqual(ty.result_type(*pair).name, numpy.result_type(*pair).name, pair)
        x = numpy.ones(2, "f4")
        for one in operands[:8]:
            self.assertEqual(ty.result_type(ty.asarray(x), one).name,
                             (ty.asarray(x) * one).dtype.name, one)

    def test_files(self):
        """NumPy reads what the package writes, and the other way round."""
        with tempfile.TemporaryDirectory() as folder:
            for np, other in ((ty, numpy), (numpy, ty)):
                x = np.reshape(np.arange(6, dtype=np.int16), (2, 3))
                path = str(pathlib.Path(folder) / np.__name__)
                np.save(path, x)
                np.savez(path + ".npz", x, y=x.T)
                np.savetxt(path + ".txt", x, fmt="%d", delimiter=";", header="a\nb", footer="c")
                self.assertEqual(other.load(path + ".npy").tolist(), x.tolist())
                with other.load(path + ".npz") as found:
                    self.assertEqual(found["y"].tolist(), x.T.tolist())
                    self.assertEqual(sorted(found.files), ["arr_0", "y"])
                self.assertEqual(other.loadtxt(path + ".txt", delimiter=";").tolist(), x.tolist())


class Names(unittest.TestCase):
    """What needs no NumPy."""

    def refused(self, kind, words, function, *arguments, **options):
        """Check the exception of a call."""
        with self.assertRaisesRegex(kind, words):
            function(*arguments, **options)

    def test_texts(self):
        """Lines that are no numbers are refused, and gaps filled where they may be."""
        self.refused(ValueError, "row 1 has no number in column 1", ty.loadtxt, ["1,2", "3,"],
                     delimiter=",")
        self.refused(ValueError, "'two' in column 1 is no number", ty.loadtxt, ["1 2", "3 two"])
        for words in ("1,NA", "1,null", "1, "):
            self.refused(ValueError, "number", ty.loadtxt, [words], delimiter=",")
        self.assertEqual(str(ty.loadtxt(["1,nan", "2,-NaN"], delimiter=",")[:, 1]), "[nan nan]")
        words = ty.genfromtxt(["1 2.5", "3 two"])
        self.assertEqual(ty.nan_to_num(words, nan=-1).tolist(), [[1, 2.5], [3, -1]])
        self.refused(ValueError, "stat_length", ty.pad, ty.ones(3), 1, "mean", stat_length=0)
        self.refused(ValueError, "", ty.loadtxt, ["1 2", "3"])
        self.refused(ValueError, "one character", ty.loadtxt, ["1"], delimiter=", ")
        self.refused(ValueError, "ndmin is 3", ty.loadtxt, ["1"], ndmin=3)
        self.refused(OSError, "no.txt", ty.loadtxt, "no.txt")
        filled = ty.genfromtxt(["1,2", "3,none"], delimiter=",", missing_values="none",
                               filling_values=-1)
        self.assertEqual(filled.tolist(), [[1, 2], [3, -1]])
        self.assertEqual(ty.loadtxt(["7"]).shape, ())
        self.assertEqual(ty.loadtxt(["1 2", "3 4"], dtype=ty.int8, usecols=1).tolist(), [2, 4])
        self.refused(ValueError, "formats? for each", ty.savetxt, io.StringIO(), [[1, 2]],
                     fmt=["%d"])
        self.assertEqual(ty.fromstring("1;2", sep=";", dtype=int).tolist(), [1, 2])

    def test_archives(self):
        """Files that are absent, damaged or have other names are told."""
        self.refused(OSError, "none.npy", ty.load, "none.npy")
        self.refused(ValueError, "", ty.load, io.BytesIO(b"\x93NUMPY damaged"))
        self.refused(ValueError, "mmap_mode", ty.load, "none.npy", mmap_mode="r+")
        self.refused(ValueError, "arr_0", ty.savez, io.BytesIO(), ty.ones(1), arr_0=ty.ones(1))
        file = io.BytesIO()
        ty.savez_compressed(file, a=ty.zeros(10_000))
        self.assertLess(len(file.getvalue()), 5000)
        file.seek(0)
        found = ty.load(file)
        self.refused(KeyError, "the file has a", found.__getitem__, "b")
        self.assertEqual(found["a"].shape, (10_000,))
        found.close()
        self.assertEqual(repr(found), "<npz of a>")

    def test_elements(self):
        """x.flat is read and assigned; a view shows it."""
        x = ty.reshape(ty.arange(6), (2, 3))
        x.T.flat[1] = 9
        self.assertEqual(x.tolist(), [[0, 1, 2], [9, 4, 5]])
        x.flat = [1, 2]
        self.assertEqual(x.tolist(), [[1, 2, 1], [2, 1, 2]])
        self.assertEqual([int(v) for v in x.flat], [1, 2, 1, 2, 1, 2])
        self.refused(IndexError, "", x.flat.__getitem__, 6)
        self.refused(KeyError, "C_CONTIGUOUS", x.flags.__getitem__, "NONE")
        self.assertFalse(ty.asarray(memoryview(b"1")).flags.writeable)

    def test_grids(self):
        """Slices become vectors."""
        self.assertEqual(ty.mgrid[0:2, 1:3].tolist(), [[[0, 0], [1, 1]], [[1, 2], [1, 2]]])
        self.assertEqual([v.shape for v in ty.ogrid[0:2, 0:3]], [(2, 1), (1, 3)])
        self.assertEqual(ty.r_[0:3, 7, [8, 9]].tolist(), [0, 1, 2, 7, 8, 9])
        self.refused(ValueError, "directive", ty.r_.__getitem__, ("0,2", [1]))
        self.refused(ValueError, "stop", ty.mgrid.__getitem__, slice(1, None))

    def test_dtypes(self):
        """Dtypes convert numbers, texts and sequences."""
        self.assertEqual(repr(ty.float32(0.5)), repr(ty.asarray(0.5, dtype=ty.float32)))
        self.assertEqual(ty.int64(-3.7).tolist(), -3)
        self.assertEqual(ty.float64("1.5").tolist(), 1.5)
        self.assertEqual(ty.bool([0, 2]).tolist(), [False, True])
        self.assertEqual(ty.int8().tolist(), 0)
        self.refused(ValueError, "", ty.int8, "one")
        self.assertTrue(ty.issubdtype(ty.int8, ty.integer))
        self.assertFalse(ty.issubdtype(ty.complex64, ty.floating))

    def test_lists(self):
        """Lists and tuples beside arrays are operands."""
        v = ty.asarray([1, 2, 3])
        self.assertEqual((v == [1, 0, 3]).tolist(), [True, False, True])
        self.assertEqual((v != (1, 0, 3)).tolist(), [False, True, False])
        self.assertEqual(([1, 2, 3] - v).tolist(), [0, 0, 0])
        self.assertEqual((v * [0.5, 1, 2]).dtype, ty.float64)
        v += [1, 1, 1]
        self.assertEqual(v.tolist(), [2, 3, 4])
        self.assertIs(v == "text", False)
        self.refused(TypeError, "no number", lambda: v + ["a"])
        self.refused(ValueError, "broadcast", lambda: v == [1, 2])

    def test_generators(self):
        """Equal seeds give equal sequences; calls and children differ."""
        one, two = ty.random.default_rng(3), ty.random.default_rng(3)
        draws = {
            "random": (4,), "standard_normal": (4,), "exponential": (2.0, 4),
            "gamma": (2.0, 1.0, 4),
            "normal": (ty.asarray([0.0, 5.0]), 1.0), "uniform": (1, 2, 4), "poisson": (3.0, 4),
            "binomial": (5, 0.5, 4), "integers": (1, 7, 4), "choice": (9, 4), "permutation": (5,),
            "beta": (1.0, 2.0, 4), "laplace": (0, 1, 4), "lognormal": (0, 1, 4),
            "chisquare": (3.0, 4), "multivariate_normal": ([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]], 3),
        }
        for name, arguments in draws.items():
            first = getattr(one, name)(*arguments)
            with self.subTest(name):
                self.assertEqual(first.tolist(), getattr(two, name)(*arguments).tolist())
                later = [getattr(one, name)(*arguments).tolist() for _ in range(5)]
                [getattr(two, name)(*arguments) for _ in range(5)]
                self.assertTrue(any(first.tolist() != x for x in later))
        x = list(range(20))
        one.shuffle(x)
        self.assertEqual(sorted(x), list(range(20)))
        y = ty.arange(20)
        one.shuffle(y)
        self.assertEqual(ty.sort(y).tolist(), x and list(range(20)))
        a, b = two.spawn(2)
        self.assertNotEqual(a.random(3).tolist(), b.random(3).tolist())
        n = one.integers(0, 3, 1000, endpoint=True)
        self.assertEqual((int(ty.min(n)), int(ty.max(n))), (0, 3))
        self.assertEqual(one.random().shape, ())
        self.refused(ValueError, "", one.integers, 3, 1)
        self.refused(ValueError, "below", one.integers, [0, 3], [1, 1])
        n = one.integers(ty.asarray([5, 9]), ty.asarray([6, 11]), (400, 2), ty.int8)
        self.assertEqual(n.dtype, ty.int8)
        self.assertEqual([{*column} for column in n.T.tolist()], [{5}, {9, 10}])

    def test_permuted(self):
        """Each line has an order of its own; without an axis all elements have one."""
        x = ty.reshape(ty.arange(80), (2, 40))
        rng = ty.random.default_rng(5)
        one, other = rng.permuted(x, axis=1).tolist()
        self.assertEqual((sorted(one), sorted(other)), tuple(x.tolist()))
        self.assertNotEqual([n + 40 for n in one], other)
        self.assertNotEqual(one, x[0].tolist())
        columns = rng.permuted(x, axis=0)
        self.assertEqual(ty.sort(columns, axis=0).tolist(), x.tolist())
        self.assertGreater(len({*(columns - x)[0].tolist()}), 1)
        mixed = rng.permuted(x)
        self.assertEqual(sorted(ty.ravel(mixed).tolist()), list(range(80)))
        self.assertTrue(bool(ty.any(mixed[0] >= 40)))
        self.assertEqual(sorted(rng.permuted([3, 1, 2]).tolist()), [1, 2, 3])

    def test_recorded(self):
        """Functions can be recorded, mapped over examples and differentiated."""
        x = ty.asarray([[1.0, 2.0, 4.0], [3.5, 5.0, 9.0]])
        for function in (
                lambda x: ty.pad(x, 1, "mean"), lambda x: ty.pad(x, 2, "linear_ramp"),
                lambda x: ty.pad(x, (1, 2), "reflect", reflect_type="odd"),
                lambda x: ty.pad(x, 1, "maximum", stat_length=2),
                lambda x: ty.gradient(x, [0.0, 1.0, 3.0], axis=1, edge_order=2),
                lambda x: ty.partition(x, [0, 2]), lambda x: ty.ravel(x, "F"),
                lambda x: ty.piecewise(x, [x < 3], [lambda v: v * v, lambda v: -v]),
                lambda x: x * [1, 2, 3] + (1, 1, 1), lambda x: x.flat[::2],
                lambda x: ty.r_[x[0], 0.5]):
            want = function(x)
            self.assertTrue(ty.allclose(ty.jit(function)(x), want))
            each = ty.vmap(lambda row: function(row[None, :]))(x)
            self.assertTrue(ty.allclose(each[1], function(x[1:])))
            slope = ty.grad(lambda x: ty.sum(function(x) ** 2))(x)
            step = 1e-6 * ty.asarray([[1.0, -2.0, 3.0], [2.0, 1.0, -1.0]])
            change = [ty.sum(function(x + s) ** 2) for s in (step, -step)]
            self.assertAlmostEqual(float(change[0] - change[1]) / 2e-6,
                                   float(ty.sum(slope * step)) / 1e-6, 3)

    def test_printing(self):
        """Options of printing are NumPy's and can be put back."""
        x = ty.asarray([1 / 3, 2.0])
        before = repr(x)
        with ty.printoptions(precision=2):
            self.assertEqual(str(x), "[0.33 2.  ]")
        self.assertEqual(repr(x), before)
        self.refused(TypeError, "no option 'digits'", ty.set_printoptions, digits=3)
        self.refused(NotImplementedError, "isfinite", ty.errstate, divide="raise")


if __name__ == "__main__":
    unittest.main()
