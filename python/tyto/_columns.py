"""Columns of tables, made of objects of Python, NumPy and pandas."""

from . import _core


def columns_of(source):
    """Return a dict of columns: of a dict, or of a list of dicts, which are rows."""
    if source is None or hasattr(source, "items"):
        return dict(source or {})
    rows = list(source) if isinstance(source, (list, tuple)) else None
    if rows is None or not all(hasattr(row, "items") for row in rows):
        raise TypeError(f"a table is made of a dict of columns or a list of dicts, not of "
                        f"{type(source).__name__}; of a matrix x: Table({{'a': x[:, 0], ...}})")
    names = {name: None for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in names}


def is_single(column):
    """Return True for a number, a truth value, a word, a date or None: not a sequence of them."""
    rank = getattr(column, "ndim", None)
    return rank == 0 if rank is not None else isinstance(column, (str, bytes)) or not hasattr(
        column, "__iter__")


def is_missing(x):
    """Return True for None, NaN and the missing elements of pandas."""
    return x is None or isinstance(x, float) and x != x or type(x).__name__ in ("NAType", "NaTType")


def with_column(handle, name, column):
    """Return the handle of a table with one more column."""
    if not isinstance(name, str):
        raise TypeError(f"names of columns are str, not {type(name).__name__}")
    if is_single(column):
        raise TypeError(f"the column {name!r} is {column!r}; expected an array or a list, with an "
                        "element for each row")
    if isinstance(column, _core.Array):
        return handle.with_(name, column, None)
    kind = getattr(column, "dtype", None)
    if hasattr(kind, "na_value") and kind.kind in "iub":  # of pandas, which makes them floats
        column = column.tolist()
    if hasattr(column, "__array__") and not isinstance(column, (list, tuple)):
        column = column.__array__()
        if column.dtype.kind == "M":  # times are words in ISO's form, whose order is that of time
            return with_column(handle, name, _texts_of_times(column))
        if column.dtype.kind == "m":  # durations are seconds
            column = column / column.dtype.type(1, "s")
        if column.dtype.kind not in "OUS":
            return handle.with_(name, _core.asarray(column), None)
        column = column.tolist()
    column = list(column)
    if any(hasattr(x, "isoformat") for x in column):  # dates and times of Python and pandas
        column = [x if is_missing(x) or not hasattr(x, "isoformat") else x.isoformat()
                  for x in column]
    gone = [is_missing(x) for x in column]
    if any(isinstance(x, str) for x in column):
        return _with_words(handle, name, column, gone)
    other = next((x for x, no in zip(column, gone) if not no and not hasattr(x, "__index__")
                  and not hasattr(x, "__float__") and not hasattr(x, "__complex__")), None)
    if other is not None:
        raise TypeError(f"the column {name!r} has {other!r}; expected numbers, truth values, words "
                        "or dates")
    if not any(gone):
        return handle.with_(name, _core.asarray(column), None)
    known = [x for x, missing in zip(column, gone) if not missing]
    filler = type(known[0])(0) if known else float("nan")
    filled = [filler if missing else x for x, missing in zip(column, gone)]
    return handle.with_(name, _core.asarray(filled), _core.asarray(gone))


def _texts_of_times(column):
    """Return times of NumPy as texts, None for missing ones: in the coarsest unit that all have."""
    import numpy

    gone = numpy.isnat(column)
    for unit in ("D", "s", "ms", "us"):
        coarse = column.astype(f"M8[{unit}]")
        if bool((gone | (coarse == column)).all()):
            column = coarse
            break
    return [None if no else text
            for text, no in zip(numpy.datetime_as_string(column).tolist(), gone.tolist())]


def _with_words(handle, name, column, gone):
    """Return the handle of a table with a column of words."""
    other = next((x for x, no in zip(column, gone) if not no and not isinstance(x, str)), None)
    if other is not None:
        raise TypeError(f"the column {name!r} has words and {other!r}; expected words alone")
    known = {}
    codes = [-1 if no else known.setdefault(x, len(known)) for x, no in zip(column, gone)]
    return handle.with_words(name, _core.asarray(codes, dtype="int32"), list(known))
