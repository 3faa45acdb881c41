#!/bin/sh
# Pastes the programs and commands of pages into an empty folder, in their order, with an installed copy on the path
# (tests/tree/paste.py).  Arguments: names of pages; all by default.
set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
export SOURCE BUILD
if ! command -v python3 >/dev/null; then
    echo "paste: left out without python3"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$BUILD" --prefix "$folder/prefix" >"$folder/installed" || {
    cat "$folder/installed"
    exit 1
}
python3 -B "$SOURCE/tests/tree/paste.py" "$folder" "$@"
