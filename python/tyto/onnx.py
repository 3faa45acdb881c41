"""Models of ONNX.

    model = onnx.load("model.onnx")
    model.run({"x": x})["y"]
"""

import difflib
import os
from typing import Any, NamedTuple

from tyto import _core
from tyto._base import attributes_of, fresh
from tyto._core import c
from tyto._differentiate import _depth
from tyto._elsewhere import MODELS_OF_ONNX
from tyto._hints import absent
from tyto._variables import present, replaced

__all__ = ["Model", "Port", "load"]


class Port(NamedTuple):
    """An input or output: name, dtype (None: no tensor, or none is declared) and shape.

    Sizes are integers, names of sizes that the model leaves open, or None; shape None: any.
    """

    name: str
    dtype: Any
    shape: Any
    kind: str


def _port(described):
    _, found = described
    if found.shape is None:
        return Port(found.name, found.dtype, None, found.kind)
    symbols = found.symbols or [""] * len(found.shape)
    shape = tuple(n if n >= 0 else symbol or None for n, symbol in zip(found.shape, symbols))
    return Port(found.name, found.dtype, shape, found.kind)


class Model:
    """A model of ONNX.  Runs compile it for the shapes of the inputs."""

    def __init__(self, source, eager=False):
        """Take a path, or the bytes of a model.  eager: compute each node at once."""
        self._bytes, self._eager, self._assigned = None, eager, set()
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._bytes = bytes(source)  # the model reads them later
            self.handle = c.onnx_parse(self._bytes, eager=eager)
        else:
            self.handle = c.onnx_load(os.fspath(source), eager=eager)
        self.inputs = tuple(_port(c.onnx_input(self.handle, i))
                            for i in range(self.handle.inputs()))
        self.outputs = tuple(_port(c.onnx_output(self.handle, i))
                             for i in range(self.handle.outputs()))

    def __reduce__(self):
        if self._bytes is None:
            raise TypeError("a model of a path cannot be pickled or copied, since its parts may "
                            "lie in further files; load it from bytes: "
                            "onnx.load(open(path, 'rb').read())")
        values = {name: x for name, x in self.values().items() if name in self._assigned}
        return _restored, (self._bytes, self._eager, values)

    def _given(self, args, named):
        """Return the inputs in order: of a dict, or by position and by name."""
        if len(args) == 1 and isinstance(args[0], dict):
            args, named = (), {**args[0], **named}
        names = [port.name for port in self.inputs]
        if len(args) > len(names):
            raise TypeError(f"the model takes {len(names)} inputs, not {len(args)}")
        given = dict(zip(names, args))
        for name, x in named.items():
            if name not in names:
                raise TypeError(f"there is no input {name!r}; there are {', '.join(names)}")
            if name in given:
                raise TypeError(f"the input {name!r} is given twice")
            given[name] = x
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"missing input {missing[0]!r}; the model takes {', '.join(names)}")
        return [self._input(port, given[port.name]) for port in self.inputs]

    @staticmethod
    def _input(port, x):
        """Return an input as an array; lists of numbers get the dtype that the model declares."""
        if isinstance(x, _core.Array) or port.kind != "tensor":
            return x
        plain = isinstance(x, (int, float, complex, list, tuple))
        return _core.asarray(x, dtype=port.dtype if plain else None)

    def run(self, *args, **named):
        """Compute the outputs, a dict by name, of a dict of inputs, or of inputs.

        Values are arrays; strings are nested lists of str, sequences lists, maps dicts, and an
        optional is its value or None.
        """
        found = self._run(self._given(args, named))
        return {port.name: y for port, y in zip(self.outputs, found)}

    def _run(self, given):
        """Return the list of outputs."""
        n = len(self.outputs)
        if all(port.kind == "tensor" for port in (*self.inputs, *self.outputs)):
            return self.handle.run(given, n)
        values = [_value(x, port.kind) for port, x in zip(self.inputs, given)]
        return [_object(y) for y in self.handle.run_values(values, n)]

    def apply(self, parameters, *args, **named):
        """Compute the output, or a tuple of several, with other values of parameters.

        parameters: a dict of arrays by name, such as values() or a part of it; the others have the
        model's values.  So tyto.grad, vmap and jit work on it.
        """
        if not hasattr(parameters, "items"):
            raise TypeError("apply: expected a dict of arrays by the names of parameters, not "
                            f"{type(parameters).__name__}")
        known = self.parameters
        pairs = [(self._known(known, name), _core.asarray(value))
                 for name, value in parameters.items()]
        for x, value in pairs:
            if tuple(value.shape) != x.shape:
                raise ValueError(f"apply: {c.name(x)} has the shape {x.shape}, not "
                                 f"{tuple(value.shape)}")
        pairs = [(x, value if value.dtype == x.dtype else c.cast(value, x.dtype))
                 for x, value in pairs]
        given = [_core.asarray(x) for x in self._given(args, named)]
        plain = not any(x.is_promise for x in (*given, *(value for _, value in pairs)))
        if plain:
            pairs += present(x for name, x in known.items() if name not in parameters)
        found = replaced(self.handle.record(given, len(self.outputs)), pairs)
        found = c.eval_all(found) if plain else found
        return found[0] if len(found) == 1 else tuple(found)

    @staticmethod
    def _known(known, name):
        """Return the parameter of a name; raise KeyError with the nearest one."""
        if name in known:
            return known[name]
        near = difflib.get_close_matches(str(name), known, 1)
        raise KeyError(f"there is no parameter {name!r}" + (f"; did you mean {near[0]!r}?" if near
                                                            else ""))

    def values(self):
        """Return the values of the floating parameters, a dict by name."""
        return {name: c.detach(c.eval(x)) for name, x in self.parameters.items()}

    def assign(self, values):
        """Give parameters new values: a dict by name; all change, or none.  Returns the model."""
        known = self.parameters
        variables = [self._known(known, name) for name in values]
        new = [_core.asarray(value) for value in values.values()]
        new = [y if y.dtype == x.dtype else c.cast(y, x.dtype) for x, y in zip(variables, new)]
        if variables:
            c.assign_all(variables, new)
        self._assigned.update(values)
        return self

    def __getattr__(self, name):
        raise absent(self, name, MODELS_OF_ONNX)

    def __call__(self, *args, **named):
        """Compute the output, or a tuple of several; derivatives reach the inputs."""
        given = self._given(args, named)
        n = len(self.outputs)
        if any(getattr(x, "is_promise", False) for x in given):
            found = self.handle.record(given, n)
        elif _depth.count == 0 or any(not isinstance(x, _core.Array) for x in given):
            found = self._run(given)
        else:
            found = replaced(self.handle.record(given, n), present(self.parameters.values()))
            found = c.eval_all(found)
        return found[0] if n == 1 else tuple(found)

    def record(self, *args, **named):
        """Return promises of the outputs, a dict by name; parameters are variables in it."""
        found = self.handle.record(self._given(args, named), len(self.outputs))
        return {port.name: y for port, y in zip(self.outputs, found)}

    @property
    def parameters(self):
        """The floating parameters, a dict by name: variables, whose values values() returns."""
        found = [self.handle.parameter(i) for i in range(self.handle.parameters())]
        return {c.name(x): x for x in found}

    def metadata(self, key):
        """Return the value of a key, such as "producer_name"; None if there is none."""
        return self.handle.metadata(key)

    def reserve(self, **sizes):
        """Compile for inputs of the largest sizes by symbol, and return the memory in bytes."""
        return self.handle.reserve(list(sizes), list(sizes.values()))

    def __repr__(self):
        """Show inputs and outputs."""
        def words(ports):
            return ", ".join(f"{p.name}{list(p.shape) if p.shape is not None else ''}"
                             for p in ports)
        return f"onnx.Model({words(self.inputs)} -> {words(self.outputs)})"


# ---- values that are no arrays ----


def _varint(n):
    """Return an integer as bytes of seven bits each, the lowest first."""
    made = bytearray()
    while n > 127:
        made.append(n & 127 | 128)
        n >>= 7
    return bytes([*made, n])


def _shape_of(words):
    """Return the shape of nested lists of texts, and the texts in order."""
    if isinstance(words, (str, bytes)):
        return (), [words]
    parts = [_shape_of(part) for part in words]
    shapes = {shape for shape, _ in parts} or {()}
    if len(shapes) > 1:
        raise ValueError("lists of texts differ in length")
    return (len(parts), *shapes.pop()), [text for _, texts in parts for text in texts]


def _strings(words):
    """Return an array of strings, of nested lists: a TensorProto with dims and string_data."""
    shape, texts = _shape_of(words)
    message = b"".join(b"\x08" + _varint(n) for n in shape) + b"\x10\x08"
    for text in texts:
        raw = text.encode() if isinstance(text, str) else text
        message += b"\x32" + _varint(len(raw)) + raw
    return c.onnx_value_parse("strings", message)


def _value(x, kind):
    """Return an object as a value of a kind that an input declares."""
    if x is None:
        return c.onnx_value_list("optional", []) if kind == "optional" else None
    if kind == "strings":
        return _strings(x.tolist() if hasattr(x, "tolist") else x)
    if kind == "sequence":
        return c.onnx_value_list("sequence", [_value(one, _kind(one)) for one in x])
    if kind == "optional":
        return c.onnx_value_list("optional", [_value(x, _kind(x))])
    if kind == "map":
        keys, values = list(x), list(x.values())
        return c.onnx_value_list("map", [_value(keys, _kind(keys[0] if keys else "")),
                                         _value(values, _kind(values[0] if values else 0.0))])
    return c.onnx_value_new(x if isinstance(x, _core.Array) else _core.asarray(x))


def _kind(x):
    """Return the kind of an object inside another one."""
    if isinstance(x, (str, bytes)):
        return "strings"
    if isinstance(x, dict):
        return "map"
    return "sequence" if isinstance(x, (list, tuple)) else "tensor"


def _object(value):
    """Return a value as an array, (nested) lists of texts, a list, a dict, or None."""
    kind = c.onnx_value_kind(value)
    if kind == "absent":
        return None
    if kind == "tensor":
        return c.onnx_value_tensor(value)
    n = c.onnx_value_count(value)
    if kind == "strings":
        texts = [c.onnx_value_text(value, i).decode("utf-8", "replace") for i in range(n)]
        return _nested(texts, c.onnx_value_shape(value)[1])
    items = [_object(c.onnx_value_item(value, i)) for i in range(n)]
    if kind == "map":
        keys, values = (x.tolist() if hasattr(x, "tolist") else x for x in items)
        return dict(zip(keys, values))
    return items if kind == "sequence" else items[0] if items else None


def _nested(items, shape):
    """Return a list of rows of a shape; of no axes the item."""
    if not shape:
        return items[0]
    step = len(items) // shape[0] if shape[0] else 0
    if len(shape) == 1:
        return items
    return [_nested(items[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def _restored(source, eager, values):
    """Return the model of bytes with other values of parameters."""
    return Model(source, eager).assign({name: fresh(x) for name, x in values.items()})


def load(source, eager=False):
    """Return the model of a path, or of bytes."""
    return Model(source, eager)


__getattr__, __dir__ = attributes_of(__name__)
