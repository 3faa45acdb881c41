#!/usr/bin/env python3
"""Writes tests/ops/math/storage.def: the codes that ml_dtypes gives to numbers in each float for storage, and onnx in
float8e8m0 for its three roundings, saturating or not.  Run it from the root of the tree:

    python3 tests/ops/math/storage_values.py > tests/ops/math/storage.def"""
import ml_dtypes as m
import numpy as np
from onnx.numpy_helper import saturate_cast, to_float8e8m0

FLOATS = [m.float8_e4m3fn, m.float8_e4m3fnuz, m.float8_e5m2, m.float8_e5m2fnuz]


def numbers():
    """Ends of ranges, midpoints and their neighbours, and numbers of all sizes."""
    random = np.random.default_rng(5)
    chosen = [0.0, -0.0, np.inf, -np.inf, 448, 464, 465, -464, 480, 240, 247.9, 248, -248, 57344, 61439, 61440, -61440,
              65536, 6, 7, 2.5, -0.25, 0.75, 2**-9, 2**-10, 2**-11, 2**-17, 2**-18, -2**-18, 3e38]
    spread = np.ldexp(random.uniform(1, 2, 130), random.integers(-20, 20, 130)) * random.choice([-1, 1], 130)
    codes = random.integers(0, 255, 70).astype(np.uint8)
    ties = codes.view(m.float8_e5m2).astype(np.float32) * np.float32(1.125)
    return np.array(chosen + list(spread) + list(ties[np.isfinite(ties)]), dtype=np.float32)


def main():
    x = numbers()
    columns = [x.view(np.uint32)]
    columns += [x.astype(t).view(np.uint8) for t in FLOATS]
    columns += [saturate_cast(x, t).view(np.uint8) for t in FLOATS]
    columns += [x.astype(m.float4_e2m1fn).view(np.uint8)]
    size = np.where((np.abs(x) >= 2.0**-126) & (np.abs(x) < np.inf), np.abs(x), 1).astype(np.float32)
    columns += [to_float8e8m0(size, True, way).view(np.uint8) for way in ("up", "down", "nearest")]
    print("/* Made by tests/ops/math/storage_values.py: STORED(bits of f32; codes in e4m3fn, e4m3fnuz, e5m2, e5m2fnuz; the\n"
          "   same where they saturate; in e2m1; in e8m0 of the size of normal numbers, of 1 for others: up, down, nearest). */")
    for row in zip(*columns):
        print("STORED(0x%08x, %s)" % (row[0], ", ".join("%d" % v for v in row[1:])))
    print("#undef STORED")


main()
