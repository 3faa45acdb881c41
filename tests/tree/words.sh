#!/bin/sh
# Counts words of the private dialect in comments: "what" per 1,000 words, comments that begin with Of, What, Whether,
# Those or Where, and sentences of public headers above 30 words.  Messages and help of src must not have the phrases of
# `dialect`.
#
#   words.sh [--list] [FOLDER...]    --list prints each comment and sentence that counts against the rules
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE"
list=0
[ "${1:-}" != --list ] || { list=1; shift; }
[ $# -gt 0 ] || set -- src include tests bench examples fuzz python
dialect='comes? to no end|(goes|leads) nowhere|leads to no|stands twice|NULL where|belongs? here|is none of|is meant, not'
dialect="$dialect|(is|are) no (dtype|norm|mode|method|kind|distance|order|form|distribution|reduction|metric|alternative)"
dialect="$dialect|there may be|summed sizes differ|there is no (function|format|network|command|optimiser|loss|dtype) "
if grep -rnE --include='*.[ch]' --include='*.def' "\"[^\"]*($dialect)" src; then
    echo "words: these messages are in the private dialect: say what was found, what was expected, and the fix" >&2
    exit 1
fi
find "$@" -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cc' -o -name '*.def' | sort | xargs awk -v list=$list '
    function end(text,    i, n, word, count, sentences, words, first) {
        gsub(/\*\/.*/, "", text)
        gsub(/[ \t*]+/, " ", text)
        sub(/^[ -]+/, "", text)
        sub(/[ -]+$/, "", text)
        if (text !~ /[a-z]/) return
        comments[top]++
        n = split(tolower(text), word, /[^a-z'\'']+/)
        for (i = 1; i <= n; i++) {
            if (word[i] == "") continue
            all[top]++
            if (word[i] == "what") what[top]++
        }
        first = text
        sub(/[^A-Za-z].*/, "", first)
        if (first ~ /^(Of|What|Whether|Those|Where)$/) {
            begins[top]++
            if (list) printf "%s:%d: begins with %s: %.100s\n", FILENAME, line, first, text
        } else if (list && tolower(text) ~ /(^|[^a-z])what([^a-z]|$)/)
            printf "%s:%d: what: %.100s\n", FILENAME, line, text
        n = split(text, sentences, /[.;:] /)
        for (i = 1; i <= n; i++)
            if (split(sentences[i], words, " ") > 30) {
                long[top]++
                if (list) printf "%s:%d: over 30 words: %.100s\n", FILENAME, line, sentences[i]
            }
    }
    FNR == 1 { open = 0; split(FILENAME, part, "/"); top = part[1] }
    {
        rest = $0
        while (rest != "") {
            if (open) {
                at = index(rest, "*/")
                if (!at) { text = text " " rest; break }
                end(text " " substr(rest, 1, at - 1))
                open = 0
                rest = substr(rest, at + 2)
            } else {
                if (!match(rest, /\/\*|\/\/|"([^"\\]|\\.)*"/)) break
                kind = substr(rest, RSTART, 2)
                rest = substr(rest, RSTART + (kind ~ /^"/ ? RLENGTH : 2))
                if (kind == "//") { line = FNR; end(rest); break }
                if (kind == "/*") { open = 1; text = ""; line = FNR }
            }
        }
    }
    END {
        for (t in all) {
            printf "words: %s: %d comments, %d words; what %.1f per 1,000; begin with Of, What, Whether, Those, Where %.1f %%; above 30 words %d\n", t, comments[t], all[t], 1000 * what[t] / all[t], 100 * begins[t] / comments[t], long[t]
            words_of += all[t]; what_of += what[t]; comments_of += comments[t]; begins_of += begins[t]
        }
        printf "words: all: %d comments; what %.1f per 1,000 (at most 2), beginnings %.1f %% (at most 1), long sentences of include %d (0)\n", comments_of, 1000 * what_of / words_of, 100 * begins_of / comments_of, long["include"]
        exit what_of > words_of / 500 || begins_of > comments_of / 100 || long["include"] > 0
    }'
