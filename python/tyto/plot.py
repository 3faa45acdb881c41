"""Plots as SVG, PNG or text.

    plot.line(t, v, name="measured", title="Decay").points(t, model).save("decay.svg")
"""

import os

from tyto import _core
from tyto._base import attributes_of, refuses_pickle
from tyto._core import c

__all__ = ["Plot"]

_OPTIONS = ("title", "x", "y", "width", "height", "x_low", "x_high", "y_low", "y_high", "x_log",
            "y_log", "dark", "legendless")
# Kinds of layers with the number of arrays that a layer takes.
_KINDS = {"line": 2, "points": 2, "histogram": 1, "heat": 1, "confusion": 1, "images": 1,
          "curves": 2, "spectrum": 1, "spectrogram": 1}


def _array(x):
    return x if isinstance(x, _core.Array) else _core.asarray(x)


class Plot:
    """A plot with layers, which its methods add and return the plot again."""

    def __init__(self, **options):
        """Take title, x and y (labels), width, height, x_log, x_low, ... (docs/plots.md)."""
        unknown = [name for name in options if name not in _OPTIONS]
        if unknown:
            raise TypeError(f"Plot: there is no option {unknown[0]!r}; there are "
                            f"{', '.join(_OPTIONS)}")
        self.handle = c.plot_new(**options)

    __reduce__ = refuses_pickle("a plot", "write plot.save(path)")

    def _xy(self, kind, args, style):
        """Add a layer of x and y, or of y alone."""
        if len(args) not in (1, 2):
            raise TypeError(f"{kind} takes y, or x and y, not {len(args)} arrays")
        y = _array(args[-1])
        n = y.shape[0] if y.ndim else 1
        x = _array(args[0]) if len(args) == 2 else c.arange("float64", 0, n, 1)
        getattr(self.handle, kind)(x, y, **_style(style))
        return self

    def line(self, *xy, **style):
        """Add lines through y, or x and y."""
        return self._xy("line", xy, style)

    def points(self, *xy, **style):
        """Add points at y, or x and y; by: classes or values."""
        return self._xy("points", xy, style)

    def curves(self, *xy, **style):
        """Add learning curves of values, or of steps and values."""
        return self._xy("curves", xy, style)

    def _one(self, kind, x, more, style):
        getattr(self.handle, kind)(_array(x), *more, **_style(style))
        return self

    def histogram(self, x, **style):
        """Add the histogram of x."""
        return self._one("histogram", x, (), style)

    def heat(self, x, **style):
        """Add a matrix as coloured cells."""
        return self._one("heat", x, (), style)

    def confusion(self, counts, **style):
        """Add a confusion matrix: rows are true classes."""
        return self._one("confusion", counts, (), style)

    def images(self, images, **style):
        """Add a grid of images."""
        return self._one("images", images, (), style)

    def spectrum(self, x, rate=1.0, **style):
        """Add the spectrum of a signal of `rate` samples a second."""
        return self._one("spectrum", x, (float(rate),), style)

    def spectrogram(self, x, rate=1.0, **style):
        """Add the spectrogram of a signal of `rate` samples a second."""
        return self._one("spectrogram", x, (float(rate),), style)

    def bars(self, words, heights, **style):
        """Add a bar for each word, or several for a matrix of heights."""
        self.handle.bars([str(word) for word in words], _array(heights), **_style(style))
        return self

    def save(self, path):
        """Write the plot to a file: .svg, .png or .txt."""
        self.handle.write(os.fspath(path))

    def svg(self):
        """Return the plot as SVG."""
        return self._format("svg").decode()

    def _format(self, form):
        written = []
        self.handle.send({"write": written.append}, form)
        return b"".join(written)

    def text(self, columns=None, rows=None, colours=None, ascii=None):
        """Return the plot as text for a terminal."""
        return self.handle.to_string(columns=columns, rows=rows, colours=colours, ascii=ascii)

    def show(self):
        """Print the plot as text, as wide as the terminal; notebooks show a plot as a picture."""
        print(self.text())

    def __str__(self):
        return self.text()

    def _repr_svg_(self):
        return self.svg()

    def _repr_png_(self):
        return self._format("png")


def _style(style):
    """Return a style with its arrays as arrays, and its words as texts."""
    made = dict(style)
    if made.get("by") is not None:
        made["by"] = _array(made["by"])
    for name in ("names", "rows"):
        if made.get(name) is not None:
            made[name] = [str(word) for word in made[name]]
    return made


def _make(kind):
    def function(*args, **options):
        made = Plot(**{k: v for k, v in options.items() if k in _OPTIONS})
        style = {k: v for k, v in options.items() if k not in _OPTIONS}
        return getattr(made, kind)(*args, **style)

    function.__name__ = function.__qualname__ = kind
    function.__module__ = __name__
    function.__doc__ = (f"Return a plot with one layer: Plot.{kind}, with the options of Plot "
                        f"besides.")
    return function


for _kind in (*_KINDS, "bars"):
    globals()[_kind] = _make(_kind)
    __all__.append(_kind)


__getattr__, __dir__ = attributes_of(__name__)
