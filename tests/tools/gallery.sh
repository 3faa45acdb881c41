#!/bin/sh
# The gallery of docs/plots.md: its commands draw each picture that the page shows.  BUILD: where the binary lies.
# KEEP=DIR: a folder to which the pictures are copied.
set -u
. "$(dirname "$0")/expect"
page=$(cd "$(dirname "$0")/../.." && pwd)/docs/plots.md
mkdir "$dir/bin" "$dir/work"
ln -s "$(cd "$(dirname "$tyto")" && pwd)/tyto" "$dir/bin/tyto"
PATH=$dir/bin:$PATH
sed -n '/^## Gallery/,/^## Choices/p' "$page" | sed -n '/^```sh$/,/^```$/p' | grep -v '^```' >"$dir/commands"
cd "$dir/work" || exit 1
expect 0 "" sh -e "$dir/commands"
unsaid ""

# shows NAME WORDS: the picture has the words as its texts.
shows() {
    expect 0 ">$2<" cat "plots_$1.svg"
    expect 0 "" grep -qF "](plots_$1.svg)" "$page"
}
shows line validation
shows points kind
shows histogram oak
shows bars truth
shows heat 50
shows spectrum "frequency (Hz)"
shows spectrogram "time (s)"
shows confusion predicted
expect 0 "<image" cat plots_images.svg
expect 0 "" sh -c '[ "$(grep -c "^!\[.*\](plots_" "$1")" = "$(ls plots_*.svg | wc -l)" ]' sh "$page"
[ -z "${KEEP:-}" ] || cp plots_*.svg "$KEEP"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
