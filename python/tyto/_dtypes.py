"""Dtypes: kinds, promotion, casts and limits."""

import functools

from . import _core
from ._base import as_array, fresh, on
from ._core import Array, DType, c

bool_ = _core.bool
int8, int16, int32, int64 = _core.int8, _core.int16, _core.int32, _core.int64
uint8, uint16, uint32, uint64 = _core.uint8, _core.uint16, _core.uint32, _core.uint64
float16, bfloat16 = _core.float16, _core.bfloat16
float32, float64 = _core.float32, _core.float64
complex64, complex128 = _core.complex64, _core.complex128

KINDS = {
    "bool": (bool_,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float16, bfloat16, float32, float64),
    "complex floating": (complex64, complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]

# NumPy's other names of dtypes, and of kinds for issubdtype.
half, single, double, csingle, cdouble = float16, float32, float64, complex64, complex128
int_ = intp = long = longlong = int64
uint = uintp = ulong = ulonglong = uint64
byte, short, intc = int8, int16, int32
ubyte, ushort, uintc = uint8, uint16, uint32
number, integer, inexact = "numeric", "integral", ("real floating", "complex floating")
signedinteger, unsignedinteger = "signed integer", "unsigned integer"
floating, complexfloating = "real floating", "complex floating"

_ALL = KINDS["bool"] + KINDS["numeric"]
_PARTS = {complex64: float32, complex128: float64}  # dtype of the parts of a complex number


def dtype_of(of):
    """Return the dtype of a name, a type of Python or NumPy, or an array."""
    if isinstance(of, DType):
        return of
    return of.dtype if isinstance(of, Array) else DType(of)


dtype = DType


def isdtype(dtype, kind):
    """Return True if a dtype is of a kind, or of one kind of a tuple of them."""
    dtype = dtype_of(dtype)
    for one in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(one, str) and one in KINDS:
            if dtype in KINDS[one]:
                return True
        elif isinstance(one, str):
            raise ValueError(f"isdtype: no kind is named {one!r}; kinds are {', '.join(KINDS)}")
        elif dtype == dtype_of(one):
            return True
    return False


def issubdtype(dtype, kind):
    """Return True if a dtype is another one, or of a kind such as floating."""
    return isdtype(dtype, kind)


def promote_types(type1, type2):
    """Return the least dtype to which both convert."""
    return c.promote(dtype_of(type1), dtype_of(type2))


def common_type(*arrays):
    """Return the floating or complex dtype in which arrays compute; integers count as float64."""
    dtypes = [as_array(x).dtype for x in arrays]
    return c.promote_all([float64 if d in KINDS["integral"] else d for d in dtypes] or [float16])


def min_scalar_type(x):
    """Return the smallest dtype that holds a number; that of an array with axes."""
    x = as_array(x)
    if x.ndim or x.dtype == bool_:
        return x.dtype
    kind = next(k for k in _SAFE_KINDS if x.dtype in KINDS[k])
    value = x.tolist()
    if kind.endswith("integer"):
        fits = KINDS["unsigned integer" if value >= 0 else "signed integer"]
        return next(d for d in fits if iinfo(d).min <= value <= iinfo(d).max)
    parts = (value.real, value.imag) if kind.startswith("complex") else (value,)
    fits = KINDS[kind] if kind.startswith("complex") else (float16, float32, float64)
    return next(d for d in fits if d == fits[-1] or
                not any(abs(finfo(d).max) < abs(p) < float("inf") for p in parts))


NUMBERS = (bool, int, float, complex)


@functools.lru_cache(maxsize=None)
def with_number(dtype, kind):
    """Return the dtype in which an array and a number of Python of that type compute."""
    return c.add(c.zeros(dtype, ()), kind(0)).dtype


_SAFE_KINDS = ("bool", "unsigned integer", "signed integer", "real floating", "complex floating")


def can_cast(from_, to, casting="safe"):
    """Return True if the dtype of an array, or a dtype, converts to another one.

    casting is "no", "safe" (no value is lost), "same_kind" or "unsafe".
    """
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError("can_cast: casting is no, equiv, safe, same_kind or unsafe, "
                         f"not {casting!r}")
    source, target = dtype_of(from_), dtype_of(to)
    if casting == "unsafe" or source == target:
        return True
    if casting in ("no", "equiv"):
        return False
    if casting == "same_kind" and _order(source) <= _order(target):
        return True
    return c.promote(source, target) == target


def _order(dtype):
    """Return the place of a dtype's kind in the order of kinds that widen."""
    return next(i for i, kind in enumerate(_SAFE_KINDS) if dtype in KINDS[kind])


def astype(x, dtype, /, *, copy=True, device=None):
    """Return an array with its elements converted to a dtype."""
    x = as_array(x)
    dtype = dtype_of(dtype)
    if x.dtype == dtype:
        return on(fresh(x) if copy else x, device)
    if x.dtype in _PARTS and dtype not in _PARTS and dtype != bool_:
        raise TypeError(f"astype: {x.dtype} to {dtype} drops the imaginary part; "
                        "take real(x) first")
    return on(c.cast(x, dtype), device)


# Bits of the fraction and greatest exponent of each floating dtype (IEEE 754; bfloat16: Intel).
_LAYOUTS = {float16: (16, 10, 15), bfloat16: (16, 7, 127), float32: (32, 23, 127),
            float64: (64, 52, 1023)}


class finfo:
    """Limits of a floating dtype, or of the parts of a complex one."""

    __slots__ = ("dtype", "bits", "eps", "max", "min", "smallest_normal", "smallest_subnormal",
                 "resolution", "precision", "nmant", "maxexp", "minexp")

    def __init__(self, type, /):
        of = dtype_of(type)
        self.dtype = of = _PARTS.get(of, of)
        if of not in _LAYOUTS:
            raise ValueError(f"finfo: {of} is no floating dtype; iinfo is for integers")
        self.bits, self.nmant, exponent = _LAYOUTS[of]
        self.eps = 2.0 ** -self.nmant
        self.max = (2.0 - self.eps) * 2.0 ** exponent
        self.min = -self.max
        self.smallest_normal = 2.0 ** (1 - exponent)
        self.smallest_subnormal = self.smallest_normal * self.eps
        self.precision = int(self.nmant * 0.30102999566398120)  # decimal digits: log10(2) each
        self.resolution = float(f"1e-{self.precision}")
        self.maxexp, self.minexp = exponent + 1, 1 - exponent

    @property
    def tiny(self):
        """Return smallest_normal, under NumPy's name."""
        return self.smallest_normal

    def __repr__(self):
        limits = f"min={self.min}, max={self.max}, dtype={self.dtype}"
        return f"finfo(resolution={self.resolution}, {limits})"


class iinfo:
    """Limits of an integer dtype."""

    __slots__ = ("dtype", "bits", "max", "min")

    def __init__(self, type, /):
        self.dtype = of = dtype_of(type)
        if of not in KINDS["integral"]:
            raise ValueError(f"iinfo: {of} is no integer dtype; finfo tells the limits of floats")
        self.bits = 8 * of.itemsize
        signed = of in KINDS["signed integer"]
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


@functools.lru_cache(maxsize=None)
def _opencl_devices():
    """Return the names of the devices of OpenCL; a thread's engine is tried and put back."""
    before, names = c.engine_name(), []
    while c.use_engine(f"opencl:{len(names)}"):
        names.append(c.engine_name())
    c.use_engine(before)
    return tuple(names)


class Info:
    """Facts about this namespace, as __array_namespace_info__ tells them."""

    def capabilities(self):
        """Return what the standard leaves to libraries."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """Return the device of arrays that are made without one."""
        return "cpu"

    def default_dtypes(self, *, device=None):
        """Return the dtypes of arrays that are made without one."""
        return {"real floating": float64, "complex floating": complex128, "integral": int64,
                "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        """Return the dtypes of a kind, or of all kinds, by name."""
        wanted = _ALL if kind is None else [d for d in _ALL if isdtype(d, kind)]
        return {d.name: d for d in wanted if d not in (float16, bfloat16)}

    def devices(self):
        """Return the names of devices that compute."""
        return ("cpu", *_opencl_devices())


def __array_namespace_info__():
    """Return an object that tells dtypes, devices and capabilities."""
    return Info()


def _made(self, x=0):
    """Return an array of a number, a text of one, or nested sequences, converted to the dtype."""
    if isinstance(x, str):
        x = {"c": complex, "f": float}.get(self.kind, int)(x)
    made = as_array(x)
    if self.kind in "iu" and made.dtype.kind in "iu" and not hasattr(x, "dtype"):
        return _core.asarray(x, self)  # integers of Python must fit
    return c.cast(made, self)


def _numpy_dtype(self):
    """The dtype of NumPy that has the name."""
    try:
        import numpy
    except ImportError:
        raise AttributeError("NumPy is not installed") from None
    if self in (bfloat16,) or self not in _ALL:
        raise AttributeError(f"NumPy has no dtype {self}")
    return numpy.dtype(str(self))


DType.__call__ = _made
DType.__numpy_dtype__ = property(_numpy_dtype)
DType.dtype = property(_numpy_dtype)  # which NumPy before 2.4 asks for
