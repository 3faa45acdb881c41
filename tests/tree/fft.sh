#!/bin/sh
# Checks that each line of code in docs/fft.md occurs in examples/spectrum.c.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
awk -v page="$SOURCE/docs/fft.md" '
function tight(line) { gsub(/[ \t]+/, " ", line); return line }
FILENAME != page { has[tight($0)]; next }
/^```c$/ { on = 1; next }
/^```$/ { on = 0 }
on && !/^ *[.][.][.]$/ { lines++; if (!(tight($0) in has)) { print "docs/fft.md has a line that is not in examples/spectrum.c: " $0; failed++ } }
END { print lines - failed " of " lines + 0 " lines passed"; exit failed > 0 || lines < 10 }
' "$SOURCE/examples/spectrum.c" "$SOURCE/docs/fft.md"
