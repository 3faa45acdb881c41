#!/bin/sh
# Checks that no special function calls itself, also by way of others: they are texts of OpenCL C, too, which has no
# recursion.  PoCL's compiler inlines calls, and ends the process.  GCC writes the graph of calls.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Writes the calls of unit $1 to $scratch/calls, a line for each: caller, called function.
calls() {
    "$CC" -std=c11 -O0 -D_GNU_SOURCE -I"$SOURCE/include" -I"$SOURCE/src" -fcallgraph-info -c "$1" -o "$scratch/unit.o" \
        2>"$scratch/said" || return 1
    sed -n 's/^edge: { sourcename: "\([^"]*\)" targetname: "\([^"]*\)".*/\1 \2/p' "$scratch/unit.ci" >"$scratch/calls"
}

# Returns 0 if the calls have a cycle, and names its functions.
recurs() {
    awk '$1 == $2 { print "recursion: " $1; found = 1 } END { exit !found }' "$scratch/calls" && return 0
    tsort "$scratch/calls" >"$scratch/order" 2>"$scratch/said" && return 1
    sed 's/^/recursion: /' "$scratch/said"
}

printf 'int f(int); int g(int n) { return f(n); } int f(int n) { return n ? g(n - 1) : 0; }\n' >"$scratch/twice.c"
if ! calls "$scratch/twice.c" || [ ! -s "$scratch/calls" ]; then
    echo "skipped: $CC writes no graph of calls"
    exit 0
fi
recurs >/dev/null || { echo "two functions that call each other were not noticed"; exit 1; }
calls "$SOURCE/src/engine/ref/special_families.c" || { cat "$scratch/said"; exit 1; }
[ "$(grep -c . "$scratch/calls")" -gt 500 ] || { echo "the graph of calls is not that of the special functions"; exit 1; }
if recurs; then exit 1; fi
echo "no recursion in $(cut -d' ' -f1 "$scratch/calls" | sort -u | wc -l) functions"
