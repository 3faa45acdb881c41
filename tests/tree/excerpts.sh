#!/bin/sh
# Compiles the blocks of C in README.md, CONTRIBUTING.md and docs/, except those with "..." on a line of its own, which
# marks omitted lines, and programs that paste.sh runs.  A block sees the variables of earlier blocks of its section.  tests/tree/excerpts.h declares
# names that only the text around a block introduces.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE"
failed=0 passed=0 blocks=0
for page in README.md CONTRIBUTING.md docs/*.md; do
    grep -q '^```c$' "$page" || continue
    name=$(basename "$page" .md)
    # One unit for each page.  Definitions at the start of a line go to file scope, statements into a function, each
    # block in a scope inside that of the block before it.
    awk -v page="$page" -v name="$name" '
        function close_scopes() {
            while (scopes) { inside = inside "}\n"; scopes-- }
        }
        function add(line) {
            if (top) outside = outside line "\n"
            else inside = inside line "\n"
        }
        /^```c$/ {
            on = 1
            n = 0
            skip = 0
            next
        }
        on && /^```$/ {
            on = depth = top = 0
            if (skip) next
            count++
            inside = inside "{\n"
            scopes++
            for (i = 1; i <= n; i++) {
                line = lines[i]
                if (!depth && !top && line ~ /^(#include|static |typedef |struct .*[{]|int main|LAYER|OP1|const ty_layer_kind )/) {
                    top = 1
                    outside = outside "#line " at[i] " \"" page "\"\n"
                } else if (!depth && !top) {
                    inside = inside "#line " at[i] " \"" page "\"\n"
                }
                add(line)
                text = line
                gsub(/"[^"]*"/, "", text)
                depth += gsub(/[{(]/, "", text)
                depth -= gsub(/[})]/, "", text)
                if (!depth && line ~ /[;})]( *\/[*].*[*]\/)?$|^#/) top = 0
            }
            next
        }
        on {
            lines[++n] = $0
            at[n] = NR
            if ($0 ~ /^ *[.][.][.]$/ || n == 1 && $0 ~ /^\/[*] [^ ]+[.]c [*]\/$/) skip = 1
            next
        }
        /^#/ { close_scopes() }
        END {
            close_scopes()
            printf "#define PAGE_%s\n#include \"tests/tree/excerpts.h\"\n%s", name, outside
            printf "EXCERPT excerpts(void);\nEXCERPT excerpts(void) {\n%sreturn 0;\n}\n", inside
            print count + 0 >"/dev/stderr"
        }' "$page" >"$scratch/$name.c" 2>"$scratch/count"
    blocks=$((blocks + $(cat "$scratch/count")))
    if ${CC:-cc} -std=gnu11 -fsyntax-only -Wall -Wno-unused -Werror -I. -Iinclude -Isrc "$scratch/$name.c" 2>"$scratch/said"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        cat "$scratch/said"
    fi
done
echo "excerpts: $blocks blocks"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
