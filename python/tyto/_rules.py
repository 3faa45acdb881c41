"""Functions with derivatives of their own, and functions that are computed again for a gradient."""

import functools
import inspect

from tyto import _core, tree
from tyto._transform import as_array, is_smooth

__all__ = ["checkpoint", "custom_jvp", "custom_vjp", "remat"]

C = _core.c
_Array = _core.Array


class _Packing:
    """Several arrays as one, since a rule of the library has one result.

    Floating arrays are joined as vectors of a dtype that holds all of them exactly; others have no
    gradient, and are kept apart.
    """

    def __init__(self, arrays):
        """Take the arrays of a first call."""
        self.kinds = [(x.dtype, x.shape, x.size) for x in arrays]
        self.smooth = [is_smooth(x) for x in arrays]
        self.apart = [None if smooth else x for x, smooth in zip(arrays, self.smooth)]
        self.single = self.smooth == [True]
        self.dtype = None
        for x in arrays:
            if is_smooth(x):
                self.dtype = x.dtype if self.dtype is None else C.promote(self.dtype, x.dtype)

    def pack(self, arrays):
        """Return the joined floating arrays."""
        if self.single:
            return arrays[0]
        parts = [C.cast(C.ravel(x), self.dtype) for x, smooth in zip(arrays, self.smooth) if smooth]
        return C.concat(parts, 0)

    def unpack(self, packed, others=None):
        """Return all arrays; others(dtype, shape) makes those without a gradient."""
        if self.single:
            return [packed]
        arrays, start = [], 0
        for (dtype, shape, size), smooth, apart in zip(self.kinds, self.smooth, self.apart):
            if smooth:
                part = C.reshape(C.slice(packed, 0, start, start + size, 1), shape)
                arrays.append(C.cast(part, dtype))
                start += size
            else:
                arrays.append(others(dtype, shape) if others else C.detach(apart))
        return arrays


class _Call:
    """One call of a function of trees through a rule."""

    def __init__(self, fun, args):
        """Take a function of positional arguments, and the arguments' tree."""
        self.fun = fun
        self.leaves, self.form = tree.flatten(args)
        self.packing = None
        self.out = None

    def value(self, leaves):
        """Call the function on the leaves of the arguments, for the library: its results packed."""
        found, out = tree.flatten(self.fun(*tree.unflatten(self.form, leaves)))
        arrays = [as_array(leaf) for leaf in found]
        if self.packing is None:
            self.out, self.packing = out, _Packing(arrays)
        elif out != self.out:
            raise TypeError(
                f"the function returned {out!r}, and at first {self.out!r}; expected one structure"
            )
        if self.packing.dtype is None:
            raise _NoGradient(arrays)
        return [self.packing.pack(arrays)]

    def run(self, apply):
        """Return the tree of the results of apply(function, operands), which calls the library."""
        try:
            packed = apply(self.value, self.leaves)
        except _NoGradient as none:
            return tree.unflatten(self.out, none.arrays)
        return tree.unflatten(self.out, self.packing.unpack(packed))

    def flows(self, packed):
        """Return the tree of gradients of the results; zeros for those without a gradient."""
        return tree.unflatten(self.out, self.packing.unpack(packed, C.zeros))


class _NoGradient(Exception):
    """Ends a rule whose function returns no floating array."""

    def __init__(self, arrays):
        super().__init__()
        self.arrays = arrays


def _fitted(name, made, x):
    """Return a gradient or tangent in the dtype and shape of its array."""
    made = as_array(made)
    if made.shape != x.shape:
        raise ValueError(
            f"{name}: the rule returned the shape {made.shape} for an array of shape {x.shape}"
        )
    return made if made.dtype == x.dtype else C.cast(made, x.dtype)


class _Rule:
    """A function with a rule: what custom_vjp and custom_jvp share."""

    def __init__(self, fun, nondiff_argnums=()):
        functools.update_wrapper(self, fun)
        self.fun = fun
        numbers = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        self.fixed = tuple(sorted(numbers))
        self.ready = False

    def __get__(self, instance, owner=None):
        """Bind a method."""
        return self if instance is None else functools.partial(self, instance)

    def places(self, args, keywords):
        """Return positional arguments alone, as rules take no keywords."""
        if not keywords:
            return args
        bound = inspect.signature(self.fun).bind(*args, **keywords)
        bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(
                f"{self.__name__}: a rule takes no arguments that can only be passed by name"
            )
        return bound.args

    def start(self, args, keywords):
        """Return the arguments that are passed as they are, and the call for the others."""
        if not self.ready:
            raise AttributeError(
                f"{self.__name__} has no rule yet; call def{type(self).__name__[7:]}"
            )
        args = self.places(args, keywords)
        fixed = [args[i] for i in self.fixed]
        rest = tuple(arg for i, arg in enumerate(args) if i not in self.fixed)
        return fixed, _Call(lambda *some: self.fun(*self.whole(fixed, some)), rest)

    def whole(self, fixed, rest):
        """Return all arguments in order."""
        args, rest = [], list(rest)
        total = len(fixed) + len(rest)
        for i in range(total):
            args.append(fixed[self.fixed.index(i)] if i in self.fixed else rest.pop(0))
        return args


class custom_vjp(_Rule):
    """A function with a rule for gradients, in reverse mode.

        @tyto.custom_vjp
        def f(x, y): ...
        f.defvjp(forward, backward)

    forward(x, y) returns (f(x, y), residuals); backward(residuals, gradient) returns a tuple with
    the gradient of each argument, None for zeros.  For a gradient forward is called again, so that
    gradients of gradients are right.
    nondiff_argnums: arguments that are passed as they are, and come first in backward.
    """

    def defvjp(self, fwd, bwd):
        """Set the rule, and return it."""
        self.forward, self.backward = fwd, bwd
        self.ready = True
        return fwd, bwd

    def __call__(self, *args, **keywords):
        """Compute the function."""
        fixed, call = self.start(args, keywords)

        def vjp(x, y, g):
            del y
            rest = tree.unflatten(call.form, x)
            pair = self.forward(*self.whole(fixed, rest))
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"{self.__name__}: forward must return a pair (result, residuals)")
            return self.gradients(call, x, self.backward(*fixed, pair[1], call.flows(g)))

        return call.run(lambda f, leaves: _core._transform_apply(f, vjp, None, leaves))

    def gradients(self, call, x, made):
        """Return the rule's gradients as a list for the operands x."""
        name = self.__name__
        if not isinstance(made, (tuple, list)) or len(made) != len(call.form.children):
            raise TypeError(
                f"{name}: backward must return a tuple of {len(call.form.children)} gradients, not "
                f"{made!r}"
            )
        found = []
        for part, gradient in zip(call.form.children, made):
            if gradient is None:
                found += [None] * part.count
            else:
                found += tree.leaves_like(part, gradient, f"{name}: a gradient")
        return [
            None if g is None or not is_smooth(a) else _fitted(name, g, a)
            for g, a in zip(found, x)
        ]


class custom_jvp(_Rule):
    """A function with a rule for tangents, in forward mode; gradients are computed from it.

        @tyto.custom_jvp
        def f(x, y): ...

        @f.defjvp
        def rule(primals, tangents): ...

    The rule returns (f(*primals), tangent), and must be linear in the tangents.
    nondiff_argnums: arguments that are passed as they are, and come first in the rule.
    """

    def defjvp(self, jvp):
        """Set the rule, and return it; also a decorator."""
        self.rule = jvp
        self.ready = True
        return jvp

    def defjvps(self, *jvps):
        """Set a rule for each argument: jvp(tangent, result, *primals), or None for zero."""

        def rule(primals, tangents):
            y = self(*primals)
            parts = [jvp(t, y, *primals) for jvp, t in zip(jvps, tangents) if jvp is not None]
            total = parts[0]
            for part in parts[1:]:
                total = tree.map(C.add, total, part)
            return y, total

        self.defjvp(rule)

    def __call__(self, *args, **keywords):
        """Compute the function."""
        fixed, call = self.start(args, keywords)

        def jvp(x, y, t):
            del y
            moves = [C.zeros(a.dtype, a.shape) if m is None else m for m, a in zip(t, x)]
            pair = self.rule(*fixed, tree.unflatten(call.form, x), tree.unflatten(call.form, moves))
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"{self.__name__}: the rule must return a pair (result, tangent)")
            likes = tree.leaves(pair[0])
            moved = tree.leaves_like(call.out, pair[1], f"{self.__name__}: the tangent")
            return call.packing.pack(
                [_fitted(self.__name__, m, as_array(y)) for m, y in zip(moved, likes)]
            )

        return call.run(lambda f, leaves: _core._transform_apply(f, None, jvp, leaves))


def checkpoint(fun):
    """Return a function that computes fun, and for its gradient calls fun again.

    No values are kept for the gradient in between.

    Gradients also flow to other arrays that fun uses.  fun must compute the same each time.
    """

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        call = _Call(lambda args, keywords: fun(*args, **keywords), (args, keywords))
        return call.run(lambda f, leaves: C.checkpoint(lambda *x: f(list(x))[0], leaves))

    return wrapped


remat = checkpoint
