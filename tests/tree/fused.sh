#!/bin/sh
# Checks that the library has no vfmaddsub.  GCC 12 fuses two sums of products to it in spite of -ffp-contract (madd.h:
# MADD_TIMES), so that bits would differ from those of other compilers.
set -eu
library=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build/release}/libtyto_internal.a
command -v objdump >/dev/null || { echo "fused: no objdump, not looked at"; exit 0; }
found=$(objdump -d --no-show-raw-insn "$library" | grep -E 'file format|vfmaddsub|vfmsubadd' | grep -B1 -E 'vfmaddsub|vfmsubadd' || true)
[ -z "$found" ] || { echo "fused: $library has" >&2; echo "$found" >&2; exit 1; }
echo "fused: well"
