#!/bin/sh
# Each line of code in docs/autodiff.md is one of examples/derivatives.c, each of docs/data.md one of examples/data.c.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
compare() {
    awk -v page="$SOURCE/docs/$1.md" -v name="docs/$1.md" -v example="examples/$2.c" '
function tight(line) { gsub(/[ \t]+/, " ", line); return line }
FILENAME != page { has[tight($0)]; next }
/^```c$/ { on = 1; next }
/^```$/ { on = 0 }
on { lines++; if (!(tight($0) in has)) { print name " has a line that is not in " example ": " $0; failed++ } }
END { print lines - failed " of " lines + 0 " lines passed"; exit failed > 0 || lines < 10 }
' "$SOURCE/examples/$2.c" "$SOURCE/docs/$1.md"
}
compare autodiff derivatives
compare data data
