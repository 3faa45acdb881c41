#!/bin/sh
# Checks the floors (layers) of docs/design.md twice: by the includes of files, and by the symbols that object files
# import, which headers can hide.  The page is the only list of floors and of the tables through which a floor may call
# one further down.  Units of instruction sets include neither tensors nor operators.  Needs a build; runs for a second.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
NM=${NM:-nm}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Write "folder LINE PATH" for each folder of the diagram, "table NAME HEADER SUPPLIER" for each row of the list.
awk '
    /^## / { inside = $0 == "## The floors" }
    !inside { next }
    /^```/ { picture = !picture; next }
    picture {
        match($0, /^ */)
        depth = RLENGTH / 4
        for (i = 1; $i ~ /^[a-z0-9_\/]+\/$/; i++) {
            path = substr($i, 1, length($i) - 1)
            if (depth > 0) path = folder[depth - 1] "/" path
            if (i == 1) folder[depth] = path
            if (path ~ /^src\//) print "folder", NR, path
        }
    }
    /^\| *`/ { split($0, cell, "`"); print "table", cell[2], cell[4], cell[6] }
' "$SOURCE/docs/design.md" >"$scratch/page"

# Write "source PATH" for each file, "include FROM TO" for each include within the tree.
cd "$SOURCE"
find src -name '*.[ch]' -o -name '*.def' | xargs awk '
    FNR == 1 { print "source", FILENAME }
    /^#include "/ { split($0, name, "\""); print "include", FILENAME, "src/" name[2] }
    /^extern const / { line = $0; gsub(/[^A-Za-z0-9_]/, " ", line); print "constants", FILENAME, line }
' >"$scratch/sources"

# Write "unit PATH SOURCE" for each generated file that includes a source of the tree.
cd "$BUILD"
find . -name '*.c' ! -path '*/CMakeFiles/*' | xargs awk '
    /^#include "/ { split($0, name, "\""); print "unit", substr(FILENAME, 3), "src/" name[2] }
' /dev/null >"$scratch/units"

# Write "symbol FILE NAME TYPE" for each global symbol of each object of a source or unit, by its name in the source
# (base/for_command.h).
find . -path '*.dir/*.o' ! -path './python/*' | sort | awk '
    $1 == "unit" { unit[$2] = 1; next }
    { file = $0; sub(/^.*\.dir\//, "", file); sub(/\.o$/, "", file) }
    file ~ /^src\// || file in unit
' "$scratch/units" - >"$scratch/objects"
[ -s "$scratch/objects" ] || { echo "floors: no object files in $BUILD; build first" >&2; exit 1; }
xargs "$NM" -A -g -P <"$scratch/objects" 2>/dev/null |
    sed -n 's,^[^:]*\.dir/\([^:]*\)\.o: *\(ty__\)\{0\,1\}\([^ ]*\) \([A-Za-z]\).*,symbol \1 \3 \4,p' >"$scratch/symbols"

awk '
    function say(words) { print "floors: " words; bad = 1 }
    # Return the deepest folder of the diagram that contains a file.
    function folder_of(file) {
        while (sub(/\/[^\/]*$/, "", file)) if (file in last) return file
        return ""
    }
    function directory(file) { sub(/\/[^\/]*$/, "", file); return file }
    # Return the line of a file; files next to sub-folders come after these.
    function line_of(file) { return last[folder_of(file)] }
    # Return true if a file includes a header, through others too.
    function sees(file, header, key, i) {
        key = file SUBSEP header
        if (key in seen) return seen[key]
        seen[key] = file == header
        for (i = 1; i <= count[file] && !seen[key]; i++) seen[key] = sees(target[file, i], header)
        return seen[key]
    }
    # Return true for the templates and units of instruction sets.
    function is_loops(file) {
        return file ~ /_(base|avx2|avx512|neondot|neoni8mm)\.c$/ || file ~ /^src\/engine\/cpu\/.*\.kernel\.c$/
    }
    # Return true if a header lies next to sub-folders, one of which contains the other file.
    function is_shared(header, file, own) {
        own = folder_of(header)
        return header ~ /\.(h|def)$/ && index(file, own "/") == 1
    }

    # Return true for functions of <math.h> and <complex.h> that libraries round differently: not sqrt, fma, floor and
    # others, whose results are exact or rounded once.
    function is_inexact(name) {
        sub(/_r$/, "", name)
        if (name in inexact) return 1
        return sub(/[fl]$/, "", name) && name in inexact
    }

    BEGIN {
        count_of = split("acos asin atan atan2 cos sin tan sincos acosh asinh atanh cosh sinh tanh exp exp2 exp10 " \
            "expm1 log log2 log10 log1p pow pow10 cbrt hypot erf erfc gamma lgamma tgamma fmod drem remainder remquo " \
            "j0 j1 jn y0 y1 yn cabs carg cacos casin catan ccos csin ctan cacosh casinh catanh ccosh csinh ctanh cexp " \
            "clog clog10 cpow csqrt __divsc3 __divdc3 __mulsc3 __muldc3", word, " ")
        for (i = 1; i <= count_of; i++) inexact[word[i]] = 1
    }
    $1 == "folder" {
        first[$3] = last[$3] = $2
        for (above = $3; sub(/\/[^\/]*$/, "", above) && above in first;)
            if (first[above] != $2) # folders named in one line share their floor, which is that of their sources
                for (own in first) if (first[own] == first[above]) last[own] = $2 + 0.5
        next
    }
    $1 == "table" { header[$2] = $3; supplier[$2] = $4; tables++; next }
    $1 == "source" {
        exists[$2] = 1
        own = folder_of($2)
        if (own == "" || own != directory($2)) say(directory($2) " is not in the picture of docs/design.md")
        if ($2 ~ /\.c$/ && $2 !~ /\.kernel\.c$/) compiled[own] = 1
        next
    }
    $1 == "constants" { for (i = 3; i <= NF; i++) constant[$2, $i] = 1; next }
    $1 == "include" { from[++includes] = $2; to[includes] = $3; target[$2, ++count[$2]] = $3; next }
    $1 == "unit" { unit[$2] = $3; next }
    $1 == "symbol" && !($2 in object) { object[$2] = 1; objects++ }
    $1 == "symbol" && $2 in unit { $2 = unit[$2] }
    $1 == "symbol" && $2 in exists { # not left over from earlier builds
        built[folder_of($2)] = 1
        here[$2] = 1
        if ($4 ~ /[Uvw]/) uses[$2 " " $3] = 1
        else {
            if ($4 ~ /[BDRT]/ && $3 in by && type[$3] ~ /[BDRT]/ && by[$3] != $2 && $3 != "main")
                say("both " by[$3] " and " $2 " define " $3 ", so a program may call the wrong one")
            by[$3] = $2
            type[$3] = $4
        }
    }

    END {
        for (i = 1; i <= includes; i++) {
            file = to[i]
            if (!(file in exists)) continue # relative to its folder
            if (is_shared(file, from[i]) || is_shared(from[i], file)) continue
            if (line_of(file) > line_of(from[i]))
                say(from[i] " includes " file ", which is further down")
        }
        for (file in exists) {
            if (!is_loops(file)) continue
            loops++
            for (i = 1; i <= 2; i++) {
                name = i == 1 ? "src/array/tensor.h" : "src/ops/core/op.h"
                if (!(name in exists)) say(name " has moved; mend this check")
                if (sees(file, name)) say(file " includes " name ", whose changes would compile all loops")
            }
        }
        if (!loops) say("no units of instruction sets")
        for (use in uses) {
            split(use, pair, " ")
            user = pair[1]; name = pair[2]
            if (!(name in by)) { # a symbol of the C library
                if (is_inexact(name) && user !~ /^src\/(engine\/ref|tools)\//)
                    say(user " uses " name " of the C library; use base/math/scalar.h")
                continue
            }
            links++
            if (line_of(by[name]) <= line_of(user)) continue
            if (name in header && by[name] == supplier[name] && line_of(header[name]) <= line_of(user)) reached[name] = 1
            else say(user " uses " name " of " by[name] ", which is further down and no table of docs/design.md")
        }
        for (name in header) {
            for (i = 1; i <= includes; i++) # sources of other machines have no symbols here
                if (to[i] == header[name] && from[i] ~ /\.c$/ && !(from[i] in here)) reached[name] = 1
            if (!((header[name], name) in constant)) say(header[name] " declares no \"extern const ... " name "\"")
            if (by[name] != supplier[name] || type[name] !~ /[DRSV]/)
                say(supplier[name] " defines no table " name)
            if (!(name in reached)) say("nobody reaches down through the table " name)
        }
        delete compiled["src/base/windows"] # built for these machines alone
        delete compiled["src/base/wasm"]
        for (own in compiled) if (!(own in built)) say("no object files of " own "; build first")
        if (!tables || !links) say("docs/design.md lists no tables, or the objects have no symbols")
        if (!bad) printf "floors: well: %d objects, %d links, %d tables\n", objects, links, tables
        exit bad
    }
' "$scratch/page" "$scratch/sources" "$scratch/units" "$scratch/symbols" >"$scratch/said" && status=0 || status=$?
sort -u "$scratch/said"
exit $status
