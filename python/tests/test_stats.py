"""Statistics in SciPy's form: distributions by SciPy's names, tests, intervals, estimates."""

import math
import pickle
import unittest

import tyto as ty
import versions
from tyto import stats
from tyto._families import FAMILIES

try:
    import numpy
    import scipy.stats
except ImportError:
    scipy = None

SHAPES = {
    "bernoulli": (0.3,), "beta": (2.0, 0.5), "binom": (10, 0.4), "chi2": (3.0,), "f": (3.0, 7.0),
    "gamma": (2.5,), "geom": (0.2,), "hypergeom": (20, 7, 12), "invweibull": (3.2,),
    "lognorm": (0.7,), "lomax": (3.5,), "nbinom": (3, 0.4), "pareto": (4.0,), "poisson": (2.5,),
    "t": (5.0,), "triang": (0.3,), "vonmises": (1.5,), "weibull_min": (1.7,),
}
A = [0.35, 0.82, 0.33, -1.3, 0.91, 0.45, -0.54, 0.58, 0.36, 0.29, 0.03, 0.55]
B = [1.8, 0.5, -0.2, 0.7, 3.1, 1.2, -1.9, 0.4, 2.2, 0.9, 1.1, -0.3, 0.6, 1.7, 2.5]


def plain(x):
    """Return numbers of an array, or of a tuple of arrays."""
    return numpy.asarray([numpy.asarray(y) for y in x] if isinstance(x, tuple) else x)


@unittest.skipUnless(scipy, "SciPy is not installed")
class Families(unittest.TestCase):
    """Distributions by SciPy's names."""

    def compare(self, name, family, other, parameters):
        """Compare all functions of a distribution."""
        x = numpy.arange(9.0) if family.discrete else numpy.linspace(0.3, 2.9, 14)
        q = numpy.array([0.01, 0.3, 0.5, 0.99])
        mass = "pmf" if family.discrete else "pdf"
        for word, given in (
            *((word, (x,)) for word in (mass, "log" + mass, "cdf", "logcdf", "sf", "logsf")),
            *((word, (q,)) for word in ("ppf", "isf")), ("interval", (0.9,)),
            *((word, ()) for word in ("mean", "var", "std", "median", "entropy")),
        ):
            if word in ("entropy", "logcdf") and not versions.at_least("scipy", "1.11"):
                continue  # older versions lose digits, or fail
            if name == "vonmises" and word in ("mean", "var", "std"):
                continue  # SciPy integrates its quantiles for seconds
            with self.subTest(name, word=word, parameters=parameters):
                want = plain(getattr(other, word)(*given, *parameters))
                got = plain(getattr(family, word)(*given, *parameters))
                frozen = plain(getattr(family(*parameters), word)(*given))
                numpy.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-12)
                numpy.testing.assert_array_equal(got, frozen)

    def test_functions(self):
        """Densities, probabilities, quantiles and moments are SciPy's, with loc and scale."""
        for name, family in FAMILIES.items():
            shapes = SHAPES.get(name, ())
            other = getattr(scipy.stats, name)
            self.compare(name, family, other, shapes)
            moved = (1.0,) if family.discrete else (-0.5, 2.0)
            self.compare(name, family, other, shapes + moved)

    def test_signatures(self):
        """Parameters have SciPy's names and order."""
        for name, family in FAMILIES.items():
            with self.subTest(name):
                shapes = getattr(scipy.stats, name).shapes
                words = (shapes.split(", ") if shapes else []) + ["loc"]
                words += [] if family.discrete else ["scale"]
                self.assertEqual(list(family.__signature__.parameters), words)
                self.assertIs(getattr(stats, name), family)

    def test_draws(self):
        """Draws have the mean of the distribution, and equal seeds give equal numbers."""
        for name, family in FAMILIES.items():
            with self.subTest(name):
                parameters = SHAPES.get(name, ())
                drawn = family.rvs(*parameters, size=4000, random_state=3)
                again = family(*parameters).rvs(4000, random_state=3)
                self.assertEqual(drawn.tolist(), again.tolist())
                if name != "cauchy":
                    error = float(family.std(*parameters)) / math.sqrt(4000)
                    distance = abs(float(ty.mean(drawn)) - float(family.mean(*parameters)))
                    self.assertLess(distance, 5 * error)
        self.assertEqual(stats.norm.rvs(5, 2, (3, 2), random_state=1).shape, (3, 2))
        self.assertEqual(stats.norm.rvs([0, 100]).shape, (2,))
        self.assertEqual(str(stats.poisson.rvs(3, size=2).dtype), "int64")

    def test_tests(self):
        """Tests take a distribution by SciPy's name with its parameters, or as an object."""
        want = scipy.stats.kstest(A, scipy.stats.norm(0.2, 1.5).cdf)
        for given in (("norm", (0.2, 1.5)), ("normal", (0.2, 1.5)), (stats.norm(0.2, 1.5),),
                      (stats.norm, (0.2, 1.5)), (stats.Distribution("normal", 0.2, 1.5),)):
            found = stats.kstest(A, *given)
            self.assertAlmostEqual(float(found.p), want.pvalue, delta=1e-12)
        want = scipy.stats.kstest(B, scipy.stats.gamma(2.0, -3.0, 1.5).cdf)
        found = stats.kstest(B, stats.gamma(2.0, -3.0, 1.5))
        self.assertAlmostEqual(float(found.statistic), want.statistic, delta=1e-12)


    def test_samples(self):
        """kstest takes another sample, and the cdf of a distribution, as in SciPy."""
        for side in ("two-sided", "less", "greater"):
            want = scipy.stats.kstest(A, B, alternative=side)
            self.assertAlmostEqual(float(stats.kstest(A, B, alternative=side).p), want.pvalue)
            found = stats.kstest(A, stats.norm(0.2, 1.5).cdf, alternative=side)
            want = scipy.stats.kstest(A, scipy.stats.norm(0.2, 1.5).cdf, alternative=side)
            self.assertAlmostEqual(float(found.p), want.pvalue)
        self.assertRaisesRegex(TypeError, "expected a name, or one of tyto.stats", stats.kstest, A,
                               math.erf)

    @unittest.skipUnless(versions.at_least("scipy", "1.11"), "SciPy has other shapes of modes")
    def test_arguments(self):
        """Arguments in SciPy's order, and its defaults, give SciPy's results."""
        x = [[1.0, 2, 2, 5, 7], [3, 3, 1, 9, 4], [2, 6, 8, 8, 0]]
        for name, given, named in (
                ("entropy", ([0.2, 0.3, 0.5], None, 2), {}), ("iqr", (x, 0, (10, 90)), {}),
                ("entropy", ([0.2, 0.8], [0.5, 0.5], 10), {}), ("iqr", (x,), {"scale": "normal"}),
                ("iqr", (x, 1, (25, 75), 2.0), {"keepdims": True}), ("shapiro", (x,), {}),
                ("jarque_bera", (x,), {}), ("mode", (x,), {}), ("mode", (x, 1), {}),
                ("mode", (x, None), {}), ("mode", ([1, 1, 0, 0],), {}), ("entropy", (x,), {}),
                ("mode", ([math.nan, math.nan, 1.0],), {}), ("entropy", (x,), {"axis": None}),
                ("trim_mean", (x, 0.1, None), {}), ("chi2_contingency", ([[9, 20, 4], [5, 7, 8]],),
                                                    {}),
                ("mannwhitneyu", (A, B, False, "less"), {}), ("ks_2samp", (A, B, "less"), {}),
                ("chisquare", ([16, 18, 14], [15, 17, 16]), {})):
            want = getattr(scipy.stats, name)(*given, **named)
            found = getattr(stats, name)(*given, **named)
            if hasattr(want, "statistic") and name != "chi2_contingency":
                want = (want.statistic, want.pvalue)
            if not isinstance(found, ty.Array):
                self.assertEqual(len(found), len(want))
            for one, other in zip(*((v if isinstance(v, tuple) or hasattr(v, "pvalue") else (v,))
                                    for v in (found, want))):
                self.assertEqual(tuple(ty.asarray(one).shape), numpy.shape(other), name)
                self.assertTrue(numpy.allclose(numpy.asarray(one), other, 1e-9, equal_nan=True),
                                f"{name}{given}: {one} and not {other}")


class Parameters(unittest.TestCase):
    """Parameters of distributions."""

    def test_errors(self):
        """A wrong parameter is named."""
        for function, error, words in (
            (lambda: stats.gamma.cdf(1), TypeError, r"stats.gamma\(a, loc=0, scale=1\): .*'a'"),
            (lambda: stats.norm.cdf(1, 0, -2), ty.DomainError, "scale is -2"),
            (lambda: stats.norm.cdf(1, 0, [1, 0]), ty.DomainError, "above 0"),
            (lambda: stats.norm.cdf(1, 0, math.nan), ty.DomainError, "scale is nan"),
            (lambda: stats.norm.cdf(1, lok=2), TypeError, "lok"),
            (lambda: stats.binom.pmf(1, 10, 0.4, 0, 1), TypeError, "too many"),
            (lambda: stats.gamma.cdf(1, -2), ty.DomainError, "shape"),
        ):
            self.assertRaisesRegex(error, words, function)

    def test_arrays(self):
        """Parameters broadcast, dtypes are kept, and derivatives and promises work."""
        self.assertEqual(stats.norm.cdf([0, 1, 2], [[0], [1]]).shape, (2, 3))
        narrow = ty.asarray([1.0], dtype="float32")
        self.assertEqual(str(stats.norm.logpdf(narrow, 0, 2).dtype), "float32")
        slope = ty.grad(lambda scale: stats.norm.logpdf(1.0, 0, scale))(2.0)
        self.assertAlmostEqual(float(slope), -0.375)
        found = ty.vmap(lambda scale: stats.norm.cdf(0.0, 0, scale))(ty.asarray([1.0, -1.0]))
        self.assertEqual(float(found[0]), 0.5)
        self.assertTrue(math.isnan(float(found[1])))

    def test_narrow(self):
        """Elements, locations and scales of narrow integers do not wrap."""
        def narrow(*values):
            return ty.asarray(values, dtype="uint8")
        for found, want in (
                (stats.norm.cdf(narrow(0), 1, 2), stats.norm.cdf(0.0, 1, 2)),
                (stats.norm(0, narrow(200)).var(), 40000),
                (stats.norm.std(0, narrow(200)), 200),
                (stats.norm.ppf(0.5, narrow(200), narrow(100)), 200),
                (stats.hypergeom.pmf(50, narrow(200), narrow(100), narrow(90)),
                 stats.hypergeom.pmf(50, 200, 100, 90))):
            self.assertAlmostEqual(float(found[0]), float(want))
        a, b = [1, 2, 250, 3, 7], [2, 9, 3, 8, 1]
        for end, other in zip(stats.ttest_rel(narrow(*a), narrow(*b)).confidence_interval(),
                              stats.ttest_rel(a, b).confidence_interval()):
            self.assertAlmostEqual(float(end), float(other))

    def test_texts(self):
        """Objects show what they are."""
        self.assertEqual(repr(stats.norm), "stats.norm(loc=0, scale=1)")
        self.assertEqual(repr(stats.t(5)), "stats.t(5, loc=0, scale=1)")
        self.assertIn("norm", dir(stats))


class Results(unittest.TestCase):
    """Results of tests."""

    def test_parts(self):
        """A result is a statistic and a p-value; its names are the library's and SciPy's."""
        found = stats.ttest_ind(A, B)
        statistic, p = found
        self.assertEqual((float(statistic), float(p)), (float(found[0]), float(found[-1])))
        self.assertIs(found.pvalue, found.p)
        self.assertEqual(float(found.df), 25)
        self.assertEqual(len(found), 2)
        self.assertIn("freedom=25.0", repr(found))
        self.assertNotIn("freedom", repr(stats.shapiro(A)))
        self.assertEqual(float(pickle.loads(pickle.dumps(found)).p), float(p))
        self.assertIs(stats.spearmanr(A, B[:12]).correlation.__class__, ty.Array)

    def test_transformed(self):
        """Compiled functions and batches return results."""
        compiled = ty.jit(lambda x: stats.ttest_1samp(x, 0))(ty.asarray(A))
        self.assertAlmostEqual(float(compiled.p), float(stats.ttest_1samp(A, 0).p))
        found = ty.vmap(lambda x: stats.ttest_1samp(x, 0))(ty.asarray([A, B[:12]]))
        self.assertEqual(found.pvalue.shape, (2,))
        slope = ty.grad(lambda x: stats.ttest_1samp(x, 0).statistic)(ty.asarray(A))
        self.assertEqual(slope.shape, (12,))
        low = ty.jit(lambda x: stats.ttest_1samp(x, 0).confidence_interval().low)(ty.asarray(A))
        self.assertAlmostEqual(float(low), float(stats.ttest_1samp(A, 0).confidence_interval()[0]))

    def test_kept_interval(self):
        """Pickled and compiled results keep their intervals."""
        made = (lambda x: stats.ttest_1samp(x, 0, alternative="less"),
                lambda x: stats.ttest_ind(x, ty.asarray(B)),
                lambda x: stats.pearsonr(x, ty.asarray(B[:12])))
        for make in made:
            x = ty.asarray(A)
            want = [float(end) for end in make(x).confidence_interval(0.9)]
            for found in (pickle.loads(pickle.dumps(make(x))), ty.jit(make)(x)):
                for end, other in zip(found.confidence_interval(0.9), want):
                    self.assertAlmostEqual(float(end), other) if math.isfinite(other) \
                        else self.assertEqual(float(end), other)
        many = ty.vmap(made[0])(ty.asarray([A, B[:12]])).confidence_interval()
        self.assertEqual(many.high.shape, (2,))
        table = [[9, 20, 4], [5, 7, 8]]
        found = pickle.loads(pickle.dumps(stats.chi2_contingency(table)))
        self.assertEqual((type(found).__name__, found.expected_freq.shape), ("Contingency", (2, 3)))
        self.assertEqual(float(ty.jit(stats.chi2_contingency)(ty.asarray(table))[2]), 2)

    def test_plain_numbers(self):
        """A list of numbers of any kind is one sample."""
        for kind in (float, ty.asarray, *([numpy.float64] if scipy else [])):
            found = stats.bootstrap([kind(v) for v in A], ty.mean, random_state=1)
            self.assertEqual(found.bootstrap_distribution.shape, (9999,))
        self.assertEqual(stats.describe([[1, 2], [3, 4]], axis=None).nobs, 4)
        self.assertEqual(stats.binomtest(3, 9).p, stats.binomtest(3, 9).pvalue)

    def test_line(self):
        """A line unpacks to five results, as in SciPy; a NaN is in all of them."""
        x, y = [1.0, 2, 3, 5], [2.0, 1, 4, 6]
        found = stats.linregress(x, y)
        for made in (found, pickle.loads(pickle.dumps(found))):
            slope, intercept, r, p, error = made
            self.assertEqual((float(slope), float(p)), (float(found.slope), float(found.pvalue)))
            self.assertIn("intercept_stderr=Array(", repr(made))
        self.assertTrue(all(math.isnan(float(v)) for v in stats.linregress(x, [1, 2, math.nan, 4])))

    def test_refused(self):
        """Arguments that would be misread are errors."""
        for call, message in (
                (lambda: stats.skew(A, 0, True, "omit"), "positional"),
                (lambda: stats.gmean(A, 0, "float64"), "positional"),
                (lambda: stats.mannwhitneyu(A, B, "less"), "use_continuity is 'less'"),
                (lambda: stats.anderson(A, "expon"), "dist is 'expon'; expected 'norm'; write"),
                (lambda: stats.iqr(A, None, (90, 10)), "expected two percentiles"),
                (lambda: stats.entropy(A, base=1), "the base is 1; expected above 0"),
                (lambda: stats.bootstrap(A, ty.mean, n_resamples=0), "n_resamples is 0; expected"),
                (lambda: stats.bootstrap(A, ty.mean, confidence_level=95), "the level is 95"),
                (lambda: stats.binomtest(3, 9).proportion_ci(2), "the level is 2; it must be"),
                (lambda: stats.chisquare([9, 20], [0.5, 0.5]), "so multiply proportions by")):
            self.assertRaisesRegex((TypeError, ValueError), message, call)

    def test_no_interval(self):
        """A test without a mean or a correlation has no interval."""
        self.assertRaisesRegex(ValueError, "bootstrap", stats.kruskal(A, B).confidence_interval)
        self.assertRaisesRegex(ValueError, "level is 95",
                               lambda: stats.ttest_1samp(A, 0).confidence_interval(95))

    @unittest.skipUnless(versions.at_least("scipy", "1.11"), "SciPy has no such intervals")
    def test_intervals(self):
        """Confidence intervals are SciPy's."""
        half = B[:12]
        for alternative in ("two-sided", "less", "greater"):
            for name, given, options in (
                ("ttest_1samp", (A, 0.1), {}), ("ttest_rel", (A, half), {}),
                ("ttest_ind", (A, B), {}), ("ttest_ind", (A, B), {"equal_var": False}),
                ("pearsonr", (A, half), {}), ("pearsonr", (A, A), {}),
                ("ttest_1samp", (numpy.arange(12.0).reshape(4, 3) ** 2, 3), {"axis": 1}),
            ):
                with self.subTest(name, alternative=alternative, **options):
                    options = {**options, "alternative": alternative}
                    found = getattr(stats, name)(*given, **options)
                    want = getattr(scipy.stats, name)(*given, **options)
                    numpy.testing.assert_allclose(
                        plain(tuple(found.confidence_interval(0.9))),
                        plain(tuple(want.confidence_interval(0.9))), rtol=1e-7)


@unittest.skipUnless(scipy, "SciPy is not installed")
class Estimates(unittest.TestCase):
    """Estimates with intervals."""

    def test_bootstrap(self):
        """The interval of a mean is near SciPy's, and samples may be integers or pairs."""
        found = stats.bootstrap(A, ty.mean, random_state=1)
        want = scipy.stats.bootstrap((A,), numpy.mean, random_state=1)
        for got, wanted in zip(found.confidence_interval, want.confidence_interval):
            self.assertAlmostEqual(float(got), wanted, delta=0.03)
        self.assertAlmostEqual(float(found.standard_error), want.standard_error, delta=0.01)
        self.assertEqual(found.bootstrap_distribution.shape, (9999,))
        again = stats.bootstrap(A, ty.mean, random_state=1)
        self.assertEqual(float(again.standard_error), float(found.standard_error))
        two = stats.bootstrap((A, B), lambda x, y: ty.mean(x) - ty.mean(y), n_resamples=200,
                              method="percentile", confidence_level=0.9, random_state=2)
        low, high = two.confidence_interval
        self.assertLess(float(low), float(high))
        self.assertEqual(stats.bootstrap([3, 4, 9], ty.mean, n_resamples=50).standard_error.shape,
                         ())

    def test_line(self):
        """A line has SciPy's numbers."""
        found, want = stats.linregress(A, B[:12]), scipy.stats.linregress(A, B[:12])
        for name in found._fields:
            self.assertAlmostEqual(float(getattr(found, name)), getattr(want, name), delta=1e-12)

    def test_proportions(self):
        """Exact tests of proportions and their intervals are SciPy's."""
        cases = [(k, n, p, side) for n in (1, 2, 7, 12) for k in range(n + 1)
                 for p in (0.0, 0.2, 0.5, 0.9, 1.0) for side in ("two-sided", "less", "greater")]
        for case in cases:
            with self.subTest(case=case):
                found, want = stats.binomtest(*case), scipy.stats.binomtest(*case)
                self.assertAlmostEqual(found.pvalue, want.pvalue, delta=1e-9)
                if case[1] == 7 and case[2] == 0.5:
                    for got, end in zip(found.proportion_ci(0.9), want.proportion_ci(0.9)):
                        self.assertAlmostEqual(got, end, delta=1e-9)
        for given in ((3, 2), (-1, 4), (1.5, 4), (0, 0), (1, 4, 1.5), (1, 4, 0.5, "both")):
            self.assertRaises(ValueError, lambda given=given: stats.binomtest(*given))

    def test_describe(self):
        """Moments are SciPy's."""
        for options in ({}, {"ddof": 0}, {"bias": False}):
            found, want = stats.describe(A, **options), scipy.stats.describe(A, **options)
            self.assertEqual(found.nobs, want.nobs)
            for name in ("minmax", "mean", "variance", "skewness", "kurtosis"):
                numpy.testing.assert_allclose(plain(getattr(found, name)), getattr(want, name))


if __name__ == "__main__":
    unittest.main()
