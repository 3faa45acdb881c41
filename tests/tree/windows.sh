#!/bin/sh
# Installs a build for Windows, compares the functions of tyto.dll with those of its import library and the headers, and
# builds programs in C and C++ against them by CMake, with the DLL and the archive.  Then the command runs in a batch file of
# cmd.exe, as in a user's first hour.  BUILD: its folder (./dev windows).
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
project(consumer C CXX)
find_package(Tyto 0.1 REQUIRED)
add_executable(shared readme.c)
target_link_libraries(shared PRIVATE Tyto::tyto)
add_executable(static readme.c)
target_link_libraries(static PRIVATE Tyto::static -static)
add_executable(cplusplus cplusplus.cpp)
target_link_libraries(cplusplus PRIVATE Tyto::tyto -static)
set_target_properties(cplusplus PROPERTIES CXX_STANDARD 17)
END
cp "$SOURCE/examples/readme.c" "$SOURCE/examples/cplusplus.cpp" "$stage"
awk '/^```$/ { n++; next } n == 2' "$SOURCE/README.md" >"$stage/expected"
cmake -S "$stage" -B "$stage/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$SOURCE/cmake/windows.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_EXE_LINKER_FLAGS="-L$SOURCE/build/foreign/windows/lib" \
    -DTyto_DIR="$stage/installed/lib/cmake/Tyto" >"$stage/said" 2>&1 || { tail -n 20 "$stage/said"; exit 1; }
cmake --build "$stage/build" >"$stage/said" 2>&1 || { tail -n 20 "$stage/said"; exit 1; }
cp "$stage/installed/bin/tyto.dll" "$stage/build"
wine=${WINE:-/usr/lib/wine/wine64}
for program in shared static; do
    "$wine" "$stage/build/$program.exe" >"$stage/lines" 2>"$stage/errors" || say "$program fails"
    tr -d '\r' <"$stage/lines" >"$stage/printed"
    diff -u "$stage/expected" "$stage/printed" || say "$program prints something else"
done
"$wine" "$stage/build/cplusplus.exe" >"$stage/lines" 2>"$stage/errors" || say "the program in C++ fails: $(cat "$stage/errors")"

# ---- a first hour: a folder with blanks and other letters, as cmd.exe passes them; CRLF, a byte order mark ----
hour="$stage/Müller & Söhne"
mkdir "$hour"
cp "$stage/installed/bin/tyto.exe" "$hour"
printf '\357\273\277age;größe\r\n22;7,5\r\n38;71\r\n26;8\r\n' >"$hour/daten ö.csv"
tr '\n' '~' <<'END' | sed 's/~/\r\n/g' | iconv -f UTF-8 -t CP437 >"$hour/hour.bat"
@echo off
tyto.exe eval "1 + 2"
tyto.exe eval 2*3
tyto.exe eval '1 + 2'
tyto.exe eval "mean(x)" "x=daten ö.csv:age"
tyto.exe eval "mean(x)" x="daten ö.csv:größe"
type "daten ö.csv" | tyto.exe eval "sum(x)" x=-:age
tyto.exe eval "arange(3.)" -o "größe.npy"
tyto.exe eval "x + 1" "x=%CD%\größe.npy"
tyto.exe eval "x + 1" "x=\\?\%CD%\größe.npy" -o - --to csv | tyto.exe eval "sum(y)" y=-
tyto.exe eval "arange(3.)" -o aux.npy
if errorlevel 1 echo refused
tyto.exe eval "arange(3.)" -o "a?b.npy"
tyto.exe eval "1" > nul
tyto.exe help rate > rate.txt
END
cat >"$stage/expected" <<'END'
3
6
tyto: +: expected NAME=FILE; usage: tyto eval EXPRESSION [NAME=FILE]... [OPTION]...
  the shell has split the text in '...'; cmd.exe needs double quotes: "..."
28.666666666666668
28.833333333333332
86
[1. 2. 3.]
6.0
tyto: aux.npy: cannot be written: No such device
refused
tyto: a?b.npy: cannot be written: No such file or directory
END
(cd "$hour" && "$wine" cmd /c hour.bat) 2>&1 | tr -d '\r' | grep -v '^$' >"$stage/printed"
diff -u "$stage/expected" "$stage/printed" || say "the command prints something else in cmd.exe"
[ -s "$hour/rate.txt" ] || say "the command prints nothing to a file"
if grep -q '^TY_SPNG_LIBRARY:.*/' "$BUILD/CMakeCache.txt"; then # where libspng was found
    "$wine" "$hour/tyto.exe" plot "$hour/daten ö.csv" -o "$hour/bild ü.png" >"$stage/errors" 2>&1 || say "no PNG: $(cat "$stage/errors")"
    "$wine" "$hour/tyto.exe" info "$hour/bild ü.png" 2>&1 | grep -q 'png, 1 tensor' || say "the PNG is not read"
fi
[ $bad = 0 ] || exit 1
echo "windows: well, $(wc -l <"$stage/exported") functions"
