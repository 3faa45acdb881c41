"""Losses, made from the functions of the library: (prediction, target, ..., options).

Options are those of ty_loss_options, such as reduction="none", weight, axis and smoothing.
"""

from tyto._core import c

__all__ = []

NAMES = tuple(name[len("loss_"):] for name in dir(c) if name.startswith("loss_"))
for _name in NAMES:
    globals()[_name] = getattr(c, "loss_" + _name)
    __all__.append(_name)
mse, mae = c.loss_l2, c.loss_l1
__all__ += ["mae", "mse"]


def named(name):
    """Return the loss of a name."""
    if name in __all__:
        return globals()[name]
    raise ValueError(f"there is no loss {name!r}; there are {', '.join(__all__)}")
