"""Compare functions with NumPy's of the same names.

Each NumPy expression of tests/goldens/goldens.txt is evaluated twice: by NumPy, and with this
package under NumPy's names.
"""

import importlib.util
import pathlib
import unittest
import warnings

import tyto as ty
import versions

try:
    import numpy
except ImportError:
    numpy = None

GOLDENS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens"

# Parts of expressions that the package does not have, with the reason.  Each must occur in one
# that fails, so that the list shrinks.
MISSING = {
    "lib.stride_tricks": "sliding_window_view is in the namespace itself",
    ".accumulate": "cummax and cummin are functions; operators have no methods",
    ".at(": "assigning has no mode that adds",
    '"f': "names of dtypes that count bytes are refused or unknown",
    '"i': "names of dtypes that count bytes are refused or unknown",
    '"u': "names of dtypes that count bytes are refused or unknown",
    "leggauss": "the library's gauss_legendre is in tyto.c",
    "searchsorted(a=": "the standard's parameters have no names",
    "lstsq": "residuals of one right-hand side have no axis",
}
HELPERS = ("turned_svd", "turned_eigh", "lu_of", "of_eigenvalues")  # of make.py


def golden_module():
    """Return tests/goldens/make.py as a module: its inputs and names."""
    spec = importlib.util.spec_from_file_location("goldens_make", GOLDENS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expressions():
    """Return the expressions of NumPy by line."""
    lines = (GOLDENS / "goldens.txt").read_text(encoding="utf-8").splitlines()
    texts = {number: line.split(" | ")[-1].strip() for number, line in enumerate(lines, 1)
             if line and line[0] != "#"}
    return {n: text for n, text in texts.items() if not any(h in text for h in HELPERS)}


def from_numpy(array):
    """Return an array of a NumPy array's elements, without any exchange of memory."""
    return ty.reshape(ty.asarray(array.ravel().tolist(), dtype=str(array.dtype)), array.shape)


def arrays(value):
    """Return the arrays in nested tuples as (shape, complex elements)."""
    if isinstance(value, (tuple, list)):
        return [one for item in value for one in arrays(item)]
    if isinstance(value, ty.Array):
        elements = numpy.array(ty.ravel(value).tolist(), complex)
        return [(value.shape, elements)]
    value = numpy.asarray(value)
    return [(value.shape, value.ravel().astype(complex))]


def equal(got, want):
    """Return True if two lists of arrays have equal shapes and close elements."""
    return len(got) == len(want) and all(
        a[0] == b[0] and numpy.allclose(a[1], b[1], rtol=1e-5, atol=1e-6, equal_nan=True)
        for a, b in zip(got, want))


@unittest.skipUnless(numpy, "NumPy is not installed")
class Goldens(unittest.TestCase):
    """Results equal NumPy's."""

    def names(self, module):
        """Return NumPy's names, and the same names of this package."""
        theirs = dict(module.names)
        ours = {name: getattr(ty, name) for name in dir(ty)}
        ours.update(np=ty, none=None, true=True, false=False)
        short = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
        for name in theirs:  # the short names of make.py
            long = short.get(name[0], "") + name[1:]
            if name[1:] in ("8", "16", "32", "64", "128") and hasattr(ty, long):
                ours[name] = getattr(ty, long)
        ours["bool"] = ty.bool
        return ours, theirs

    def problem(self, text, ours, theirs, inputs):
        """Return what is wrong with an expression, or None."""
        try:
            want = arrays(eval(text, dict(theirs)))
        except Exception:  # another version of NumPy
            return None
        try:
            copies = {name: from_numpy(value) for name, value in inputs.items()}
            got = arrays(eval(text, {**ours, **copies}))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if equal(got, want):
            return None
        return f"{[a[1][:9] for a in got]} instead of {[a[1][:9] for a in want]}"

    def test_goldens(self):
        """Each expression has NumPy's result, or contains what is missing."""
        module = golden_module()
        ours, theirs = self.names(module)
        used, wrong, count = set(), [], 0
        for number, text in expressions().items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                problem = self.problem(text, ours, theirs, module.inputs)
            count += 1
            if problem is None:
                continue
            reasons = [part for part in MISSING if part in text]
            used.update(reasons)
            if not reasons:
                wrong.append(f"goldens.txt:{number}: {text}: {problem}")
        self.assertFalse(wrong, "\n" + "\n".join(wrong))
        self.assertEqual(used, set(MISSING), "reasons that no expression needs any more")
        self.assertGreater(count, 1000)


@unittest.skipUnless(numpy, "NumPy is not installed")
class Scalars(unittest.TestCase):
    """Numbers and dtypes of NumPy beside arrays."""

    @unittest.skipUnless(versions.at_least("numpy", "2.0"), "NumPy promoted by values")
    def test_dtypes(self):
        """A number of NumPy has its dtype, also where it is a number of Python, too."""
        numbers = (numpy.float64(2), numpy.float32(2), numpy.int8(2), numpy.complex128(2),
                   numpy.complex64(2), numpy.bool_(True), numpy.uint16(2))
        for dtype in ("float32", "float64", "int8", "int64", "complex64", "uint8"):
            x, y = ty.ones(2, dtype=dtype), numpy.ones(2, dtype=dtype)
            for n in numbers:
                with self.subTest(dtype=dtype, number=type(n).__name__):
                    for got in (x * n, n * x, ty.multiply(x, n), ty.multiply(n, x)):
                        self.assertIsInstance(got, ty.Array)
                        self.assertEqual(str(got.dtype), str((y * n).dtype))
                    self.assertEqual((x == n).tolist(), (y == n).tolist())

    def test_conversion(self):
        """NumPy takes dtypes of the package, and the package those of NumPy."""
        for name in ("bool", "int8", "uint64", "float16", "float64", "complex64"):
            ours = getattr(ty, name)
            self.assertEqual(numpy.dtype(ours), numpy.dtype(name))
            self.assertEqual(ty.dtype(numpy.dtype(name)), ours)
            self.assertEqual(ours, numpy.dtype(name))
            self.assertEqual(numpy.dtype(name).type, ours)
            self.assertNotEqual(ours, numpy.int16)
            self.assertEqual(numpy.zeros(2, dtype=ours).dtype, numpy.dtype(name))
        with self.assertRaises(TypeError):
            numpy.dtype(ty.bfloat16)


if __name__ == "__main__":
    unittest.main()
