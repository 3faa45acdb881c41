#!/bin/sh
# Uses the library through declarations that are made from docs/tyto.json alone: in Python by the code of
# docs/interface.md, in C by interface_c.py.  The compiler compares the same declarations with the headers, and refuses
# planted faults.  Last, describes and calls a small library (interface_small.h) whose options have sizes.
# Skipped without Python.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
CC=${CC:-cc}
command -v python3 >/dev/null || { echo "interface: skipped, there is no python3"; exit 0; }
[ -e "$BUILD/libtyto.so" ] || { echo "interface: skipped, there is no libtyto.so in this build"; exit 0; }
export PYTHONDONTWRITEBYTECODE=1
cd "$SOURCE"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
say() { echo "interface: $*"; bad=1; }
tests=$SOURCE/tests/tree
strict="-Wall -Wextra -Werror"

# compare FOLDER INCLUDE: do the types of FOLDER/same.c agree with the headers?
compare() { $CC -std=gnu11 $strict -Wno-deprecated-declarations -I"$2" -fsyntax-only "$1/same.c" 2>"$1/said"; }

# ---- the library ----
awk '/^```python/ { on = 1; next } /^```/ { on = 0; print "" } on' docs/interface.md >"$scratch/tyto_ctypes.py"
lp64=$(python3 -c 'import ctypes; print(ctypes.sizeof(ctypes.c_void_p) == ctypes.sizeof(ctypes.c_long) == 8)')
if [ "$lp64" = True ]; then
    python3 "$tests/interface_calls.py" "$scratch/tyto_ctypes.py" docs/tyto.json "$BUILD/libtyto.so" || say "calls from Python fail"
    mkdir "$scratch/real"
    python3 "$tests/interface_c.py" docs/tyto.json "$scratch/real"
    compare "$scratch/real" include || say "the headers differ from docs/tyto.json: $(head -n 5 "$scratch/real/said")"
    $CC -std=c11 $strict -I"$scratch/real" -o "$scratch/calls" "$tests/interface_calls.c" -L"$BUILD" -ltyto -Wl,-rpath,"$BUILD"
    "$scratch/calls" || say "calls from C fail"
    nm -D --defined-only "$BUILD/libtyto.so" | sed -n 's/^.* [A-Z] \(ty_[a-z][a-z0-9_]*\)@.*/\1/p' | sort >"$scratch/exported"
    python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
print("\n".join(sorted([f["symbol"] for f in j["functions"] if f["symbol"]] + [v["name"] for v in j["variables"]])))
' docs/tyto.json | LC_ALL=C sort >"$scratch/described"
    LC_ALL=C sort "$scratch/exported" | diff - "$scratch/described" || say "libtyto.so exports other symbols than docs/tyto.json has"
else
    echo "interface: docs/tyto.json describes LP64, not this machine"
fi

# ---- planted faults ----
python3 - docs/tyto.json "$scratch" <<'P'
import copy, json, os, sys
j = json.load(open(sys.argv[1]))
def plant(number, change):
    faulty = copy.deepcopy(j)
    change({name: {e.get("name"): e for e in faulty[name]} for name in ("functions", "structs", "enums", "constants", "callbacks")})
    os.mkdir("%s/fault%d" % (sys.argv[2], number))
    json.dump(faulty, open("%s/fault%d/tyto.json" % (sys.argv[2], number), "w"))
plant(1, lambda f: f["functions"]["ty_vmap"]["parameters"][4]["type"]["pointer"].update(name="int64_t"))
plant(2, lambda f: f["structs"]["ty_axes"]["fields"][1].update(offset=16))
plant(3, lambda f: f["enums"]["ty_dtype"]["values"][3].update(value=4))
plant(4, lambda f: f["constants"]["TY_MAX_RANK"].update(value=63))
plant(5, lambda f: f["callbacks"]["ty_body"]["parameters"][1]["type"]["pointer"].pop("const"))
plant(6, lambda f: f["functions"]["ty_poison"].update(variadic=False))
P
for fault in "$scratch"/fault*; do
    python3 "$tests/interface_c.py" "$fault/tyto.json" "$fault"
    ! compare "$fault" include || say "${fault##*/} is not noticed"
done

# ---- a small library, which has the forms that headers may use ----
small=$scratch/small
mkdir -p "$small/include/tyto/tables"
cp "$tests/interface_small.h" "$small/include/tyto/small.h"
cat >"$small/include/tyto/tables/rows.def" <<'D'
/* Rows of small.h. */
ROW(twice, 2, "two times x")
ROW(thrice, 3, "three times "
    "x")
D
if python3 docs/interface/interface.py "$small/include" "$small/tyto.json" && [ "$lp64" = True ]; then
    python3 "$tests/interface_c.py" "$small/tyto.json" "$small"
    compare "$small" "$small/include" || say "the small library differs: $(head -n 5 "$small/said")"
    $CC -shared -fPIC $strict -I"$small/include" -DTY_SMALL_BODY -x c -o "$small/libsmall.so" "$tests/interface_small.h"
    $CC -std=c11 $strict -I"$small" -o "$small/calls" "$tests/interface_small.c" -L"$small" -lsmall -Wl,-rpath,"$small"
    "$small/calls" || say "calls of the small library from C fail"
    python3 "$tests/interface_small.py" "$scratch/tyto_ctypes.py" "$small/tyto.json" "$small/libsmall.so" ||
        say "calls of the small library from Python fail"
fi
[ $bad = 1 ] || echo "interface: well"
exit $bad
