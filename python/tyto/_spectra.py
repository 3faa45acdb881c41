"""Spectra of segments of signals, with SciPy's arguments and results."""

import math

from ._base import as_array, is_integer
from ._core import c
from ._dtypes import float64, isdtype
from ._elementwise import angle
from ._manipulate import moveaxis
from ._pad import pad
from ._reduce import unwrap
from ._windows import weights

# SciPy's names of boundaries: arguments of pad.
_BOUNDARIES = {"zeros": {}, "even": {"mode": "reflect"}, "constant": {"mode": "edge"},
               "odd": {"mode": "reflect", "reflect_type": "odd"}}
_TRENDS = {"linear": "linear", "l": "linear", "constant": "constant", "c": "constant"}


def detrend(data, axis=-1, type="linear"):
    """Return data less its least-squares line, or less its mean by type="constant"."""
    if type not in _TRENDS:
        raise ValueError(f"detrend: type {type!r}; expected 'linear' or 'constant'")
    x = c.swap(as_array(data), axis, -1)
    y = x - c.mean(x, -1, True)
    n = x.shape[-1]
    if _TRENDS[type] == "linear" and n > 1:
        single = y.dtype in ("float32", "complex64", "float16", "bfloat16")
        t = c.cast(c.arange(float64, 0.0, float(n), 1.0) - (n - 1) / 2,
                   "float32" if single else "float64")
        slope = c.sum(y * t, -1, True) / c.sum(t * t, -1, False)
        y = y - slope * t
    return c.swap(y, axis, -1)


class _Segments:
    """The segments of a signal: their size, step, window, length of transform and scale."""

    def __init__(self, name, fs, window, nperseg, noverlap, nfft, length=None, share=2):
        """Check the arguments.

        nperseg: None is the number of weights, else 256.  length: that of the signal, which bounds
        nperseg.  noverlap: None is nperseg // share.
        """
        self.name, self.fs = name, fs
        named = isinstance(window, (str, tuple)) and len(window) and isinstance(window[0], str)
        if not named:
            window = as_array(window)
            if window.ndim == 0:
                raise TypeError(f"{name}: the window is {window}; expected a name or weights (the "
                                "arguments are SciPy's: x, fs, window, nperseg, noverlap)")
            if window.ndim != 1 or nperseg not in (None, window.shape[0]):
                raise ValueError(f"{name}: a window of shape {window.shape} for segments of "
                                 f"{nperseg} elements; expected one weight for each")
            nperseg = window.shape[0]
        if isinstance(fs, (int, float)) and not fs > 0:
            raise ValueError(f"{name}: the rate fs is {fs}; expected above 0")
        for word, value in (("nperseg", nperseg), ("noverlap", noverlap), ("nfft", nfft)):
            if value is not None and not is_integer(value):
                raise TypeError(f"{name}: {word} is {value!r}; expected an integer or None")
        size = 256 if nperseg is None else int(nperseg)
        if length is not None and named:
            size = min(size, length)
        if size < 1 or length is not None and size > length:
            raise ValueError(f"{name}: segments of {size} elements of a signal of {length}; "
                             "expected 1 or more, and no longer than the signal")
        overlap = size // share if noverlap is None else int(noverlap)
        if not 0 <= overlap < size:
            raise ValueError(f"{name}: noverlap is {overlap}; expected 0 to {size - 1}, less than "
                             "a segment")
        self.size, self.step, self.n = size, size - overlap, size if nfft is None else int(nfft)
        if self.n < size:
            raise ValueError(f"{name}: nfft is {self.n}; expected at least the {size} elements of "
                             "a segment")
        self.window = weights(name, window, size, False)

    def options(self):
        """Return the options of the library's transforms without padding."""
        return {"size": self.size, "step": self.step, "n": self.n, "window": self.window,
                "plain": True}

    def frequencies(self, onesided):
        """Return the frequencies of the transform."""
        make = c.rfftfreq if onesided else c.fftfreq
        return make(float64, self.n, 1.0 / self.fs)

    def times(self, count, first):
        """Return the times of the middles of segments; first: the middle of the first one."""
        return (c.arange(float64, 0.0, float(count), 1.0) * self.step + first) / self.fs

    def factor(self, scaling):
        """Return the factor of spectra that are relative to the window's sum; None is 1."""
        density = "psd" if self.name in ("stft", "istft") else "density"  # SciPy has two names
        if scaling not in ("spectrum", density):
            raise ValueError(f"{self.name}: scaling {scaling!r}; expected 'spectrum' or "
                             f"{density!r}")
        if scaling == "spectrum":
            return None
        squares = c.sum(c.square(self.window), None, False)
        return c.sum(self.window, None, False) / c.sqrt(squares * self.fs)

    def spectra(self, x, trend, onesided, scaling):
        """Return the transforms of segments along the last axis: [.., frequency, time]."""
        if trend is not False and trend not in _TRENDS:
            raise ValueError(f"{self.name}: detrend {trend!r}; expected 'constant', 'linear' or "
                             "False")
        if not onesided and not isdtype(x.dtype, "complex floating"):
            x = x + 0j
        if trend is False:
            z = c.stft(x, **self.options())
        else:
            parts = detrend(c.window(x, -1, self.size, self.step, 1), -1, trend)
            z = c.swap(c.stft(parts, **self.options())[..., 0], -1, -2)
        factor = self.factor(scaling)
        return z if factor is None else z * c.cast(factor, c.real(z).dtype)

    def powers(self, x, trend, onesided, scaling):
        """Return the powers of segments; one-sided ones count negative frequencies, too."""
        z = self.spectra(x, trend, onesided, scaling)
        power = c.square(c.real(z)) + c.square(c.imag(z))
        if not onesided:
            return power
        once = [0] if self.n % 2 else [0, self.n // 2]
        twice = [1.0 if k in once else 2.0 for k in range(self.n // 2 + 1)]
        return power * c.expand_axes(c.cast(as_array(twice), power.dtype), (1,))


def _moved(x, axis):
    """Return x with an axis, of time, in the place of the last one, and the axis from 0."""
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("a signal has one axis or more, not 0")
    return c.swap(x, axis, -1), axis % x.ndim


def _one_sided(x, wanted):
    """Return True for spectra without negative frequencies: of real signals, if they are wanted."""
    return bool(wanted) and not isdtype(x.dtype, "complex floating")


def stft(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend=False,
         return_onesided=True, boundary="zeros", padded=True, axis=-1, scaling="spectrum"):
    """Return frequencies, times, and the transforms of segments: [.., frequency, .., time].

    window: a name, (name, parameter), or weights; nperseg: None is the number of weights, or 256;
    noverlap: None is half of nperseg.  boundary: the elements before and after x are "zeros",
    "even", "odd" or "constant"; None: there are none.  padded: zeros complete the last segment.
    tyto.c.stft has sizes and steps instead.
    """
    x, axis = _moved(x, axis)
    if boundary is not None and boundary not in _BOUNDARIES:
        raise ValueError(f"stft: boundary {boundary!r}; expected {', '.join(_BOUNDARIES)} or None")
    s = _Segments("stft", fs, window, nperseg, noverlap, nfft, x.shape[-1])
    onesided, around = _one_sided(x, return_onesided), [(0, 0)] * (x.ndim - 1)
    if boundary is not None:
        x = pad(x, [*around, (s.size // 2,) * 2], **_BOUNDARIES[boundary])
    if padded:
        x = pad(x, [*around, (0, (s.size - x.shape[-1]) % s.step % s.size)])
    z = s.spectra(x, detrend, onesided, scaling)
    times = s.times(z.shape[-1], s.size / 2 if boundary is None else 0.0)
    return s.frequencies(onesided), times, c.swap(z, axis, -2)


def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True,
          boundary=True, time_axis=-1, freq_axis=-2, scaling="spectrum"):
    """Return times and the signal of transforms that stft gives with the same arguments."""
    z = as_array(Zxx)
    if z.ndim < 2 or time_axis % z.ndim == freq_axis % z.ndim:
        raise ValueError("istft: expected spectra with an axis of frequencies and one of times")
    z = moveaxis(z, (freq_axis, time_axis), (-2, -1))
    count = z.shape[-2]
    n = 2 * (count - 1) if input_onesided else count
    nperseg = n if nperseg is None and isinstance(window, (str, tuple)) else nperseg
    if nfft is None and input_onesided and nperseg == n + 1:
        nfft = nperseg  # odd, which the number of frequencies does not tell
    s = _Segments("istft", fs, window, nperseg, noverlap, n if nfft is None else nfft)
    factor = s.factor(scaling)
    z = z if factor is None else z / c.cast(factor, c.real(z).dtype)
    x = c.istft(z, bool(input_onesided), **{**s.options(), "plain": not boundary})
    return c.arange(float64, 0.0, float(x.shape[-1]), 1.0) / fs, x


_MODES = {
    "complex": lambda z: z, "magnitude": c.abs, "angle": angle,
    "phase": lambda z: unwrap(angle(z), axis=-2),  # along frequencies, as SciPy does
}


def spectrogram(x, fs=1.0, window=("tukey", 0.25), nperseg=None, noverlap=None, nfft=None,
                detrend="constant", return_onesided=True, scaling="density", axis=-1, mode="psd"):
    """Return frequencies, times, and the power densities of segments: [.., frequency, .., time].

    noverlap: None is an eighth of nperseg.  mode: "psd", or "complex", "magnitude", "angle" or
    "phase" for spectra as of stft, without zeros at the ends.  tyto.c.spectrogram has sizes and
    steps instead.
    """
    if mode != "psd" and mode not in _MODES:
        raise ValueError(f"spectrogram: mode {mode!r}; expected psd, {', '.join(_MODES)}")
    x, axis = _moved(x, axis)
    s = _Segments("spectrogram", fs, window, nperseg, noverlap, nfft, x.shape[-1], 8)
    onesided = _one_sided(x, return_onesided)
    make = s.powers if mode == "psd" else s.spectra
    found = make(x, detrend, onesided, scaling)
    found = found if mode == "psd" else _MODES[mode](found)
    return (s.frequencies(onesided), s.times(found.shape[-1], s.size / 2),
            c.swap(found, axis, -2))


def _powers(name, x, fs, window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis):
    """Return frequencies and means of the powers of segments."""
    x, axis = _moved(x, axis)
    if name == "periodogram":  # of the first nfft elements, if it has more
        x = x if nfft is None or nfft >= x.shape[-1] else x[..., :nfft]
        nperseg = x.shape[-1]
    s = _Segments(name, fs, window, nperseg, noverlap, nfft, x.shape[-1])
    onesided = _one_sided(x, onesided)
    power = c.mean(s.powers(x, detrend, onesided, scaling), -1, False)
    return s.frequencies(onesided), c.swap(power, axis, -1)


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant",
          return_onesided=True, scaling="density", axis=-1):
    """Return frequencies and Welch's estimate of the power density along an axis.

    It is the mean over segments of nperseg elements (None: 256), each less its mean, times a
    window: a name, (name, parameter), or weights.  scaling="spectrum" gives powers.
    """
    return _powers("welch", x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                   scaling, axis)


def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True,
                scaling="density", axis=-1):
    """Return frequencies and the power density of all of x less its mean, along an axis."""
    return _powers("periodogram", x, fs, window, None, 0, nfft, detrend, return_onesided, scaling,
                   axis)
