"""Models of ONNX.

    model = onnx.load("model.onnx")
    model.run({"x": x})["y"]
"""

import os
from typing import Any, NamedTuple

from tyto import _core
from tyto._core import c
from tyto._differentiate import _depth
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
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._bytes = bytes(source)  # the model reads them later
            self.handle = c.onnx_parse(self._bytes, eager=eager)
        else:
            self.handle = c.onnx_load(os.fspath(source), eager=eager)
        self.inputs = tuple(_port(c.onnx_input(self.handle, i))
                            for i in range(self.handle.inputs()))
        self.outputs = tuple(_port(c.onnx_output(self.handle, i))
                             for i in range(self.handle.outputs()))

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
        if isinstance(x, _core.Array):
            return x
        plain = isinstance(x, (int, float, complex, list, tuple))
        return _core.asarray(x, dtype=port.dtype if plain else None)

    def run(self, *args, **named):
        """Compute the outputs, a dict of arrays by name, of a dict of inputs, or of inputs."""
        found = self.handle.run(self._given(args, named), len(self.outputs))
        return {port.name: y for port, y in zip(self.outputs, found)}

    def __call__(self, *args, **named):
        """Compute the output, or a tuple of several; derivatives reach the inputs."""
        given = self._given(args, named)
        n = len(self.outputs)
        if any(x.is_promise for x in given):
            found = self.handle.record(given, n)
        elif _depth.count == 0:
            found = self.handle.run(given, n)
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
        """The floating parameters, a dict by name: variables, whose values tyto.c.assign sets."""
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


def load(source, eager=False):
    """Return the model of a path, or of bytes."""
    return Model(source, eager)
