#!/bin/sh
# Checks that each line of code on a page of docs/ occurs in one of its programs in examples/.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
failed=0
for pair in autodiff=derivatives engines=engine training=losses_and_rules neighbours=neighbours layers=layers data=data+tables networks=networks sparse=sparse distributions=distributions numeric=numeric statistics=inference; do
    page=docs/${pair%=*}.md
    program=examples/$(echo "${pair#*=}" | sed "s#+#.c examples/#").c
    awk -v page="$SOURCE/$page" -v name="$page" -v program="$program" '
    function tight(line) { gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); return line }
    FILENAME != page { has[tight($0)]; next }
    /^```c$/ { on = 1; next }
    /^```$/ { on = 0 }
    on && !/^ *[.][.][.]$/ { lines++; if (!(tight($0) in has)) { print name " has a line that is not in " program ": " $0; failed++ } }
    END { print name ": " lines - failed " of " lines + 0 " lines passed"; exit failed > 0 || lines < 10 }
    ' $(echo "$program" | sed "s#[^ ]*#$SOURCE/&#g") "$SOURCE/$page" || failed=1
done
exit $failed
