"""Sample arguments for every function of tyto.c, made from its descriptor."""

import json
import os
import pathlib
import sys

import tyto
from tyto import c

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "generate"))

from classify import classify  # noqa: E402


def description():
    """Return the kinds, the calls and the reasons of functions without one."""
    with open(ROOT / "docs" / "tyto.json", encoding="utf-8") as file:
        return classify(json.load(file))


def arrays():
    """Return arrays of several dtypes and ranks, which different functions accept."""
    square = c.add(c.eye("f64", 3), 0.25)
    vector = c.arange("f64", 0, 3, 1)
    return {
        "square": square,
        "vector": vector,
        "integers": c.cast(vector, "i64"),
        "truth": c.lt(vector, 1.0),
        "number": c.full("f64", (), 0.5),
        "batch": c.full("f64", (2, 3, 3), 0.5),
        "image": c.full("f32", (1, 4, 4, 3), 0.5),
        "key": c.key(1),
    }


def forward(layer, x):
    """Compute the sample model."""
    return c.layer_linear(layer, None, x, units=2)


def handles(folder):
    """Return an object of each class of handles, as far as one is made without much."""
    a = arrays()
    x = c.full("f32", (4, 3), 1.0)
    variable = c.var(a["vector"], "v")
    path = os.path.join(folder, "table.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("a,b,word\n1,2.5,x\n3,4.5,y\n5,1.5,x\n")
    model = c.model_new(forward, seed=1)
    model.forward(x, None)
    table = c.table_read(path)
    dataset = c.dataset_arrays([x, c.cast(c.arange("f64", 0, 4, 1), "i64")], ["x", "y"])
    return {
        "ty_program": c.compile([c.mul(variable, 2.0)]),
        "ty_function": c.function_new(lambda p: p, 1, 1),
        "ty_context": c.context_new(),
        "ty_archive": c.archive_parse(c.archive_bytes(["x"], [x], format="npz")),
        "ty_graph": c.graph_parse(c.graph_bytes(["y"], [c.mul(variable, 2.0)])),
        "ty_dataset": dataset,
        "ty_loader": c.loader_new(dataset, batch=2),
        "ty_model": model,
        "ty_table": table,
        "ty_tree": c.tree_new(a["square"]),
        "ty_plot": c.plot_new(),
        "ty_walk": c.walk_new([c.mul(variable, 2.0)]),
        "ty_tokenizer": c.tokenizer_train("to be or not to be", 260),
    }


class Samples:
    """Arguments by kind of member."""

    def __init__(self, kinds, folder):
        self.kinds, self.folder = kinds, folder
        self.arrays, self.handles = arrays(), handles(folder)

    def value(self, m, array):
        """Return a sample for a member; `array` is the name of the array to prefer."""
        make = getattr(self, "make_" + m.kind.lower(), None)
        return make(m, array) if make else None

    def make_bool(self, m, array):
        return False

    def make_signed(self, m, array):
        return 1

    make_unsigned = make_signed

    def make_real(self, m, array):
        return 0.5

    def make_character(self, m, array):
        return ","

    def make_text(self, m, array):
        if m.name in ("path", "directory", "folder", "file"):
            return os.path.join(self.folder, "none", "file.bin")
        return "a"

    def make_bytes(self, m, array):
        return b"bytes of no format"

    def make_dtype(self, m, array):
        return "f32"

    def make_enum(self, m, array):
        return next(v["value"] for v in self.kinds.enums[m.of]["values"])

    def make_axes(self, m, array):
        return 0

    def make_tensor(self, m, array):
        return self.arrays["key" if m.name == "key" else array]

    def make_handle(self, m, array):
        return self.handles.get(m.of)

    def make_record(self, m, array):
        members, _ = self.kinds.record(m.of)
        return {x.name: self.value(x, array) for x in members
                if x.kind in ("TENSOR", "SIGNED", "REAL", "DTYPE", "ENUM", "TEXT")}

    make_record_at = make_record

    def make_list(self, m, array):
        return [self.value(m.of, array)] * (2 if m.name != "shape" else 1)

    def make_callback(self, m, array):
        return lambda *x: x[0] if x else None

    def make_named(self, m, array):
        return {"ty_activation": "relu", "ty_loss": "l2", "ty_rule": "adam", "ty_schedule_function": "constant",
                "ty_layer_kind": "linear"}.get(m.of, "mlp")

    def arguments(self, call, array):
        """Return sample values for the positional parameters of a call."""
        return [False if p.field == -2 else self.value(p.of, array)
                for p in call.parameters if not p.keyword_only]
