#!/bin/sh
# Runs floors.sh on a small tree of its own: it passes as it is, and each planted violation has a message.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
CC=${CC:-cc}
check=$SOURCE/tests/tree/floors.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0

# file PATH: write a source of the tree from standard input; compile a .c file.
file() {
    mkdir -p "$scratch/house/$(dirname "$1")" "$scratch/build/house.dir/$(dirname "$1")"
    cat >"$scratch/house/$1"
    case $1 in *.c) "$CC" -c -I"$scratch/house/src" "$scratch/house/$1" -o "$scratch/build/house.dir/$1.o" ;; esac
}

house() {
    rm -rf "$scratch/house" "$scratch/build"
    file docs/design.md <<'PAGE'
## The floors
```
include/house/   public headers
src/cellar/      what all stand on
src/array/ src/ops/core/      tensors, operators
src/hall/ src/hall/annex/      three rooms, and an annex beside the hall
    desk/        first
    east/ west/  side by side
src/attic/       last
```
| table | declared in | defined in | what it is |
|---|---|---|---|
| `lamps` | `src/cellar/lamps.h` | `src/attic/lamps.c` | light |
## The rest
PAGE
    echo 'extern const struct lamps { int (*light)(void); } lamps;' | file src/cellar/lamps.h
    printf '#include "cellar/lamps.h"\nint cellar(void) { return lamps.light(); }\n' | file src/cellar/cellar.c
    echo 'struct tensor;' | file src/array/tensor.h
    echo '#include "array/tensor.h"' | file src/ops/core/op.h
    echo 'extern const int rows_base;' | file src/hall/east/rows.h
    printf '#include "hall/east/rows.h"\nconst int rows_base = 1;\n' | file src/hall/east/rows_base.c
    echo 'int desk(void) { return 1; }' | file src/hall/desk/desk.c
    echo 'int west(void); int east(void) { return west(); }' | file src/hall/east/east.c
    echo 'int desk(void); int west(void) { return desk(); }' | file src/hall/west/west.c
    echo 'int annex(void); int west(void); int hall(void) { return west() + annex(); }' | file src/hall/hall.c
    echo 'int hall(void); int west(void); int annex(void) { return west() + hall(); }' | file src/hall/annex/annex.c
    cat <<'C' | file src/attic/lamps.c
#include "cellar/lamps.h"
int hall(void);
int attic(void) { return hall(); }
const struct lamps lamps = {attic};
C
}

# says WORDS: check that floors.sh fails with these words, or passes without WORDS.
says() {
    status=0
    SOURCE=$scratch/house BUILD=$scratch/build sh "$check" >"$scratch/said" 2>&1 || status=$?
    if [ -z "${1-}" ] && [ $status = 0 ]; then return; fi
    if [ -n "${1-}" ] && [ $status = 1 ] && grep -qF -- "$1" "$scratch/said"; then return; fi
    bad=1
    echo "floors_planted: wanted \"${1:-well}\", the check ended with $status and said:"
    cat "$scratch/said"
}

house
says

echo 'int attic(void); int low(void) { return attic(); }' | file src/cellar/low.c
says 'src/cellar/low.c uses attic of src/attic/lamps.c'
rm "$scratch/house/src/cellar/low.c" # an object without its source is ignored
says

echo 'int attic(void);' | file src/attic/attic.h
printf '#include "attic/attic.h"\nint low(void) { return 0; }\n' | file src/hall/low.c
says 'src/hall/low.c includes src/attic/attic.h'

house
printf '#include "ops/core/op.h"\nextern const int rows_base;\n' | file src/hall/east/rows.h
says 'src/hall/east/rows_base.c includes src/array/tensor.h, whose changes would compile all loops'

house
echo 'double exp(double); float logf(float); double low(double x) { return exp(x) + logf(x); }' | file src/hall/low.c
says 'src/hall/low.c uses exp of the C library'
says 'src/hall/low.c uses logf of the C library'
echo 'double sqrt(double); double low(double x) { return sqrt(x); }' | file src/hall/low.c
says

house
echo 'int east(void); int low(void) { return east(); }' | file src/hall/desk/low.c
says 'src/hall/desk/low.c uses east of src/hall/east/east.c'

house
echo 'int hall(void); int low(void) { return hall(); }' | file src/hall/west/low.c
says 'src/hall/west/low.c uses hall of src/hall/hall.c'

house
echo 'int annex(void); int low(void) { return annex(); }' | file src/hall/west/low.c
says 'src/hall/west/low.c uses annex of src/hall/annex/annex.c'

house
echo 'int attic(void); int ROW(void) { return attic(); }' >"$scratch/house/src/cellar/rows.kernel.c"
printf '#define ROW sum\n#include "cellar/rows.kernel.c"\n' >"$scratch/build/sum.c" # as CMake writes units
"$CC" -c -I"$scratch/house/src" "$scratch/build/sum.c" -o "$scratch/build/house.dir/sum.c.o"
says 'src/cellar/rows.kernel.c uses attic of src/attic/lamps.c'

house
echo 'extern struct lamps { int (*light)(void); } lamps;' | file src/cellar/lamps.h
says 'src/cellar/lamps.h declares no "extern const ... lamps"'

house
echo 'extern const int lamps; int cellar(void) { return lamps; }' | file src/cellar/cellar.c
echo 'int lamps(void) { return 0; }' | file src/attic/lamps.c
says 'src/attic/lamps.c defines no table lamps'

house
echo 'int cellar(void) { return 0; }' | file src/cellar/cellar.c
says 'nobody reaches down through the table lamps'

house
echo 'int shed(void) { return 0; }' | file src/shed/shed.c
says 'src/shed is not in the picture'

house
rm "$scratch/build/house.dir/src/hall/desk/desk.c.o"
says 'no object files of src/hall/desk'
rm -r "$scratch/build/house.dir"
says 'build first'

[ $bad = 0 ] && echo "floors_planted: well"
exit $bad
