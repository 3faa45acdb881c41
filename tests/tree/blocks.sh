#!/bin/sh
# Checks that each line of code on a page of docs/ occurs in its programs in examples/, which the tests run.  Left out are
# programs that paste.sh runs, and blocks after a comment "not run".  A program may break a line that is long.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE"
failed=0
while IFS=' ' read -r page programs; do
    # shellcheck disable=SC2086
    (cd examples && cat $programs) | awk -v page="docs/$page.md" -v programs="$programs" '
    function tight(line) { gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); return line }
    function bare(line) { gsub(/[ \t]/, "", line); return line }
    FILENAME == "-" { has[tight($0)]; all = all bare($0); next }
    /^```c(pp)?$/ { on = 1; first = FNR + 1; if (left_out) on = 0; next }
    /^```$/ { on = 0 }
    on && FNR == first && /^(\/\*|\/\/) [^ ]+[.](c|cpp)( \*\/)?$/ { on = 0 }
    on && !/^ *[.][.][.]$/ { lines++; if (!(tight($0) in has) && !index(all, bare($0))) { print page " has a line that is not in " programs ": " $0; failed++ } }
    !on && NF { left_out = /^<!-- not run: .* -->$/ }
    END { print page ": " lines - failed " of " lines + 0 " lines passed"; exit failed > 0 || !lines }
    ' - "docs/$page.md" || failed=1
done <<'PAIRS'
autodiff derivatives.c
batching batches.c
contexts settings.c
cplusplus cplusplus.cpp
data data.c tables.c
devices settings.c
distributions distributions.c
engines engine.c
fft spectrum.c
graph graphs.c
hooks settings.c
layers layers.c
linalg linear_algebra.c
memory memory.c
neighbours neighbours.c
networks networks.c
numeric numeric.c
plots decay.c
seeing settings.c
sparse sparse.c
statistics inference.c
training losses_and_rules.c
PAIRS
exit $failed
