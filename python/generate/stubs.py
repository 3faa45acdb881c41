"""The stub of the module tyto.c for type checkers and editors."""

from prose import described, prose

HEAD = '''"""Every function of the library, under its name in C without the prefix ty_."""

from _typeshed import ReadableBuffer as Buffer
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

from tyto import Array, DType

_Tensor = Array | complex | Buffer | Sequence[Any]
_DType = DType | str | type
_Axes = int | Sequence[int] | None
_Text = str | PathLike[str]

'''

LAYERS_HEAD = '''"""Networks: layers, models, losses, metrics and training."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from tyto.nn import init as init
from tyto.nn import losses as losses
from tyto.nn import metrics as metrics
from tyto.nn._layers import KINDS as KINDS
from tyto.nn._layers import Layer as Layer
from tyto.nn._layers import Place as Place
from tyto.nn._layers import residual as residual
from tyto.nn._layers import sequence as sequence
from tyto.nn._model import Model as Model
from tyto.nn._model import Sequential as Sequential
from tyto.nn._model import read as read
from tyto.nn._model import value_and_grad as value_and_grad
from tyto.nn._trainer import Epoch as Epoch
from tyto.nn._trainer import Trainer as Trainer

_Activation = str | Callable[..., Any]
_Init = init.Initialiser | str | float

'''
# Layers that are a function of the caller's: in Python a function in a sequence is one.
FUNCTION_LAYERS = ("layer_lambda", "layer_lambda_array", "layer_residual")
# Options of layers that tyto.nn takes in further forms.
LAYER_TYPES = {"activation": "_Activation", "function": "_Activation", "gate": "_Activation",
               "weight": "_Init", "bias": "_Init"}

SIMPLE = {
    "BOOL": "bool",
    "SIGNED": "int",
    "UNSIGNED": "int",
    "REAL": "float",
    "CHARACTER": "str",
    "TEXT": "_Text",
    "BYTES": "Buffer | str",
    "DTYPE": "_DType",
    "AXES": "_Axes",
    "TENSOR": "_Tensor",
    "CALLBACK": "Callable[..., Any]",
    "NAMED": "str",
    "HIDDEN": "None",
}
RESULTS = {"TEXT": "str", "DTYPE": "DType", "TENSOR": "Array", "BYTES": "bytes"}


def quoted(doc):
    """Return a docstring."""
    return '"""%s"""' % doc.replace("\\", "\\\\").replace('"""', "'''").replace('"', "'")


class Stubs:
    """Writes the stub of all calls."""

    def __init__(self, tables):
        self.tables, self.kinds = tables, tables.kinds

    def taken(self, m):
        """Return the type of an argument."""
        if m.kind == "ENUM":
            words = [word for word, _ in self.tables.words(self.kinds.enums[m.of])]
            return "Literal[%s] | int" % ", ".join(repr(word) for word in words)
        if m.kind == "HANDLE":
            return self.tables.python_name(m.of)
        if m.kind in ("RECORD", "RECORD_AT"):
            own = "%s | " % m.of.removeprefix("ty_") if m.of in self.tables.results else ""
            return own + "Mapping[str, Any] | tuple[Any, ...]"
        if m.kind in ("LIST", "ARRAY"):
            inner = self.taken(m.of)
            return "Sequence[%s]%s" % (
                inner,
                " | int" if m.of.kind in ("SIGNED", "UNSIGNED") else "",
            )
        return SIMPLE[m.kind]

    def given(self, m):
        """Return the type of a result."""
        if m.kind in RESULTS:
            text = RESULTS[m.kind]
            return text + " | None" if "NULLABLE" in m.flags and m.kind != "TENSOR" else text
        if m.kind == "ENUM":
            return "str"
        if m.kind == "AXES":
            return "dict[str, Any]"
        if m.kind in ("RECORD", "RECORD_AT"):
            return m.of.removeprefix("ty_")
        if m.kind in ("LIST", "ARRAY"):
            return "str" if m.of.kind == "CHARACTER" else "list[%s]" % self.given(m.of)
        return self.taken(m)

    def result(self, call):
        """Return the type of what a call returns."""
        order = ([call.result] if call.result >= 0 else []) + [
            i for i in range(len(call.frame)) if i != call.result
        ]
        shown = [call.frame[i] for i in order]
        shown = [
            m
            for m in shown
            if "OUT" in m.flags and not m.flags & {"ACTION", "ERROR"} and m.kind != "HIDDEN"
        ]
        types = [self.given(m) for m in shown]
        return (
            "None" if not types else types[0] if len(types) == 1 else "tuple[%s]" % ", ".join(types)
        )

    def parameter(self, p):
        """Return a parameter with its type and default."""
        kind = "bool" if p.field == -2 else self.taken(p.of)
        if p.required:
            none = " | None" if "NULLABLE" in p.of.flags and p.field == -1 else ""
            return "%s: %s%s" % (p.name, kind, none)
        none = "" if p.default != "None" or kind.endswith("None") or kind == "_Axes" else " | None"
        return "%s: %s%s = %s" % (p.name, kind, none, p.default)

    def function(self, call, name, method=False):
        """Return the stub of a function or a method."""
        parts, keywords, pad = ["self"] if method else [], False, "    " if method else ""
        for p in call.parameters[1 if method else 0 :]:
            if p.keyword_only and not keywords:
                parts.append("*")
                keywords = True
            parts.append(self.parameter(p))
        return "%sdef %s(%s) -> %s:\n%s    %s\n" % (
            pad,
            name,
            ", ".join(parts),
            self.result(call),
            pad,
            quoted(described(call)),
        )

    def record(self, name):
        """Return the stub of a named tuple."""
        s, members = self.kinds.structs[name], self.kinds.record(name)[0]
        fields = "".join(
            "    %s: %s\n" % (m.name, self.given(m)) for m in members if m.kind != "HIDDEN"
        )
        return "class %s(NamedTuple):\n    %s\n%s" % (
            name.removeprefix("ty_"),
            quoted(prose(s["doc"])),
            fields,
        )

    def handle(self, name, methods):
        """Return the stub of a class."""
        h = self.kinds.handles[name]
        own = (
            "    def close(self) -> None: ...\n    def __enter__(self) -> %s: ...\n"
            % self.tables.python_name(name)
        )
        own += "    def __exit__(self, *error: object) -> None: ...\n"
        return "class %s:\n    %s\n%s%s" % (
            self.tables.python_name(name),
            quoted(prose(h["doc"])),
            own,
            "".join(self.function(call, method, True) for method, call in methods),
        )

    def layer(self, call):
        """Return the stub of the function of tyto.nn that makes a layer."""
        options = [p for p in call.parameters[3:] if p.name not in ("none", "rank")]
        parts = ["%s: %s | None = None" % (p.name, LAYER_TYPES.get(p.name) or self.taken(p.of))
                 for p in options]
        kind = call.name.removeprefix("layer_")
        doc = "Return a layer %s (docs/layers.md).\n\n%s" % (
            kind, described(call).partition("\n\n")[2])
        return "def %s(%s) -> Layer:\n    %s\n" % (
            kind,
            ", ".join([*parts, "*", "name: str | None = None"]),
            quoted(doc.strip()),
        )

    def layers(self):
        """Return the stub of tyto.nn: its layers are made from the functions that call them."""
        calls = [c for c in self.tables.calls if c.name.startswith("layer_")
                 and [p.name for p in c.parameters[:3]] == ["at", "name", "x"]
                 and all(p.keyword_only for p in c.parameters[3:])
                 and not c.name.endswith("_kl") and c.name not in FUNCTION_LAYERS]
        return LAYERS_HEAD + "\n".join(self.layer(c) for c in calls)

    def text(self):
        """Return the whole stub."""
        methods = self.tables.methods()
        parts = [self.record(n) for n in self.tables.results]
        parts += [
            self.handle(n, methods[n])
            for n in self.kinds.handles
            if n not in ("ty_tensor", "ty_scope")
        ]
        parts += [self.function(call, call.name) for call in self.tables.calls]
        constants = ["%s: int\n" % name for name in self.tables.constants()]
        return HEAD + "".join(constants) + "\n" + "\n".join(parts)
