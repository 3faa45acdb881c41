#!/bin/sh
# The manual: its sources have a page with all parts for each function, the examples print what they show, tyto.3 is
# current and well-formed.  The checks themselves notice planted faults.
# WHOLE=1 with Sphinx: the HTML too, its links, its size, and its search in Chromium, if that is installed.  SOME=N then
# builds every N-th function alone.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
MOST_BYTES=9900000 # of the HTML: library, command and documents stay below 25 MB (install.sh)
command -v python3 >/dev/null || { echo "manual: skipped, there is no python3"; exit 0; }
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tools=$SOURCE/docs/manual
sources=$scratch/sources
bad=0
say() { echo "manual: $*"; bad=1; }
# notices NAME COMMAND...: the command fails, after a fault was planted.
notices() {
    name=$1
    shift
    ! "$@" >"$scratch/said" 2>&1 || say "$name is not noticed"
}

tyto=
[ ! -x "$BUILD/tyto" ] || tyto=$BUILD/tyto

# ---- sources ----
python3 "$tools/generate.py" ${tyto:+--tyto "$tyto"} "$sources" || say "generate.py fails"
library=
# Python cannot load a library that needs a sanitizer's.
[ ! -e "$BUILD/libtyto.so" ] || grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt" || library=$BUILD/libtyto.so
python3 "$tools/pages.py" "$sources" ${library:+"$library"} || say "pages are missing or lack parts"
[ -z "$tyto" ] || python3 "$tools/evaluate.py" --check "$tyto" || say "examples differ: run docs/manual/evaluate.py $tyto"
mv "$sources/c/ty_sum.rst" "$scratch/kept"
notices "a missing page" python3 "$tools/pages.py" "$sources"
sed 's/^:Ownership:.*//' "$scratch/kept" >"$sources/c/ty_sum.rst"
notices "a page without ownership" python3 "$tools/pages.py" "$sources"
mv "$scratch/kept" "$sources/c/ty_sum.rst"
# Only its header tells the shapes of this function.
cp "$sources/c/ty_bartlett.rst" "$scratch/kept"
sed 's/^:Shapes:.*//' "$scratch/kept" >"$sources/c/ty_bartlett.rst"
notices "a page without shapes" python3 "$tools/pages.py" "$sources"
mv "$scratch/kept" "$sources/c/ty_bartlett.rst"
for page in $(sed -n 's/^\([a-z_/]*\): .*/\1/p' "$tools/index.txt"; sed '/^#/d; s/^[^:]*://' "$tools/search.txt"); do
    [ -e "$sources/$page.rst" ] || [ -e "$sources/$page.md" ] || say "index.txt or search.txt names $page, which is no page"
done

# ---- links: a page, and faults in it ----
site=$scratch/site
mkdir "$site"
echo '<p id="a"><a href="two.html#b">2</a> <a href="#a">1</a></p>' >"$site/index.html"
echo '<p id="b"><a href="index.html">1</a> <a href="https://example.org/">other</a></p>' >"$site/two.html"
python3 "$tools/links.py" "$site" >"$scratch/said" || say "a site without faults has some: $(cat "$scratch/said")"
for fault in '<a href="three.html">' '<a href="index.html#c">' '<img src="https://example.org/x.png">' \
    '<link href="//example.org/x.css">' '<a href="file:///x">'; do
    cp "$site/two.html" "$scratch/kept"
    echo "$fault" >>"$site/two.html"
    notices "$fault" python3 "$tools/links.py" "$site"
    mv "$scratch/kept" "$site/two.html"
done
echo '<p>' >"$site/alone.html"
notices "a page without a link to it" python3 "$tools/links.py" "$site"

# ---- tyto.3 ----
python3 "$tools/generate.py" --man "$scratch/tyto.3"
cmp "$scratch/tyto.3" "$SOURCE/docs/tyto.3" || say "docs/tyto.3 is not what docs/tyto.json makes: run ./dev docs"
if command -v man >/dev/null; then
    MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$scratch/tyto.3" 2>&1 >/dev/null | tee "$scratch/said"
    [ ! -s "$scratch/said" ] || say "man warns of tyto.3"
fi

# ---- the HTML ----
# look PAGE: writes what a page of the manual is in Chromium, after its scripts have run, to $scratch/dom.
look() {
    timeout 300 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$scratch/chromium" \
        --virtual-time-budget=60000 --dump-dom "file://$scratch/html/$1" >"$scratch/dom" 2>"$scratch/said" ||
        say "chromium fails: $(tail -n 3 "$scratch/said")"
}
# finds WORDS PAGE: the page of the search lists a page, and none twice.
finds() {
    look "search.html?q=$1"
    sed 's/<li/\n&/g' "$scratch/dom" | grep -q "^<li.*href=\"$2" || say "the search for $1 does not list $2"
    twice=$(sed 's/<li/\n&/g' "$scratch/dom" | grep -o '^<li><a href="[^"#]*' | sort | uniq -d)
    [ -z "$twice" ] || say "the search for $1 lists a page twice: $twice"
}
# leads: each usual word of search.txt leads to one of its pages among the first three hits.
leads() {
    grep -v '^#' "$tools/search.txt" >"$scratch/words"
    {
        sed 's/searchtools\.js/searched.js/; /<\/body>/,$d' "$scratch/html/search.html"
        sed 's/"/\\"/g; s/: .*//; s/.*/"&",/; 1s/^/<script>const queries = [/; $s/$/];/' "$scratch/words"
        cat "$SOURCE/tests/tree/search.js"
        echo '</script></body></html>'
    } >"$scratch/html/searched.html"
    sed 's/_displayNextItem(results, results.length, searchTerms, highlightTerms)/window.hits = results/' \
        "$scratch/html/_static/searchtools.js" >"$scratch/html/_static/searched.js"
    look searched.html
    awk '/<pre id="searched">/ { on = 1; sub(/.*<pre id="searched">/, "") } on { end = sub(/<\/pre>.*/, ""); print; if (end) exit }' \
        "$scratch/dom" >"$scratch/hits"
    rm "$scratch/html/searched.html" "$scratch/html/_static/searched.js"
    # Lines of wanted pages and of hits are in the same order.
    paste -d '|' "$scratch/words" "$scratch/hits" | awk -F '|' '{
        words = $1; sub(/: .*/, "", words)
        wanted = $1; sub(/^[^:]*: /, "", wanted)
        hits = $2; sub(/^[^:]*: ?/, "", hits)
        found = 0
        n = split(hits, hit, " ")
        for (i = 1; i <= n; i++) if (index(" " wanted " ", " " hit[i] " ")) found = 1
        if (!found) print "the search for \"" words "\" gives " hits "; expected one of " wanted
    }' >"$scratch/missed"
    [ ! -s "$scratch/missed" ] || say "$(cat "$scratch/missed")"
    echo "manual: $(wc -l <"$scratch/words") usual words are searched"
}
if [ "${WHOLE:-0}" = 1 ]; then
    if ! command -v sphinx-build >/dev/null; then
        echo "manual: the HTML is left out, there is no sphinx-build"
    else
        sh "$tools/make.sh" "$scratch/html" $tyto || say "the HTML cannot be built"
        size=$(find "$scratch/html" -type f -printf '%s\n' | awk '{ n += $1 } END { printf "%d", n }')
        echo "manual: $(find "$scratch/html" -name '*.html' | wc -l) pages, $size bytes"
        [ "$size" -le "$MOST_BYTES" ] || say "the HTML has $size bytes; at most $MOST_BYTES are allowed"
        for word in optimizer 'standard error' thread-safe 'learning rate' 'weight decay' regression; do
            grep -q ">$word" "$scratch/html/genindex.html" || say "the index lacks: $word"
        done
        if command -v chromium >/dev/null; then
            finds weight+decay guide/training.html
            finds missing+values guide/data.html
            finds thread-safe guide/contexts.html
            [ -n "${SOME:-}" ] || leads
        fi
    fi
fi
[ $bad = 1 ] || echo "manual: well"
exit $bad
