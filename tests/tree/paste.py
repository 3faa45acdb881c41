"""Paste the programs and commands of pages into an empty folder, and compare what they print.

Blocks of a page are pasted in their order.  A block of C or C++ that begins with a comment of one
word, such as "/* sums.c */", becomes the file of that name.  A block of sh runs in the shell, which
all blocks of the page share; it must succeed.  A block without a language after it is what it
prints, where a line "..." stands for any lines.  A comment before a block says why it does not run:

    <!-- not run: downloads 500 MB -->

A file in tests/tree/paste/, named like the page, runs before its first block, and prepares files.
"""

import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("SOURCE") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("BUILD") or SOURCE / "build/release").resolve()
MARK = re.compile(r"<!-- not run: (.+) -->")
FILE = re.compile(r"(?:/\* (\S+\.\w+) \*/|// (\S+\.\w+)|# (\S+\.\w+))$")


class Block:
    """A fenced block: language, line number, text, and the reason why it does not run."""

    def __init__(self, language, line, reason):
        self.language, self.line, self.reason, self.lines = language, line, reason, []

    @property
    def text(self):
        """Return the text with an end of its last line."""
        return "\n".join(self.lines) + "\n"

    @property
    def file(self):
        """Return the name of the file that the block becomes, or None."""
        found = FILE.match(self.lines[0]) if self.lines else None
        return next(filter(None, found.groups())) if found else None


def blocks(page):
    """Return the fenced blocks of a page."""
    found, inside, reason = [], None, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if inside is None:
                inside = Block(line[3:].strip(), number, reason)
                found.append(inside)
            else:
                inside, reason = None, None
        elif inside is not None:
            inside.lines.append(line)
        elif line.strip():
            mark = MARK.fullmatch(line.strip())
            reason = mark.group(1) if mark else None
    return found


def matches(printed, shown):
    """Return true if lines are those shown, where "..." stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"[ ]*\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def script(found, folder):
    """Return a script that pastes blocks, and the pairs of a block and its expected output."""
    lines, expected, last = [], [], None
    for i, block in enumerate(found):
        if block.reason:
            last = None
        elif block.language in ("c", "cpp", "json", "python", "text") and block.file:
            path = folder / f"block{i}"
            path.write_text(block.text, encoding="utf-8")
            lines.append(f"cp '{path}' '{block.file}'")
            last = None
        elif block.language == "sh":
            lines += [f"printf '%s\\n' {block.line} >'{folder}/now'", "{", block.text,
                      f"}} >'{folder}/out{i}'", "[ $? = 0 ] || exit 1"]  # set -e passes over a && b
            last = folder / f"out{i}"
        elif not block.language and last:
            expected.append((last, block))
            last = None
        else:
            last = None
    return "\n".join(["set -eu", *lines, ""]), expected


def paste(page, folder, prefix):
    """Paste a page; return the number of blocks that ran, and the messages of failures."""
    work, kept, name = folder / page.stem, folder / f"{page.stem}.blocks", page.name
    work.mkdir()
    kept.mkdir()
    found = blocks(page)
    text, expected = script(found, kept)
    count = text.count("\nprintf")
    if not count:
        return 0, []
    libraries = next(prefix.glob("lib*/**/libtyto.so")).parent
    environment = {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}",
                   "PKG_CONFIG_PATH": str(next(prefix.glob("lib*/**/pkgconfig"))),
                   "LD_LIBRARY_PATH": f"{libraries}:{BUILD}",
                   "PREFIX": str(prefix), "SOURCE": str(SOURCE)}
    before = SOURCE / "tests/tree/paste" / f"{page.stem}.sh"
    steps = ([["sh", "-eu", str(before)]] if before.exists() else []) + [["sh", "-c", text]]
    for step in steps:
        done = subprocess.run(step, cwd=work, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=300, check=False)
        if done.returncode:
            now = (kept / "now").read_text() if (kept / "now").exists() else "its beginning\n"
            return count, [f"{name}: status {done.returncode}, line {now}{done.stdout}{done.stderr}"]
    failures = []
    for path, block in expected:
        printed = path.read_text(encoding="utf-8").splitlines()
        if not matches(printed, block.lines):
            failures.append(f"{name}:{block.line}: printed is:\n" + "\n".join(printed))
    return count, failures


# Pages whose blocks another test runs.
ELSEWHERE = {
    "commands.md": "tests/tools", "python.md": "python/tests", "python_networks.md": "python/tests",
    "interface.md": "tests/tree/interface.sh", "json.md": "tests/tools/json.sh"}


def state(page, block, examples):
    """Return how a test uses a block: "runs", the script that runs it, "compiled", or "no test"."""
    if block.reason:
        return f"not run: {block.reason}"
    if page.name in ELSEWHERE:
        return f"runs by {ELSEWHERE[page.name]}"
    if block.language == "sh" or block.file or page.name == "README.md":
        return "runs"
    if page.name.startswith("from_") and block.language in ("c", "cpp"):
        return "runs by tests/tree/cells.sh"
    if block.language in ("c", "cpp"):
        lines = [" ".join(line.split()) for line in block.lines if line.strip() != "..."]
        inside = all(line in examples for line in lines)
        return "runs in examples/" if inside else "compiled by tests/tree/excerpts.sh"
    return "no test"


def list_blocks(pages):
    """Print how tests use each block of code, and the number of blocks of each kind."""
    paths = [*(SOURCE / "examples").glob("*.c"), *(SOURCE / "examples").glob("*.cpp")]
    examples = {" ".join(line.split()) for path in paths
                for line in path.read_text(encoding="utf-8").splitlines()}
    counts = {}
    for page in pages:
        for block in blocks(page):
            if block.language:
                how = state(page, block, examples)
                key = block.language, how.partition(":")[0]
                counts[key] = counts.get(key, 0) + 1
                print(f"{page.name}:{block.line}: {block.language}: {how}")
    for (language, how), count in sorted(counts.items()):
        print(f"{count} blocks of {language}: {how}")


def main():
    """Paste the pages that are named, or README.md and all of docs/; --list: list their blocks."""
    if sys.argv[1:2] == ["--list"]:
        list_blocks([SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))])
        return
    folder = pathlib.Path(sys.argv[1])
    pages = [SOURCE / name for name in sys.argv[2:]] or [
        SOURCE / "README.md", *(page for page in sorted((SOURCE / "docs").glob("*.md"))
                                if page.name not in ELSEWHERE)]
    ran, failed = 0, 0
    for page in pages:
        count, failures = paste(page, folder, folder / "prefix")
        ran, failed = ran + count, failed + len(failures)
        for failure in failures:
            print("FAILED:", failure)
    print(f"{ran} blocks of commands ran\n{ran - failed} passed, {failed} failed")
    sys.exit(failed > 0 or not ran)


if __name__ == "__main__":
    main()
