#!/bin/sh
# Checks builds by CMake.  As a part of another project the tree builds the library only, shared or static by
# BUILD_SHARED_LIBS, without warnings under that project's flags.  Objects do not depend on the folder they are
# compiled in.  Compilers that round arithmetic twice are refused.  WHOLE=1 checks all units for warnings, where each
# eighth is checked otherwise.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
CC=${CC:-cc}
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_TOOLCHAIN_FILE # a compiler cache would make all objects equal
export CC CCACHE_DISABLE=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
say() { echo "configure: $*"; bad=1; }

# ---- a part of another project ----
mkdir "$scratch/outer"
cat >"$scratch/outer/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.21)
project(outer C)
include(CTest)
add_subdirectory("\${TYTO}" tyto)
add_executable(outer one.c)
target_link_libraries(outer Tyto::tyto)
C
echo 'int main(void) { return 0; }' >"$scratch/outer/one.c"
# configure NAME TREE [OPTION ...]: configure TREE in $scratch/NAME.
configure() {
    name=$1 tree=$2
    shift 2
    cmake -G Ninja -S "$scratch/outer" -B "$scratch/$name" -DTYTO="$tree" "$@" >"$scratch/said" 2>&1 ||
        say "$name: $(tail -n 5 "$scratch/said")"
}
# NAME WANTED UNWANTED: check that a full build makes the library WANTED and not UNWANTED.
makes() {
    ninja -C "$scratch/$1" -t commands all >"$scratch/said"
    grep -q " $2 " "$scratch/said" || say "$1: $2 is not made"
    ! grep -q " $3 " "$scratch/said" || say "$1: $3 is made"
    others=$(grep -oE ' -o [^ ]*(tests|bench|examples|tools)[/_][^ ]*' "$scratch/said" | head -n 2)
    [ -z "$others" ] || say "$1: there is$others"
}
configure static "$SOURCE"
makes static tyto/libtyto.a tyto/libtyto.so.[0-9.]*
configure shared "$SOURCE" -DBUILD_SHARED_LIBS=ON
makes shared tyto/libtyto.so.[0-9.]* tyto/libtyto.a

# ---- a parent project with warnings as errors, by each installed compiler ----
jobs=$(nproc 2>/dev/null || echo 2)
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    configure strict_$compiler "$SOURCE" -DCMAKE_C_COMPILER=$compiler "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror"
    # the compile commands of all objects, changed to check syntax only
    ninja -C "$scratch/strict_$compiler" -t commands tyto/libtyto.a |
        sed -n 's/ -MD -MT [^ ]* -MF [^ ]*//; s/ -o [^ ]*\.o -c / -fsyntax-only /p' >"$scratch/units"
    [ "$(wc -l <"$scratch/units")" -gt 500 ] || say "$compiler: $(wc -l <"$scratch/units") units are not all"
    [ -n "${WHOLE:-}" ] || { awk 'NR % 8 == 1' "$scratch/units" >"$scratch/some" && mv "$scratch/some" "$scratch/units"; }
    (cd "$scratch/strict_$compiler" && tr '\n' '\0' <"$scratch/units" | xargs -0 -P "$jobs" -n 1 sh -c) >"$scratch/said" 2>&1 ||
        say "$compiler with -Wall -Wextra -Wpedantic -Werror: $(grep -m 3 -E 'error' "$scratch/said")"
done

# ---- objects from two folders are equal, including debug information ----
for place in here there/and/further; do
    object=tyto/CMakeFiles/tyto_objects.dir/src/array/dtype.c.o
    mkdir -p "$scratch/$place"
    cp -R "$SOURCE/CMakeLists.txt" "$SOURCE/cmake" "$SOURCE/include" "$SOURCE/src" "$scratch/$place"
    configure "$place/build" "$scratch/$place"
    ninja -C "$scratch/$place/build" $object >"$scratch/said" 2>&1 || say "$(tail -n 5 "$scratch/said")"
done
cmp "$scratch/here/build/$object" "$scratch/there/and/further/build/$object" ||
    say "an object tells where it was compiled"

# ---- refused compilers ----
if $CC -mfpmath=387 -E -x c /dev/null >/dev/null 2>&1; then # GCC for x86
    ! $CC -mfpmath=387 -I"$SOURCE/include" -I"$SOURCE/src" -fsyntax-only "$SOURCE/src/array/dtype.c" 2>"$scratch/said" ||
        say "arithmetic of x87 is not refused"
    grep -q 'compile with -msse2 -mfpmath=sse' "$scratch/said" || say "arithmetic of x87 is refused without advice"
fi
[ $bad = 1 ] || echo "configure: well"
exit $bad
