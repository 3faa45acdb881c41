#!/bin/sh
# Installs to a staging prefix, moves it, checks the installed files, and builds a small program against them: by
# pkg-config and CMake, shared and static, in C and C++.  Then checks other layouts, with a library of one function.
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
bad=0
say() { echo "install: $*"; bad=1; }
none() { [ -z "$2" ] || say "$1: $(printf '%s' "$2" | head -n 5)"; }
has() { grep -q "^$1:INTERNAL=1" "$BUILD/CMakeCache.txt"; } # features of the tools that CMake found

# Compile $1 by pkg-config with tyto.pc in $2; without --define-prefix, so that tyto.pc must find its own prefix.
consume() {
    export PKG_CONFIG_PATH="$2"
    eval "libdir=$(pkg-config --variable=libdir tyto)"
    eval "$CC -std=c99 -o '$stage/shared' '$1' $(pkg-config --cflags --libs tyto)"
    LD_LIBRARY_PATH=$libdir "$stage/shared" || say "$2: the shared program fails"
    TY_PROFILE=$stage/profile.json LD_LIBRARY_PATH=$libdir "$stage/shared" && grep -q '"calls": 1' "$stage/profile.json" ||
        say "$2: the shared program's profile is empty: its library takes the end of the process for dlclose"
    static=$(pkg-config --static --cflags --libs tyto)
    eval "$CC -std=c99 -o '$stage/static' '$1' $(echo "$static" | sed 's/-ltyto/-l:libtyto.a/')"
    "$stage/static" || say "$2: the static program fails"
    eval "$CC -std=c99 -static -o '$stage/whole' '$1' $static"
    "$stage/whole" || say "$2: the program with -static fails"
}

# ---- installed files ----
case $(pkg-config --version) in
0.*) prefix="$stage/second-place" ;; # before pkgconf, blanks in ${pcfiledir} were not quoted
*) prefix="$stage/second place" ;;
esac
cmake --install "$BUILD" --prefix "$stage/first" >/dev/null
mv "$stage/first" "$prefix"
lib=$(dirname "$(find "$prefix" -name libtyto.a)")
none "libtyto.a shows" "$(nm -g --defined-only "$lib/libtyto.a" | awk 'NF == 3 && $3 !~ /^ty_/ { print $3 }')"
[ "$(nm -g --defined-only "$lib/libtyto.a" | grep -c ' ty_')" -ge 400 ] || say "libtyto.a lacks functions"
version=$(sed -n 's/^Version: //p' "$lib/pkgconfig/tyto.pc")
nm -D --with-symbol-versions --defined-only "$lib/libtyto.so" | awk '{ print $3 }' >"$stage/shown"
none "libtyto.so shows" "$(grep -vE "^(ty_[a-z][a-z0-9_]*@@TYTO_[0-9.]*|ty__[a-z0-9_]*@@TYTO_PRIVATE_$version|TYTO_.*)\$" "$stage/shown")"
for file in "$lib/libtyto.so" "$lib/libtyto.a" "$prefix/bin/tyto"; do
    none "$file is not stripped" "$(readelf -SW "$file" | grep -E '] \.debug_' || true)"
done
none "symbols of libtyto.so" "$(readelf -SW "$lib/libtyto.so" | grep '\.symtab' || true)"
cmp -s "$SOURCE/docs/tyto.json" "$prefix/share/tyto/tyto.json" || say "share/tyto/tyto.json is not docs/tyto.json"
for file in man/man1/tyto.1 man/man1/tyto-train.1 bash-completion/completions/tyto zsh/site-functions/_tyto \
    fish/vendor_completions.d/tyto.fish; do
    [ ! -e "$prefix/bin/tyto" ] || [ -s "$prefix/share/$file" ] || say "share/$file is missing"
done
none "paths of this machine" "$(grep -rnE "[\"; (=]/[A-Za-z]|$BUILD|$SOURCE|$stage" "$lib/cmake" "$lib/pkgconfig" || true)"
echo "install: libtyto.so of $(wc -c <"$lib/libtyto.so") bytes"
# The command takes the library from the installed folder, and no private symbol is exported for nothing.
if [ -e "$prefix/bin/tyto" ] && readelf -dW "$prefix/bin/tyto" | grep -q 'NEEDED.*libtyto\.so'; then
    [ "$("$prefix/bin/tyto" eval 'sum(x*x)' 'x=[1,2,3]')" = 14 ] || say "the installed command does not run"
    nm -D --undefined-only "$prefix/bin/tyto" | sed -n 's/.* \(ty__[a-z0-9_]*\).*/\1/p' | sort -u >"$stage/used"
    none "private symbols that the command does not use" "$(sed -n 's/^\(ty__.*\)@@.*/\1/p' "$stage/shown" | sort | comm -23 - "$stage/used")"
fi
# With 3 instruction sets and without the archive: the library has 14.0 MB, the command 0.5 MB, man pages 0.3 MB, examples
# 0.3 MB, and the manual in HTML 9.9 MB at most, if it was built (manual.sh).  Headers have 1.2 MB, tyto.json 2.4 MB.
fits() { # WORDS MOST FILE...
    words=$1 most=$2
    shift 2
    size=$(find "$@" -type f ! -name libtyto.a -exec cat {} + | wc -c)
    echo "install: $words: $size bytes"
    [ "$size" -le "$most" ] || say "$words: $size bytes are installed (at most $most)"
}
if readelf -dW "$prefix/bin/tyto" 2>/dev/null | grep -q 'NEEDED.*libtyto\.so'; then
    most=15400000 # 25 MB less the manual in HTML, where it is not built (TY_MANUAL)
    [ -z "$(find "$prefix/share/doc" -name index.html)" ] || most=25000000
    fits "library, command and documents" "$most" "$lib" "$prefix/bin" "$prefix/share/man" "$prefix/share/doc"
    fits "headers and descriptions" 4000000 "$prefix/include" "$prefix/share/tyto"
fi
for file in "$lib/libtyto.so" "$prefix/bin/tyto"; do
    ! has TY_HAS_Z_now || readelf -dW "$file" | grep -q 'NOW' || say "$file: symbols are bound late"
    ! has TY_HAS_Z_relro || readelf -lW "$file" | grep -q 'GNU_RELRO' || say "$file: its tables stay writable"
    ! has TY_HAS_fstack_protector_strong || readelf --dyn-syms -W "$file" | grep -q '__stack_chk_fail' ||
        say "$file: the stack is not guarded"
done
# Check the archive: objects that the C library adds to a shared library may lack the property, and then the whole lacks it.
! has TY_HAS_fcf_protection || readelf -nW "$lib/libtyto.a" | grep -q 'IBT, SHSTK' || say "libtyto.a: no markers for jumps"
if grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD/CMakeCache.txt" && has TY_FORTIFY_IS_OURS; then
    readelf --dyn-syms -W "$lib/libtyto.so" | grep -q '_chk@' || say "libtyto.so: no checked functions"
fi

# A prefix may be relative to the current folder, as in the README.
(cd "$stage" && cmake --install "$BUILD" --prefix relative >/dev/null) || say "a relative prefix fails"
cmp -s "$stage/relative/${lib#"$prefix"/}/pkgconfig/tyto.pc" "$lib/pkgconfig/tyto.pc" || say "tyto.pc differs for a relative prefix"
rm -rf "$stage/relative"

# ---- a consumer ----
cat >"$stage/one.c" <<'C'
#include <tyto/tyto.h>
int main(void) {
    const int64_t shape[] = {2, 2};
    const int axes[] = {0, 1};
    ty_scope *s = ty_open();
    double sum = ty_item(ty_sum(ty_ones(TY_F64, 2, shape), ty_axes_of(2, axes, false)));
    ty_close(s);
    return sum == 4 ? 0 : 1;
}
C
consume "$stage/one.c" "$lib/pkgconfig"
# A program contains the members that it refers to.
printf '#include <tyto/tyto.h>\nint main(void) { return ty_version()[0] == 0; }\n' >"$stage/version.c"
eval "$CC -std=c99 -s -o '$stage/version' '$stage/version.c' $(echo "$static" | sed 's/-ltyto/-l:libtyto.a/')"
size=$(wc -c <"$stage/version")
[ "$size" -le 1000000 ] || say "a program that calls ty_version alone has $size bytes (at most 1000000)"
if command -v g++ >/dev/null; then
    cp "$stage/one.c" "$stage/one.cc"
    eval "g++ -std=c++11 -o '$stage/plus' '$stage/one.cc' $(pkg-config --cflags --libs tyto)"
    LD_LIBRARY_PATH=$lib "$stage/plus" || say "the program in C++ fails"
    printf '#include <tyto/tyto.hpp>\nint main() { return ty::sum(ty::ones<double>({2, 2}) * 3).item<int>() - 12; }\n' >"$stage/two.cc"
    eval "g++ -std=c++17 -o '$stage/plus' '$stage/two.cc' $(pkg-config --cflags --libs tyto)"
    LD_LIBRARY_PATH=$lib "$stage/plus" || say "the program with tyto.hpp fails"
fi
mkdir "$stage/consumer"
minor=$(pkg-config --modversion tyto | sed 's/\.[0-9]*$//')
cat >"$stage/consumer/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.21)
project(consumer C)
find_package(Tyto $minor REQUIRED)
add_executable(shared ../one.c)
target_link_libraries(shared Tyto::tyto)
add_executable(static ../one.c)
target_link_libraries(static Tyto::static)
C
cmake -G Ninja -S "$stage/consumer" -B "$stage/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$stage/consumer/build" >/dev/null
"$stage/consumer/build/shared" && "$stage/consumer/build/static" || say "a program of CMake fails"

# ---- other layouts ----
small=$SOURCE/tests/tree/small
printf '#include <tyto/one.h>\nint main(void) { return ty_one() - 1; }\n' >"$stage/two.c"
# NAME WHERE [OPTION ...]: install to prefix-NAME and move it; tyto.pc must be in WHERE afterwards.
layout() {
    name=$1 where=$2
    shift 2
    cmake -G Ninja -S "$small" -B "$stage/build-$name" "-DCMAKE_INSTALL_PREFIX=$stage/configured" "$@" >/dev/null
    cmake --build "$stage/build-$name" >/dev/null
    cmake --install "$stage/build-$name" --prefix "$stage/prefix-$name" >/dev/null
    # The list in the build folder, by which the README removes files, has all of them.
    { cat "$stage/build-$name/install_manifest.txt" && echo; } | sed '/^$/d' | sort >"$stage/listed"
    find "$stage/prefix-$name" "$(dirname "$where")" ! -type d 2>/dev/null | sort -u >"$stage/present"
    none "$name: installed files that install_manifest.txt lacks" "$(comm -13 "$stage/listed" "$stage/present")"
    mv "$stage/prefix-$name" "$stage/moved-$name"
    [ "$("$stage/moved-$name/bin/tyto")" = 1 ] || say "$name: the command does not find the library"
    consume "$stage/two.c" "$where/pkgconfig"
}
layout plain "$stage/moved-plain/lib" -DCMAKE_INSTALL_LIBDIR=lib
layout deep "$stage/moved-deep/lib/of/machine" -DCMAKE_INSTALL_LIBDIR=lib/of/machine -DCMAKE_INSTALL_INCLUDEDIR=include/of/one
layout inside "$stage/moved-inside/lib64" "-DCMAKE_INSTALL_LIBDIR=$stage/configured/lib64" "-DCMAKE_INSTALL_INCLUDEDIR=$stage/configured/inc"
layout outside "$stage/elsewhere/lib" "-DCMAKE_INSTALL_LIBDIR=$stage/elsewhere/lib" "-DCMAKE_INSTALL_INCLUDEDIR=$stage/elsewhere/include"
layout archive "$stage/moved-archive/lib" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF
[ ! -e "$stage/moved-archive/lib/libtyto.so" ] || say "the shared library is installed where the archive is asked for"
sed 's,\.\./one\.c,../two.c,; /static/d' "$stage/consumer/CMakeLists.txt" >"$stage/lists"
mkdir "$stage/archive" && mv "$stage/lists" "$stage/archive/CMakeLists.txt"
cmake -G Ninja -S "$stage/archive" -B "$stage/archive/build" -DCMAKE_PREFIX_PATH="$stage/moved-archive" >/dev/null
cmake --build "$stage/archive/build" >/dev/null && "$stage/archive/build/shared" || say "Tyto::tyto is not the archive"

# ---- Meson finds the installed library by pkg-config ----
if command -v meson >/dev/null; then
    mkdir "$stage/meson"
    cp "$stage/two.c" "$stage/meson"
    cat >"$stage/meson/meson.build" <<'M'
project('consumer', 'c')
executable('two', 'two.c', dependencies: dependency('tyto', version: '>=0.1'))
executable('fixed', 'two.c', dependencies: dependency('tyto', static: true))
M
    PKG_CONFIG_PATH=$stage/moved-plain/lib/pkgconfig meson setup "$stage/meson/build" "$stage/meson" >"$stage/said" 2>&1 &&
        ninja -C "$stage/meson/build" >>"$stage/said" 2>&1 || say "Meson: $(tail -n 5 "$stage/said")"
    "$stage/meson/build/two" && "$stage/meson/build/fixed" || say "a program of Meson fails"
fi
[ $bad = 0 ] && echo "install: well"
exit $bad
