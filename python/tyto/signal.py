"""Convolution, filters, windows and short-time transforms."""

import math
import operator
import os

from ._base import as_array, attributes_of, ints, is_integer
from ._core import c
from ._dtypes import float64, int64
from ._spectra import detrend, istft, periodogram, spectrogram, stft, welch
from ._windows import (bartlett, blackman, blackmanharris, bohman, boxcar, cosine, exponential,
                       flattop, gaussian, general_cosine, hamming, hann, hanning, kaiser, nuttall,
                       parzen, triang, tukey, weights as _weights)


def convolve(a, v, mode="full"):
    """Return the convolution of arrays; mode is "full", "same" or "valid"."""
    return c.convolve(a, v, mode)


def correlate(a, v, mode="full"):
    """Return the correlation of arrays; mode is "full", "same" or "valid"."""
    return c.correlate(a, v, mode)


def fftconvolve(a, v, mode="full", axes=None):
    """Return the convolution of arrays by transforms along axes."""
    return c.fft_convolve(a, v, mode, None if axes is None else ints(axes))


def _coefficients(*both):
    """Return vectors of coefficients; a number is a single one."""
    return [c.ravel(as_array(one)) for one in both]


def lfilter(b, a, x, axis=-1, zi=None):
    """Filter by the transfer function b / a; with a state zi, return the state behind x, too."""
    b, a = _coefficients(b, a)
    if zi is None:
        return c.filter(b, a, x, axis)
    filtered = c.filter_from(b, a, x, zi, axis)
    return filtered.y, filtered.state


def lfilter_zi(b, a):
    """Return the state of lfilter in which a constant 1 has no step at its start."""
    return c.filter_steady(*_coefficients(b, a))


def filtfilt(b, a, x, axis=-1):
    """Filter forwards and backwards, without shift of phase."""
    return c.filter_both(*_coefficients(b, a), x, axis)


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
    edges = [float(edge) for edge in cutoff] if getattr(cutoff, "ndim", 1) and hasattr(
        cutoff, "__len__") else [cutoff]
    if not 1 <= len(edges) <= 2:
        raise ValueError(f"{len(edges)} edges of a band; expected one frequency or two")
    low, high = (*edges, 0.0)[:2]
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
    return c.fir(numtaps, band, low, high, _weights("firwin", window, numtaps, True))


def _frequencies(worN, fs, whole):
    """Return frequencies in units of fs, and the same relative to half the rate."""
    if worN is None or is_integer(worN):
        worN = 512 if worN is None else operator.index(worN)
        at = c.linspace_open(float64, 0.0, 2.0 if whole else 1.0, worN)
        return at * (fs / 2), at
    at = as_array(worN)
    return at, at * (2 / fs)


def freqz(b, a=1.0, worN=512, whole=False, fs=2 * math.pi):
    """Return frequencies and the response of the filter b / a to them; fs is the sampling rate."""
    w, at = _frequencies(worN, fs, whole)
    return w, c.filter_response(*_coefficients(b, a), at)


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


# Conditions whose greatest values count after all others, with the properties that they limit.
_CONDITIONS = (("width", "widths"), ("prominence", "prominences"))
_BASES = (("prominences", "prominences"), ("left_bases", "left_bases"),
          ("right_bases", "right_bases"))
_PROPERTIES = {
    "plateau_size": (("plateau_sizes", "plateaus"),),
    "height": (("peak_heights", "heights"),),
    "prominence": _BASES,
    "width": _BASES + (("widths", "widths"), ("width_heights", "width_heights"),
                       ("left_ips", "left_ends"), ("right_ips", "right_ends")),
}


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None,
               wlen=None, rel_height=0.5, plateau_size=None):
    """Return the indices of peaks that meet conditions, and a dictionary of their properties.

    A condition is the least value, or a pair of the least and the greatest, either of which may be
    None; distance is a number.
    """
    if rel_height == 0:  # 0 is the default in C
        raise ValueError("find_peaks: rel_height is 0; expected a number above 0")
    if not isinstance(distance, (int, float, type(None))) or distance is not None and distance < 1:
        raise ValueError(f"find_peaks: distance is {distance!r}; expected a number of 1 or more")
    given = {"height": height, "threshold": threshold, "prominence": prominence, "width": width,
             "plateau_size": plateau_size}
    least = {name: _limits(limits)[0] for name, limits in given.items()}
    most = {name: _limits(limits)[1] for name, limits in given.items()}
    # 0 is no limit in C, so the greatest threshold of 0 is the least number above it.
    most_threshold = 0.0 if most["threshold"] is None else most["threshold"] or 5e-324
    if most["plateau_size"] is not None and most["plateau_size"] < 1:
        raise ValueError(f"find_peaks: the greatest plateau_size is {most['plateau_size']}; "
                         "expected 1 or more")

    def array(limit):
        return None if limit is None else as_array(limit)
    found = c.find_peaks(
        x, height=array(least["height"]), most_height=array(most["height"]),
        threshold=least["threshold"] or 0.0, most_threshold=most_threshold,
        distance=math.ceil(distance or 0), prominence=least["prominence"] or 0.0,
        width=least["width"] or 0.0, relative_height=rel_height, window=math.ceil(wlen or 0),
        plateau=math.ceil(least["plateau_size"] or 0),
        most_plateau=math.floor(most["plateau_size"] or 0))
    kept = None
    for name, of in _CONDITIONS:
        if most[name] is not None:
            low = c.le(getattr(found, of), most[name])
            kept = low if kept is None else c.logical_and(kept, low)

    def chosen(values):
        return values if kept is None else values[kept]
    properties = {ours: chosen(getattr(found, of)) for name in given if given[name] is not None
                  for ours, of in _PROPERTIES.get(name, ())}
    at = chosen(found.at)
    if plateau_size is not None:
        before = (properties["plateau_sizes"] - 1) // 2
        properties["left_edges"] = at - before
        properties["right_edges"] = at - before + properties["plateau_sizes"] - 1
    if threshold is not None:
        x = as_array(x).astype(float64)
        properties["left_thresholds"] = x[at] - x[at - 1]
        properties["right_thresholds"] = x[at] - x[at + 1]
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


# ---- recursive filters ----

_BANDS = {"lowpass": ("low", "l", "lp"), "highpass": ("high", "h", "hp"),
          "bandpass": ("band", "pass", "bp"), "bandstop": ("stop", "bands", "bs")}


def _polynomials(sections):
    """Return the coefficients b and a of the product of sections."""
    rows = sections.tolist()
    b, a = [1.0], [1.0]
    for row in rows:
        whole = row[2] or row[5]  # a section of order 1 has two zeros
        b = c.convolve(b, row[:3] if whole else row[:2], "full")
        a = c.convolve(a, row[3:] if whole else row[3:5], "full")
    return b, a


def _designed(name, make, Wn, btype, output, fs):
    """Return make(band, low, high) as SciPy's designs do."""
    band = next((band for band, others in _BANDS.items() if btype == band or btype in others), None)
    if band is None:
        raise ValueError(f"{name}: unknown band {btype!r}; expected {', '.join(_BANDS)}")
    if output not in ("ba", "sos"):
        raise ValueError(f"{name}: output {output!r}; expected 'ba' or 'sos'")
    low, high = _edges(Wn, 2.0 if fs is None else fs)
    if (high != 0) != band.startswith("band"):
        expected = "a pair of frequencies" if band.startswith("band") else "one frequency"
        raise ValueError(f"{name}: a {band} filter; expected {expected}, found {Wn!r}")
    sections = make(band, low, high)
    return sections if output == "sos" else _polynomials(sections)


def butter(N, Wn, btype="low", *, output="ba", fs=None):
    """Return a Butterworth filter of order N: coefficients b and a, or sections by output="sos".

    Wn are edges, a number or a pair, relative to half the rate, or in units of the rate fs.
    """
    return _designed("butter", lambda *band: c.butterworth(N, *band), Wn, btype, output, fs)


def cheby1(N, rp, Wn, btype="low", *, output="ba", fs=None):
    """Return Chebyshev's filter of type 1, with ripples of rp decibels, as butter does."""
    return _designed("cheby1", lambda *band: c.chebyshev(N, rp, *band), Wn, btype, output, fs)


def cheby2(N, rs, Wn, btype="low", *, output="ba", fs=None):
    """Return a Chebyshev filter of type 2 whose stop band is rs decibels down, as butter does."""
    return _designed("cheby2", lambda *band: c.chebyshev_inverse(N, rs, *band), Wn, btype, output,
                     fs)


def ellip(N, rp, rs, Wn, btype="low", *, output="ba", fs=None):
    """Return an elliptic filter that ripples by rp and stops by rs decibels, as butter does."""
    return _designed("ellip", lambda *band: c.elliptic(N, rp, rs, *band), Wn, btype, output, fs)


def _second_order(name, w0, Q, fs):
    """Return the gain and the cosine of a filter of order 2 around w0 with the quality Q."""
    at = 2 * w0 / fs
    if not (0 < at < 1 and Q > 0):
        raise ValueError(f"{name}: frequency {w0}, quality {Q}; expected 0 < w0 < {fs / 2}, Q > 0")
    return 1 / (1 + math.tan(math.pi * at / Q / 2)), math.cos(math.pi * at)


def iirnotch(w0, Q, fs=2.0):
    """Return coefficients b and a of a filter that stops w0; Q is w0 over the width."""
    gain, cosine = _second_order("iirnotch", w0, Q, fs)
    middle = -2 * gain * cosine
    return as_array([gain, middle, gain]), as_array([1.0, middle, 2 * gain - 1])


def iirpeak(w0, Q, fs=2.0):
    """Return coefficients b and a of a filter that passes w0; Q is w0 over the width."""
    gain, cosine = _second_order("iirpeak", w0, Q, fs)
    return (as_array([1 - gain, 0.0, gain - 1]),
            as_array([1.0, -2 * gain * cosine, 2 * gain - 1]))


# ---- other rates ----

def resample(x, num, axis=0):
    """Return x with num elements along an axis, by its Fourier series."""
    return c.resample(x, num, axis)


def resample_poly(x, up, down, axis=0, window=None):
    """Return x at up / down times its rate.

    window: of the filter between both rates, a name or (name, parameter); or its coefficients.
    None: ("kaiser", 5.0).
    """
    if isinstance(window, (str, tuple)) and isinstance(window[0], str):
        most = max(up, down) // math.gcd(up, down)
        # As long as the library's filter: ten zeros of its sinc on each side.
        window = firwin(20 * most + 1, 1 / most, window=window) if most > 1 else None
    return c.resample_ratio(x, up, down, None if window is None else as_array(window), axis)


def correlation_lags(in1_len, in2_len, mode="full"):
    """Return the lags of the elements of correlate(x, y, mode) for vectors of these lengths."""
    middle = 1 - in2_len + (in1_len + in2_len - 1) // 2
    first, count = {"full": (1 - in2_len, in1_len + in2_len - 1),
                    "same": (middle - in1_len // 2, in1_len),
                    "valid": (min(in1_len - in2_len, 0), abs(in1_len - in2_len) + 1)}[mode]
    return c.arange(int64, first, first + count, 1)


def hilbert(x, axis=-1):
    """Return the analytic signal, whose real part is x."""
    return c.analytic_signal(x, axis)


__getattr__, __dir__ = attributes_of(__name__)
