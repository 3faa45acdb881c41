"""Schedules of learning rates: functions from the step, counted from 1, to the rate.

    schedules.cosine(0.1, steps=1000, warmup=50)(1)
"""

from tyto._core import c
from tyto._base import attributes_of, offered

__all__ = ["Plateau", "Schedule"]

NAMES = tuple(
    name[len("schedule_"):] for name in dir(c) if name.startswith("schedule_")
    and name != "schedule_rate")


class Schedule:
    """A schedule of a name with its numbers."""

    def __init__(self, at, **options):
        """Take the name of a schedule, and the fields of ty_schedule; None: the default."""
        if at not in NAMES:
            raise ValueError(f"there is no schedule {at!r}; there are {', '.join(NAMES)}")
        self.at = at
        self.options = {}
        for name, value in options.items():
            if value is None:
                continue
            # 0 stands for the default in the library, and -0.0 for 0 itself
            whole = isinstance(value, (int, float))
            self.options[name] = (float(value) or -0.0) if whole else list(value)
        c.schedule_rate(self.record, 1.0)

    @property
    def record(self):
        """The schedule as a ty_schedule."""
        return dict(self.options, at=self.at)

    def __call__(self, step):
        """Return the rate at a step, counted from 1: an array without axes."""
        return c.schedule_rate(self.record, step)

    def __repr__(self):
        """Show the name and the numbers."""
        return f"schedules.{self.at}({', '.join(f'{k}={v!r}' for k, v in self.options.items())})"


def _make(name):
    def function(rate=None, steps=None, **options):
        return Schedule(name, rate=rate, steps=steps, **options)

    function.__doc__ = (
        f"Return the schedule {name} (docs/training.md).\n\n"
        f"Options: end, factor, power, share, width, warmup, warmup_from, steps_at and rates.")
    return offered(function, __name__, name)


for _name in NAMES:
    globals()[_name] = _make(_name)
    __all__.append(_name)


class Plateau:
    """A rate that falls when a number, such as a loss in validation, has not improved."""

    def __init__(self, rate, **options):
        """Take the first rate, and the options of ty_plateau, such as patience and factor."""
        self.state = dict(options, rate=float(rate))

    def __call__(self, number):
        """Enter the next number, and return the new rate."""
        rate, self.state = c.plateau_next(self.state, float(number))
        return rate

    @property
    def rate(self):
        """The present rate."""
        return self.state["rate"] if isinstance(self.state, dict) else self.state.rate


__getattr__, __dir__ = attributes_of(__name__)
