"""Write the test cases of PyPI's package onnx as files: export_cases.py DIR

Layout: DIR/KIND/NAME/{model.onnx,data.json,test_data_set_N/{input,output}_N.pb}, that of the package and of Debian's
libonnx-testdata.  The cases of nodes exist only as Python; the others lie in the package and are copied.  Kind light
has large networks with constant weights: their input is the official one, i / n.  data.json has rtol and atol, for
cases with other tolerances than 1e-3 and 1e-7 alone.
"""

import json
import pathlib
import shutil
import sys

import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import DATA_DIR
from onnx.backend.test.runner import Runner

TOLERANCES = {"rtol": 1e-3, "atol": 1e-7}
ON_DISK = ["simple", "pytorch-converted", "pytorch-operator"]
# The kind of a value by the field that its type has.
WRITERS = {
    "map_type": numpy_helper.from_dict,
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
    "tensor_type": numpy_helper.from_array,
}


def encoded(value, info):
    if isinstance(value, TensorProto):
        return value.SerializeToString()
    kind = info.type.WhichOneof("value")
    return WRITERS[kind](value, info.name).SerializeToString()


def write_case(case, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    tolerances = {"rtol": case.rtol, "atol": case.atol}
    if tolerances != TOLERANCES:
        (folder / "data.json").write_text(json.dumps(tolerances) + "\n")
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for name, values, infos in (
            ("input", inputs, case.model.graph.input),
            ("output", outputs, case.model.graph.output),
        ):
            for i, value in enumerate(values):
                (data / f"{name}_{i}.pb").write_bytes(encoded(value, infos[i]))


def write_light(path, folder):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    shutil.copy(path, folder / "model.onnx")
    graph = onnx.load(path).graph
    stored = {tensor.name for tensor in graph.initializer}
    inputs = [info for info in graph.input if info.name not in stored]
    for i, info in enumerate(inputs):
        value = Runner.generate_dummy_data(info)
        (data / f"input_{i}.pb").write_bytes(encoded(value, info))
    for i in range(len(graph.output)):
        shutil.copy(path.with_name(f"{path.stem}_output_{i}.pb"), data / f"output_{i}.pb")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: export_cases.py DIR")
    to = pathlib.Path(sys.argv[1])
    cases = collect_testcases(None)
    for case in cases:
        write_case(case, to / "node" / case.name)
    print(f"node: {len(cases)}")
    for kind in ON_DISK:
        shutil.copytree(pathlib.Path(DATA_DIR) / kind, to / kind)
        print(f"{kind}: {len(list((to / kind).iterdir()))}")
    networks = sorted((pathlib.Path(DATA_DIR) / "light").glob("*.onnx"))
    for path in networks:
        write_light(path, to / "light" / f"test_{path.stem.removeprefix('light_')}")
    print(f"light: {len(networks)}")


if __name__ == "__main__":
    main()
