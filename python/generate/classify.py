"""Functions of tyto.json as calls, and reasons of those that are not bound."""

import re
from dataclasses import dataclass, field

from kinds import Kinds, Member, Unbound, safe


@dataclass
class Parameter:
    """A parameter as Python sees it."""

    name: str
    member: int
    field: int = -1
    required: bool = True
    keyword_only: bool = False
    default: str = "None"
    of: Member = None


@dataclass
class Call:
    """A function, its frame and its parameters."""

    name: str  # in Python
    symbol: str  # in C
    doc: str
    frame: list
    result: int
    parameters: list = field(default_factory=list)

    @property
    def npositional(self):
        return sum(not p.keyword_only for p in self.parameters)


# Functions that another part of the package does, with the reason.
BUFFERS = "arrays are made of buffers and have them (__dlpack__, asarray)"
ELSEWHERE = {
    "ty_to_dlpack": BUFFERS,
    "ty_to_dlpack_legacy": BUFFERS,
    "ty_from_dlpack": BUFFERS,
    "ty_from_dlpack_legacy": BUFFERS,
    "ty_shape": "attribute of arrays",
    "ty_strides": "attribute of arrays",
    "ty_data": BUFFERS,
    "ty_read": BUFFERS,
    "ty_from": BUFFERS,
    "ty_from_strided": BUFFERS,
    "ty_borrow": BUFFERS,
    "ty_from_function": BUFFERS,
    "ty_context_set_progress": "the package reports progress by a function of its own",
    "ty_linear_of": "iterative solvers take a function, which may call sparse_matvec",
    "ty_linear_of_lu": "iterative solvers take a function, which may solve with the factors",
    "ty_linear_of_cholesky": "iterative solvers take a function, which may solve with the factor",
    "ty_set_allocator": "the functions would run without the interpreter's lock at its end",
    "ty_context_set_pool": "the functions would run without the interpreter's lock at its end",
    "ty_engine_register": "engines are written in C",
    "ty_engine_counted": "engines are written in C",
    "ty_here": "the library keeps the text",
    "ty_retain": "the interpreter counts references",
    "ty_own": "the interpreter counts references",
    "ty_disown": "the interpreter counts references",
    "ty_keep": "the interpreter counts references",
    "ty_open": "the interpreter counts references",
    "ty_free": "results are copied and freed",
}


# Arrays that a function reads and replaces, whose header names their greatest length.
REPLACED = {"ty_optimise.states": 3}  # TY_RULE_STATES


class Classifier:
    """Turns functions into calls."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.served = {"ty_ok", "ty_error_code", "ty_error_details"}
        for h in kinds.handles.values():
            self.served.update(h["free"], h["error"], h["failure"])

    def call(self, f):
        """Return the call of a function, or raise Unbound."""
        if f["name"] in ELSEWHERE:
            raise Unbound(ELSEWHERE[f["name"]])
        if f["variadic"]:
            raise Unbound("variable number of arguments")
        frame = [self.member(f, p) for p in f["parameters"]]
        self.join_lengths(f, frame)
        result = self.result(f, frame)
        call = Call(safe(f["name"].removeprefix("ty_")), f["name"], f["doc"], frame, result)
        self.parameters(f, call)
        return call

    # ---- members ----

    def member(self, f, p):
        """Return the member of a parameter."""
        t, name = self.kinds.resolve(p["type"]), p["name"]
        try:
            if self.is_context(f, p):
                return Member(name, name, "HIDDEN", "void *%s;" % name, passed="v->%s" % name)
            if self.kinds.is_function(t):
                return self.function(f, p, t)
            if p.get("size_of") and not self.sizes_bytes(f, p):
                raise Unbound("struct of unknown type")
            if "pointer" not in t:
                return self.value(name, t)
            if name == "error" and p.get("writes"):
                return Member(
                    name,
                    name,
                    "TENSOR",
                    "ty_tensor *%s;" % name,
                    flags={"ERROR"},
                    passed="&v->%s" % name,
                )
            if p.get("length"):
                return self.list(f, p, t)
            if f["name"] + "." + name in REPLACED:
                return self.replaced(p, REPLACED[f["name"] + "." + name])
            if p.get("writes"):
                return self.out(f, p, t)
            m = self.bytes(p, t) or self.kinds.pointer(safe(name), t, p)
            m.c, m.declare, m.passed = name, "void *%s;" % name, "v->%s" % name
            return m
        except Unbound as reason:
            raise Unbound("%s: %s" % (name, reason)) from None

    def is_context(self, f, p):
        """Return true for the context of a callback of the function."""
        return any(q.get("context") == p["name"] for q in f["parameters"])

    def function(self, f, p, t):
        """Return the member of a function of the caller's."""
        names = [q["name"] for q in f["parameters"]]
        context = next((q["context"] for q in f["parameters"] if q.get("context")), "")
        m = self.kinds.callback("%s.%s" % (f["name"], p["name"]), p["name"], t, names, context)
        if not p.get("nullable"):
            m.flags.discard("NULLABLE")
        m.declare, m.passed = self.declared(p), "v->%s" % p["name"]
        return m

    def declared(self, p):
        """Return the declaration of a pointer to a function."""
        return p["c"].replace("const ty_body", "ty_body") + ";"

    def value(self, name, t):
        """Return the member of a parameter that is passed by value."""
        if "array" in t:
            raise Unbound("array")
        kind, of = self.kinds.scalar(t)
        return Member(
            safe(name), name, kind, "%s %s;" % (t["name"], name), of, {"IN"}, passed="v->%s" % name
        )

    def sizes_bytes(self, f, p):
        """Return true if a parameter is the size of memory that the function reads."""
        of = next(q for q in f["parameters"] if q["name"] == p["size_of"])
        return self.is_bytes(of, self.kinds.resolve(of["type"]))

    def is_bytes(self, p, t):
        """Return true if a parameter is memory that the function reads, with a size."""
        to = self.kinds.resolve(t.get("pointer", {}))
        return (
            to.get("name") in ("void", "char")
            and "size" in p
            and p["size"] in ("n", "nbytes", "length")
        )

    def bytes(self, p, t):
        """Return the member of memory with a size in bytes, or None."""
        if not self.is_bytes(p, t):
            return None
        flags = {"IN"} | ({"NULLABLE"} if p.get("nullable") else set())
        return Member(safe(p["name"]), p["name"], "BYTES", flags=flags, length=p["size"])

    def list(self, f, p, t):
        """Return the member of an array with a length."""
        name, length = p["name"], p["length"]
        element = self.kinds.element(t["pointer"])
        m = Member(safe(name), name, "LIST", "void *%s;" % name, element, passed="v->%s" % name)
        m.flags = {"OUT"} if p.get("writes") else {"IN"}
        if p.get("writes") and element.kind == "HANDLE":
            element.flags.add("OWNED")  # the caller frees what the function makes
        if p.get("nullable"):
            m.flags.add("NULLABLE")
        if length in [q["name"] for q in f["parameters"]]:
            m.length = length
        m.count = self.expression(f, length)
        if name in ("shape", "sizes", "size"):
            m.flags.add("SIZES")
        if length in ("capacity", "room"):
            m.flags.add("COUNTS")
        return m

    def replaced(self, p, most):
        """Return the member of an array of tensors that the function replaces; others are NULL."""
        element = Member("", "", "TENSOR", flags={"NULLABLE"}, type="void *")
        name = p["name"]
        m = Member(name, name, "ARRAY", "ty_tensor *%s[%d];" % (name, most), element, fixed=most)
        m.flags, m.passed = {"IN", "OUT", "NULLABLE"}, "v->%s" % name
        return m

    def expression(self, f, length):
        """Return an expression of C of the frame for a length."""
        names = [p["name"] for p in f["parameters"]]
        return re.sub(
            r"(?<![\w.])([A-Za-z_]\w*)",
            lambda x: "v->" + x[1] if x[1] in names else x[1],
            str(length),
        )

    def out(self, f, p, t):
        """Return the member of one object that the function writes."""
        name, to = p["name"], self.kinds.resolve(t["pointer"])
        m = Member(safe(name), name, "", flags={"OUT"}, passed="&v->%s" % name)
        if "pointer" in to and self.is_shape(p, to):
            rank = "v->rank" if any(q["name"] == "rank" for q in f["parameters"]) else "v->result_"
            m.kind, m.of, m.declare, m.count = (
                "LIST",
                self.kinds.element(to["pointer"]),
                "const int64_t *%s;" % name,
                rank,
            )
            m.flags.add("CALLEE")
            return m
        if "pointer" in to:
            inner = self.kinds.pointer(name, to, {"nullable": True})
            if inner.kind in ("RECORD_AT",):
                raise Unbound("struct of the library's")
            m.kind, m.of, m.declare = inner.kind, inner.of, self.declare_pointer(to, name)
            return m
        inner = to.get("name")
        if inner in self.kinds.handles:
            m = self.kinds.pointer(safe(name), t, p)
            m.c, m.declare, m.passed = name, "void *%s;" % name, "v->%s" % name
            return m
        if inner in ("void", "FILE", "char"):
            self.kinds.pointer(name, t, p)  # raises
        if inner.startswith("DL"):
            raise Unbound("arrays have __dlpack__ and from_dlpack")
        m.kind, m.of = self.kinds.scalar(to)
        m.declare = "%s %s;" % (inner, name)
        if inner in self.kinds.read:
            m.flags.add("IN")
        return m

    def is_shape(self, p, to):
        """Return true for a pointer to sizes that the library owns."""
        return p["name"] == "shape" and to["pointer"] == {"name": "int64_t", "const": True}

    def declare_pointer(self, t, name):
        """Return the declaration of a pointer with its full type."""
        to = t["pointer"]
        return "%s%s *%s;" % ("const " if to.get("const") else "", to["name"], name)

    def join_lengths(self, f, frame):
        """Hide members that are numbers of elements of lists that Python passes."""
        lists = [m for m in frame if m.kind in ("LIST", "BYTES") and m.length]
        written = {m.length for m in lists if "OUT" in m.flags}
        given = {
            m.length
            for m in lists
            if "IN" in m.flags and not ("NULLABLE" in m.flags and m.length in written)
        }
        for m in frame:
            if m.c in given and m.kind in ("SIGNED", "UNSIGNED"):
                m.kind = "HIDDEN"
            elif m.kind == "LIST" and "IN" in m.flags:
                if m.length not in given:
                    m.length = ""
        for m in frame:
            if m.kind == "LIST" and "IN" in m.flags and m.length:
                m.count = ""
            if m.kind == "LIST" and "OUT" in m.flags:
                m.length = ""

    # ---- results ----

    def result(self, f, frame):
        """Add the result to the frame and return its place, or -1."""
        t = self.kinds.resolve(f["result"])
        if t.get("name") == "void":
            return -1
        facts = f.get("result_facts", {})
        try:
            if "pointer" in t:
                m = self.result_pointer(f, t, facts)
            else:
                kind, of = self.kinds.scalar(t)
                m = Member("result", "result_", kind, "%s result_;" % t["name"], of, {"OUT"})
        except Unbound as reason:
            raise Unbound("result: %s" % reason) from None
        counts = (
            {m.length}
            if m.kind == "BYTES"
            else {"rank"} if any("CALLEE" in x.flags for x in frame) else set()
        )
        for x in frame:
            if x.c in counts and "OUT" in x.flags:
                x.kind, x.flags = "HIDDEN", set()
        if m.kind == "BOOL" and self.tells_success(frame):
            m.flags.add("ACTION")
        frame.append(m)
        return len(frame) - 1

    def tells_success(self, frame):
        """Return true if a bool is only success: an error or results are written besides."""
        return any(
            "ERROR" in m.flags or "OUT" in m.flags and m.kind in ("TENSOR", "LIST") for m in frame
        )

    def result_pointer(self, f, t, facts):
        """Return the member of a result that is a pointer."""
        to = self.kinds.resolve(t["pointer"])
        declare = self.declare_pointer({"pointer": to}, "result_") if "name" in to else ""
        flags = {"OUT", "NULLABLE"} | ({"OWNED"} if facts.get("owner") == "caller" else set())
        if to.get("name") == "char":
            if any(q["name"] == "n" and q.get("writes") for q in f["parameters"]):
                return Member("result", "result_", "BYTES", declare, flags=flags, length="n")
            return Member("result", "result_", "TEXT", declare, None, flags)
        if to.get("name") == "void" and any(
            q["name"] == "size" and q.get("writes") for q in f["parameters"]
        ):
            return Member(
                "result", "result_", "BYTES", "void *result_;", flags=flags, length="size"
            )
        if to.get("name") in ("int64_t", "int", "double"):
            raise Unbound("array of unknown length")
        m = self.kinds.pointer("result", t, {})
        if m.kind == "TENSOR" and facts.get("owner") in ("library", "argument"):
            flags.add("IN")  # borrowed
        m.c, m.declare, m.flags = "result_", declare, flags
        return m

    # ---- parameters of Python ----

    def parameters(self, f, call):
        """Make the list of parameters that Python sees."""
        positional, only = [], []
        taken = {m.name for m in call.frame}
        for i, m in enumerate(call.frame):
            if i == call.result or m.kind == "HIDDEN" or "ERROR" in m.flags:
                continue
            if "OUT" in m.flags and "IN" not in m.flags:
                continue
            if m.kind == "AXES":
                self.axes(call, i, m, positional, only)
            elif m.kind == "RECORD" and self.kinds.structs[m.of]["kind"] == "options":
                self.options(call, i, m, only, taken)
            else:
                optional = "NULLABLE" in m.flags or ("OUT" in m.flags and "IN" in m.flags)
                positional.append(Parameter(m.name, i, required=not optional, of=m))
        last = max(
            (k for k, p in enumerate(positional) if p.required and p.field != -2), default=-1
        )
        early = [p for k, p in enumerate(positional) if k < last and p.field == -2]
        positional = [p for p in positional if p not in early] + early
        last = max((k for k, p in enumerate(positional) if p.required), default=-1)
        for p in positional[: last + 1]:
            p.required = True
        for p in only:
            p.keyword_only = True
        call.parameters = positional + only

    def axes(self, call, i, m, positional, only):
        """Add `axis` and `keepdims` for a set of axes."""
        names = [x.name for x in call.frame]
        name = "axis" if m.name == "axes" and "axis" not in names else m.name
        m.name = name
        positional.append(Parameter(name, i, required=False, of=m))
        keep = "keepdims" if sum(x.kind == "AXES" for x in call.frame) == 1 else "keep_" + name
        positional.append(Parameter(keep, i, -2, False, default="False", of=m))

    def options(self, call, i, m, only, taken):
        """Add the fields of options as keywords; a taken name gets the name of the options."""
        members, _ = self.kinds.record(m.of)
        fields = [(k, x) for k, x in enumerate(members) if x.kind != "HIDDEN"]
        for k, x in fields:
            name = "%s_%s" % (m.name, x.name) if x.name in taken else x.name
            taken.add(name)
            only.append(Parameter(name, i, k, False, of=x))


def classify(description):
    """Return the kinds, the calls, and the reasons of functions without one."""
    kinds = Kinds(description)
    classifier = Classifier(kinds)
    calls, reasons = [], {}
    plain = {f["calls"] for f in description["functions"] if f.get("calls")}
    for f in description["functions"]:
        if f["name"] in plain or f["name"] in classifier.served:
            continue  # the plain function stands for it; classes of handles and exceptions do
        try:
            calls.append(classifier.call(f))
        except Unbound as reason:
            reasons[f["name"]] = str(reason)
    return kinds, calls, reasons
