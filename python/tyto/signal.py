"""Convolution, filters, windows and short-time transforms."""

from ._base import attributes_of, ints
from ._core import c
from ._dtypes import dtype_of, float64


def convolve(a, v, mode="full"):
    """Return the convolution of arrays; mode is "full", "same" or "valid"."""
    return c.convolve(a, v, mode)


def correlate(a, v, mode="full"):
    """Return the correlation of arrays; mode is "full", "same" or "valid"."""
    return c.correlate(a, v, mode)


def fftconvolve(a, v, mode="full", axes=None):
    """Return the convolution of arrays by transforms along axes."""
    return c.fft_convolve(a, v, mode, None if axes is None else ints(axes))


def lfilter(b, a, x, axis=-1):
    """Filter by the transfer function b / a along an axis."""
    return c.filter(b, a, x, axis)


def filtfilt(b, a, x, axis=-1):
    """Filter forwards and backwards, without shift of phase."""
    return c.filter_both(b, a, x, axis)


def sosfilt(sos, x, axis=-1):
    """Filter by sections of second order."""
    return c.filter_sections(sos, x, axis)


def sosfiltfilt(sos, x, axis=-1):
    """Filter by sections forwards and backwards."""
    return c.filter_sections_both(sos, x, axis)



def butter(N, Wn, btype="lowpass"):
    """Return sections of a Butterworth filter of order N; Wn is relative to half the rate."""
    low, high = Wn if hasattr(Wn, "__len__") else (Wn, 0.0)
    return c.butterworth(N, btype, low, high)


def hilbert(x, axis=-1):
    """Return the analytic signal, whose real part is x."""
    return c.analytic_signal(x, axis)


def stft(x, size, step=0, n=0, window=None, plain=False):
    """Return transforms of segments of x: [.., frequency, time]."""
    return c.stft(x, size=size, step=step, n=n, window=window, plain=plain)


def istft(spectra, size, step=0, n=0, window=None, plain=False, real=True):
    """Return the signal of the transforms that stft gives."""
    return c.istft(spectra, real, size=size, step=step, n=n, window=window, plain=plain)


def spectrogram(x, size, step=0, n=0, window=None, rate=1.0):
    """Return power densities of segments: [.., frequency, time]."""
    return c.spectrogram(x, rate, size=size, step=step, n=n, window=window)


# ---- windows: symmetric, or one period of a periodic one ----

def _window(name, doc):
    """Return a function for the window of the library of that name."""
    make = getattr(c, name)

    def window(n, sym=True, dtype=float64):
        """Return a window of n elements."""
        return make(dtype_of(dtype), n, not sym)
    window.__name__ = window.__qualname__ = name
    window.__doc__ = doc
    return window


bartlett = _window("bartlett", "Return Bartlett's triangular window, which ends at 0.")
blackman = _window("blackman", "Return Blackman's window.")
blackmanharris = _window("blackman_harris", "Return the window of Blackman and Harris.")
bohman = _window("bohman", "Return Bohman's window.")
cosine = _window("half_sine", "Return half a sine.")
flattop = _window("flat_top", "Return the window with a flat top.")
hamming = _window("hamming", "Return Hamming's window.")
hann = hanning = _window("hann", "Return Hann's window.")
nuttall = _window("nuttall", "Return Nuttall's window.")
parzen = _window("parzen", "Return Parzen's window.")
triang = _window("triangle", "Return a triangle that does not reach 0.")


def kaiser(n, beta, sym=True, dtype=float64):
    """Return Kaiser's window of a shape beta."""
    return c.kaiser(dtype_of(dtype), n, beta, not sym)


def gaussian(n, std, sym=True, dtype=float64):
    """Return a normal curve of that standard deviation."""
    return c.gaussian_window(dtype_of(dtype), n, std, not sym)


def tukey(n, alpha=0.5, sym=True, dtype=float64):
    """Return a window whose flanks of share alpha are half cosines."""
    return c.tukey(dtype_of(dtype), n, alpha, not sym)


def exponential(n, tau=1.0, sym=True, dtype=float64):
    """Return a window that falls by e every tau elements from its middle."""
    return c.exponential_window(dtype_of(dtype), n, tau, not sym)


def general_cosine(n, a, sym=True, dtype=float64):
    """Return a sum of cosines with weights a."""
    return c.cosine_window(dtype_of(dtype), n, a, not sym)


__getattr__, __dir__ = attributes_of(__name__)
