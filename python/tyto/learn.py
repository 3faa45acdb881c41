"""Learning from matrices and tables: preparation, splits, linear models.

    prepared = learn.Preparation(train, target="price")
    model = learn.ridge(prepared.inputs(train), prepared.targets(train), alpha=1.0)
    prepared.answers(model.predict(prepared.inputs(test)))

tyto.table fits models of formulas with their statistics; tyto.neighbours has clusters and nearest
points, tyto.linalg principal components, tyto.nn networks and metrics.
"""

import operator
import os
from typing import Any, NamedTuple

from tyto import _core
from tyto._base import as_array, attributes_of, is_integer
from tyto._core import c
from tyto._elsewhere import LINEAR
from tyto._families import generator_of
from tyto._hints import absent
from tyto.table import Table

__all__ = ["Classifier", "Linear", "Preparation", "folds", "lasso", "linear_regression",
           "linear_svm", "ridge", "split"]


class Preparation:
    """The treatment of the columns of a table that makes features of them, learned from its rows.

    Numbers are standardised, and missing ones become the median; words become columns of 0 and 1;
    columns with missing elements get a flag.  print(preparation) shows all of it.
    """

    def __init__(self, table, target=None, **options):
        """Learn from a table.  target: the column to predict; None: none.

        Options are those of tyto.c.preparation_fit: task ("classes" or "regression"),
        scaling, most_words, rare.
        """
        self.handle = table if isinstance(table, c.Preparation) else \
            c.preparation_fit(Table(table).handle, target=target, **options)

    @classmethod
    def read(cls, path):
        """Return the preparation that a checkpoint or a file of weights holds."""
        return cls(c.preparation_read(os.fspath(path)))

    @classmethod
    def from_json(cls, text):
        """Return the preparation of a text of to_json."""
        return cls(c.preparation_parse(text.encode()))

    def to_json(self):
        """Return the preparation as a text."""
        return self.handle.to_json()

    def __reduce__(self):
        return Preparation.from_json, (self.to_json(),)

    def inputs(self, table, dtype="float64"):
        """Return the features of the rows of a table, a matrix; columns are found by name."""
        return self.handle.inputs(Table(table).handle, dtype)

    def targets(self, table):
        """Return the targets: numbers of classes (-1: missing), or standardised numbers."""
        return self.handle.targets(Table(table).handle)

    def answers(self, y):
        """Return predicted numbers in the units of the target."""
        return self.handle.answers(y)

    def unseen(self, table):
        """Return lines about words that were not learned; "" if there are none."""
        return self.handle.unseen(Table(table).handle)

    @property
    def features(self):
        """The names of features."""
        return [self.handle.feature(i) for i in range(self.handle.features())]

    @property
    def classes(self):
        """The names of the classes of the target; empty for numbers."""
        return [self.handle.class_(i) for i in range(self.handle.classes())]

    @property
    def target(self):
        """The name of the target."""
        return self.handle.target()

    def __repr__(self):
        return self.handle.to_string()


# ---- parts of the rows ----

def _groups(n, labels):
    """Return arrays of the numbers of rows: all, or those of each label."""
    if labels is None:
        return [c.arange("int64", 0, n, 1)]
    if isinstance(labels, (list, tuple)):
        known = {}
        labels = [known.setdefault(label, len(known)) for label in labels]
    labels = as_array(labels)
    if labels.shape != (n,):
        raise ValueError(f"the labels have the shape {labels.shape}, and there are {n} rows")
    found = sorted(set(labels.tolist()))
    return [c.nonzero(c.eq(labels, label))[0] for label in found]


def _rows(x, index):
    """Return rows of an array, a table or a list."""
    if isinstance(x, Table):
        return x.take(index)
    if isinstance(x, (list, tuple)):
        return [x[i] for i in index.tolist()]
    return c.take(as_array(x), index, 0)


def _tested(sizes, share, numbers):
    """Return how many of each group are tested: shares of the sizes, and of all rows together."""
    counts = [int(share * size) for size in sizes]
    at_random = c.permutation(len(sizes), numbers.key()).tolist() if len(sizes) > 1 else [0]
    # The greatest fractions are rounded up; of equal ones, some at random.
    order = sorted(at_random, key=lambda i: counts[i] - share * sizes[i])
    for i in order[:max(round(share * sum(sizes)) - sum(counts), 0)]:
        counts[i] += 1
    return counts


def split(*arrays, test=0.25, stratify=None, key=None):
    """Return the rows for training and for the test of each array, table or list.

    test: the fraction of the rows, or their number; stratify: labels, each of which has its share
    in both parts; key: a key, a seed or a generator; None: the system's.

    x_train, x_test, y_train, y_test = learn.split(x, y, test=0.2, key=1)
    """
    if not arrays:
        raise TypeError("split: expected one array or more")
    n = len(arrays[0])
    other = next((x for x in arrays if len(x) != n), None)
    if other is not None:
        raise ValueError(f"split: the arrays have {n} and {len(other)} rows; expected one number")
    share = test if isinstance(test, float) else test / n if n else 0.0
    if not 0 <= share <= 1:
        raise ValueError(f"split: test is {test} of {n} rows; expected a fraction, or a number of "
                         "rows")
    numbers, parts = generator_of(key), ([], [])
    groups = _groups(n, stratify)
    for rows, tested in zip(groups, _tested([len(rows) for rows in groups], share, numbers)):
        rows = c.take(rows, c.permutation(len(rows), numbers.key()), 0)
        parts[0].append(rows[tested:])
        parts[1].append(rows[:tested])
    train, tests = (c.concat(part, 0) for part in parts)
    if stratify is not None:
        train, tests = (c.take(part, c.permutation(len(part), numbers.key()), 0)
                        for part in (train, tests))
    return tuple(_rows(x, part) for x in arrays for part in (train, tests))


def folds(n, k=5, stratify=None, key=None):
    """Return an iterator of k pairs: the numbers of the rows for training, and for the test.

    Each row is tested once.

    n: the number of rows, or what has them; stratify and key: as of split.

    for train, test in learn.folds(x, 5): model = learn.ridge(x[train], y[train]); ...
    """
    n, k = operator.index(n) if is_integer(n) else len(n), operator.index(k)
    if not 2 <= k <= n:
        raise ValueError(f"folds: {k} folds of {n} rows; expected 2 or more, and at most one a row")
    numbers, fold, place = generator_of(key), [[] for _ in range(k)], 0
    for rows in _groups(n, stratify):
        rows = c.take(rows, c.permutation(len(rows), numbers.key()), 0).tolist()
        for row in rows:  # in turn, also from group to group, so sizes differ by one at most
            fold[place % k].append(row)
            place += 1

    def pair(tested):
        held = set(tested)
        return (_core.asarray([i for i in range(n) if i not in held], dtype="int64"),
                _core.asarray(sorted(tested), dtype="int64"))
    return map(pair, fold)


# ---- linear models ----

class Linear(NamedTuple):
    """A linear model: predict(x) is x @ coefficients + intercept."""

    coefficients: Any
    intercept: Any

    def predict(self, x):
        """Return the predictions for the rows of x."""
        x, b = as_array(x), self.coefficients
        return c.add(c.matmul(x, b), self.intercept)

    def __getattr__(self, name):
        raise absent(self, name, LINEAR)


class Classifier(NamedTuple):
    """A linear classifier of the labels 0, 1, ...: predict(x) has the label of each row."""

    coefficients: Any
    intercept: Any

    def decision(self, x):
        """Return how far the rows of x lie on the side of each class; of two, of the second."""
        scores = c.add(c.matmul(as_array(x), c.transpose(self.coefficients)), self.intercept)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, x):
        """Return the label of each row of x."""
        scores = self.decision(x)
        if len(scores.shape) == 1:
            return c.cast(c.gt(scores, 0), "int64")
        return c.argmax(scores, 1, False)

    def __getattr__(self, name):
        raise absent(self, name, LINEAR)


def linear_regression(x, y, intercept=True):
    """Fit y by least squares; gradients flow to x and y."""
    found = c.linear_regression(x, y, intercept)
    return Linear(found.coefficients, found.intercept)


def ridge(x, y, alpha=1.0, intercept=True):
    """Fit y by least squares with the penalty alpha |coefficients|^2, as scikit-learn's Ridge."""
    found = c.ridge(x, y, alpha, intercept)
    return Linear(found.coefficients, found.intercept)


def lasso(x, y, alpha=1.0, share=1.0, intercept=True, **options):
    """Fit y with a penalty of absolute values, as scikit-learn's Lasso; share < 1: ElasticNet.

    tyto.c.lasso computes a path of penalties; its options are iterations and tolerance.
    """
    if share <= 0:
        raise ValueError(f"lasso: share is {share}; expected above 0; ridge is without moduli")
    found = c.lasso(x, y, alphas=float(alpha), share=share, plain=not intercept, **options)
    return Linear(found.coefficients, found.intercepts)


def linear_svm(x, labels, c=1.0, classes=None, intercept=True):
    """Fit a linear support vector machine to labels 0, 1, ..., as scikit-learn's LinearSVC."""
    labels = as_array(labels)
    if not c > 0:  # 0 is the default in C
        raise ValueError(f"linear_svm: c is {c}; expected above 0")
    if classes is None:
        classes = int(_core.c.amax(labels, None, False)) + 1
    found = _core.c.linear_svm(x, labels, classes, c=c, plain=not intercept)
    return Classifier(found.coefficients, found.intercepts)


__getattr__, __dir__ = attributes_of(__name__)
