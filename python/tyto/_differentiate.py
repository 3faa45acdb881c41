"""Derivatives of functions of trees, which are called on arrays that stand for arguments."""

import functools

from tyto import _core, tree
from tyto._base import apart
from tyto._transform import _depth, is_smooth

__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

C = _core.c
_Array = _core.Array


class _Recording:
    """Span in which a function is called on stand-ins: results remember their history."""

    def __enter__(self):
        self.before = C.set_history(True)
        self.unused = C.allow_unused(False)
        _depth.count += 1
        _core._remember(True)
        return self

    def __exit__(self, *unused):
        _depth.count -= 1
        C.allow_unused(self.unused)
        C.set_history(self.before)
        _core._remember(False)  # arrays that the function assigned are values from now on


class _Deriving:
    """Span in which derivatives are computed; those inside of another one keep their history."""

    def __init__(self, allow_unused):
        self.allow = allow_unused

    def __enter__(self):
        self.unused = C.allow_unused(self.allow)
        self.before = C.set_history(_depth.count > 0)
        _core._remember(True)  # rules of custom_vjp may assign to arrays, too
        return self

    def __exit__(self, kind, error, trace):
        C.set_history(self.before)
        C.allow_unused(self.unused)
        _core._remember(False)
        if (
            kind is not None
            and issubclass(kind, _core.Error)
            and error.args
            and "c.allow_unused" in str(error)
        ):
            text = str(error).replace("(c.allow_unused)", "(allow_unused=True)")
            raise kind(text.replace("(c.track, c.var)", "(an argument)")) from None
        return False


def released(value):
    """Return a value that others see: without history unless a derivative around needs it.

    It can be assigned: gradients of sums and means repeat one element.
    """
    if _depth.count == 0 and isinstance(value, _Array) and not value.is_promise:
        return apart(C.detach(value))
    return value


def _check_differentiable(name, leaves):
    """Raise TypeError unless all leaves are floating or complex."""
    for leaf in leaves:
        kind = str(getattr(leaf, "dtype", type(leaf).__name__))
        if not kind.startswith(("float", "complex", "bfloat")):
            raise TypeError(
                f"{name}: the argument is {kind}; expected floating or complex numbers (use "
                f"astype, or "
                f"another choice of argnums)"
            )


def _stand_ins(name, arguments, lasting=False):
    """Return stand-ins for the leaves of a tree of arguments, and the tree's structure.

    lasting: derivatives are computed later, when the arguments may have been assigned to.
    """
    leaves, form = tree.flatten(arguments)
    _check_differentiable(name, leaves)
    if lasting:
        leaves = [leaf.__copy__() if isinstance(leaf, _Array) else leaf for leaf in leaves]
    return [_core._transform_stand_in(leaf) for leaf in leaves], form


def _given(form, leaves):
    """Return the tree that a function gets: of other arrays, since it may assign to them."""
    return tree.unflatten(form, [leaf.__copy__() for leaf in leaves])


def _split_argnums(name, args, argnums):
    """Return the chosen arguments as a tuple, and a function that puts others into their places."""
    single = not isinstance(argnums, (tuple, list))
    numbers = [argnums] if single else list(argnums)
    places = []
    for number in numbers:
        if not isinstance(number, int) or not -len(args) <= number < len(args):
            raise ValueError(
                f"{name}: argnums {argnums!r} do not fit {len(args)} positional arguments"
            )
        places.append(number % len(args))
    if len(set(places)) != len(places):
        raise ValueError(f"{name}: argnums {argnums!r} name an argument twice")

    def put(chosen):
        all_args = list(args)
        for place, value in zip(places, chosen):
            all_args[place] = value
        return all_args

    return tuple(args[place] for place in places), put, single


def _held(y):
    """Return an array that keeps its history when the function's array becomes a value."""
    return _core._transform_hold(y) if isinstance(y, _Array) else y


def _with_aux(name, result, has_aux):
    """Return a function's result and its further results."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(
            f"{name}: with has_aux the function must return a pair (result, aux), not "
            f"{type(result).__name__}"
        )
    return result


def _check_scalar(name, y):
    """Raise TypeError unless y is one real floating number."""
    if not isinstance(y, _Array):
        raise TypeError(
            f"{name}: the function returned {type(y).__name__}, which depends on no argument; "
            f"expected an "
            "array of shape ()"
        )
    if y.ndim:
        raise TypeError(
            f"{name}: the function returned an array of shape {y.shape}; expected one number, "
            f"shape ()"
        )
    if not str(y.dtype).startswith(("float", "bfloat")):
        raise TypeError(f"{name}: the function returned {y.dtype}; expected a real floating number")


def _released_tree(value):
    return tree.map(released, value)


def value_and_grad(fun, argnums=0, has_aux=False, allow_unused=False):
    """Return a function that computes fun and its gradient by one or several arguments.

    argnums: the argument, or a tuple of arguments, by which fun is differentiated.  The gradient
    has its structure.
    has_aux: fun returns a pair (result, aux); the function returns ((result, aux), gradient).
    allow_unused: gradients by arguments that fun does not use are zeros; otherwise they are an
    error. fun returns one real number, and is called once.  Other arguments and keywords are passed
    as they are.
    """
    name = "value_and_grad"

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        chosen, put, single = _split_argnums(name, args, argnums)
        with _Recording():
            leaves, form = _stand_ins(name, chosen)
            result = fun(*put(_given(form, leaves)), **keywords)
            y, aux = _with_aux(name, result, has_aux)
            y = _held(y)
        _check_scalar(name, y)
        with _Deriving(allow_unused):
            gradients = C.grad(y, leaves) if leaves else []
        gradients = tree.unflatten(form, [released(g) for g in gradients])
        y = released(y)
        return ((y, _released_tree(aux)) if has_aux else y), (gradients[0] if single else gradients)

    return wrapped


def grad(fun, argnums=0, has_aux=False, allow_unused=False):
    """Return a function that computes the gradient of fun: value_and_grad without the value.

    With has_aux the function returns (gradient, aux).
    """
    both = value_and_grad(fun, argnums, has_aux, allow_unused)

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        value, gradient = both(*args, **keywords)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def stop_gradient(x):
    """Return a tree of the same values, through which no gradient flows."""
    return tree.map(lambda leaf: C.detach(leaf) if isinstance(leaf, _Array) else leaf, x)


# ---- forward and reverse products ----


def _results(name, result):
    """Return the leaves of a function's result as arrays, and its structure."""
    leaves, form = tree.flatten(result)
    arrays = [leaf if isinstance(leaf, _Array) else _core.asarray(leaf) for leaf in leaves]
    return [_held(x) for x in arrays], form


def _check_like(name, what, leaves, like):
    """Return tangents or cotangents in the dtypes of their arrays; their shapes are checked."""
    cast = []
    for leaf, x in zip(leaves, like):
        leaf = leaf if isinstance(leaf, _Array) else _core.asarray(leaf)
        if leaf.shape != x.shape:
            raise ValueError(f"{name}: a {what} has the shape {leaf.shape}; expected {x.shape}")
        if leaf.dtype != x.dtype:
            leaf = C.cast(leaf, x.dtype)
        cast.append(leaf)
    return cast


def _zeros_like(x):
    return C.zeros(x.dtype, x.shape)


def _push(ys, xs, tangents):
    """Return the tangents of ys: zeros of those that depend on no x."""
    smooth = [y for y in ys if is_smooth(y)]
    with _Deriving(True):
        moved = iter(
            C.jvp(smooth, xs, tangents) if smooth and xs else [_zeros_like(y) for y in smooth]
        )
    return [next(moved) if is_smooth(y) else _zeros_like(y) for y in ys]


def jvp(fun, primals, tangents, has_aux=False):
    """Compute fun and its derivative along tangents, in forward mode: (result, its tangent).

    primals: tuple or list of arguments; tangents: one for each, of its structure and shapes.
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("jvp: primals and tangents must be tuples or lists of arguments")
    if len(primals) != len(tangents):
        raise ValueError(
            f"jvp: {len(primals)} primals and {len(tangents)} tangents; expected as many"
        )
    with _Recording():
        leaves, form = _stand_ins("jvp", tuple(primals))
        moves = _check_like(
            "jvp", "tangent", tree.leaves_like(form, tuple(tangents), "jvp"), leaves
        )
        result, aux = _with_aux("jvp", fun(*_given(form, leaves)), has_aux)
        ys, out = _results("jvp", result)
    moved = _push(ys, leaves, moves)
    values = tree.unflatten(out, [released(y) for y in ys])
    pair = values, tree.unflatten(out, [released(m) for m in moved])
    return (*pair, _released_tree(aux)) if has_aux else pair


def linearize(fun, *primals):
    """Compute fun, and return its result and the function from tangents to that of the result.

    Other arrays that fun uses count as they are now, also if they are assigned to before that
    function is called.
    """
    with _Recording():
        leaves, form = _stand_ins("linearize", primals, True)
        ys, out = _results("linearize", fun(*_given(form, leaves)))

    def push(*tangents):
        moves = _check_like(
            "linearize", "tangent", tree.leaves_like(form, tangents, "linearize"), leaves
        )
        return tree.unflatten(out, [released(m) for m in _push(ys, leaves, moves)])

    return tree.unflatten(out, [released(y) for y in ys]), push


def _pull(ys, flows, leaves):
    """Return the products of flows, one for each y, with the derivatives of ys by the leaves."""
    pairs = [(y, g) for y, g in zip(ys, flows) if is_smooth(y)]
    if not pairs or not leaves:
        return [_zeros_like(x) for x in leaves]
    if len(pairs) == 1:
        with _Deriving(True):
            return C.vjp(pairs[0][0], pairs[0][1], leaves)
    with _Recording():  # of a sum, whose gradient is the sum of all products
        total = _core.asarray(0.0)
        for y, g in pairs:
            total = C.add(total, C.sum(C.real(C.mul(C.conj(g), y))))
    with _Deriving(True):
        return C.grad(total, leaves)


def vjp(fun, *primals, has_aux=False):
    """Compute fun, and return its result and the function from cotangents to those of arguments.

    The function takes a tree of the result's structure, and returns a tuple with an entry for each
    argument.
    Other arrays that fun uses count as they are now, also if they are assigned to before it is
    called.
    """
    with _Recording():
        leaves, form = _stand_ins("vjp", primals, True)
        result, aux = _with_aux("vjp", fun(*_given(form, leaves)), has_aux)
        ys, out = _results("vjp", result)

    def pull(cotangents):
        flows = _check_like("vjp", "cotangent", tree.leaves_like(out, cotangents, "vjp"), ys)
        return tree.unflatten(form, [released(g) for g in _pull(ys, flows, leaves)])

    values = tree.unflatten(out, [released(y) for y in ys])
    return (values, pull, _released_tree(aux)) if has_aux else (values, pull)


# ---- matrices of derivatives ----


def jacobian(fun, argnums=0, has_aux=False, allow_unused=False):
    """Return a function that computes the Jacobian of fun by one or several arguments.

    Element [p..., q...] is the derivative of result[p] by argument[q].  The library chooses forward
    or reverse mode by the sizes.  For trees: a tree of the result's structure, whose leaves are
    trees of the argument's structure.
    """

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        chosen, put, single = _split_argnums("jacobian", args, argnums)
        with _Recording():
            leaves, form = _stand_ins("jacobian", chosen)
            result, aux = _with_aux(
                "jacobian", fun(*put(_given(form, leaves)), **keywords), has_aux
            )
            ys, out = _results("jacobian", result)
        rows = []
        for y in ys:
            with _Deriving(allow_unused):
                row = C.jacobian(y, leaves, 0)
            row = tree.unflatten(form, [released(part) for part in row])
            rows.append(row[0] if single else row)
        matrix = tree.unflatten(out, rows)
        return (matrix, _released_tree(aux)) if has_aux else matrix

    return wrapped


jacfwd = jacobian
jacrev = jacobian


def hessian(fun, argnums=0, has_aux=False, allow_unused=False):
    """Return a function that computes the second derivatives of fun by one or several arguments.

    For a fun that returns one number, element [p..., q...] is the derivative by argument[p] and
    argument[q].  For
    trees: a tree of the argument's structure, whose leaves are trees of the argument's structure.
    """

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        chosen, put, single = _split_argnums("hessian", args, argnums)
        with _Recording():
            leaves, form = _stand_ins("hessian", chosen)
            y, aux = _with_aux(
                "hessian", fun(*put(_given(form, leaves)), **keywords), has_aux
            )
            y = _held(y)
        _check_scalar("hessian", y)
        with _Deriving(allow_unused):
            blocks = [released(block) for block in C.hessian(y, leaves, 0)]
        n = len(leaves)
        rows = []
        for i in range(n):
            row = tree.unflatten(form, blocks[i * n : (i + 1) * n])
            rows.append(row[0] if single else row)
        matrix = tree.unflatten(form, rows)
        matrix = matrix[0] if single else matrix
        return (matrix, _released_tree(aux)) if has_aux else matrix

    return wrapped


def hvp(fun, primals, tangents, allow_unused=False):
    """Compute the product of the Hessian of fun with tangents, without forming the matrix.

    primals: tuple or list of arguments; tangents: one for each.  fun returns one number.  Returns a
    tuple with an entry for each argument.
    """
    with _Recording():
        leaves, form = _stand_ins("hvp", tuple(primals))
        moves = _check_like(
            "hvp", "tangent", tree.leaves_like(form, tuple(tangents), "hvp"), leaves
        )
        y = _held(fun(*_given(form, leaves)))
    _check_scalar("hvp", y)
    with _Deriving(allow_unused):
        return tree.unflatten(form, [released(part) for part in C.hvp(y, leaves, moves)])
