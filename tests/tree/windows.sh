#!/bin/sh
# Installs a build for Windows, compares the functions of tyto.dll with those of its import library and the headers, and
# builds a small program against them by CMake, with the DLL and the archive.  BUILD: its folder (./dev windows).
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/windows}
if [ ! -e "$BUILD/tyto.dll" ]; then
    echo "windows: left out: this build is not for Windows"
    exit 0
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
bad=0
say() { echo "windows: $*"; bad=1; }
cmake --install "$BUILD" --prefix "$stage/installed" >/dev/null

# ---- functions ----
tools=x86_64-w64-mingw32
$tools-objdump -p "$stage/installed/bin/tyto.dll" | awk '/Name Pointer\] Table/ { on = 1 } on && /\[ *[0-9]+\] / { print $NF }' |
    sort >"$stage/exported"
$tools-nm "$stage/installed/lib/libtyto.dll.a" 2>/dev/null | sed -n 's/.* I __imp_//p' | sort >"$stage/imported"
diff "$stage/exported" "$stage/imported" >"$stage/said" ||
    say "the import library is not that of tyto.dll: $(head -n 3 "$stage/said")"
[ "$(grep -c '^ty_[a-z]' "$stage/exported")" -ge 400 ] || say "tyto.dll lacks functions"
others=$(grep -v '^ty_[a-z]' "$stage/exported" | head -n 5)
[ -z "$others" ] || say "tyto.dll exports $others"
imports=$($tools-objdump -p "$stage/installed/bin/tyto.dll" | sed -n 's/.*DLL Name: //p' |
    grep -viE '^(kernel32|msvcrt|ntdll)\.dll$' || true)
[ -z "$imports" ] || say "tyto.dll needs $imports"

# ---- a program of others ----
cat >"$stage/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(Tyto 0.1 REQUIRED)
add_executable(shared readme.c)
target_link_libraries(shared PRIVATE Tyto::tyto)
add_executable(static readme.c)
target_link_libraries(static PRIVATE Tyto::static -static)
END
cp "$SOURCE/examples/readme.c" "$stage"
awk '/^```$/ { n++; next } n == 2' "$SOURCE/README.md" >"$stage/expected"
cmake -S "$stage" -B "$stage/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$SOURCE/cmake/windows.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DTyto_DIR="$stage/installed/lib/cmake/Tyto" >"$stage/said" 2>&1 || { tail -n 20 "$stage/said"; exit 1; }
cmake --build "$stage/build" >"$stage/said" 2>&1 || { tail -n 20 "$stage/said"; exit 1; }
cp "$stage/installed/bin/tyto.dll" "$stage/build"
for program in shared static; do
    "${WINE:-/usr/lib/wine/wine64}" "$stage/build/$program.exe" >"$stage/lines" 2>"$stage/errors" || say "$program fails"
    tr -d '\r' <"$stage/lines" >"$stage/printed"
    diff -u "$stage/expected" "$stage/printed" || say "$program prints something else"
done
[ $bad = 0 ] || exit 1
echo "windows: well, $(wc -l <"$stage/exported") functions"
