#!/bin/sh
# Compares functions in C++ with the same work by calls of C: g++ and clang++ must make the same instructions at -O2, up to the
# last return of each function; code for exceptions follows it.  For two functions clang++ needs one instruction more: it
# keeps an address for the case that the second call throws, and stores the items of an index one by one.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $(uname -m) in
x86_64 | amd64) ;;
*)
    echo "cost: compares x86-64 instructions: left out"
    exit 0
    ;;
esac
command -v objdump >/dev/null || { echo "cost: no objdump: left out"; exit 0; }
bad=0 compared=0

# Write "FUNCTION MNEMONIC" for the code of $1, which $2 compiles, without padding.
instructions() {
    "$2" -std=c++17 -O2 -fcf-protection=none -I"$SOURCE/include" -c -o "$scratch/one.o" "$SOURCE/tests/cplusplus/$1.cc"
    objdump -d --no-show-raw-insn --demangle --section=.text "$scratch/one.o" | awk '
        function flush(    i) {
            for (i = 1; i <= returns; i++) print name, code[i]
            n = returns = 0
        }
        /^[0-9a-f]+ <[a-z_]+\(/ { flush(); name = $2; sub(/^</, "", name); sub(/\(.*/, "", name); next }
        /^[0-9a-f]+ </ { flush(); name = ""; next }
        name != "" && /^ / && $2 !~ /^(nop|nopw|nopl|data16|cs|xchg)$/ {
            code[++n] = $2
            if ($2 ~ /^ret/) returns = n
        }
        END { flush() }'
}
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    instructions cost "$compiler" >"$scratch/cplusplus"
    instructions cost_of_c "$compiler" >"$scratch/c"
    for name in add named sum chain copy assign first; do
        grep "^$name " "$scratch/cplusplus" >"$scratch/left" || true
        grep "^$name " "$scratch/c" >"$scratch/right" || true
        if [ -s "$scratch/left" ] && cmp -s "$scratch/left" "$scratch/right"; then
            compared=$((compared + 1))
            continue
        fi
        more=$(($(wc -l <"$scratch/left") - $(wc -l <"$scratch/right")))
        case $compiler:$name in clang++:chain | clang++:first) [ $more -gt 1 ] || { compared=$((compared + 1)); continue; } ;; esac
        bad=1
        echo "cost: $name by $compiler: $(wc -l <"$scratch/left") instructions in C++, $(wc -l <"$scratch/right") by calls of C:"
        diff "$scratch/left" "$scratch/right" | head -n 20
    done
done
[ $bad = 1 ] || echo "cost: equal instructions ($compared functions)"
exit $bad
