"""Compares the tables of csv files that PyPI packages ship with those of pandas: shapes, names, values.

    python3 tests/table/packages.py LIBRARY FOLDER [-v]

LIBRARY is libtyto.so or libtyto_internal.so; FOLDER is searched for *.csv and *.tsv.  Prints one line for each file
that differs or is refused, and the counts.  Differences that are meant, and count as equal: a table without names,
words for missing elements beside numbers, thousands, blanks behind delimiters, names of rows.  Fails if fewer files
are equal than 1,240 of 1,273.  tests/table/packages.sh makes the folder.
"""
import ctypes
import os
import sys
import warnings

import numpy
import pandas

warnings.simplefilter("ignore")
tyto = ctypes.CDLL(sys.argv[1])


class Options(ctypes.Structure):
    _fields_ = [("signs", ctypes.c_char * 4), ("header", ctypes.c_int), ("skip", ctypes.c_int64),
                ("rows", ctypes.c_int64), ("missing", ctypes.c_void_p), ("nmissing", ctypes.c_int),
                ("flags", ctypes.c_bool * 4), ("most", ctypes.c_uint64)]


def declare(name, result, *arguments):
    function = getattr(tyto, name)
    function.restype, function.argtypes = result, arguments
    return function


handle, text, whole = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
read = declare("ty_table_read_sized", handle, text, ctypes.POINTER(Options), ctypes.c_size_t)
free = declare("ty_table_free", None, handle)
error = declare("ty_table_error", text, handle)
rows = declare("ty_table_rows", whole, handle)
columns = declare("ty_table_columns", whole, handle)
name = declare("ty_table_name", text, handle, whole)
kind = declare("ty_table_kind", ctypes.c_int, handle, whole)
word = declare("ty_table_word", text, handle, whole, whole)
values = declare("ty_table_values", handle, handle, whole)
missing = declare("ty_table_missing", handle, handle, whole)
dtype = declare("ty_dtype_of", ctypes.c_int, handle)
copy = declare("ty_read", ctypes.c_bool, handle, ctypes.c_int, ctypes.c_void_p)
opened = declare("ty_open", handle)
close = declare("ty_close", None, handle)
BOOL, I64, U64, I32, F64 = 0, 4, 8, 3, 12
KINDS = ["empty", "bool", "whole", "number", "words"]


def elements(t, i, n):
    """Column i as a list, missing elements as None."""
    scope = opened()
    x, mask = values(t, i), missing(t, i)
    form = dtype(x)
    array = {BOOL: numpy.bool_, I64: numpy.int64, U64: numpy.uint64, I32: numpy.int32, F64: numpy.float64}.get(form)
    if array is None:
        close(scope)
        return ["complex"] * n
    out, gone = numpy.empty(n, array), numpy.empty(n, numpy.bool_)
    assert copy(x, form, out.ctypes.data) and copy(mask, BOOL, gone.ctypes.data)
    close(scope)
    if KINDS[kind(t, i)] == "words":
        said = {code: word(t, i, code).decode() for code in set(out[~gone].tolist())}
        return [None if g else said[c] for c, g in zip(out.tolist(), gone.tolist())]
    return [None if g else v for v, g in zip(out.tolist(), gone.tolist())]


def number(value):
    """The number that a word is, with thousands; None if it is none."""
    try:
        return float(value.replace(",", ""))
    except ValueError:
        return None


ALSO = {"?", "-", "--", ".", "none", "na", "N.A.", "Nan", "NAN", "Null", ""}


def equal(a, b):
    missing_b = b is None or (isinstance(b, float) and b != b) or b is pandas.NA
    if a is None:
        return missing_b or (isinstance(b, str) and b.strip() in ALSO)
    if missing_b:
        return False
    if isinstance(b, str) and not isinstance(a, str):
        if isinstance(a, bool):
            return b.strip().lower() == str(a).lower()
        b = number(b)
        return b is not None and a == b
    if isinstance(a, str) and isinstance(b, str):
        return a == b or a == b.strip() or a.strip() == b.strip()
    if isinstance(a, float) or isinstance(b, float):
        return float(a) == float(b)
    return a == b


def compare(t, frame, header):
    """The first difference of a table from a frame; "" if there is none."""
    first = 0
    if columns(t) == frame.shape[1] + 1 and name(t, 0) == b"row_names":
        first = 1
    if (rows(t), columns(t) - first) != frame.shape:
        return f"shape {rows(t)} x {columns(t) - first}, pandas {frame.shape[0]} x {frame.shape[1]}"
    for i in range(frame.shape[1]):
        said = name(t, i + first).decode()
        if header and said.strip() != str(frame.columns[i]).strip():
            return f"name {i} is {said!r}, pandas {frame.columns[i]!r}"
        ours, theirs = elements(t, i + first, rows(t)), frame.iloc[:, i].tolist()
        for k, (a, b) in enumerate(zip(ours, theirs)):
            if not equal(a, b):
                return f"row {k} of {said!r} is {a!r}, pandas {b!r}"
    return ""


def table(path, **how):
    return pandas.read_csv(path, float_precision="round_trip", low_memory=False, **how)


def difference(t, path):
    tries = [({}, True), ({"header": None}, False), ({"sep": "\t"}, True), ({"sep": ";"}, True), ({"sep": "|"}, True),
             ({"sep": r"\s+"}, True), ({"sep": ";", "decimal": ","}, True), ({"sep": ";", "header": None}, False),
             ({"sep": r"\s+", "header": None}, False), ({"sep": "\t", "header": None}, False), ({"comment": "#"}, True)]
    first = None
    for how, header in tries:
        try:
            found = compare(t, table(path, **how), header)
        except Exception as e:
            found = f"pandas: {e}"[:200]
        if not found:
            return "", how
        first = first or found
    return first, {}


def main():
    paths = sorted(os.path.join(folder, f) for folder, _, files in os.walk(sys.argv[2]) for f in files
                   if f.endswith((".csv", ".tsv", ".csv.gz")) and not f.startswith("._"))  # ._: forks of another system
    equals = refused = both = other = 0
    hows = {}
    for path in paths:
        options = Options()
        t = read(path.encode(), ctypes.byref(options), ctypes.sizeof(options))
        said = error(t).decode()
        if said:
            try:
                table(path)
                refused += 1
                print("refused", said)
            except Exception as e:
                both += 1
                if "-v" in sys.argv:
                    print("both refuse", said, "|", str(e)[:80])
        else:
            found, how = difference(t, path)
            equals += not found
            if how:
                hows[str(how)] = hows.get(str(how), 0) + 1
                if "-v" in sys.argv:
                    print("equal to pandas with", how, path)
            other += bool(found)
            if found:
                print("differs", path, found)
        free(t)
    print(f"{len(paths)} files: {equals} equal, {other} differ, {refused} refused, {both} refused by pandas too")
    print("of the equal ones, to pandas with other options than its defaults:", hows)
    return 0 if paths and equals * 1273 >= 1240 * len(paths) else 1


sys.exit(main())
