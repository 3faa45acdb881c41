"""Tables: named columns of numbers, truth values and words, with missing elements.

    t = table.read_csv("titanic.csv")
    t["Age"], t["Sex"]                    an array; a list of words
    t.group("Sex", mean="Age")
"""

import os

from tyto import _core
from tyto._base import attributes_of, is_integer
from tyto._columns import columns_of, is_single, with_column
from tyto._core import c
from tyto._elsewhere import TABLES
from tyto._families import generator_of
from tyto._fits import Fit
from tyto._hints import absent
from tyto._search import where

__all__ = ["Fit", "Table", "from_dict", "parse_csv", "read_csv"]

_HEADERS = {None: None, True: "first", False: "none"}
PAIRINGS = ("inner", "left", "right", "outer")
REDUCTIONS = ("size", "count", "unique", "first", "last", "min", "max", "sum", "mean", "median",
              "var", "std")


def _words(names):
    """Return a list of names: of one, or of several."""
    return [names] if isinstance(names, str) else list(names)


class Table:
    """A table, which never changes: methods return others, which share unchanged columns."""

    def __init__(self, source=None):
        """Take a dict of columns, a list of rows, a handle of tyto.c, or an object of pandas' kind.

        Columns are arrays, or lists; words are str, missing elements None or NaN.  Rows are dicts;
        names that a row lacks are missing in it.
        """
        if isinstance(source, c.Table):
            self.handle = source
            return
        self.handle = c.table_new([], [])
        if hasattr(source, "columns") and not isinstance(source, (Table, dict)):
            source = {str(name): source[name] for name in source.columns}
        elif isinstance(source, Table):
            self.handle = source.handle
            return
        for name, column in columns_of(source).items():
            self.handle = with_column(self.handle, name, column)

    # ---- inspection ----

    @property
    def columns(self):
        """The names of columns."""
        return [c.table_name(self.handle, i) for i in range(self.handle.columns())]

    @property
    def shape(self):
        """Numbers of rows and columns."""
        return self.handle.rows(), self.handle.columns()

    @property
    def kinds(self):
        """The kinds of columns by name: "bool", "whole", "number", "words" or "empty"."""
        return {name: self.handle.kind(i) for i, name in enumerate(self.columns)}

    def __len__(self):
        """Return the number of rows."""
        return self.handle.rows()

    def __reduce__(self):
        return _restored, ([(name, *(self.codes(name) if self.handle.kind(i) == "words" else
                                     (self.handle.values(i), self.missing(name))))
                            for i, name in enumerate(self.columns)],)

    def __iter__(self):
        """Yield the names of columns, as a dict does."""
        return iter(self.columns)

    def __contains__(self, name):
        return name in self.columns

    def keys(self):
        """Return the names of columns."""
        return self.columns

    def _place(self, name):
        i = self.handle.find(name)
        if i < 0:
            self.handle.column(name)  # raises with the nearest name
        return i

    def __getitem__(self, key):
        """Return a column by its name, a table of columns (list), or of rows.

        A column is an array, of words a list of str with None for missing ones.  Rows: a slice, a
        bool array, or an array of indices.
        """
        if isinstance(key, str):
            i = self._place(key)
            return self.words(key) if self.handle.kind(i) == "words" else self.handle.at(i)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return Table(self.handle.rows_between(start, max(start, stop)))
            return self.take(range(start, stop, step))
        if isinstance(key, (list, tuple)) and key and isinstance(key[0], str):
            return self.select(key)
        if is_integer(key):
            raise TypeError(f"{key} is no name of a column; write t.row({key}), or "
                            f"t[{key}:{key + 1}]")
        mask = key if isinstance(key, _core.Array) else _core.asarray(key)
        return self.filter(mask) if str(mask.dtype) == "bool" else self.take(mask)

    def codes(self, name):
        """Return the codes of a column of words, int32 (-1: missing), and the list of words."""
        i = self._place(name)
        found = [c.table_word(self.handle, i, k) for k in range(self.handle.words(i))]
        return self.handle.at(i), found

    def words(self, name):
        """Return the words of a column, a list of str with None for missing ones."""
        codes, found = self.codes(name)
        return [None if k < 0 else found[k] for k in codes.tolist()]

    def missing(self, name):
        """Return the mask of missing elements of a column."""
        return self.handle.missing(self._place(name))

    def to_dict(self):
        """Return the columns by name, as __getitem__ does."""
        return {name: self[name] for name in self.columns}

    def to_pandas(self):
        """Return a DataFrame of pandas, which must be installed."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def matrix(self, dtype="float64"):
        """Return all columns as a matrix, missing elements as NaN; words are an error."""
        return self.handle.matrix(dtype)

    def __array__(self, dtype=None, copy=None):
        """Return the matrix as an array of NumPy."""
        import numpy

        return numpy.asarray(self.matrix(), dtype=dtype)

    # ---- rows and columns ----

    def select(self, names):
        """Return a table of some columns."""
        return Table(self.handle.select(_words(names)))

    def filter(self, mask):
        """Return the rows at which a bool array is true, or an expression of the columns.

        t.filter("age > 60 and city != 'Rome'"): names of columns, in which other characters are _;
        t.filter("`a name` > 3 or isnan(city)"): names as they are; missing elements.
        """
        if isinstance(mask, str):
            return Table(self.handle.where(mask))
        mask = mask if isinstance(mask, _core.Array) else _core.asarray(mask)
        return Table(self.handle.filter(mask))

    def take(self, index):
        """Return the rows of these indices."""
        if not isinstance(index, _core.Array):
            index = _core.asarray(list(index), dtype="int64")
        return Table(self.handle.take(index))

    def head(self, n=5):
        """Return the first rows; n below 0: all but the last -n."""
        return self[:n]

    def tail(self, n=5):
        """Return the last rows; n below 0: all but the first -n."""
        return self[max(len(self) - n, 0) if n >= 0 else -n:]

    def row(self, i):
        """Return one row, a dict; missing elements are None."""
        return next(self[i:i + 1 or None].rows(), None) or self._no_row(i)

    def _no_row(self, i):
        raise IndexError(f"row {i} of a table of {len(self)} rows")

    def rows(self):
        """Yield the rows, dicts by name; missing elements are None."""
        columns = [self._objects(name) for name in self.columns]
        for row in zip(*columns):
            yield dict(zip(self.columns, row))

    def _objects(self, name):
        """Return a column as a list of objects of Python, with None for missing elements."""
        i = self._place(name)
        if self.handle.kind(i) == "words":
            return self.words(name)
        column, gone = self.handle.values(i).tolist(), self.missing(name).tolist()
        return [None if no else x for x, no in zip(column, gone)]

    def sample(self, n, key=None):
        """Return n rows in a random order.  key: a key, a seed or a generator."""
        key = generator_of(key).key()
        return self.take(c.choice(len(self), n, False, None, key))

    def split(self, *fractions, key=None):
        """Return disjoint tables of these fractions of the rows, in a random order.

        train, test = t.split(0.8, 0.2, key=1).  key: as of sample.
        """
        if not fractions or min(fractions) < 0 or sum(fractions) > 1 + 1e-9:
            raise ValueError(f"split: the fractions are {fractions}; expected some of 0 or more, "
                             "with the sum 1 at most")
        order = c.permutation(len(self), generator_of(key).key())
        ends = [round(sum(fractions[:i]) * len(self)) for i in range(len(fractions) + 1)]
        return tuple(self.take(order[low:high]) for low, high in zip(ends, ends[1:]))

    def drop(self, names):
        """Return the table without some columns."""
        names = _words(names)
        for name in names:
            self._place(name)
        return self.select([name for name in self.columns if name not in names])

    def rename(self, names):
        """Return the table with other names of columns, t.rename({"old": "new"}), or a function."""
        names = {name: names(name) for name in self.columns} if callable(names) else names
        for name in names:
            self._place(name)
        made = [names.get(name, name) for name in self.columns]
        twice = next((name for name in made if made.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"rename: two columns have the name {twice!r}")
        handle = c.table_new([], [])
        for name, new in zip(self.columns, made):
            handle = self._copied(name, handle, new)
        return Table(handle)

    def _copied(self, name, handle, new):
        """Return another table's handle with a column of this one, under a new name."""
        i = self._place(name)
        if self.handle.kind(i) == "words":
            codes, words = self.codes(name)
            return handle.with_words(new, codes, words)
        return handle.with_(new, self.handle.values(i), self.handle.missing(i))

    def fill_missing(self, value):
        """Return the table with a value in the place of missing elements.

        value: a number, for columns of numbers and truth values; a word, for columns of words; or a
        dict of values by names of columns.
        """
        if not isinstance(value, dict):
            words = isinstance(value, str)
            value = {name: value for name, kind in self.kinds.items()
                     if (kind == "words") == words or kind == "empty"}
        made = {}
        for name, filler in value.items():
            i = self._place(name)
            kind = self.handle.kind(i)
            if kind not in ("words", "empty") and not hasattr(filler, "__float__"):
                raise TypeError(f"fill_missing: {filler!r} for the column {name!r} of the kind "
                                f"{kind}; expected a number")
            if kind == "words":
                made[name] = [filler if x is None else x for x in self.words(name)]
            elif kind == "empty":
                made[name] = [filler] * len(self)
            else:
                made[name] = where(self.missing(name), filler, self.handle.values(i))
        return self.assign(**made)

    def pivot(self, index, columns, values=None, how="mean"):
        """Return a row for each word of `index`, and a column for each word of `columns`.

        The elements are reductions of the column `values`, as of group; without values, the numbers
        of rows.  index may be several columns.  t.pivot("city", "year", "rain", "sum")
        """
        keys = _words(index)
        wanted = "size" if values is None else (values, how, "value")
        if values is not None and how not in REDUCTIONS:
            raise ValueError(f"pivot: there is no reduction {how!r}; there are "
                             f"{', '.join(REDUCTIONS)}")
        grouped = self.group([*keys, columns], wanted)
        across = grouped.group(columns).sort(columns)._objects(columns)
        rows = grouped.group(keys).sort(keys)
        places = {row: i for i, row in enumerate(zip(*(rows._objects(key) for key in keys)))}
        clash = next((name for name in across if str(name) in keys), None)
        if clash is not None:
            raise ValueError(f"pivot: {clash!r} would be the name of two columns; rename one")
        cells = {name: [None] * len(rows) for name in across}
        found = grouped._objects("size" if values is None else "value")
        for *key, name, x in zip(*(grouped._objects(key) for key in keys),
                                 grouped._objects(columns), found):
            cells[name][places[tuple(key)]] = x
        if values is None:
            cells = {name: [x or 0 for x in column] for name, column in cells.items()}
        return rows.assign(**{str(name): column for name, column in cells.items()})

    def melt(self, ids, names=None, variable="variable", value="value"):
        """Return a row for each element of some columns: `ids`, the column's name, and the element.

        names: the columns, of one kind; None: all others.
        """
        ids = _words(ids)
        chosen = [name for name in self.columns if name not in ids] if names is None \
            else _words(names)
        twice = next((name for name in (variable, value) if name in ids), None)
        if twice is not None or variable == value:
            raise ValueError(f"melt: two columns would have the name {twice or value!r}; choose "
                             "others by variable= and value=")
        parts = [Table(self._copied(name, self.select(ids).assign(
            **{variable: [name] * len(self)}).handle, value)) for name in chosen]
        made = parts[0] if parts else self.select(ids)
        for part in parts[1:]:
            made = made.append(part)
        return made

    def __getattr__(self, name):
        raise absent(self, name, TABLES, self.columns if "handle" in vars(self) else ())

    def sort(self, by, descending=False):
        """Return the rows in the order of one column or several; a bool, or one for each."""
        by = _words(by)
        each = [descending] * len(by) if isinstance(descending, bool) else list(descending)
        return Table(self.handle.sort(by, each))

    def drop_missing(self, names=()):
        """Return the rows without missing elements in some columns (none: in all)."""
        return Table(self.handle.drop_missing(_words(names)))

    def unique(self, names=()):
        """Return the first row of each combination of some columns (none: of all)."""
        return Table(self.handle.unique(_words(names)))

    def assign(self, **columns):
        """Return a table with columns replaced, or added.

        A column is an array, a list, one element for all rows, or a function of the table.
        """
        handle = self.handle
        for name, column in columns.items():
            column = column(self) if callable(column) else column
            handle = with_column(handle, name, [column] * len(self) if is_single(column)
                                 else column)
        return Table(handle)

    def append(self, other):
        """Return the rows of this table, then those of another."""
        return Table(self.handle.append(Table(other).handle))

    # ---- groups, joins, summaries ----

    def group(self, by, *values, missing=False, **reductions):
        """Return a row for each combination of the columns `by`.

        reductions: mean="Age", max=["Age", "Fare"]; values: (column, reduction) or (column,
        reduction, name).  The reductions are those of docs/data.md.  missing: group missing keys.
        """
        wanted = []
        for reduction, names in reductions.items():
            if reduction not in REDUCTIONS:
                raise TypeError(f"there is no reduction {reduction!r}; there are "
                                f"{', '.join(REDUCTIONS)}")
            names = [None] if names is True else _words(names)
            wanted += [{"column": name, "value": reduction} for name in names]
        for value in values:
            value = ("", "size") if value == "size" else value
            wanted.append(dict(zip(("column", "value", "name"), value)))
        return Table(self.handle.group(_words(by), wanted, missing))

    def counts(self, names):
        """Return the combinations of columns with their numbers, the most frequent first."""
        return Table(self.handle.counts(_words(names)))

    def join(self, other, on, how="inner", suffixes=(None, None)):
        """Return the pairs of rows with equal elements in the columns `on`."""
        if how not in PAIRINGS:
            raise ValueError(f"how is {how!r}; expected one of {', '.join(PAIRINGS)}")
        return Table(self.handle.join(Table(other).handle, _words(on), PAIRINGS.index(how),
                                      *suffixes))

    def describe(self, words=False):
        """Return statistics of the numbers, or of the columns of words and truth values."""
        return Table(self.handle.describe_words() if words else self.handle.describe())

    def fit(self, formula, **options):
        """Fit a model of a formula such as "y ~ x + I(x^2) + group"; options as family.

        As in R, x^2 and x**2 alone are x: I(x^2) and poly(x, 2) are squares.

        family: "gaussian", "binomial", "poisson", ... of docs/regression.md.
        """
        return Fit(formula, Table(self.handle), options)

    # ---- texts ----

    def write_csv(self, path, **options):
        """Write delimited text; options: delimiter, decimal, nameless, precision, missing."""
        c.table_write(os.fspath(path), self.handle, **options)

    def to_string(self, **options):
        """Return the table as text; options: rows, width, precision, word."""
        return self.handle.to_string(**options)

    def __repr__(self):
        return self.to_string()

    def _repr_html_(self):
        import html

        n = len(self)
        shown = self if n <= 60 else self.take([*range(5), *range(n - 5, n)])
        cells = [shown[name] for name in self.columns]
        cells = [column if isinstance(column, list) else column.tolist() for column in cells]

        def row(tag, items):
            texts = ("" if x is None else f"{x:.6g}" if isinstance(x, float) else str(x)
                     for x in items)
            return "<tr>" + "".join(f"<{tag}>{html.escape(x)}</{tag}>" for x in texts) + "</tr>"

        body = "".join(row("td", items) for items in zip(*cells))
        rows, columns = self.shape
        return (f"<table><thead>{row('th', self.columns)}</thead><tbody>{body}</tbody></table>"
                f"<p>{rows} rows, {columns} columns</p>")


def _restored(columns):
    """Return the table of columns that __reduce__ has taken apart."""
    handle = c.table_new([], [])
    for name, values, other in columns:  # codes with words, or values with the mask of missing ones
        handle = handle.with_words(name, values, other) if isinstance(other, list) \
            else handle.with_(name, values, other)
    return Table(handle)


# Options of pandas' read_csv, and those that do the same.
_OPTIONS = {
    "sep": "delimiter", "nrows": "rows", "na_values": "missing", "skiprows": "skip_rows",
    "usecols": ": write read_csv(path).select(names)",
    "names": ": write read_csv(path, header=False).rename({'0': name, ...})",
    "index_col": ": tables have no index; the column is one as others",
    "parse_dates": ": dates are words, whose order is that of time if they begin with the year",
    "dtype": ": write t.assign(name=t[name].astype(dtype)); words=True reads words",
    "encoding": ": write parse_csv(open(path, encoding=...).read())",
    "chunksize": ": write read_csv(path, skip_rows=..., rows=...)",
    "compression": ": .gz is recognised", "engine": ": there is one reader",
}


def _reading(options):
    for name in options.keys() & _OPTIONS.keys():
        other = _OPTIONS[name]
        instead = other if other[0] == ":" else f": did you mean {other!r}?"
        raise TypeError(f"read_csv() has no argument {name!r}{instead}")
    header = options.get("header")
    if not isinstance(header, (bool, str, type(None))):  # 0 is the first line in pandas
        raise TypeError(f"read_csv: header is {header!r}; expected True, the first line has names, "
                        "False, or None, which guesses")
    options["header"] = _HEADERS.get(header, header)
    if options.get("missing") is not None:
        options["missing"] = _words(options["missing"])
    return options


def read_csv(source, **options):
    """Read a table from a path, or from a file of bytes or text that is open.

    Options: delimiter, decimal, thousands, comment, header (True, False; None: guessed), skip_rows,
    rows, missing (words), words, ragged, rounded, most_bytes.
    """
    if hasattr(source, "read"):
        return parse_csv(source.read(), **options)
    return Table(c.table_read(os.fspath(source), **_reading(options)))


def parse_csv(text, **options):
    """Read a table from a text or bytes; options as of read_csv."""
    raw = text.encode() if isinstance(text, str) else text
    return Table(c.table_parse(raw, **_reading(options)))


def from_dict(columns):
    """Return the table of a dict of columns."""
    return Table(dict(columns))


__getattr__, __dir__ = attributes_of(__name__)
