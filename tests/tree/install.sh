#!/bin/sh
# Installs to a staging prefix and builds a small program against it: pkg-config and CMake, shared and
# static, C and C++.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
CC=${CC:-cc}
if grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
    echo "install: left out under sanitizers (the consumer is not instrumented)"
    exit 0
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$BUILD" --prefix "$stage/prefix" >/dev/null
pc=$(dirname "$(find "$stage/prefix" -name tyto.pc)")
export PKG_CONFIG_PATH="$pc" LD_LIBRARY_PATH="$(dirname "$pc")"

cat >"$stage/one.c" <<'C'
#include <tyto/tyto.h>
int main(void) {
    const int64_t shape[] = {2, 2};
    ty_scope *s = ty_open();
    double sum = ty_item(ty_sum(ty_ones(TY_F64, 2, shape), ty_axes_of(2, (const int[]){0, 1}, false)));
    ty_close(s);
    return sum == 4 ? 0 : 1;
}
C
sed -e 's/(const int\[\]){0, 1}/axes/' -e 's/^    ty_scope/    const int axes[] = {0, 1};\n    ty_scope/' "$stage/one.c" >"$stage/one.cc"

# shellcheck disable=SC2046
$CC -std=c99 -o "$stage/shared" "$stage/one.c" $(pkg-config --define-prefix --cflags --libs tyto)
"$stage/shared" && echo "install: pkg-config, shared"
lib=$(find "$stage/prefix" -name libtyto.a)
# shellcheck disable=SC2046
$CC -std=c99 -o "$stage/static" "$stage/one.c" -I"$stage/prefix/include" "$lib" $(pkg-config --define-prefix --static --libs tyto | sed 's/-ltyto//')
"$stage/static" && echo "install: pkg-config, static"
if command -v g++ >/dev/null; then
    # shellcheck disable=SC2046
    g++ -std=c++11 -o "$stage/plus" "$stage/one.cc" $(pkg-config --define-prefix --cflags --libs tyto)
    "$stage/plus" && echo "install: C++"
fi
mkdir "$stage/consumer"
cat >"$stage/consumer/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.18)
project(consumer C)
find_package(Tyto 0.1 REQUIRED)
add_executable(shared ../one.c)
target_link_libraries(shared Tyto::tyto)
add_executable(static ../one.c)
target_link_libraries(static Tyto::static)
C
cmake -G Ninja -S "$stage/consumer" -B "$stage/consumer/build" -DCMAKE_PREFIX_PATH="$stage/prefix" >/dev/null
cmake --build "$stage/consumer/build" >/dev/null
"$stage/consumer/build/shared" && "$stage/consumer/build/static" && echo "install: CMake, shared and static"
