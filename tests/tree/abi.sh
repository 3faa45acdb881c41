#!/bin/sh
# Compares the binary interface of the public headers with tests/abi/interface.txt, by abidiff (Debian's abigail-tools).
# Added functions, enumerators at the end and fields at the end of sized structs are allowed; other changes fail.
# --accept writes the interface as it is now.  Both sides are compiled here, so that neither machine nor compiler matters.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
CC=${CC:-cc}
BUILD=${BUILD:-$SOURCE/build/release}
HEADERS=${HEADERS:-$SOURCE/include} # the planted changes are elsewhere
ABI=$SOURCE/tests/abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
$CC -E -DTY_UNTYPED -I"$HEADERS" "$SOURCE/tests/support/calls/headers.c" | awk -f "$ABI/declarations.awk" >"$scratch/new.txt"
if [ "${1:-}" = --accept ]; then
    cp "$scratch/new.txt" "${INTERFACE:-$ABI/interface.txt}"
    echo "abi: $(grep -c TY_API "$scratch/new.txt") functions and variables, $(wc -c <"$scratch/new.txt") bytes"
    exit 0
fi
interface=${INTERFACE:-$ABI/interface.txt}
if ! command -v abidiff >/dev/null; then
    echo "abi: not compared; abidiff is missing (./dev setup abigail-tools)"
    exit 0
fi
if [ ! -e "$interface" ]; then
    echo "abi: not compared; there is no tests/abi/interface.txt yet (./dev abi --accept writes it)"
    exit 0
fi
cp "$interface" "$scratch/old.txt"
# The library has the declared functions and variables, and shows no others.
if [ -z "${INTERFACE:-}" ] && [ -e "$BUILD/libtyto.so" ]; then
    sed 's/\[\]/ /; s/([^*].*//; s/;//; s/ *$//' "$scratch/new.txt" | sed -n 's/^\(extern \)\{0,1\}TY_API .*[ *]\(ty_[a-z_0-9]*\)$/\2/p' | sort >"$scratch/declared"
    nm -D --defined-only "$BUILD/libtyto.so" | awk '$3 ~ /^ty_[a-z]/ { sub(/@.*/, "", $3); print $3 }' | sort >"$scratch/defined"
    differ=$(comm -3 "$scratch/declared" "$scratch/defined")
    [ -z "$differ" ] || { echo "abi: declared and not defined, or (on the right) defined and not declared:"; echo "$differ"; exit 1; }
fi
awk -v checks="$scratch/checks" -f "$ABI/growth.awk" "$scratch/old.txt" "$scratch/new.txt" >"$scratch/known.txt"
if [ -e "$scratch/checks" ]; then
    cat "$scratch/new.txt" "$scratch/checks" | sed 's/TY_API//' >"$scratch/checks.c"
    $CC -std=gnu11 -w -fsyntax-only "$scratch/checks.c" || { echo "abi: add a member named reserved before it" && exit 1; }
fi
mv "$scratch/known.txt" "$scratch/new.txt"
for side in old new; do
    mkdir "$scratch/$side"
    { echo "# 1 \"$scratch/$side/interface.h\""; awk -f "$ABI/stub.awk" "$scratch/$side.txt"; } >"$scratch/$side.c"
    $CC -std=gnu11 -g -w -shared -fPIC -o "$scratch/$side/libtyto.so" "$scratch/$side.c"
done
abidiff --no-added-syms --drop-private-types --headers-dir1 "$scratch/old" \
    --headers-dir2 "$scratch/new" "$scratch/old/libtyto.so" "$scratch/new/libtyto.so" >"$scratch/said" 2>&1 || {
    sed "s,$scratch/,,g" "$scratch/said"
    echo "abi: the interface changed; docs/stability.md states the terms, ./dev abi --accept takes the change"
    exit 1
}
echo "abi: well ($(grep -c TY_API "$scratch/new.txt") functions and variables)"
