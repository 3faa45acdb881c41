"""Write the page of a public function."""

import re

from description import REDUCED, bare, clauses, header_of, is_tensor, sentences
from groups import split_group
from markup import block, field, heading, index, literal, table
import rows
from stated import Stated

ERRORS = re.compile(
    r"\b([Pp]oison\w*|NULL(?!: (?!out of memory))|False|false on|fail\w*|errors?|NaN if it|must"
    r"|may not|refuse\w*|outside)\b"
)
# How a result of each kind fails; a comment that says nothing of it may say more in general.
FAILS = {
    "tensor": re.compile(r"\b[Pp]oison\w*\b"),
    "bool": re.compile(r"\b[Ff]alse\b(?! stops)"),
    "pointer": re.compile(
        r"\bNULL(: out of memory| if| on| for| before)|; NULL|\bor NULL\b|\"\?*\" (if|for)\b"
    ),
    "number": re.compile(r"(^|[;,] )(-1|0|NaN) (if|on|for|where|without)\b|\bif \w+ is NULL\b"),
    "enum": re.compile(r"\bif there is none\b|\bfor (NULL|poison|others)\b"),
}
FAILURE = re.compile(r"\b([Pp]oison\w*|[Ff]ails|failed|failure|refused|errors?|NULL in \*error)\b")
SHORT = 60  # letters of a fact that may repeat most of a comment
SHAPES = re.compile(
    r"\[(?!0 \.\.)[^\]]*\.\.|\[[a-z0-9, ]+\]|\([A-Z](,[A-Z.]|\))|\(\.\.\."
    r"|\b(?i:shapes?|sizes?|ax[ie]s|broadcasts?|rank|0-d|dimensions?|elementwise|vectors?"
    r"|scalars?|lengths?)\b"
)
DTYPES = re.compile(
    r"\b(?i:dtypes?|integers?|floating|complex|bool|promoted|real|[iu](8|16|32|64)|b?f(16|32|64)"
    r"|c64)\b"
)
# Rules of a header that only mention sizes or dtypes.
ASIDE = re.compile(
    r"\b(Ticks|[Ff]iles are untrusted|Parameters are made|names? of functions"
    r"|classes of a target|cannot read)\b"
    r"|^(The names none|NumPy's names|Dimensions define|Loops define|Numbers are weak|Operators, )"
)
SUBJECTS = {"shapes": SHAPES, "dtypes": DTYPES}
# A sentence on the lifetime of a result: its clause alone is shown.
LIVES = re.compile(r"^.*?,? which (lives?|is static)\b")
PRONOUN = {"live": "They ", "lives": "It ", "is static": "It "}
GRADIENTS = re.compile(r"\b([Gg]radients?|[Dd]erivatives?|[Dd]ifferentia\w+|[Tt]angents?)\b")
# Sentences of this kind say whether gradients flow; others may only mention them.
FLOWS = re.compile(
    r"\b[Gg]radients?( of any order)? (flows?|pass|0)\b|\bno gradient|\bdifferentiated\b"
    r"|asking for (a gradient|one)\b|\bgradients? by \w+ (is|are)\b|\b[Tt]he gradient (is|flows)\b"
    r"|\bhistory\b|\b[Tt]racked\b|\b[Dd]erivatives? (is|are|follow)\b|\bwith the rule's derivatives"
    r"|\bhave gradients\b"
)
DIFFERENTIATED = ("tests/grad/gradient.def", "tests/support/samples/gradient_samples.c")
STATED = re.compile(r'^STATED\(\w+,\s*"([^"]*)",\s*\w+,\s*"([^"]*)"', re.M)
CODES = ("MEMORY LIMIT INTERRUPTED TIMEOUT DEVICE").split()
MOST_REPEATED = 0.4  # share of a comment that a fact repeats
AT_A_GLANCE = 400  # letters of a comment in which a reader finds each fact
MOST_MESSAGES = 10  # of a function: more than a reader looks through


class Pages:
    """Everything that pages of functions are made of."""

    def __init__(self, description, links, names, refusals, excerpts, examples):
        self.d, self.links, self.names = description, links, names
        self.refusals, self.excerpts, self.examples = refusals, excerpts, examples
        handles = [entry for kind, entry in description.types.values() if kind == "handles"]
        self.tellers = {
            name for h in handles for key in ("error", "failure") for name in h.get(key) or []
        }
        self.missing = {"example": [], "gradient": [], "shapes": [], "dtypes": []}
        self.beside = Stated(description)
        text = "".join(
            (description.root / name).read_text(encoding="utf-8") for name in DIFFERENTIATED
        )
        self.differentiated = set(re.findall(r"\bty_\w+", text))
        text = (description.root / "tests/grad/stated.def").read_text(encoding="utf-8")
        self.stated = {
            "ty_" + name: said
            for names, said in STATED.findall(re.sub(r'"\s*\n\s*"', "", text))
            for name in names.split()
        }

    def page(self, function):
        """Return the page of a function."""
        name, header = function["name"], header_of(function)
        summary = self.d.summary(function)
        group = function.get("group", "")
        crumbs = ":doc:`%s.h </headers/%s>`" % (header, header)
        parts = [
            ":orphan:",
            ".. title:: %s: %s" % (name, " ".join(summary.split())),
            index(self.entries(function)),
            heading(name),
            ".. rst-class:: crumbs\n\n"
            + crumbs
            + (" » " + self.links.line(split_group(group)[0]) if group else ""),
            block(
                ["#include <tyto/%s.h>" % self.d.include(function), ""] + signature(function["c"]),
                "c",
            ),
            self.links.comment(capitalised(self.d.meaning(function))),
        ]
        if name in self.d.sized:
            parts.append(
                "Programs in other languages call ``%s``, which takes the address and the size of "
                "the struct; "
                ":doc:`interface </guide/interface>` explains it." % self.d.sized[name]
            )
        if function.get("deprecated"):
            parts.append(".. deprecated:: 0\n   " + self.links.line(function["deprecated"]))
        parts += [
            self.parameters(function),
            ".. rubric:: Facts",
            self.facts(function),
            ".. rubric:: Example",
            self.example(function),
        ]
        return "\n\n".join(p for p in parts if p) + "\n"

    def entries(self, function):
        """Return the entries of the index that lead to a function."""
        name = function["name"]
        words = self.names.numpy(name) + self.names.usual(name)
        short = self.names.expressions(name)[:1]
        return [name] + ["%s (%s)" % (w, name) for w in short + words]

    def parameters(self, function):
        """Return the table of parameters with their types and facts."""
        lines = []
        for p in function["parameters"]:
            notes = []
            if p.get("nullable"):
                notes.append("may be NULL")
            if p.get("writes"):
                notes.append("is written")
            if p.get("length") is not None:
                notes.append("%s elements" % literal(str(p["length"])))
            if p.get("callback"):
                notes.append("function of the caller's")
            if p.get("context"):
                notes.append("gets %s" % literal(p["context"]))
            type_ = bare(p["type"])
            target = self.links.target(type_) if type_ else None
            if type_ == "ty_tensor":
                target = None
            said = (target or "") + (": " if target and notes else "") + "; ".join(notes)
            if said:
                lines.append([literal(p["c"]), said])
        return table(["parameter", "notes"], lines, "parameters") if lines else ""

    def facts(self, function):
        """Return the facts that each page lists."""
        takes, gives = self.d.takes_tensors(function), self.d.gives_tensors(function)
        out = []
        if takes or gives:
            shapes = self.said(function, "shapes", rows.shapes(function))
            dtypes = self.said(function, "dtypes", rows.dtypes(function))
            if shapes == dtypes:
                out.append(shapes and field("Shapes, dtypes", shapes))
            else:
                out += [shapes and field("Shapes", shapes), dtypes and field("Dtypes", dtypes)]
        accuracy = rows.accuracy(function)
        if accuracy:
            out.append(field("Accuracy", self.links.line(accuracy)))
        out += [
            field("Errors", self.errors(function)),
            field("Ownership", self.ownership(function)),
        ]
        said = any(GRADIENTS.search(s) for s in sentences(function["doc"]))
        if gives and (takes or said or "row" in function):
            out.append(field("Gradient", self.gradient(function)))
        return "\n".join([fact for fact in out if fact] + self.elsewhere(function))

    def said(self, function, subject, fact):
        """Return a fact of the tables, or what the comment or its header say about a subject.  ""
        if most of a short comment says it: nothing is said twice."""
        if fact:
            return self.links.line(fact)
        pattern, text = SUBJECTS[subject], self.d.meaning(function)
        said = " ".join(filter(None, (chosen(s, pattern) for s in sentences(text))))
        if said:
            most = max(SHORT, MOST_REPEATED * len(text))
            return self.links.line(said) if len(said) <= most or len(text) > AT_A_GLANCE else ""
        header = header_of(function)
        rules = sentences(self.d.headers[header]["doc"])[1:]
        said = [c for c in (chosen(s, pattern) for s in rules) if c and not ASIDE.search(c)]
        if said:
            return "All functions of :doc:`%s.h </headers/%s>`: %s" % (
                header,
                header,
                self.links.line(" ".join(said[:2])),
            )
        said = self.beside.of(function, subject)
        if said:
            return self.links.line(said)
        self.missing[subject].append(function["name"])
        return ""

    def failure(self, function):
        """Return what a comment says about failure."""
        result, text = function["result"], function["doc"]
        if function["name"] in self.tellers:
            return "None: it tells how another function failed."
        kind = "tensor" if self.d.gives_tensors(function) else ""
        if result.get("name") == "bool":
            kind = "bool"
        elif "pointer" in result and not kind:
            kind = "pointer"
        elif not kind and result.get("name") != "void":
            known = self.d.types.get(result.get("name"), ("",))[0]
            kind = "enum" if known == "enums" else "number"
        nothing = result.get("name") == "void" and not kind and "error" not in text
        for pattern in filter(None, [FAILS.get(kind), None if nothing else FAILURE]):
            found = [failing(s, pattern) for s in sentences(text) if pattern.search(s)]
            if found:
                return self.links.line(" ".join(found))
        return "None: it returns nothing." if nothing else self.usual_failure(function)

    def errors(self, function):
        """Return how a function fails, and the codes and messages of its checks."""
        name = function["name"]
        out = [self.failure(function)]
        checks = rows.checks(function) + self.refusals.of(name, self.d.sized.get(name, name))
        codes = sorted({self.code(c) for c, _ in checks})
        if codes:
            out.append(
                "Codes of its checks, some of which related functions share: %s." % ", ".join(codes)
            )
            shown = [
                "* %s: %s" % (self.code(c), self.links.line(m)) for c, m in checks[:MOST_MESSAGES]
            ]
            more = len(checks) - len(shown)
            out.append("\n".join(shown + (["* and %d more" % more] if more > 0 else [])))
        return "\n\n".join(out)

    def code(self, code):
        """Return the link to a code."""
        code = "FILE" if code == "ERRNO" else code
        return ":ref:`%s <error-%s>`" % (
            code.lower().replace("_", " "),
            code.lower().replace("_", "-"),
        )

    def usual_failure(self, function):
        """Return the rule of <tyto/tyto.h> for a kind of result."""
        result = function["result"]
        kind = self.d.types.get(bare(result) or "", ("", {}))[0]
        if is_tensor(result):
            return "Poison, with a code and a message."
        if kind == "handles" and "pointer" in result:
            return self.failed_handle(function)
        if result.get("name") == "bool":
            return "False, as :doc:`tyto.h </headers/tyto>` states for its kind of function."
        return "None of its own; :doc:`tyto.h </headers/tyto>` states the rules."

    def failed_handle(self, function):
        """Return how a function that gives a handle fails: the handle tells, or there is none."""
        entry = self.d.types[bare(function["result"])][1]
        facts = function.get("result_facts", {})
        tellers = (entry.get("error") or []) + (entry.get("failure") or [])
        if facts.get("owner") == "library" and facts.get("nullable"):
            return "None of its own; the text above says when the result is NULL."
        if facts.get("nullable") or not tellers:
            return "NULL, as the text above says."
        return "A handle that has failed; %s gives the reason." % self.links.function(tellers[0])

    def ownership(self, function):
        """Return who owns the result."""
        facts = function.get("result_facts", {})
        owner = facts.get("owner")
        text = {
            "scope": "The innermost open scope owns the result; without one, the caller does and "
            "calls %s." % self.links.function("ty_release"),
            "caller": "The caller owns the result.",
            "argument": "The result is the first argument; nothing more is owned.",
            "library": "The library owns the result.",
        }.get(owner, "")
        if facts.get("free"):
            text = "The caller owns the result, and frees it with %s." % self.links.line(
                facts["free"]
            )
        if facts.get("lifetime"):
            said = facts["lifetime"].rstrip(".")
            said = LIVES.sub(lambda m: PRONOUN[m.group(1)] + m.group(1), said)
            text += " %s." % self.links.line(said[0].upper() + said[1:])
        if facts.get("nullable"):
            text += " It may be NULL."
        return text or self.ownership_of_parts(function)

    def ownership_of_parts(self, function):
        """Return who owns what a result that is no pointer contains, and what is written."""
        written = [p for p in function["parameters"] if p.get("writes") and p["name"] != "error"]
        handles = [bare(p["type"]) for p in written if "pointer" in p["type"].get("pointer", {})]
        out = []
        if any(h == "ty_tensor" for h in handles):
            out.append("The innermost open scope owns the tensors that are written.")
        elif self.d.gives_tensors(function):
            out.append("The innermost open scope owns the tensors of the result.")
        if any(self.d.types.get(h, ("",))[0] == "handles" and h != "ty_tensor" for h in handles):
            out.append("The caller frees the handles that are written.")
        if any(p["name"] == "error" and is_tensor(p["type"]) for p in function["parameters"]):
            out.append("A tensor in ``*error`` belongs to the innermost open scope.")
        return " ".join(out) or "Nothing is allocated for the caller."

    def gradient(self, function):
        """Return whether gradients flow, as tables, comments and examples tell."""
        fact = rows.gradient(function)
        if fact:
            return fact
        if function["name"] in self.stated:
            return self.links.line(self.stated[function["name"]])
        found = [s for s in sentences(function["doc"]) if FLOWS.search(s)]
        if found:
            return self.links.line(" ".join(found))
        for expression in self.called(function):
            known = self.examples.get(expression, (None, None, None))[2]
            if known and known.startswith("exists"):
                by = known[len("exists") :]  # " by argument 2"
                least = ",%s of the call at least" % by if by else ""
                return "Exists%s: the tests take it for the example below." % least
            if known and "only floating" in known:
                return "None: the result is of integers or bools."
            if known:
                return "None here: " + self.links.line(known.split(": ", 1)[-1]) + "."
        if not self.d.takes_tensors(function):
            return "None: no operand is a tensor."
        operands = [p for p in function["parameters"] if is_tensor(p["type"])]
        if [p["name"] for p in operands] == ["key"]:
            return "None: a key is no number to differentiate by."
        if function["name"] in self.differentiated:
            return "Exists: the tests compare it with finite differences."
        header = header_of(function)
        said = [s for s in sentences(self.d.headers[header]["doc"])[1:] if FLOWS.search(s)]
        if said:
            return "All functions of :doc:`%s.h </headers/%s>`: %s" % (
                header,
                header,
                self.links.line(" ".join(said[:2])),
            )
        self.missing["gradient"].append(function["name"])
        return "As :doc:`autodiff </guide/autodiff>` says of the operators of which it consists."

    def elsewhere(self, function):
        """Return the names of a function in NumPy, in expressions and in Python."""
        name, out = function["name"], []
        numpy = self.names.numpy_forms(name)
        if numpy:
            said = [
                literal(theirs) + (" for ``tyto eval``'s " + literal(ours) if ours else "")
                for ours, theirs in numpy
            ]
            out.append(field("NumPy", ", ".join(said)))
        expressions = self.names.expressions(name)
        if expressions:
            out.append(field("``tyto eval``", ", ".join(literal(n) for n in expressions)))
        python, reason = self.names.in_python(name)
        if python:
            text = ", ".join(literal(n if n.startswith("tyto.") else "tyto." + n) for n in python)
        else:
            text = "Not bound: " + self.links.line(reason) + "."
        return out + [field("Python", text)]

    def called(self, function):
        """Return the names by which expressions call a function, and none that another one has:
        logpdf is an example of ty_logpdf, though it calls ty_multivariate_logpdf, too."""
        name = function["name"]
        return [
            e
            for e in self.names.expressions(name)
            if REDUCED.get(e, "ty_" + e) == name or "ty_" + e not in self.d.functions
        ]

    def example(self, function):
        """Return the examples of a function: a command with its output, and lines of C."""
        name, out = function["name"], []
        found = self.excerpts.of(name)
        for expression in self.called(function) or ([] if found else self.names.expressions(name)):
            if expression in self.examples:
                command, output, _ = self.examples[expression]
                out.append(block(["$ " + command] + output.split("\n"), "console"))
                break
        if found and (found[0] < 2 or not out):
            rank, source, lines = found
            where = (
                "The page :doc:`%s </guide/%s>` has:" % (source, source),
                "The program :doc:`%s </programs/%s>`, run by the tests, has:"
                % (source, source.split("/")[-1][:-2]),
                "The tests call it (``%s``):" % source,
                "The tests have (``%s``):" % source,
            )[rank]
            if source == "README":
                where = "The page :doc:`of the start </index>` has:"
            out += [where, block(lines, "c")]
        if not out:
            self.missing["example"].append(name)
            out.append(
                "The tests call this function through a table, so there is no example to show."
            )
        return "\n\n".join(out)


def capitalised(text):
    """Return a text whose first word is in upper case, unless it is a name of code."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]{2,}[ ,]", text) else text


def chosen(sentence, pattern):
    """Return the clauses of a sentence that have a pattern and tell no error, as a sentence."""
    parts = clauses(sentence)
    found = [c for c in parts if pattern.search(c) and not ERRORS.search(c)]
    if not found:
        return ""
    text = "; ".join(found) + "."
    begins = found[0] != parts[0] and re.match(r"([a-z]{2,}|a) ", text)
    return text[0].upper() + text[1:] if begins else text


def failing(sentence, pattern):
    """Return the clauses of a sentence from the first one that has a pattern on; all of it if the
    clause refers to those before."""
    parts = clauses(sentence)
    at = next((i for i, part in enumerate(parts) if pattern.search(part)), 0)
    if re.match(r"[Pp]oison if not\b|(else|otherwise)\b", parts[at]) or " (" in sentence[:2]:
        at = 0
    text = "; ".join(p for p in parts[at:]) + "."
    return text[0].upper() + text[1:] if at and re.match(r"([a-z]{2,}|a) ", text) else text


def signature(text):
    """Return a declaration with a line for each parameter, if it is long."""
    if len(text) <= 72 or "(" not in text:
        return [text + ";"]
    head, _, rest = text.partition("(")
    parts, depth, at = [], 0, 0
    for i, c in enumerate(rest):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(rest[at:i].strip())
            at = i + 1
    parts.append(rest[at:].strip())
    return [head + "("] + [
        "    %s%s" % (p, "," if i < len(parts) - 1 else ";") for i, p in enumerate(parts)
    ]
