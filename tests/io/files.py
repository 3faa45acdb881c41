"""Files, printing and DLPack compared with NumPy: run by files.sh with the tool and the shared library."""
import ctypes
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

tool, library = sys.argv[1:3]
folder = tempfile.mkdtemp()
passed = failed = 0


def check(well, words):
    global passed, failed
    passed, failed = passed + bool(well), failed + (not well)
    if not well:
        print("FAILED:", words)


def path(name):
    return os.path.join(folder, name)


def convert(source, target, *options):
    done = subprocess.run([tool, "convert", path(source), path(target), *options], capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def same(a, b):
    return a.dtype == b.dtype.newbyteorder("=") and a.shape == b.shape and np.array_equal(
        a, b, equal_nan=a.dtype.kind in "fc")


def sample(dtype, shape):
    n = int(np.prod(shape, dtype=int))
    x = (np.arange(n) * 7 % 23 - 5).astype("f8")
    kind = np.dtype(dtype).kind
    if kind == "b":
        x = x % 2 == 0
    if kind == "u":
        x = abs(x)
    if kind == "c":
        x = x + 1j * x[::-1]
    return x.astype(dtype).reshape(shape)


DTYPES = ["?", "i1", "u1"] + [o + t for o in "<>" for t in
                              ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")]
SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 4), (0,), (0, 3), (1,) * 32]


def npy_both_ways():
    for dtype in DTYPES:
        for shape in SHAPES:
            for order in "CF":
                for version in ((1, 0), (2, 0), (3, 0)):
                    if version != (1, 0) and shape != (3, 4):
                        continue
                    x = np.array(sample(dtype, shape), order=order)
                    with open(path("in.npy"), "wb") as file:
                        np.lib.format.write_array(file, x, version=version)
                    ok, words = convert("in.npy", "out.npy")
                    check(ok and same(np.load(path("out.npy")), x), f"npy {dtype} {shape} {order} {version} {words}")


def npz_both_ways():
    arrays = {f"a{i}": sample(d, (3, 4)) for i, d in enumerate(DTYPES)}
    arrays["nested/name"] = np.arange(10000)
    arrays["empty"] = np.zeros((0, 2))
    for save in (np.savez, np.savez_compressed):
        save(path("in.npz"), **arrays)
        for options in ((), ("--deflate",)):
            ok, words = convert("in.npz", "out.npz", *options)
            check(ok, f"npz {words}")
            with np.load(path("out.npz")) as back:
                check(sorted(back.files) == sorted(arrays), "names of npz")
                for name, x in arrays.items():
                    check(name in back.files and same(back[name], x), f"npz {name}")
            check(zipfile.ZipFile(path("out.npz")).testzip() is None, "zipfile finds damage")
    with zipfile.ZipFile(path("streamed.npz"), "w", zipfile.ZIP_DEFLATED) as z:
        with z.open("x.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, np.arange(5.0))
        z.comment = b"a comment at the end"
    ok, words = convert("streamed.npz", "x.npy", "--name", "x")
    check(ok and same(np.load(path("x.npy")), np.arange(5.0)), f"zip64 and comment {words}")


def csv_both_ways():
    random = np.random.default_rng(1)
    tables = [random.standard_normal((50, 4)), random.integers(-10**12, 10**12, (20, 3)), np.array([[2**63, 1], [2**64 - 1, 0]], dtype="u8"),
              random.standard_normal(9) * 10.0 ** random.integers(-300, 300, 9), np.array([[True, False], [False, False]]),
              random.standard_normal((3, 2)) + 1j * random.standard_normal((3, 2)), np.array([[np.nan, np.inf, -np.inf, -0.0]])]
    for i, x in enumerate(tables):
        np.save(path("in.npy"), x)
        for name, delimiter in (("t.csv", ","), ("t.tsv", "\t"), ("t.csv.gz", ",")):
            ok, words = convert("in.npy", name)
            check(ok, f"csv {i} {words}")
            if x.dtype.kind in "iuf":
                check(np.array_equal(np.loadtxt(path(name), delimiter=delimiter, dtype=x.dtype, ndmin=x.ndim), x, equal_nan=True),
                      f"loadtxt of {name} {i}")
            ok, words = convert(name, "back.npy")
            check(ok and same(np.load(path("back.npy")), x), f"{name} {i} back {words}")
    x = random.standard_normal((30, 5))
    for options in ({}, {"delimiter": ","}, {"delimiter": ";", "fmt": "%.18e"}, {"header": "a title"}, {"delimiter": "|", "newline": "\r\n"}):
        np.savetxt(path("s.txt"), x, **options)
        ok, words = convert("s.txt", "s.npy")
        check(ok and same(np.load(path("s.npy")), x), f"savetxt {options} {words}")


def refusals():
    bad = {"objects": np.array([1, "a"], dtype=object), "texts": np.array(["a", "bc"]), "bytes": np.array([b"a"]),
           "dates": np.array(["2020-01-01"], dtype="M8[D]"), "structured": np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]),
           "long": np.zeros(2, dtype="g"), "raw bytes": np.zeros(2, dtype="V3")}
    for what, x in bad.items():
        np.save(path("bad.npy"), x)
        ok, words = convert("bad.npy", "out.npy")
        check(not ok and "bad.npy" in words and ("save" in words), f"{what}: {words}")
    np.save(path("two.npy"), np.array([1.0, -2.5], dtype="f4").view("u2")[1::2].astype("<u2").view("V2"))
    ok, words = convert("two.npy", "out.safetensors")
    check(not ok and "bf16" in words, f"V2: {words}")
    ok, words = convert("two.npy", "out.npy", "--bf16", "--dtype", "f32")
    check(ok and np.load(path("out.npy")).tolist() == [1.0, -2.5], f"bf16: {words}")


def others():
    x = np.arange(24, dtype="f4").reshape(2, 3, 4)
    np.save(path("in.npy"), x)
    for name, options in (("o.safetensors", ()), ("o.npz", ()), ("o.idx", ()), ("o.npy.gz", ()), ("o.idx.gz", ()),
                          ("o.raw", ("--raw-dtype", "f32", "--raw-shape", "2,3,4"))):
        ok, words = convert("in.npy", name)
        check(ok, f"to {name}: {words}")
        ok, words = convert(name, "back.npy", *options)
        check(ok and same(np.load(path("back.npy")), x), f"from {name}: {words}")
    check(np.array_equal(np.fromfile(path("o.raw"), "f4"), x.ravel()), "raw")
    x.astype(">f8").tofile(path("b.bin"))


# ---- the shared library ----

class Options(ctypes.Structure):
    _fields_ = [("precision", ctypes.c_int), ("threshold", ctypes.c_int), ("edge_items", ctypes.c_int),
                ("line_width", ctypes.c_int), ("suppress", ctypes.c_bool), ("sign", ctypes.c_char), ("mode", ctypes.c_int),
                ("nan_text", ctypes.c_char_p), ("inf_text", ctypes.c_char_p)]


ty = ctypes.CDLL(library)
for function in ("ty_from_dlpack_legacy", "ty_to_dlpack_legacy", "ty_format_sized", "ty_error", "ty_open"):
    getattr(ty, function).restype = ctypes.c_void_p
python = ctypes.pythonapi
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
used = b"used_dltensor"


def imported(x):
    """A tensor over x's memory."""
    capsule = x.__dlpack__()
    managed = python.PyCapsule_GetPointer(capsule, b"dltensor")
    python.PyCapsule_SetName(capsule, used)
    return ty.ty_from_dlpack_legacy(ctypes.c_void_p(managed))


class Exported:
    """What numpy.from_dlpack takes: a tensor of ours."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None, **_):
        managed = ty.ty_to_dlpack_legacy(ctypes.c_void_p(self.tensor), None)
        return python.PyCapsule_New(managed, b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


def dlpack():
    views = {"plain": lambda x: x, "transposed": lambda x: x.T, "strided": lambda x: x[:, ::2, 1:4],
             "flipped": lambda x: x[::-1, :, ::-1], "0-d": lambda x: x[1, 2, 3, ...], "empty": lambda x: x[:0],
             "one": lambda x: x[1:2, 2:3, 3:4]}
    for name, view in views.items():
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"):
            y = view(np.arange(60, dtype="f8").reshape(3, 4, 5).astype(dtype))
            scope = ty.ty_open()
            t = imported(y)
            check(ty.ty_ok(ctypes.c_void_p(t)), f"dlpack {name} {dtype}")
            back = np.from_dlpack(Exported(t))
            ty.ty_close(ctypes.c_void_p(scope))
            check(same(back, y) and (y.size == 0 or np.shares_memory(back, y)), f"dlpack {name} {dtype} back")
            del y, back
    scope = ty.ty_open()
    import gc
    for _ in range(1000):
        back = np.from_dlpack(Exported(imported(np.zeros(100000))))
    ty.ty_close(ctypes.c_void_p(scope))
    del back
    gc.collect()


def printed(x, **options):
    t = imported(np.ascontiguousarray(x))
    given = Options(**options)
    text = ty.ty_format_sized(ctypes.c_void_p(t), ctypes.byref(given), ctypes.c_size_t(ctypes.sizeof(given)))
    words = ctypes.string_at(text).decode()
    ty.ty_free(ctypes.c_void_p(text))
    return words


MODES = ["maxprec", "fixed", "unique", "maxprec_equal"]


def printing():
    random = np.random.default_rng(2)
    arrays = [random.standard_normal((4, 5)), random.standard_normal((30, 40)) * 1e3, random.standard_normal(7) * 1e-6,
              10.0 ** random.integers(-12, 12, (3, 4)), np.array([1.5, np.nan, -np.inf, np.inf, 0.25]), np.array([np.nan, np.inf]),
              random.standard_normal((3, 3)).astype("f4"), random.standard_normal((2, 4)).astype("f2"), np.arange(-6, 6).reshape(3, 4),
              np.arange(12), random.standard_normal((2, 3)) + 1j * random.standard_normal((2, 3)), np.arange(3000.0).reshape(3, 1000),
              np.arange(6000).reshape(2, 3, 1000), np.array([1e10, 1, -1]), np.array([0.5, 100.25, 3]), np.zeros((2, 2)),
              np.array([1 + 1e-10j, np.nan + 2j])]
    for i, x in enumerate(arrays):
        for precision in (0, 1, 3, 8, 17):
            for mode in range(4):
                for suppress in (False, True):
                    for sign in "-+ ":
                        if sign != "-" and x.dtype.kind in "iu" and np.lib.NumpyVersion(np.__version__) < "2.0.0":
                            continue
                        scope = ty.ty_open()
                        ours = printed(x, precision=precision or -1, mode=mode, suppress=suppress, sign=sign.encode())
                        ty.ty_close(ctypes.c_void_p(scope))
                        want = np.array2string(x, precision=precision, floatmode=MODES[mode], suppress_small=suppress, sign=sign)
                        check(ours == want, f"printing {i} {precision} {MODES[mode]} {suppress} '{sign}'\n{ours}\nNumPy:\n{want}")
    for words in ({"nan_text": b"NA"}, {"inf_text": b"infinity"}, {"line_width": 30}, {"edge_items": 1, "threshold": 5}):
        for x in arrays:
            scope = ty.ty_open()
            ours = printed(x, precision=8, **words)
            ty.ty_close(ctypes.c_void_p(scope))
            names = {"nan_text": "nanstr", "inf_text": "infstr", "line_width": "linewidth", "edge_items": "edgeitems", "threshold": "threshold"}
            with np.printoptions(**{names[k]: v.decode() if isinstance(v, bytes) else v for k, v in words.items()}):
                want = np.array2string(x)
            check(ours == want, f"printing {words}\n{ours}\nNumPy:\n{want}")


for test in (npy_both_ways, npz_both_ways, csv_both_ways, refusals, others, dlpack, printing):
    test()
subprocess.run(["rm", "-rf", folder], check=False)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
