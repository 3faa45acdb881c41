"""Kinds of parameters and fields: from the types of tyto.json to descriptors of members."""

import keyword
from dataclasses import dataclass, field

from callbacks import callback


class Unbound(Exception):
    """What cannot be bound, with the reason."""


# Lists of structs with as many elements as the parameter n of the one function that takes the
# struct.
OUTER = {
    "ty_interpolation.sizes",
    "ty_interpolation.scales",
    "ty_notation_options.names",
    "ty_notation_options.by",
}


# Functions without a context, which Python gives by their names in the library, and their prefix.
BY_NAME = {"ty_init.draw": "ty_init_", "ty_image_step.apply": "ty_step_"}


@dataclass
class Member:
    """A member of a call's frame or of a struct, as descriptor.h describes it."""

    name: str
    c: str  # its name in C
    kind: str
    declare: str = ""  # declaration in a frame
    of: object = None  # name of an enum, struct or handle; Member of an element
    flags: set = field(default_factory=set)
    length: str = ""  # member with the number of elements
    count: str = ""  # expression of C for the number of elements
    fixed: int = 0
    passed: str = ""  # argument of the call
    doc: str = ""
    type: str = ""  # C type of an element


def safe(name):
    """Return a name that Python takes as an identifier."""
    return name + "_" if keyword.iskeyword(name) else name


class Kinds:
    """Lists of tyto.json by name, and the members that types become."""

    def __init__(self, description):
        self.json = description
        lists = ("builtins", "enums", "structs", "handles", "callbacks", "aliases")
        for name in lists:
            setattr(self, name, {e["name"]: e for e in description[name] if "name" in e})
        self.read = self.structs_that_are_read()
        self.named = self.named_pointers()

    def structs_that_are_read(self):
        """Return names of structs that functions take by value or by a pointer to a constant."""
        read = set()
        for f in self.json["functions"]:
            for p in f["parameters"]:
                t = p["type"]
                to = t.get("pointer", t)
                if to.get("name") in self.structs and ("pointer" not in t or to.get("const")):
                    read.add(to["name"])
        for s in self.json["structs"]:
            if any(f.get("reserved") for f in s["fields"]) and s["kind"] != "result":
                read.add(s["name"])
        return read

    def named_pointers(self):
        """Return the functions that find a pointer by its name, by the type that they return."""
        found = {}
        for f in self.json["functions"]:
            t = f["result"]
            name = t.get("pointer", t).get("name")
            if f["name"].endswith("_named") and (name in self.structs or name in self.callbacks):
                found[name] = f["name"]
        return found

    def callback(self, place, name, t, names, context):
        """Return the member of a callback at "function.parameter" or "struct.field"."""
        type_name = t.get("name", "")
        if type_name in self.named:
            return Member(safe(name), name, "NAMED", of=type_name, flags={"NULLABLE"})
        of = callback(place, type_name, names, context)
        if not of:
            raise Unbound("function of the caller's" if context else "function without a context")
        return Member(safe(name), name, "CALLBACK", of=of, flags={"NULLABLE"})

    def makers(self, field_type):
        """Return the functions of the library that a field of a type without a name can hold."""
        want = field_type["pointer"]["function"]
        types = [p["type"] for p in want["parameters"]]
        return [
            f["name"]
            for f in self.json["functions"]
            if f["result"] == want["result"] and [p["type"] for p in f["parameters"]] == types
        ]

    def is_function(self, t):
        """Return true for a pointer to a function."""
        return t.get("name") in self.callbacks or "function" in self.resolve(t.get("pointer", {}))

    def resolve(self, t):
        """Follow aliases."""
        while t.get("name") in self.aliases:
            t = self.aliases[t["name"]]["type"]
        return t

    def scalar(self, t):
        """Return the kind of a type without a pointer and what it is of."""
        t = self.resolve(t)
        name = t.get("name")
        if name == "ty_dtype":
            return "DTYPE", None
        if name == "ty_axes":
            return "AXES", None
        if name in self.enums:
            return "ENUM", name
        if name in self.structs:
            return "RECORD", name
        if name in self.callbacks:
            raise Unbound("function of the caller's")
        b = self.builtins.get(name)
        if not b or b["kind"] in ("void", "opaque"):
            raise Unbound("opaque type")
        if b["kind"] == "integer":
            return ("SIGNED" if b["signed"] else "UNSIGNED"), None
        return {"bool": "BOOL", "character": "CHARACTER", "floating": "REAL"}[b["kind"]], None

    def element(self, t):
        """Return the member of an element of a list or an array."""
        if "pointer" not in t:
            kind, of = self.scalar(t)
            return Member("", "", kind, of=of, type=self.resolve(t)["name"])
        return self.pointer("", t, {})

    def pointer(self, name, t, facts):
        """Return the member of a pointer to one object."""
        to = self.resolve(t["pointer"])
        inner = to.get("name")
        flags = {"NULLABLE"} if facts.get("nullable") else set()
        if "function" in to:
            raise Unbound("function of the caller's")
        if "pointer" in to or "array" in to:
            raise Unbound("array of unknown length")
        if inner == "ty_tensor":
            return Member(name, name, "TENSOR", flags=flags, type="void *")
        if inner in self.handles:
            if not to.get("const"):
                flags.add("CHANGES")
            return Member(name, name, "HANDLE", of=inner, flags=flags, type="void *")
        if inner == "char" and to.get("const"):
            return Member(name, name, "TEXT", flags=flags, type="void *")
        if inner in self.named and to.get("const"):
            return Member(name, name, "NAMED", of=inner, flags=flags, type="void *")
        if inner in self.structs:
            return Member(name, name, "RECORD_AT", of=inner, flags=flags, type="void *")
        if inner in ("FILE", "void", "char"):
            raise Unbound(
                {"FILE": "stream of C", "void": "raw memory", "char": "text that is written"}[inner]
            )
        raise Unbound("array of unknown length")

    def struct_member(self, s, f):
        """Return the member of a field of a struct."""
        t, name = self.resolve(f["type"]), safe(f["name"])
        if self.is_function(t):
            if s["name"] + "." + f["name"] in BY_NAME:
                of = s["name"] + "_" + f["name"]
                return Member(name, f["name"], "NAMED", of=of, flags={"NULLABLE"})
            names = [x["name"] for x in s["fields"]]
            context = next((x for x in (f["name"] + "_context", "context") if x in names), "")
            m = self.callback("%s.%s" % (s["name"], f["name"]), f["name"], t, names, context)
            m.doc = f.get("doc", "")
            return m
        if "array" in t:
            element = self.element(t["array"])
            return Member(
                name, f["name"], "ARRAY", of=element, fixed=t["length"], doc=f.get("doc", "")
            )
        if "fields" in t:
            raise Unbound("struct without a name")
        if "pointer" not in t:
            kind, of = self.scalar(t)
            return Member(name, f["name"], kind, of=of, doc=f.get("doc", ""))
        if "length" in f and f["length"] and f["length"].isidentifier():
            element = self.element(t["pointer"])
            return Member(
                name,
                f["name"],
                "LIST",
                of=element,
                length=f["length"],
                flags={"NULLABLE"},
                doc=f.get("doc", ""),
            )
        if "%s.%s" % (s["name"], f["name"]) in OUTER:
            return Member(
                name,
                f["name"],
                "LIST",
                of=self.element(t["pointer"]),
                flags={"NULLABLE", "OUTER"},
                doc=f.get("doc", ""),
            )
        m = self.pointer(name, t, {"nullable": True})
        m.c, m.doc = f["name"], f.get("doc", "")
        return m

    def record(self, name):
        """Return the members of a struct, and reasons of fields that are not bound."""
        s = self.structs[name]
        members, reasons = [], {}
        lengths = {f.get("length") for f in s["fields"]}
        for f in s["fields"]:
            if f.get("reserved"):
                continue
            try:
                members.append(self.struct_member(s, f))
            except Unbound as reason:
                members.append(Member(safe(f["name"]), f["name"], "HIDDEN"))
                reasons[f["name"]] = str(reason)
        for m in members:
            if m.kind == "CALLBACK":
                reasons.pop(m.of.context, None)
                reasons.pop(m.of.release, None)
        for m in members:
            if m.c in lengths and m.kind in ("SIGNED", "UNSIGNED"):
                m.kind = "HIDDEN"
        return members, reasons
