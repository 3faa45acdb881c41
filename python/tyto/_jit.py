"""Functions of trees that are compiled when they are called."""

import functools
import inspect
import threading

from tyto import _core, tree
from tyto._transform import Body, OtherCount, as_array

__all__ = ["jit"]

_Array = _core.Array
_LEAVES = (_Array, float, int, bool)


def _numbers(name, value, count=None):
    """Return a tuple of integers from one, several or None; negative ones count from the end."""
    numbers = () if value is None else (value,) if isinstance(value, int) else tuple(value)
    for number in numbers:
        if not isinstance(number, int):
            raise TypeError(f"jit: {name} must be integers, not {number!r}")
    return numbers if count is None else tuple(n % count for n in numbers if -count <= n < count)


def _names(value):
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


class _Statics:
    """Static arguments of a call, as a key: equal values of other classes are other keys."""

    __slots__ = ("values", "kinds", "hash")

    def __init__(self, values):
        self.values = values
        self.kinds = tuple([type(value) for _, value in values])
        try:
            self.hash = hash(values)
        except TypeError as error:
            raise TypeError(f"jit: static arguments must be hashable: {error}") from None

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        return self.kinds == other.kinds and self.values == other.values


def _forms(leaves):
    """Return a key of shapes and dtypes."""
    return tuple(
        [(leaf.shape, leaf.dtype) if isinstance(leaf, _Array) else type(leaf) for leaf in leaves]
    )


class _Compiled:
    """The library's function for one structure of arguments and one number of results."""

    def __init__(self, fun, form, count):
        self.fun = fun
        self.form = form
        self.count = count
        self.out = None  # structure of the last recorded result
        self.outs = {}  # structure for each form of the arguments
        self.several = False  # they differ
        self.constants = set()  # numbers of results that depend on no argument
        self.others = {}  # functions for forms with another number of results
        self.function = _core._transform_function(self.record, form.count, count)

    def record(self, leaves):
        """Call the function, for the library: its results as a list."""
        body = Body(self.fun, self.form, self.count)
        found = body(leaves)
        self.constants.update([i for i, leaf in enumerate(found) if not leaf.is_promise])
        self.outs[_forms(leaves)] = body.out
        self.several = self.several or (self.out is not None and self.out != body.out)
        self.out = body.out
        return found

    def call(self, leaves, gifts):
        """Return the result's tree for the leaves of the arguments."""
        other = self.others.get(_forms(leaves)) if self.others else None
        if other is not None:
            return other.call(leaves, gifts)
        try:
            found = _core._transform_call(self.function, leaves, gifts)
        except OtherCount as error:
            count = error.count
        else:
            out = (
                self.outs[_forms([_core.asarray(leaf) for leaf in leaves])]
                if self.several
                else self.out
            )
            if self.constants:  # the program keeps these; an assignment must not reach it
                found = [
                    leaf.__copy__() if i in self.constants else leaf for i, leaf in enumerate(found)
                ]
            return tree.unflatten(out, found)
        same = [other for other in self.others.values() if other.count == count]
        other = same[0] if same else _Compiled(self.fun, self.form, count)
        self.others[_forms(leaves)] = other
        return other.call(leaves, gifts)


class _Jit:
    """State of a compiled function: the library's functions by structures and static arguments."""

    def __init__(self, fun, static_argnums, static_argnames, donate_argnums):
        self.fun = fun
        self.static = _numbers("static_argnums", static_argnums)
        self.static_names = _names(static_argnames)
        self.donate = _numbers("donate_argnums", donate_argnums)
        self.simple = not (self.static or self.static_names or self.donate)
        self.cache = {}
        self.count = 1  # results of the last structure, a guess for the next one
        self.lock = threading.Lock()
        if self.static or self.static_names:
            self._complete_names()

    def _complete_names(self):
        """Let static arguments be passed by place or by name."""
        try:
            known = list(inspect.signature(self.fun).parameters)
        except (TypeError, ValueError):
            return
        by_place = [known[n] for n in self.static if -len(known) <= n < len(known)]
        by_name = [known.index(name) for name in self.static_names if name in known]
        self.static_names = tuple(dict.fromkeys([*self.static_names, *by_place]))
        self.static = tuple(dict.fromkeys([*self.static, *by_name]))

    def split(self, args, keywords):
        """Return the static arguments as (place or name, value), and the others."""
        places = set(_numbers("static_argnums", self.static, len(args))) if args else ()
        statics = [(i, args[i]) for i in sorted(places)]
        statics += [(name, keywords[name]) for name in self.static_names if name in keywords]
        rest = [None if i in places else arg for i, arg in enumerate(args)]
        named = {name: value for name, value in keywords.items() if name not in self.static_names}
        return statics, rest, named

    def bound(self, statics):
        """Return the function of (arguments, keywords) with the static arguments put in."""
        fun = self.fun
        if not statics:
            return lambda both: fun(*both[0], **both[1])

        def put(both):
            args, keywords = list(both[0]), dict(both[1])
            for place, value in statics:
                if isinstance(place, int):
                    args[place] = value
                else:
                    keywords[place] = value
            return fun(*args, **keywords)

        return put

    def gifts(self, args):
        """Return the numbers of the leaves that are given away."""
        donated = set(_numbers("donate_argnums", self.donate, len(args))) if args else ()
        numbers, start = [], 0
        for i, arg in enumerate(args):
            leaves = tree.leaves(arg)
            numbers += [
                start + k
                for k, leaf in enumerate(leaves)
                if i in donated and isinstance(leaf, _Array)
            ]
            start += len(leaves)
        return tuple(numbers)

    def find(self, key, args, keywords, statics=()):
        """Return the compiled function of a key, made for these arguments if there is none."""
        with self.lock:
            compiled = self.cache.get(key)
            if compiled is None:
                form = tree.structure((tuple(args), keywords))
                compiled = _Compiled(self.bound(statics), form, self.count)
                self.cache[key] = compiled
        return compiled

    def call(self, args, keywords):
        """Return the result of the function for these arguments."""
        if _core._transform_recording():  # the function becomes a part of what is recorded
            return tree.map(as_array, self.fun(*args, **keywords))
        if self.simple and not keywords:
            for arg in args:
                if type(arg) not in _LEAVES:
                    break
            else:  # arrays and numbers alone: their number is the structure
                key = len(args)
                return (self.cache.get(key) or self.find(key, args, {})).call(args, ())
        statics = ()
        if self.static or self.static_names:
            statics, args, keywords = self.split(args, keywords)
        leaves, form = tree.flatten((tuple(args), keywords))
        key = (form, _Statics(tuple(statics))) if statics else form
        compiled = self.cache.get(key) or self.find(key, args, keywords, statics)
        try:
            result = compiled.call(leaves, self.gifts(args) if self.donate else ())
        except TypeError as error:
            self.explain(leaves, error)
            raise
        if compiled.others:
            self.count = next(reversed(compiled.others.values())).count
        return result

    @staticmethod
    def explain(leaves, error):
        """Raise a TypeError with the fix if an argument is no array."""
        for leaf in leaves:
            try:
                _core.asarray(leaf)
            except (TypeError, ValueError):
                raise TypeError(
                    f"jit: an argument is {type(leaf).__name__}; expected arrays and numbers, in "
                    f"dicts, lists and tuples; name others in static_argnums or static_argnames"
                ) from error

    def programs(self):
        """Return the number of programs that were compiled so far."""
        every = [
            c
            for first in self.cache.values()
            for c in {id(o): o for o in [first, *first.others.values()]}.values()
        ]
        return sum(_core._transform_programs(compiled.function) for compiled in every)


def jit(fun=None, *, static_argnums=None, static_argnames=None, donate_argnums=None):
    """Return a function that computes fun by a compiled program; also a decorator.

    A program is compiled for each structure, shape and dtype of the arguments, and for each value
    of the static ones.
    fun is then called once, on promises: it cannot read elements, and its side effects happen once.
    Other arrays that it uses are read at that time.  Under grad, vmap or another jit, fun
    is called each time, and becomes part of that.

    static_argnums, static_argnames: arguments that are passed as they are; they must be hashable.
    donate_argnums: arguments whose memory results may take; these arrays cannot be used afterwards.
    The function's attribute programs() tells how many programs were compiled.
    """
    if fun is None:
        return functools.partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
        )
    if not callable(fun):
        raise TypeError(f"jit: expected a function, not {type(fun).__name__}")
    state = _Jit(fun, static_argnums, static_argnames, donate_argnums)

    @functools.wraps(fun)
    def wrapped(*args, **keywords):
        return state.call(args, keywords)

    wrapped.programs = state.programs
    return wrapped
