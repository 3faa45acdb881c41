"""Write networks of PyTorch and torchvision as ONNX, with inputs and the outputs of ONNX Runtime, in the layout of the
official suite.

    python3 -m venv V && V/bin/pip install torch torchvision onnx onnxscript onnxruntime
    V/bin/python tests/onnx/export.py build/onnx/torch [NAME...] [--variant TEXT]
    tyto check build/onnx/torch

Folders are NAME_trace<opset> for the exporter by tracing, NAME_dynamo<opset> for that by torch.export; `_dynamic`: with
symbols as sizes, and a second data set of other sizes.  Lines name models that an exporter or ONNX Runtime refuses, and
outputs in which ONNX Runtime and PyTorch differ."""
import argparse
import contextlib
import io
import json
import logging
import os
import sys
import warnings

import numpy as np
import onnx
import torch
from real import case
from torch_models import DETECTORS, MODELS
from torch_operators import OPERATORS

# Exporters and opsets of all models, and those of small models and operators alone.
USUAL = [("trace", 17, False), ("trace", 12, True), ("dynamo", 18, False), ("dynamo", 20, True)]
MORE = [("trace", 11, False), ("trace", 14, True), ("trace", 18, True), ("dynamo", 21, False), ("dynamo", 23, True)]


def export_trace(c, opset, dynamic):
    file = io.BytesIO()
    torch.onnx.export(c.model, c.inputs, file, input_names=c.names, output_names=c.outputs, opset_version=opset,
                      dynamic_axes=c.dynamic if dynamic else None, dynamo=False)
    return file.getvalue()


def export_dynamo(c, opset, dynamic):
    shapes = None
    if dynamic:
        shapes = tuple({axis: torch.export.Dim.DYNAMIC for axis in c.dynamic.get(name, {})} for name in c.names)
    program = torch.onnx.export(c.model, c.inputs, input_names=c.names, output_names=c.outputs, opset_version=opset,
                                dynamic_shapes=shapes, dynamo=True, verbose=False)
    return program.model_proto.SerializeToString()


def feeds(c, model, dynamic):
    """The inputs that exporting has not removed, as arrays by their names."""
    kept = {port.name for port in onnx.load_model_from_string(model).graph.input}
    for values in [c.inputs, *(c.others if dynamic else ())]:
        yield {name: x.numpy() for name, x in zip(c.names, values) if name in kept}


def tolerances(name, outputs):
    """As the official suite, and 1e-5 of the greatest element of each floating output, the least one of these; 1e-4 of
    a detector, whose masks are read at places that other results give.  ONNX Runtime rounds sums of halves
    once."""
    floating = [y for y in outputs if y.size and np.issubdtype(y.dtype, np.floating)]
    greatest = float(min((np.abs(y).max() for y in floating), default=0))
    half = any(y.dtype == np.float16 for y in floating)
    return {"rtol": 5e-3 if half else 1e-3, "atol": max(1e-7, (1e-4 if name in DETECTORS else 1e-5) * greatest)}


def report(name, c, number, outputs):
    """Say how far ONNX Runtime's outputs are from PyTorch's."""
    values = [c.inputs, *c.others][number]
    with torch.no_grad():
        expected = c.model(*values)
    expected = expected if isinstance(expected, (tuple, list)) else (expected,)
    for i, (x, y) in enumerate(zip(expected, outputs)):
        x = x.numpy()
        if x.shape != y.shape:
            return print(f"{name}: data set {number}, output {i}: shapes {x.shape} in PyTorch, {y.shape}")
        if x.size and np.issubdtype(x.dtype, np.floating):
            far = np.abs(x - y).max() / max(np.abs(x).max(), 1e-30)
            if not far < 1e-3:
                print(f"{name}: data set {number}, output {i}: PyTorch is {far:.1e} of the greatest element away")


def variant(out, name, c, exporter, opset, dynamic):
    full = f"{name}_{exporter}{opset}{'_dynamic' * dynamic}"
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            model = (export_trace if exporter == "trace" else export_dynamo)(c, opset, dynamic)
        results = case(out, full, model, *feeds(c, model, dynamic))
        with open(os.path.join(out, full, "data.json"), "w") as file:
            json.dump(tolerances(name, [y for outputs in results for y in outputs]), file)
        for number, outputs in enumerate(results):
            report(full, c, number, outputs)
    except Exception as reason:  # of many classes
        reason = reason.__cause__ or reason
        first = (str(reason).strip() or "?").splitlines()[0]
        print(f"{full}: left out: {type(reason).__name__}: {first:.200}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("names", nargs="*", help="of cases, or models, or operators; all without one")
    options.add_argument("--variant", default="", help="text in the names of variants, such as trace17")
    options = options.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    torch.set_num_threads(2)
    small = {"unet", "unet_bilinear", "lstm", "gru", "rnn", "lstm_packed", "gru_packed", "encoder", "translator", "gpt"}
    for name, build in {**MODELS, **OPERATORS}.items():
        if options.names and not {name, "operators" if name in OPERATORS else "models"} & set(options.names):
            continue
        torch.manual_seed(1)
        try:
            c = build()
        except Exception as reason:  # a network that this torchvision lacks
            print(f"{name}: left out: {type(reason).__name__}: {str(reason).splitlines()[0]:.200}")
            continue
        for exporter, opset, dynamic in USUAL + MORE * (name in small or name in OPERATORS):
            if options.variant in f"{exporter}{opset}{'_dynamic' * dynamic}" and (c.dynamic or not dynamic):
                variant(options.out, name, c, exporter, opset, dynamic)


if __name__ == "__main__":
    sys.exit(main())
