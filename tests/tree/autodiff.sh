#!/bin/sh
# Each line of code in docs/autodiff.md is one of examples/derivatives.c.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
awk -v page="$SOURCE/docs/autodiff.md" '
function tight(line) { gsub(/[ \t]+/, " ", line); return line }
FILENAME != page { has[tight($0)]; next }
/^```c$/ { on = 1; next }
/^```$/ { on = 0 }
on { lines++; if (!(tight($0) in has)) { print "docs/autodiff.md has a line that is not in examples/derivatives.c: " $0; failed++ } }
END { print lines - failed " of " lines + 0 " lines passed"; exit failed > 0 || lines < 10 }
' "$SOURCE/examples/derivatives.c" "$SOURCE/docs/autodiff.md"
