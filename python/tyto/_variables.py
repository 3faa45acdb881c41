"""Graphs that read variables, computed with other values of them."""

from tyto._core import c


def replaced(outputs, pairs):
    """Return outputs with values in the places of variables: pairs of both.

    Variables on which no output depends do not count.
    """
    walk = c.walk_new(outputs)
    pairs = [(x, value) for x, value in pairs if c.walk_index(walk, x) >= 0]
    if not pairs:
        return outputs
    return c.replace([x for x, _ in pairs], [value for _, value in pairs], outputs)


def present(variables):
    """Return pairs of variables and their present values, which no gradient reaches."""
    return [(x, c.detach(c.eval(x))) for x in variables]
