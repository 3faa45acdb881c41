"""Sizes, offsets, values of enums and constants, as a compiler computes them: a C program that prints them."""
import json
import os
import re
import subprocess
import tempfile

PROGRAM = """
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
static void say_integer(long long x) { printf("%%lld", x); }
static void say_unsigned(unsigned long long x) { printf("%%llu", x); }
static void say_number(double x) { printf(x == (long long)x ? "%%.1f" : "%%.17g", x); }
static void say_text(const char *x) {
    putchar('"');
    for (; *x; x++) printf(*x == '"' || *x == '\\\\' ? "\\\\%%c" : "%%c", *x);
    putchar('"');
}
#define SAY(x) _Generic((x), double: say_number, float: say_number, char *: say_text, const char *: say_text, \\
    unsigned long: say_unsigned, unsigned long long: say_unsigned, default: say_integer)(x)
#define TYPE(x) _Generic((x), double: "double", float: "float", char *: "text", const char *: "text", int: "int", \\
    unsigned: "unsigned int", long: "int64_t", long long: "int64_t", unsigned long: "uint64_t", default: "int")
int main(void) {
    printf("{\\"end\\": 0");
%s    puts("}");
    return 0;
}
"""


class Layout:
    """Collects questions, each with a key, and asks the compiler all of them at once."""

    def __init__(self):
        self.lines, self.answers = [], {}

    def ask(self, key, expression):
        self.lines.append('    printf(", \\"%s\\": ");\n    SAY(%s);\n' % (key, expression))

    def ask_type(self, key, expression):
        self.lines.append('    printf(", \\"%s\\": \\"%%s\\"", TYPE(%s));\n' % (key, expression))

    def __getitem__(self, key):
        return self.answers[key]

    def answer(self, compiler, headers, folder):
        text = "".join("#include <%s>\n" % h for h in headers) + PROGRAM % "".join(self.lines)
        with tempfile.TemporaryDirectory() as scratch:
            source, program = os.path.join(scratch, "layout.c"), os.path.join(scratch, "layout")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run([*compiler.split(), "-std=gnu11", "-w", "-I" + folder, "-o", program, source], check=True)
            self.answers = json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)

    # ---- questions about one thing ----

    def ask_struct(self, name, fields):
        self.ask("size " + name, "sizeof(%s)" % name)
        self.ask("align " + name, "_Alignof(%s)" % name)
        self.ask_fields(name, "", fields)

    def ask_fields(self, struct, path, fields):
        for field in fields:
            place = path + field.name
            self.ask("offset %s.%s" % (struct, place), "offsetof(%s, %s)" % (struct, place))
            self.ask("size %s.%s" % (struct, place), "sizeof(((%s *)0)->%s)" % (struct, place))
            inner, index = field.type, ""
            while "array" in inner:
                inner, index = inner["array"], index + "[0]"
            if "fields" in inner:
                self.ask("size %s.%s%s" % (struct, place, index), "sizeof(((%s *)0)->%s%s)" % (struct, place, index))
                self.ask_fields(struct, place + index + ".", inner["fields"])

    def ask_constant(self, macro, structs):
        """Return the type of a constant: "number", the name of a struct, or None if the macro is no constant."""
        literal = re.match(r"\(?TY_LITERAL\((\w+)\)", macro.body)
        if literal and literal[1] in structs:
            for field in structs[literal[1]].members:
                key, one = "constant %s.%s" % (macro.name, field.name), "(%s).%s" % (macro.name, field.name)
                if "pointer" not in field.type:
                    self.ask(key, one)
            return literal[1]
        words = re.findall(r"[A-Za-z_]\w*", re.sub(r'"(?:\\.|[^"\\])*"|\b\d[\w.]*', "", macro.body))
        plain = all(re.match(r"[A-Z][A-Z0-9_]*$", word) or word in ("int64_t", "uint64_t", "int") for word in words)
        if not macro.body or not plain or re.search(r"[{;]|,(?![^(]*\))", macro.body):
            return None
        self.ask("constant " + macro.name, macro.name)
        self.ask_type("type " + macro.name, macro.name)
        return "number"

