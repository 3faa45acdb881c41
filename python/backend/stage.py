"""Lay links to the package's files beside a built extension: python3 python/backend/stage.py FOLDER.

FOLDER/tyto holds the extension that CMake has built.  With FOLDER in PYTHONPATH the package can then be imported, and
changes of its files need no build.
"""

import os
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "tyto"


def stage(folder):
    """Link all files of the package into FOLDER/tyto but extensions, and drop links to files that are gone."""
    target = pathlib.Path(folder) / "tyto"
    target.mkdir(parents=True, exist_ok=True)
    for link in target.iterdir():
        if link.is_symlink() and not link.exists():
            link.unlink()
    for path in PACKAGE.iterdir():
        link = target / path.name
        if path.suffix == ".so" or path.name == "__pycache__" or link.exists():
            continue
        os.symlink(path, link)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 python/backend/stage.py FOLDER")
    stage(sys.argv[1])
