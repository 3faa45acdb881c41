"""State shapes and dtypes of functions whose comments and headers say nothing of them: by rules
from the signature, else by stated.txt."""

import re
from pathlib import Path

from description import bare, is_tensor, sentences

NOTE = "Any tensor."
SAME = "Any: the result is the operand itself."
POISON = "The result is poison, which has rank 0 and the dtype f32, or NULL."
ALWAYS_POISON = "The result is poison, which has rank 0 and the dtype f32."
PLACES = {"shapes": 0, "dtypes": 1}


def by_rule(description, function):
    """Return what a signature alone tells of shapes and dtypes; None if it tells nothing."""
    parameters, result = function["parameters"], function["result"]
    tensors = [p for p in parameters if is_tensor(p["type"])]
    gives = description.gives_tensors(function)
    if gives and not tensors:
        first = sentences(function["doc"])[0]
        if re.search(r"\b[Rr]eturn a poisoned tensor|\bas a poisoned tensor|as ty_poison ", first):
            return POISON if function.get("result_facts", {}).get("nullable") else ALWAYS_POISON
    if [p["name"] for p in tensors] != ["x"] or "pointer" in tensors[0]["type"]["pointer"]:
        return None
    if gives and function.get("result_facts", {}).get("owner") == "argument":
        return SAME
    kind = description.types.get(bare(result) or "", ("",))[0]
    return None if gives or kind in ("handles", "structs") else NOTE


def read(root):
    """Return the rows of stated.txt: pairs of shapes and dtypes, by names of functions."""
    rows = {}
    text = (Path(root) / "docs/manual/stated.txt").read_text(encoding="utf-8")
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        names, _, said = line.partition(": ")
        pair = [part.strip() for part in said.split(" | ")]
        for name in names.split():
            rows["ty_" + name] = pair * 2 if len(pair) == 1 else pair
    return rows


class Stated:
    """What is stated of shapes and dtypes beside the headers."""

    def __init__(self, description):
        self.d, self.rows = description, read(description.root)

    def of(self, function, subject):
        """Return the sentence on a subject, None if there is none."""
        rule = by_rule(self.d, function)
        if rule:
            return rule
        name = function["name"]
        if name not in self.rows:
            return None
        said = self.rows[name][PLACES[subject]]
        return said if said != "-" else None
