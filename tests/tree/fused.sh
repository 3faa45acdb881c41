#!/bin/sh
# GCC 12 makes vfmaddsub of two sums of products whatever -ffp-contract says (madd.h: MADD_TIMES): none in the library,
# or its bits would differ from those of other compilers.
set -eu
library=${BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build/release}/libtyto_internal.a
command -v objdump >/dev/null || { echo "fused: no objdump, not looked at"; exit 0; }
found=$(objdump -d --no-show-raw-insn "$library" | grep -E 'file format|vfmaddsub|vfmsubadd' | grep -B1 -E 'vfmaddsub|vfmsubadd' || true)
[ -z "$found" ] || { echo "fused: $library has" >&2; echo "$found" >&2; exit 1; }
echo "fused: well"
