"""Compare the time of small calls with NumPy's: python3 python/tests/overhead.py [WORD...].

Prints the ratio of Tyto's time to NumPy's for arrays of 10 elements, for calls whose name has one
of the words.  Both are timed in turns in one process, and the least time of each counts, so other
programs hardly change the ratio.  Needs NumPy; the tests do not run this file.
"""

import sys
import timeit

import numpy

import tyto

TURNS, LEAST = 60, 2e-4  # turns of both; seconds of one turn

CALLS = {
    "x + y": "x + y",
    "x + 1.0": "x + 1.0",
    "x * y": "x * y",
    "-x": "-x",
    "x < y": "x < y",
    "x @ y": "x @ y",
    "x += y": "z += y",
    "x += 1.0": "z += 1.0",
    "x[3]": "x[3]",
    "x[2:5]": "x[2:5]",
    "x[::-1]": "x[::-1]",
    "x[None]": "x[None]",
    "m[1]": "m[1]",
    "m[1, 2]": "m[1, 2]",
    "m[:, 1]": "m[:, 1]",
    "x[k] by a mask": "x[b]",
    "x[k] by indices": "x[k]",
    "x[3] = 1": "x[3] = 1.0",
    "x[2:5] = 1": "x[2:5] = 1.0",
    "x[2:5] = y": "x[2:5] = y[2:5]",
    "x.shape": "x.shape",
    "x.dtype": "x.dtype",
    "x.T": "x.T",
    "len": "len(x)",
    "float": "float(s)",
    "bool": "bool(s)",
    "item": "s.item()",
    "tolist": "x.tolist()",
    "sin": "np.sin(x)",
    "exp": "np.exp(x)",
    "maximum": "np.maximum(x, y)",
    "where": "np.where(b, x, y)",
    "sum": "np.sum(x)",
    "sum of an axis": "np.sum(m, axis=0)",
    "mean": "np.mean(x)",
    "max": "np.max(x)",
    "any": "np.any(b)",
    "argmax": "np.argmax(x)",
    "sort": "np.sort(x)",
    "cumsum": "np.cumsum(x)",
    "zeros": "np.zeros(10)",
    "zeros of a shape": "np.zeros((2, 5))",
    "zeros of a dtype": "np.zeros(10, dtype=np.float32)",
    "ones": "np.ones(10)",
    "full": "np.full(10, 2.0)",
    "empty": "np.empty(10)",
    "zeros_like": "np.zeros_like(x)",
    "arange": "np.arange(10)",
    "arange of floats": "np.arange(0.0, 10.0, 1.0)",
    "linspace": "np.linspace(0, 1, 10)",
    "eye": "np.eye(3)",
    "asarray of a list": "np.asarray([1.0, 2.0, 3.0])",
    "asarray of an array": "np.asarray(x)",
    "copy": "x.copy()",
    "astype": "x.astype(np.float32)",
    "result_type": "np.result_type(np.float32, np.float64)",
    "isdtype": "np.isdtype(np.float32, 'real floating')",
    "finfo": "np.finfo(np.float32)",
    "reshape": "np.reshape(x, (2, 5))",
    "x.reshape": "x.reshape(2, 5)",
    "concat": "np.concatenate([x, y])",
    "stack": "np.stack([x, y])",
    "expand_dims": "np.expand_dims(x, 0)",
    "permute_dims": "np.transpose(m, (1, 0))",
    "broadcast_to": "np.broadcast_to(x, (3, 10))",
    "unique": "np.unique(x)",
    "take": "np.take(x, k)",
    "nonzero": "np.nonzero(b)",
    "matmul": "np.matmul(m, m.T)",
    "dot of small matrices": "q @ q",
    "inv": "np.linalg.inv(q)",
}


def names(module):
    """Return the names that the calls use, made by one of both libraries."""
    x = module.asarray([0.5 + i for i in range(10)])
    return {
        "np": module,
        "x": x,
        "y": module.asarray([2.0 - i for i in range(10)]),
        "s": module.asarray(2.5),
        "b": module.asarray([i % 2 == 0 for i in range(10)]),
        "k": module.asarray([1, 3, 5]),
        "m": module.reshape(module.asarray([0.25 * i for i in range(10)]), (2, 5)),
        "q": module.asarray([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]),
    }


def main(words):
    """Print the ratios, the greatest first."""
    ours, theirs = names(tyto), names(numpy)
    rows = []
    for name, call in CALLS.items():
        if words and not any(word in name for word in words):
            continue
        timers = [timeit.Timer(call, "z = x.copy()", globals=known) for known in (ours, theirs)]
        counts = [max(1, round(LEAST / (timer.timeit(100) / 100))) for timer in timers]
        least = [float("inf"), float("inf")]
        for _ in range(TURNS):
            for i, timer in enumerate(timers):
                least[i] = min(least[i], timer.timeit(counts[i]) / counts[i])
        rows.append((least[0] / least[1], name, *least))
    for ratio, name, a, b in sorted(rows, reverse=True):
        print(f"{ratio:6.2f}  {name:24} {a * 1e9:8.0f} ns  NumPy {b * 1e9:8.0f} ns")


if __name__ == "__main__":
    main(sys.argv[1:])
