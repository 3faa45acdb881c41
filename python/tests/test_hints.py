"""Messages name functions and words of Python, and misspelt names get hints."""

import os
import subprocess
import sys
import unittest

import tyto as ty
from tyto import _hints

X = ty.ones((2, 3))


class Hints(unittest.TestCase):
    """What a message says."""

    def says(self, words, function, *arguments, **keywords):
        """Check that a call raises a message that has the words and no name of C."""
        with self.assertRaises(Exception) as caught:
            function(*arguments, **keywords)
        message = str(caught.exception)
        self.assertIn(words, message)
        self.assertNotRegex(message, r"\b(ty|TY)_")
        return message

    def test_modules(self):
        """The module names the nearest attribute."""
        for name, near in (("aranage", "arange"), ("lnspace", "linspace"), ("cat", "concat"),
                           ("tensor", "asarray"), ("linag", "linalg"), ("optmi", "optim"),
                           ("compile", "jit"), ("read_csv", "table.read_csv")):
            self.says(f"no attribute '{name}': did you mean '{near}'?", getattr, ty, name)
        for module, name, near in ((ty.linalg, "invv", "inv"), (ty.stats, "zscor", "zscore"),
                                   (ty.random, "randn", "default_rng(seed).standard_normal"),
                                   (ty.nn, "MultiheadAttention", "multi_head_attention"),
                                   (ty.nn, "ReLU", 'activation("relu")'), (ty.optim, "SGD", "sgd"),
                                   (ty.nn.losses, "MSELoss", "mse"),
                                   (ty.nn, "CrossEntropyLoss", "losses.cross_entropy")):
            self.says(f"'{module.__name__}' has no attribute '{name}': did you mean '{near}'?",
                      getattr, module, name)
            self.assertFalse(hasattr(module, "__wrapped__"))
        with self.assertRaises(AttributeError) as caught:
            getattr(ty, "qqqqqq")
        self.assertNotIn("did you mean", str(caught.exception))

    def test_help(self):
        """Descriptions are in words of Python, and say what the library says of a function."""
        docs = {name: getattr(ty.c, name).__doc__ for name in dir(ty.c)}
        for words, most in (("poison", 30), ("NULL", 0), ("ty_", 0), ("caller frees", 0)):
            self.assertLessEqual(sum(words in (doc or "") for doc in docs.values()), most, words)
        self.assertIn("pivot", ty.linalg.solve.__doc__)
        self.assertNotIn("Bartlett window", ty.stats.bartlett.__doc__)

    def test_dir(self):
        """Modules show their public names, and none that they import."""
        for module in (ty.fft, ty.nn, ty.nn.losses, ty.optim, ty.data.steps, ty.transform):
            self.assertFalse({"c", "as_array", "Any", "os", "operator"} & {*dir(module)}, module)
        self.assertIn("map", dir(ty.transform))
        self.assertIn("logsumexp", dir(ty.special))

    @unittest.skipUnless(sys.version_info >= (3, 10), "Python 3.10 suggests names of attributes")
    def test_arrays(self):
        """Python itself suggests attributes of arrays."""
        code = "import tyto; tyto.ones(3).reshap(3)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={"PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertIn("reshape", done.stderr.splitlines()[-1])

    def test_keywords(self):
        """Functions of the library name the nearest argument."""
        self.says("sum() has no argument 'axs': did you mean 'axis'?", ty.c.sum, X, axs=0)

    def test_advice(self):
        """Advice names functions of this package where it has them."""
        self.says("; use array_split", ty.split, ty.arange(6), 4)
        self.says("; use astype", lambda: ty.ones(3) & 1)
        self.says("(transpose)", lambda: X @ X)

    def test_names(self):
        """Messages name the function that was called."""
        for words, call in (
                ("swapaxes", lambda: ty.swapaxes(X, 0, 5)),
                ("matrix_transpose", lambda: ty.matrix_transpose(ty.ones(3))),
                ("solve", lambda: ty.linalg.solve(X, X)),
                ("max", lambda: ty.max(X, axis=7)),
                ("concat", lambda: ty.concat([X, ty.ones(2)])),
                ("divide", lambda: ty.divide(X, ty.ones(4)))):
            with self.subTest(words):
                self.assertTrue(self.says(words, call).startswith(words))

    def test_words(self):
        """Constants of C are words."""
        words = ty._core._words
        self.assertEqual(words["TY_FFT_ORTHO"], "ortho")
        message = _hints.spoken("unknown norm 7; expected TY_FFT_BACKWARD or TY_FFT_ORTHO")
        self.assertEqual(message, "unknown norm 7; expected 'backward' or 'ortho'")
        message = _hints.spoken("call ty_max, ty_div, ty_neg, ty_kmeans or ty_none")
        self.assertEqual(message, "call maximum, divide, negative, c.kmeans or ty_none")

    def test_repeated_axes(self):
        """An axis is given once."""
        for axes in ((0, 0), (1, 0, 1), (0, -2)):
            for function in (ty.sum, ty.mean, ty.max, ty.std, ty.all, ty.median, ty.count_nonzero):
                with self.subTest(axes=axes, function=function.__name__):
                    self.says("twice", function, X, axis=axes)


class Options(unittest.TestCase):
    """Messages name options as Python writes them."""

    def test_options(self):
        """Words of C and of the command are left out."""
        for said, words in (
            ("x (.ragged of ty_table_options; tyto --ragged)", "x (ragged=...)"),
            ("x (.words; tyto convert --words)", "x (words=...)"),
            ("x: set .rate of ty_file_options, or --rate of tyto convert", "x: set rate=..."),
            ("x: .layout of ty_weights_options, or --layout pytorch of tyto", "x: layout=..."),
            ("a.npy; tyto --help", "a.npy; tyto --help"),
        ):
            self.assertEqual(_hints.spoken(said), words)
        with self.assertRaisesRegex(ty.Error, r"let it be missing \(ragged=...\)"):
            ty.table.parse_csv("a,b\n1\n2,3\n")


if __name__ == "__main__":
    unittest.main()
