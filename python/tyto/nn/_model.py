"""Models: functions of layers with parameters and states."""

import functools
import os
import threading
import weakref

from tyto import _core, random, tree
from tyto._base import fresh
from tyto._differentiate import _depth
from tyto._core import c
from tyto._elsewhere import MODELS
from tyto._hints import absent
from tyto._variables import present, replaced
from tyto.nn import _layers

__all__ = ["Model", "Sequential", "read", "value_and_grad"]

_Array = _core.Array


class Model:
    """A model: a function of layers, their parameters and states.

        def net(at, x):
            h = at.linear(x, 128, activation="relu")
            return at.linear(h, 10, name="out")
        model = nn.Model(net, seed=1)

    The function gets a position (nn.Place) and the arrays of a call, and returns an array or
    several (results=2).  A subclass may define forward(self, at, x) instead.  Layers are made in
    the first call, or by build, and keep their names; later calls use the same parameters.
    """

    def __init__(self, forward=None, *, seed=0, lazy=True, dtype=None, compute=None, inputs=1,
                 results=1):
        """Make a model without parameters.

        seed: of initial values.  lazy: calls are recorded and compiled; otherwise each layer
        computes at once, so that forward may read elements.  dtype: of parameters (float32);
        compute: in which layers compute, such as "bfloat16".  inputs, results: numbers of arrays
        of a call.
        """
        self._start(functools.partial(_made, forward, seed=seed, lazy=lazy, dtype=dtype,
                                      compute=compute, inputs=inputs, results=results))

    def _start(self, source, handle=None):
        """Begin without parameters.  source(model, operands) returns a handle; None: unknown."""
        self._source, self._operands, self._folded = source, [], False
        self._mode, self._lock = None, threading.RLock()
        self.handle = handle or source(self, self._operands)
        self._at_once = self.handle.parameters() > 0  # the source makes them without operands

    @classmethod
    def of(cls, handle, source=None):
        """Return the model of a handle of tyto.c.

        source: a function without arguments that makes such a handle again, for pickle.
        """
        self = object.__new__(Model)
        self._start(source and functools.partial(_again, source), handle)
        return self

    # ---- pickle ----

    def __getstate__(self):
        """Return what makes the model again: its source, operands, values, and attributes."""
        with self._lock:
            values = self.variables()
            if self._source is None or self._folded or (
                    values and not self._operands and not self._at_once):
                raise TypeError(f"this model cannot be pickled or copied, {_reason(self)}; write "
                                "model.save(path), and load(path) of one that was made alike")
            names = [c.name(self.handle.parameter(i)) for i in range(self.handle.parameters())]
            frozen = {name: self.handle.is_frozen(i) for i, name in enumerate(names)}
            own = {name: value for name, value in self.__dict__.items() if name not in _KEPT}
            return self._source, list(self._operands), values, frozen, self._mode, own

    def __setstate__(self, state):
        source, operands, values, frozen, mode, own = state
        self.__dict__.update(own)
        self._start(source)
        self._mode = mode
        if operands:
            self.build(*(c.lazy(c.broadcast(c.zeros(dtype, ()), shape))
                         for dtype, shape in operands))
        if values:
            self.assign({name: fresh(value) for name, value in values.items()})
        for name in sorted(frozen):  # a name that begins with another one comes later
            self._freeze(name, frozen[name])

    # ---- calls ----

    def build(self, *x):
        """Make the parameters for operands like x: arrays, or shapes of arrays; return the model.

        A tuple of integers is the shape of an array of float32.
        """
        x = [_example(one) for one in x]
        self.handle.build(x)
        self._operands[:] = _described(x)
        return self

    def __getattr__(self, name):
        raise absent(self, name, MODELS)

    def __call__(self, *x, key=None):
        """Compute the results.  Threads take turns.

        key: random numbers of a training step, or a seed; without one, and without train(), it is
        inference: dropout does nothing, and norms use their running statistics.
        """
        x = [one if isinstance(one, _Array) else _core.asarray(one) for one in x]
        with self._lock:
            found = self._call(x, key)
        return found[0] if len(found) == 1 else tuple(found)

    def _call(self, x, key):
        """Return the list of results."""
        plain = not any(one.is_promise for one in x)
        key = random.key(key) if isinstance(key, int) else key
        steps = self._mode is not None and key is None
        if steps and not plain:
            raise RuntimeError(
                "model: train() draws other numbers in each call, but a function that is "
                "recorded (jit, vmap, scan, ...) runs once; use apply(parameters, x, key=key, "
                "states=states)")
        if steps:
            key = random.fold_in(self._mode[0], self._mode[1])
            self._mode = (self._mode[0], self._mode[1] + 1)
        if key is None and plain and _depth.count == 0 and self.handle.is_lazy():
            found = self.handle.predict(x)
        else:
            found = self._computed(self.handle.call(key, x), {}, plain)
        if steps and plain:
            self.handle.commit()
        return found

    def apply(self, variables, *x, key=None, states=None):
        """Compute the results with other values of parameters: a pure function of its arguments.

        variables: dict of arrays by name, such as parameters() or a part of it; names that it
        lacks have the model's values, and others are cast to the dtypes of the parameters.  So
        tyto.grad, vmap and jit work on it.  states: dict of states; then the result is (results,
        the states after the call).
        """
        x = [one if isinstance(one, _Array) else _core.asarray(one) for one in x]
        key = random.key(key) if isinstance(key, int) else key
        both = (*_by_name("apply", variables).items(), *_by_name("apply", states or {}).items())
        given = {name: one if isinstance(one, _Array) else _core.asarray(one)
                 for name, one in both}
        plain = not any(one.is_promise for one in (*x, *given.values()))
        with self._lock:
            outputs = self.handle.call(key, x)
            n, updates = len(outputs), []
            if states is not None:
                updates = self.handle.updates(self.handle.states())[1]
            outputs = self._computed([*outputs, *(u.value for u in updates)], given, plain)
        result = outputs[0] if n == 1 else tuple(outputs[:n])
        if states is None:
            return result
        changed = {c.name(u.variable): y for u, y in zip(updates, outputs[n:])}
        return result, dict(states, **changed)

    def _computed(self, outputs, given, plain):
        """Return outputs of a call, computed with given values of variables.

        plain: as values, whose history has the present values of the other variables.
        """
        if not self.handle.is_lazy():
            if given:
                raise TypeError("apply: the model is eager; make it with lazy=True")
            return outputs
        known = {c.name(x): x for x in self._all()}
        pairs = [(known[name] if name in known else self.handle.find(name), value)
                 for name, value in given.items()]
        for x, value in pairs:
            if tuple(value.shape) != x.shape:
                raise ValueError(
                    f"apply: {c.name(x)} has the shape {x.shape}, not {tuple(value.shape)}")
        pairs = [(x, value if value.dtype == x.dtype else c.cast(value, x.dtype))
                 for x, value in pairs]
        if plain:
            pairs += present(x for name, x in known.items() if name not in given)
        outputs = replaced(outputs, pairs)
        return c.eval_all(outputs) if plain else outputs

    def _all(self):
        """Return all parameters and states as the model has them."""
        handle = self.handle
        return [handle.parameter(i) for i in range(handle.parameters())] + [
            handle.state(i) for i in range(handle.states())]

    # ---- modes ----

    def train(self, seed=0):
        """Let calls without a key train: with random numbers of a seed, and states that change."""
        self._mode = (random.key(seed), 0)
        return self

    def eval(self):
        """Let calls without a key be inference again."""
        self._mode = None
        return self

    @property
    def training(self):
        """True between train() and eval()."""
        return self._mode is not None

    # ---- variables ----

    def parameters(self, trainable=None):
        """Return the values of parameters, a dict by name; trainable: True: not frozen ones."""
        found = {}
        for i in range(self.handle.parameters()):
            x = self.handle.parameter(i)
            if trainable is None or trainable != self.handle.is_frozen(i):
                found[c.name(x)] = c.detach(c.eval(x))
        return found

    def states(self):
        """Return the values of states, such as running means, a dict by name."""
        variables = [self.handle.state(i) for i in range(self.handle.states())]
        return {c.name(x): c.detach(c.eval(x)) for x in variables}

    def variables(self):
        """Return the values of parameters and states, a dict by name."""
        return {**self.parameters(), **self.states()}

    def assign(self, values):
        """Give parameters and states new values: a dict by name; all change, or none."""
        variables = [self.handle.find(name) for name in _by_name("assign", values)]
        new = [value if isinstance(value, _Array) else _core.asarray(value)
               for value in values.values()]
        new = [y if y.dtype == x.dtype else c.cast(y, x.dtype) for x, y in zip(variables, new)]
        if variables:
            c.assign_all(variables, new)
        return self

    def freeze(self, prefix=None):
        """Exclude the parameters whose names begin with prefix (None: all) from training."""
        return self._freeze(prefix, True)

    def unfreeze(self, prefix=None):
        """Include the parameters whose names begin with prefix (None: all) in training."""
        return self._freeze(prefix, False)

    def _freeze(self, prefix, frozen):
        if not self.handle.freeze(prefix, frozen):
            raise ValueError(f"no parameter's name begins with {prefix!r}")
        return self

    # ---- files and texts ----

    def save(self, path, *, layout=None, rename=None):
        """Write parameters and states to a file: safetensors, npz, ...

        layout="pytorch" or "keras": names of parameters and order of axes.  rename: pairs of the
        beginnings of names in the model and in the file.
        """
        self.handle.save(path, layout=layout, rename=_renaming(rename))

    def load(self, path, *, layout=None, rename=None, skip_missing=None, skip_extra=None,
             cast=None):
        """Read parameters and states from a file; the model must be built. Returns the model."""
        self.handle.load(path, layout=layout, rename=_renaming(rename), cast=cast,
                         skip_missing=skip_missing, skip_extra=skip_extra)
        return self

    def export_c(self, path, *examples, name="predict", **options):
        """Write inference as a C file and a header, which need nothing of the library.

        examples: operands, or shapes, of the sizes that the C function takes.  name: of the
        function, behind the name of the file.  Options are those of ty_export_options
        (docs/export.md).  Returns facts about the file.
        """
        examples = [_example(x) for x in examples]
        names = ["x"] if len(examples) == 1 else [f"x{i}" for i in range(len(examples))]
        inputs = [c.var(c.zeros(x.dtype, x.shape), n) for x, n in zip(examples, names)]
        outputs = self.handle.call(None, inputs)
        function = {"name": name, "inputs": inputs, "outputs": outputs}
        return c.export_c(os.fspath(path), [function], **options)

    def fold(self, *examples):
        """Fold norms into the layers before them, for inference alone; return their number.

        examples: operands, or shapes.  Calls are faster; training and loading are refused later.
        """
        n = self.handle.fold([_example(x) for x in examples])
        self._folded = self._folded or n > 0
        return n

    def summary(self):
        """Return a table of the layers as last called."""
        return self.handle.summary()

    def __repr__(self):
        """Show the number of parameters."""
        n = sum(x.size for x in self.parameters().values())
        made = f"{n} parameters" if n else "no parameters yet: call it, or build(...)"
        return f"nn.{type(self).__name__}({made})"

    # ---- training ----

    def fit(self, inputs, targets=None, *, epochs=1, progress=False, **options):
        """Train, and return the history, a list with an entry for each epoch.

        Options are those of nn.Trainer and of its fit; a new trainer is made each time.
        """
        from tyto.nn import _trainer

        return _trainer.fit(self, inputs, targets, epochs, progress, options)

    def predict(self, *x, batch=None):
        """Compute the results of inference, in batches of `batch` examples if that is given."""
        if batch is None or x[0].shape[0] <= batch:
            return self(*x)
        parts = [self(*(one[i:i + batch] for one in x)) for i in range(0, x[0].shape[0], batch)]
        return tree.map(lambda *rows: c.concat(list(rows), 0), *parts)


class Sequential(Model):
    """A model of layers one behind the other; functions of one array count as layers.

        nn.Sequential(nn.conv2d(3, 16), tyto.abs, nn.flatten(), nn.linear(10), seed=1)
    """

    def __init__(self, *layers, **options):
        """Take layers and the options of nn.Model."""
        steps = _layers.Sequence(*layers)
        self.layers = steps.layers
        super().__init__(steps, **options)


_KEPT = {"handle", "_lock", "_source", "_operands", "_folded", "_at_once", "_mode"}  # not its own


def _reason(model):
    """Return why a model cannot be made again."""
    if model._source is None:
        return "since it belongs to a handle of tyto.c"
    if model._folded:
        return "since its norms are folded into layers: pickle it before fold"
    return "since its operands are unknown: call build"


def _described(x):
    """Return the dtypes and shapes of arrays."""
    return [(str(one.dtype), tuple(one.shape)) for one in x]


def _made(forward, model, operands, **options):
    """Return a handle that calls a function, or model.forward, and notes its last operands."""
    function = forward or _forward_of(model)

    def call(handle, *x):
        found = function(_layers.Place(handle), *x)
        operands[:] = _described(x)
        return found

    return c.model_new(call, **options)


def _again(make, model, operands):
    """Return the handle of a function without arguments."""
    return make()


def _forward_of(model):
    """Return model.forward without a reference that would keep the model alive."""
    if type(model) is Model or not hasattr(type(model), "forward"):
        raise TypeError("a model needs a function of layers, or a class with forward(self, at, x)")
    method = weakref.WeakMethod(model.forward)
    return lambda *x: method()(*x)


def _by_name(function, values):
    """Return a dict of values by name; raise TypeError for other objects."""
    if not hasattr(values, "items"):
        raise TypeError(
            f"{function}: values must be a dict by the names of parameters and states, not "
            f"{type(values).__name__}")
    return values


def _example(x):
    """Return an array like x: an array, an object with a shape and a dtype, or a shape."""
    if isinstance(x, _Array):
        return x
    if isinstance(x, (tuple, list)) and all(hasattr(n, "__index__") for n in x):
        return c.lazy(c.broadcast(c.zeros("float32", ()), tuple(x)))
    if hasattr(x, "shape") and hasattr(x, "dtype") and not hasattr(x, "__array__"):
        return c.lazy(c.broadcast(c.zeros(x.dtype, ()), tuple(x.shape)))
    return _core.asarray(x)


def _renaming(pairs):
    """Return pairs, or a dict, as the structs of the library."""
    if pairs is None:
        return None
    pairs = pairs.items() if isinstance(pairs, dict) else pairs
    return [{"model": model, "file": file} for model, file in pairs]


def read(source, **options):
    """Make a model from a description (docs/networks.md): a path, or a dict.

    Options are those of nn.Model.  Parameters are made at once.
    """
    options.setdefault("lazy", True)
    if isinstance(source, dict):
        import json

        make = functools.partial(c.model_parse, json.dumps(source).encode(), **options)
        return Model.of(make(), make)
    handle = c.model_read(source, **options)
    with open(source, "rb") as file:
        return Model.of(handle, functools.partial(c.model_parse, file.read(), **options))


def value_and_grad(model, loss, *, trainable=True):
    """Return a function that computes loss(call, ...) and its gradients by the parameters.

    loss gets a function in place of the model, which it calls; gradients are a dict by name.
    trainable: leave out frozen parameters.  The model may be eager, too.
    """
    from tyto._differentiate import value_and_grad as of

    def eager(*args, **keywords):
        handle = model.handle
        chosen = [handle.parameter(i) for i in range(handle.parameters())
                  if not (trainable and handle.is_frozen(i))]
        y = loss(lambda *x, key=None: model(*x, key=key), *args, **keywords)
        before = c.allow_unused(True)
        try:
            found = c.grad(y, chosen)
        finally:
            c.allow_unused(before)
        return c.detach(y), {c.name(x): c.detach(g) for x, g in zip(chosen, found)}

    def both(*args, **keywords):
        if not model.handle.is_lazy():
            return eager(*args, **keywords)

        def function(parameters):
            return loss(lambda *x, key=None: model.apply(parameters, *x, key=key),
                        *args, **keywords)

        parameters = model.parameters(True if trainable else None)
        value, found = of(function, allow_unused=True)(parameters)
        return value, {name: found[name] for name in parameters}

    return both
