"""Random numbers from keys.

A key determines the numbers; equal keys give equal numbers.  key(seed) makes one, and split makes
independent keys of it.  A shape of None is that to which the parameters broadcast.
"""

import functools
import inspect
import operator

from . import _core
from ._base import as_array, attributes_of, ints, is_integer, size_along
from ._core import c
from ._dtypes import dtype_of, float64, int64


def key(seed):
    """Return the key of a seed, an integer."""
    return c.key(seed)


PRNGKey = key


def split(key, num=2):
    """Return independent keys, one for each row."""
    return c.split_key(key, num)


def fold_in(key, data):
    """Return an independent key for each integer."""
    return c.fold(key, data) if isinstance(data, int) else c.fold_by(key, data)


# Names in NumPy's generator of functions that have another name here.
_NUMPY = {"randint": "integers"}


def _generator():
    """Return the module of generators, which needs this one."""
    from . import _generator as module

    return module


def _keyed(function):
    """Let a function of a key refuse NumPy's arguments, and name the method that takes them."""
    name, words = function.__name__, set(inspect.signature(function).parameters)

    def refuse(found):
        other = _NUMPY.get(name, name)
        instead = f"; default_rng(seed).{other}(...) has NumPy's arguments" \
            if hasattr(_generator().Generator, other) else ""
        return TypeError(f"{name}() {found}: write {name}{inspect.signature(function)} with "
                         f"key = tyto.random.key(seed){instead}")

    @functools.wraps(function)
    def _call(*args, **named):
        if not args and "key" not in named:
            raise refuse("needs a key")
        first = args[0] if args else named["key"]
        if first is None or isinstance(first, (float, list, tuple, _generator().Generator)) \
                or is_integer(first) and not isinstance(first, _core.Array):
            raise refuse(f"takes a key first, not {first!r}")
        if not words.issuperset(named):
            raise refuse(f"has no argument {next(word for word in named if word not in words)!r}")
        return function(*args, **named)
    return _call


def _sizes(shape, *parameters):
    """Return a shape as a tuple; None is that to which the parameters broadcast."""
    if shape is not None:
        return ints(shape)
    return c.broadcast_together([as_array(p) for p in parameters])[0].shape


def _found(wrong):
    """Return True if an array has a true element; promises have none that are known."""
    return not wrong.is_promise and bool(c.any(wrong, None, False))


@_keyed
def uniform(key, shape=(), dtype=float64, minval=0.0, maxval=1.0):
    """Draw uniform numbers from minval to before maxval."""
    numbers = isinstance(minval, (int, float)) and isinstance(maxval, (int, float))
    if maxval < minval if numbers else _found(c.lt(as_array(maxval), as_array(minval))):
        raise ValueError(f"uniform: maxval is {maxval} and minval {minval}; expected minval or "
                         "more")
    unit = c.uniform(dtype_of(dtype), _sizes(shape, minval, maxval), key)
    if numbers and minval == 0.0 and maxval == 1.0:
        return unit
    if not numbers:
        minval, maxval = (c.broadcast(c.cast(as_array(limit), unit.dtype), unit.shape)
                          for limit in (minval, maxval))
    return c.add(c.mul(unit, maxval - minval), minval)


@_keyed
def normal(key, shape=(), dtype=float64):
    """Draw normal numbers of mean 0 and deviation 1."""
    return c.normal(dtype_of(dtype), ints(shape), key)


@_keyed
def randint(key, shape, minval, maxval, dtype=int64):
    """Draw integers from minval to before maxval."""
    return c.randint(dtype_of(dtype), ints(shape), minval, maxval, key)


@_keyed
def bernoulli(key, p=0.5, shape=None):
    """Draw bools that are true with probability p."""
    sizes = _sizes(shape, p)
    if isinstance(p, (int, float)):
        return c.bernoulli(sizes, p, key)
    p = as_array(p)
    if _found(c.logical_not(c.logical_and(c.ge(p, 0), c.le(p, 1)))):
        raise ValueError(f"bernoulli: probabilities are {p}; expected 0 to 1")
    return c.lt(c.uniform(float64, sizes, key), c.broadcast(p, sizes))


@_keyed
def exponential(key, shape=(), dtype=float64, scale=1.0):
    """Draw exponential numbers of mean scale."""
    return c.exponential(dtype_of(dtype), ints(shape), scale, key)


@_keyed
def laplace(key, shape=(), dtype=float64, loc=0.0, scale=1.0):
    """Draw from the Laplace distribution."""
    return c.laplace(dtype_of(dtype), ints(shape), loc, scale, key)


@_keyed
def logistic(key, shape=(), dtype=float64, loc=0.0, scale=1.0):
    """Draw from the logistic distribution."""
    return c.logistic(dtype_of(dtype), ints(shape), loc, scale, key)


@_keyed
def gumbel(key, shape=(), dtype=float64, loc=0.0, scale=1.0):
    """Draw from the Gumbel distribution."""
    return c.gumbel(dtype_of(dtype), ints(shape), loc, scale, key)


@_keyed
def cauchy(key, shape=(), dtype=float64, loc=0.0, scale=1.0):
    """Draw from the Cauchy distribution."""
    return c.cauchy(dtype_of(dtype), ints(shape), loc, scale, key)


@_keyed
def truncated_normal(key, lower, upper, shape=None, dtype=float64):
    """Draw normal numbers between two limits."""
    return c.truncated_normal(dtype_of(dtype), _sizes(shape, lower, upper), lower, upper, key)


@_keyed
def gamma(key, a, shape=None, dtype=float64):
    """Draw from the gamma distribution of shape a."""
    return c.random_gamma(dtype_of(dtype), _sizes(shape, a), a, key)


@_keyed
def beta(key, a, b, shape=None, dtype=float64):
    """Draw from the beta distribution."""
    return c.random_beta(dtype_of(dtype), _sizes(shape, a, b), a, b, key)


@_keyed
def poisson(key, lam, shape=None, dtype=int64):
    """Draw Poisson counts of mean lam."""
    return c.poisson(dtype_of(dtype), _sizes(shape, lam), lam, key)


@_keyed
def binomial(key, n, p, shape=None, dtype=int64):
    """Draw numbers of successes in n trials of probability p."""
    return c.binomial(dtype_of(dtype), _sizes(shape, n, p), n, p, key)


@_keyed
def hypergeometric(key, ngood, nbad, nsample, shape=None, dtype=int64):
    """Draw numbers of good ones among nsample, without replacement."""
    sizes = _sizes(shape, ngood, nbad, nsample)
    return c.hypergeometric(dtype_of(dtype), sizes, ngood, nbad, nsample, key)


@_keyed
def multinomial(key, n, p):
    """Draw how many of n trials fall into each category of the last axis of p."""
    return c.multinomial(n, p, key)


@_keyed
def vonmises(key, kappa, shape=None, dtype=float64):
    """Draw angles from the von Mises distribution."""
    return c.von_mises(dtype_of(dtype), _sizes(shape, kappa), kappa, key)


@_keyed
def categorical(key, logits, axis=-1):
    """Draw indices with probabilities softmax(logits) along an axis."""
    return c.categorical(logits, axis, key)


@_keyed
def permutation(key, x, axis=0):
    """Return the numbers below x, or the slices of an array along an axis, in random order."""
    return c.permutation(operator.index(x), key) if is_integer(x) else c.shuffle(x, axis, key)


@_keyed
def shuffle(key, x, axis=0):
    """Return an array with its slices along an axis in random order."""
    return c.shuffle(x, axis, key)


@_keyed
def choice(key, a, shape=(), replace=True, p=None, axis=0):
    """Draw numbers below a, or slices of an array along an axis, with probabilities p.

    p need not have the sum 1.
    """
    sizes = ints(shape)
    count = 1
    for size in sizes:
        count *= size
    n = operator.index(a) if is_integer(a) else size_along(as_array(a), axis, "choice")
    places = c.reshape(c.choice(n, count, replace, p, key), sizes)
    return places if is_integer(a) else c.take(a, places, axis)


def default_rng(seed=None):
    """Return a generator of random numbers in NumPy's form; a seed of None is the system's."""
    return _generator().default_rng(seed)


__getattr__, __dir__ = attributes_of(__name__)
