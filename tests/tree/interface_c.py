"""Writes C made from tyto.json alone:

    python3 interface_c.py TYTO.JSON FOLDER

FOLDER/made.h declares all types and functions itself.  FOLDER/same.c includes the real headers and asserts that every
type, function, variable and constant is that of tyto.json.
"""
import json
import sys


def spell(declared, name=""):
    """Return a declaration of `name`, or the text of the type."""
    if "pointer" in declared:
        to, star = declared["pointer"], "*" + ("const " if declared.get("const") else "") + name
        return spell(to, "(%s)" % star if "function" in to or "array" in to else star)
    if "array" in declared:
        return spell(declared["array"], "%s[%s]" % (name, "" if declared["length"] is None else declared["length"]))
    if "function" in declared:
        return prototype(declared["function"], name)
    if "fields" in declared:
        return "struct { %s } %s" % (" ".join(spell(f["type"], f["name"]) + ";" for f in declared["fields"]), name)
    return ("const " if declared.get("const") else "") + declared["name"] + (" " if name else "") + name


def prototype(function, name):
    parameters = [spell(p["type"], p["name"] or "") for p in function["parameters"]]
    if function.get("variadic"):
        parameters.append("...")
    return spell(function["result"], "%s(%s)" % (name, ", ".join(parameters) or "void"))


def number(value):
    if value == -2**63:
        return "(-9223372036854775807LL - 1)"
    return "%d%s" % (value, "ULL" if value >= 2**63 else "LL")


# ---- made.h ----

def made(j):
    out = ["#pragma once"] + ["#include <%s.h>" % h for h in ("stdbool", "stddef", "stdint", "stdio")]
    for e in j["enums"]:
        values = ", ".join("%s = %d" % (v["name"], v["value"]) for v in e["values"])
        out.append("typedef enum %s { %s } %s;" % (e["name"], values, e["name"]) if "name" in e else "enum { %s };" % values)
    out += ["typedef struct %s %s;" % (t["name"], t["name"]) for t in j["handles"] + j["structs"]]
    out += ["typedef %s;" % spell(t["type"], t["name"]) for t in j["aliases"]]
    out += ["typedef %s;" % spell({"pointer": {"function": t}}, t["name"]) for t in j["callbacks"]]
    for s in j["structs"]:
        out.append("struct %s { %s };" % (s["name"], " ".join(spell(f["type"], f["name"]) + ";" for f in s["fields"])))
        out.append('_Static_assert(sizeof(%s) == %d, "%s");' % (s["name"], s["size"], s["name"]))
    out += ["extern %s;" % spell(v["type"], v["name"]) for v in j["variables"]]
    out += [prototype(f, f["name"]) + ";" for f in j["functions"] if f["symbol"]]
    functions = {f["name"]: f for f in j["functions"]}
    out += [inline(f, functions[f["calls"]]) for f in j["functions"] if f.get("inline") and passes(f, functions)]
    return "\n".join(out) + "\n"


def passes(f, functions):
    """Return true if tyto.json says all that the exported function of an inline one is given."""
    own = {p["name"] for p in f["parameters"]}
    called = functions.get(f["calls"])
    return called is not None and (f.get("options") or f.get("returned") or any("size_of" in p for p in called["parameters"])) and all(
        p["name"] in own or p["name"] == f.get("returned") or "size_of" in p for p in called["parameters"])


def inline(f, called):
    own = {p["name"]: p["type"] for p in f["parameters"]}
    by_value = {o["parameter"] for o in f.get("options", [])}
    arguments = []
    for p in called["parameters"]:
        struct = p.get("size_of")
        if p["name"] in by_value or p["name"] == f.get("returned"):
            arguments.append("&" + p["name"])
        elif struct and p["name"] not in own:
            arguments.append("sizeof %s%s" % ("*" if "pointer" in own.get(struct, {}) else "", struct))
        else:
            arguments.append(p["name"])
    call = "%s(%s);" % (called["name"], ", ".join(arguments))
    if f.get("returned"):
        text = "%s; %s return %s;" % (spell(f["result"], f["returned"]), call, f["returned"])
    else:
        text = ("" if f["result"] == {"name": "void"} else "return ") + call
    return "static inline __attribute__((unused)) %s { %s }" % (prototype(f, f["name"]), text)


# ---- same.c ----

def same(j):
    out = ["#include <%s>" % h["name"] for h in j["headers"]]

    def holds(condition, about):
        out.append('_Static_assert(%s, "%s");' % (condition, about))

    def compatible(one, other, about):
        holds("__builtin_types_compatible_p(%s, %s)" % (one, other), about)

    def fields(struct, path, members, start):
        for f in members:
            place = path + f["name"]
            holds("offsetof(%s, %s) == %d" % (struct, place, start + f["offset"]), "%s.%s" % (struct, place))
            holds("sizeof(((%s *)0)->%s) == %d" % (struct, place, f["size"]), "%s.%s" % (struct, place))
            inner, index = f["type"], ""
            while "array" in inner:
                inner, index = inner["array"], index + "[0]"
            if "fields" in inner:
                fields(struct, place + index + ".", inner["fields"], start + f["offset"])
            else:
                compatible("__typeof__(&((%s *)0)->%s)" % (struct, place), spell({"pointer": f["type"]}), "%s.%s" % (struct, place))

    for e in j["enums"]:
        for v in e["values"]:
            holds("%s == %d" % (v["name"], v["value"]), v["name"])
        if "name" in e:
            holds("sizeof(%s) == %d" % (e["name"], e["size"]), e["name"])
    for s in j["structs"]:
        holds("sizeof(%s) == %d && _Alignof(%s) == %d" % (s["name"], s["size"], s["name"], s["align"]), s["name"])
        fields(s["name"], "", s["fields"], 0)
    for t in j["aliases"]:
        compatible(t["name"], spell(t["type"]), t["name"])
    for t in j["callbacks"]:
        compatible(t["name"], spell({"pointer": {"function": t}}), t["name"])
    for v in j["variables"]:
        compatible("__typeof__(&%s)" % v["name"], spell({"pointer": v["type"]}), v["name"])
    for f in j["functions"]:
        compatible("__typeof__(&%s)" % f["name"], spell({"pointer": {"function": f}}), f["name"])
    for c in j["constants"]:
        if isinstance(c["value"], int):
            holds("%s == %s" % (c["name"], number(c["value"])), c["name"])
    for b in j["builtins"]:
        if "size" in b:
            holds("sizeof(%s) == %d" % (b["name"], b["size"]), b["name"])
    return "\n".join(out) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        j = json.load(file)
    for name, text in (("made.h", made(j)), ("same.c", same(j))):
        with open(sys.argv[2] + "/" + name, "w", encoding="utf-8") as file:
            file.write(text)


main()
