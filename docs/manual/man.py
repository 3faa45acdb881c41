"""Write tyto.3: an overview of the library with its functions by headers and groups, in the macros
of man(7).
"""

from description import sentences

SECTIONS = (
    (
        "ERRORS",
        "A function that fails returns a value that has failed: a poisoned tensor, false, or a "
        "handle with a "
        "message. \\fBty_ok\\fR tells, \\fBty_error\\fR gives the message, \\fBty_error_code\\fR "
        "the code. The "
        "library never aborts and prints nothing unasked.",
    ),
    (
        "OWNERSHIP",
        "Tensors are reference counted. The innermost scope of the thread (\\fBty_open\\fR, "
        "\\fBty_close\\fR) "
        "owns a reference to each tensor that is made in it. Without a scope the caller owns it, "
        "and calls "
        "\\fBty_release\\fR.",
    ),
    (
        "THREADS",
        "Distinct tensors may be used from distinct threads. Several threads may read one tensor. "
        "A scope "
        "belongs to its thread.",
    ),
)


def roff(text):
    """Escape the characters that roff would change."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def groups(description, header):
    """Return the lines of one header: its groups with their functions."""
    out = []
    for group, functions in description.of_header(header).items():
        if group:
            out.append(".PP\n%s:" % roff(group[0].upper() + group[1:]))
        else:
            out.append(".PP")
        names = ["\\fB%s\\fR" % f["name"] for f in functions]
        out.append(",\n".join(names) + ".")
    return out


def page(description):
    """Return the man page."""
    d = description
    out = [
        ".TH TYTO 3 \"\" \"tyto %s\" \"Tyto\"" % d.version,
        ".SH NAME",
        "tyto \\- arrays, graphs of operations, gradients, and a compiler for them",
        ".SH SYNOPSIS",
        ".nf",
        "\\fB#include <tyto/tyto.h>\\fR",
        "",
        "\\fBcc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs tyto)\\fR",
        ".fi",
        ".SH DESCRIPTION",
        "A tensor is a value or a promise. A function of values computes at once. A function of a "
        "promise returns a "
        "promise: a node of a graph, which can be differentiated and compiled.",
        "The manual in HTML has a page for each function. Each header states the contract of its "
        "functions.",
    ]
    for title, text in SECTIONS:
        out += [".SH " + title, text]
    out.append(".SH FUNCTIONS")
    for header in sorted(d.headers):
        found = groups(d, header)
        if found:
            said = d.headers[header]["doc"].split("\n\n")[0].split(" Part of <")[0]
            first = sentences(said)[0]
            out += [".SS tyto/%s.h" % header, roff(first)] + found
    out += [".SH SEE ALSO", ".BR tyto (1)"]
    return "\n".join(out) + "\n"
