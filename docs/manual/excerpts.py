"""Find uses of public functions in C that tests compile or run: pages, example programs, tests."""

import re

USE = re.compile(r"\b(ty_\w+)\b")
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.M | re.S)
LAYER = re.compile(r"^(?:ROW|NOISY)\((\w+), \"([^\"]*)\", (.*)\)$", re.M)
LAYERS = re.compile(r"^ROWS\((\w+), \"([^\"]*)\", (\d+), (.*)\)$", re.M)
# Tests that walk a table: how they call the function of a row.
ROWS = {
    "losses": (
        "ty_tensor *loss = {name}({operands}, (ty_loss_options){{0}});",
        "tests/nn/test_loss.c",
    ),
    "metrics": (
        "ty_tensor *value = {name}({operands}, (ty_metric_options){{0}});",
        "tests/nn/test_metrics.c",
    ),
    "schedules": (
        "ty_schedule schedule = {{.at = {name}, .rate = 0.1, .steps = 100}};",
        "tests/nn/test_schedule.c",
    ),
    "activations": (
        "ty_linear_layer options = {{.units = 8, .activation = {name}}};",
        "tests/nn/test_nn.c",
    ),
    "initialisers": (
        "ty_linear_layer options = {{.units = 8, .weight = {{{name}, 0, 0.1}}}};",
        "tests/nn/test_nn.c",
    ),
}
# A test that something fails, or compares it, shows less than a use.
REFUSED = re.compile(r"POISON|[Rr]efuse|REFUSED|\b(BAD|fails?|wrong|broken)\b|\(NULL\b")
CHECKED = re.compile(r"\b(CHECK|EXPECT|compare)\w*\(")
REFUSED_COST, CHECKED_COST = 1000, 100  # more than length costs: 40 a line, 1 a letter
BLOCK_LINES = 12  # a block of a page that is shown whole
STATEMENT_LINES = 8  # a statement that is shown
PAGE, PROGRAM, TABLE, TEST = range(4)  # in the order of preference


def statement(lines, at):
    """Return the first line and the end of the statement around a line."""
    begin = at
    while begin and at - begin < STATEMENT_LINES:
        above = re.sub(r"\s*(//.*|/\*.*\*/)?\s*$", "", lines[begin - 1])
        if not above or above[-1] in ";{}:" or above.lstrip().startswith(("#", "/*", "*")):
            break
        begin -= 1
    end, depth = at, 0
    for end in range(begin, min(len(lines), begin + 2 * STATEMENT_LINES)):
        code = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|/\*.*?\*/|//.*", "", lines[end])
        depth += code.count("(") + code.count("{") - code.count(")") - code.count("}")
        if end >= at and depth <= 0 and code.rstrip().endswith((";", "}", "{", ")", ",")):
            return begin, end + 1
        if end >= at and depth == 1 and code.rstrip().endswith("{"):
            return begin, end + 1
    return begin, end + 1


class Excerpts:
    """The best use of each function, by its name."""

    def __init__(self, description):
        self.description = description
        self.best = {}
        root = description.root
        for path in [root / "README.md"] + sorted((root / "docs").glob("*.md")):
            self.page(path)
        for path in sorted((root / "examples").glob("*.c")):
            self.program(path, PROGRAM, "examples/" + path.name)
        self.layers(root / "tests/nn/layers_rows.def")
        for function in description.functions.values():
            self.row(function)
        for path in sorted((root / "tests").rglob("*.c")):
            if path.name.startswith("test_") and "handles" not in path.name:
                self.program(path, TEST, path.relative_to(root).as_posix())

    def add(self, name, rank, cost, source, lines):
        """Keep an excerpt if it is better than the one that the function has."""
        if name not in self.description.functions:
            return
        if name not in self.best or (rank, cost) < self.best[name][:2]:
            self.best[name] = rank, cost, source, lines

    def page(self, path):
        """Add the blocks of a page; those with "..." on a line of its own are not compiled."""
        for block in BLOCK.findall(path.read_text(encoding="utf-8")):
            lines = block.rstrip("\n").split("\n")
            if any(line.strip() == "..." for line in lines):
                continue
            for at, line in enumerate(lines):
                for name in USE.findall(line):
                    begin, end = 0, len(lines)
                    if len(lines) > BLOCK_LINES:
                        begin, end = statement(lines, at)
                    cost = abs(end - begin - 4) + 20 * (path.name == "README.md")
                    self.add(name, PAGE, cost, path.stem, lines[begin:end])

    def program(self, path, rank, source):
        """Add the statements of a program."""
        lines = path.read_text(encoding="utf-8").split("\n")
        for at, line in enumerate(lines):
            names = USE.findall(line)
            if not names or line.lstrip().startswith(("*", "//", "/*", "#")):
                continue
            begin, end = statement(lines, at)
            if end - begin > STATEMENT_LINES:
                continue
            text = "".join(lines[begin:end])
            cost = 40 * (end - begin) + len(text)
            cost += REFUSED_COST * bool(REFUSED.search(text))
            cost += CHECKED_COST * bool(CHECKED.search(text))
            for name in names:
                self.add(name, rank, cost, source, lines[begin:end])

    def row(self, function):
        """Add the call of the function of a row, if a test walks its table."""
        table = function.get("row", {}).get("table", "")[len("tyto/tables/") : -len(".def")]
        if table in ROWS:
            template, source = ROWS[table]
            operands = ", ".join(
                p["name"]
                for p in function["parameters"]
                if p["type"] == {"pointer": {"name": "ty_tensor"}}
            )
            line = template.format(name=function["name"], operands=operands)
            self.add(function["name"], TABLE, 0, source, [line])

    def layers(self, path):
        """Add the calls of layers that the table of their tests describes."""
        text = path.read_text(encoding="utf-8")
        for kind, shapes, options in LAYER.findall(text):
            self.layer(kind, shapes, "x", options)
        for kind, shapes, count, options in LAYERS.findall(text):
            self.layer(kind, shapes, count + ", x", options)

    def layer(self, kind, shapes, operands, options):
        """Add the call of one kind of layers in a function of a model."""
        sizes = ["[%s]" % ",".join(s.strip("%").split()) for s in shapes.split(";")]
        given = "{%s}" % ("0" if options.strip() == "0" else options)
        call = "ty_layer_%s(at, NULL, %s, (ty_%s_layer)%s)" % (kind, operands, kind, given)
        lines = [
            "/* at: the place of the layer around it; x: %s */" % " and ".join(sizes),
            "ty_tensor *y = %s;" % call,
        ]
        self.add("ty_layer_" + kind, TABLE, 0, "tests/nn/layers_rows.def", lines)

    def of(self, name):
        """Return the rank, the source and the lines of the excerpt of a function, None if there is
        none."""
        found = self.best.get(name)
        return None if found is None else (found[0], found[2], found[3])
