"""Files of arrays: NumPy's npy and npz, and delimited text."""

import json
import os
from collections.abc import Mapping

from ._base import as_array, fresh, ints
from ._core import FormatError, c
from ._create import frombuffer
from ._dtypes import dtype_of, float64

__all__ = ["fromfile", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
           "savez_compressed"]


class Archive(Mapping):
    """The arrays of a file by name; each is read when it is asked for."""

    def __init__(self, handle):
        self._handle = handle
        self._format = handle.format()
        self.files = [handle.name(i) for i in range(handle.count())]

    def __getitem__(self, name):
        if name not in self.files:
            raise KeyError(f"{name}: the file has {', '.join(self.files)}")
        return self._handle.get(name)

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __repr__(self):
        return f"<{self._format} of {', '.join(self.files) or 'no arrays'}>"

    def close(self):
        """Close the file; arrays that were read stay."""
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def fromfile(file, dtype=float64, count=-1, sep="", offset=0):
    """Return a vector of elements that tofile wrote to a path or an open file of bytes.

    offset: bytes from the present place on; count: elements, -1 for all.  With a separator the
    elements are text.
    """
    dtype = dtype_of(dtype)
    if not hasattr(file, "read"):
        with open(file, "rb") as opened:
            return fromfile(opened, dtype, count, sep, offset)
    if offset < 0:
        raise ValueError(f"fromfile: offset is {offset}; expected 0 or more")
    if sep:
        return fromstring(file.read()[offset:].decode(), dtype, count, sep=sep)
    file.seek(offset, os.SEEK_CUR)
    data = file.read(-1 if count < 0 else count * dtype.itemsize)
    whole = len(data) // dtype.itemsize
    return fresh(frombuffer(data[:whole * dtype.itemsize], dtype))


class Shards(Mapping):
    """The arrays of a model in several files, by name; each is read when it is asked for."""

    def __init__(self, path, open_one):
        self._open, self._folder, self._opened = open_one, os.path.dirname(path), {}
        with open(path, "rb") as file:
            try:
                index = json.load(file)
            except ValueError as error:
                raise FormatError(f"{path}: is no index in JSON: {error}") from None
        places = index.get("weight_map") if isinstance(index, dict) else None
        if not isinstance(places, dict):
            raise FormatError(f"{path}: has no weight_map, which names the file of each array")
        for name, part in places.items():  # an index must not lead out of its folder
            if not isinstance(part, str) or part in ("", ".", "..") or {*part} & {*"/\\\0"}:
                raise FormatError(f"{path}: the file of {name!r} is {part!r}; expected the name of "
                                  "a file in the same folder")
        self._places = places
        self.files = list(places)

    def __getitem__(self, name):
        if name not in self._places:
            raise KeyError(f"{name}: the index has {', '.join(self.files)}")
        part = self._places[name]
        if part not in self._opened:
            found = self._open(os.path.join(self._folder, part))
            if not isinstance(found, Archive):
                raise FormatError(f"{part}: expected a file of arrays by name")
            self._opened[part] = found
        return self._opened[part][name]

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __repr__(self):
        return f"<{len(set(self._places.values()))} files of {', '.join(self.files)}>"

    def close(self):
        """Close the files; arrays that were read stay."""
        while self._opened:
            self._opened.popitem()[1].close()

    __enter__, __exit__ = Archive.__enter__, Archive.__exit__


def load(file, mmap_mode=None, allow_pickle=False):
    """Read a file: the array of a npy, or the arrays of a npz or of safetensors by name.

    An index of safetensors in several files (.index.json) has the arrays of all of them.  file is a
    path, or open for reading bytes.  mmap_mode "c" maps elements instead of reading them.
    allow_pickle is NumPy's; arrays of objects are refused.
    """
    if mmap_mode not in (None, "c"):
        raise ValueError("load: mmap_mode is None or 'c' (changes stay in memory), "
                         f"not {mmap_mode!r}")
    if not hasattr(file, "read") and os.fspath(file).endswith(".index.json"):
        return Shards(os.fspath(file), lambda path: load(path, mmap_mode))
    if hasattr(file, "read"):
        handle = c.archive_parse(file.read())
    else:
        handle = c.archive_open(os.fspath(file), map=mmap_mode is not None)
    found = Archive(handle)
    several = handle.format() in ("npz", "safetensors")
    return found if several or len(found) != 1 else handle.at(0)


_ARCHIVES = ("safetensors", "npz")


def _write(file, names, arrays, extension, **options):
    """Write arrays to a path, to which an extension is added if it has none, or to an open file."""
    options["format"] = extension
    arrays = [as_array(x) for x in arrays]
    if hasattr(file, "write"):
        file.write(c.archive_bytes(names, arrays, **options))
        return
    path = os.fspath(file)
    path = path if path.endswith("." + extension) else f"{path}.{extension}"
    c.archive_save(path, names, arrays, **options)


def save(file, arr, allow_pickle=True):
    """Write an array as a npy, or a dict of arrays as safetensors or npz, by the path's ending.

    A path gets the extension .npy if it lacks it.  allow_pickle is NumPy's, for arrays of objects,
    which there are not.
    """
    ending = "" if hasattr(file, "write") else os.fspath(file).rpartition(".")[2]
    if isinstance(arr, Mapping):
        if ending not in _ARCHIVES:
            raise ValueError("save: a dict of arrays needs a path that ends in .safetensors or "
                             ".npz")
        return _write(file, list(arr), list(arr.values()), ending)
    if ending == "safetensors":
        raise TypeError("save: safetensors holds a dict of arrays by name, as {'x': x}")
    _write(file, [""], [arr], "npy")


def savez(file, *args, **arrays):
    """Write arrays as a npz, by their names, or as arr_0, arr_1, ... in order."""
    _savez(file, args, arrays, False)


def savez_compressed(file, *args, **arrays):
    """Write arrays as a compressed npz, as savez."""
    _savez(file, args, arrays, True)


def _savez(file, args, arrays, deflate):
    """Write a npz."""
    named = {f"arr_{i}": x for i, x in enumerate(args)}
    both = named.keys() & arrays.keys()
    if both:
        raise ValueError(f"savez: {sorted(both)[0]} names an array and stands for one without name")
    named.update(arrays)
    _write(file, list(named), list(named.values()), "npz", deflate=deflate)


# ---- delimited text ----

def _text(source):
    """Return a path as it is, and an open file or a list of lines as bytes."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    lines = source.read() if hasattr(source, "read") else list(source)
    if isinstance(lines, (str, bytes)):
        return lines if isinstance(lines, bytes) else lines.encode()
    return "\n".join(x.decode() if isinstance(x, bytes) else x for x in lines).encode()


def _table(source, delimiter, comments, skip, rows, missing=None, words=None):
    """Return the table of a path, or of a text in bytes."""
    for name, sign in (("delimiter", delimiter), ("comments", comments)):
        if sign is not None and len(sign) != 1:
            raise ValueError(f"{name} is one character or None, not {sign!r}")
    if rows is not None and rows < 1:
        raise ValueError(f"the number of rows is {rows}; expected 1 or more, or None for all")
    options = {"delimiter": delimiter or " ", "decimal": ".", "header": "none", "skip_rows": skip,
               "rows": rows or 0, "missing": missing, "words": words}
    if comments is not None:
        options["comment"] = comments
    read = c.table_read if isinstance(source, str) else c.table_parse
    return read(source, **{name: x for name, x in options.items() if x is not None})


def _number(word):
    """Return the number of a word, or NaN."""
    try:
        return float(word)
    except ValueError:
        return float("nan")


def _column(table, i):
    """Return a column as numbers; words that are none, and missing elements, are NaN."""
    codes = table.at(i)
    if table.kind(i) != "words":
        return c.cast(codes, float64)
    numbers = [_number(table.word(i, k)) for k in range(table.words(i))]
    return c.take(as_array([*numbers, float("nan")]), codes, 0)  # -1 is missing: the last one


def _strict(table, again):
    """Refuse words and missing numbers, but not the word nan; again() reads all cells as words."""
    count = table.columns()
    gaps = [i for i in range(count) if table.kind(i) == "words" or
            bool(c.any(table.missing(i), None, False))]
    words = again() if gaps else None
    for i in gaps:
        rows = c.flat_nonzero(words.missing(i))
        if rows.size:
            raise ValueError(f"loadtxt: row {int(rows[0])} has no number in column {i}; genfromtxt "
                             "makes NaN of it")
        for word in (words.word(i, k) for k in range(words.words(i))):
            if _number(word) != _number(word) and word.strip().lower().lstrip("+-") != "nan":
                raise ValueError(f"loadtxt: {word!r} in column {i} is no number; genfromtxt makes "
                                 "NaN of it")


def _columns(table, dtype, usecols, ndmin, unpack):
    """Return some columns of a table as an array, as loadtxt does."""
    if ndmin not in (0, 1, 2):
        raise ValueError(f"ndmin is {ndmin}; expected 0, 1 or 2")
    if any(table.kind(i) == "words" for i in range(table.columns())):
        x = c.stack([_column(table, i) for i in range(table.columns())], 1)
        x = c.cast(x, dtype_of(dtype))
    else:
        x = table.matrix(dtype_of(dtype))
    if usecols is not None:
        x = c.take(x, list(ints(usecols)), 1)
    if ndmin < 2:
        keep = [n for n in x.shape if n != 1]
        x = c.reshape(x, keep if len(keep) >= ndmin else (x.size,))
    return x.T if unpack else x


def loadtxt(fname, dtype=float64, comments="#", delimiter=None, skiprows=0, usecols=None,
            unpack=False, ndmin=0, *, max_rows=None):
    """Read numbers of a text: a path, an open file or a list of lines.

    delimiter None stands for blanks.  All lines have equally many numbers; none may be missing.
    """
    options = (_text(fname), delimiter, comments, skiprows, max_rows)
    table = _table(*options)
    _strict(table, lambda: _table(*options, missing=[""], words=True))
    return _columns(table, dtype, usecols, ndmin, unpack)


def genfromtxt(fname, dtype=float64, comments="#", delimiter=None, skip_header=0, *,
               missing_values=None, filling_values=None, usecols=None, unpack=False, max_rows=None,
               ndmin=0):
    """Read numbers of a text as loadtxt; missing ones become filling_values, by default NaN.

    missing_values are words that stand for missing numbers, beside empty cells.
    """
    if isinstance(missing_values, str):
        missing_values = [missing_values]
    table = _table(_text(fname), delimiter, comments, skip_header, max_rows, missing_values)
    if filling_values is None:
        return _columns(table, dtype, usecols, ndmin, unpack)
    x = _columns(table, float64, usecols, ndmin, unpack)
    return c.cast(c.where(c.is_nan(x), filling_values, x), dtype_of(dtype))


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="",
            comments="# "):
    """Write numbers as text, a line for each row.

    fmt is a format for all numbers, or a list with one for each column.  A path may end in .gz.
    """
    x = as_array(X)
    if not 1 <= x.ndim <= 2:
        raise ValueError(f"savetxt: expected a vector or a matrix, not {x.ndim} axes")
    rows = [[v] for v in x.tolist()] if x.ndim == 1 else x.tolist()
    columns = 1 if x.ndim == 1 else x.shape[1]
    line = (delimiter.join([fmt] * columns) if isinstance(fmt, str) and fmt.count("%") == 1 else
            fmt if isinstance(fmt, str) else delimiter.join(fmt))
    if line.count("%") - 2 * line.count("%%") != columns:
        raise ValueError(f"savetxt: fmt {fmt!r} has not one format for each of {columns} columns")
    parts = ["".join(comments + one + newline for one in header.split("\n"))] if header else []
    parts += [line % tuple(row) + newline for row in rows]
    parts += ["".join(comments + one + newline for one in footer.split("\n"))] if footer else []
    _put("".join(parts), fname)


def _put(text, file):
    """Write a text to a path or an open file of text or bytes."""
    if hasattr(file, "write"):
        try:
            file.write(text)
        except TypeError:
            file.write(text.encode())
        return
    import gzip

    path = os.fspath(file)
    with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8") as out:
        out.write(text)


def fromstring(string, dtype=float64, count=-1, *, sep):
    """Return the numbers of a text in which they are separated by sep."""
    words = string.split(None if sep.isspace() or not string.strip() else sep.strip())
    words = words if count < 0 else words[:count]
    kind = dtype_of(dtype).kind
    read = {"f": float, "c": complex, "b": int}.get(kind, int)
    return as_array([read(word) for word in words]).astype(dtype_of(dtype))
