"""Generators of random numbers: distributions, refusals, seeds."""

import math
import unittest

import tyto as ty

try:
    import numpy
except ImportError:
    numpy = None

N = 20000  # draws: means within five standard errors
# Methods, arguments, means and variances of one draw; variances of NaN are infinite.
MOMENTS = (
    ("random", (), 0.5, 1 / 12),
    ("uniform", (-1, 3), 1, 16 / 12),
    ("standard_normal", (), 0, 1),
    ("normal", (3, 2), 3, 4),
    ("lognormal", (0.3, 0.5), math.exp(0.425), (math.exp(0.25) - 1) * math.exp(0.85)),
    ("standard_exponential", (), 1, 1),
    ("exponential", (3,), 3, 9),
    ("laplace", (1, 2), 1, 8),
    ("logistic", (1, 2), 1, 4 * math.pi ** 2 / 3),
    ("gumbel", (1, 2), 1 + 2 * 0.5772156649015329, 4 * math.pi ** 2 / 6),
    ("standard_gamma", (1.5,), 1.5, 1.5),
    ("gamma", (1.5, 2), 3, 6),
    ("beta", (2, 3), 0.4, 0.04),
    ("chisquare", (3,), 3, 6),
    ("noncentral_chisquare", (0.7, 2.5), 3.2, 11.4),
    ("f", (3, 12), 1.2, 2 * 144 * 13 / (3 * 100 * 8)),
    ("noncentral_f", (3, 12, 2.5), 12 * 5.5 / 30,
     2 * 16 * (5.5 ** 2 + 8 * 10) / (100 * 8)),
    ("standard_t", (5.0,), 0, 5 / 3),
    ("pareto", (5.0,), 0.25, 5 / 48),
    ("power", (2.0,), 2 / 3, 1 / 18),
    ("rayleigh", (2,), 2 * math.sqrt(math.pi / 2), (4 - math.pi) * 2),
    ("triangular", (1, 2, 5), 8 / 3, 13 / 18),
    ("wald", (2, 3), 2, 8 / 3),
    ("weibull", (2.0,), math.gamma(1.5), 1 - math.gamma(1.5) ** 2),
    ("poisson", (3.3,), 3.3, 3.3),
    ("binomial", (9, 0.3), 2.7, 1.89),
    ("negative_binomial", (3, 0.3), 7, 7 / 0.3),
    ("geometric", (0.3,), 1 / 0.3, 0.7 / 0.09),
    ("hypergeometric", (10, 7, 6), 60 / 17, 6 * 10 / 17 * 7 / 17 * 11 / 16),
    ("integers", (2, 5), 3, 2 / 3),
)
# Calls that NumPy refuses, too.
REFUSED = (
    "normal(0, -1)", "normal(0, [1.0, -1.0])", "lognormal(0, -1)", "uniform(5, 2)",
    "uniform(0, float('inf'))", "uniform([0, 5], [1, 2])", "exponential(-1)", "laplace(0, -1)",
    "logistic(0, -1)", "gumbel(0, -1)", "gamma(-1)", "gamma(1, -1)", "beta(-1, 1)", "chisquare(0)",
    "poisson(-1)", "binomial(-1, 0.5)", "binomial(5, 1.5)", "noncentral_chisquare(0, 1)",
    "noncentral_chisquare(1, -1)", "f(-1, 1)", "standard_t(-1)", "pareto(-1)", "power(-1)",
    "rayleigh(-1)", "triangular(2, 1, 3)", "wald(-1, 1)", "wald(1, 0)", "weibull(-1)",
    "geometric(0)", "negative_binomial(1, 2)", "multinomial(5, [0.9, 0.9, 0.0])",
    "multinomial(5, [0.5, -0.5, 1.0])", "dirichlet([1, -1])", "integers(5, 2)", "integers(0)",
    "integers(0, 300, 3, 'int8')", "integers(-1, 3, 3, 'uint8')", "integers(0, 3, 3, bool)",
    "integers([0, 1], [5, 300], None, 'int8')", "integers(0, 2, 3, float)", "integers(0, 3, -1)",
    "choice(3, p=[0.5, 0.5, 0.5])", "choice(3, p=[1.5, -0.5, 0])", "choice(3, p=[0.5, 0.5])",
    "multinomial([[-1]], [1.0])", "dirichlet([[1, 2]])",
    "choice(0)", "choice([])", "choice(3, 5, False)", "choice([[1, 2]], axis=2)",
    "multivariate_normal([0, 0, 0], [[1, 0], [0, 1]])", "normal([0, 0, 0], 1, 1)",
)


class Generators(unittest.TestCase):
    """Numbers of default_rng."""

    def setUp(self):
        """Begin with one seed."""
        self.rng = ty.random.default_rng(11)

    def test_moments(self):
        """Means and variances are those of the distributions."""
        for name, arguments, mean, variance in MOMENTS:
            with self.subTest(name):
                x = getattr(self.rng, name)(*arguments, size=N)
                self.assertEqual(x.shape, (N,))
                self.assertLess(abs(float(ty.mean(x)) - mean), 5 * math.sqrt(variance / N))
                # heavy tails: the variance of a sample is less exact than its mean
                self.assertLess(abs(float(ty.var(x)) / variance - 1), 0.2)
                one = getattr(self.rng, name)(*arguments)
                self.assertEqual((one.shape, one.dtype), ((), x.dtype))

    def test_angles(self):
        """Angles lie between half turns, and their resultant is I1(kappa) / I0(kappa)."""
        mu = ty.asarray([-20.0, 0.5, 3.0, 10.0])
        x = ty.random.default_rng(3).vonmises(mu, 1.0, (N, 4))
        self.assertLessEqual(ty.max(ty.abs(x)).item(), math.pi)
        resultant = 0.4463899658965347  # scipy.special.i1(1.0) / i0(1.0)
        for part in (ty.cos, ty.sin):
            away = ty.abs(ty.mean(part(x), axis=0) - resultant * part(mu))
            self.assertLess(ty.max(away).item(), 5 / math.sqrt(N))

    def test_refusals(self):
        """Parameters outside of the domain raise exceptions."""
        for rng in (self.rng, *([numpy.random.default_rng(1)] if numpy else [])):
            for call in REFUSED:
                with self.subTest(call, rng=type(rng)), self.assertRaises(
                        (ValueError, TypeError, IndexError, OverflowError)):
                    eval("rng." + call, {"rng": rng})

    def test_shapes(self):
        """Parameters broadcast, and must fit a size."""
        wide, high = ty.ones(3), ty.ones((2, 1))
        for call in (lambda: self.rng.normal(wide, high), lambda: self.rng.gamma(wide, high),
                     lambda: self.rng.uniform(wide, high + 1), lambda: self.rng.f(wide, high),
                     lambda: self.rng.wald(wide, high), lambda: self.rng.poisson(wide * high),
                     lambda: self.rng.integers(wide * 0, high.astype(int)),
                     lambda: self.rng.laplace(wide, high, (2, 3))):
            self.assertEqual(call().shape, (2, 3))
        self.assertEqual(self.rng.multinomial([3, 4], [0.5, 0.2, 0.3], (5, 2)).shape, (5, 2, 3))
        self.assertEqual(self.rng.dirichlet([1, 2, 3], (4,)).shape, (4, 3))

    def test_vectors(self):
        """Vectors of Dirichlet's and normal distributions, and counts of categories."""
        x = self.rng.dirichlet([1, 2, 3], N)
        self.assertTrue(bool(ty.allclose(ty.sum(x, axis=-1), 1.0)))
        self.assertTrue(bool(ty.allclose(ty.mean(x, axis=0), [1 / 6, 1 / 3, 1 / 2], atol=0.01)))
        x = self.rng.multivariate_normal([1, 2], [[1, 1], [1, 1]], N)  # a singular covariance
        self.assertTrue(bool(ty.allclose(ty.cov(x, rowvar=False), 1.0, atol=0.05)))
        counts = self.rng.multinomial(1000, [0.2, 0.3, 0.1])  # the last category takes the rest
        self.assertEqual(int(ty.sum(counts)), 1000)
        self.assertGreater(int(counts[2]), 400)

    def test_integers(self):
        """Whole ranges of dtypes, and bool."""
        for dtype in ("int8", "uint8", "int64", "uint64"):
            info = ty.iinfo(dtype)
            for low, endpoint in ((info.min, True), (info.max - 2, True)):
                x = self.rng.integers(low, info.max, 400, dtype, endpoint=endpoint)
                self.assertEqual(str(x.dtype), dtype)
                self.assertGreaterEqual(int(ty.min(x)), low)
                if low == info.min:
                    self.assertGreater(int(ty.max(x)), info.max // 4 * 3)
                else:
                    self.assertEqual(ty.unique(x).tolist(), [info.max - 2, info.max - 1, info.max])
        x = self.rng.integers(0, 2, 100, bool)
        self.assertEqual((str(x.dtype), ty.unique(x).tolist()), ("bool", [False, True]))
        self.assertEqual(self.rng.integers(1, endpoint=True, size=100).tolist().count(2), 0)
        self.assertEqual(len(self.rng.bytes(7)), 7)

    def test_out(self):
        """Numbers are drawn into arrays."""
        for draw in (self.rng.random, self.rng.standard_normal, self.rng.standard_exponential,
                     lambda out: self.rng.standard_gamma(2.0, out=out),
                     lambda out: self.rng.permuted(ty.arange(1.0, 4.0), out=out)):
            x = ty.zeros(3)
            self.assertIs(draw(out=x), x)
            self.assertEqual(ty.unique(x).size, 3)
        self.assertRaises(ValueError, self.rng.random, 4, out=ty.zeros(3))

    def test_choices(self):
        """Slices along an axis."""
        x = ty.asarray([[1, 2], [3, 4]])
        self.assertEqual(self.rng.choice(x, 5, axis=1).shape, (2, 5))
        self.assertEqual(ty.sort(self.rng.permutation(x, axis=1), axis=1).tolist(), x.tolist())
        self.assertEqual(self.rng.choice(3, 4, p=[0, 1, 0]).tolist(), [1] * 4)

    def test_seeds(self):
        """Integers of any size and sequences are seeds; other objects are not."""
        seeds = (5, 6, (5, 6), (6, 5), 2 ** 64 + 5, 2 ** 100 + 5, (5, 2 ** 64), 2 ** 32 + 5)
        drawn = [float(ty.random.default_rng(seed).random()) for seed in seeds]
        self.assertEqual(len(set(drawn)), len(seeds))
        self.assertEqual(drawn, [float(ty.random.default_rng(seed).random()) for seed in seeds])
        self.assertRaises(ValueError, self.rng.spawn, -1)
        for seed in (-1, 1.5, "a", [1.5], [-3]):
            with self.subTest(seed=seed), self.assertRaises((TypeError, ValueError)):
                ty.random.default_rng(seed)
        first, second = self.rng.spawn(2)
        self.assertNotEqual(float(first.random()), float(second.random()))

    def test_transformed(self):
        """Gradients flow to location and scale."""
        slope = ty.grad(lambda s: self.rng.normal(0, s, 3).sum())(2.0)
        self.assertTrue(math.isfinite(float(slope)))
        self.assertEqual(ty.jit(lambda s: self.rng.gamma(2.0, s, 3))(2.0).shape, (3,))

    def test_keys(self):
        """Functions of keys that get NumPy's arguments name the generator that takes them."""
        for name, args, named in (
            ("normal", (0, 1, 3), {}), ("uniform", (), {}), ("uniform", (0.0, 1.0), {}),
            ("choice", ([1, 2, 3],), {}), ("permutation", (5,), {}), ("normal", (None,), {}),
            ("normal", (ty.random.key(1),), {"loc": 2}), ("poisson", (), {"lam": 2, "size": 3}),
            ("multinomial", (10, [0.5, 0.5]), {}),
        ):
            with self.subTest(name, args=args):
                words = rf"^{name}\(\) .*: write {name}\(key, .*default_rng\(seed\).{name}"
                self.assertRaisesRegex(TypeError, words, getattr(ty.random, name), *args, **named)
        self.assertRaisesRegex(TypeError, r"default_rng\(seed\).integers", ty.random.randint, 0, 9)
        self.assertRaisesRegex(TypeError, r"key = tyto.random.key\(seed\)$",
                               ty.random.bernoulli, 0.3)
        for first in (self.rng, None):
            self.assertRaisesRegex(TypeError, "normal.. takes a key first, not", ty.random.normal,
                                   first)
        key = ty.random.key(1)
        for low, high in ((3, 1), (ty.asarray([0.0, 3]), 1.0)):
            self.assertRaisesRegex(ValueError, "expected minval or more", ty.random.uniform, key,
                                   None, minval=low, maxval=high)
        self.assertEqual(float(ty.random.uniform(key, minval=2, maxval=2)), 2)
        for p in ([0.5, 2.0], [-0.1], [math.nan]):
            self.assertRaisesRegex(ValueError, "expected 0 to 1", ty.random.bernoulli, key,
                                   ty.asarray(p))
        drawn = ty.jit(lambda p: ty.random.bernoulli(key, p))(ty.asarray([0.0, 1.0]))
        self.assertEqual(drawn.tolist(), [False, True])
        self.assertRaisesRegex(TypeError, "a sequence of integers, not 2.5", ty.random.normal, key,
                               2.5)
        points = ty.random.normal(key, (20, 2))
        for seed in (3, self.rng, key):
            self.assertEqual(ty.neighbours.kmeans(points, 2, seed).labels.shape, (20,))
        self.assertRaisesRegex(ty.DtypeError, "^normal of i64", ty.random.normal,
                               ty.asarray(3))
        self.assertEqual(ty.random.normal(shape=2, key=ty.random.key(1)).shape, (2,))


if __name__ == "__main__":
    unittest.main()
