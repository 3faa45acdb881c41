"""Write pages of tables: layers, losses, optimisers, distributions, networks, error codes,
environment, dtypes, kinds.
"""

import re

from groups import toctree
from markup import heading, index, literal, table

STRUCT = re.compile(r"const (ty_rule|ty_network) (\w+) = \{(.*?)\};", re.S)
ENVIRONMENT = re.compile(r"struct environment_row environment_\w+ = \{(.*?)\};", re.S)
TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")
FUNCTIONS = (
    ("layers", "Layers", "layers|networks|modules", "a layer of a network"),
    ("losses", "Losses", "loss functions|criterion|objective", "a loss"),
    ("metrics", "Metrics", "metrics|accuracy|scores", "a metric"),
    (
        "activations",
        "Activations",
        "activation functions|nonlinearity",
        "an activation",
        "Functions of one tensor, such as ty_relu, ty_gelu, ty_silu, ty_sigmoid and ty_tanh, are "
        "activations without a row.",
    ),
    (
        "initialisers",
        "Initialisers",
        "initialisers|initializers|weight initialization",
        "an initialiser",
    ),
    (
        "schedules",
        "Schedules of learning rates",
        "learning rate schedules|scheduler|warmup",
        "a schedule",
    ),
)


def texts(body):
    """Return the string literals of C in a text; adjacent ones are one."""
    joined = re.sub(r"\"\s*\n\s*\"", "", body)
    return [t.replace('\\"', '"') for t in TEXT.findall(joined)]


class Reference:
    """Pages that are made of tables of the library."""

    def __init__(self, description, links):
        self.d, self.links = description, links
        self.rules, self.networks = {}, {}
        for path in sorted((description.root / "src").rglob("*.c")):
            if path.parts[-2] in ("rule", "zoo"):
                for kind, name, body in STRUCT.findall(path.read_text(encoding="utf-8")):
                    (self.rules if kind == "ty_rule" else self.networks)[name] = body

    def pages(self):
        """Yield names and texts of all pages."""
        for table_name, title, words, one, *more in FUNCTIONS:
            yield table_name, self.functions(table_name, title, words.split("|"), one, *more)
        yield "optimisers", self.optimisers()
        yield "distributions", self.distributions()
        yield "networks", self.zoo()
        yield "errors", self.errors()
        yield "environment", self.environment()
        yield "dtypes", self.dtypes()
        yield "kinds", self.kinds()

    def functions(self, name, title, words, one, more=""):
        """Return the page of a table whose rows are functions."""
        lines = []
        for f in self.d.functions.values():
            row = f.get("row", {})
            if row.get("table") == "tyto/tables/%s.def" % name:
                said = self.d.options(f) or row["columns"].get("doc", "")
                short = re.split(r"(?<=[.])\s", " ".join(said.split()))[0]
                lines.append(
                    [
                        literal(row["columns"]["name"]),
                        self.links.function(f["name"]),
                        self.links.line(short),
                    ]
                )
        parts = [
            index(words),
            heading(title),
            "``include/tyto/tables/%s.def`` has a row for each. The name selects %s in "
            "descriptions and commands; the "
            "function has a page of its own." % (name, one)
            + (" " + self.links.line(more) if more else ""),
            table(["name", "function", "meaning"], lines, "rows"),
        ]
        return "\n\n".join(parts) + "\n"

    def member(self, body, name):
        """Return the value of a member of an initialiser, as text."""
        found = re.search(r"\.%s = ([^,}]+|\"[^\"]*\"(?:\s*\"[^\"]*\")*)" % name, body)
        if not found:
            return ""
        value = re.search(r"\.%s = ((?:\"(?:[^\"\\]|\\.)*\"\s*)+)" % name, body)
        return "".join(TEXT.findall(value.group(1))) if value else found.group(1).strip()

    def optimisers(self):
        """Return the page of rules of optimisers and minimisers."""
        lines = []
        for name, body in self.rules.items():
            defaults = [
                "%s %s" % (m, self.member(body, m))
                for m in ("rate", "momentum", "beta2", "epsilon", "decay")
                if self.member(body, m)
            ]
            lines.append(
                [literal(name), self.links.line(self.member(body, "doc")), ", ".join(defaults)]
            )
        hyper = [
            [literal(c["name"]), self.links.line(c["doc"]), ", ".join(c["other"].split())]
            for c in self.rows("hyperparameters", "HYPER", ("name", "end", "other", "doc"))
        ]
        minimisers = [
            [literal(v["row"]["columns"]["name"]), self.links.line(v["doc"])]
            for v in self.d.enumerators["TY_MINIMISERS"]["values"]
            if "row" in v
        ]
        words = (
            "optimisers|optimizers|optimizer|learning rate|weight decay|momentum|"
            "stochastic gradient descent|minimise"
        )
        parts = [
            index(words.split("|")),
            heading("Optimisers and minimisers"),
            "A rule computes new values of parameters from gradients; ``ty_optimiser`` chooses it "
            "and its numbers.",
            table(["rule", "step", "defaults"], lines, "rows"),
            heading("Numbers of a rule", "-"),
            table(["field", "meaning", "elsewhere"], hyper, "rows"),
            heading("Minimisers", "-"),
            "A minimiser looks for the least value of one function, %s."
            % self.links.function("ty_minimise"),
            table(["name", "method"], minimisers, "rows"),
        ]
        return "\n\n".join(parts) + "\n"

    def rows(self, name, macro, columns):
        """Return the rows of a table of C whose columns are words and texts."""
        text = (self.d.root / ("include/tyto/tables/%s.def" % name)).read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for body in re.findall(r"^%s\((.*)\)$" % macro, text, re.M):
            cells = re.findall(r"\"(?:[^\"\\]|\\.)*\"|[^,\"]+", body)
            cells = [c.strip().strip('"') for c in cells if c.strip() and c.strip() != ","]
            yield dict(zip(columns, cells))

    def distributions(self):
        """Return the page of distributions."""
        one = [
            [literal(c["name"]), literal(c["parameters"]), c["least"], self.links.line(c["domain"])]
            for c in self.rows(
                "distributions", "DISTRIBUTION", ("NAME", "name", "parameters", "least", "domain")
            )
        ]
        many = [
            [literal(c["name"]), literal(c["parameters"]), self.links.line(c["domain"])]
            for c in self.rows(
                "multivariate", "MULTIVARIATE", ("NAME", "name", "parameters", "domain")
            )
        ]
        parts = [
            index(
                ["distributions", "probability distributions", "random variables"]
                + [r[0].strip("`") for r in one]
            ),
            heading("Distributions"),
            "A function of :doc:`distributions.h </headers/distributions>` takes a distribution, "
            "its operand and the "
            "parameters. The guide :doc:`distributions </guide/distributions>` has examples.",
            table(["name", "parameters", "at least", "domain"], one, "rows"),
            heading("Multivariate distributions", "-"),
            table(["name", "parameters", "domain"], many, "rows"),
        ]
        return "\n\n".join(parts) + "\n"

    def zoo(self):
        """Return the page of networks by name."""
        lines = [
            [literal(self.member(b, "name")), self.links.line(self.member(b, "doc"))]
            for b in self.networks.values()
        ]
        return (
            "\n\n".join(
                [
                    index(["networks", "pretrained models", "model zoo"]),
                    heading("Networks"),
                    "The networks of :doc:`zoo.h </headers/zoo>`, by the names that commands take.",
                    table(["name", "structure"], lines, "rows"),
                ]
            )
            + "\n"
        )

    def errors(self):
        """Return the page of error codes."""
        parts = [
            index(["errors", "error codes", "exceptions"]),
            heading("Error codes"),
            self.links.line(
                "A failed function returns a value that has failed. ty_error_code gives its code, "
                "ty_error "
                "the message. Python and C++ raise the exception that is named."
            ),
        ]
        for value in self.d.enumerators["TY_ERROR_NONE"]["values"]:
            if "row" not in value:
                continue
            c = value["row"]["columns"]
            label = c["NAME"].lower().replace("_", "-")
            facts = "%s; %s is %d." % (
                self.links.line(c["doc"]),
                literal(value["name"]),
                value["value"],
            )
            if c["python"]:
                facts += " Python: ``%s``; C++: ``ty::%s_error``." % (
                    c["python"],
                    c["NAME"].lower(),
                )
            parts += [
                ".. _error-%s:" % label,
                index([c["word"] + " (error code)"]),
                heading(c["word"], "-"),
                facts,
            ]
        return "\n\n".join(parts) + "\n"

    def environment(self):
        """Return the page of variables of the environment."""
        found = []
        for path in sorted((self.d.root / "src").rglob("*.c")):
            text = path.read_text(encoding="utf-8")
            for body in ENVIRONMENT.findall(text):
                # The values may be a text with a name, one for each architecture.
                for name in re.findall(r",\s*(\w+)\s*(?=,)", body):
                    named = re.findall(
                        r"char (?:\*const )?%s(?:\[\])? = (\"[^\"]*\");" % name, text
                    )
                    if named:
                        body = body.replace(name, '"' + "; ".join(n[1:-1] for n in named) + '"', 1)
                found.append((texts(body), body))
        rows = []
        for words, _ in found:
            if len(words) >= 2 and words[0].isupper():
                rows.append(
                    [
                        literal(words[0]),
                        self.links.line(words[-1]),
                        self.links.line(words[1]) if len(words) > 2 else "",
                    ]
                )
        return (
            "\n\n".join(
                [
                    index(["environment variables"] + [r[0].strip("`") for r in rows]),
                    heading("Environment variables"),
                    "The library reads them when it first needs them. The command ``tyto`` warns "
                    "of values that "
                    "are not allowed.",
                    table(["variable", "meaning", "values"], sorted(rows), "rows"),
                ]
            )
            + "\n"
        )

    def dtypes(self):
        """Return the page of element types."""
        sizes = {d["name"]: d for d in self.d.data["dtypes"]}
        lines = []
        for value in self.d.enumerators["TY_F32"]["values"]:
            name = value["name"][3:].lower()
            if value["name"] == "TY_DTYPES":
                continue
            size = sizes.get(name, {}).get("size")
            lines.append(
                [
                    literal(name),
                    literal(value["name"]),
                    "%d byte%s" % (size, "" if size == 1 else "s") if size else "storage",
                    self.links.line(" ".join(value.get("doc", "").split())),
                ]
            )
        return (
            "\n\n".join(
                [
                    index(["dtypes", "element types", "data types", "precision"]),
                    heading("Dtypes"),
                    self.links.line(
                        "Operators compute in the dtypes with a size in this table. The others "
                        "are for "
                        "storage: ty_cast converts from them and to them."
                    ),
                    table(["dtype", "constant", "element", "notes"], lines, "rows"),
                ]
            )
            + "\n"
        )

    def kinds(self):
        """Return the page of all words that name a value of an enumeration."""
        parts = [
            index(["kinds", "enumerations", "kinds of columns"]),
            heading("Kinds and other words"),
            "Options and commands take these words; a function finds the value of each.",
        ]
        for name, (kind, entry) in self.d.types.items():
            # Only a table or a function that finds values tells their words.
            known = kind == "enums" and (
                entry.get("named") or any("row" in value for value in entry["values"])
            )
            if not known:
                continue
            words = self.d.words(entry)
            lines = [
                [
                    literal(words[v["name"]]),
                    literal(v["name"]),
                    self.links.line(" ".join(v.get("doc", "").split())),
                ]
                for v in entry["values"]
                if v["name"] != entry.get("count")
            ]
            parts += [
                heading(name, "-"),
                self.links.comment(entry.get("doc", "").split("\n\n")[0]),
                table(["word", "constant", "meaning"], lines, "rows"),
            ]
            if entry.get("named"):
                parts.append("Found by %s." % self.links.line(entry["named"]))
        return "\n\n".join(p for p in parts if p) + "\n"

    def contents(self):
        """Return the page that lists the tables."""
        names = [n for n, _ in self.pages()]
        return heading("Tables") + "\n\n" + toctree(names, hidden=False) + "\n"
