"""Writes declarations of Tyto for Rust, from the description of the interface alone.

    python3 declarations.py /usr/share/tyto/tyto.json tyto.rs
"""
import json
import sys

KEYWORDS = {"as", "box", "const", "final", "fn", "impl", "in", "let", "loop", "match", "mod",
            "move", "mut", "priv", "pub", "ref", "trait", "type", "use", "where", "yield"}


def name_of(name):
    return name + "_" if name == "self" else "r#" + name if name in KEYWORDS else name


class Rust:
    def __init__(self, description):
        self.j, self.lines = description, []
        self.builtins = {b["name"]: self.builtin(b) for b in description["builtins"]}
        self.functions = {f["name"]: f for f in description["functions"]}

    def builtin(self, b):
        names = {"void": "c_void", "bool": "bool", "character": "c_char", "opaque": "c_void"}
        letter = "f" if b["kind"] == "floating" else "i" if b.get("signed") else "u"
        return names.get(b["kind"]) or "%s%d" % (letter, 8 * b["size"])

    def type(self, t, place=""):
        """Return the text of a type; a struct without a name gets that of its place."""
        if "array" in t:
            return "[%s; %d]" % (self.type(t["array"], place), t["length"] or 0)
        if "fields" in t:
            self.struct({"name": place, "size": t["size"], "fields": t["fields"]})
            return place
        if "pointer" not in t:
            words = {"size_t": "usize", "ptrdiff_t": "isize"}
            return words.get(t["name"]) or self.builtins.get(t["name"], t["name"])
        to = t["pointer"]
        if "function" in to:
            return "Option<unsafe extern \"C\" fn%s>" % self.signature(to["function"])
        return "*%s %s" % ("const" if to.get("const") else "mut", self.type(to))

    def signature(self, f):
        parts = ["%s: %s" % (name_of(p["name"] or "_%d" % i), self.type(p["type"]))
                 for i, p in enumerate(f["parameters"])]
        result = "" if f["result"] == {"name": "void"} else " -> " + self.type(f["result"])
        return "(%s)%s" % (", ".join(parts + ["..."] * bool(f.get("variadic"))), result)

    def struct(self, s):
        name = s["name"]
        types = [self.type(f["type"], name + "_" + f["name"]) for f in s["fields"]]
        fields = ["    pub %s: %s," % (name_of(f["name"]), t) for f, t in zip(s["fields"], types)]
        self.lines += ["#[repr(C)]", "#[derive(Clone, Copy)]",
                       "pub struct %s {" % name, *fields, "}",
                       "impl Default for %s {" % name, # 0 is the default of each field
                       "    fn default() -> Self { unsafe { std::mem::zeroed() } }", "}",
                       "const _: () = assert!(std::mem::size_of::<%s>() == %d);"
                       % (name, s["size"])]

    def inline(self, f):
        """Pass addresses and sizes of structs to the function that one of the header calls."""
        structs = {o["parameter"] for o in f.get("options", [])}
        given = {p["name"] for p in f["parameters"]}
        called, out = {p["name"]: p for p in self.functions[f["calls"]]["parameters"]}, []
        for p in called.values():
            if p["name"] == f.get("returned"):
                out.append("&mut returned_")
            elif "size_of" in p and p["name"] not in given:
                struct = self.type(called[p["size_of"]]["type"]["pointer"])
                out.append("std::mem::size_of::<%s>()" % struct)
            else:
                out.append(("&" if p["name"] in structs else "") + name_of(p["name"]))
        call = "%s(%s)" % (f["calls"], ", ".join(out))
        if "returned" in f:
            result = self.type(f["result"])
            call = "let mut returned_ = %s::default(); %s; returned_" % (result, call)
        signature = f["name"] + self.signature(f)
        self.lines.append("pub unsafe fn %s { unsafe { %s } }" % (signature, call))

    def value(self, c):
        if isinstance(c["value"], dict):
            null = "std::ptr::null_mut()"
            fields = ["%s: %s" % (name_of(k), null if v is None else json.dumps(v))
                      for k, v in c["value"].items()]
            return "%s { %s }" % (c["type"], ", ".join(fields))
        return json.dumps(c["value"])

    def write(self):
        j = self.j
        self.lines = ["// Made by declarations.py of Tyto %s: a module." % j["version"],
                      "#![allow(dead_code, unused_unsafe, clippy::all)]",
                      "#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]",
                      "use std::os::raw::{c_char, c_void};"]
        for e in j["enums"]:
            kind = "%s%d" % ("i" if e["signed"] else "u", 8 * e["size"])
            if "name" in e:
                self.lines.append("pub type %s = %s;" % (e["name"], kind))
            for v in e["values"]:
                self.lines.append("pub const %s: %s = %d;" % (v["name"], kind, v["value"]))
        for h in j["handles"]:
            self.lines += ["#[repr(C)]", "pub struct %s { _opaque: [u8; 0] }" % h["name"]]
        for c in j["callbacks"]:
            function = "Option<unsafe extern \"C\" fn%s>" % self.signature(c)
            self.lines.append("pub type %s = %s;" % (c["name"], function))
        for a in j["aliases"]:
            self.lines.append("pub type %s = %s;" % (a["name"], self.type(a["type"])))
        for s in j["structs"]:
            self.struct(s)
        for c in j["constants"]:
            kind = "&str" if c["type"] == "text" else self.type({"name": c["type"]})
            self.lines.append("pub const %s: %s = %s;" % (c["name"], kind, self.value(c)))
        self.lines.append("extern \"C\" {")
        for v in j["variables"]:
            self.lines.append("    pub static %s: %s;" % (v["name"], self.type(v["type"])))
        for f in j["functions"]:
            if f["symbol"]:
                self.lines.append("    pub fn %s%s;" % (f["name"], self.signature(f)))
        self.lines.append("}")
        for f in j["functions"]:
            if not f["symbol"] and f["calls"]:
                self.inline(f)
        return "\n".join(self.lines) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = Rust(json.load(file)).write()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)
