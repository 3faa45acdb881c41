#!/bin/sh
# Installs the package of Python by pip into a new environment, as users do, with the library of this build (TYTO_PREFIX):
# without network, as a wheel, and in place.  Checks the wheel and the source archive, and the sentences for missing tools.
# Then lets the extension refer to the installed library, which CMake or pkg-config finds (TYTO_USE_INSTALLED).
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=$(cd "${BUILD:-$SOURCE/build/release}" && pwd)
skip() { echo "python_install: left out: $*"; exit 0; }
command -v python3 >/dev/null || skip "python3 is not installed"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
bad=0
say() { echo "python_install: $*"; bad=1; }
has() { grep -q "^$1:INTERNAL=1" "$BUILD/CMakeCache.txt"; } # features of the tools that CMake found

# A copy of the package without what builds left there.
(cd "$SOURCE" && find python -type f ! -name '*.so' ! -name '*.pyc' | cpio -pdm --quiet "$stage" 2>/dev/null) ||
    cp -r "$SOURCE/python" "$stage/python"
rm -f "$stage"/python/tyto/*.so
for part in include src cmake docs CMakeLists.txt CMakePresets.json LICENSE README.md; do ln -s "$SOURCE/$part" "$stage/$part"; done
hook() { (cd "$stage/python" && PYTHONPATH=backend python3 -B -c "import tyto_build; $*"); }
hook "import facts, sys; sys.exit(not facts.has_headers() or sys.version_info < (3, 9))" || skip "Python.h or Python 3.9 is missing"
python3 -m venv "$stage/venv" >/dev/null 2>&1 || skip "python3 has no venv (Debian: python3-venv)"
pip="$stage/venv/bin/pip --disable-pip-version-check -q"
python=$stage/venv/bin/python

# ---- missing tools ----
mkdir "$stage/empty" "$stage/few"
python3=$(python3 -c 'import sys; print(sys.executable)')
refuses() { # PATH WORDS
    said=$(cd "$stage/python" && PATH="$1" PYTHONPATH=backend CC='' "$python3" -B -c 'import tyto_build; tyto_build.check_tools()' 2>&1) &&
        say "no error where $2 is missing"
    case $said in *"$2"*) ;; *) say "'$said' does not name $2" ;; esac
    case $said in *Traceback*) say "a traceback where $2 is missing" ;; esac
}
refuses "$stage/empty" "apt-get install cmake gcc libc6-dev ninja-build)" # all at once
ln -s "$(command -v cmake)" "$stage/few/cmake"
refuses "$stage/few" "apt-get install gcc"
ln -s "$(command -v cc)" "$stage/few/cc"
refuses "$stage/few" "apt-get install ninja-build"

# ---- the source archive ----
hook "tyto_build.build_sdist('$stage')" || say "no source archive"
tar -tzf "$stage"/tyto-*.tar.gz >"$stage/list"
for file in pyproject.toml PKG-INFO tyto/__init__.py src/array.c library/CMakeLists.txt library/src/array/tensor.h \
    library/include/tyto/tyto.h library/docs/tyto.json library/LICENSE; do
    grep -q "^tyto-[^/]*/$file\$" "$stage/list" || say "the source archive lacks $file"
done
! grep -E '\.(so|pyc|o)$' "$stage/list" || say "the source archive has files of a build"

# ---- pip ----
cmake --install "$BUILD" --prefix "$stage/prefix" >/dev/null
export TYTO_PREFIX="$stage/prefix"
$pip wheel --no-index -w "$stage/wheels" "$stage/python" || say "pip wheel fails"
wheel=$(ls "$stage"/wheels/tyto-*.whl)
[ "$(wc -c <"$wheel")" -le 10485760 ] || say "$wheel has more than 10 MB"
hardened() { # WHEEL: the extension has the options of cmake/Hardening.cmake that the library has
    rm -rf "$stage/unpacked"
    python3 -m zipfile -e "$1" "$stage/unpacked"
    file=$(find "$stage/unpacked" -name '_core*.so')
    ! has TY_HAS_Z_now || readelf -dW "$file" | grep -q NOW || say "$1: symbols are bound late"
    ! has TY_HAS_Z_relro || readelf -lW "$file" | grep -q GNU_RELRO || say "$1: its tables stay writable"
    ! has TY_HAS_fstack_protector_strong || readelf --dyn-syms -W "$file" | grep -q __stack_chk_fail || say "$1: the stack is not guarded"
    ! has TY_FORTIFY_IS_OURS || readelf --dyn-syms -W "$file" | grep -q '_chk@' || say "$1: no checked functions"
}
hardened "$wheel"
$pip install --no-index "$wheel" || say "pip install of the wheel fails"
try='import tyto, sys; x = tyto.asarray([1.0, 2.0]); x[0] = 3; assert repr(x + 1) == "Array([4., 3.])", x; print(tyto.__file__)'
at=$(cd "$stage" && $python -c "$try") || say "the installed package fails"
case $at in "$stage"/venv/*) ;; *) say "the package was imported from $at" ;; esac
(cd "$stage" && $python - <<'TEXT') || say "the installed files differ from the record"
import base64, hashlib, importlib.metadata as m
d = m.distribution("tyto")
assert d.metadata["Name"] == "tyto" and d.metadata["Requires-Python"] == ">=3.9", d.metadata
for f in d.files:
    if f.hash and f.suffix != ".pyc":
        digest = base64.urlsafe_b64encode(hashlib.sha256(f.read_binary()).digest()).rstrip(b"=").decode()
        assert f.hash.value == digest, f
TEXT
$pip uninstall -y tyto
$pip install --no-index -e "$stage/python" || say "pip install -e fails"
at=$(cd "$stage" && $python -c "$try") || say "the package in place fails"
[ "$at" = "$stage/python/tyto/__init__.py" ] || say "in place, the package was imported from $at"
$pip uninstall -y tyto

# ---- an extension that refers to the installed library ----
unset TYTO_PREFIX
refers() { # NAME VARIABLE=VALUE... [-- OPTION...]: build a wheel, and check the library that its extension loads
    name=$1
    shift
    environment=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do environment="$environment $1" && shift; done
    [ $# = 0 ] || shift
    # shellcheck disable=SC2086
    env $environment $pip wheel --no-index "$@" -w "$stage/$name" "$stage/python" >"$stage/said" 2>&1 || {
        say "$name: pip wheel fails: $(tail -n 5 "$stage/said")"
        return
    }
    wheel=$(ls "$stage/$name"/tyto-*.whl)
    [ "$(wc -c <"$wheel")" -le 2097152 ] || say "$name: $wheel has more than 2 MB: it holds the library"
    hardened "$wheel"
    $pip install --no-index "$wheel"
    loaded=$(cd "$stage" && $python -c "$try
print(*{l.split()[-1] for l in open('/proc/self/maps') if 'libtyto.so' in l})" | tail -n 1)
    case $loaded in "$stage"/prefix/*) ;; *) say "$name: the extension loads '$loaded'" ;; esac
    $pip uninstall -y tyto
}
if library=$(find "$stage/prefix" -name libtyto.so) && [ "$library" ]; then
    refers cmake TYTO_USE_INSTALLED=1 "CMAKE_PREFIX_PATH=$stage/prefix"
    refers prefix TYTO_USE_INSTALLED=1 "TYTO_PREFIX=$stage/prefix"
    rm -r "${library%/*}/cmake"
    refers pkgconfig "PKG_CONFIG_PATH=${library%/*}/pkgconfig" -- --config-settings use-installed=1
fi
fails() { # WORDS VARIABLE=VALUE...
    words=$1
    shift
    ! env "$@" $pip wheel --no-index -v -w "$stage/none" "$stage/python" >"$stage/said" 2>&1 || say "no error: $words"
    tr -s ' \n' ' ' <"$stage/said" | grep -qF "$words" || say "'$(tail -n 3 "$stage/said")' does not say: $words"
}
fails "Neither CMake nor pkg-config finds an installed library Tyto of version" TYTO_USE_INSTALLED=1 PKG_CONFIG_LIBDIR=/nonexistent
fails "TYTO_USE_INSTALLED is 'yes'; expected 1 to use an installed library, or 0 to build it" TYTO_USE_INSTALLED=yes
[ $bad = 0 ] && echo "python_install: well"
exit $bad
