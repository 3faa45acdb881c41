"""Describes declarations as entries of tyto.json."""
import re

import expressions
import meaning
import tables
from declarations import spell
from source import File

BUILTINS = {
    "void": {"kind": "void"}, "bool": {"kind": "bool"}, "FILE": {"kind": "opaque", "header": "stdio.h"},
    "float": {"kind": "floating"}, "double": {"kind": "floating"}, "char": {"kind": "character"},
    "signed char": {"kind": "integer", "signed": True}, "unsigned char": {"kind": "integer", "signed": False},
    "short": {"kind": "integer", "signed": True}, "int": {"kind": "integer", "signed": True},
    "unsigned int": {"kind": "integer", "signed": False}, "long": {"kind": "integer", "signed": True},
    "unsigned long": {"kind": "integer", "signed": False}, "size_t": {"kind": "integer", "signed": False},
    "ptrdiff_t": {"kind": "integer", "signed": True}, "intptr_t": {"kind": "integer", "signed": True},
    "uintptr_t": {"kind": "integer", "signed": False}}
for bits in (8, 16, 32, 64):
    BUILTINS["int%d_t" % bits] = {"kind": "integer", "signed": True}
    BUILTINS["uint%d_t" % bits] = {"kind": "integer", "signed": False}
ASKED = [name for name, facts in BUILTINS.items() if facts["kind"] not in ("void", "opaque")]


class Description:
    def __init__(self, parser, macros, layout, folder, tested):
        # Names that end in _ serve macros alone.
        self.found = [d for d in parser.found if not (d.name or "").endswith("_")]
        self.macros = {name: macro for name, macro in macros.items() if not name.endswith("_")}
        self.lengths, self.layout = parser.lengths, layout
        self.folder, self.tested, self.files, self.constants, self.rows = folder, tested, {}, {}, {}
        self.structs = {d.name: d for d in self.found if d.kind == "struct"}
        self.aliases = {d.name: d.type["name"] for d in self.found if d.kind == "typedef" and "name" in d.type}
        self.enums = {d.name: d for d in self.found if d.kind == "enum" and d.name}
        self.handles = {d.name: d for d in self.found if d.kind == "opaque" and d.name not in self.structs}
        self.functions = {}
        for d in self.found: # a definition after a prototype adds nothing
            if d.kind == "function":
                self.functions.setdefault(d.name, d)
        self.documents()

    # ---- comments and rows ----

    def file(self, name):
        if name not in self.files:
            self.files[name] = File(self.folder, name)
        return self.files[name]

    def documents(self):
        """Set doc, shared (with the declaration above), row and header of each declaration."""
        last = {}
        for d in self.found:
            before = last.get(d.first.file)
            d.row, d.shared, d.header = self.row(d), False, (d.first.includer or (d.first.file, 0))[0]
            if d.first.includer:
                comment = self.file(d.first.includer[0]).comment_of_include(d.first.includer[1])
                d.doc = self.with_row(d.row, comment.text if comment else self.file(d.first.file).about())
            else:
                comment = self.file(d.first.file).comment_above(d.first.line)
                d.doc = comment.text if comment else ""
                if not comment and before is not None and before.last.line >= d.first.line - 1:
                    d.doc, d.shared = before.doc, bool(before.doc)
            last[d.first.file] = d
        self.share_comments()

    def share_comments(self):
        """Give the function that an inline one calls its comment; one that names the other gets both comments."""
        for d in self.functions.values():
            called = self.functions.get(self.called(d))
            if called is None:
                continue
            called.plain = d.name
            if d.doc and not d.shared and (called.shared or not called.doc):
                called.doc, called.shared = d.doc, False
            elif re.search(r"\b%s\b" % d.name, called.doc):
                called.doc += "  " + d.doc
            elif re.search(r"\b%s\b" % called.name, d.doc):
                d.doc += "  " + called.doc

    def called(self, d):
        """Return the exported function that an inline one calls, None if there is none."""
        words = [t.text for t in getattr(d, "body", None) or []]
        calls = [w for w, after in zip(words, words[1:]) if after == "(" and w in self.functions]
        return next((name for name in calls if self.functions[name].exported), None)

    def with_row(self, row, doc):
        said = row["columns"].get("doc", "") if row else ""
        said = said if isinstance(said, str) else ""
        return (said + (".  " if said and doc else "") + doc).strip()

    def row(self, d):
        """Return the row of a table that made a declaration: {table, macro, columns}."""
        name, line = d.first.file, d.first.line
        if name.startswith("tyto/rows/") and d.kind == "function":
            name = name[:-2] + ".def"
            for last, macro, columns in self.table(name, "tyto/elementwise.def").values():
                if "ty_" + str(columns.get("name")) == d.name:
                    return {"table": name, "macro": macro, "columns": columns}
        if name.endswith(".def"):
            for first, (last, macro, columns) in self.table(name, name, d.first.includer[0]).items():
                if first <= line <= last:
                    return {"table": name, "macro": macro, "columns": columns}
        return None

    def table(self, name, described, header=None):
        if name not in self.rows:
            comment = self.file(described).about()
            # A table that does not name all columns has those of the macros in the header.
            defined = "".join(re.findall(r"#define (\w+\([^)]*\))", self.file(header).text)) if header else ""
            self.rows[name] = tables.rows(self.file(name).text, comment + "\n" + defined)
        return self.rows[name]

    def member_doc(self, member):
        """Return the comment of a field or an enumerator: above it, behind it, or of its row."""
        if member.first.file.endswith(".def"):
            row = self.row(member)
            return self.with_row(row, "") if row else ""
        file = self.file(member.first.file)
        above, behind = file.comment_above(member.first.line), file.comment_after(member.last.line)
        return "  ".join(c.text for c in (above, behind) if c)

    # ---- questions to the compiler ----

    def ask(self):
        for name in [*ASKED, "void *"]:
            self.layout.ask("builtin " + name, "sizeof(%s)" % name)
        for name, d in self.structs.items():
            self.layout.ask_struct(name, d.members)
        for d in self.found:
            for value in d.members if d.kind == "enum" else []:
                self.layout.ask("value " + value.name, value.name)
            if d.kind == "enum": # one without a name is known by its constants, which are ints
                kind = d.name or "__typeof__(%s)" % d.members[0].name
                self.layout.ask("size " + kind, "sizeof(%s)" % kind)
                self.layout.ask("signed " + kind, "(%s)-1 < 0" % kind)
        for array in self.lengths:
            self.layout.ask("length " + array["length"], array["length"])
        for macro in self.macros.values():
            if macro.parameters is None and macro.file.startswith("tyto/"):
                self.constants[macro.name] = self.layout.ask_constant(macro, self.structs)

    # ---- types ----

    def type(self, declared, path=""):
        """Return a type as plain data, with numbers for lengths."""
        out = dict(declared)
        if "pointer" in out:
            out["pointer"] = self.type(out["pointer"])
        elif "array" in out:
            length = out["length"]
            out = {"array": self.type(out["array"], path + "[0]"),
                   "length": self.layout["length " + length] if isinstance(length, str) else length}
        elif "function" in out:
            out["function"] = self.signature(out["function"])
        elif "fields" in out:
            start = self.layout["offset " + path.replace("[0]", "")]
            out = {"fields": self.fields(out["fields"], path + ".", start), "size": self.layout["size " + path]}
        return out

    def resolved(self, declared):
        """Return the type for which an alias of a pointer stands, such as the type of a callback."""
        named = next((t.type for t in self.found if t.kind == "typedef" and t.name == declared.get("name")), declared)
        return declared if "name" in named and "pointer" not in named else named

    def signature(self, function):
        out = {"result": self.type(function["result"]),
               "parameters": [{"name": p["name"], "type": self.type(p["type"])} for p in function["parameters"]]}
        return dict(out, variadic=True) if function.get("variadic") else out

    def fields(self, members, path, start=0, options=False):
        """Return the fields of a struct; those of an anonymous one count from `start`, its own place."""
        fields, names = [], {m.name for m in members}
        for m in members:
            doc = self.member_doc(m)
            declared = self.type(m.type, path + m.name)
            field = {"name": m.name, "type": declared, "c": spell(declared, m.name),
                     "offset": self.layout["offset " + path + m.name] - start,
                     "size": self.layout["size " + path + m.name]}
            default = meaning.default(doc, m.name, options)
            facts = {"length": meaning.field_length({"name": m.name, "type": m.type}, names, doc),
                     "default": default, "doc": doc, "row": self.row(m),
                     "nullable": meaning.field_may_be_null(self.resolved(m.type), doc, default) or None,
                     "reserved": True if m.name == "unused" else None}
            fields.append(dict(field, **{k: v for k, v in facts.items() if v not in (None, "")}))
        return fields

    # ---- entries ----

    def entry(self, d, **more):
        place = d.first.includer or (d.first.file, d.first.line)
        entry = {"name": d.name, "header": place[0], "group": self.file(place[0]).group(place[1])}
        entry.update(more)
        entry["doc"] = d.doc
        if d.shared:
            entry["doc_shared"] = True # with the entry before
        if d.row:
            entry["row"] = d.row
        return {key: value for key, value in entry.items() if value is not None}

    def struct_of(self, declared):
        """Return the name of the struct that a type is, by its own name or an alias; None for another type."""
        name = self.aliases.get(declared.get("name"), declared.get("name"))
        return name if name in self.structs else None

    def struct(self, d):
        used = [(f, i) for f in self.functions.values() for i, p in enumerate(f.type["parameters"])
                if self.struct_of(meaning.pointed(p["type"])) == d.name and meaning.is_sized(f.type["parameters"], i)]
        constant = [meaning.pointed(f.type["parameters"][i]["type"]).get("const", False) for f, i in used]
        named = re.search(r"_(options|layer)$", d.name)
        by_name = any(self.struct_of(p["type"]) == d.name and p["name"] in ("options", "o")
                      for f in self.functions.values() for p in f.type["parameters"])
        kind = "options" if any(constant) or named or by_name else "result" if constant else "value"
        fields = self.fields(d.members, d.name + ".", options=kind == "options")
        return self.entry(d, kind=kind, sized=bool(used), size=self.layout["size " + d.name],
                          align=self.layout["align " + d.name], fields=fields)

    def enum(self, d):
        values = [{"name": v.name, "value": self.layout["value " + v.name], "doc": self.member_doc(v),
                   "row": self.row(v)} for v in d.members]
        values = [{key: value for key, value in v.items() if value not in (None, "")} for v in values]
        kind = d.name or "__typeof__(%s)" % d.members[0].name
        return self.entry(d, size=self.layout["size " + kind], signed=bool(self.layout["signed " + kind]),
                          count=self.count(d), named=self.lookup(d), values=values)

    def count(self, d):
        """Return the enumerator that is the number of the others, None if there is none."""
        others, last, lookup = [v.name for v in d.members[:-1]], d.members[-1].name, self.lookup(d)
        if lookup and re.search(r"\b%s\b" % last, self.functions[lookup].doc): # returned for an unknown name
            return last
        if d.name and last == d.name.upper() + "S":
            return last
        plural = others and last.endswith("S") and all(name.startswith(last[:-1] + "_") for name in others)
        return last if plural else None

    def lookup(self, d):
        name = (d.name or "") + "_named"
        return name if name in self.functions else None

    def handle(self, d):
        functions = [f for f in self.functions.values() if f.type["parameters"] and
                     meaning.pointed(f.type["parameters"][0]["type"]).get("name") == d.name]
        ends = [f.name for f in functions if f.type["result"] == {"name": "void"} and len(f.type["parameters"]) == 1 and
                re.search(r"_(free|release)$|^ty_close$", f.name)]
        more = {"free": ends}
        for key, pattern in (("retain", "_retain$"), ("error", "_error$"), ("failure", "_failure$")):
            more[key] = [f.name for f in functions if re.search(pattern, f.name)]
        return self.entry(d, **more)

    def parameters(self, d, function):
        """Return the parameters of a function, or of a callback, with the facts that are known about them."""
        raw, out = function["parameters"], []
        for i, p in enumerate(raw):
            entry = {"name": p["name"], "type": self.type(p["type"]), "c": spell(p["type"], p["name"])}
            inner = meaning.pointed(p["type"])
            if self.is_callback(p["type"]):
                entry["callback"] = True
                if i + 1 < len(raw) and raw[i + 1]["name"] == "context":
                    entry["context"] = raw[i + 1]["name"]
            opaque = inner.get("name") in self.handles or p["name"] == "context"
            if inner and not inner.get("const") and "function" not in inner and not opaque:
                entry["writes"] = True
            if p.get("length"):
                entry["length"] = p["length"]
            out.append(entry)
        structs = {*self.structs, *(a for a in self.aliases if self.struct_of({"name": a}))}
        meaning.lengths(out, d.doc, self.handles, structs)
        for entry in out:
            if isinstance(entry.get("length"), str):
                entry["length"] = self.counted(entry["length"], raw)
        forms = [d.name, getattr(d, "plain", None), self.called(d)] # the lists of tests name one of them
        tested = {p["name"] for p in out for form in forms if "%s.%s" % (form, p["name"]) in self.tested}
        if d.row and d.row["macro"] in ("LAYER", "LAYERS"):
            tested.add("name")
        for i, entry in enumerate(out):
            inner = meaning.pointed(entry["type"])
            sized = "size" in entry and inner.get("const") and self.struct_of(inner)
            if "pointer" not in entry["type"] and "callback" not in entry:
                continue
            if sized or meaning.may_be_null(entry["name"], i == 0, d.doc, tested):
                entry["nullable"] = True
        return out

    def counted(self, name, parameters):
        """Return an expression of parameters, or parameter.field for a count that a struct has; None for neither."""
        own = {p["name"] for p in parameters}
        if set(re.findall(r"[A-Za-z_]\w*\b(?!\()", name)) <= own: # other words are functions
            return int(name) if name.isdigit() else name
        for p in parameters:
            struct = self.structs.get(self.struct_of(p["type"]) or self.struct_of(meaning.pointed(p["type"])))
            if struct and any(m.name == name for m in struct.members):
                return "%s.%s" % (p["name"], name)
        return None

    def is_callback(self, declared):
        aliases = {t.name for t in self.found if t.kind == "typedef" and "function" in meaning.pointed(t.type)}
        return "function" in meaning.pointed(declared) or declared.get("name") in aliases

    def function(self, d):
        result = d.type["result"]
        facts = meaning.result(d.name, result, d.doc, self.deletes(result))
        entry = self.entry(d, c=spell({"function": d.type}, d.name), result=self.type(result),
                           parameters=self.parameters(d, d.type), variadic=d.type.get("variadic", False),
                           result_facts=facts or None)
        entry["symbol"] = d.name if d.exported else None
        if d.deprecated:
            entry["deprecated"] = d.deprecated[0] # the sentence that names what replaces it
        if hasattr(d, "plain"):
            entry["plain"] = d.plain
        if d.body is not None:
            entry.update(self.inline(d))
        if d.name in self.macros:
            entry["macro"] = True # (name)(...) and &name are the function itself
        return entry

    def deletes(self, declared):
        """Return true for a pointer to a struct that has its own function that frees it."""
        struct = self.structs.get(meaning.pointed(declared).get("name"))
        return struct is not None and any(m.name == "deleter" for m in struct.members)

    def inline(self, d):
        """Return the exported function that an inline one calls, and the structs whose address and size it passes."""
        words, called = [t.text for t in d.body], self.called(d)
        options = [{"parameter": p["name"], "struct": self.struct_of(p["type"])} for p in d.type["parameters"]
                   if self.struct_of(p["type"]) and ("&", p["name"]) in zip(words, words[1:])]
        entry = {"inline": True, "calls": called}
        if options:
            entry["options"] = options
        result = self.struct_of(d.type["result"])
        for p in self.functions[called].type["parameters"] if called and result else []:
            if self.struct_of(meaning.pointed(p["type"])) == result: # the called function writes what this one returns
                entry["returned"] = p["name"]
        return entry

    def constant(self, macro):
        kind = self.constants[macro.name]
        entry = {"name": macro.name, "header": macro.file, "doc": self.macro_doc(macro)}
        if kind == "number":
            return dict(entry, type=self.layout["type " + macro.name], value=self.layout["constant " + macro.name])
        return dict(entry, type=kind, value={m.name: self.member_value(macro, m) for m in self.structs[kind].members})

    def member_value(self, macro, member):
        if "pointer" in member.type:
            return None
        value = self.layout["constant %s.%s" % (macro.name, member.name)]
        return bool(value) if member.type["name"] == "bool" else value

    def macro(self, macro):
        entry = {"name": macro.name, "header": macro.file, "parameters": macro.parameters,
                 "body": self.file(macro.file).macro(macro.line), "doc": self.macro_doc(macro)}
        if macro.name in self.functions:
            entry["function"] = macro.name
        return {key: value for key, value in entry.items() if value is not None}

    def macro_doc(self, macro):
        comment = self.file(macro.file).comment_above(macro.line)
        return comment.text if comment else ""

    # ---- the whole ----

    def of_kind(self, kind, describe):
        return [describe(d) for d in self.found if d.kind == kind]

    def typedefs(self, callback):
        found = [d for d in self.found if d.kind == "typedef" and ("function" in meaning.pointed(d.type)) == callback]
        return [self.callback(d) if callback else self.typed(d) for d in found]

    def callback(self, d):
        function = d.type["pointer"]["function"]
        return self.entry(d, c=spell(d.type, d.name), result=self.type(function["result"]),
                          parameters=self.parameters(d, function), variadic=function.get("variadic", False))

    def typed(self, d):
        return self.entry(d, c=spell(d.type, d.name), type=self.type(d.type))

    def dtypes(self):
        names = [v.name for v in self.enums["ty_dtype"].members]
        names = names[:names.index("TY_DTYPES")] # those behind it are for storage
        kinds = {"I": "integer", "U": "unsigned", "F": "floating", "C": "complex"}
        return [{"name": name[3:].lower(), "constant": name, "value": self.layout["value " + name],
                 "kind": "floating" if name == "TY_BF16" else "bool" if name == "TY_BOOL" else kinds[name[3]],
                 "size": int(re.sub(r"\D", "", name) or 8) // 8} for name in names]

    def result(self, headers):
        public = [m for m in self.macros.values() if m.file.startswith("tyto/") and m.body and
                  re.match(r"(TY|ty|DL\w+)_", m.name) and m.name not in ("TY_API", "TY_INLINE")]
        version = ".".join(str(self.layout["constant TY_VERSION_" + p]) for p in ("MAJOR", "MINOR", "PATCH"))
        return {
            "format": 1, "name": "tyto", "version": version, "abi": "lp64",
            "headers": [{"name": name, "doc": self.file(name).about()} for name in headers],
            "builtins": [dict({"name": n}, **facts, **({"size": self.layout["builtin " + n]} if n in ASKED else {}))
                         for n, facts in BUILTINS.items()],
            "dtypes": self.dtypes(), "handles": [self.handle(d) for d in self.handles.values()],
            "enums": self.of_kind("enum", self.enum), "structs": self.of_kind("struct", self.struct),
            "callbacks": self.typedefs(True), "aliases": self.typedefs(False),
            "variables": self.of_kind("variable", self.typed),
            "constants": [self.constant(m) for m in public if self.constants.get(m.name)],
            "macros": [self.macro(m) for m in public if not self.constants.get(m.name)],
            "functions": [self.function(d) for d in self.functions.values()],
            "expressions": expressions.read(self.functions)}
