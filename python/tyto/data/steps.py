"""Steps on images, for loaders: random crops, flips, ..., made from the functions of the library.

    data.Loader(images, steps=[steps.random_crop(size=(28, 28), pad=2), steps.flip()])
"""

import numbers

from tyto._core import c
from tyto._base import attributes_of

__all__ = ["apply"]

NAMES = tuple(name[len("step_"):] for name in dir(c) if name.startswith("step_"))


class Step(dict):
    """A step with its options, a ty_image_step."""

    def __repr__(self):
        """Show the name and the options."""
        words = [f"{k}={v!r}" for k, v in self.items() if k != "apply"]
        return f"steps.{self['apply']}({', '.join(words)})"


def _make(name):
    def function(**options):
        made = Step(apply=name)
        for option, value in options.items():
            if option == "chance" and not value > 0:
                raise ValueError(f"{name}: chance is {value}; expected more than 0, or no step")
            single = isinstance(value, numbers.Real)
            if single and option in ("size", "shift"):
                value = (value, value)
            made[option] = (value,) if option in ("mean", "deviation") and single else value
        return made

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = (
        f"Return the step {name} of docs/data.md.\n\n"
        f"Options: size, pad, chance, area, aspect, degrees, shift, scale, brightness, contrast, "
        f"saturation, nearest, hue, mean and deviation, as the step uses them.")
    return function


for _name in NAMES:
    globals()[_name] = _make(_name)
    __all__.append(_name)


def apply(steps, image, seed=0, epoch=0, index=0):
    """Apply steps to one image (H, W, C) with the random numbers of an example of a loader."""
    return c.augment(list(steps), image, seed, epoch, index)


__getattr__, __dir__ = attributes_of(__name__)
