"""Fitted models of formulas, which tyto.table offers."""

from typing import Any, NamedTuple

from . import _core, linalg
from ._core import c
from ._elsewhere import FITS
from ._hints import absent
from ._inference import Test


class Coefficient(NamedTuple):
    """A coefficient of a fit with its standard error, statistic, p-value and interval."""

    name: str
    value: Any
    error: Any
    statistic: Any
    p: Any
    low: Any
    high: Any


class Fit:
    """A fitted model of a formula."""

    def __init__(self, formula, table, options):
        """Fit the model to the rows of a table, a Table; options are those of its method fit."""
        self._source = formula, table
        self.options = dict(options)
        self.design = c.design_new(formula, table.handle)
        self.handle = c.regress_design(self.design, **options)

    def __reduce__(self):
        """Store the rows, of the columns that the formula names, from which the fit is made again.

        Parts of words count as names, so there may be too many columns, but not too few.
        """
        formula, table = self._source
        named = [name for name in table.columns if "." in formula or name in formula]
        return Fit, (formula, table.select(named), self.options)

    def __getattr__(self, name):
        raise absent(self, name, FITS)

    def part(self, which):
        """Return results, such as "coefficients", "errors", "fitted", "residuals", "covariance"."""
        return self.handle.part(which)

    @property
    def names(self):
        """The names of coefficients."""
        return [self.design.name(i) for i in range(self.design.columns())]

    @property
    def coefficients(self):
        """The coefficients by name, with their errors, statistics, p-values and intervals."""
        parts = [self.part(which).tolist() for which in
                 ("coefficients", "errors", "statistics", "p", "low", "high")]
        return {name: Coefficient(name, *row) for name, *row in zip(self.names, *parts)}

    @property
    def report(self):
        """Numbers about the model: r_squared, aic, log_likelihood, ..."""
        return self.handle.describe()

    def predict(self, table):
        """Return the means of the response for the rows of another table, an array."""
        return self.prediction(table).mean

    def prediction(self, table):
        """Return means of the response for the rows of another table, with intervals.

        The result has mean, error, low and high: the interval of the mean; new_low and new_high:
        that of a new response.
        """
        return self.handle.predict(self.design.apply(_table(table)))

    def compare(self, larger):
        """Test if a larger model of the same rows, whose terms include these, fits better.

        The result is a Test: by F for least squares, else by the ratio of likelihoods.
        """
        if not isinstance(larger, Fit):
            raise TypeError(f"compare: expected a larger Fit, not {type(larger).__name__}")
        small, large = self.report, larger.report
        family, other = (c.family_named(fit.options.get("family") or "gaussian")
                         for fit in (self, larger))  # "linear" names the gaussian one, too
        if family != other or small.rows != large.rows:
            raise ValueError(f"compare: the models are {family} of {small.rows} rows and {other} "
                             f"of {large.rows}; expected one family and the same rows")
        terms = small.freedom - large.freedom
        if terms <= 0:
            raise ValueError(f"compare: the models leave {small.freedom} and {large.freedom} "
                             "degrees of freedom; expected fewer for the second one")
        if any(fit.options.get("robust") for fit in (self, larger)):
            raise ValueError("compare: a model has robust errors, but the test needs errors of "
                             "one variance; fit both without robust")
        _check_nested(self, larger)
        gain = small.deviance - large.deviance
        if family != "gaussian":
            return Test(*map(_core.asarray, (gain, c.sf("chi2", gain, [float(terms)]), float(terms),
                                             float("nan"))))
        f = gain / terms / (large.deviance / large.freedom)
        p = c.sf("f", f, [float(terms), float(large.freedom)])
        return Test(*map(_core.asarray, (f, p, float(terms), float(large.freedom))))

    def summary(self):
        """Return the model as text."""
        return self.handle.summary()

    __repr__ = summary


# Columns at this distance, relative to their length, are combinations of others.  Rounding gives
# 3e-9 for poly(x, 2) in x + I(x^2) of 2,000 times between the years 2000 and 2024.
_NEAR = 1e-7


def _rows(fit):
    """Return the columns of a fit's rows that count, and the response, weights and offset."""
    y, n = fit.design.response(), fit.design.matrix().shape[0]
    given = [c.broadcast(c.cast(_core.asarray(default if fit.options.get(name) is None
                                              else fit.options[name]), "float64"), (n,))
             for name, default in (("weights", 1.0), ("offset", 0.0))]
    x = c.concat([fit.design.matrix(), c.stack([y, *given], 1)], 1)
    counts = c.all(c.eq(x, x), 1, False)  # NaN is not
    return x[c.logical_and(counts, c.gt(given[0], 0))]


def _check_nested(small, large):
    """Raise a ValueError unless two fits are of the same rows, and one contains the other."""
    p = small.design.columns()
    (x, data), (z, others) = ((rows[:, :-3], rows[:, -3:]) for rows in map(_rows, (small, large)))
    if data.shape != others.shape or not bool(c.all(c.eq(data, others), None, False)):
        raise ValueError("compare: the models have other responses, weights or offsets; expected "
                         "the same ones, and the same rows")

    def scaled(v):  # columns of length 1, or of zeros
        length = c.sqrt(c.sum(c.square(v), 0, True))
        return c.div(v, c.where(c.gt(length, 0), length, 1.0))
    x, z = scaled(x), scaled(z)
    rest = c.sub(c.matmul(z, linalg.lstsq(z, x)[0]), x)
    distances = c.sqrt(c.sum(c.square(rest), 0, False)).tolist()
    alone = next((small.names[i] for i in range(p) if distances[i] > _NEAR), None)
    if alone is not None:
        raise ValueError(f"compare: the larger model does not contain {alone!r} of the smaller "
                         "one; expected nested models of the same rows")


def _table(source):
    """Return the handle of a table, or of what makes one."""
    from .table import Table

    return Table(source).handle
