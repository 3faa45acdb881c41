#!/usr/bin/env python3
"""Writes small images of every kind with their elements: tests/io/images.def (python3, pillow).

PNGs are assembled here from chosen samples.  JPEGs are written by pillow, which also reads their elements.  IMAGE(name, format, dtype, height, width, channels, (bytes of the file), (elements))
"""
import io
import random
import struct
import zlib

from PIL import Image

random.seed(1)
rows = []


def add(name, kind, dtype, shape, data, elements):
    rows.append((name, kind, dtype, shape, list(data), list(elements)))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pack(samples, bits):
    """One line of samples, filter 0 in front."""
    if bits == 16:
        return b"\0" + b"".join(struct.pack(">H", s) for s in samples)
    line, place, at = bytearray(), 0, 0
    for s in samples:
        at = at << bits | s
        place += bits
        if place == 8:
            line.append(at)
            place = at = 0
    if place:
        line.append(at << (8 - place))
    return b"\0" + bytes(line)


PASSES = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]


def png(samples, height, width, channels, bits, colour, extra=b"", interlaced=False):
    """samples[y][x] is a list of channels."""
    data = b""
    for y0, x0, dy, dx in PASSES if interlaced else [(0, 0, 1, 1)]:
        for y in range(y0, height, dy):
            line = [s for x in range(x0, width, dx) for s in samples[y][x]]
            if line:
                data += pack(line, bits)
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(data, 9))
            + chunk(b"IEND", b""))


def flat(samples):
    return [s for line in samples for pixel in line for s in pixel]


def some(height, width, channels, bits):
    return [[[random.randrange(1 << bits) for _ in range(channels)] for _ in range(width)] for _ in range(height)]


def plain(name, channels, bits, colour, interlaced=False, height=3, width=5):
    samples = some(height, width, channels, bits)
    full = 255 if bits <= 8 else 65535
    elements = [s * full // ((1 << bits) - 1) for s in flat(samples)]
    add(name, "png", "TY_U16" if bits == 16 else "TY_U8", (height, width, channels),
        png(samples, height, width, channels, bits, colour, b"", interlaced), elements)


for bits in 1, 2, 4, 8, 16:
    plain(f"grey_{bits}", 1, bits, 0)
plain("grey_alpha", 2, 8, 4)
plain("grey_alpha_16", 2, 16, 4)
plain("rgb", 3, 8, 2)
plain("rgb_16", 3, 16, 2)
plain("rgba", 4, 8, 6)
plain("rgba_16", 4, 16, 6)
plain("interlaced", 3, 8, 2, True, 9, 10)
plain("interlaced_bits", 1, 1, 0, True, 9, 11)
plain("one_pixel", 1, 8, 0, False, 1, 1)

# A palette, without and with transparent colours.
for bits, clear in (1, 0), (2, 1), (4, 3), (8, 2):
    count = min(1 << bits, 6)
    palette = [[random.randrange(256) for _ in range(3)] for _ in range(count)]
    alpha = [random.randrange(255) for _ in range(clear)]
    samples = [[[random.randrange(count)] for _ in range(5)] for _ in range(3)]
    extra = chunk(b"PLTE", bytes(flat([palette])))
    if clear:
        extra += chunk(b"tRNS", bytes(alpha))
    elements = []
    for s in flat(samples):
        elements += palette[s] + ([alpha[s] if s < clear else 255] if clear else [])
    add(f"palette_{bits}{'_clear' if clear else ''}", "png", "TY_U8", (3, 5, 4 if clear else 3),
        png(samples, 3, 5, 1, bits, 3, extra), elements)

# One colour that is transparent.
for name, channels, bits, colour in (("grey_clear", 1, 4, 0), ("grey_clear_16", 1, 16, 0), ("rgb_clear", 3, 8, 2),
                                     ("rgb_clear_16", 3, 16, 2)):
    samples = some(3, 5, channels, bits)
    chosen = samples[1][2]
    full = 255 if bits <= 8 else 65535
    elements = []
    for line in samples:
        for pixel in line:
            elements += [s * full // ((1 << bits) - 1) for s in pixel] + [0 if pixel == chosen else full]
    extra = chunk(b"tRNS", b"".join(struct.pack(">H", s) for s in chosen))
    add(name, "png", "TY_U16" if bits == 16 else "TY_U8", (3, 5, channels + 1),
        png(samples, 3, 5, channels, bits, colour, extra), elements)


def smooth(mode, height, width):
    channels = len(mode)
    data = bytes((40 * c + 9 * x + 13 * y) % 256 for y in range(height) for x in range(width) for c in range(channels))
    return Image.frombytes(mode, (width, height), data)


def jpeg(name, mode, height, width, image_mode=None, **options):
    out = io.BytesIO()
    smooth(image_mode or mode, height, width).save(out, "JPEG", optimize=True, **options)
    data = out.getvalue()
    read = Image.open(io.BytesIO(data))
    assert len(read.getbands()) == len(mode)
    elements = list(read.tobytes())
    if mode == "CMYK":  # pillow turns Adobe's values about when it reads: 0 is no ink
        mixed = []
        for i in range(0, len(elements), 4):
            c = [255 - e for e in elements[i:i + 4]]
            mixed += [(c[k] * c[3] + 127) // 255 for k in range(3)]
        elements = mixed
    add(name, "jpeg", "TY_U8", (height, width, 1 if mode == "L" else 3), data, elements)


jpeg("jpeg_grey", "L", 9, 11, quality=90)
jpeg("jpeg_rgb", "RGB", 8, 8, quality=90, subsampling=0)
jpeg("jpeg_halved", "RGB", 19, 17, quality=60, subsampling=2)
jpeg("jpeg_progressive", "RGB", 9, 7, quality=80, subsampling=0, progressive=True)
jpeg("jpeg_inks", "CMYK", 8, 9, quality=90, subsampling=0)


def wrapped(numbers):
    lines, line = [], "     "
    for n in numbers:
        word = f"{n},"
        if len(line) + len(word) > 116:
            lines.append(line)
            line = "     "
        line += word
    lines.append(line[:-1])
    return "\n".join(lines).lstrip()


with open("tests/io/images.def", "w") as file:
    file.write("/* Made by tests/io/images.py, which explains the columns. */\n")
    for name, kind, dtype, shape, data, elements in rows:
        file.write(f"IMAGE({name}, {kind}, {dtype}, {shape[0]}, {shape[1]}, {shape[2]},\n"
                   f"    ({wrapped(data)}),\n    ({wrapped(elements)}))\n")
    file.write("#undef IMAGE\n")

# One of each kind for the fuzzer, whose first byte is the format.
chosen = {"rgb": 0, "palette_2_clear": 0, "interlaced": 0, "jpeg_rgb": 1, "jpeg_progressive": 1, "jpeg_inks": 1}
for name, kind, dtype, shape, data, elements in rows:
    if name in chosen:
        with open(f"fuzz/corpus/image/{name}", "wb") as file:
            file.write(bytes([chosen[name]] + data))
for name, data in ("pgm", b"\x02P5 2 1 7\n\x07\x01"), ("ppm", b"\x02P3 1 2 255 # six\n1 2 3 4 5 6\n"):
    with open(f"fuzz/corpus/image/{name}", "wb") as file:
        file.write(data)
