#!/bin/sh
# Tests the page of a program in a headless browser: keyboard use, folding, comparing, hostile names (page.js).  Skipped
# without Chromium.  SHOTS=DIR: screenshots in three sizes, light, dark and printed.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name || true)
done
[ -n "$browser" ] || { echo "page: skipped, there is no Chromium"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$BUILD/tyto" graph "$SOURCE/fuzz/corpus/graph/loops" --steps 3 --html "$scratch/page.html" >"$scratch/said"
{ cat "$scratch/page.html"; echo '<script>'; cat "$SOURCE/tests/tree/page.js"; echo '</script>'; } >"$scratch/tested.html"
look() {
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/user" \
        --virtual-time-budget=20000 "$@" 2>"$scratch/log"
}
look --dump-dom "file://$scratch/tested.html" >"$scratch/dom"
result=$(sed -n 's/.*data-result="\([^"]*\)".*/\1/p' "$scratch/dom" | head -n 1)
if [ -n "${SHOTS:-}" ]; then
    mkdir -p "$SHOTS"
    for size in 1600,1400 1024,1400 400,1600; do
        look --window-size=$size --screenshot="$SHOTS/page-${size%,*}.png" "file://$scratch/page.html"
    done
    look --force-dark-mode --window-size=1600,1400 --screenshot="$SHOTS/page-dark.png" "file://$scratch/page.html"
    look --print-to-pdf="$SHOTS/page.pdf" "file://$scratch/page.html"
fi
echo "page: ${result:-the browser says nothing: $(tail -n 3 "$scratch/log")}"
[ "$result" = well ]
