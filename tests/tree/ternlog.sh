#!/bin/sh
# Checks that the library has no masked vpternlog with a memory operand: Clang before 23 may encode a wrong truth table
# for it (math.h: APART).  GCC and other processors are not affected.
set -eu
library=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build/release}/libtyto_internal.a
CC=${CC:-cc}
$CC --version | grep -q clang || { echo "ternlog: not clang, nothing to look at"; exit 0; }
command -v objdump >/dev/null || { echo "ternlog: no objdump, not looked at"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Zeroed masked lanes ({z}) are safe: operands cannot be exchanged.
masked() { objdump -d --no-show-raw-insn "$1" | grep 'vpternlog' | grep '{%k' | grep -v '{z}' | grep '(%r' || true; }

echo 'vpternlogq $0xb8, 8(%rax){1to8}, %zmm1, %zmm0{%k1}' >"$scratch/planted.s"
if ! $CC -c "$scratch/planted.s" -o "$scratch/planted.o" 2>/dev/null; then
    echo "ternlog: no AVX-512 here"
    exit 0
fi
[ -n "$(masked "$scratch/planted.o")" ] || { echo "ternlog: does not find the planted instruction" >&2; exit 1; }
found=$(masked "$library")
[ -z "$found" ] || { echo "ternlog: $library has masked vpternlogs with memory operands:" >&2; echo "$found" >&2; exit 1; }
echo "ternlog: well"
