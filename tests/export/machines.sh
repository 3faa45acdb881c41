#!/bin/sh
# Exported C on other machines: every model computes the bits of cpu, and the programs of examples/on_device have the
# losses of the library.  Compilers and emulators that are missing are named.  BUILD: where the binaries lie.  TY_TEST_NIGHTLY: all
# machines, models and options of compilers, instead of a part.
set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-.}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
fail() { failed=$((failed + 1)) && echo "FAILED: $*"; }
strict="-Wall -Wextra -pedantic -Wconversion -Werror -std=c99"

"$BUILD/example_on_device" "$dir" >"$dir/losses" 2>/dev/null || fail "example_on_device: status $?"
"$BUILD/tests/export_machines" "$dir" >"$dir/names" || fail "export_machines: status $?"
models=$(cat "$dir/names")
part="images views_apart storage loops transforms"
[ "${TY_TEST_NIGHTLY:-}" ] && part=$models

# Compiles the files $3... to the program $dir/p, by the compiler and flags $1.  $2: name in messages.
compile() {
    compiler=$1 what=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler $strict -I"$dir" -o "$dir/p" "$@" -lm >"$dir/said" 2>&1 && return
    fail "$compiler: $what"
    head -n 5 "$dir/said"
    return 1
}
# Runs program $dir/p with arguments $3... by the emulator $1.  $2: name in messages.
start() {
    emulator=$1 what=$2
    shift 2
    $emulator "$dir/p" "$@" >"$dir/said" 2>&1 && return
    fail "$what: status $?"
    head -n 5 "$dir/said"
    return 1
}
# The programs of examples/on_device by compiler and flags $1 and emulator $2: all memory, and losses.
learn() {
    for pair in xor:4096 digits:65536; do
        name=${pair%:*} most=${pair#*:}
        compile "$1" "$name" "$SOURCE/examples/on_device/$name.c" "$dir/${name}_net.c" && start "$2" "$1: $name" || return
        bytes=$(sed -n "s/^$name: \([0-9]*\) bytes$/\1/p" "$dir/said")
        [ "${bytes:-$((most + 1))}" -le "$most" ] || fail "$name takes $bytes bytes; expected at most $most"
        grep step "$dir/said"
    done >"$dir/found"
    grep FAILED "$dir/found" && failed=$((failed + 1))
    if cmp -s "$dir/found" "$dir/losses"; then passed=$((passed + 2)); else fail "$1: other losses"; fi
}
# Models $3... by compiler and flags $1 and emulator $2.
models() {
    with=$1 by=$2
    shift 2
    for name in "$@"; do
        compile "$with" "$name" "$dir/${name}_main.c" "$dir/$name.c" &&
            start "$by" "$with: $name" "$dir/$name.bin" || continue
        [ -e "$dir/$name.said" ] || cp "$dir/said" "$dir/$name.said" # of this machine, the first
        if cmp -s "$dir/said" "$dir/$name.said"; then passed=$((passed + 1)); else fail "$with: $name has other bits"; fi
    done
}

# This machine, at all levels of optimisation, with sanitizers.
for flags in -O0 -Os "-O2 -flto" "-O3 -march=native"; do learn "${CC:-cc} $flags" ""; done
echo 'int main(void) { return 0; }' >"$dir/empty.c"
checked="${CC:-cc} -O0 -g -fsanitize=undefined,address -fno-sanitize-recover=all"
if $checked -o "$dir/p" "$dir/empty.c" 2>/dev/null; then
    learn "$checked" "" && models "$checked" "" $models
else
    echo "skipped: the compiler has no sanitizers"
fi
[ -z "${TY_TEST_NIGHTLY:-}" ] || for flags in -O0 -Os "-O3 -march=native -flto"; do models "${CC:-cc} $flags" "" $models; done

# Checks for small machines: no recursion, stacks of unknown size, variable arguments, allocation or files.  A file may
# call only the library libm and these functions.
cat >"$dir/bytes.c" <<'TEXT'
#include <string.h>
void *memcpy(void *to, const void *from, size_t n) {
    while (n--) ((char *)to)[n] = ((const char *)from)[n];
    return to;
}
void *memset(void *to, int c, size_t n) {
    while (n--) ((char *)to)[n] = (char)c;
    return to;
}
TEXT
simple() {
    (cd "$dir" && ${CC:-cc} -std=c99 -O1 -fcallgraph-info=su -c "$1.c" -o "$1.o") 2>"$dir/said" || return 0 # GCC's option
    sed -n 's/^edge: { sourcename: "\([^"]*\)" targetname: "\([^"]*\)".*/\1 \2/p' "$dir/$1.ci" | tsort >/dev/null 2>"$dir/said"
    [ ! -s "$dir/said" ] || fail "$1: functions call each other in a circle: $(tail -n 1 "$dir/said")"
    grep -F 'bytes (dynamic)' "$dir/$1.ci" && fail "$1: a stack of unknown size"
    sed 's,/\*.*\*/,,; s/".*"//' "$dir/$1.c" "$dir/$1.h" | grep -F '...' && fail "$1: variable arguments"
    ${CC:-cc} -O1 -fno-builtin -fno-stack-protector -fPIC -shared -nostdlib -Wl,-z,defs -o "$dir/alone" "$dir/bytes.c" "$dir/$1.c" \
        -lm -lgcc 2>"$dir/said" || { fail "$1 needs more than libm" && head -n 3 "$dir/said"; }
    passed=$((passed + 1))
}
for name in $part xor_net digits_net; do simple "$name"; done
for name in $part; do
    # shellcheck disable=SC2086
    ${CXX:-c++} -x c++ -std=c++11 -fsyntax-only ${strict%-std=*} "$dir/$name.c" 2>"$dir/said" || fail "C++: $name"
done

# Others: compiler, flags, emulator.
while read -r triple machine flags; do
    if ! command -v "$triple-gcc" >/dev/null; then
        echo "skipped: there is no $triple-gcc"
    elif ! command -v "$machine" >/dev/null; then
        echo "skipped: there is no $machine"
    else
        learn "$triple-gcc -static $flags -Os" "$machine"
        models "$triple-gcc -static $flags -O2" "$machine" $part
        [ -z "${TY_TEST_NIGHTLY:-}" ] || models "$triple-gcc -static $flags -O0" "$machine" $part
    fi
done <<'TEXT'
arm-linux-gnueabihf qemu-arm
aarch64-linux-gnu qemu-aarch64
riscv64-linux-gnu qemu-riscv64
s390x-linux-gnu qemu-s390x
powerpc64le-linux-gnu qemu-ppc64le
i686-linux-gnu qemu-i386 -msse2 -mfpmath=sse
TEXT

echo "$passed passed, $failed failed"
[ $failed = 0 ]
