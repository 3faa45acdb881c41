"""Losses, made from the functions of the library: (prediction, target, ..., options).

Options are those of ty_loss_options, such as reduction="none", weight, axis and smoothing.
"""

from tyto._core import c
from tyto._base import attributes_of, offered
from tyto.nn._zeros import zeros_kept

__all__ = []

REALS = ("smoothing", "margin", "delta", "power", "alpha", "epsilon")

NAMES = tuple(name[len("loss_"):] for name in dir(c) if name.startswith("loss_"))
for _name in NAMES:
    globals()[_name] = offered(zeros_kept(getattr(c, "loss_" + _name), REALS), __name__, _name)
    __all__.append(_name)
mse, mae = globals()["l2"], globals()["l1"]
__all__ += ["mae", "mse"]


def named(name):
    """Return the loss of a name."""
    if name in __all__:
        return globals()[name]
    raise ValueError(f"there is no loss {name!r}; there are {', '.join(__all__)}")


__getattr__, __dir__ = attributes_of(__name__)
