"""Find the checks by which public functions fail: codes and messages in src/.

A function's checks are those of its definition, and of the functions that it calls in the same
folder. The checks of the core, which all functions share (memory, poisoned operands, limits),
are described once for all.
"""

import re

DEFINITION = re.compile(
    r"^(static )?[\w ]*?[\w*]+[ *]+\**(\w+)\(([^;{}]*)\) \{(?: (.*) \})?$", re.M
)
OPERATOR = re.compile(r"^(?:static )?const struct op (op_\w+) = \{(.*?)\};$", re.M | re.S)
CALL = re.compile(r"\b([a-z]\w+)\(|&(op_\w+)")
CODE = re.compile(r"\bE_([A-Z_]+),\s*((?:\"(?:[^\"\\]|\\.)*\"\s*|PRI\w+\s*)+)")
SHARED = (
    "src/array",
    "src/base",
    "src/ops/core",
    "src/engine",
    "src/compile",
    "src/tools",
    "src/contract",
)
SHOWN = 10  # messages on a page: more than a reader can take in
DEEP = 4  # calls between a public function and its check


def plain(message):
    """Return a format of printf as words, with an ellipsis for each value."""
    text = re.sub(r"\"\s*(?:PRI\w+\s*)?\"", "", message.strip())[1:-1]
    text = re.sub(r"%%", "\0", text)
    text = re.sub(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]", "…", text)
    text = text.replace("\0", "%").replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")
    text = re.sub(r"…(?:…)+", "…", text).strip()
    return re.sub(r"^… of …: |^…(?:, …)?: |^[a-z0-9_]+: (?=…|[a-z])", "", text)


def tells(code, message):
    """Return True if a message tells a caller anything: a fault of the library does not."""
    return code not in ("INTERNAL", "MEMORY") and len(re.findall(r"[a-z]{2,}", message)) > 1


class Refusals:
    """Codes and messages of all public functions, read from the sources."""

    def __init__(self, root):
        self.own, self.calls, self.at = {}, {}, {}
        for path in sorted((root / "src").rglob("*.c")):
            self.read(path, path.relative_to(root).as_posix())

    def read(self, path, name):
        """Remember the functions of one file."""
        text = path.read_text(encoding="utf-8")
        for match in DEFINITION.finditer(text):
            body = match.group(4) or text[match.end() : text.find("\n}", match.end())]
            key = (name if match.group(1) else None, match.group(2))
            self.at[key] = name
            self.own[key] = [(c, plain(m)) for c, m in CODE.findall(body)]
            self.calls[key] = list(dict.fromkeys(a or b for a, b in CALL.findall(body)))
        for name_of, body in OPERATOR.findall(text):
            self.own[None, name_of], self.at[None, name_of] = [], name
            self.calls[None, name_of] = re.findall(r"\.infer = (\w+)", body)

    def resolve(self, name, file):
        """Return the key of a function that is called in a file, None if it is none of ours."""
        for key in ((file, name), (None, name)):
            if key in self.own:
                return key
        return None

    def of(self, *names):
        """Return pairs of a code and a message: the checks of public functions."""
        found, seen = [], set()
        level = [k for k in (self.resolve(n, None) for n in names) if k]
        for _ in range(DEEP):
            following = []
            for key in level:
                if key in seen:
                    continue
                seen.add(key)
                for pair in self.own[key]:
                    if pair not in found and tells(*pair):
                        found.append(pair)
                for name in self.calls[key]:
                    other = self.resolve(name, self.at[key])
                    if other and self.near(key, other):
                        following.append(other)
            level = following
        return found

    def near(self, key, other):
        """Return True if the checks of a called function count as the caller's own."""
        file = self.at[other]
        if other[1].startswith("ty_"):
            return False
        if other[0]:
            return True
        folder = file.rsplit("/", 1)[0]
        return folder == self.at[key].rsplit("/", 1)[0] and not file.startswith(SHARED)
