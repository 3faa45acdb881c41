"""Names of other libraries that the package lacks lead to what it has."""

import pathlib
import re
import unittest

import tyto as ty
import versions
from test_tools import RELU
from tyto import _elsewhere, learn, nn, onnx, optim, table

try:
    import numpy
except ImportError:
    numpy = None

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def reached(value, found=ty):
    """Return what a value of a table names in a module."""
    for word in value.split("(")[0].split("."):
        found = getattr(found, word)
    return found


class Tables(unittest.TestCase):
    """Entries of the tables."""

    def test_values(self):
        """A name that an entry leads to exists, and a sentence ends the message."""
        for space, table in ((ty, _elsewhere.MODULE), (ty.random, _elsewhere.RANDOM),
                             (ty.stats, _elsewhere.STATS), (ty.plot, _elsewhere.PLOTS)):
            for name, value in table.items():
                with self.subTest(name=name):
                    self.assertFalse(hasattr(space, name))
                    if value.startswith(":"):
                        self.assertNotIn("{", value.replace("{x", ""))
                    else:
                        self.assertIsNotNone(self.anywhere(space, value))

    def anywhere(self, space, value):
        """Return what a value names, in a module or in the package."""
        first = value.split("(")[0].split(".")[0]
        near = space if first in dir(space) else ty
        return reached(value, ty.random if first == "default_rng" else near)

    def test_objects(self):
        """Names that tables and fits lack name the replacement."""
        t = ty.table.Table({"x": [1.0, 2, 4], "y": [1.0, 3, 8], "a b": [1, 2, 3]})
        fit = t.fit("y ~ x")
        net, model = nn.Sequential(nn.linear(2)), onnx.load(RELU)
        for x, table in ((t, _elsewhere.TABLES), (fit, _elsewhere.FITS), (net, _elsewhere.MODELS),
                         (model, _elsewhere.MODELS_OF_ONNX)):
            for name, value in table.items():
                with self.subTest(name=name):
                    self.assertNotIn("{0}", value)
                    self.assertRaisesRegex(AttributeError, re.escape(value),
                                           lambda x=x, name=name: getattr(x, name))
        self.assertRaisesRegex(AttributeError, r"write x\['x'\]", lambda: t.x)
        self.assertRaisesRegex(AttributeError, "'gruop': did you mean 'group'", lambda: t.gruop)
        self.assertFalse(hasattr(t, "__array_interface__"))
        for name in ("part", "compare", "prediction", "report", "coefficients"):
            self.assertIn(name, dir(fit))
        for value in (*_elsewhere.TABLES.values(), *_elsewhere.FITS.values()):
            for name in re.findall(r"(?<=\bt\.)\w+", value):
                self.assertTrue(hasattr(ty.table.Table, name), value)
            for name in re.findall(r"(?<=\bfit\.report\.)\w+", value):
                self.assertTrue(hasattr(fit.report, name), value)
        for x, table in ((net, _elsewhere.MODELS), (model, _elsewhere.MODELS_OF_ONNX)):
            for value in table.values():
                for name in re.findall(r"(?<=\bnet\.)(\w+)\(", value):
                    self.assertTrue(hasattr(x, name), value)
        for value in _elsewhere.FITS.values():
            for part in re.findall(r"fit\.part\('(\w+)'\)", value):
                self.assertIsNotNone(fit.part(part))

    def test_arrays(self):
        """Arrays lack the attributes, do not list them, and name the replacement."""
        x = ty.ones(2)
        for name, value in _elsewhere.ARRAY.items():
            with self.subTest(name=name):
                self.assertFalse(hasattr(x, name))
                self.assertFalse(hasattr(ty.Array, name))
                self.assertNotIn(name, dir(x))
                with self.assertRaises(AttributeError) as caught:
                    getattr(x, name)
                self.assertIn(value, str(caught.exception))
        self.assertIn("reshape", dir(x))
        self.assertRaisesRegex(AttributeError, "expand_dims", lambda: x.unsqueeze(0))

    def test_assigned_attributes(self):
        """Attributes that NumPy assigns name the replacement."""
        x = ty.asarray([1 + 2j, 3])
        advice = {"shape": "reshape", "dtype": "view", "real": "x.real", "imag": "x.imag"}
        for name, words in advice.items():
            with self.subTest(name=name):
                with self.assertRaisesRegex(AttributeError, words):
                    setattr(x, name, getattr(x, name))
                with self.assertRaisesRegex(AttributeError, words):
                    delattr(x, name)
        x.real[...] = 5
        self.assertEqual(x.tolist(), [5 + 2j, 5])

    def test_advice(self):
        """What the sentences tell to write for methods of elements is there."""
        for name, value in _elsewhere.ARRAY.items():
            if value == f": write tyto.{name}(x)":
                with self.subTest(name=name):
                    self.assertTrue(callable(getattr(ty, name)))

    def test_arguments(self):
        """Arguments of NumPy's ufuncs lead to their replacement."""
        x = ty.zeros(2)
        for function, given in ((ty.add, (x, x, x)), (ty.sin, (x, (x,)))):
            self.assertRaisesRegex(TypeError, "positional arguments?, not .*named, out=",
                                   function, *given)
        with self.assertRaises(TypeError) as caught:
            ty.add(1, 2, 3)
        self.assertNotIn("out", str(caught.exception))
        self.assertRaisesRegex(TypeError, r"no argument 'where': write where\(mask",
                               lambda: ty.add(1, 2, where=True))
        self.assertRaisesRegex(TypeError, "no argument 'dtype': write f",
                               lambda: ty.sin(1.0, dtype=ty.float32))


@unittest.skipUnless(versions.at_least("numpy", "2.0"), "names of NumPy 2 are compared")
class Numpy(unittest.TestCase):
    """All names of NumPy are here, or in a table, or in a list of this test."""

    def check(self, theirs, ours, known):
        """Compare names."""
        missing = {name for name in dir(theirs) if name[0] != "_" and not hasattr(ours, name)}
        self.assertEqual(sorted(missing - set(known)), [])

    def test_modules(self):
        """Names of modules."""
        self.check(numpy, ty, _elsewhere.MODULE)
        self.check(numpy.linalg, ty.linalg, ["test"])
        self.check(numpy.fft, ty.fft, ["test"])
        self.check(numpy.random, ty.random, [*_elsewhere.RANDOM, "random", "test"])

    def test_methods(self):
        """Methods of arrays and of generators."""
        self.check(numpy.ndarray, ty.Array, _elsewhere.ARRAY)
        self.check(numpy.random.Generator, type(ty.random.default_rng(0)),
                   ["bit_generator", "logseries", "multivariate_hypergeometric", "zipf"])

    def test_page(self):
        """docs/python.md lists NumPy's names that are absent."""
        page = PAGE.read_text(encoding="utf-8")
        names = {name for name in _elsewhere.MODULE
                 if hasattr(numpy, name) and name not in _elsewhere.RANDOM}
        names |= {"x." + name for name in _elsewhere.ARRAY if hasattr(numpy.ndarray, name)}
        missing = [name for name in sorted(names) if f"`{name}`" not in page]
        self.assertEqual(missing, [])


class Objects(unittest.TestCase):
    """What users of scikit-learn and NumPy write first."""

    def test_linear(self):
        """Attributes of estimators lead to those of linear models."""
        model = learn.ridge(ty.eye(3), ty.arange(3.0))
        for name, words in (("coef_", "model.coefficients"), ("score", "nn.metrics.r2"),
                            ("predct", "'predict'")):
            with self.assertRaisesRegex(AttributeError, words):
                getattr(model, name)

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_dates(self):
        """Dates say what to write instead; tables take them."""
        days = numpy.array(["2024-01-01"], "datetime64[D]")
        with self.assertRaisesRegex(TypeError, "datetime64.D. have no dtype here; tables take"):
            ty.asarray(days)
        self.assertEqual(ty.asarray(days.astype("int64")).tolist(), [19723])
        self.assertEqual(table.Table({"day": days})["day"], ["2024-01-01"])


class Options(unittest.TestCase):
    """Options of layers as PyTorch and Keras write them."""

    def test_sizes_of_inputs(self):
        """A size of the input, which other libraries take first, is no option here."""
        for wrong in (lambda: nn.linear(6, 3), lambda: nn.linear(6, no_bias=2)):
            with self.assertRaisesRegex(TypeError, "no_bias is [23]; expected True or False"):
                wrong()
        with self.assertRaisesRegex(ValueError, "epsilon is 16; expected at most 1.  Sizes of"):
            nn.batch_norm(16)
        self.assertEqual(repr(nn.linear(2, False)), "nn.linear(units=2, no_bias=False)")

    def test_bias(self):
        """bias=False leaves the parameter out."""
        for value, names in ((False, ["linear1.weight"]), (0, ["linear1.weight", "linear1.bias"]),
                             (True, ["linear1.weight", "linear1.bias"])):
            made = nn.Sequential(nn.linear(3, bias=value)).build((1, 2))
            self.assertEqual(list(made.parameters()), names)

    def test_names(self):
        """Other names of options are answered by those here."""
        for make, words in ((lambda: nn.conv2d(3, 4, kernel_size=3), "did you mean 'size'"),
                            (lambda: nn.linear(out_features=3), "did you mean 'units'"),
                            (lambda: nn.conv1d(filters=3), "did you mean 'channels'"),
                            (lambda: nn.linear(in_features=3), "those of the first call"),
                            (lambda: nn.conv2d(padding=1), "same=True keeps sizes"),
                            (lambda: nn.lstm(3, num_layers=2), "did you mean 'layers'"),
                            (lambda: nn.dropout(rate=0.1), "did you mean 'p'"),
                            (lambda: nn.linear(unit=3), "did you mean 'units'")):
            with self.assertRaisesRegex(TypeError, words):
                make()
        for module, name, words in ((optim, "AdamW", "'adamw'"), (optim, "SGD", "'sgd'"),
                                    (nn, "Dense", "'linear'")):
            with self.assertRaisesRegex(AttributeError, words):
                getattr(module, name)


if __name__ == "__main__":
    unittest.main()
