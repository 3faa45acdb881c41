#!/usr/bin/env python3
"""Images with an orientation in their Exif data, and the results of pillow's ImageOps.exif_transpose: tests/io/turned.def
(python3, pillow).  Columns are those of images.py."""
import io
import struct

from PIL import Image, ImageOps

rows = []


def exif(orientation, order, kind=3, before=0):
    """One directory, with `before` other fields in front; kind 3 is SHORT, 4 is LONG."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    fields = [struct.pack(order + "HHI", 0x100 + i, 4, 1) + struct.pack(order + "I", 7) for i in range(before)]
    value = struct.pack(order + "HH", orientation, 0) if kind == 3 else struct.pack(order + "I", orientation)
    fields.append(struct.pack(order + "HHI", 0x112, kind, 1) + value)
    return mark + struct.pack(order + "IH", 8, len(fields)) + b"".join(fields) + struct.pack(order + "I", 0)


def add(name, form, mode, data):
    height, width = 2, 3
    image = Image.frombytes(mode, (width, height), bytes((37 * i + 11) % 256 for i in range(height * width * len(mode))))
    out = io.BytesIO()
    image.save(out, form, exif=data, **({"quality": 95, "subsampling": 0, "optimize": True} if form == "JPEG" else {}))
    read = ImageOps.exif_transpose(Image.open(io.BytesIO(out.getvalue())))
    rows.append((name, form.lower(), read.height, read.width, len(mode), list(out.getvalue()), list(read.tobytes())))


for o in range(10):
    order = "<>"[o % 2]
    add(f"turned_{o}", "JPEG", "RGB", b"Exif\0\0" + exif(o, order, before=o % 3))
    add(f"turned_png_{o}", "PNG", ("L", "RGB", "RGBA")[o % 3], exif(o, "><"[o % 2]))
add("turned_grey", "JPEG", "L", b"Exif\0\0" + exif(6, ">"))
add("turned_xmp", "JPEG", "L", b"http://ns.adobe.com/xap/1.0/\0<x/>")


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


with open("tests/io/turned.def", "w") as file:
    file.write("/* Made by tests/io/turned.py, which explains the columns. */\n")
    for name, kind, height, width, channels, data, elements in rows:
        file.write(f"IMAGE({name}, {kind}, TY_U8, {height}, {width}, {channels},\n"
                   f"    ({wrapped(data)}),\n    ({wrapped(elements)}))\n")
    file.write("#undef IMAGE\n")
for name in "turned_6", "turned_png_5":
    kind, data = [(row[1], row[5]) for row in rows if row[0] == name][0]
    with open(f"fuzz/corpus/image/{name}", "wb") as file:
        file.write(bytes([kind == "jpeg"] + data))
