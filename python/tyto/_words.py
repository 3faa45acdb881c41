"""Expressions in text, and graphs written as mathematics."""

from tyto import _core
from tyto._core import c

__all__ = ["Notation", "expression", "notation"]


def expression(text, *, operations=None, **values):
    """Return the value of a text such as "sum(x * y, axis=1)", with values by name.

    Several results, separated by commas, are a tuple.  operations: limit for untrusted text.
    """
    if not isinstance(text, str):
        raise TypeError(f"an expression is a str, not {type(text).__name__}")
    names = list(values)
    arrays = [x if isinstance(x, _core.Array) else _core.asarray(x) for x in values.values()]
    most = text.count(",") + 1
    found = c.expressions_within(text, names, arrays, most, operations=operations)
    found = found[-1] if isinstance(found, tuple) else found
    return found[0] if len(found) == 1 else tuple(found)


class Notation(str):
    """A formula; notebooks show it as mathematics."""

    latex = ""

    def _repr_latex_(self):
        return f"$\\displaystyle {self.latex}$" if self.latex else None


def notation(fun, *examples, form="text", names=None, by=None, as_recorded=False):
    """Return the formula of fun of arrays like the examples, or of a promise.

    The variables have the names of fun's parameters.  form: "text", "ascii", "latex" or "mathml".
    names: of the results; by: names of the variables by which results are derivatives.
    """
    if callable(fun):
        results = _recorded(fun, examples)
    else:
        results = list(fun) if isinstance(fun, (tuple, list)) else [fun]
    options = {"names": names, "by": by, "as_recorded": as_recorded}
    made = Notation(c.notation(results, form=form, **options))
    made.latex = str(c.notation(results, form="latex", **options))
    return made


def _recorded(fun, examples):
    """Return fun's results of variables with the names of its parameters."""
    import inspect

    names = list(inspect.signature(fun).parameters)
    examples = examples or (0.0,) * len(names)
    if len(names) < len(examples):
        names += [f"x{i}" for i in range(len(names), len(examples))]
    results = fun(*(c.var(x if isinstance(x, _core.Array) else _core.asarray(x), name)
                    for x, name in zip(examples, names)))
    return list(results) if isinstance(results, (tuple, list)) else [results]
