"""Count what SciPy and scikit-learn compute with arrays of the package.

    python3 python/tests/suite/ecosystem.py

Each line of ecosystem.txt is evaluated with NumPy's arrays and with ours, under SCIPY_ARRAY_API=1
and array_api_dispatch=True.  Prints a row for each area, and the calls that fail or return NumPy's
arrays.  Fails if a value differs.
"""

import collections
import importlib
import os
import pathlib
import sys
import warnings

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy  # noqa: E402

import tyto  # noqa: E402

MODULES = {
    "sp": "scipy.special", "st": "scipy.stats", "sg": "scipy.signal", "vq": "scipy.cluster.vq",
    "hi": "scipy.cluster.hierarchy", "nd": "scipy.ndimage", "si": "scipy.integrate",
    "sip": "scipy.interpolate", "so": "scipy.optimize", "sf": "scipy.fft", "sl": "scipy.linalg",
    "tr": "scipy.spatial.transform", "sd": "scipy.spatial.distance", "df": "scipy.differentiate",
    "sc": "scipy.constants", "elementwise": "scipy.optimize.elementwise",
}
LEARN = ("preprocessing", "decomposition", "linear_model", "discriminant_analysis", "mixture",
         "naive_bayes", "kernel_approximation", "cluster", "metrics", "metrics.pairwise",
         "model_selection")


def names():
    """Return the modules and classes that expressions use."""
    found = {short: importlib.import_module(name) for short, name in MODULES.items()}
    for part in LEARN:
        module = importlib.import_module(f"sklearn.{part}")
        for name in dir(module):
            if name[0].isalpha():
                found.setdefault(name, getattr(module, name))
    return found


def inputs():
    """Return the operands, as arrays of NumPy."""
    random = numpy.random.default_rng(0)
    features = random.random((40, 5))
    return {
        "x": random.random(30), "y": random.random(30) + 0.1, "a": random.random((6, 3)),
        "m": random.random((4, 4)) + 4 * numpy.eye(4), "img": random.random((8, 8)),
        "i": numpy.arange(10), "t": numpy.array([[8.0, 2.0], [1.0, 5.0]]),
        "q": random.random((5, 4)),
        "taps": numpy.array([1.0, 0.2, 0.1]), "X": features,
        "labels": (features[:, 0] > 0.5).astype("int64"), "r": features @ numpy.arange(5.0),
        "sos": numpy.array([[0.2, 0.4, 0.2, 1.0, -0.4, 0.2]]),
    }


def flat(value):
    """Return what nested tuples hold."""
    if isinstance(value, (tuple, list)):
        return [one for item in value for one in flat(item)]
    return [value]


def outcome(text, known, theirs, ours):
    """Return "ours", "NumPy's" or what is wrong with a call."""
    want = flat(eval(text, {**known, **theirs, "xp": numpy}))
    try:
        got = flat(eval(text, {**known, **ours, "xp": tyto}))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:100]}"
    for one, other in zip(got, want):
        if not numpy.allclose(numpy.asarray(one), numpy.asarray(other), rtol=1e-5, atol=1e-7,
                              equal_nan=True):
            return "differs"
    return "NumPy's" if any(isinstance(one, numpy.ndarray) for one in got) else "ours"


def main():
    """Print the table, and return the exit code."""
    from sklearn import set_config
    warnings.simplefilter("ignore")
    set_config(array_api_dispatch=True)
    known, theirs = names(), inputs()
    ours = {name: tyto.asarray(value) for name, value in theirs.items()}
    counts, others = collections.defaultdict(collections.Counter), []
    path = pathlib.Path(__file__).resolve().parent / "ecosystem.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        area, text = line.split(": ", 1)
        try:
            result = outcome(text, known, theirs, ours)
        except Exception as error:  # this version of SciPy lacks the call
            result = f"without: {error}"
        kind = result if result in ("ours", "NumPy's", "differs") else "fails"
        counts[area]["absent" if result.startswith("without: ") else kind] += 1
        if result != "ours":
            others.append(f"{line}: {result}")
    print("| area | calls | return our arrays | return NumPy's | fail |\n|---|---|---|---|---|")
    for area, c in counts.items():
        total = sum(c.values()) - c["absent"]
        print("|", " | ".join(map(str, (area, total, c["ours"], c["NumPy's"], c["fails"]))), "|")
    print("\n".join(others))
    return 1 if any(c["differs"] for c in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
