"""Metrics, made from the functions of the library: (prediction, target, options).

Metric("accuracy") adds up batches.  Predictions are scores of classes or labels; classes of labels
are counted, unless classes= says how many there are.
"""

import functools

from tyto._core import c
from tyto._base import as_array, attributes_of, offered
from tyto.nn._zeros import zeros_kept

__all__ = ["Metric", "average_precision", "roc_auc", "roc_curve"]

average_precision, roc_auc, roc_curve = c.average_precision, c.roc_auc, c.roc_curve
NAMES = tuple(
    name[len("metric_"):] for name in dir(c)
    if name.startswith("metric_") and name[7:] not in ("add", "named", "state", "value"))


# Metrics that need the number of classes if predictions are labels.
_COUNTED = ("confusion", "f_score", "kappa", "matthews", "precision", "recall")


def _labels(x):
    """Return truth values as the labels 0 and 1, and others as they are."""
    return c.cast(x, "int32") if getattr(x, "dtype", None) == "bool" else x


def _classes_of(prediction, target):
    """Return the number of classes of integer labels; None for scores and promises."""
    labels = [as_array(x) for x in (prediction, target)]
    if any(x.is_promise or x.dtype.kind not in "iu" or not x.size for x in labels) \
            or labels[0].shape != labels[1].shape:
        return None
    return max(int(c.amax(x, None, False)) for x in labels) + 1


def _with_labels(name, function):
    """Let a metric take truth values as labels, and count the classes of labels."""
    @functools.wraps(function)
    def call(prediction, target, *args, **named):
        prediction, target = _labels(prediction), _labels(target)
        if name in _COUNTED and not args and named.get("classes") is None:
            named["classes"] = _classes_of(prediction, target)
        return function(prediction, target, *args, **named)
    return call


for _name in NAMES:
    _kept = zeros_kept(getattr(c, "metric_" + _name), ("beta",))
    globals()[_name] = offered(_with_labels(_name, _kept), __name__, _name)
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
            c.metric_add(self.name, self.state, _labels(prediction), _labels(target),
                         **self.options))

    def value(self):
        """Return the value: an array without axes, or with one element for each class."""
        return c.metric_value(self.name, self.state, **self.options)


__getattr__, __dir__ = attributes_of(__name__)
