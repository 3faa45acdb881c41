"""Functions that make arrays: the standard's, and NumPy's others."""

from . import _core
from ._base import apart, as_array, fresh, ints, on, shown
from ._core import arange, asarray, c, full
from ._dtypes import bool_, dtype_of, float64, int64, isdtype


def array(obj, dtype=None, *, copy=True, ndmin=0, device=None):
    """Return a new array; as asarray, but copies by default."""
    x = asarray(obj, dtype, device=device, copy=copy)
    return c.atleast(x, ndmin) if x.ndim < ndmin else x


def from_dlpack(x, /, *, device=None, copy=None):
    """Return an array over the memory of another library's array, which has __dlpack__."""
    return on(_core.from_dlpack(x, copy=copy), device)


def copy(x, /):
    """Return a copy of an array in memory of its own."""
    return fresh(x)


def _or_float(dtype):
    """Return a dtype, by default float64."""
    return float64 if dtype is None else dtype_of(dtype)


def zeros_like(x, /, dtype=None, *, shape=None, device=None):
    """Return zeros of an array's shape and dtype."""
    return _like(x, c.zeros, dtype, shape, device)


def ones_like(x, /, dtype=None, *, shape=None, device=None):
    """Return ones of an array's shape and dtype."""
    return _like(x, c.ones, dtype, shape, device)


def empty_like(x, /, dtype=None, *, shape=None, device=None):
    """Return zeros of an array's shape and dtype, as zeros_like."""
    return _like(x, c.empty, dtype, shape, device)


def full_like(x, /, fill_value, dtype=None, *, shape=None, device=None):
    """Return equal elements in an array's shape and dtype."""
    x = as_array(x)
    value = asarray(fill_value, x.dtype if dtype is None else dtype)
    return _placed(c.full_of(value, x.shape if shape is None else ints(shape)), x, device)


def _like(x, make, dtype, shape, device):
    """Return make(dtype, shape) for the dtype and shape of x, unless others are given."""
    x = as_array(x)
    dtype = x.dtype if dtype is None else dtype_of(dtype)
    return _placed(make(dtype, x.shape if shape is None else ints(shape)), x, device)


def _placed(result, x, device):
    """Return a result on a device, by default that of x."""
    device = x.device if device is None else str(device)
    return result if device == "cpu" else c.to(result, device)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *,
             device=None):
    """Return num evenly spaced numbers from start to stop, which may be arrays.

    endpoint=False leaves stop out.  retstep=True returns (numbers, step).
    """
    if isinstance(start, (int, float)) and isinstance(stop, (int, float)):
        if axis not in (0, -1):
            raise IndexError(f"linspace: axis {axis} is out of bounds for 1 axis")
        make = c.linspace if endpoint else c.linspace_open
        result = make(_or_float(dtype), start, stop, num)
    else:
        result = _between(as_array(start), as_array(stop), num, dtype, endpoint, axis)
    if not retstep:
        return on(result, device)
    parts = num - 1 if endpoint else num
    return on(result, device), c.div(c.sub(stop, start), parts) if parts else float("nan")


def _between(start, stop, num, dtype, endpoint, axis):
    """Return num evenly spaced arrays from start to stop along a new axis."""
    kind = c.promote_all([start.dtype, stop.dtype, float64 if dtype is None else dtype_of(dtype)])
    if not isdtype(kind, ("real floating", "complex floating")):
        kind = float64
    make = c.linspace if endpoint else c.linspace_open
    wide = c.promote(kind, float64)  # differences of integers would wrap
    start, stop = c.broadcast_together([c.cast(start, wide), c.cast(stop, wide)])
    share = c.reshape(make(float64, 0, 1, num), (num,) + (1,) * start.ndim)
    result = c.add(start, c.mul(share, c.sub(stop, start)))
    if endpoint and num > 1:  # rounding must not miss the end
        result = c.concat([result[:-1], c.expand(stop, 0)], 0)
    dtype = kind if dtype is None else dtype_of(dtype)
    result = c.cast(c.floor(result) if isdtype(dtype, "integral") else result, dtype)
    return result if axis == 0 else c.moveaxis(result, [0], [axis])


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """Return powers of a base whose exponents are evenly spaced from start to stop."""
    exponents = linspace(start, stop, num, endpoint=endpoint)
    result = c.pow(float(base), exponents)
    return result if dtype is None else c.cast(result, dtype_of(dtype))


def geomspace(start, stop, num=50, endpoint=True, dtype=None):
    """Return numbers of constant ratio from start to stop."""
    if endpoint:
        return c.geomspace(_or_float(dtype), start, stop, num)
    return c.geomspace(_or_float(dtype), start, start * (stop / start) ** ((num - 1) / num), num)


def eye(n_rows, n_cols=None, /, k=0, dtype=None, *, device=None):
    """Return a matrix with ones on diagonal k, zeros elsewhere."""
    n_cols = n_rows if n_cols is None else n_cols
    return on(c.eye_of(_or_float(dtype), n_rows, n_cols, _far(k)), device)


def _far(k):
    """Return the number of a diagonal, or one that is as far outside and fits into 64 bits."""
    return k if -2 ** 62 < k < 2 ** 62 else 2 ** 62 if k > 0 else -2 ** 62


def identity(n, dtype=None):
    """Return the identity matrix of n rows."""
    return c.eye(_or_float(dtype), n)


def tri(N, M=None, k=0, dtype=None):
    """Return a matrix with ones on and below diagonal k, zeros above."""
    return c.tri(_or_float(dtype), N, N if M is None else M, _far(k))


def unit(n, i, dtype=None):
    """Return a vector of zeros with a one at index i."""
    return c.unit(_or_float(dtype), n, i)


def one_hot(indices, depth, dtype=None):
    """Return for each index a vector of zeros with a one there, along a new last axis."""
    return c.one_hot(indices, depth, _or_float(dtype))


def polar(modulus, angle):
    """Return complex numbers of moduli and angles."""
    return c.polar(modulus, angle)


def tril(x, /, k=0):
    """Return a copy with zeros above diagonal k of each matrix."""
    return c.tril(x, _far(k))


def triu(x, /, k=0):
    """Return a copy with zeros below diagonal k of each matrix."""
    return c.triu(x, _far(k))


def tril_indices(n, k=0, m=None):
    """Return rows and columns of the elements on and below diagonal k of a matrix."""
    return tuple(c.tril_indices(n, n if m is None else m, k))


def triu_indices(n, k=0, m=None):
    """Return rows and columns of the elements on and above diagonal k of a matrix."""
    return tuple(c.triu_indices(n, n if m is None else m, k))


def diag(v, k=0):
    """Return the matrix with a vector on diagonal k, or a read-only view of diagonal k of one."""
    v = as_array(v)
    return c.diag(v, k) if v.ndim == 1 else shown(v, lambda v: c.diag(v, k), fixed=True)


def diagflat(v, k=0):
    """Return the matrix with all elements of v on diagonal k."""
    return c.diagflat(v, k)


def vander(x, N=None, increasing=False):
    """Return the Vandermonde matrix of a vector: its powers in columns."""
    x = as_array(x)
    return c.vander(x, x.size if N is None else N, increasing)


def meshgrid(*arrays, copy=True, indexing="xy", sparse=False):
    """Return coordinate arrays of a grid, one for each vector of coordinates.

    copy is NumPy's; the arrays have memory of their own in any case.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    if not arrays:
        return ()
    if not sparse:
        return tuple(apart(x, *arrays) for x in c.meshgrid(list(arrays), indexing == "xy"))
    n, order = len(arrays), list(range(len(arrays)))
    if indexing == "xy" and n > 1:
        order[:2] = 1, 0
    return tuple(fresh(c.reshape(v, [-1 if j == order[i] else 1 for j in range(n)]))
                 for i, v in enumerate(arrays))


def indices(dimensions, dtype=None, sparse=False):
    """Return the index along each axis of the elements of an array of that shape."""
    if sparse:
        vectors = [arange(n, dtype=dtype) for n in dimensions]
        return meshgrid(*vectors, indexing="ij", sparse=True)
    result = c.indices(ints(dimensions))
    return result if dtype is None else c.cast(result, dtype_of(dtype))


def fromfunction(function, shape, *, dtype=None, **keywords):
    """Return function(i, j, ...) of the indices of an array of that shape."""
    return function(*indices(shape, _or_float(dtype)), **keywords)


def frombuffer(buffer, dtype=None, count=-1, offset=0):
    """Return a vector over the bytes of a buffer."""
    dtype = _or_float(dtype)
    view = memoryview(buffer).cast("B")
    if not 0 <= offset <= len(view):
        raise ValueError(f"frombuffer: offset {offset} lies outside of {len(view)} bytes")
    view = view[offset:]
    if count >= 0:
        if len(view) < count * dtype.itemsize:
            raise ValueError(f"frombuffer: {count} elements of {dtype} take "
                             f"{count * dtype.itemsize} bytes, and there are {len(view)}")
        view = view[:count * dtype.itemsize]
    if len(view) % dtype.itemsize:
        raise ValueError(f"frombuffer: {len(view)} bytes are no multiple of the {dtype.itemsize} "
                         f"of {dtype}")
    if dtype == bool_:  # asarray looks for bytes other than 0 and 1
        return _core.asarray(view.cast("?"))
    bytes_ = _core.asarray(view)
    return c.view_as(bytes_, dtype) if bytes_.size else c.zeros(dtype, (0,))


def fromiter(iterable, dtype, count=-1):
    """Return a vector of the elements of an iterable."""
    from itertools import islice
    items = list(iterable if count < 0 else islice(iterable, count))
    if len(items) < count:
        raise ValueError(f"fromiter: the iterable has {len(items)} elements, not {count}")
    return asarray(items, dtype) if items else c.zeros(dtype_of(dtype), (0,))


def copy(a):
    """Return a copy in memory of its own."""
    return fresh(as_array(a))


asanyarray = asarray


def ascontiguousarray(a, dtype=None):
    """Return an array whose elements lie in row-major order."""
    return c.contiguous(asarray(a, dtype))


def asfortranarray(a, dtype=None):
    """Return an array whose elements lie in column-major order."""
    return c.columns(asarray(a, dtype))


# ---- questions ----

def shape(x):
    """Return the sizes of an array, or of what asarray makes an array of."""
    return as_array(x).shape


def ndim(x):
    """Return the number of axes."""
    return as_array(x).ndim


def size(x, axis=None):
    """Return the number of elements, or the size of an axis."""
    return as_array(x).size if axis is None else as_array(x).shape[axis]


def iscomplexobj(x):
    """Return True if the dtype is complex."""
    return isdtype(as_array(x).dtype, "complex floating")


def isrealobj(x):
    """Return True if the dtype is not complex."""
    return not iscomplexobj(x)


def isscalar(x):
    """Return True for a number of Python."""
    return isinstance(x, (bool, int, float, complex))
