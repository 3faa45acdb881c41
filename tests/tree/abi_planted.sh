#!/bin/sh
# Plants changes in a copy of the public headers and checks that tests/tree/abi.sh names those that break programs and
# allows the others.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
export SOURCE
if ! command -v abidiff >/dev/null; then
    echo "abi_planted: left out; abidiff is missing (./dev setup abigail-tools)"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HEADERS="$scratch/include" INTERFACE="$scratch/interface.txt"
bad=0
say() { echo "abi_planted: $*"; bad=1; }
cp -r "$SOURCE/include" "$scratch/clean"
# Structs that are passed with their size, by a function and by an inline function.
sed -i 's,^TY_API ty_axes ty_axis(int axis);,typedef struct ty_planted {\n    int first;\n    double second;\n    bool third;\n} ty_planted;\
TY_API bool ty_planted_sized(ty_tensor *x\, const ty_planted *options\, size_t size);\
typedef struct ty_hidden {\n    int alone;\n} ty_hidden;\
TY_API bool ty_hidden_sized(ty_tensor *x\, const void *options\, size_t size);\
static inline bool ty_hidden_call(ty_tensor *x\, ty_hidden options) {\n    return ty_hidden_sized(x\, \&options\, sizeof options);\n}\
&,' "$scratch/clean/tyto/core.h"
renew() { rm -rf "$HEADERS" && cp -r "$scratch/clean" "$HEADERS"; }
renew
sh "$SOURCE/tests/tree/abi.sh" --accept >/dev/null
sh "$SOURCE/tests/tree/abi.sh" >"$scratch/said" || say "the same headers differ: $(cat "$scratch/said")"

# NAME FILE EDIT WORDS: the edit of a header must fail, with these words; without words it must pass.
planted() {
    renew
    sed -i "$3" "$HEADERS/tyto/$2"
    ! cmp -s "$HEADERS/tyto/$2" "$scratch/clean/tyto/$2" || say "$1: nothing was planted"
    if sh "$SOURCE/tests/tree/abi.sh" >"$scratch/said" 2>&1; then
        [ -z "$4" ] || say "$1: not found"
    elif [ -z "$4" ]; then
        say "$1: not allowed: $(cat "$scratch/said")"
    else
        grep -q "$4" "$scratch/said" || say "$1: without '$4': $(cat "$scratch/said")"
    fi
}
planted "a removed function" core.h '/ty_axes ty_axis(int axis);/d' 'Removed function.*\|ty_axis'
planted "another parameter" core.h 's/ty_axes ty_axis(int axis);/ty_axes ty_axis(int64_t axis);/' ty_axis
planted "another result" core.h 's/ty_axes ty_axis(int axis);/int ty_axis(int axis);/' ty_axis
planted "a removed variable" layers.h '/ty_layer_kinds\[\]/d' ty_layer_kinds
planted "a member inserted" core.h 's/^    uint64_t mask;/    int planted;\n&/' ty_axes
planted "a member appended to a struct without size" core.h 's/^    bool keep;/&\n    double planted;/' ty_axes
planted "a member removed" core.h '/^    bool keep;/d' ty_axes
planted "a member of another type" core.h 's/^    uint64_t mask;/    int mask;/' ty_axes
planted "an enum renumbered" core.h 's/^    TY_I8,/    TY_PLANTED,\n&/' TY_I8
planted "an enumerator removed" core.h 's/, TY_MAXPREC_EQUAL }/ }/' TY_MAXPREC_EQUAL
planted "a member inserted in a sized struct" core.h 's/^    double second;/    double inserted;\n&/' ty_planted
planted "a member of another type in a sized struct" core.h 's/^    double second;/    int64_t second;/' ty_planted
planted "a member in the padding of a sized struct" core.h 's/^    bool third;/&\n    bool fourth;/' 'fourth of ty_planted lies in padding'
planted "a member of a struct that only an inline function names" core.h 's/^    int alone;/    double alone;/' ty_hidden
planted "a member at the end of such a struct" core.h 's/^    int alone;/&\n    int another;/' ''
planted "an added function" core.h 's,^TY_API ty_axes ty_axis(int axis);,&\nTY_API int ty_added(int x);,' ''
planted "a dtype added at the end" core.h 's|^    TY_U2 .*|    TY_U2,\n    TY_PLANTED|' ''
planted "an enumerator at the end" core.h 's/, TY_MAXPREC_EQUAL }/, TY_MAXPREC_EQUAL, TY_PLANTED }/' ''
planted "a member at the end of a sized struct" core.h 's/^    bool third;/&\n    const char *fourth;\n    struct {\n        int a;\n    } fifth[2];/' ''
[ $bad = 1 ] || echo "abi_planted: well"
exit $bad
