#!/bin/sh
# Pastes the programs and commands of pages into an empty folder, in their order, with an installed copy on the path
# (tests/tree/paste.py).  Arguments: names of pages; all by default.
set -u
. "$(dirname "$0")/scratch"
cmake --install "$BUILD" --prefix "$folder/prefix" >"$folder/installed" || {
    cat "$folder/installed"
    exit 1
}
python3 -B "$SOURCE/tests/tree/paste.py" "$folder" "$@"
