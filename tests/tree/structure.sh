#!/bin/sh
# Checks the rules of the tree that a script can see: sizes, public headers, forbidden calls, visible symbols.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
CC=${CC:-cc}
cd "$SOURCE"
bad=0
say() { echo "structure: $*"; bad=1; }

# Sources include the public headers that they use; only the table of all functions includes all.
hits=$(grep -rl '<tyto/tyto\.h>' src | grep -v '^src/expression/functions\.c$' || true)
[ -z "$hits" ] || say "tyto/tyto.h makes all of these depend on every operator, include what they need of it: $hits"

# Public headers compile alone, in every dialect.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for header in include/tyto/*.h; do
    name=tyto/$(basename "$header")
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$scratch/one.c"
    cp "$scratch/one.c" "$scratch/one.cc"
    for std in c99 c11 c17; do
        $CC -std=$std -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only "$scratch/one.c" || say "$name as $std"
    done
    if command -v g++ >/dev/null; then
        for std in c++11 c++17; do
            g++ -std=$std -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only "$scratch/one.cc" || say "$name as $std"
        done
    fi
done
if command -v g++ >/dev/null; then
    for header in include/tyto/*.hpp include/tyto/cplusplus/*.hpp; do
        printf '#include <%s>\nint main() { return 0; }\n' "${header#include/}" >"$scratch/one.cc"
        g++ -std=c++17 -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only "$scratch/one.cc" || say "${header#include/}"
    done
fi

# Sizes: 500 lines per file, 60 per function.
for file in $(find src include tests bench examples fuzz python -name '*.[ch]' 2>/dev/null); do
    lines=$(wc -l <"$file")
    [ "$lines" -le 500 ] || say "$file has $lines lines (at most 500)"
    awk -v file="$file" '
        /^[A-Za-z_].*\)[^;]*\{$/ { start = NR; name = $0 }
        /^\}/ { if (start && NR - start + 1 > 60) printf "%s:%d: %d lines (at most 60): %s\n", file, start, NR - start + 1, name; start = 0 }
    ' "$file" >>"$scratch/long"
done
[ ! -s "$scratch/long" ] || { cat "$scratch/long"; say "functions over 60 lines"; }

# Failure is a value: the library neither ends the process nor prints.
hits=$(grep -rnE '\b(abort|exit|_exit|assert|longjmp|printf|puts)\(' src --include='*.c' --include='*.h' | grep -vE '^src/tools/|^src/io/formats/jpeg\.c:.*longjmp\(d->back|sn?printf|vsnprintf|fprintf|text_' || true)
[ -z "$hits" ] || say "calls that a library must not make: $hits"
hits=$(grep -rnE '\bTODO\b|\bFIXME\b|\bXXX\b|#if 0' src include tests bench examples fuzz python --include='*.[ch]' || true)
[ -z "$hits" ] || say "marks without an issue: $hits"
if [ -e "$BUILD/libtyto.so" ] && ! grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
    hits=$(nm -D --undefined-only "$BUILD/libtyto.so" | grep -wE 'abort|exit|__assert_fail|printf|puts' || true)
    [ -z "$hits" ] || say "libtyto.so refers to: $hits"
    hits=$(nm -D --defined-only "$BUILD/libtyto.so" | awk '{print $3}' | grep -vE '^(ty_|TYTO_)' || true)
    [ -z "$hits" ] || say "libtyto.so shows: $hits"
    size=$(strip -o "$scratch/stripped" "$BUILD/libtyto.so" && wc -c <"$scratch/stripped")
    echo "structure: libtyto.so is $size bytes stripped"
fi
# Private functions that the command calls are exported to it: a build with TY_SHARED_INTERNAL links without the marks.
if [ -e "$BUILD/libtyto_internal.so" ]; then
    nm -D --defined-only "$BUILD/libtyto_internal.so" | awk '$3 !~ /^ty_/ { print $3 }' | sort >"$scratch/private"
    find "$BUILD/CMakeFiles/tyto_tool.dir/src/tools" -name '*.o' -exec nm -u {} + | awk '{ print $NF }' | sort -u >"$scratch/wanted"
    nm --defined-only "$BUILD"/CMakeFiles/tyto_objects.dir/src/array/dtype_table.c.o \
        "$BUILD"/CMakeFiles/tyto_objects.dir/src/array/element.c.o | awk '{ print $NF }' | sort -u >"$scratch/copied"
    hits=$(comm -12 "$scratch/private" "$scratch/wanted" | comm -23 - "$scratch/copied")
    [ -z "$hits" ] || say "the command calls these; mark their declarations by FOR_COMMAND (base/for_command.h): $hits"
fi
[ $bad = 0 ] && echo "structure: well"
exit $bad
