#!/bin/sh
# Checks the recipes of packaging/, as far as their tools are installed; packaging/README.md says which checks need more.
# vcpkg's recipe runs with functions in the place of vcpkg's own (vcpkg.cmake) for a library of one function.  Projects of
# Meson (by the wrap) and CMake (FetchContent) that contain the tree are configured; WHOLE=1 builds and runs the former.
set -eu
SOURCE=$(cd "${SOURCE:-$(dirname "$0")/../..}" && pwd)
CC=${CC:-cc}
unset CMAKE_TOOLCHAIN_FILE
export CC
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
recipes=$SOURCE/packaging
bad=0
say() { echo "packaging: $*"; bad=1; }
has() { command -v "$1" >/dev/null || { echo "packaging: without $1, $2 is not checked"; false; }; }

# ---- syntax ----
! has ruby homebrew/tyto.rb || ruby -c "$recipes/homebrew/tyto.rb" >"$scratch/said" 2>&1 || say "$(cat "$scratch/said")"
! has nix-instantiate nixpkgs/package.nix ||
    nix-instantiate --parse "$recipes/nixpkgs/package.nix" >"$scratch/said" 2>&1 || say "$(cat "$scratch/said")"
! has python3 conan ||
    python3 -B - "$recipes"/conan/conanfile.py "$recipes"/conan/test_package/conanfile.py "$SOURCE/python/backend/tyto_build.py" <<'P' ||
import ast, sys
trees = [ast.parse(open(path).read(), path) for path in sys.argv[1:]]
def parts(tree, name):
    return next(ast.literal_eval(n.value) for n in tree.body
                if isinstance(n, ast.Assign) and n.targets[0].id == name)
lacking = {*parts(trees[2], "LIBRARY_PARTS"), "docs/tyto.json"} - {*parts(trees[0], "PARTS")}
sys.exit(f"conanfile.py exports no {sorted(lacking)}, which tyto_build.py packs" if lacking else 0)
P
    say "the recipe of Conan"

# ---- options that the recipes set ----
grep -rhoE '\bTY_[A-Z]+\b' "$recipes" --include='*.py' --include='*.cmake' --include='*.rb' --include='*.nix' --include='meson.build' |
    grep -vE '^TY_(VERSION|F64|SHAPE|ALL)$' | sort -u >"$scratch/options"
[ "$(wc -l <"$scratch/options")" -ge 6 ] || say "the recipes set $(wc -l <"$scratch/options") options, not all"
while read -r option; do
    grep -rq "^option($option " "$SOURCE/CMakeLists.txt" "$SOURCE/cmake" || say "a recipe sets $option, which is no option"
done <"$scratch/options"

# ---- Debian: the manual is built whenever its package is, which the profile decides, not the option ----
if has make debian/rules; then
    for pair in DEB_BUILD_OPTIONS=nodoc:ON DEB_BUILD_PROFILES=nodoc:OFF; do
        env "${pair%:*}" make -n -f "$SOURCE/debian/rules" override_dh_auto_configure >"$scratch/said"
        grep -q -- "-DTY_MANUAL=${pair#*:}\$" "$scratch/said" || say "debian/rules: ${pair%:*} does not give TY_MANUAL=${pair#*:}"
    done
fi

# ---- Debian: a library with packed relocations needs a loader that reads them ----
# debian/rules runs in a folder with a library and the dependencies that dpkg-shlibdeps finds in its symbols.
found='libc6 (>= 2.34), zlib1g (>= 1:1.1.4)'
depends() { # RELOCATIONS EXPECTED
    folder=$scratch/debian/libtyto0.1
    mkdir -p "$folder/usr/lib" "$scratch/tools"
    echo 'char at[2], *places[] = {at, at + 1};' >"$scratch/places.c"
    $CC -shared -fPIC "-Wl,--fatal-warnings,-z,$1" -o "$folder/usr/lib/libtyto.so.0.1.0" "$scratch/places.c" 2>"$scratch/said" || {
        echo "packaging: the linker has no -z $1, so the dependency on libc6 is not checked"
        return 0
    }
    echo "shlibs:Depends=$found" >"$folder.substvars"
    printf '#!/bin/sh\n' >"$scratch/tools/dh_shlibdeps"
    chmod +x "$scratch/tools/dh_shlibdeps"
    (cd "$scratch" && PATH="$scratch/tools:$PATH" make -s -f "$SOURCE/debian/rules" override_dh_shlibdeps) >"$scratch/said" 2>&1 ||
        say "debian/rules: $(cat "$scratch/said")"
    grep -qxF "shlibs:Depends=$2" "$folder.substvars" || say "debian/rules: -z $1 gives '$(cat "$folder.substvars")', not '$2'"
}
if has make debian/rules && has readelf "the dependency of Debian's package on libc6"; then
    depends pack-relative-relocs "$found, libc6 (>= 2.36)"
    depends nopack-relative-relocs "$found"
fi

# ---- vcpkg ----
for shared in ON OFF; do
    for features in 'jpeg;png;tools;zlib' opencl; do
        cmake "-DSMALL=$SOURCE/tests/tree/small" "-DROOM=$scratch/vcpkg" "-DFEATURES=$features" -DSHARED=$shared \
            -P "$SOURCE/tests/tree/vcpkg.cmake" >"$scratch/said" 2>&1 || say "$shared, $features: $(tail -n 5 "$scratch/said")"
    done
done

# ---- Conan: the parts of the tree that its recipe exports have all that is configured and installed ----
parts=$(sed -n '/^PARTS = (/,/^)/s/^ *"\(.*\)",/\1/p' "$recipes/conan/conanfile.py")
# shellcheck disable=SC2086
(cd "$SOURCE" && cmake -E tar czf "$scratch/tyto.tar.gz" $parts)
mkdir "$scratch/exported"
(cd "$scratch/exported" && cmake -E tar xzf "$scratch/tyto.tar.gz")
cmake -G Ninja -S "$scratch/exported" -B "$scratch/conan" -DBUILD_TESTING=OFF -DTY_COMMAND=OFF >"$scratch/said" 2>&1 ||
    say "Conan: $(tail -n 5 "$scratch/said")"
grep -o "\"$scratch/exported/[^\"]*\"" "$scratch/conan/cmake_install.cmake" | tr -d '"' >"$scratch/installed"
grep -q '/docs/tyto\.json$' "$scratch/installed" || say "Conan: no file of the sources is installed"
while read -r file; do
    [ -e "$file" ] || say "conanfile.py does not export ${file##*/cmake/../}, which is installed"
done <"$scratch/installed"

# ---- FetchContent ----
mkdir "$scratch/fetch"
cat >"$scratch/fetch/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.21)
project(outer C)
include(FetchContent)
FetchContent_Declare(tyto URL "file://$scratch/tyto.tar.gz")
FetchContent_MakeAvailable(tyto)
add_executable(outer outer.c)
target_link_libraries(outer Tyto::tyto)
C
cp "$SOURCE/examples/readme.c" "$scratch/fetch/outer.c"
if cmake -G Ninja -S "$scratch/fetch" -B "$scratch/fetch/build" >"$scratch/said" 2>&1; then
    ninja -C "$scratch/fetch/build" -t commands outer >"$scratch/said"
    grep -q '_deps/tyto-build/libtyto\.a' "$scratch/said" || say "FetchContent: the program is not linked with libtyto.a"
else
    say "FetchContent: $(tail -n 5 "$scratch/said")"
fi

# ---- Meson, with the wrap ----
if has meson meson; then
    tree=$scratch/meson/subprojects/$(sed -n 's/^directory = //p' "$recipes/meson/tyto.wrap")
    mkdir -p "$tree/docs"
    cp "$recipes/meson/tyto.wrap" "$scratch/meson/subprojects"
    for part in $parts; do ln -s "$SOURCE/$part" "$tree/$part"; done
    cp "$recipes/meson/packagefiles/tyto"/* "$tree"
    cp "$SOURCE/examples/readme.c" "$scratch/meson"
    cat >"$scratch/meson/meson.build" <<'M'
project('consumer', 'c')
executable('first', 'readme.c', dependencies: dependency('tyto'))
M
    # A compiler may have options of its own.
    if CC="$CC -DTY_WORD_OF_TEST" PKG_CONFIG_PATH='' meson setup --wrap-mode=forcefallback "$scratch/meson/build" "$scratch/meson" >"$scratch/said" 2>&1; then
        ninja -C "$scratch/meson/build" -t commands first >"$scratch/said"
        grep -q -- '--target tyto_static' "$scratch/said" || say "Meson: the archive is not built"
        ninja -C "$scratch/meson/build/subprojects/${tree##*/}/cmake" -t commands tyto_static >"$scratch/archive"
        grep -q -- '-DTY_WORD_OF_TEST .*/version\.c$' "$scratch/archive" || say "Meson: the archive is not compiled as the program is"
        grep -q 'subprojects/[^ ]*/libtyto\.a' "$scratch/said" || say "Meson: the program is not linked with libtyto.a"
        [ -z "${WHOLE:-}" ] || { ninja -C "$scratch/meson/build" first >"$scratch/said" 2>&1 && "$scratch/meson/build/first"; } ||
            say "Meson: $(tail -n 5 "$scratch/said")"
    else
        say "Meson: $(tail -n 5 "$scratch/said")"
    fi
    # the same with the library of one function, which is built
    rm -r "$tree" "$scratch/meson/build"
    cp -R "$SOURCE/tests/tree/small" "$tree"
    sed -i "s,\${CMAKE_CURRENT_LIST_DIR}/\.\./\.\./\.\.,$SOURCE," "$tree/CMakeLists.txt"
    cp "$recipes/meson/packagefiles/tyto"/* "$tree"
    printf '#include <tyto/one.h>\nint main(void) { return ty_one() - 1; }\n' >"$scratch/meson/readme.c"
    { meson setup --wrap-mode=forcefallback "$scratch/meson/build" "$scratch/meson" && ninja -C "$scratch/meson/build" first; } \
        >"$scratch/said" 2>&1 && "$scratch/meson/build/first" || say "Meson, a small library: $(tail -n 5 "$scratch/said")"
fi
[ $bad = 0 ] && echo "packaging: well"
exit $bad
