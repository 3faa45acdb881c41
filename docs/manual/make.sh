#!/bin/sh
# Builds the manual in HTML: make.sh OUT [TYTO].  TYTO is the command, which describes itself and its examples.
# SOME=N: every N-th function alone, for a quick look.  JOBS: processes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
python3=${PYTHON3:-python3}
sphinx=${SPHINX_BUILD:-sphinx-build}
command -v "$sphinx" >/dev/null || {
    echo "manual: sphinx-build not found; install Sphinx and MyST (Debian's python3-sphinx, python3-myst-parser)" >&2
    exit 1
}
"$python3" -B "$here/generate.py" ${2:+--tyto "$2"} --some "${SOME:-1}" "$out.sources"
rm -rf "$out"
"$sphinx" -q -W --keep-going -j "${JOBS:-2}" -c "$here" -d "$out.trees" -b html "$out.sources" "$out"
"$python3" -B "$here/links.py" "$out"
rm -rf "$out.trees" "$out.sources"
echo "manual: $out/index.html"
