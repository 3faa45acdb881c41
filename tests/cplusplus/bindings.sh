#!/bin/sh
# Compiles the tests of <tyto/tyto.hpp> by g++ and clang++ as C++17 and C++20, without a warning, and runs them; under
# sanitizers by the compiler of the build.  Also compiles without exceptions and without RTTI, runs the examples in C++,
# and checks that elements without a dtype do not compile.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
sanitize=$(sed -n 's/^TY_SANITIZE:STRING=\(.\)/\1/p' "$BUILD/CMakeCache.txt")
compilers="g++ clang++" standards="17 20" options=-O1
if [ -n "$sanitize" ]; then
    case ${CC:-cc} in *clang*) compilers=clang++ ;; *) compilers=g++ ;; esac
    standards=17 options="-O1 -g -fsanitize=$sanitize -fno-sanitize-recover=all"
fi
[ -e "$BUILD/libtyto.so" ] || { echo "bindings: $BUILD has no libtyto.so: left out"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0 tried=0
say() { echo "bindings: $*"; bad=1; }

# Compile and run tests/cplusplus/$1.cc by $2 as C++$3, with the options behind; -fsyntax-only: look for warnings alone.
run() {
    name=$1 compiler=$2 standard=$3
    shift 3
    tried=$((tried + 1))
    # shellcheck disable=SC2086
    "$compiler" -std=c++"$standard" $options -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror "$@" \
        -I"$SOURCE/include" -o "$scratch/$name" "$SOURCE/tests/cplusplus/$name.cc" -L"$BUILD" -ltyto -pthread \
        -Wl,-rpath,"$BUILD" >"$scratch/said" 2>&1 || {
        say "$name by $compiler as C++$standard $*: $(grep -m 3 -E 'error|undefined' "$scratch/said")"
        return 0
    }
    case " $* " in *" -fsyntax-only "*) return 0 ;; esac
    "$scratch/$name" >"$scratch/said" 2>&1 || say "$name by $compiler as C++$standard $* fails: $(head -n 20 "$scratch/said")"
}
awk -f "$SOURCE/tests/cplusplus/every.awk" "$SOURCE/include/tyto/cplusplus/functions.hpp" >"$scratch/every.def"
[ "$(wc -l <"$scratch/every.def")" -ge 500 ] || say "every.awk finds few functions"
first=1
for compiler in $compilers; do
    command -v "$compiler" >/dev/null || continue
    for standard in $standards; do
        run tensors "$compiler" "$standard"
        only= # callbacks.cc has no code of its own for C++20
        [ "$standard" = 17 ] || only="-fsyntax-only -Wno-unused-command-line-argument"
        # shellcheck disable=SC2086
        run callbacks "$compiler" "$standard" $only
        run formats "$compiler" "$standard"
        [ -n "$sanitize" ] || options=-O0 # the first compiler's optimiser has looked for warnings
    done
    [ $first = 0 ] || run every "$compiler" 17 -O0 "-I$scratch" # takes long to compile
    first=0
    run quiet "$compiler" 17 -fno-exceptions -fno-rtti
    run quiet "$compiler" 17 -DTY_NO_EXCEPTIONS
    run callbacks "$compiler" 17 -fno-rtti
    # the headers alone, with warnings that some projects turn on
    case $compiler in clang*) strict="-Wdocumentation" ;; *) strict="-Weffc++ -Wuseless-cast" ;; esac
    printf '#include <tyto/format.hpp>\n#include <tyto/tyto.hpp>\n' >"$scratch/one.cc"
    for standard in 17 20; do
        # shellcheck disable=SC2086
        "$compiler" -std=c++$standard -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual -Wzero-as-null-pointer-constant \
            $strict -Werror -I"$SOURCE/include" -fsyntax-only "$scratch/one.cc" >"$scratch/said" 2>&1 ||
            say "$compiler as C++$standard warns: $(grep -m 3 error "$scratch/said")"
    done
    # and what programs instantiate.  Polymorphic errors, thread-local exceptions and the order of members stay.
    case $compiler in
    clang*) strict="-Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-padded -Wno-weak-vtables
        -Wno-global-constructors -Wno-exit-time-destructors -Wno-unknown-warning-option -Wno-unsafe-buffer-usage" ;;
    *) strict="-Wall -Wextra -Weffc++ -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wuseless-cast
        -Wcast-qual -Wswitch-enum -Wzero-as-null-pointer-constant -Wdouble-promotion -Wfloat-equal" ;;
    esac
    for name in callbacks tensors; do
        for standard in $standards; do
            # shellcheck disable=SC2086
            "$compiler" -std=c++$standard $strict -I"$SOURCE/include" -fsyntax-only \
                "$SOURCE/tests/cplusplus/$name.cc" >"$scratch/said" 2>&1 || say "$compiler refuses $name"
            grep -E '^[^ ]*/include/tyto/[^ ]*: warning' "$scratch/said" >"$scratch/warned" &&
                say "$compiler as C++$standard warns in $name: $(head -n 3 "$scratch/warned")"
        done
    done
    for standard in 11 14; do # one sentence, not hundreds of errors
        "$compiler" -std=c++$standard -I"$SOURCE/include" -fsyntax-only "$scratch/one.cc" >"$scratch/said" 2>&1 &&
            say "$compiler compiles tyto.hpp as C++$standard"
        [ "$(grep -c 'error:' "$scratch/said")" = 1 ] && grep -q 'needs C++17: compile with' "$scratch/said" ||
            say "$compiler as C++$standard says: $(grep -m 3 'error' "$scratch/said")"
    done
done
# Fail unless the statement $1 is refused with the words $2.
refused() {
    printf '#include <tyto/tyto.hpp>\n#include <string>\n#include <vector>\nvoid f() { %s; }\n' "$1" >"$scratch/one.cc"
    if "$compiler" -std=c++17 -I"$SOURCE/include" -fsyntax-only "$scratch/one.cc" >"$scratch/said" 2>&1; then
        say "$compiler compiles: $1"
    else
        grep -q "$2" "$scratch/said" || say "$compiler refuses '$1' with other words: $(head -n 3 "$scratch/said")"
    fi
}
set -- $compilers
compiler=$1
if [ -z "$sanitize" ] && command -v "$compiler" >/dev/null; then
    case $compiler in clang*) strict= ;; *) strict=-Wuseless-cast ;; esac # docs/cplusplus.md names the warnings
    for example in "$SOURCE"/examples/*.cpp; do
        # shellcheck disable=SC2086
        "$compiler" -std=c++17 -O1 -Wall -Wextra -Wconversion -Wshadow $strict -Werror -I"$SOURCE/include" -o "$scratch/example" "$example" -L"$BUILD" \
            -ltyto -pthread -Wl,-rpath,"$BUILD" && "$scratch/example" >"$scratch/said" || say "$example: $(cat "$scratch/said")"
        # A comment behind a line that prints has the words that it prints, up to "...".
        awk -v name="${example##*/}" '
            function bare(words) { sub(/ [.][.][.].*/, "", words); gsub(/[ \t,]/, "", words); return words }
            FNR == NR { all = all bare($0); next }
            /std::cout << .*\/\/ / {
                words = $0
                sub(/.*\/\/ /, "", words)
                if (!index(all, bare(words))) { print name " does not print: " words; bad = 1 }
            }
            END { exit bad }' "$scratch/said" "$example" >"$scratch/unsaid" || say "$(cat "$scratch/unsaid")"
    done
    refused 'ty::from(std::vector<long double>{1})' 'no dtype has elements of this type'
    refused 'ty::zeros<std::string>({2})' 'no dtype has elements of this type'
    refused 'ty::ones(ty::f32, {2}).data<void *>()' 'no dtype has elements of this type'
    refused 'ty::array<int>({1.5})' ''
    refused 'int x = ty::tensor(1)' ''
    refused 'bool x = ty::tensor(1) == 1' ''
    refused 'ty::tensor x; auto part = x.part(0); part = 1' ''
    refused 'ty::tensor x; x()' 'at least one item'
    refused 'ty::tensor x; x(0, 1) = 5' 'deleted'
    refused 'ty::tensor x; x[0] = x' 'deleted'
    refused 'ty::tensor x; ty::neg(x) = std::move(x)' 'deleted'
    refused 'ty::tensor x; x[0] += 1' ''
    refused 'ty::compile([](const ty::tensor &x) { return x; })(1, 2)' 'another number of operands'
    refused 'const float x[1] = {1}; ty::borrow(x, {1})' 'borrowed memory'
fi
[ $bad = 1 ] || echo "bindings: well ($tried programs)"
exit $bad
