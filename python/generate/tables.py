"""Tables and calls in C for descriptor.h."""

import json

from kinds import BY_NAME, Member, safe
from prose import described, evaluates, prose

FLAGS = (
    "NULLABLE",
    "OUT",
    "IN",
    "OWNED",
    "SIZES",
    "ERROR",
    "CHANGES",
    "ACTION",
    "COUNTS",
    "CALLEE",
    "OUTER",
)


# Handles that several threads may use, also by functions that change them (graph.h, context.h).
SHARED = ("ty_program", "ty_function", "ty_context")


def text(s):
    """Return a literal of C."""
    return json.dumps(s.encode("ascii", "replace").decode()) if s is not None else "NULL"


class Tables:
    """Writes the tables of all calls."""

    def __init__(self, kinds, calls):
        self.kinds, self.calls = kinds, calls
        self.records, self.enums, self.results = [], [], []
        self.named, self.reports = set(), set()
        for call in calls:
            for i, m in enumerate(call.frame):
                self.need(m, "OUT" in m.flags)

    def need(self, m, returned):
        """Collect the structs and enums that a member needs."""
        if m.kind in ("LIST", "ARRAY"):
            self.need(m.of, returned)
        if m.kind == "NAMED":
            self.named.add(m.of)
        if m.kind == "CALLBACK" and "report_" in m.of.thunk:
            self.need(Member("", "", "RECORD", of=m.of.thunk[m.of.thunk.index("ty_") :]), True)
            self.reports.add(m.of.thunk)
        if m.kind == "ENUM" and m.of not in self.enums:
            self.enums.append(m.of)
        if m.kind not in ("RECORD", "RECORD_AT"):
            return
        if returned and m.of not in self.results:
            self.results.append(m.of)
        elif m.of in self.records:
            return
        if m.of not in self.records:
            self.records.append(m.of)
        for x in self.kinds.record(m.of)[0]:
            self.need(x, returned)

    # ---- members ----

    def of(self, m, where):
        """Return the address of what a member is of, and definitions that it needs before."""
        if m.kind == "ENUM":
            return "&enum_%s" % m.of, ""
        if m.kind == "HANDLE":
            return "&handle_%s" % m.of, ""
        if m.kind == "NAMED":
            return "&named_%s" % m.of, ""
        if m.kind in ("RECORD", "RECORD_AT"):
            return "&record_%s" % m.of, ""
        if m.kind in ("LIST", "ARRAY"):
            name = "element_%s_%s" % (where, m.c)
            of, before = self.of(m.of, name)
            return (
                "&" + name,
                before
                + (
                    "static const struct member %s = {%s, KIND_%s, %s, sizeof(%s), "
                    "0, 0, 0, %s, NULL};\n"
                )
                % (name, text(m.name), m.of.kind, self.flags(m.of), m.of.type, of),
            )
        return "NULL", ""

    def flags(self, m):
        """Return the flags of a member as an expression of C."""
        return " | ".join("MEMBER_" + x for x in FLAGS if x in m.flags) or "0"

    def callback(self, m, names, struct, where):
        """Return the address of a callback and its definition."""
        of, name = m.of, "callback_%s_%s" % (where, m.c)
        count, before = "NULL", ""
        if of.counts:
            count = "counts_%s_%s" % (where, m.c)
            lines = "".join("    counts[%d] = %s;\n" % (i, e) for i, e in enumerate(of.counts))
            before = (
                "static void %s(const void *at, int64_t *counts) {\n"
                "    const %s *v = at;\n"
                "    (void)v;\n"
                "%s}\n" % (count, struct, lines)
            )
        relative = [names.index(x) - names.index(m.c) if x else 0 for x in (of.context, of.release)]
        return "&" + name, before + (
            "static const struct callback %s = {(void (*)(void))thunk_%s, %d, "
            "LIFE_%s, %d, %d, %s};\n" % (name, of.thunk, of.slot, of.life, *relative, count)
        )

    def members(self, members, struct, where):
        """Return the table of the members of a struct."""
        names = [m.c for m in members]
        before, rows = "", []
        for m in members:
            of, b = (
                self.callback(m, names, struct, where)
                if m.kind == "CALLBACK"
                else self.of(m, where)
            )
            count = "NULL"
            if m.count:
                count = "count_%s_%s" % (where, m.c)
                b += (
                    "static int64_t %s(const void *at) {\n"
                    "    const %s *v = at;\n"
                    "    (void)v;\n"
                    "    return %s;\n"
                    "}\n" % (count, struct, m.count)
                )
            before += b
            size = "sizeof(((%s *)0)->%s)" % (struct, m.c)
            rows.append(
                "    {%s, KIND_%s, %s, %s, offsetof(%s, %s), %d, %d, %s, %s},\n"
                % (
                    text(m.name),
                    m.kind,
                    self.flags(m),
                    size if m.kind not in ("RECORD", "ARRAY") else "0",
                    struct,
                    m.c,
                    names.index(m.length) - names.index(m.c) if m.length else 0,
                    m.fixed,
                    of,
                    count,
                )
            )
        return "%sstatic const struct member members_%s[] = {\n%s};\n" % (
            before,
            where,
            "".join(rows),
        )

    # ---- structs, enums, handles ----

    def struct(self, name):
        """Return the definition of a record."""
        members, _ = self.kinds.record(name)
        s = self.kinds.structs[name]
        kind = "PyTypeObject *type_%s;\n" % name if name in self.results else ""
        return "%s%sconst struct record record_%s = {%s, %s, sizeof(%s), %d, members_%s, %s};\n" % (
            kind,
            self.members(members, name, name),
            name,
            text(name.removeprefix("ty_")),
            text(prose(s["doc"])),
            name,
            len(members),
            name,
            "&type_" + name if kind else "NULL",
        )

    def words(self, e):
        """Return the words of an enum: of its table, else names without their common prefix."""
        values = [v for v in e["values"] if v["name"] != e.get("count")]
        names = [v["name"].lower() for v in values]
        prefix = ""
        while len(names) > 1 and all("_" in n[len(prefix) :] for n in names):
            part = names[0][: names[0].index("_", len(prefix)) + 1]
            if not all(n.startswith(part) for n in names):
                break
            prefix = part
        if not prefix:
            prefix = "ty_"
        for v, n in zip(values, names):
            columns = v.get("row", {}).get("columns", {})
            word = columns.get("word") or n.removeprefix(prefix)
            yield word if isinstance(word, str) else n.removeprefix(prefix), v["name"]

    def enum(self, name):
        """Return the definition of an enumeration."""
        e = self.kinds.enums[name]
        rows = "".join(
            "    {%s, %s, %s},\n" % (text(w), c, text(c)) for w, c in self.words(e)
        )
        named = "NULL"
        before = ""
        if e.get("named"):
            named = "named_" + name
            before = "static int %s(const char *word) { return (int)%s(word); }\n" % (
                named,
                e["named"],
            )
        return (
            "%sstatic const struct word words_%s[] = {\n"
            "%s    {NULL, 0, NULL},\n"
            "};\n"
            "const struct enumeration enum_%s = {%s, words_%s, %s, %s};\n"
            % (
                before,
                name,
                rows,
                name,
                text(name.removeprefix("ty_")),
                name,
                named,
                e.get("count") or 0,
            )
        )

    def python_name(self, name):
        """Return the name of the class of a handle."""
        return "".join(x.capitalize() for x in name.removeprefix("ty_").split("_"))

    def constants(self):
        """Return the names of constants that are numbers, without the prefix TY_."""
        return [
            c["name"].removeprefix("TY_")
            for c in self.kinds.json["constants"]
            if isinstance(c["value"], int)
            and not isinstance(c["value"], bool)
            and c["name"].startswith("TY_")
        ]

    def handle(self, name):
        """Return the definition of a handle."""
        h = self.kinds.handles[name]
        free, failure, before = "NULL", "NULL", ""
        if h["free"] and name != "ty_tensor":
            free = "free_" + name
            before += "static void %s(void *x) { %s(x); }\n" % (free, h["free"][0])
        if h["failure"]:
            failure = "failure_" + name
            before += "static ty_tensor *%s(const void *x) { return %s(x); }\n" % (
                failure,
                h["failure"][0],
            )
        python = self.python_name(name)
        return (
            "%sPyTypeObject *type_%s;\n"
            "extern PyMethodDef methods_%s[];\n"
            "const struct handle handle_%s = {%s, %s, %s, %s, %d, &type_%s, methods_%s};\n"
            % (
                before,
                name,
                name,
                name,
                text(python),
                text(prose(h["doc"])),
                free,
                failure,
                name in SHARED,
                name,
                name,
            )
        )

    def finder_of_functions(self, name, prefix):
        """Return the definition of functions that a field holds, by names without a prefix."""
        s, f = name.split(".")
        field = next(x for x in self.kinds.structs[s]["fields"] if x["name"] == f)
        made, of = self.kinds.makers(field["type"]), s + "_" + f
        rows = "".join("        {%s, %s},\n" % (text(n.removeprefix(prefix)), n) for n in made)
        return (
            "static bool find_%s(const char *name, void *out) {\n"
            "    static const struct {\n        const char *name;\n        %s;\n"
            "    } table[] = {\n%s    };\n"
            "    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {\n"
            "        if (strcmp(table[i].name, name)) continue;\n"
            "        memcpy(out, &table[i].%s, sizeof table[i].%s);\n        return true;\n    }\n"
            "    return false;\n}\n"
            "const struct named named_%s = {%s, find_%s};\n"
            % (of, field["c"], rows, f, f, of, text(prefix.removeprefix("ty_").strip("_")), of)
        )

    def finder(self, name):
        """Return the definition of pointers that the library knows by a name."""
        for place, prefix in BY_NAME.items():
            if place.replace(".", "_") == name:
                return self.finder_of_functions(place, prefix)
        pointer = "const %s *" % name if name in self.kinds.structs else "%s " % name
        return (
            "static bool find_%s(const char *name, void *out) {\n    %sfound = %s(name);\n"
            "    memcpy(out, &found, sizeof found);\n    return found;\n}\n"
            "const struct named named_%s = {%s, find_%s};\n"
            % (name, pointer, self.kinds.named[name], name, text(name.removeprefix("ty_")), name)
        )

    def report(self, thunk):
        """Return the function that the library calls to report with a struct."""
        name = thunk[thunk.index("ty_") :]
        return (
            "bool thunk_%s(void *context, const %s *now) {\n"
            "    return callback_report(context, %d, &record_%s, now);\n"
            "}\n" % (thunk, name, thunk.startswith("second"), name)
        )

    # ---- functions ----

    def function(self, call):
        """Return the frame, the call, the tables and the entry of a function."""
        s, frame = call.symbol, "struct frame_" + call.symbol
        declared = (
            "".join("    %s\n" % (m.declare or "size_t %s;" % m.c) for m in call.frame)
            or "    char none;\n"
        )
        arguments = [m.passed for i, m in enumerate(call.frame) if i != call.result]
        stored = "v->result_ = " if call.result >= 0 else ""
        out = "%s {\n%s};\n" % (frame, declared)
        out += (
            "static void run_%s(void *at) {\n    %s *v = at;\n    (void)v;\n    %s%s(%s);\n}\n"
            % (s, frame, stored, s, ", ".join(arguments))
        )
        if call.frame:
            out += self.members(call.frame, frame, s)
        if call.parameters:
            out += "static const struct parameter parameters_%s[] = {\n%s};\n" % (
                s,
                "".join(
                    "    {%s, %d, %d, %d, %d},\n"
                    % (text(p.name), p.member, p.field, p.required, p.keyword_only)
                    for p in call.parameters
                ),
            )
        out += (
            "static const struct function function_%s = {%s, {%s, NULL, "
            "sizeof(%s), %d, %s, NULL}, run_%s, %d, %d, %d, %s, %d};\n"
            % (
                s,
                text(call.name),
                text(call.name),
                frame,
                len(call.frame),
                "members_" + s if call.frame else "NULL",
                s,
                call.result,
                len(call.parameters),
                call.npositional,
                "parameters_" + s if call.parameters else "NULL",
                evaluates(call),
            )
        )
        return out + self.entry(call)

    def entry(self, call):
        """Return the function that Python calls."""
        s = call.symbol
        head = (
            "PyObject *py_%s(PyObject *self, PyObject *const *args, "
            "Py_ssize_t n, PyObject *names) {\n"
            "    (void)self;\n" % s
        )
        operands = [m for i, m in enumerate(call.frame) if i != call.result]
        plain = all(
            m.kind == "TENSOR" and "NULLABLE" not in m.flags and not m.flags & {"ERROR", "OUT"}
            for m in operands
        )
        r = call.frame[call.result] if call.result >= 0 else None
        plain = plain and not evaluates(call)
        if plain and 1 <= len(operands) <= 3 and r and r.kind == "TENSOR" and "IN" not in r.flags:
            tensors = ", ".join("x[%d]" % i for i in range(len(operands)))
            return head + "    CALL_TENSORS(&function_%s, %d, %s(%s));\n}\n" % (
                s,
                len(operands),
                s,
                tensors,
            )
        return head + "    return call_function(&function_%s, args, n, names);\n}\n" % s

    def method(self, call):
        """Return the function that Python calls for a method of a handle."""
        s = call.symbol
        return (
            "PyObject *method_%s(PyObject *self, PyObject *const *args, "
            "Py_ssize_t n, PyObject *names) {\n"
            "    return call_method(&function_%s, self, args, n, names);\n}\n" % (s, s)
        )

    def signature(self, call, method=False):
        """Return the text of a signature, as inspect reads it."""
        parts = ["$self" if method else "$module"]
        keywords = False
        for p in call.parameters[1 if method else 0 :]:
            if p.keyword_only and not keywords:
                parts.append("*")
                keywords = True
            parts.append(p.name if p.required else "%s=%s" % (p.name, p.default))
        return ", ".join(parts)

    def documented(self, name, call, method=False):
        """Return the signature and the description of a call as a text of C."""
        return text("%s(%s)\n--\n\n%s" % (name, self.signature(call, method), described(call)))

    def methods(self):
        """Return the calls of each handle with the names of methods."""
        table = {name: [] for name in self.kinds.handles}
        for call in self.calls:
            first = call.parameters[0] if call.parameters else None
            if not first or first.of.kind != "HANDLE" or first.member != 0:
                continue
            prefix = first.of.of.removeprefix("ty_") + "_"
            table[first.of.of].append((safe(call.name.removeprefix(prefix)), call))
        return table

    # ---- files ----

    def header(self):
        """Return declarations that all files share."""
        out = (
            "/* Made by python/generate from docs/tyto.json. */\n"
            '#include "thunks.h"\n'
            "#include <stddef.h>\n"
        )
        out += "#include <string.h>\n"
        for h in sorted(
            {
                "#include <%s>\n" % e["header"]
                for e in self.kinds.json["headers"]
                and [{"header": h["name"]} for h in self.kinds.json["headers"]]
            }
        ):
            out += h
        out += "".join("extern const struct record record_%s;\n" % n for n in self.records)
        out += "".join("extern const struct named named_%s;\n" % n for n in sorted(self.named))
        out += "".join(
            "bool thunk_%s(void *context, const %s *now);\n" % (n, n[n.index("ty_") :])
            for n in sorted(self.reports)
        )
        out += "".join("extern const struct enumeration enum_%s;\n" % n for n in self.enums)
        out += "".join("extern const struct handle handle_%s;\n" % n for n in self.kinds.handles)
        parameters = "(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)"
        out += "".join("PyObject *py_%s%s;\n" % (c.symbol, parameters) for c in self.calls)
        for rows in self.methods().values():
            out += "".join("PyObject *method_%s%s;\n" % (c.symbol, parameters) for _, c in rows)
        return out

    def functions(self, calls):
        """Return the file of some calls."""
        methods = {c.symbol for rows in self.methods().values() for _, c in rows}
        return '#include "tables.h"\n\n' + "\n".join(
            self.function(c) + (self.method(c) if c.symbol in methods else "") for c in calls
        )

    def index(self):
        """Return the file of structs, enums, handles and the lists of all."""
        out = '#include "tables.h"\n\n'
        out += "".join(self.enum(n) for n in self.enums) + "".join(
            self.struct(n) for n in self.records
        )
        out += "".join(self.handle(n) for n in self.kinds.handles)
        out += "".join(self.finder(n) for n in sorted(self.named))
        out += "".join(self.report(n) for n in sorted(self.reports))
        row = (
            "    {%s, (PyCFunction)(void (*)(void))%s_%s, METH_FASTCALL | METH_KEYWORDS,\n"
            "     %s},\n"
        )
        out += "PyMethodDef functions_table[] = {\n%s    {NULL, NULL, 0, NULL},\n};\n" % "".join(
            row % (text(c.name), "py", c.symbol, self.documented(c.name, c)) for c in self.calls
        )
        for name, rows in self.methods().items():
            out += "PyMethodDef methods_%s[] = {\n%s    {NULL, NULL, 0, NULL},\n};\n" % (
                name,
                "".join(
                    row % (text(n), "method", c.symbol, self.documented(n, c, True))
                    for n, c in rows
                ),
            )
        out += "const struct record *const records_table[] = {%s NULL};\n" % "".join(
            "&record_%s, " % n for n in self.results
        )
        out += "const struct handle *const handles_table[] = {%s NULL};\n" % "".join(
            "&handle_%s, " % n for n in self.kinds.handles if n not in ("ty_tensor", "ty_scope")
        )
        out += "const struct enumeration *const enumerations_table[] = {%s NULL};\n" % "".join(
            "&enum_%s, " % n for n in self.enums
        )
        out += "const struct constant constants_table[] = {\n%s    {NULL, 0},\n};\n" % "".join(
            "    {%s, TY_%s},\n" % (text(name), name) for name in self.constants()
        )
        return out
