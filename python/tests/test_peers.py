"""Compare the modules with SciPy and NumPy, for each line of peers.txt."""

import importlib
import pathlib
import unittest
import warnings

import tyto as ty
import versions

MODULES = {"np": "numpy", "ss": "scipy.special", "st": "scipy.stats", "sg": "scipy.signal",
           "sl": "scipy.linalg", "sf": "scipy.fft", "sd": "scipy.spatial.distance"}
try:
    peers = {short: importlib.import_module(name) for short, name in MODULES.items()}
    numpy = peers["np"]
except ImportError:
    peers = numpy = None


def inputs():
    """Return the operands of all expressions."""
    random = numpy.random.default_rng(3)
    return {"x": random.random(20) * 3 + 0.1, "y": random.random(20) + 0.5,
            "a": random.random((4, 4)) + numpy.eye(4) * 2, "p": random.random((9, 3)),
            "q": random.random((5, 3)), "i": numpy.arange(1, 8), "t": numpy.array([[8, 2], [1, 5]]),
            "w": random.random(12)}


def from_numpy(array):
    """Return an array of a NumPy array's elements, without any exchange of memory."""
    return ty.reshape(ty.asarray(array.ravel().tolist(), dtype=str(array.dtype)), array.shape)


def arrays(value):
    """Return the arrays of NumPy in nested tuples."""
    if isinstance(value, ty.Array):
        return [numpy.array(value.tolist()).reshape(value.shape)]
    if isinstance(value, (tuple, list)):
        return [one for item in value for one in arrays(item)]
    return [numpy.asarray(value)]


def equal(got, want):
    """Return True if two lists of arrays have equal shapes and close elements."""
    return len(got) == len(want) and all(
        a.shape == b.shape and numpy.allclose(a, b, rtol=1e-7, equal_nan=True)
        for a, b in zip(got, want))


@unittest.skipUnless(peers, "NumPy or SciPy is not installed")
class Peers(unittest.TestCase):
    """Results equal those of NumPy and SciPy."""

    def test_peers(self):
        """Each line of peers.txt has one value."""
        text = (pathlib.Path(__file__).resolve().parent / "peers.txt").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.assertGreater(len(lines), 150)
        theirs = inputs()
        for line in lines:
            line, comparable = versions.marked(line)
            if not comparable:
                continue
            ours, other = line.split(" | ")
            copies = {name: from_numpy(value) for name, value in theirs.items()}
            with self.subTest(ours=ours), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    want = arrays(eval(other, {**peers, **theirs}))
                except (AttributeError, TypeError):  # an older SciPy
                    continue
                got = arrays(eval(ours, {"ty": ty, **copies}))
                self.assertTrue(equal(got, want), f"{got} instead of {want}")


if __name__ == "__main__":
    unittest.main()
