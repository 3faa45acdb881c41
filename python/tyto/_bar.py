"""Bars of progress on a terminal."""

import os
import shutil
import sys
import threading
import time

from tyto import _core

INTERVAL = 0.1  # seconds between two drawings: ten a second, as the library reports


class Bar:
    """A bar on a stream, drawn only if that is a terminal that can erase a line."""

    def __init__(self, what="", total=0, stream=None):
        """Take a word, the number of units (0: unknown), and a stream (None: stderr)."""
        self.what, self.total = what, total
        self.stream = sys.stderr if stream is None else stream
        tty = getattr(self.stream, "isatty", lambda: False)()
        self.shown = tty and os.environ.get("TERM") != "dumb"
        self.start, self.drawn, self.width = time.monotonic(), 0.0, 0

    def update(self, done, note="", last=False):
        """Draw the state: units done, and a note behind the bar."""
        now = time.monotonic()
        if not self.shown or (not last and now - self.drawn < INTERVAL):
            return
        self.drawn = now
        self._write(self.line(done, note, now - self.start))

    def line(self, done, note, seconds):
        """Return the text of the line."""
        parts = [self.what] if self.what else []
        if self.total:
            share = min(max(done / self.total, 0), 1)
            filled = round(20 * share)
            parts.append(f"[{'#' * filled}{'.' * (20 - filled)}] {done}/{self.total}")
            left = seconds / share - seconds if share else 0
            parts += [note] if note else []
            parts.append(f"{seconds:.1f} s, {left:.1f} s left")
        else:
            parts += [str(done), *([note] if note else []), f"{seconds:.1f} s"]
        return "  ".join(parts)

    def _write(self, text):
        text = text[:shutil.get_terminal_size().columns - 1]
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def close(self):
        """Erase the line."""
        if self.shown and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
            self.width = 0

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def bar(iterable, what="", total=None, stream=None):
    """Yield the items of an iterable, with a bar on stderr if that is a terminal."""
    if total is None:
        total = len(iterable) if hasattr(iterable, "__len__") else 0
    with Bar(what, total, stream) as drawn:
        for i, item in enumerate(iterable):
            yield item
            drawn.update(i + 1)


class show_progress:
    """Draw a bar on stderr for long calls of the library on this thread: a context manager.

    with tyto.show_progress(): model.fit(...)
    """

    def __init__(self, stream=None):
        """Take a stream; None: stderr."""
        self.stream = stream
        self.drawn = None

    def _report(self, what, done, total, seconds):
        if self.drawn is None or (self.drawn.what, self.drawn.total) != (what, total):
            if self.drawn is not None:
                self.drawn.close()
            self.drawn = Bar(what, total, self.stream)
            self.drawn.start = time.monotonic() - seconds
        self.drawn.update(done)
        return True

    def __enter__(self):
        self.thread = threading.get_ident()
        self.before = _core.progress(self._report)
        return self

    def __exit__(self, *unused):
        _core.progress(self.before)
        if self.drawn is not None:
            self.drawn.close()
