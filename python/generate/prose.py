"""Comments of C in Python's words, and what they say about functions."""

import re
import textwrap


def described(call):
    """Return the description of a call and of its keywords, a line for each that has one."""
    lines = ["%s: %s" % (p.name, " ".join(p.of.doc.split())) for p in call.parameters
             if p.keyword_only and p.of.doc]
    return prose("\n\n".join([call.doc] + (["\n".join(lines)] if lines else [])))


# Words of C about failures, memory and pointers, and those of Python for them; "" removes them.  A
# sentence is all between full stops and semicolons.
_START, _END = r"(?:(?<=[.;:]  )|(?<=[.;:] )|(?<=^))", r"(?:[.;]|$) *"
_BREAK = r"(?:[^.;]|\.\.|\.(?=\w))*"  # within a sentence
_RULES = [(re.compile(pattern, re.M), text) for pattern, text in (
    (r"\s+", " "),
    (r"(?<![\w)\]*])\*(?=[a-z]\w*)", ""),  # *result
    # ownership
    (_START + _BREAK + r"\b(?:[Tt]he|which the) caller (?:frees|releases|closes)\b" + _BREAK +
     _END, ""),
    (_START + _BREAK + r"\b(?:must outlive|owns? references)\b" + _BREAK + _END, ""),
    (r",? (?:which is |that is )?owned by (?:the |an )?(?:innermost )?scope", ""),
    (r",? (?:that|which) the (?:innermost )?scope owns", ""),
    # failures
    (_START + r"Never None: see \w+" + _END, "Raises an error on failure. "),
    (_START + r"Never None: \w+ returns the (?:reason|error)(?: of a failure)?(, such as " +
     _BREAK + r")?" + _END, r"Raises an error on failure\1. "),
    (_START + r"(?:False|None|NaN|-1|0) on failure" + _BREAK + r"\berror\b" + _BREAK + _END,
     "Raises an error on failure. "),
    (_START + r"(?:False|None) on failure: all \w+ are then poisoned" + _END,
     "Raises an error on failure. "),
    (_START + r"False if (?:a|one) \w+ is poisoned, as (?:all|both) are if (" + _BREAK + ")" + _END,
     r"Raises an error if \1. "),
    (_START + r"(?:On failure (?:all|both) (?:parts|results)|(?:All|Both)(?: parts| results)?) are "
     r"(?:then )?poisoned(?: on failure)?" + _END, "Raises an error on failure. "),
    (_START + r"(?:[Aa]ll|Both)(?: parts| results| fields)? are poisoned (?=if|unless|for)",
     "Raises an error "),
    (_START + r"False, with (?:both|all parts|all of \w+\[\]) poisoned, if", "Raises an error if"),
    (_START + r"False (if " + _BREAK + r"): all (?:of )?\w+(?:\[\])? are then poisoned",
     r"Raises an error \1"),
    (_START + r"False on failure(" + _BREAK + "): all of them are poisoned",
     r"Raises an error on failure\1"),
    (_START + r"False if a result is poisoned(?:: all are then)?" + _END, ""),
    (_START + r"On failure((?:, such as " + _BREAK + r",)?) " + _BREAK + r"are poisoned" + _END,
     r"Raises an error on failure\1. "),
    (_START + r"[Tt]he scope owns (?:it|them|a reference)\b" + _END, ""),
    (_START + r"0 means that it is borrowed and outlives" + _BREAK + _END, ""),
    (r"\bis poisoned or (?=has|is)", ""), (r",? or \w+ is poisoned\b", ""),
    (r"\bpoisoned (?=if|unless)", "an error "),
    (_START + r"(?:Poison|Raises an error) if (?:\w+|`\w+`) is poisoned" + _END, ""),
    (r"[;,] poison if (?:\w+|`\w+`) is poisoned\b", ""),
    (r"\bif (\w+|`\w+`) is poisoned, or\b", "if"),
    (_START + r"(?:Values are |[Pp]oison )?poison \(\w+\) (?=if|unless|for|on)",
     "Raises an error "),
    (_START + r"Poison (?=if|unless|for|on|where|without)", "Raises an error "),
    (_START + r"Also poison (?=if|unless|for)", "Raises an error also "),
    (r"\bgive poison\b", "give an error"), (r"\bgives poison\b", "gives an error"),
    (r"\b(?:o|options)\.(?=[a-z])", ""),  # members of options are keywords
    (r"\bPoison\b", "An error"), (r"\bpoison\b", "an error"), (r"\bpoisoned tensor\b", "error"),
    (r" +$|^ +", ""), (r"  +", "  "),
)]
_WORDS = {}  # of constants of enums


def learn(words):
    """Take the words of constants of C, by their names."""
    _WORDS.update(words)


def _constant(match):
    """Return the text of Python for a constant of C."""
    name = match[0]
    if name.startswith("TY_ERROR_") and name in _WORDS:
        return "".join(part.capitalize() for part in _WORDS[name].split()) + "Error"
    return repr(_WORDS[name]) if name in _WORDS else name


def prose(doc):
    """Return a comment of C in Python's words."""
    doc = re.sub(r"\bNULL\b", "None", re.sub(r"\bty_(\w+)\b", r"\1", doc))
    paragraphs = []
    for paragraph in doc.split("\n\n"):
        lines = [paragraph] if len(paragraphs) == 0 else paragraph.split("\n")
        for pattern, words in _RULES:
            lines = [pattern.sub(words, line) for line in lines]
        paragraphs.append("\n".join(line for line in lines if line))
    doc = re.sub(r"\bTY_[A-Z0-9_]+\b", _constant, "\n\n".join(paragraphs))
    return "\n".join(
        textwrap.fill(line, 90, subsequent_indent="    " if re.match(r"\w+: ", line) else "")
        for line in doc.split("\n")
    )


def evaluates(call):
    """Return true if a function evaluates promises that it gets, as its description says."""
    doc = re.sub(r"when (it is|they are) evaluated", "", call.doc or "")
    said = re.search(r"\b(is|are|promises) evaluated\b", doc)
    return call.symbol.startswith("ty_eval") or bool(said)
