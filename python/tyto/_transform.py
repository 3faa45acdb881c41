"""Batches of functions of trees, and shapes without values."""

import functools
import threading

from tyto import _core, tree

__all__ = ["ShapeDtype", "eval_shape", "vmap"]

C = _core.c
_Array = _core.Array


class _Depth(threading.local):
    """Number of functions that this thread is differentiating, one inside the other."""

    count = 0


_depth = _Depth()


class OtherCount(Exception):
    """A function has another number of results than the library was told."""

    def __init__(self, count):
        super().__init__(count)
        self.count = count


class Body:
    """A function of trees as a function of lists, for the library.

    fun gets the tree of `form`, and returns a tree, whose structure is `out` after the call.  The
    library must know the
    number of results before, which only the function tells: the guess is one.
    """

    def __init__(self, fun, form, count=1):
        self.fun = fun
        self.form = form
        self.count = count
        self.out = None

    def __call__(self, leaves):
        """Return the leaves of the result as arrays."""
        found, self.out = tree.flatten(self.fun(tree.unflatten(self.form, leaves)))
        arrays = [as_array(leaf) for leaf in found]
        if len(arrays) != self.count:
            raise OtherCount(len(arrays))
        return arrays

    def run(self, call):
        """Return the tree of call(number of results), which is called again for another number."""
        try:
            made = call(self.count)
        except OtherCount as other:
            self.count = other.count
            made = None
        if made is None:
            made = call(self.count)
        return tree.unflatten(self.out, made)


def is_smooth(x):
    """Return True if the dtype of an array has derivatives."""
    return str(x.dtype).startswith(("float", "complex", "bfloat"))


def as_array(leaf):
    """Return a leaf of a result as an array."""
    if isinstance(leaf, _Array):
        return leaf
    try:
        return _core.asarray(leaf)
    except TypeError as error:
        raise TypeError(
            f"a transformed function returned {type(leaf).__name__}; expected arrays and numbers, "
            f"in "
            f"dicts, lists and tuples"
        ) from error


def settled(found, given):
    """Return results as values, unless something is recorded, or an argument is a promise.

    Otherwise results are promises only if they read variables, such as those of tyto.nn's models:
    assigning to these later must not change them.
    """
    late = _core._transform_recording() or _depth.count > 0
    if late or any(x.is_promise for x in given if isinstance(x, _Array)):
        return found
    return C.eval_all(found) if any(y.is_promise for y in found) else found


# ---- vmap ----


def _axes_of(name, in_axes, args):
    """Return an axis or None for each leaf of the arguments."""
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ValueError(f"{name}: in_axes has {len(in_axes)} entries for {len(args)} arguments")
    axes = tree.spread(in_axes, args, f"{name}: in_axes")
    for axis in axes:
        if axis is not None and not isinstance(axis, int):
            raise TypeError(
                f"{name}: in_axes must have integers and None, not {type(axis).__name__}"
            )
    return axes


def vmap(fun, in_axes=0, out_axes=0):
    """Return a function that applies fun to each example of a batch at once.

    in_axes: axis of the examples in each argument, None: the argument has none; an integer for all,
    or a tuple, whose entries are prefixes of the trees of the arguments.  Keywords have axis 0.
    out_axes: axis of the examples in the result, an integer, None, or a prefix of the result's
    tree. fun is called once, on promises of one example.
    """

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        if not args and not keywords:
            raise ValueError("vmap: the function needs an argument with an axis of examples")
        leaves, form = tree.flatten((args, keywords))
        axes = _axes_of("vmap", in_axes, args) + [0] * tree.structure(keywords).count
        if all(axis is None for axis in axes):
            raise ValueError(
                "vmap: in_axes is None everywhere, so the number of examples is unknown"
            )
        body = Body(lambda both: fun(*both[0], **both[1]), form)

        def call_one(leaves):
            found = body(leaves)
            filled = tree.unflatten(body.out, found)
            return found, tree.spread(out_axes, filled, "vmap: out_axes")

        return body.run(
            lambda count: settled(_core._transform_vmap(call_one, leaves, axes, count), leaves))

    return wrapped


# ---- eval_shape ----


class ShapeDtype:
    """Shape and dtype of an array without elements."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype):
        """Take a tuple of sizes and a dtype or its name."""
        self.shape = tuple(shape)
        self.dtype = C.zeros(dtype, ()).dtype

    @property
    def ndim(self):
        """Return the number of axes."""
        return len(self.shape)

    def __eq__(self, other):
        """Compare shape and dtype."""
        return isinstance(other, ShapeDtype) and (self.shape, self.dtype) == (
            other.shape,
            other.dtype,
        )

    def __hash__(self):
        """Hash shape and dtype."""
        return hash((self.shape, str(self.dtype)))

    def __repr__(self):
        """Show shape and dtype."""
        return f"ShapeDtype(shape={self.shape}, dtype={self.dtype})"


class _Known(Exception):
    """Ends the recording whose result's shapes are known."""


def eval_shape(fun, *args, **keywords):
    """Return the tree of shapes and dtypes of fun's result, without computing it.

    Arguments: trees of arrays, numbers, or objects with a shape and a dtype, such as ShapeDtype.
    """
    leaves, form = tree.flatten((args, keywords))
    places = [
        i for i, leaf in enumerate(leaves) if hasattr(leaf, "shape") and hasattr(leaf, "dtype")
    ]
    # one example of a batch: a promise that cannot be evaluated
    examples = [C.broadcast(C.zeros(leaves[i].dtype, ()), (1, *leaves[i].shape)) for i in places]
    examples.append(C.zeros("bool", (1,)))
    found = []

    def record(promises):
        filled = list(leaves)
        for place, promise in zip(places, promises):
            filled[place] = promise
        both = tree.unflatten(form, filled)
        found.append(tree.map(as_array, fun(*both[0], **both[1])))
        raise _Known

    try:
        _core._transform_vmap(record, examples, [0] * len(examples), 1)
    except _Known:
        pass
    return tree.map(lambda y: ShapeDtype(y.shape, y.dtype), found[0])
