"""Fourier transforms: the standard's extension, and discrete cosine and sine transforms."""

import operator

from ._base import apart, as_array, attributes_of, fresh, ints, on
from ._core import c
from ._dtypes import complex64, dtype_of, float64

WHOLE = -1  # TY_FFT_WHOLE: the size of the axis


def _size(n):
    """Return the size of a transform for the library; None is that of the axis."""
    if n is None:
        return WHOLE
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"the size of a transform is {n}; expected 1 or more")
    return n


def _one(function, x, n, axis, norm):
    """Return a transform along one axis."""
    return function(x, _size(n), axis, norm or "backward")


def fft(x, /, n=None, axis=-1, norm="backward"):
    """Return the Fourier transform along an axis, of size n."""
    return _one(c.fft, x, n, axis, norm)


def ifft(x, /, n=None, axis=-1, norm="backward"):
    """Return the inverse Fourier transform along an axis, of size n."""
    return _one(c.ifft, x, n, axis, norm)


def rfft(x, /, n=None, axis=-1, norm="backward"):
    """Return the first half of the Fourier transform of real numbers along an axis."""
    return _one(c.rfft, x, n, axis, norm)


def irfft(x, /, n=None, axis=-1, norm="backward"):
    """Return n real numbers from the first half of their transform along an axis."""
    return _one(c.irfft, x, n, axis, norm)


def hfft(x, /, n=None, axis=-1, norm="backward"):
    """Return the real transform of half a line with Hermitian symmetry."""
    return _one(c.hfft, x, n, axis, norm)


def ihfft(x, /, n=None, axis=-1, norm="backward"):
    """Return the inverse of hfft along an axis."""
    return _one(c.ihfft, x, n, axis, norm)


def _several(function, x, s, axes, norm):
    """Return a transform along several axes: those given, the last ones of s, or all."""
    x = as_array(x)
    norm = norm or "backward"
    if axes is None and s is None:
        return function(x, None, None, norm)
    if axes is None:
        s = tuple(s)
        if len(s) > x.ndim:
            raise ValueError(f"{len(s)} sizes for an array of {x.ndim} axes")
        axes = range(x.ndim - len(s), x.ndim)
    axes = tuple(axes)
    if s is not None and len(s) != len(axes):
        raise ValueError(f"{len(s)} sizes for {len(axes)} axes")
    sizes = None if s is None else tuple(map(_size, s))
    if not axes:  # the library takes no axes as all
        return x if x.dtype == complex64 else c.cast(x, c.promote(x.dtype, complex64))
    return function(x, axes, sizes, norm)


def fftn(x, /, s=None, axes=None, norm="backward"):
    """Return the Fourier transform along axes, of sizes s."""
    return _several(c.fftn, x, s, axes, norm)


def ifftn(x, /, s=None, axes=None, norm="backward"):
    """Return the inverse Fourier transform along axes, of sizes s."""
    return _several(c.ifftn, x, s, axes, norm)


def rfftn(x, /, s=None, axes=None, norm="backward"):
    """Return the Fourier transform of real numbers along axes; the last one is halved."""
    return _several(c.rfftn, x, s, axes, norm)


def irfftn(x, /, s=None, axes=None, norm="backward"):
    """Return real numbers of sizes s from the half of their transform along axes."""
    return _several(c.irfftn, x, s, axes, norm)


def fft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """Return the Fourier transform along two axes."""
    return fftn(x, s, axes, norm)


def ifft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """Return the inverse Fourier transform along two axes."""
    return ifftn(x, s, axes, norm)


def rfft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """Return the Fourier transform of real numbers along two axes; the last one is halved."""
    return rfftn(x, s, axes, norm)


def irfft2(x, /, s=None, axes=(-2, -1), norm="backward"):
    """Return real numbers from the half of their transform along two axes."""
    return irfftn(x, s, axes, norm)


def fftfreq(n, /, d=1.0, dtype=None, *, device=None):
    """Return the frequencies of the n results of fft, for samples d apart."""
    return on(c.fftfreq(float64 if dtype is None else dtype_of(dtype), n, d), device)


def rfftfreq(n, /, d=1.0, dtype=None, *, device=None):
    """Return the frequencies of the results of rfft of n numbers, for samples d apart."""
    return on(c.rfftfreq(float64 if dtype is None else dtype_of(dtype), n, d), device)


def _shifted(function, x, axes):
    """Return x with frequency 0 moved along axes, by default along all."""
    if axes is None:
        return apart(function(x, ()), x)
    axes = ints(axes)
    return apart(function(x, axes), x) if axes else fresh(x)


def fftshift(x, /, axes=None):
    """Move frequency 0 from the front to the middle of axes."""
    return _shifted(c.fftshift, x, axes)


def ifftshift(x, /, axes=None):
    """Move frequency 0 from the middle to the front of axes."""
    return _shifted(c.ifftshift, x, axes)


def _real_transform(function, x, type, n, axis, norm):
    """Return a cosine or sine transform along an axis."""
    return function(x, type, _size(n), axis, norm or "backward")


def dct(x, type=2, n=None, axis=-1, norm=None):
    """Return the discrete cosine transform of a type from 1 to 4 along an axis."""
    return _real_transform(c.dct, x, type, n, axis, norm)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """Return the inverse discrete cosine transform along an axis."""
    return _real_transform(c.idct, x, type, n, axis, norm)


def dst(x, type=2, n=None, axis=-1, norm=None):
    """Return the discrete sine transform of a type from 1 to 4 along an axis."""
    return _real_transform(c.dst, x, type, n, axis, norm)


def idst(x, type=2, n=None, axis=-1, norm=None):
    """Return the inverse discrete sine transform along an axis."""
    return _real_transform(c.idst, x, type, n, axis, norm)


def next_fast_len(target):
    """Return the least size from target on that transforms fast."""
    return c.fft_good(target)


__getattr__, __dir__ = attributes_of(__name__)
