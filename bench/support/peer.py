"""One peer of bench/support/peer_python.c: peer.py NAME MOST_THREADS answers each command, a JSON line, by a line."""
import importlib
import json
import string
import sys
import time

import peer_threads

peer_threads.prepare(int(sys.argv[2]))

PEERS = {"numpy": ("numpy", ""), "torch": ("torch", "torch"), "tblis": ("pytblis", "pytblis")}  # module, PyPI's name
ADVICE = "python3 -m venv V && V/bin/pip install numpy threadpoolctl %s; TY_PYTHON=V/bin/python"
MINIMUM, LONG = 1e-2, 0.1  # as in bench/support/harness.c
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


class Peer:
    """One library, the case at hand and its operands."""

    def __init__(self, name):
        import numpy
        self.name, self.numpy = name, numpy
        self.module = importlib.import_module(PEERS[name][0])
        self.torch = self.module if name == "torch" else None
        try:  # quicker, and keeps single precision, where it is installed
            self.fourier = importlib.import_module("scipy.fft")
        except ImportError:
            self.fourier = numpy.fft
        self.code, self.names, self.told = None, {}, set()
        if self.torch:
            self.torch.set_grad_enabled(False)

    def version(self):
        notes = peer_threads.blas()
        if self.torch:
            notes = "MKL" if self.torch.backends.mkl.is_available() else notes
            capability = getattr(self.torch.backends.cpu, "get_cpu_capability", lambda: "")()
            notes = ", ".join(filter(None, (notes, capability)))
        version = getattr(self.module, "__version__", "")
        return " ".join(filter(None, (self.name, version, notes and "(%s)" % notes)))

    def prepare(self, inputs, code):
        known = OF_TORCH if self.torch else OF_NUMPY
        if not all(spec["dtype"] in known for spec in inputs):
            return "none"
        random = self.numpy.random.default_rng(1)
        values = [operand(random, spec) for spec in inputs]
        if self.torch:
            values = [self.torch.from_numpy(array).to(getattr(self.torch, OF_TORCH[spec["dtype"]]))
                      for array, spec in zip(values, inputs)]
        self.code = code
        self.names = {"np": self.numpy, "fourier": self.fourier, self.module.__name__: self.module, "out": None, **dict(zip(NAMES, values))}
        try:
            self.names["out"] = eval(code, self.names)
        except Exception as problem:  # a peer that cannot do it is no peer of this case
            print("%s: %s: %s" % (self.name, code, problem), file=sys.stderr)
            return "none"
        return "able"

    def time(self, threads):
        for library, number in peer_threads.limit(threads, self.torch):
            if (library, threads) not in self.told:
                print("%s: left out: %s stays at %d threads where %d were asked for" %
                      (self.name, library, number, threads), file=sys.stderr)
            self.told.add((library, threads))
        if any(asked == threads for _, asked in self.told):
            return "nan"
        return repr(seconds(self.code, self.names))

    def value(self, text):
        try:
            return repr(float(eval(text, self.names)))
        except Exception:  # it cannot
            return "nan"


def main():
    name = sys.argv[1]
    try:
        peer = Peer(name)
    except ImportError as problem:
        return print("%s (%s); %s" % (problem, sys.executable, ADVICE % PEERS[name][1]), flush=True)
    print("found", peer.version(), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if "inputs" in command:
            answer = peer.prepare(command["inputs"], command["code"])
        elif "value" in command:
            answer = peer.value(command["value"])
        else:
            answer = peer.time(command["threads"])
        print(answer, flush=True)


main()
