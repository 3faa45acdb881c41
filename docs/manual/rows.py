"""Tell in words what columns of tables state about shapes, dtypes, accuracy and gradients."""

import re

DTYPES = {
    "FLOAT": "Computes in f16, bf16, f32 and f64; integers and bools become f32 (up to 16 bits) "
    "or f64. "
    "Complex numbers are an error.",
    "FLOATC": "Computes in floating and complex dtypes; integers and bools become f32 (up to 16 "
    "bits) or f64.",
    "REAL": "Computes in integers and floating dtypes; bools become i8. Complex numbers are an "
    "error.",
    "NUMBER": "Computes in all numbers; bools become i8.",
    "REALB": "Computes in bools, integers and floating dtypes. Complex numbers are an error.",
    "NUMBERB": "Computes in all dtypes.",
    "INTEGER": "Computes in integers; bools become i8. Floating and complex numbers are an error.",
    "BITS": "Computes in bools and integers. Floating and complex numbers are an error.",
    "LOGIC": "Takes all dtypes as truth values.",
    "CHOICE": "The first operand is a truth value; the others are of any dtype.",
    "BOUNDED": "Computes in integers and floating dtypes. The bounds may exceed an integer dtype.",
}
RESULTS = {
    "SAME": "The result has that dtype.",
    "BOOL": "The result is bool.",
    "PART": "The result of complex numbers has their real dtype.",
}
TESTED = {
    "layers": "Flows to the operands and the parameters; the tests compare it with finite "
    "differences.",
    "losses": "Flows to the operands; the tests compare it with PyTorch's.",
    "activations": "Exists: the function consists of differentiable ones.",
    "metrics": "None: a metric is a report.",
    "schedules": "None is needed: it computes a rate from the number of the step.",
    "initialisers": "None is needed: it draws first values of parameters.",
}


def table_of(function):
    """Return the table of a function's row, without folder and suffix, and its columns."""
    row = function.get("row", {})
    return row.get("table", "")[len("tyto/") : -len(".def")], row.get("columns", {})


def shapes(function):
    """Return the shapes of an elementwise row."""
    _, columns = table_of(function)
    if "low" not in columns:
        return None
    if len(function["parameters"]) == 1:
        return "Any; the result has the operand's shape."
    return "Any that broadcast; the result has the common shape."


def dtypes(function):
    """Return the dtypes of an elementwise row."""
    _, columns = table_of(function)
    if "low" not in columns:
        return None
    operands = "" if len(function["parameters"]) == 1 else "Operands are promoted to one dtype. "
    return operands + DTYPES[columns["in"]] + " " + RESULTS[columns["out"]]


def accuracy(function):
    """Return the largest error of an elementwise row."""
    _, columns = table_of(function)
    text = columns.get("error", "")
    if text == "EXACT":
        whole = columns["out"] == "BOOL" or columns["in"] in ("INTEGER", "BITS", "LOGIC")
        return None if whole else "Rounded once."
    found = re.match(r"ULP\((\d+)\)", text)
    if found:
        return "Within %s unit%s in the last place." % (
            found.group(1),
            "" if found.group(1) == "1" else "s",
        )
    found = re.match(r"WITHIN\((\d+), (\d+), (\d+), \"(.*)\"\)", text)
    if found:
        ulps, complex_ulps, _, why = found.groups()
        numbers = (
            ""
            if "C" not in columns["in"] and "NUMBER" not in columns["in"]
            else "; complex numbers %s" % complex_ulps
        )
        return "Within %s unit%s in the last place%s: %s." % (
            ulps,
            "" if ulps == "1" else "s",
            numbers,
            why,
        )
    found = re.match(r"AROUND\((\d+), (\d+), (\d+), \"(.*)\"\)", text)
    if found:
        return "Within %s units in the last place and %s units of 2^-53: %s." % (
            found.group(1),
            found.group(2),
            found.group(4),
        )
    return None


def checks(function):
    """Return the checks that all elementwise rows share."""
    _, columns = table_of(function)
    if "low" not in columns:
        return []
    out = []
    if len(function["parameters"]) > 1:
        out.append(("SHAPE", "operands do not broadcast (axis …: … vs …)"))
    if columns["in"] in ("FLOAT", "REAL", "REALB", "BOUNDED", "INTEGER", "BITS"):
        out.append(("DTYPE", "an operand has a dtype in which the function does not compute"))
    return out


def gradient(function):
    """Return what a row states about its gradients."""
    table, columns = table_of(function)
    if table.startswith("tables/"):
        return TESTED.get(table[len("tables/") :])
    slots = [(k, v) for k, v in columns.items() if k.startswith("gradient")]
    if not slots:
        return None
    out = []
    for slot, value in slots:
        operand = slot[len("gradient") :].strip() or "x"
        reason = re.match(r"(NONE|LACKS)\(\"(.*)\"\)", value)
        if reason and reason.group(1) == "NONE":
            out.append("by %s: 0, as %s" % (operand, since(reason.group(2))))
        elif reason:
            out.append("by %s: an error, as %s" % (operand, reason.group(2)))
        else:
            out.append("by %s: exists" % operand)
    same = {o.split(": ", 1)[1] for o in out}
    if len(same) == 1 and "exists" in same:
        return "Exists for each operand, of any order, and is tested against exact derivatives."
    text = "; ".join(out) + "."
    return text[0].upper() + text[1:]


def since(reason):
    """Return the reason of a gradient of 0 as a clause."""
    return {
        "integer": "the operands are integers",
        "piecewise constant": "the function is piecewise constant",
    }.get(reason, reason)
