"""Random numbers in turn: NumPy's form of a generator, over keys."""

import itertools
import secrets

from . import random
from ._base import as_array, ints, is_integer
from ._core import c
from ._dtypes import dtype_of, float64, int64


class Generator:
    """Random numbers that differ from call to call; equal seeds give equal sequences.

    The numbers are those of keys, not NumPy's.  A function that is recorded (jit, vmap, ...) draws
    while it is recorded, so each run has the same numbers; such functions take keys instead.
    """

    def __init__(self, seed=None):
        self._key = random.key(secrets.randbits(63) if seed is None else seed)
        self._calls = itertools.count()

    def key(self):
        """Return a key that is independent of all others of this generator."""
        return random.fold_in(self._key, next(self._calls))

    def spawn(self, n_children):
        """Return independent generators."""
        children = []
        for _ in range(n_children):
            child = Generator.__new__(Generator)
            child._key, child._calls = self.key(), itertools.count()
            children.append(child)
        return children

    def _scaled(self, draw, size, loc, scale):
        """Return loc + scale * x for numbers x of draw(key, size), of the shape that fits all."""
        plain = isinstance(loc, (int, float)) and isinstance(scale, (int, float))
        shape = random._sizes(size, loc, scale) if size is not None or not plain else ()
        return c.add(c.mul(draw(self.key(), shape), scale), loc)

    def random(self, size=None, dtype=float64):
        """Draw uniform numbers from 0 to before 1."""
        return random.uniform(self.key(), () if size is None else size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Draw uniform numbers from low to before high."""
        return random.uniform(self.key(), size, float64, low, high)

    def standard_normal(self, size=None, dtype=float64):
        """Draw normal numbers of mean 0 and deviation 1."""
        return random.normal(self.key(), () if size is None else size, dtype)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw normal numbers of mean loc and deviation scale."""
        return self._scaled(random.normal, size, loc, scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Draw numbers whose logarithms are normal."""
        return c.exp(self.normal(mean, sigma, size))

    def exponential(self, scale=1.0, size=None):
        """Draw exponential numbers of mean scale."""
        return self._scaled(random.exponential, size, 0.0, scale)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Draw from the Laplace distribution."""
        return self._scaled(random.laplace, size, loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Draw from the logistic distribution."""
        return self._scaled(random.logistic, size, loc, scale)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Draw from the Gumbel distribution."""
        return self._scaled(random.gumbel, size, loc, scale)

    def standard_cauchy(self, size=None):
        """Draw from the Cauchy distribution."""
        return random.cauchy(self.key(), () if size is None else size)

    def gamma(self, shape, scale=1.0, size=None):
        """Draw from the gamma distribution of a shape."""
        return c.mul(random.gamma(self.key(), shape, random._sizes(size, shape, scale)), scale)

    def beta(self, a, b, size=None):
        """Draw from the beta distribution."""
        return random.beta(self.key(), a, b, size)

    def chisquare(self, df, size=None):
        """Draw from the chi-squared distribution."""
        return self.gamma(c.div(df, 2.0), 2.0, size)

    def poisson(self, lam=1.0, size=None):
        """Draw Poisson counts of mean lam."""
        return random.poisson(self.key(), lam, size)

    def binomial(self, n, p, size=None):
        """Draw numbers of successes in n trials of probability p."""
        return random.binomial(self.key(), n, p, size)

    def multinomial(self, n, pvals):
        """Draw how many of n trials fall into each category."""
        return random.multinomial(self.key(), n, pvals)

    def multivariate_normal(self, mean, cov, size=None):
        """Draw normal vectors of a mean and a covariance matrix."""
        mean = as_array(mean)
        factor = c.cholesky(cov)
        shape = (() if size is None else ints(size)) + mean.shape
        return c.add(c.matmul(random.normal(self.key(), shape), c.transpose(factor)), mean)

    def integers(self, low, high=None, size=None, dtype=int64, endpoint=False):
        """Draw integers from low to before high, with endpoint to high; alone low is high."""
        low, high = (0, low) if high is None else (low, high)
        dtype = dtype_of(dtype)
        if not (is_integer(low) and is_integer(high)):
            span = c.add(c.sub(high, low), int(endpoint))
            empty = c.any(c.lt(span, 1), None, False)
            if not empty.is_promise and bool(empty):
                raise ValueError("integers: low must be below high")
            share = random.uniform(self.key(), random._sizes(size, low, high))
            return c.cast(c.add(c.cast(c.floor(c.mul(share, span)), int64), low), dtype)
        return random.randint(self.key(), () if size is None else size, low, high + bool(endpoint),
                              dtype)

    def choice(self, a, size=None, replace=True, p=None):
        """Draw numbers below a, or elements of a vector, with probabilities p."""
        return random.choice(self.key(), a, () if size is None else size, replace, p)

    def permutation(self, x):
        """Return the numbers below x, or the rows of an array, in random order."""
        return random.permutation(self.key(), x)

    def permuted(self, x, axis=None):
        """Return an array with each line along an axis in a random order of its own.

        None: all elements in random order.
        """
        x = as_array(x)
        if axis is None:
            return c.reshape(random.shuffle(self.key(), c.ravel(x), 0), x.shape)
        order = c.argsort(random.uniform(self.key(), x.shape), axis, False)
        return c.take_along_axis(x, order, axis)

    def shuffle(self, x, axis=0):
        """Put the slices of an array, or the items of a list, in random order, in place."""
        if isinstance(x, list):
            x[:] = [x[i] for i in random.permutation(self.key(), len(x)).tolist()]
        else:
            x[...] = random.shuffle(self.key(), x, axis)


def default_rng(seed=None):
    """Return a generator of random numbers for a seed, an integer; None: a seed of the system."""
    return seed if isinstance(seed, Generator) else Generator(seed)
