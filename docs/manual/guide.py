"""Copy docs/*.md for Sphinx: links to files of the tree become links to pages of the manual, or
words.
"""

import re

# The order of the guide; pages that are not named come last, by name.
PARTS = (
    (
        "First steps",
        "tutorial faq limits from_numpy from_pytorch from_sklearn from_gsl from_eigen from_owl "
        "from_arraymancer python_from words numpy",
    ),
    (
        "Arrays and numerics",
        "linalg fft special distributions statistics regression neighbours sparse numeric "
        "contraction memory bits",
    ),
    (
        "Graphs and derivatives",
        "graph autodiff batching graph_format seeing export engines opencl devices",
    ),
    ("Networks and data", "networks layers training data plots text onnx"),
    (
        "Programs and languages",
        "commands json python python_networks cplusplus interface contexts hooks stability "
        "machines measured",
    ),
    ("For developers", "design contributing"),
)
LINK = re.compile(r"(!?)\[([^\]\n]*(?:\n[^\]\n]*)?)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```", re.M)


def pages(root):
    """Return the pages of the guide and their sources."""
    found = {path.stem: path for path in sorted((root / "docs").glob("*.md"))}
    found["contributing"] = root / "CONTRIBUTING.md"
    return found


def parts(names):
    """Return the parts of the guide with their pages in order."""
    left = sorted(names)
    out = []
    for title, words in PARTS:
        here = [w for w in words.split() if w in left]
        left = [n for n in left if n not in here]
        out.append([title, here])
    out[-2][1] += left
    return out


def link(match, known, programs):
    """Return one link of Markdown, changed for the manual."""
    picture, text, target = match.groups()
    path, _, part = target.partition("#")
    if re.match(r"[a-z]+:", target) or not path or picture:
        return match.group(0)
    stem = path.rsplit("/", 1)[-1]
    if path.endswith(".md"):
        name = {"README": "../index", "CONTRIBUTING": "contributing"}.get(stem[:-3], stem[:-3])
        if name in known or name.startswith(".."):
            return (
                "[%s](%s.md%s)" % (text, name, "#" + part if part else "")
                if name in known
                else text
            )
    if "examples/" in path and stem[:-2] in programs:
        return "[%s](../programs/%s.rst)" % (text, stem[:-2])
    return text if "`" in text else "`%s`" % text


def copy(text, known, programs):
    """Return a page for the manual; blocks of code stay as they are."""
    out = []
    for at, piece in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)):
        out.append(piece if at % 2 else LINK.sub(lambda m: link(m, known, programs), piece))
    return "".join(out)


def with_index(text, words):
    """Return a page that begins with entries of the index."""
    if not words:
        return text
    lines = "".join("single: %s\n" % w for w in words)
    return "```{eval-rst}\n.. index::\n%s```\n\n%s" % (
        "".join("   " + x + "\n" for x in lines.split("\n") if x),
        text,
    )


def gallery(text):
    """Return the page of plots with the commands that draw them, from the gallery of
    docs/plots.md."""
    part = text[text.index("## Gallery") :]
    end = part.find("\n## ", 3)
    part = part if end < 0 else part[:end]
    body = part.split("\n", 1)[1]
    return "# Gallery of plots\n" + body
