#!/bin/sh
# Each named constant that a comparison chooses by has a row in tests/thresholds.def: the test that runs below, at and above
# it, the reason why none does, or an open hole.  thresholds.awk finds the constants.  ./dev thresholds shows that the tests
# reach the three sides: it sets SIDES to a folder with a file of bytes for each program (sides.h), or a folder of such files
# for a script.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
SIDES=${SIDES:+$(cd "$SIDES" && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE"

{
    find src -name '*.[ch]' | sort | xargs awk -v mode=list -f tests/tree/thresholds.awk | sed 's/^/site /'
    find tests -name 'test_*.c' | sed 's,.*/,program ,; s,\.c$,,'
    find tests -name '*.sh' | sed 's,.*/,program script_,; s,\.sh$,,'
    sed -n 's/^\([A-Z]*\)(\([^,]*\), \([^,]*\), \(.*\))$/row \1 \2 \3 \4/p' tests/thresholds.def
    [ -z "$SIDES" ] || find "$SIDES" -type f | while read -r file; do
        program=${file#"$SIDES"/}
        cmp -l "$file" /dev/zero 2>/dev/null | awk -v program="${program%%/*}" '{ print "seen", program, $1 - 1, $2 }'
    done
} >"$scratch/facts"

awk -v proves="${SIDES:+1}" '
    function say(words) { print "thresholds: " words; bad = 1 }
    function has(bits, side) { return int(bits / side) % 2 } # 1: below, 2: at, 4: above
    function missing(bits) {
        return (has(bits, 1) ? "" : " below") (has(bits, 2) ? "" : " at") (has(bits, 4) ? "" : " above")
    }
    function add(bits, more, side) {
        for (side = 1; side <= 4; side *= 2) if (has(more, side) && !has(bits, side)) bits += side
        return bits
    }
    $1 == "site" { constant = $3 " " $4; sites[constant] = sites[constant] " " $2; place[$2] = $5; next }
    $1 == "program" { program[$2] = 1; next }
    $1 == "seen" { seen[$2, $3] = add(seen[$2, $3], $4); next }
    $1 == "row" {
        constant = $3 " " $4
        if (constant in kind) say(constant " has two rows")
        kind[constant] = $2
        count[$2]++
        if ($2 !~ /^(CROSSED|FILLED|NONE|OPEN)$/) say("row " constant " is of no known kind: " $2)
        words = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "", words); said[constant] = words
        if ($2 !~ /^(CROSSED|FILLED)$/ && words !~ /^".+"$/) say("row " constant " gives no reason in quotes")
        next
    }
    END {
        for (constant in sites) { constants++; if (!(constant in kind)) say("no row in tests/thresholds.def for " constant) }
        for (constant in kind) {
            if (!(constant in sites)) { say("no comparison with " constant ", which has a row"); continue }
            n = kind[constant] ~ /^(CROSSED|FILLED)$/ ? split(said[constant], test, " ") : 0
            for (i = 1; i <= n; i++) if (!(test[i] in program)) say("there is no test " test[i] ", which the row " constant " names")
            m = split(sites[constant], site, " ")
            for (s = 1; proves && n && s <= m; s++) {
                bits = 0
                for (i = 1; i <= n; i++) bits = add(bits, seen[test[i], site[s]])
                if (kind[constant] == "FILLED") bits = add(bits, 4)
                if (bits != 7) say(place[site[s]] ": " constant " is not reached:" missing(bits))
            }
        }
        if (!bad) printf "thresholds: well: %d constants: %d crossed, %d that need no test, %d open\n", constants,
            count["CROSSED"] + count["FILLED"], count["NONE"], count["OPEN"]
        exit bad
    }
' "$scratch/facts" >"$scratch/said" && status=0 || status=$?
sort -u "$scratch/said"
exit $status
