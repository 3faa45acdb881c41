#!/bin/sh
# Checks that each line of code in a page occurs in its program.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
for pair in autodiff:derivatives.c linalg:linear_algebra.c cplusplus:cplusplus.cpp; do
    page=docs/${pair%:*}.md program=examples/${pair#*:}
    awk -v page="$SOURCE/$page" -v name="$page" -v program="$program" '
    function tight(line) { gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); return line }
    FILENAME != page { has[tight($0)]; next }
    /^```c(pp)?$/ { on = 1; next }
    /^```$/ { on = 0 }
    on && !/^ *[.][.][.]$/ { lines++; if (!(tight($0) in has)) { print name " has a line that is not in " program ": " $0; failed++ } }
    END { print name ": " lines - failed " of " lines + 0 " lines passed"; exit failed > 0 || lines < 10 }
    ' "$SOURCE/$program" "$SOURCE/$page"
done
