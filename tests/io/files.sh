#!/bin/sh
# Files against NumPy, both ways: what it writes `tyto convert` reads, and what that writes it reads; printing and
# DLPack through the shared library.  Skipped, with a word, where python3-numpy is absent.
set -u
build=${BUILD:-build/release}
source=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
if grep -q '^TY_SANITIZE:STRING=.' "$build/CMakeCache.txt" 2>/dev/null; then
    echo "skipped: Python cannot load a library with sanitizers"
    exit 0
fi
for python in python3 /usr/bin/python3; do
    if command -v "$python" >/dev/null && "$python" -c 'import numpy' 2>/dev/null; then
        exec "$python" "$source/tests/io/files.py" "$build/tyto" "$build/libtyto.so"
    fi
done
echo "skipped: python3-numpy is not installed"
