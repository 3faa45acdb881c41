#!/bin/sh
# Checks that the headers, the library, its name, its symbols, its packages and the recipes of others' packages state one
# version, and that TY_DEPRECATED warns.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
CC=${CC:-cc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
same() { [ "$2" = "$3" ] || { echo "version: $1 is $2, not $3"; bad=1; }; }

printf '#include <tyto/version.h>\nTY_VERSION_MAJOR.TY_VERSION_MINOR.TY_VERSION_PATCH\n' >"$scratch/version.c"
version=$($CC -E -P -I"$SOURCE/include" "$scratch/version.c" | tr -d ' ')
case $version in
0.*) soname=${version%.*} ;;
*) soname=${version%%.*} ;;
esac
same "the version of TytoConfigVersion.cmake" "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$BUILD/TytoConfigVersion.cmake")" "$version"
same "the version of tyto.pc" "$(sed -n 's/^Version: //p' "$BUILD/installed.cmake")" "$version"
same "the version of CMake's project" "$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$BUILD/CMakeCache.txt")" "$version"
if [ -e "$BUILD/libtyto.so" ]; then
    same "the file of the library" "$(basename "$(readlink -f "$BUILD/libtyto.so")")" "libtyto.so.$version"
    same "the name of the library" "$(readelf -dW "$BUILD/libtyto.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" "libtyto.so.$soname"
    same "the version of symbols" "$(nm -D --with-symbol-versions "$BUILD/libtyto.so" | sed -n 's/.* ty_version@@//p')" "TYTO_$soname"
fi

# ---- packages ----
debian=$SOURCE/debian recipes=$SOURCE/packaging
same "debian/changelog" "$(sed -n '1s/^tyto (\([0-9.]*\).*) .*/\1/p' "$debian/changelog")" "$version"
for file in "$debian/libtyto$soname.install" "$debian/libtyto$soname.symbols"; do
    [ -e "$file" ] || { echo "version: ${file#"$SOURCE/"} is missing: the package has the name of the library"; bad=1; }
done
same "the packages of libtyto in debian/control" "$(sed -n 's/^Package: libtyto\([0-9].*\)/\1/p' "$debian/control")" "$soname"
# Programs need at least the version that they were built with, and the command needs it exactly.
same "debian/libtyto$soname.symbols" "$(grep -v '^\*' "$debian/libtyto$soname.symbols" | tr -s '\n' ' ')" \
    "libtyto.so.$soname libtyto$soname #MINVER# (symver)TYTO_$soname $version (symver)TYTO_PRIVATE_$version $version "
same "vcpkg.json" "$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$recipes/vcpkg/vcpkg.json")" "$version"
same "tyto.rb" "$(sed -n 's/^  url ".*tyto-\(.*\)\.tar\.gz"/\1/p' "$recipes/homebrew/tyto.rb")" "$version"
same "package.nix" "$(sed -n 's/^  version = "\(.*\)";/\1/p' "$recipes/nixpkgs/package.nix")" "$version"
same "tyto.wrap" "$(sed -n 's/.*tyto-\([0-9.]*[0-9]\).*/\1/p' "$recipes/meson/tyto.wrap" | sort -u)" "$version"
same "the overlay of tyto.wrap" "$(sed -n "s/^project('tyto', 'c', version: '\([^']*\)'.*/\1/p" "$recipes/meson/packagefiles/tyto/meson.build")" "$version"
grep -q "^## \(\[\?Unreleased\|\[\?$version\)" "$SOURCE/CHANGELOG.md" || { echo "version: CHANGELOG.md has no section for $version"; bad=1; }

cat >"$scratch/old.c" <<'C'
#include <tyto/version.h>
TY_DEPRECATED("call ty_new") int ty_old(void);
int main(void) { return ty_old(); }
C
for compiler in $CC g++; do
    command -v $compiler >/dev/null || continue
    $compiler -I"$SOURCE/include" -fsyntax-only "$scratch/old.c" 2>"$scratch/said" || { echo "version: $compiler refuses TY_DEPRECATED"; bad=1; }
    grep -q 'call ty_new' "$scratch/said" || { echo "version: $compiler does not warn of deprecated functions"; bad=1; }
    $compiler -DTY_NO_DEPRECATED -Werror -I"$SOURCE/include" -fsyntax-only "$scratch/old.c" || { echo "version: TY_NO_DEPRECATED does not silence"; bad=1; }
done
[ $bad = 1 ] || echo "version: $version, well"
exit $bad
