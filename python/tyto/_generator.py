"""Random numbers in turn: NumPy's form of a generator, over keys."""

import math
import operator
import secrets
import threading

from . import random
from ._base import as_array, ints, is_integer, placed_into
from ._core import SingularError, c
from ._dtypes import bool_, dtype_of, float64, iinfo, int64, uint8, uint64


def _size(size, out):
    """Return the shape of numbers: a size, that of an array for the results, or that of one."""
    if size is not None:
        return size
    return () if out is None else out.shape


def _refuse(name, bad, message):
    """Raise a ValueError if a mask has a true element; promises are not read."""
    bad = c.any(bad, None, False)
    if not bad.is_promise and bool(bad):
        raise ValueError(f"{name}: {message}")


def _not_negative(name, word, value):
    """Raise a ValueError if a parameter has a negative element."""
    _refuse(name, c.lt(value, 0), f"{word} must be 0 or more")


def _positive(name, word, value):
    """Raise a ValueError unless all elements of a parameter are above 0, or NaN."""
    _refuse(name, c.le(value, 0), f"{word} must be above 0")


class Generator:
    """Random numbers that differ from call to call; equal seeds give equal sequences.

    The numbers are those of keys, not NumPy's.  A function that is recorded (jit, vmap, ...) draws
    while it is recorded, so each run has the same numbers; such functions take keys instead.
    """

    def __init__(self, seed=None):
        self._start(_key_of(secrets.randbits(63) if seed is None else seed))

    def _start(self, key, drawn=0):
        """Go on behind the keys of a key that are drawn."""
        self._key, self._drawn, self._lock = key, drawn, threading.Lock()
        return self

    def key(self):
        """Return a key that is independent of all others of this generator."""
        with self._lock:
            self._drawn += 1
            drawn = self._drawn
        return random.fold_in(self._key, drawn - 1)

    def __getstate__(self):
        return self._key, self._drawn

    def __setstate__(self, state):
        self._start(*state)

    def spawn(self, n_children):
        """Return independent generators."""
        if n_children < 0:
            raise ValueError(f"spawn: the number of children is {n_children}; expected 0 or more")
        return [Generator.__new__(Generator)._start(self.key()) for _ in range(n_children)]

    def _draw(self, name, parameters, size):
        """Draw from a distribution of the library's table."""
        parameters = [as_array(p) for p in parameters]
        return c.draw(name, float64, random._sizes(size, *parameters), parameters, self.key())

    def _counts(self, name, parameters, size):
        """Draw integers from a distribution of the library's table."""
        return c.cast(self._draw(name, parameters, size), int64)

    def _moved(self, name, draw, size, loc, scale):
        """Draw loc + scale * x for numbers x of draw(key, shape)."""
        _not_negative(name, "scale", scale)
        shape = random._sizes(size, loc, scale)
        loc, scale = (c.broadcast(as_array(x), shape) for x in (loc, scale))
        return c.add(c.mul(draw(self.key(), shape), scale), loc)

    # ---- continuous distributions ----

    def random(self, size=None, dtype=float64, out=None):
        """Draw uniform numbers from 0 to before 1; out has the size, if that is not given."""
        return placed_into(out, random.uniform(self.key(), _size(size, out), dtype))

    def uniform(self, low=0.0, high=1.0, size=None):
        """Draw uniform numbers from low to before high."""
        width = c.sub(high, low)
        _not_negative("uniform", "high - low", width)
        _refuse("uniform", c.logical_not(c.is_finite(width)), "high - low must be finite")
        return random.uniform(self.key(), size, float64, low, high)

    def standard_normal(self, size=None, dtype=float64, out=None):
        """Draw normal numbers of mean 0 and deviation 1."""
        return placed_into(out, random.normal(self.key(), _size(size, out), dtype))

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw normal numbers of mean loc and deviation scale."""
        return self._moved("normal", random.normal, size, loc, scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Draw numbers whose logarithms are normal."""
        _not_negative("lognormal", "sigma", sigma)
        return c.exp(self.normal(mean, sigma, size))

    def standard_exponential(self, size=None, dtype=float64, method="zig", out=None):
        """Draw exponential numbers of mean 1; method is NumPy's, and there is one here."""
        return placed_into(out, random.exponential(self.key(), _size(size, out), dtype))

    def exponential(self, scale=1.0, size=None):
        """Draw exponential numbers of mean scale."""
        return self._moved("exponential", random.exponential, size, 0.0, scale)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Draw from the Laplace distribution."""
        return self._moved("laplace", random.laplace, size, loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Draw from the logistic distribution."""
        return self._moved("logistic", random.logistic, size, loc, scale)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Draw from the Gumbel distribution."""
        return self._moved("gumbel", random.gumbel, size, loc, scale)

    def standard_cauchy(self, size=None):
        """Draw from the Cauchy distribution."""
        return random.cauchy(self.key(), () if size is None else size)

    def standard_gamma(self, shape, size=None, dtype=float64, out=None):
        """Draw from the gamma distribution of a shape and the scale 1."""
        size = size if out is None else _size(size, out)
        return placed_into(out, random.gamma(self.key(), shape, size, dtype))

    def gamma(self, shape, scale=1.0, size=None):
        """Draw from the gamma distribution of a shape."""
        sizes = random._sizes(size, shape, scale)
        return self._moved("gamma", lambda key, _: random.gamma(key, shape, sizes), sizes, 0.0,
                           scale)

    def beta(self, a, b, size=None):
        """Draw from the beta distribution."""
        return random.beta(self.key(), a, b, size)

    def chisquare(self, df, size=None):
        """Draw from the chi-squared distribution."""
        _positive("chisquare", "df", df)
        return self.gamma(c.div(df, 2.0), 2.0, size)

    def noncentral_chisquare(self, df, nonc, size=None):
        """Draw from the chi-squared distribution of a noncentrality."""
        _positive("noncentral_chisquare", "df", df)
        sizes = random._sizes(size, df, nonc)
        return self.chisquare(c.add(df, c.mul(2, self.poisson(c.div(nonc, 2.0), sizes))), sizes)

    def f(self, dfnum, dfden, size=None):
        """Draw from the F distribution."""
        return self._draw("f", (dfnum, dfden), size)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Draw from the F distribution of a noncentrality."""
        sizes = random._sizes(size, dfnum, dfden, nonc)
        above = c.div(self.noncentral_chisquare(dfnum, nonc, sizes), dfnum)
        return c.div(above, c.div(self.chisquare(dfden, sizes), dfden))

    def standard_t(self, df, size=None):
        """Draw from Student's t distribution."""
        return self._draw("t", (df,), size)

    def pareto(self, a, size=None):
        """Draw from the Pareto distribution of the second kind, also called Lomax's."""
        return self._draw("lomax", (a,), size)

    def power(self, a, size=None):
        """Draw numbers of 0 to 1 whose density is proportional to x^(a - 1)."""
        return random.beta(self.key(), a, 1.0, size)

    def rayleigh(self, scale=1.0, size=None):
        """Draw from the Rayleigh distribution."""
        draw = lambda key, shape: c.draw("rayleigh", float64, shape, [], key)  # noqa: E731
        return self._moved("rayleigh", draw, size, 0.0, scale)

    def triangular(self, left, mode, right, size=None):
        """Draw from the triangular distribution."""
        return self._draw("triangular", (left, mode, right), size)

    def vonmises(self, mu, kappa, size=None):
        """Draw angles of -pi to pi from the von Mises distribution."""
        angles = self._draw("von_mises", (kappa, mu), size)  # less than a half turn from mu
        wrapped = c.sub(c.mod(c.add(angles, math.pi), 2 * math.pi), math.pi)
        return c.where(c.le(c.abs(angles), math.pi), angles, wrapped)

    def wald(self, mean, scale, size=None):
        """Draw from the inverse normal distribution, also called Wald's."""
        # Michael, Schucany and Haas (1976): the lesser root of a quadratic equation, or the other
        _positive("wald", "mean", mean)
        _positive("wald", "scale", scale)
        sizes = random._sizes(size, mean, scale)
        half = c.div(c.mul(c.square(self.standard_normal(sizes)), mean), c.mul(2, scale))
        # half - sqrt(half^2 + 2 half) without the difference of close numbers
        root = c.sqrt(c.mul(half, c.add(half, 2)))
        first = c.div(mean, c.add(c.add(half, root), 1))
        choose = c.le(self.random(sizes), c.div(mean, c.add(mean, first)))
        return c.where(choose, first, c.div(c.square(as_array(mean)), first))

    def weibull(self, a, size=None):
        """Draw from the Weibull distribution of a shape."""
        return self._draw("weibull", (a,), size)

    # ---- counts ----

    def poisson(self, lam=1.0, size=None):
        """Draw Poisson counts of mean lam."""
        return random.poisson(self.key(), lam, size)

    def binomial(self, n, p, size=None):
        """Draw numbers of successes in n trials of probability p."""
        return random.binomial(self.key(), n, p, size)

    def negative_binomial(self, n, p, size=None):
        """Draw numbers of failures before n successes of probability p."""
        return self._counts("negative_binomial", (n, p), size)

    def geometric(self, p, size=None):
        """Draw numbers of trials of probability p until the first success."""
        return self._counts("geometric", (p,), size)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """Draw numbers of good ones among nsample, without replacement."""
        return random.hypergeometric(self.key(), ngood, nbad, nsample, size)

    def multinomial(self, n, pvals, size=None):
        """Draw how many of n trials fall into each category; the last one takes the rest."""
        pvals = c.cast(as_array(pvals), float64)
        if not pvals.ndim or not pvals.shape[-1]:
            raise ValueError("multinomial: expected probabilities of one category or more")
        first = pvals[..., :-1]
        rest = c.sub(1.0, c.sum(first, -1, True))
        _refuse("multinomial", c.lt(rest, -1e-12), "probabilities but the last have a sum above 1")
        pvals = c.concat([first, c.max(rest, 0.0)], -1)
        n = as_array(n)
        _not_negative("multinomial", "n", n)
        sizes = random._sizes(size, n, pvals[..., 0])
        return random.multinomial(self.key(), n, c.broadcast(pvals, sizes + pvals.shape[-1:]))

    # ---- vectors ----

    def dirichlet(self, alpha, size=None):
        """Draw vectors of positive numbers with sum 1."""
        alpha = as_array(alpha)
        if alpha.ndim != 1:
            raise ValueError(f"dirichlet: alpha has the shape {alpha.shape}; expected a vector")
        _positive("dirichlet", "alpha", alpha)
        x = random.gamma(self.key(), alpha, (() if size is None else ints(size)) + alpha.shape)
        return c.div(x, c.sum(x, -1, True))

    def multivariate_normal(self, mean, cov, size=None):
        """Draw normal vectors of a mean and a covariance matrix, which may be singular."""
        mean, cov = as_array(mean), as_array(cov)
        if cov.shape != 2 * mean.shape or mean.ndim != 1:
            raise ValueError(f"multivariate_normal: a mean of shape {mean.shape} and a covariance "
                             f"of shape {cov.shape}; expected (n,) and (n, n)")
        try:
            factor = c.cholesky(cov)
        except SingularError:
            factor = _root(cov)
        shape = (() if size is None else ints(size)) + mean.shape
        return c.add(c.matmul(random.normal(self.key(), shape), c.transpose(factor)), mean)

    # ---- integers, choices, order ----

    def integers(self, low, high=None, size=None, dtype=int64, endpoint=False):
        """Draw integers from low to before high, with endpoint to high; alone low is high."""
        low, high = (0, low) if high is None else (low, high)
        dtype = dtype_of(dtype)
        sizes = random._sizes(size, low, high)
        if dtype == bool_:
            top = 1 if endpoint else 2
            _refuse("integers", c.logical_or(c.lt(low, 0), c.gt(high, top)), "bool holds 0 and 1")
            return c.cast(self.integers(low, high, sizes, uint8, endpoint), bool_)
        if is_integer(high):
            high = operator.index(high) + bool(endpoint)
            if dtype in (int64, uint64) and is_integer(low) and high == iinfo(dtype).max + 1:
                return self._to_last(operator.index(low), sizes, dtype)
        elif endpoint:
            high = c.add(high, 1)
        return random.randint(self.key(), sizes, low, high, dtype)

    def _to_last(self, low, sizes, dtype):
        """Draw integers from low to the greatest of 64 bits, whose successor no dtype holds."""
        limits = iinfo(dtype)
        if low > limits.min:
            return c.add(random.randint(self.key(), sizes, low - 1, limits.max, dtype), 1)
        halves = random.randint(self.key(), (2, *sizes), 0, 2 ** 32, uint64)
        return c.view_as(c.bit_or(c.shift_left(halves[0], 32), halves[1]), dtype)

    def bytes(self, length):
        """Return random bytes."""
        return self.integers(0, 256, length, uint8).tobytes()

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Draw numbers below a, or slices of an array along an axis, with probabilities p.

        shuffle is NumPy's; the order is always random.
        """
        if p is not None:
            p = c.cast(as_array(p), float64)
            total = c.sum(p, None, False)
            # NumPy's tolerance: the square root of the distance of 1 from the next double
            _refuse("choice", c.gt(c.abs(c.sub(total, 1)), 1.4901161193847656e-08),
                    "probabilities have another sum than 1; divide them by their sum")
        return random.choice(self.key(), a, () if size is None else size, replace, p, axis)

    def permutation(self, x, axis=0):
        """Return the numbers below x, or the slices of an array along an axis, in random order."""
        return random.permutation(self.key(), x, axis)

    def permuted(self, x, axis=None, out=None):
        """Return an array with each line along an axis in a random order of its own.

        None: all elements in random order.
        """
        x = as_array(x)
        if axis is None:
            result = c.reshape(random.shuffle(self.key(), c.ravel(x), 0), x.shape)
            return placed_into(out, result)
        order = c.argsort(random.uniform(self.key(), x.shape), axis, False)
        return placed_into(out, c.take_along_axis(x, order, axis))

    def shuffle(self, x, axis=0):
        """Put the slices of an array, or the items of a list, in random order, in place."""
        if isinstance(x, list):
            x[:] = [x[i] for i in random.permutation(self.key(), len(x)).tolist()]
        else:
            x[...] = random.shuffle(self.key(), x, axis)


def _root(cov):
    """Return a matrix that times its transpose is a covariance without negative eigenvalues."""
    values, vectors = c.eigh(cov)
    least = -1e-8 * c.max(c.amax(c.abs(values), None, False), 1.0)  # NumPy's tolerance
    _refuse("multivariate_normal", c.lt(values, least), "the covariance has negative eigenvalues")
    return c.mul(vectors, c.sqrt(c.max(values, 0.0)))


def _key_of(seed):
    """Return the key of an integer of any size, or of several of them."""
    words = []
    try:
        seeds = ints(seed)
    except TypeError:
        raise TypeError(f"a seed is {seed!r}; expected an integer, or a sequence of them") from None
    for one in seeds:
        if one < 0:
            raise ValueError(f"a seed is {one}; expected 0 or more")
        words.append(one & 2 ** 64 - 1)
        # the further bits in words that a fold takes
        words += [one >> at & 2 ** 32 - 1 for at in range(64, max(one.bit_length(), 64), 32)]
    key = random.key(words[0] if words else 0)
    for word in words[1:]:
        key = random.fold_in(random.fold_in(key, word >> 32), word & 2 ** 32 - 1)
    return key


def default_rng(seed=None):
    """Return a generator of random numbers for a seed; None: a seed of the system.

    A seed is an integer, or a sequence of integers, of 0 or more.
    """
    return seed if isinstance(seed, Generator) else Generator(seed)
