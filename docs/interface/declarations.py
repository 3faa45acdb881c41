"""Parses declarations of C: types, structs, enums, functions and variables, from preprocessed tokens."""
import json

WORDS = {"void", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "_Bool", "_Complex",
         "_Float16", "__bf16"}
IGNORED = {"restrict", "__restrict", "volatile", "_Noreturn", "__extension__", "register", "inline", "__inline",
           "__inline__"}
USUAL = {"_Bool": "bool", "long int": "long", "unsigned": "unsigned int", "long unsigned int": "unsigned long",
         "short int": "short", "signed char": "signed char", "signed": "int"}


class Declaration:
    """kind: function, variable, typedef, struct, enum, opaque; first and last are its tokens' places."""

    def __init__(self, kind, name, first, last, **more):
        self.kind, self.name, self.first, self.last = kind, name, first, last
        self.__dict__.update(more)


class Parser:
    """Appends every declaration of the tokens to `found`, in order."""

    def __init__(self, tokens):
        self.tokens, self.at, self.found, self.lengths = tokens, 0, [], []
        while self.at < len(tokens):
            self.declaration()

    # ---- tokens ----

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1].text

    def accept(self, text):
        if self.peek() != text:
            return False
        self.at += 1
        return True

    def expect(self, text):
        if not self.accept(text):
            token = self.tokens[min(self.at, len(self.tokens) - 1)]
            raise SystemExit("interface: %s:%d: expected '%s', found '%s'" % (token.file, token.line, text, token.text))

    def brackets(self, opening, closing):
        """Skip to the bracket that closes the one here, and return the tokens between both."""
        start, depth = self.at + 1, 0
        while True:
            depth += (self.peek() == opening) - (self.peek() == closing)
            self.at += 1
            if depth == 0:
                return self.tokens[start:self.at - 1]

    # ---- declarations ----

    def declaration(self):
        if self.accept(";"):
            return
        if self.accept("_Static_assert"):
            self.brackets("(", ")")
            return
        first = self.tokens[self.at]
        base, storage = self.specifiers()
        if self.accept(";"):
            return
        while True:
            name, declared = self.declarator(base)
            self.attributes(storage)
            last = self.tokens[self.at]
            if "function" in declared and "typedef" not in storage:
                body = self.brackets("{", "}") if self.peek() == "{" else None
                deprecated = [word[11:] for word in storage if word.startswith("deprecated")]
                self.found.append(Declaration("function", name, first, last, type=declared["function"], body=body,
                                              exported="exported" in storage, deprecated=deprecated))
                if body is not None:
                    return
            elif "typedef" in storage:
                self.typedef(name, declared, base, first, last)
            else:
                self.found.append(Declaration("variable", name, first, last, type=declared))
            if not self.accept(","):
                break
        self.expect(";")

    def typedef(self, name, declared, base, first, last):
        if declared is base and base.get("untagged"): # typedef struct {...} name
            self.found[-1].name = base["name"] = name
            del base["untagged"]
        elif declared is base and base.get("name") == name:
            if not any(d.name == name for d in self.found):
                self.found.append(Declaration("opaque", name, first, last))
        else:
            self.found.append(Declaration("typedef", name, first, last, type=declared))

    def attributes(self, storage):
        while self.peek() in ("__attribute__", "__asm__"):
            self.at += 1
            words = [t.text for t in self.brackets("(", ")")]
            if '"default"' in words:
                storage.add("exported")
            if "deprecated" in words: # with a sentence behind it
                texts = [json.loads(word) for word in words[words.index("deprecated"):] if word.startswith('"')]
                storage.add("deprecated " + "".join(texts))

    def specifiers(self):
        """Return the type before the declarators, and the words of storage."""
        storage, words, base, const = set(), [], None, False
        while True:
            self.attributes(storage)
            text = self.peek()
            if text in ("typedef", "extern", "static"):
                storage.add(self.take())
            elif text == "const":
                const = bool(self.take())
            elif text in IGNORED:
                self.at += 1
            elif text in WORDS:
                words.append(self.take())
            elif text in ("struct", "enum") and base is None:
                base = self.tagged()
            elif base is None and not words and (text[:1].isalpha() or text[:1] == "_"):
                base = {"name": self.take()}
            else:
                break
        if base is None:
            self.word_or_fail(words)
            base = {"name": USUAL.get(" ".join(words), " ".join(words))}
        if const:
            base = dict(base, const=True)
        return base, storage

    def word_or_fail(self, words):
        if not words:
            token = self.tokens[self.at]
            raise SystemExit("interface: %s:%d: expected a type, found '%s'" % (token.file, token.line, token.text))

    def tagged(self):
        """struct and enum, with or without a tag and a body."""
        kind, first = self.take(), self.tokens[self.at]
        tag = self.take() if self.peek() not in ("{", "") else None
        base = {"name": tag} if tag else {"name": None, "untagged": True}
        if self.peek() != "{":
            return base
        members = self.fields() if kind == "struct" else self.enumerators()
        self.found.append(Declaration(kind, tag, first, self.tokens[self.at - 1], members=members))
        return base

    def fields(self):
        fields = []
        self.expect("{")
        while not self.accept("}"):
            first = self.tokens[self.at]
            base, _ = self.specifiers()
            if base.get("untagged"): # an anonymous struct belongs to its field
                base = {"fields": self.found.pop().members}
            while True:
                name, declared = self.declarator(base)
                fields.append(Declaration("field", name, first, self.tokens[self.at], type=declared))
                if not self.accept(","):
                    break
            self.expect(";")
        return fields

    def enumerators(self):
        values = []
        self.expect("{")
        while not self.accept("}"):
            first = self.tokens[self.at]
            name = self.take()
            while self.peek() not in (",", "}"): # its number is computed by the compiler
                self.at += 1
            last = self.tokens[self.at] if self.peek() == "," else self.tokens[self.at - 1]
            values.append(Declaration("value", name, first, last))
            self.accept(",")
        return values

    # ---- declarators ----

    def declarator(self, base):
        """Return (name, type); name is None for an abstract one."""
        while self.accept("*"):
            base = {"pointer": base}
            while self.peek() == "const" or self.peek() in IGNORED:
                if self.take() == "const":
                    base["const"] = True
        inner = None
        if self.peek() == "(" and self.peek(1) != ")":
            inner = self.at
            self.brackets("(", ")")
        name = self.take() if inner is None and (self.peek()[:1].isalpha() or self.peek()[:1] == "_") else None
        base = self.suffix(base)
        if inner is None:
            return name, base
        end, self.at = self.at, inner + 1
        name, base = self.declarator(base)
        self.at = end
        return name, base

    def suffix(self, base):
        if self.peek() == "(":
            return {"function": self.parameters(base)}
        if self.peek() == "[":
            size = " ".join(t.text for t in self.brackets("[", "]"))
            base = {"array": self.suffix(base), "length": int(size) if size.isdigit() else size or None}
            if size and not size.isdigit(): # an expression, which the compiler computes
                self.lengths.append(base)
        return base

    def parameters(self, result):
        self.expect("(")
        parameters, variadic = [], False
        if self.peek() == "void" and self.peek(1) == ")":
            self.at += 1
        while not self.accept(")"):
            if self.accept("..."):
                variadic = True
                continue
            base, _ = self.specifiers()
            name, declared = self.declarator(base)
            length = declared.get("length")
            if "array" in declared: # a parameter that is an array is a pointer
                declared = {"pointer": declared["array"]}
            elif "function" in declared:
                declared = {"pointer": declared}
            parameters.append({"name": name, "type": declared, "length": length})
            self.accept(",")
        function = {"result": result, "parameters": parameters}
        if variadic:
            function["variadic"] = True
        return function


def spell(declared, name=""):
    """Return the C text of a type, or of a declaration of `name`."""
    if "pointer" in declared:
        inner = "*" + ("const " if declared.get("const") else "") + name
        if "function" in declared["pointer"] or "array" in declared["pointer"]:
            inner = "(" + inner.strip() + ")"
        return spell(declared["pointer"], inner)
    if "array" in declared:
        length = "" if declared["length"] is None else declared["length"]
        return spell(declared["array"], "%s[%s]" % (name, length))
    if "function" in declared:
        function = declared["function"]
        texts = [spell(p["type"], p["name"] or "") for p in function["parameters"]]
        texts += ["..."] if function.get("variadic") else []
        return spell(function["result"], "%s(%s)" % (name, ", ".join(texts) or "void"))
    if "fields" in declared:
        text = "struct { %s }" % " ".join(spell(f["type"], f["name"]) + ";" for f in declared["fields"])
    else:
        text = declared["name"]
    text = ("const " if declared.get("const") else "") + text
    return (text + " " + name).strip() if name else text
