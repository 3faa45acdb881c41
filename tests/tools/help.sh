#!/bin/sh
# Help on terminals of any width, man pages, and completion in the shells that are installed.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
unset COLUMNS
commands=$("$tyto" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
has() { # WORDS PATTERN FAILURE: one of the words is PATTERN
    if printf '%s\n' "$1" | grep -qxF -e "$2"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $3: $2 is not in: $1"
    fi
}
lacks() {
    if printf '%s\n' "$1" | grep -qxF -e "$2"; then
        failed=$((failed + 1))
        echo "FAILED: $3: $2 is in: $1"
    else passed=$((passed + 1)); fi
}

# ---- the grammar and the width ----
expect 0 "tyto help COMMAND" "$tyto" help
expect 0 "usage: tyto train NETWORK [DATA] [OPTION]..." "$tyto" help train
expect 0 "usage: tyto eval EXPRESSION [NAME=FILE]... [OPTION]..." "$tyto" eval --help
expect 0 "option of tyto plot: take a signal" "$tyto" help lr
expect 0 "option of tyto train, predict, evaluate, infer" "$tyto" help threads
expect 0 "" [ "$("$tyto" help adam | wc -l)" = 1 ]
expect 0 "function of tyto eval: histogram(" "$tyto" help hist
expect 0 "layer of networks" "$tyto" help torch.nn.Linear
expect 1 "np.smu is no command" "$tyto" help np.smu
expect 0 "network: " "$tyto" help resnet
expect 1 "xyzzy is no command, option, function, network or layer" "$tyto" help xyzzy
expect 1 "did you mean --optimiser?" "$tyto" help optimyser
expect 2 "unknown command hepl (did you mean help?)" "$tyto" hepl
expect 2 "unknown option --hepl (did you mean --help?)" "$tyto" --hepl
expect 2 "--completion fihs (did you mean fish?): expected" "$tyto" help --completion fihs
expect 2 "--man: unknown command trian (did you mean train?)" "$tyto" help --man trian
expect 2 "--man, --completion, --write: expected one of them" "$tyto" help --man --completion zsh
expect 1 "the folder cannot be made" "$tyto" help --write /dev/null/x
for command in $commands; do
    "$tyto" help "$command" >"$dir/help"
    "$tyto" "$command" --help >"$dir/option"
    same "$dir/help" "$dir/option" "tyto help $command and tyto $command --help"
    expect 0 "  tyto $command" grep "^  tyto $command " "$dir/help"
    grep -q '^  tyto .*[^ ]$' "$dir/help" && head -1 "$dir/help" | grep -q '^[A-Z][a-z]* .*' || {
        failed=$((failed + 1))
        echo "FAILED: tyto help $command begins with no sentence"
    }
    # Lines are no wider than COLUMNS.  At 20, words of the shell in quotes may be longer: they cannot be broken.
    for width in 20 33 60 80 100; do
        COLUMNS=$width "$tyto" help "$command" | awk -v width=$width -v command="$command" '
            { line = $0 }
            width < 80 && /^ +[^ ]+( \\)?$/ { line = "" } # one word
            width < 80 { gsub(/'\''[^'\'']*'\''|"[^"]*"/, "q", line) }
            length(line) > width || / $/ { print "FAILED: help " command " at " width ": " $0; bad = 1 }
            END { exit bad }' && passed=$((passed + 1)) || failed=$((failed + 1))
    done
done
COLUMNS=5000 "$tyto" help train >"$dir/wide"
COLUMNS=100 "$tyto" help train >"$dir/hundred"
same "$dir/wide" "$dir/hundred" "lines above 100 characters"
for columns in "" 0 x -3 99999999999999999999; do
    COLUMNS=$columns "$tyto" help train >"$dir/usual"
    "$tyto" help train >"$dir/eighty"
    same "$dir/usual" "$dir/eighty" "COLUMNS=$columns in a pipe is not 80"
done

# The text of an option begins with a verb, perhaps behind a case and a colon: "csv: skip ...".
"$tyto" help --completion fish | sed -n "s/^complete .*from \([a-z]*\)' -[ls] \([a-z0-9-]*\).* -d '/\1 \2 /p" | awk '
    BEGIN { n = split("the a an of this these such size sizes name names file files folder weights seed " \
        "column columns format dtype fraction maximum minimum learning loss step steps value values width height title " \
        "label labels text which whether if for with to same other all only also do does is are not no", word, " ")
        for (i = 1; i <= n; i++) noun[word[i]] = 1 }
    { option = "--" $2 " of tyto " $1; text = $0; sub(/^[^ ]+ [^ ]+ /, "", text)
      sub(/^(csv|npy|raw|images|graphs|models|networks|(to|for|with) [a-z -]+): /, "", text)
      first = text; sub(/[^A-Za-z].*/, "", first)
      if (first == "" || first in noun || text ~ /^(limit for|number of)/) { print "FAILED: begins with no verb: " option ": " text; bad = 1 }
      count++ }
    END { exit bad || count < 200 }' && passed=$((passed + 1)) || failed=$((failed + 1))

# ---- the index ----
# Names of ours in the table of words exist, as what the table says.
table=${SOURCE:-$(dirname "$0")/../..}/src/base/synonyms.def
while IFS='|' read -r macro kind; do
    ours=$(sed -n "s/^$macro(\"\([^ ]*\) .*/\1/p" "$table")
    if [ "$macro" = COMMAND ]; then
        for name in $ours; do has "$commands" "$name" "$table"; done
        continue
    fi
    # shellcheck disable=SC2086
    COLUMNS=100 "$tyto" help $ours >"$dir/index" 2>&1
    for name in $ours; do
        [ "$macro" != OPTION ] || name=--$(echo "$name" | tr _ -)
        if awk -v name="$name" -v kind="$kind" '
            held != "" { $0 = held " " $0; held = "" }
            $1 == name && NF == 1 { held = $0; next }
            $1 == name && index($0, kind) { good = 1 }
            END { exit !good }' "$dir/index"; then passed=$((passed + 1)); else
            failed=$((failed + 1))
            echo "FAILED: $name is no $kind: $table"
        fi
    done
done <<'KINDS'
FUNCTION|function of tyto eval
OPTION|option of tyto
VALUE|value of --
LAYER|layer of networks
NETWORK|network:
COMMAND|command
KINDS

# ---- man pages ----
expect 0 "" "$tyto" help --write "$dir/manual"
for command in "" $commands; do
    page=$dir/manual/man/man1/tyto${command:+-$command}.1
    # shellcheck disable=SC2086
    "$tyto" help --man $command >"$dir/page"
    same "$page" "$dir/page" "--write and --man $command"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS" ENVIRONMENT "SEE ALSO"; do
        expect 0 "" grep -qx ".SH $section" "$page"
    done
    if command -v groff >/dev/null; then
        groff -man -ww -z -Tutf8 "$page" >"$dir/warnings" 2>&1
        same /dev/null "$dir/warnings" "warnings of groff for $page"
    fi
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date' >"$dir/warnings"
        same /dev/null "$dir/warnings" "warnings of mandoc for $page"
    fi
done

# The statuses of man pages are those of docs/commands.md.
tree=$(cd "$(dirname "$0")/../.." && pwd)
sed -n 's/^EXIT("\([^"]*\)".*/\1/p' "$tree/src/tools/options/exits.def" >"$dir/statuses"
sed -n '/^## Exit status/,$s/^| \([0-9][^|]*\) |.*/\1/p' "$tree/docs/commands.md" >"$dir/documented"
expect 0 124 cat "$dir/statuses"
same "$dir/statuses" "$dir/documented" "exit statuses of docs/commands.md"

# ---- completion ----
share=$dir/manual/share
cd "$dir" || exit 1
mkdir folder && : >"two words.csv" && : >b.npy
if command -v bash >/dev/null; then
    # complete_bash WORD...: the completions of the last word
    complete_bash() {
        bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tyto; printf "%s\n" "${COMPREPLY[@]}"' bash \
            "$share/bash-completion/completions/tyto" "$@"
    }
    has "$(complete_bash tyto tr)" train "bash"
    has "$(complete_bash tyto --v)" --version "bash"
    has "$(complete_bash tyto train --opt)" --optimiser "bash"
    has "$(complete_bash tyto train --optimiser ad)" adamw "bash"
    has "$(complete_bash tyto train --optimiser = ad)" adamw "bash"
    has "$(complete_bash tyto train --loss =)" huber "bash"
    has "$(complete_bash tyto train res)" resnet50 "bash"
    has "$(complete_bash tyto train resnet50 --engine c)" cpu "bash"
    has "$(complete_bash tyto table tw)" "two words.csv" "bash"
    has "$(complete_bash tyto convert b)" b.npy "bash"
    has "$(complete_bash tyto demo --out fo)" folder "bash"
    has "$(complete_bash tyto help ev)" evaluate "bash"
    lacks "$(complete_bash tyto train --rate '')" b.npy "bash"
    lacks "$(complete_bash tyto demo --out '')" b.npy "bash"
fi
if command -v zsh >/dev/null; then
    # complete_zsh LINE: the line after the key of completion, in a terminal of its own
    cat >"$dir/zsh.zsh" <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='> '; unsetopt zle_bracketed_paste; stty columns 200; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $2; zstyle ':completion:*' menu no; setopt no_beep no_list_beep; show() { print -r -- \"<\$BUFFER>\"; BUFFER=''; zle .accept-line }; zle -N show; bindkey '^X' show; cd $3; print rea''dy"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$4"$'\t'
zpty -w -n shell $'\x18'
while zpty -r shell line '*'$'\n'; do [[ $line == *'<'*'>'* ]] && break; done
line=${line##*<}
print -r -- ${line%%>*}
ZSH
    complete_zsh() { timeout 20 zsh -f "$dir/zsh.zsh" "$share/zsh/site-functions" "$dir/dump" "$dir" "$1"; }
    expect 0 "" zsh -n "$share/zsh/site-functions/_tyto"
    has "$(complete_zsh 'tyto tra')" "tyto train " "zsh"
    has "$(complete_zsh 'tyto train --optimis')" "tyto train --optimiser=" "zsh"
    has "$(complete_zsh 'tyto train --optimiser=lio')" "tyto train --optimiser=lion " "zsh"
    has "$(complete_zsh 'tyto summary resnet5')" "tyto summary resnet50 " "zsh"
    has "$(complete_zsh 'tyto table tw')" 'tyto table two\ words.csv ' "zsh"
    has "$(complete_zsh 'tyto help eval')" 'tyto help eval' "zsh"
fi
if command -v fish >/dev/null; then
    complete_fish() {
        HOME=$dir fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$share/fish/vendor_completions.d/tyto.fish" "$1" |
            cut -f1
    }
    has "$(complete_fish 'tyto tr')" train "fish"
    has "$(complete_fish 'tyto train --opt')" --optimiser "fish"
    has "$(complete_fish 'tyto train --optimiser ad')" adamw "fish"
    has "$(complete_fish 'tyto summary res')" resnet50 "fish"
    has "$(complete_fish 'tyto table tw')" "two words.csv" "fish"
    has "$(complete_fish 'tyto help ev')" evaluate "fish"
    lacks "$(complete_fish 'tyto tr')" b.npy "fish"
    lacks "$(complete_fish 'tyto train --rate ')" b.npy "fish"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
