"""Distributions under SciPy's names, with its shapes, loc and scale."""

import inspect
import math

from ._base import as_array, ints
from ._core import Array, DomainError, c
from ._dtypes import float64, isdtype


def _same(*shapes):
    """Return the shapes themselves."""
    return shapes


# SciPy's name: the name in the library, the shapes, the parameters of location 0 and scale 1 that
# they stand for, and True for probabilities of whole numbers, which have no scale.
_ROWS = {
    "bernoulli": ("bernoulli", "p", _same, True),
    "beta": ("beta", "a b", _same, False),
    "binom": ("binomial", "n p", _same, True),
    "cauchy": ("cauchy", "", _same, False),
    "chi2": ("chi2", "df", _same, False),
    "expon": ("exponential", "", _same, False),
    "f": ("f", "dfn dfd", _same, False),
    "gamma": ("gamma", "a", _same, False),
    "geom": ("geometric", "p", _same, True),
    "gumbel_r": ("gumbel1", "", _same, False),
    "hypergeom": ("hypergeometric", "M n N", lambda M, n, N: (n, c.sub(floating(M), n), N), True),
    "invweibull": ("gumbel2", "c", _same, False),
    "laplace": ("laplace", "", _same, False),
    "logistic": ("logistic", "", _same, False),
    "lognorm": ("lognormal", "s", lambda s: (0.0, s), False),
    "lomax": ("lomax", "c", _same, False),
    "nbinom": ("negative_binomial", "n p", _same, True),
    "norm": ("normal", "", _same, False),
    "pareto": ("pareto", "b", _same, False),
    "poisson": ("poisson", "mu", _same, True),
    "rayleigh": ("rayleigh", "", _same, False),
    "t": ("t", "df", _same, False),
    "triang": ("triangular", "c", lambda s: (0.0, s, 1.0), False),
    "uniform": ("uniform", "", _same, False),
    "vonmises": ("von_mises", "kappa", _same, False),
    "weibull_min": ("weibull", "c", _same, False),
}


def floating(x):
    """Return an array, of integers and truth values as float64."""
    x = as_array(x)
    return x if isdtype(x.dtype, ("real floating", "complex floating")) else c.cast(x, "float64")


def generator_of(random_state):
    """Return a generator of None, a seed, a key or a generator."""
    from ._generator import Generator, default_rng

    return random_state if isinstance(random_state, Generator) else default_rng(random_state)


class Frozen:
    """A distribution of a family with values of its parameters."""

    def __init__(self, family, shapes, loc, scale):
        self.family = family
        self.shapes, self.loc = tuple(as_array(s) for s in shapes), loc
        self.scale = self._positive(scale)
        self._kind = family.kind
        self._parameters = [as_array(p) for p in family.parameters(*self.shapes)]

    def __repr__(self):
        given = [*(str(s) for s in self.shapes), f"loc={self.loc}"]
        given += [] if self.family.discrete else [f"scale={self.scale}"]
        return f"stats.{self.family.name}({', '.join(given)})"

    def _positive(self, scale):
        """Return a scale; one that is not above 0 raises, or is NaN in a promise."""
        if isinstance(scale, (int, float)):
            good = scale > 0
        else:
            scale = floating(scale)
            above = c.gt(scale, 0)
            if scale.is_promise:
                return c.where(above, scale, math.nan)
            good = bool(c.all(above, None, False))
        if not good:
            raise DomainError(f"stats.{self.family.name}: the scale is {scale}; "
                              "it must be above 0")
        return scale

    def _log_scale(self):
        """Return the logarithm of the scale; a number keeps the dtype of what it is added to."""
        plain = isinstance(self.scale, (int, float))
        return math.log(self.scale) if plain else c.log(self.scale)

    def _standard(self, x):
        """Return x for location 0 and scale 1; integers as float64, in which nothing wraps."""
        x = floating(x)
        x = x if isinstance(self.loc, (int, float)) and self.loc == 0 else c.sub(x, self.loc)
        return x if isinstance(self.scale, (int, float)) and self.scale == 1 \
            else c.div(x, self.scale)

    def _placed(self, z):
        """Return x of a value for location 0 and scale 1."""
        return c.add(c.mul(z, self.scale), self.loc)

    def pdf(self, x):
        """Return the density, or the probability of whole numbers, at x."""
        return c.div(c.pdf(self._kind, self._standard(x), self._parameters), self.scale)

    def logpdf(self, x):
        """Return the logarithm of the density, or of the probability, at x."""
        found = c.logpdf(self._kind, self._standard(x), self._parameters)
        return c.sub(found, self._log_scale())

    pmf, logpmf = pdf, logpdf

    def cdf(self, x):
        """Return the probability of at most x."""
        return c.cdf(self._kind, self._standard(x), self._parameters)

    def logcdf(self, x):
        """Return the logarithm of the probability of at most x."""
        return c.logcdf(self._kind, self._standard(x), self._parameters)

    def sf(self, x):
        """Return the probability of more than x."""
        return c.sf(self._kind, self._standard(x), self._parameters)

    def logsf(self, x):
        """Return the logarithm of the probability of more than x."""
        return c.logsf(self._kind, self._standard(x), self._parameters)

    def ppf(self, q):
        """Return the quantiles q."""
        return self._placed(c.ppf(self._kind, q, self._parameters))

    def isf(self, q):
        """Return the values that are exceeded with probability q."""
        return self._placed(c.isf(self._kind, q, self._parameters))

    def mean(self):
        """Return the mean."""
        return self._placed(c.distribution_mean(self._kind, self._parameters))

    def var(self):
        """Return the variance."""
        variance = c.distribution_variance(self._kind, self._parameters)
        return c.mul(variance, c.square(as_array(self.scale)))

    def std(self):
        """Return the standard deviation."""
        return c.sqrt(self.var())

    def median(self):
        """Return the median."""
        return self.ppf(0.5)

    def entropy(self):
        """Return the entropy in nats."""
        found = c.distribution_entropy(self._kind, self._parameters)
        return c.add(found, self._log_scale())

    def interval(self, confidence=0.95):
        """Return the two quantiles that have the probability `confidence` between them."""
        outside = c.div(c.sub(1.0, confidence), 2.0)
        return self.ppf(outside), self.isf(outside)

    def rvs(self, size=None, random_state=None):
        """Draw random numbers.  random_state: a seed, a generator or a key; None: the system's."""
        operands = [*self._parameters, as_array(self.loc), as_array(self.scale)]
        shape = c.broadcast_together(operands)[0].shape if size is None else ints(size)
        key = generator_of(random_state).key()
        drawn = c.draw(self._kind, float64, shape, self._parameters, key)
        x = self._placed(drawn)
        return c.cast(x, "int64") if self.family.discrete else x


class Family:
    """A family of distributions: stats.norm.cdf(x, loc, scale), or stats.norm(loc, scale).cdf(x).

    Shapes come first, as in SciPy; then loc and, for continuous ones, scale.
    """

    def __init__(self, name):
        self.name = name
        self.kind, shapes, self.parameters, self.discrete = _ROWS[name]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        words = [inspect.Parameter(word, kind) for word in shapes.split()]
        words.append(inspect.Parameter("loc", kind, default=0))
        if not self.discrete:
            words.append(inspect.Parameter("scale", kind, default=1))
        self.__signature__ = inspect.Signature(words)
        self.__doc__ = f"The distribution {self.kind} of the library: {name}{self.__signature__}."

    def __repr__(self):
        return f"stats.{self.name}{self.__signature__}"

    def __reduce__(self):
        return _family, (self.name,)

    def __call__(self, *args, **named):
        """Return the distribution with these parameters."""
        try:
            given = self.__signature__.bind(*args, **named)
        except TypeError as error:
            raise TypeError(f"stats.{self.name}{self.__signature__}: {error}") from None
        given.apply_defaults()
        words = dict(given.arguments)
        loc, scale = words.pop("loc"), words.pop("scale", 1)
        return Frozen(self, words.values(), loc, scale)


def _method(word, leading):
    """Return a method of families that calls the one of distributions."""
    def call(self, *args, **named):
        return getattr(self(*args[leading:], **named), word)(*args[:leading])

    def draw(self, *args, size=None, random_state=None, **named):
        if size is None and len(args) == len(self.__signature__.parameters) + 1:
            *args, size = args  # as in SciPy, behind the last parameter
        return self(*args, **named).rvs(size, random_state)

    def interval(self, confidence=0.95, *args, **named):
        return self(*args, **named).interval(confidence)
    chosen = {"rvs": draw, "interval": interval}.get(word, call)
    chosen.__name__, chosen.__doc__ = word, getattr(Frozen, word).__doc__
    return chosen


for _word in ("pdf pmf logpdf logpmf cdf logcdf sf logsf ppf isf mean var std median entropy "
              "interval rvs").split():
    _leading = 0 if _word in ("mean", "var", "std", "median", "entropy", "rvs") else 1
    setattr(Family, _word, _method(_word, _leading))

FAMILIES = {name: Family(name) for name in _ROWS}


def _family(name):
    """Return the one family of a name, as pickle finds it."""
    return FAMILIES[name]


def is_sample(distribution):
    """Return True for numbers in the place of a distribution."""
    return isinstance(distribution, (Array, list, tuple)) or hasattr(distribution, "__array__")


def standard(x, distribution, args):
    """Return x, the name in the library, and the parameters of a distribution of a test.

    distribution: a name of the library with its parameters, one of SciPy with shapes, loc and
    scale, a family, or a distribution, which has its parameters.
    """
    owner = getattr(distribution, "__self__", None)
    if isinstance(owner, (Family, Frozen)) and distribution.__name__ == "cdf":
        distribution = owner  # stats.norm(1, 2).cdf, as in SciPy
    if isinstance(distribution, str) and distribution not in FAMILIES:
        return x, distribution, list(args)
    if isinstance(distribution, str):
        distribution = FAMILIES[distribution]
    if isinstance(distribution, Family):
        distribution = distribution(*args)
    if isinstance(distribution, Frozen):
        return distribution._standard(x), distribution._kind, distribution._parameters
    if not hasattr(distribution, "parameters"):
        raise TypeError(f"a distribution is {distribution!r}; expected a name, or one of "
                        "tyto.stats, such as stats.norm(1, 2)")
    return x, distribution.name, distribution.parameters

