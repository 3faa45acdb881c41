"""Convolution, filters, windows and short-time transforms."""

import math
import os

from . import _core
from ._base import as_array, attributes_of, ints
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


def lfilter(b, a, x, axis=-1, zi=None):
    """Filter by the transfer function b / a; with a state zi, return the state behind x, too."""
    if zi is None:
        return c.filter(b, a, x, axis)
    filtered = c.filter_from(b, a, x, zi, axis)
    return filtered.y, filtered.state


def lfilter_zi(b, a):
    """Return the state of lfilter in which a constant 1 has no step at its start."""
    return c.filter_steady(b, a)


def filtfilt(b, a, x, axis=-1):
    """Filter forwards and backwards, without shift of phase."""
    return c.filter_both(b, a, x, axis)


def sosfilt(sos, x, axis=-1, zi=None):
    """Filter by sections of second order; with states zi, return the states behind x, too."""
    if zi is None:
        return c.filter_sections(sos, x, axis)
    filtered = c.filter_sections_from(sos, x, zi, axis)
    return filtered.y, filtered.state


def sosfilt_zi(sos):
    """Return the states of sosfilt in which a constant 1 has no step at its start."""
    return c.filter_sections_steady(sos)


def sosfiltfilt(sos, x, axis=-1):
    """Filter by sections forwards and backwards."""
    return c.filter_sections_both(sos, x, axis)


def _edges(cutoff, fs):
    """Return the edges of a band, relative to half the rate: low and high, 0 for a single one."""
    low, high = cutoff if hasattr(cutoff, "__len__") else (cutoff, 0.0)
    return 2 * low / fs, 2 * high / fs


def firwin(numtaps, cutoff, *, window="hamming", pass_zero=True, fs=2.0):
    """Design a filter without feedback by the window method.

    window is a name of a window here, or weights; pass_zero is True, False, or the name of a band.
    """
    low, high = _edges(cutoff, fs)
    if isinstance(pass_zero, str):
        band = pass_zero
    elif high:
        band = "bandstop" if pass_zero else "bandpass"
    else:
        band = "lowpass" if pass_zero else "highpass"
    if isinstance(window, str):
        if window not in _WINDOWS:
            raise ValueError(f"firwin: unknown window {window!r}; expected weights or one of "
                             f"{', '.join(sorted(_WINDOWS))}")
        window = _WINDOWS[window](numtaps)
    return c.fir(numtaps, band, low, high, window)


def _frequencies(worN, fs, whole):
    """Return frequencies in units of fs, and the same relative to half the rate."""
    if isinstance(worN, int):
        at = c.linspace_open(float64, 0.0, 2.0 if whole else 1.0, worN)
        return at * (fs / 2), at
    at = as_array(worN)
    return at, at * (2 / fs)


def freqz(b, a=1.0, worN=512, whole=False, fs=2 * math.pi):
    """Return frequencies and the response of the filter b / a to them; fs is the sampling rate."""
    w, at = _frequencies(worN, fs, whole)
    return w, c.filter_response(c.ravel(as_array(b)), c.ravel(as_array(a)), at)


def sosfreqz(sos, worN=512, whole=False, fs=2 * math.pi):
    """Return frequencies and the response of sections of second order to them."""
    w, at = _frequencies(worN, fs, whole)
    return w, c.filter_sections_response(sos, at)


freqz_sos = sosfreqz


def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1):
    """Smooth by polynomials of windows; the ends take those of the first and the last one."""
    return c.savgol(x, window_length, polyorder, deriv, delta, axis)


def _limits(limits):
    """Return the least and the greatest value of a condition, a number or a pair; None: none."""
    if limits is None or not isinstance(limits, tuple):
        return limits, None
    return limits


# Conditions by SciPy's names, with the properties of peaks that they limit.
_CONDITIONS = (("plateau_size", "plateaus"), ("height", "heights"), ("threshold", None),
               ("width", "widths"), ("prominence", "prominences"))
_BASES = (("prominences", "prominences"), ("left_bases", "left_bases"),
          ("right_bases", "right_bases"))
_PROPERTIES = {
    "plateau_size": (("plateau_sizes", "plateaus"),),
    "height": (("peak_heights", "heights"),),
    "prominence": _BASES,
    "width": _BASES + (("widths", "widths"), ("width_heights", "width_heights"),
                       ("left_ips", "left_ends"), ("right_ips", "right_ends")),
}


def _apart(at, heights, kept, distance):
    """Return the mask of the kept peaks without those that are near a higher one."""
    mask, places, heights = kept.tolist(), at.tolist(), heights.tolist()
    for i in sorted((i for i, good in enumerate(mask) if good), key=lambda i: (-heights[i], -i)):
        for step in (-1, 1) if mask[i] else ():
            k = i + step
            while 0 <= k < len(places) and abs(places[k] - places[i]) < distance:
                mask[k] = False
                k += step
    return _core.asarray(mask, dtype="bool")


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None,
               wlen=None, rel_height=0.5, plateau_size=None):
    """Return the indices of peaks that meet conditions, and a dictionary of their properties.

    A condition is the least value; of all but distance also a pair of the least and the greatest.
    distance counts after height, threshold and plateau_size, and before prominence and width.
    """
    if rel_height == 0:  # 0 is the default in C
        raise ValueError("find_peaks: rel_height is 0; expected a number above 0")
    if not isinstance(distance, (int, float, type(None))) or distance is not None and distance < 1:
        raise ValueError(f"find_peaks: distance is {distance!r}; expected a number of 1 or more")
    given = {"height": height, "threshold": threshold, "prominence": prominence, "width": width,
             "plateau_size": plateau_size}
    least = {name: _limits(limits)[0] for name, limits in given.items()}
    # The library knows least values alone, so greatest ones that come before the distance are
    # tested here, and then all that comes behind.
    apart = distance is not None and any(_limits(given[name])[1] is not None
                                         for name in ("height", "threshold", "plateau_size"))
    late = {} if apart else least
    found = c.find_peaks(
        x, height=None if least["height"] is None else as_array(least["height"]),
        threshold=least["threshold"] or 0.0,
        distance=0 if apart else math.ceil(distance or 0),
        prominence=late.get("prominence") or 0.0, width=late.get("width") or 0.0,
        relative_height=rel_height, window=math.ceil(wlen or 0),
        plateau=math.ceil(least["plateau_size"] or 0))
    x, at = as_array(x).astype(float64), found.at
    edges = c.sub(found.heights, x[at - 1]), c.sub(found.heights, x[at + 1])
    kept = c.ge(at, 0)
    for name, of in _CONDITIONS:
        value = c.max(*edges) if of is None else getattr(found, of)
        if apart and name == "width":
            kept = _apart(at, found.heights, kept, math.ceil(distance))
        low, most = _limits(given[name])
        if most is not None:
            kept = c.logical_and(kept, c.le(value, most))
        if apart and low is not None and name in ("width", "prominence"):
            kept = c.logical_and(kept, c.ge(value, low))

    def chosen(values):
        return values[kept]
    properties = {ours: chosen(getattr(found, of)) for name in given if given[name] is not None
                  for ours, of in _PROPERTIES.get(name, ())}
    at = chosen(found.at)
    if plateau_size is not None:
        before = (properties["plateau_sizes"] - 1) // 2
        properties["left_edges"] = at - before
        properties["right_edges"] = at - before + properties["plateau_sizes"] - 1
    if threshold is not None:
        properties["left_thresholds"], properties["right_thresholds"] = map(chosen, edges)
    return at, properties


# ---- sound ----

def read_wav(path):
    """Return the frames a second and the samples of a WAV file: a vector, or [frames, channels]."""
    archive = c.archive_open(os.fspath(path), format="wav")
    return int(archive.meta("rate")), archive.at(0)


def write_wav(path, rate, x, bits=0):
    """Write samples, a vector or [frames, channels], as a WAV file.

    bits=24 writes the upper bits of int32.
    """
    c.archive_save(os.fspath(path), [""], [as_array(x)], format="wav", rate=int(rate), bits=bits)


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


# The windows of firwin by name, which need no shape.
_WINDOWS = {"bartlett": bartlett, "blackman": blackman, "blackmanharris": blackmanharris,
            "bohman": bohman, "boxcar": lambda n: c.ones(float64, (n,)), "cosine": cosine,
            "flattop": flattop, "hamming": hamming, "hann": hann, "nuttall": nuttall,
            "parzen": parzen, "triang": triang}

__getattr__, __dir__ = attributes_of(__name__)
