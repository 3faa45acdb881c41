"""The peers' side of bench/harness.c: reads one JSON line a command, answers with one line."""
import json
import os
import string
import sys
import time

flags = ""
try:
    with open("/proc/cpuinfo") as file:
        flags = next((line for line in file if line.startswith("flags")), "")
except OSError:
    pass
if "avx512f" in flags:  # both libraries fail to recognise newer CPUs and would run slow code
    os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"
    os.environ["ATEN_CPU_CAPABILITY"] = "avx512"
    os.environ["BLIS_ARCH_TYPE"] = "0"

numpy = torch = pytblis = None
try:
    import numpy
    import numpy as np
except ImportError:
    pass
try:
    import torch
except ImportError:
    pass
try:
    import pytblis  # TBLIS, where somebody installed it
except ImportError:
    pass

MINIMUM, LONG = 1e-2, 0.1  # as in bench/harness.c
NAMES = string.ascii_letters  # of the operands
OF_TORCH = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
            "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64",
            "c128": "complex128"}
OF_NUMPY = {"bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
            "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}


def operand(random, spec):
    shape, low, high = spec["shape"], spec["low"], spec["high"]
    if spec["dtype"][0] in "iu":
        return random.integers(int(low), int(high), shape).astype(OF_NUMPY[spec["dtype"]])
    if spec["dtype"][0] == "c":
        real, imaginary = random.uniform(low, high, shape), random.uniform(low, high, shape)
        return (real + 1j * imaginary).astype(OF_NUMPY[spec["dtype"]])
    if spec["dtype"] == "bool":
        return random.random(shape) < 0.5
    return random.random(shape, dtype="f4").__mul__(high - low).__add__(low).astype(OF_NUMPY.get(spec["dtype"], "f4"))


def seconds(code, names):
    run, count = compile("for _ in range(count): result = %s" % code, "case", "exec"), 1
    least = LONG  # of the first call: a short one finds the caches full of others' data, and does not count
    while True:
        names["count"] = count
        start = time.perf_counter()
        exec(run, names)
        elapsed = time.perf_counter() - start
        if elapsed >= least:
            return elapsed / count
        if least == MINIMUM:
            count = max(count * 2, int(count * MINIMUM / max(elapsed, 1e-9)))
        least = MINIMUM


def prepare(command):
    random = numpy.random.default_rng(1)
    arrays = [operand(random, spec) for spec in command["inputs"]]
    cases = {}
    if command.get("numpy") and all(spec["dtype"] in OF_NUMPY for spec in command["inputs"]):
        cases["numpy"] = (command["numpy"], {"np": np, **dict(zip(NAMES, arrays))})
    if command.get("torch") and torch and all(spec["dtype"] in OF_TORCH for spec in command["inputs"]):
        tensors = [torch.from_numpy(array).to(getattr(torch, OF_TORCH[spec["dtype"]]))
                   for array, spec in zip(arrays, command["inputs"])]
        cases["torch"] = (command["torch"], {"torch": torch, "np": np, **dict(zip(NAMES, tensors))})
    if command.get("tblis") and pytblis and all(spec["dtype"] in OF_NUMPY for spec in command["inputs"]):
        cases["tblis"] = (command["tblis"], {"pytblis": pytblis, "np": np, **dict(zip(NAMES, arrays))})
    for name in list(cases):
        code, names = cases[name]
        names["out"] = None
        try:
            names["out"] = eval(code, names)
        except Exception as problem:  # a peer that cannot do it is no peer of this case
            print("%s: %s: %s" % (name, code, problem), file=sys.stderr)
            del cases[name]
    return cases


def value(text, cases):
    try:
        return float(eval(text, cases["numpy"][1]))
    except Exception:  # no NumPy, or it cannot
        return float("nan")


def blas_threads():
    """The functions that set the threads of every BLAS in this process: NumPy's and PyTorch's have no other way."""
    import ctypes
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "blas" in line and ".so" in line}
    libraries = [ctypes.CDLL(path) for path in paths]
    names = ("openblas_set_num_threads", "bli_thread_set_num_threads")
    return [getattr(library, name) for library in libraries for name in names if hasattr(library, name)]


def answer(text):
    print(text, flush=True)


def main():
    answer("; ".join(["%s %s" % (m.__name__, m.__version__) for m in (numpy, torch) if m] +
                     ["TBLIS (pytblis)"] * bool(pytblis)) or "no peers")
    cases = {}
    blas_setters = blas_threads() if os.path.exists("/proc/self/maps") else []
    for line in sys.stdin:
        command = json.loads(line)
        if "inputs" in command:
            cases = prepare(command) if numpy else {}
            answer(" ".join(cases) or "none")
        elif "value" in command:
            answer(repr(value(command["value"], cases)))
        else:
            if torch:
                torch.set_num_threads(command["threads"])
            for set_threads in blas_setters:
                set_threads(command["threads"])
            if pytblis:
                pytblis.set_num_threads(command["threads"])
            answer(repr(seconds(*cases[command["time"]])))


if torch:
    torch.set_grad_enabled(False)
main()
