"""Loops and branches that depend on values, as parts of graphs."""

from tyto import _core, tree
from tyto._transform import Body, OtherCount, as_array, settled

__all__ = ["cond", "fori_loop", "map", "scan", "switch", "while_loop"]

C = _core.c
_Array = _core.Array


def _same_structure(name, form, value):
    """Return the leaves of the next carry as arrays."""
    return [as_array(leaf) for leaf in tree.leaves_like(form, value, f"{name}: the next carry")]


def scan(f, init, xs=None, length=None, reverse=False, checkpoint=0):
    """Run (carry, y) = f(carry, x) for each x of sequences, and return the last carry and all ys.

    init: tree of the first carry, whose shapes and dtypes stay; numbers adopt the dtypes that a
    step gives them.
    xs: tree of arrays, whose first axis counts the steps; None with a length.
    reverse: from the last element to the first.  checkpoint: values kept for a gradient; 0: the
    carries and expensive
    results, 1: the carries alone, n: the carry of every n-th step, and the steps between run again.
    """
    carry, form = tree.flatten(init)
    xs_leaves, xs_form = tree.flatten(xs)
    xs_leaves = [as_array(leaf) for leaf in xs_leaves]
    sizes = {leaf.shape[0] if leaf.ndim else None for leaf in xs_leaves}
    if None in sizes or len(sizes) > 1:
        raise ValueError(
            f"scan: sequences must have a first axis of one length, not {sorted(sizes, key=str)}"
        )
    if length is None and not sizes:
        raise ValueError("scan: without sequences the number of steps is unknown; pass length")
    if sizes and length is not None and length not in sizes:
        raise ValueError(f"scan: length is {length}, and the sequences have {sizes.pop()} elements")
    count, out = [1], [None]

    def step(index, carries, elements):
        del index
        result = f(tree.unflatten(form, carries), tree.unflatten(xs_form, elements))
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError("scan: the step must return a pair (carry, y)")
        following = _same_structure("scan", form, result[0])
        ys, out[0] = tree.flatten(result[1])
        if len(ys) != count[0]:
            raise OtherCount(len(ys))
        return following, [as_array(y) for y in ys]

    def run():
        steps = length if length is not None else 0
        return _core._transform_scan(step, carry, xs_leaves, count[0], steps, reverse, checkpoint)

    if not sizes and length == 0:
        raise ValueError("scan: a loop of no steps without sequences has no results")
    try:
        made = run()
    except OtherCount as other:
        count[0] = other.count
        made = None
    made = settled(run() if made is None else made, [*carry, *xs_leaves])
    return tree.unflatten(form, made[: len(carry)]), tree.unflatten(out[0], made[len(carry) :])


def while_loop(cond_fun, body_fun, init_val, most=0):
    """Run val = body_fun(val) as long as cond_fun(val) is true, and return val.

    most: the greatest number of steps; 0: no limit.  A gradient needs `most`, since it keeps the
    values before each step.  Shapes and dtypes of the tree stay.
    """
    leaves, form = tree.flatten(init_val)
    leaves = [as_array(leaf) for leaf in leaves]

    def condition(values):
        return [as_array(cond_fun(tree.unflatten(form, values)))]

    def step(values):
        return _same_structure("while_loop", form, body_fun(tree.unflatten(form, values)))

    found = settled(_core._transform_while(condition, step, leaves, most), leaves)
    return tree.unflatten(form, found)


def fori_loop(lower, upper, body_fun, init_val):
    """Run val = body_fun(i, val) for i from lower to upper - 1, and return val.

    If both bounds are integers of Python, the loop is a scan, and has a gradient.
    """
    if isinstance(lower, int) and isinstance(upper, int):
        if upper <= lower:
            return tree.map(as_array, init_val)
        indices = C.steps("int64", lower, 1, upper - lower)
        return scan(lambda value, i: (body_fun(i, value), None), init_val, indices)[0]
    lower, upper = as_array(lower), as_array(upper)

    def step(state):
        index, value = state
        return index + 1, body_fun(index, value)

    return while_loop(lambda state: state[0] < upper, step, (lower, init_val))[1]


def _choose(name, index, functions, operands):
    """Call one of several functions, which return trees of one structure."""
    leaves, form = tree.flatten(operands)
    count, outs = [1], {}

    def branch(number, function):
        body = Body(lambda args: function(*args), form)

        def run(values):
            body.count = count[0]
            found = body(values)
            outs[number] = body.out
            return found

        return run

    branches = tuple(branch(number, function) for number, function in enumerate(functions))
    try:
        made = _core._transform_switch(index, branches, leaves, count[0])
    except OtherCount as other:
        count[0] = other.count
        made = None
    try:
        made = _core._transform_switch(index, branches, leaves, count[0]) if made is None else made
    except OtherCount as other:
        raise TypeError(
            f"{name}: one branch returned {count[0]} arrays and another one {other.count}; "
            f"branches must "
            "return trees of one structure"
        ) from None
    forms = list(outs.values())
    if any(other != forms[0] for other in forms):
        raise TypeError(
            f"{name}: branches returned {forms[0]!r} and "
            f"{next(o for o in forms if o != forms[0])!r}; they must return trees of one structure"
        )
    return tree.unflatten(forms[0], settled(made, [index, *leaves]))


def cond(pred, true_fun, false_fun, *operands):
    """Return true_fun(*operands) if pred is true, else false_fun(*operands); only one runs.

    pred: one bool, or a promise of one; a number counts as true unless it is 0.  Both functions
    return trees of one structure, with equal shapes and dtypes.
    """
    pred = as_array(pred)
    if pred.ndim:
        raise TypeError(f"cond: pred has the shape {pred.shape}; expected one bool, shape ()")
    if str(pred.dtype) != "bool":
        pred = C.cast(pred, "bool")
    return _choose("cond", pred, (true_fun, false_fun), operands)


def switch(index, branches, *operands):
    """Return branches[index](*operands); an index outside selects the first or last one.

    The functions return trees of one structure, with equal shapes and dtypes; there are at most
    128.
    """
    branches = tuple(branches)
    index = as_array(index)
    if index.ndim:
        raise TypeError(
            f"switch: the index has the shape {index.shape}; expected one integer, shape ()"
        )
    if not branches:
        raise ValueError("switch: expected at least one branch")
    if str(index.dtype)[:3] not in ("int", "uin"):
        raise TypeError(f"switch: the index is {index.dtype}; expected an integer")
    index = C.max(C.cast(index, "int64"), 0)
    return _choose("switch", index, branches, operands)


def map(f, xs):
    """Return the stacked results of f for each element of xs, one after another, as a scan does."""
    return scan(lambda carry, x: (carry, f(x)), (), xs)[1]
