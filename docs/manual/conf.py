"""Settings of Sphinx for the manual. The sources are those that generate.py writes; this folder has
the theme.
"""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from slim import slim  # noqa: E402

VERSION = (HERE.parents[1] / "include/tyto/version.h").read_text(encoding="utf-8")

project = "Tyto"
author = "the authors of Tyto"
release = ".".join(
    re.search(r"TY_VERSION_%s (\d+)" % part, VERSION).group(1)
    for part in ("MAJOR", "MINOR", "PATCH")
)
language = "en"
extensions = ["myst_parser"]
myst_heading_anchors = 4
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
# Comments of C are words, in which quotes and hyphens stay as they are.
smartquotes = False
highlight_language = "none"
# Blocks of pages show excerpts, which need not be whole for a lexer.  A page may skip a level of
# headings.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
html_theme = "theme"
html_theme_path = [str(HERE)]
html_title = "Tyto " + release
html_copy_source = False
html_show_sourcelink = False
html_permalinks = False
# Files of the base theme that no page of this one asks for.
UNUSED = (
    "basic.css",
    "pygments.css",
    "file.png",
    "minus.png",
    "plus.png",
    "jquery.js",
    "jquery-3.6.0.js",
    "underscore.js",
    "underscore-1.13.1.js",
    "_sphinx_javascript_frameworks_compat.js",
)


def drop_unused(app, problem):
    """Delete files that no page refers to."""
    if problem is None and app.builder.format == "html":
        for name in UNUSED:
            path = Path(app.outdir) / "_static" / name
            if path.exists():
                os.unlink(path)
        for name in ("objects.inv", ".buildinfo"):
            path = Path(app.outdir) / name
            if path.exists():
                os.unlink(path)


def shorten(app, name, template, context, doctree):
    """Write the text of a page in fewer bytes."""
    if "body" in context:
        context["body"] = slim(context["body"])


def setup(app):
    """Connect the functions that make the pages small."""
    app.connect("html-page-context", shorten)
    app.connect("build-finished", drop_unused)
