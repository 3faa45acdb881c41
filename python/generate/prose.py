"""Comments of C in Python's words, and what they say about functions."""

import re


def described(call):
    """Return the description of a call and of its keywords, a line for each that has one."""
    lines = ["%s: %s" % (p.name, " ".join(p.of.doc.split())) for p in call.parameters
             if p.keyword_only and p.of.doc]
    return prose("\n\n".join([call.doc] + (["\n".join(lines)] if lines else [])))


def prose(doc):
    """Return a comment of C in Python's words."""
    doc = re.sub(r"\bty_(\w+)\b", r"\1", doc)
    doc = re.sub(r"\bPoison (if|unless|for|on|where|without)\b", r"Raises an error \1", doc)
    return re.sub(r"\bNULL\b", "None", doc)


def evaluates(call):
    """Return true if a function evaluates promises that it gets, as its description says."""
    doc = re.sub(r"when (it is|they are) evaluated", "", call.doc or "")
    said = re.search(r"\b(is|are|promises) evaluated\b", doc)
    return call.symbol.startswith("ty_eval") or bool(said)
