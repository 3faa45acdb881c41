#!/bin/sh
# Checks that generated pages agree with their sources, and that documents name existing files.
set -u
cd "${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}" || exit 1
failed=0 passed=0
say() {
    echo "$1"
    failed=$((failed + 1))
}

if awk -f docs/numpy.awk tests/goldens/goldens.txt | cmp - docs/numpy.md; then passed=$((passed + 1)); else
    say "docs/numpy.md is not what tests/goldens/goldens.txt makes: run ./dev docs"
fi

if awk -f docs/words.awk src/base/synonyms.def | cmp - docs/words.md; then passed=$((passed + 1)); else
    say "docs/words.md is not what src/base/synonyms.def makes: run ./dev docs"
fi

# Functions of C and pages that the table of words names exist.
while IFS='"' read -r macro name _ _ _ header _; do
    case $macro in
    'CALL(') grep -q "\b$name(" "include/tyto/$header" || say "src/base/synonyms.def: include/tyto/$header lacks $name" ;;
    'PAGE(') [ -f "docs/$name.md" ] || say "src/base/synonyms.def: there is no docs/$name.md" ;;
    *) continue ;;
    esac
    passed=$((passed + 1))
done <src/base/synonyms.def
names=$(mktemp)
# `tyto help` finds each page by its name.
for page in docs/*.md; do
    name=${page#docs/}
    if grep -q "^PAGE(\"${name%.md}\"" src/base/synonyms.def; then passed=$((passed + 1)); else
        say "src/base/synonyms.def: a row PAGE for $page is missing"
    fi
done

# Names of code in docs/design.md exist; ty_verb stands for all.
grep -oE '`[a-z][a-z0-9]*(_[a-z0-9]+)+`' docs/design.md | tr -d '`' | sort -u >"$names"
find src include tests python cmake docs/manual docs/interface -type f -size -2000k -exec cat {} + |
    tr -cs 'A-Za-z0-9_' '\n' | LC_ALL=C sort -u >"$names.known"
for name in $(LC_ALL=C sort "$names" | LC_ALL=C comm -23 - "$names.known"); do
    [ "$name" = ty_verb ] || say "docs/design.md: nothing has the name $name"
done
passed=$((passed + 1))
rm "$names" "$names.known"

prototypes=$(mktemp -d)
${CC:-cc} -E -P -Iinclude docs/rows.h | awk -v to="$prototypes" -f docs/strings.awk -f docs/rows.awk
for header in "$prototypes"/*.h; do
    if cmp "$header" "include/tyto/rows/${header##*/}"; then passed=$((passed + 1)); else
        say "include/tyto/rows/${header##*/} is not what its rows make: run ./dev docs"
    fi
done
rm -rf "$prototypes"

if ${CC:-cc} -E -P -Iinclude docs/special_rows.h | awk -f docs/strings.awk -f docs/special.awk | cmp - docs/special.md; then
    passed=$((passed + 1))
else
    say "docs/special.md is not what include/tyto/rows makes: run ./dev docs"
fi

if ${CC:-cc} -E -P -Iinclude tests/support/calls/headers.c | awk -f tests/support/calls/signatures.awk |
    awk -f docs/places.awk | cmp - include/tyto/tables/places.def; then passed=$((passed + 1)); else
    say "include/tyto/tables/places.def is not what the public headers make: run ./dev docs"
fi

if ./dev docs --cplusplus | cmp - include/tyto/cplusplus/functions.hpp; then passed=$((passed + 1)); else
    say "include/tyto/cplusplus/functions.hpp is not what the public headers make: run ./dev docs"
fi

if awk -f docs/functions.awk include/tyto/*.h src/expression/functions.def src/expression/functions/*.def |
    cmp - src/expression/function_docs.def; then passed=$((passed + 1)); else
    say "src/expression/function_docs.def is not what the public headers make: run ./dev docs"
fi

most=120 # lines of a readable page
if [ "$(wc -l <docs/measured.md)" -le $most ]; then passed=$((passed + 1)); else
    say "docs/measured.md has more than $most lines: bench/support/page.py has to say less"
fi
if ! command -v python3 >/dev/null; then
    echo "docs/measured.md: not compared with bench/results, which takes python3"
elif python3 bench/support/page.py | cmp - docs/measured.md; then passed=$((passed + 1)); else
    say "docs/measured.md is not what bench/results makes: run ./dev docs"
fi

if ! command -v python3 >/dev/null; then
    echo "docs/tyto.json: not compared with the headers, which takes python3"
elif python3 -B docs/interface/interface.py --check; then passed=$((passed + 1)); else
    say "docs/tyto.json is not what the public headers make: run ./dev docs"
fi

# A path, or the last part of one: `src/ops/core/op.h`, `core/op.h`, `op.h`, `path*.c`, `_avx2.c`.
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . -name build -prune -o -type f -print >"$files"
names=$(grep -ohE '`[A-Za-z0-9_*/.-]+\.(c|h|def|sh|py|txt|md|cmake)`' README.md CONTRIBUTING.md docs/design.md docs/contraction.md |
    tr -d '\`' | sort -u)
for name in $names; do
    case $name in _*) start='' ;; *) start=/ ;; esac
    if grep -q "$start$(echo "$name" | sed 's/\./\\./g; s/\*/[^\/]*/g')\$" "$files"; then passed=$((passed + 1)); else
        say "the documents name $name, which is no file"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
