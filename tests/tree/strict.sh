#!/bin/sh
# Checks that options that relax floating-point arithmetic are compile errors in every unit.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
CC=${CC:-cc}
bad=0
compiles() { echo 'int x;' | $CC "$@" -include "$SOURCE/src/base/strict.h" -x c -fsyntax-only - 2>/dev/null; }

compiles -O3 || { echo "strict: refuses plain -O3" >&2; bad=1; }
for option in -ffast-math -Ofast -ffinite-math-only; do
    if compiles $option; then echo "strict: lets $option through" >&2; bad=1; fi
done
grep -q 'include .*src/base/strict.h' "$SOURCE/CMakeLists.txt" || { echo "strict: CMake does not include it" >&2; bad=1; }
exit $bad
