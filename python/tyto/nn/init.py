"""Initialisers of parameters, made from the functions of the library.

    nn.linear(10, weight=nn.init.normal(0, 0.1))
    nn.init.he_normal()(key, (3, 4))
"""

import math

from tyto._core import c
from tyto._base import attributes_of, offered

__all__ = ["Initialiser"]


def fans(shape):
    """Return the number of inputs of an output, and of outputs of an input, of a weight.

    The last two axes of a weight are inputs and outputs, earlier ones those of a window.
    """
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    window = math.prod(shape[:-2])
    return window * shape[-2], window * shape[-1]


class Initialiser:
    """A way to draw initial values, with two numbers."""

    __slots__ = ("draw", "a", "b")

    def __init__(self, draw, a=0.0, b=0.0):
        """Take the name of an initialiser and its numbers."""
        if draw not in NAMES:
            raise ValueError(f"there is no initialiser {draw!r}; there are {', '.join(NAMES)}")
        self.draw, self.a, self.b = draw, float(a), float(b)

    @classmethod
    def of(cls, value):
        """Return an initialiser of a name, a number for all elements, or an initialiser."""
        if isinstance(value, cls):
            return value
        if callable(value) and getattr(value, "__module__", "") == __name__:
            return value()
        if isinstance(value, str):
            return cls(value)
        if isinstance(value, (int, float)):
            return cls("constant", value)
        raise TypeError(f"an initialiser is a name, a number or of nn.init, not {value!r}")

    def __call__(self, key, shape, dtype="float32"):
        """Draw an array."""
        ins, outs = fans(shape)
        shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
        place = {"dtype": dtype, "shape": shape, "fan_in": ins, "fan_out": outs, "key": key}
        return getattr(c, "init_" + self.draw)(place, self.a, self.b)

    def __repr__(self):
        """Show the name and the numbers."""
        return f"nn.init.{self.draw}({self.a}, {self.b})"


def _make(name):
    def function(a=0.0, b=0.0):
        return Initialiser(name, a, b)

    function.__doc__ = f"Return the initialiser {name} of docs/layers.md with its numbers a and b."
    return offered(function, __name__, name)


NAMES = tuple(name[len("init_"):] for name in dir(c) if name.startswith("init_"))
for _name in NAMES:
    globals()[_name] = _make(_name)
    __all__.append(_name)


__getattr__, __dir__ = attributes_of(__name__)
