"""Reads public headers: preprocessed tokens with their places, macros, and comments of the files themselves."""
import re
import subprocess

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|'
                   r'\.\.\.|->|<<|>>|[^\s]')
MARKER = re.compile(r'# (\d+) "((?:\\.|[^"\\])*)"([ \d]*)$')


class Token:
    """text, the file and line where it stands, and `includer`: (file, line) of the #include of a .def, or None."""
    __slots__ = ("text", "file", "line", "includer")

    def __init__(self, text, file, line, includer):
        self.text, self.file, self.line, self.includer = text, file, line, includer


class Macro:
    """A #define of a public header that holds at the end of the headers."""

    def __init__(self, name, parameters, body, file, line):
        self.name, self.parameters, self.body, self.file, self.line = name, parameters, body, file, line


def preprocess(compiler, headers, folder):
    """Return (tokens, macros by name) of the headers, which are paths below `folder`, in C."""
    text = "".join("#include <%s>\n" % header for header in headers)
    result = subprocess.run([*compiler.split(), "-E", "-dD", "-I" + folder, "-x", "c", "-"], input=text,
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit("interface: the headers do not compile:\n" + result.stderr)
    tokens, macros, stack = [], {}, []
    file, line = "", 0
    for row in result.stdout.splitlines():
        marker = MARKER.match(row)
        if marker:
            flags = marker[3].split()
            if "1" in flags:
                stack.append((file, line))
            elif "2" in flags and stack:
                stack.pop()
            line, file = int(marker[1]), relative(marker[2], folder)
            continue
        if row.startswith("#"):
            directive(row, file, line, macros)
        elif file:
            includer = stack[-1] if file.endswith(".def") and stack else None
            tokens += [Token(t, file, line, includer) for t in TOKEN.findall(row)]
        line += 1
    return tokens, macros


def relative(path, folder):
    """Return the path below `folder`, "" for a file of the system."""
    return path[len(folder) + 1:] if path.startswith(folder + "/") else ""


def directive(row, file, line, macros):
    define = re.match(r"#define (\w+)(\(([^)]*)\))?\s*(.*)$", row)
    undefine = re.match(r"#undef (\w+)", row)
    if undefine:
        macros.pop(undefine[1], None)
    elif define and file:
        parameters = [p.strip() for p in define[3].split(",")] if define[2] else None
        macros[define[1]] = Macro(define[1], parameters, define[4].strip(), file, line)


# ---- comments ----

class Comment:
    """first and last: its lines; alone: no code stands before it on its first line."""

    def __init__(self, first, last, alone, text):
        self.first, self.last, self.alone, self.text = first, last, alone, text
        heading = re.match(r"^-{3,}\s*(.*?)\s*-*$", text)
        self.heading = heading[1] if heading and heading[1] else None


class File:
    """A header or table as it is written."""

    def __init__(self, folder, name):
        with open(folder + "/" + name, encoding="utf-8") as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        self.comments = []
        for found in re.finditer(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', self.text, re.S):
            if found[0].startswith('"'):
                continue
            before = self.text[:found.start()]
            start = before.rfind("\n") + 1
            self.comments.append(Comment(before.count("\n") + 1, before.count("\n") + 1 + found[0].count("\n"),
                                         before[start:].strip() == "", plain(found[0])))
        self.above = {c.last: c for c in self.comments if c.alone}

    def comment_above(self, line):
        """Return the comment that ends on the line before `line`, not a heading; None if there is none."""
        comment = self.above.get(line - 1)
        return None if comment is None or comment.heading is not None else comment

    def comment_after(self, line):
        """Return the comment that begins behind code on `line`."""
        for comment in self.comments:
            if comment.first == line and not comment.alone:
                return comment
        return None

    def comment_of_include(self, line):
        """Return the comment above the directives that end with the #include on `line`."""
        while line > 2 and (self.lines[line - 2].startswith("#") or self.lines[line - 3].endswith("\\")):
            line -= 1
        return self.comment_above(line)

    def macro(self, line):
        """Return the body of the #define on `line` as it is written, in one line."""
        text = self.lines[line - 1]
        while text.endswith("\\"):
            line += 1
            text = text[:-1] + self.lines[line - 1]
        text = re.sub(r"/\*.*?\*/", "", text)
        return re.sub(r"\s+", " ", re.sub(r"#define \w+(\([^)]*\))?", "", text)).strip()

    def group(self, line):
        """Return the text of the last heading above `line`; None if there is none."""
        group = None
        for comment in self.comments:
            if comment.first < line and comment.heading is not None:
                group = comment.heading
        return group

    def about(self):
        """Return the comment at the beginning of the file."""
        return self.comments[0].text if self.comments and self.comments[0].first == 1 else ""


def plain(comment):
    """Return the text of a comment: paragraphs as one line each, indented lines as they are."""
    text = comment[2:-2].replace("\\\n", "\n")
    starred, lines = comment[2:3] != " ", []
    for line in text.split("\n"):
        lines.append(re.sub(r"^ \* ?", "", line.rstrip()) if line.startswith(" *") else
                     line.rstrip() if starred else line.strip())
    out = []
    for line in lines:
        indented = line.startswith("  ")
        if out and out[-1] and line and not indented and not out[-1].startswith("  "):
            out[-1] += " " + line.strip()
        else:
            out.append(line.rstrip() if indented else line.strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n").strip()
