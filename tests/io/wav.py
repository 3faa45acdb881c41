#!/usr/bin/env python3
"""Writes small WAV files with their samples: tests/io/wav.def (python3, numpy, scipy 1.18).

SciPy reads the samples and writes some of the files; the others are assembled here, because SciPy does not write them.
WAV(name, dtype, frames, channels, rate, bits, (bytes of the file), (samples)); channels are 0 for a vector.
"""
import io
import struct
import textwrap
import warnings

import numpy as np
import scipy
from scipy.io import wavfile

rows = []


def add(name, data, bits):
    """Add a file with the samples that SciPy reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rate, x = wavfile.read(io.BytesIO(data))
    kind = {"u": "U", "i": "I", "f": "F"}[x.dtype.kind] + str(8 * x.dtype.itemsize)
    rows.append((name, "TY_" + kind, x.shape[0], x.shape[1] if x.ndim == 2 else 0, rate, bits, list(data),
                 [repr(v) for v in x.ravel().tolist()]))


def chunk(kind, data, order="<"):
    """Return a chunk with its size and padding."""
    return kind + struct.pack(order + "I", len(data)) + data + b"\0" * (len(data) % 2)


def riff(*chunks, kind=b"RIFF", order="<", size=None):
    """Return a file of chunks."""
    body = b"WAVE" + b"".join(chunks)
    return kind + struct.pack(order + "I", len(body) if size is None else size) + body


def form(coding, channels, rate, bits, order="<", more=b"", bytes_=None):
    """Return the chunk that describes the samples."""
    frame = channels * (bytes_ or bits // 8)
    return chunk(b"fmt ", struct.pack(order + "HHIIHH", coding, channels, rate, rate * frame, frame, bits) + more, order)


def written(x, rate):
    """Return the file that SciPy writes."""
    out = io.BytesIO()
    wavfile.write(out, rate, x)
    return out.getvalue()


mono = [0, 1, -1, 100, -32768, 32767, 12345]
add("i16_mono", written(np.array(mono, "<i2"), 44100), 16)
add("i16_stereo", written(np.array(mono[:6], "<i2").reshape(3, 2), 48000), 16)
add("u8_odd", written(np.array([0, 128, 255], np.uint8), 8000), 8)
add("i32", written(np.array([1, -2, 2 ** 31 - 1, -2 ** 31], "<i4").reshape(1, 4), 96000), 32)
add("f32", written(np.array([0.5, -1, 3e-8, 1e30], "<f4"), 22050), 32)
add("f64", written(np.array([[0.1, -1e300], [2, 3]]), 1), 64)
packed = b"".join(struct.pack("<i", v)[:3] for v in (0, 1, -1, 8388607, -8388608, 70000))
add("i24", riff(form(1, 2, 44100, 24), chunk(b"data", packed)), 24)
sub = struct.pack("<HHIH", 22, 24, 3, 1) + bytes.fromhex("000000001000800000aa00389b71")
add("extensible", riff(form(0xfffe, 2, 44100, 24, more=sub), chunk(b"fact", b"\3\0\0\0"), chunk(b"data", packed)), 24)
add("empty", riff(form(1, 1, 44100, 16), chunk(b"data", b"")), 16)
add("others", riff(chunk(b"LIST", b"INFOx"), form(1, 1, 11025, 16), chunk(b"data", struct.pack("<3h", *mono[3:6])),
                   chunk(b"id3 ", b"abc")), 16)
add("big", riff(form(1, 2, 44100, 16, ">"), chunk(b"data", struct.pack(">4h", *mono[2:6]), ">"), kind=b"RIFX", order=">"), 16)
add("wide", riff(chunk(b"ds64", struct.pack("<QQQI", 80, 6, 3, 0)), form(1, 1, 8000, 16),
                 b"data" + b"\xff" * 4 + struct.pack("<3h", 1, 2, 3), kind=b"RF64", size=2 ** 32 - 1), 16)
add("i12", riff(form(1, 1, 8000, 12, bytes_=2), chunk(b"data", struct.pack("<3h", 16, -16, 32752))), 12)
print("/* Made by tests/io/wav.py with SciPy %s, which reads the samples. */" % scipy.__version__)
for name, dtype, frames, channels, rate, bits, data, samples in rows:
    numbers = textwrap.fill(",".join(map(str, data)).replace(",", ", "), 115).replace(", ", ",").replace("\n", "\n     ")
    print("WAV(%s, %s, %d, %d, %d, %d,\n    (%s),\n    (%s))" % (name, dtype, frames, channels, rate, bits, numbers,
                                                           ", ".join(samples)))
