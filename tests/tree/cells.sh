#!/bin/sh
# Evaluates the tables of code in pages for people who come from other libraries (docs/from_*.md, tests/tree/cells.py).
set -u
. "$(dirname "$0")/scratch"
python3 -B "$SOURCE/tests/tree/cells.py" "$folder" "$@"
