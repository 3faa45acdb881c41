"""Evaluates NumPy's expressions of tests/goldens/goldens.txt: make.py GOLDENS OUT.npz writes inputs and results."""
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
random = np.random.default_rng(7)
half = random.permutation(12).reshape(3, 4) / 4 - 1.375
inputs = {
    "x": half,
    "y": np.abs(random.permutation(12).reshape(3, 4) / 3 + 0.25),
    "v": np.array([3.5, -1.0, 2.25, 3.5, 0.0, -7.5, 1.125]),
    "w": np.array([0.5, -2.0, 4.0, 1.5, -0.25]),
    "f": (random.integers(-40, 40, (2, 3, 4)) / 8).astype("f4"),
    "h": np.array([0.5, -1.25, 3.0, 2.0, -0.125, 7.5], "f2"),
    "i": np.array([0, 2, 1, 3, 1], "i4"),
    "j": random.integers(-9, 10, (3, 4)),
    "u": np.array([3, 255, 0, 17, 128, 4], "u1"),
    "b": random.random((3, 4)) < 0.5,
    "m": np.array([True, False, True]),
    "c": random.permutation(12).reshape(3, 4) / 4 - 1.5 + 1j * (random.permutation(12).reshape(3, 4) / 8 - 0.5),
    "d": np.array([1 + 2j, -1j, 3.5, -2 + 0.5j, 0.25 - 4j], "c8"),
    "s": random.permutation(16).reshape(4, 4) / 4 - 2,
    "t": random.permutation(120).reshape(2, 3, 4, 5) / 8 - 7,
    "n": np.array([1.5, np.nan, -np.inf, np.inf, -2.0, 0.0]),
    "e": np.zeros((0, 3)),
    "z": np.array(2.5),
}
names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
names.update(np=np, none=None, true=True, false=False, nan=np.nan, inf=np.inf, pi=np.pi)
names.update(bool=np.bool_, i8=np.int8, i16=np.int16, i32=np.int32, i64=np.int64, u8=np.uint8, u16=np.uint16,
             u32=np.uint32, u64=np.uint64, f16=np.float16, f32=np.float32, f64=np.float64, c64=np.complex64,
             c128=np.complex128)
names.setdefault("trapezoid", names.get("trapz"))  # renamed in NumPy 2
names.setdefault("trapz", names["trapezoid"])
names.update(inputs)


def signs(u):
    """What makes the element of the greatest modulus of each column positive."""
    greatest = np.take_along_axis(u, np.abs(u).argmax(0)[None], 0)[0]
    return greatest.conj() / np.abs(greatest)


def turned_svd(a, full=True):
    u, s, vh = np.linalg.svd(a, full)
    factors, k = signs(u), min(len(s), len(vh))
    vh[:k] = vh[:k] * factors[:k, None].conj()
    return u * factors, s, vh


def turned_eigh(a):
    values, vectors = np.linalg.eigh(a)
    return values, vectors * signs(vectors)


def lu_of(a):
    """Elimination with partial pivoting, row by row."""
    u, order = a.copy(), np.arange(len(a))
    low = np.zeros_like(a)
    for k in range(len(a)):
        p = k + np.abs(u[k:, k]).argmax()
        for rows in u, order, low:
            rows[[k, p]] = rows[[p, k]]
        low[k + 1:, k] = u[k + 1:, k] / u[k, k]
        u[k + 1:] -= np.outer(low[k + 1:, k], u[k])
    return low + np.eye(len(a)), np.triu(u), order


def of_eigenvalues(f, a):
    values, vectors = np.linalg.eig(a.astype(complex))
    return vectors @ np.diag(f(values)) @ np.linalg.inv(vectors)


names.update(turned_svd=turned_svd, turned_eigh=turned_eigh, lu_of=lu_of, of_eigenvalues=of_eigenvalues)


def arrays(value):
    if isinstance(value, (tuple, list)):
        return [a for item in value for a in arrays(item)]
    return [np.asarray(value)]


def main():
    out = {"in_" + name: value for name, value in inputs.items()}
    failed = 0
    for number, line in enumerate(open(sys.argv[1]), 1):
        text = line.split("#")[0].strip() if line.startswith("#") else line.strip()
        if not text:
            continue
        expression = text.split(" | ")[-1]
        try:
            for k, array in enumerate(arrays(eval(expression, dict(names)))):
                out["%05d_%d" % (number, k)] = array
        except Exception as problem:
            print("goldens.txt:%d: NumPy: %s: %s" % (number, expression, problem))
            failed += 1
    np.savez(sys.argv[2], **out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
