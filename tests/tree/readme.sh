#!/bin/sh
# Checks that the program at the top of the README is examples/readme.c, and prints the output in the README.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' "$SOURCE/README.md" >"$scratch/readme.c"
diff -u "$SOURCE/examples/readme.c" "$scratch/readme.c"
awk '/^```$/ { n++; next } n == 2' "$SOURCE/README.md" >"$scratch/said"
"$BUILD/example_readme" >"$scratch/printed"
diff -u "$scratch/said" "$scratch/printed"
echo "readme: well"
