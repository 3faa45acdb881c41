"""Fitted models of formulas, which tyto.table offers."""

from typing import Any, NamedTuple

from . import _core
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

    def __init__(self, design, options):
        self.design = design
        self.options = dict(options)
        self.handle = c.regress_design(design, **options)

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


def _table(source):
    """Return the handle of a table, or of what makes one."""
    from .table import Table

    return Table(source).handle
