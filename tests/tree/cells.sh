#!/bin/sh
# Evaluates the tables of code in pages for people who come from other libraries (docs/from_*.md, tests/tree/cells.py).
set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
export SOURCE BUILD
if ! command -v python3 >/dev/null; then
    echo "cells: left out without python3"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -B "$SOURCE/tests/tree/cells.py" "$folder" "$@"
