"""Window functions: symmetric, or one period of a periodic one."""

from ._base import as_array, offered
from ._core import c
from ._dtypes import dtype_of, float64


def _window(name, doc, ours=None):
    """Return a function for a window; ours: its name in the library, if that differs."""
    make = getattr(c, ours or name)

    def window(n, sym=True, dtype=float64):
        """Return a window of n elements."""
        return make(dtype_of(dtype), n, not sym)
    window.__doc__ = doc
    return offered(window, __name__, name)


bartlett = _window("bartlett", "Return Bartlett's triangular window, which ends at 0.")
blackman = _window("blackman", "Return Blackman's window.")
blackmanharris = _window("blackmanharris", "Return the window of Blackman and Harris.",
                         "blackman_harris")
bohman = _window("bohman", "Return Bohman's window.")
cosine = _window("cosine", "Return half a sine.", "half_sine")
flattop = _window("flattop", "Return the window with a flat top.", "flat_top")
hamming = _window("hamming", "Return Hamming's window.")
hann = hanning = _window("hann", "Return Hann's window.")
nuttall = _window("nuttall", "Return Nuttall's window.")
parzen = _window("parzen", "Return Parzen's window.")
triang = _window("triang", "Return a triangle that does not reach 0.", "triangle")


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


def boxcar(n, sym=True, dtype=float64):
    """Return n ones."""
    return c.ones(dtype_of(dtype), (n,))


# Windows by name, and the numbers of their parameters: the least and the greatest one.
_NAMED = {
    "bartlett": (bartlett, 0, 0), "blackman": (blackman, 0, 0),
    "blackmanharris": (blackmanharris, 0, 0), "bohman": (bohman, 0, 0), "boxcar": (boxcar, 0, 0),
    "cosine": (cosine, 0, 0), "exponential": (exponential, 0, 1), "flattop": (flattop, 0, 0),
    "gaussian": (gaussian, 1, 1), "general_cosine": (general_cosine, 1, 1),
    "hamming": (hamming, 0, 0), "hann": (hann, 0, 0), "kaiser": (kaiser, 1, 1),
    "nuttall": (nuttall, 0, 0), "parzen": (parzen, 0, 0), "triang": (triang, 0, 0),
    "tukey": (tukey, 0, 1),
}
_KINDS = ("_symmetric", "_periodic")


def weights(name, window, n, sym):
    """Return n weights of a window: its name, (name, parameter), or the weights themselves.

    sym: symmetric; False: one period; a name may end in _symmetric or _periodic instead.  name: the
    function of the errors.
    """
    if isinstance(window, str):
        window = (window,)
    if not isinstance(window, tuple) or not window or not isinstance(window[0], str):
        return as_array(window)
    word, *parameters = window
    word, _, kind = word.rpartition("_") if word.endswith(_KINDS) else (word, "", "")
    sym = kind == "symmetric" if kind else sym
    if word not in _NAMED:
        raise ValueError(f"{name}: unknown window {word!r}; expected weights or one of "
                         f"{', '.join(sorted(_NAMED))}, with a parameter as in ('kaiser', 8.0)")
    make, least, most = _NAMED[word]
    if not least <= len(parameters) <= most:
        raise ValueError(f"{name}: the window {word!r} has {len(parameters)} parameters; expected "
                         f"{least if least == most else f'{least} or {most}'}, as in "
                         f"{(word, 0.5) if most else word!r}")
    return make(n, *parameters, sym=sym)
