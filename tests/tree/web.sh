#!/bin/sh
# Tests the page of examples/web in a headless browser: it trains, and reads digits drawn by web.js, also on a narrow
# screen by a finger.  Skipped without Chromium, node or the page, which ./dev wasm page builds.  SHOTS=DIR: screenshots
# in two sizes, light and dark.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
PAGE=${PAGE:-$SOURCE/build/wasm/digits.html}
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name || true)
done
[ -n "$browser" ] || { echo "web: skipped, there is no Chromium"; exit 0; }
command -v node >/dev/null || { echo "web: skipped, there is no node"; exit 0; }
[ -e "$PAGE" ] || { echo "web: skipped, there is no $PAGE (./dev wasm page)"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -z "${SHOTS:-}" ] || mkdir -p "$SHOTS"
timeout 600 node "$SOURCE/tests/tree/web.js" "$browser" "$scratch" "file://$PAGE" ${SHOTS:+"$SHOTS"}
