"""Metrics, made from the functions of the library: (prediction, target, options).

Metric("accuracy") adds up batches.
"""

from tyto._core import c
from tyto._base import attributes_of
from tyto.nn._zeros import zeros_kept

__all__ = ["Metric", "average_precision", "roc_auc", "roc_curve"]

average_precision, roc_auc, roc_curve = c.average_precision, c.roc_auc, c.roc_curve
NAMES = tuple(
    name[len("metric_"):] for name in dir(c)
    if name.startswith("metric_") and name[7:] not in ("add", "named", "state", "value"))
for _name in NAMES:
    globals()[_name] = zeros_kept(getattr(c, "metric_" + _name), ("beta",))
    __all__.append(_name)


class Metric:
    """A metric over batches: its value is that of all examples together."""

    def __init__(self, name, **options):
        """Take the name of a metric, and the options of ty_metric_options, such as classes=10."""
        if name not in NAMES:
            raise ValueError(f"there is no metric {name!r}; there are {', '.join(NAMES)}")
        self.name, self.options = name, options
        if options.get("beta") is not None:
            self.options = dict(options, beta=float(options["beta"]) or -0.0)
        self.reset()

    def reset(self):
        """Forget all batches."""
        self.state = c.metric_state(self.name, **self.options)

    def add(self, prediction, target):
        """Add a batch."""
        self.state = c.eval(
            c.metric_add(self.name, self.state, prediction, target, **self.options))

    def value(self):
        """Return the value: an array without axes, or with one element for each class."""
        return c.metric_value(self.name, self.state, **self.options)


__getattr__, __dir__ = attributes_of(__name__)
