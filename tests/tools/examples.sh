#!/bin/sh
# Examples: each line of the help of commands, and each line of the pages that begins with tyto or pipes into it, runs in
# a folder with the files that it names.  BUILD: where the binary lies.  A wrapper shortens trainings and measurements.
set -u
. "$(dirname "$0")/expect"
tree=$(cd "$(dirname "$0")/../.." && pwd)
TYTO=$(cd "$(dirname "$tyto")" && pwd)/tyto
mkdir "$dir/bin" "$dir/work" "$dir/home"
PATH=$dir/bin:$PATH HOME=$dir/home
export PATH TYTO HOME

cat >"$dir/bin/tyto" <<'END'
#!/bin/sh
command=${1:-}
case $command in
train)
    limit=32
    case "$*" in *gpt* | *char_lstm*) limit=700 ;; esac # tokens
    exec "$TYTO" "$@" --epochs 1 --limit $limit --batch 2 ;;
infer) exec "$TYTO" "$@" --runs 1 ;;
bench | contraction) exec "$TYTO" "$@" --rounds 1 ;;
generate) exec "$TYTO" "$@" --tokens 3 ;;
demo) # few steps reach no accuracy
    said=$("$TYTO" "$@" --steps 2 --eager-steps 2 2>&1)
    echo "$said"
    case $said in *"expected at least 97 %"*) exit 0 ;; esac
    exit 1 ;;
esac
exec "$TYTO" "$@"
END
chmod +x "$dir/bin/tyto"
command -v man >/dev/null || { printf '#!/bin/sh\ncat\n' >"$dir/bin/man" && chmod +x "$dir/bin/man"; }
cd "$dir/work" || exit 1
make() { "$TYTO" "$@" >"$dir/made" 2>&1 || { cat "$dir/made" && exit 1; }; }

# ---- arrays and tables ----
make eval 'reshape(arange(30.), (5, 6))' -o x.npy
make eval 'arange(3.)' -o w.npy
make eval 'arange(6.) + 1' -o y.npy
for name in a b c; do make eval 'reshape(arange(9.), (3, 3)) / 9' -o $name.npy; done
make eval '[1., 2., 3.]' -o v.npy
gzip -c y.npy >x.npy.gz
make eval 'reshape(arange(12.), (4, 3)), arange(3.)' --name layer1.weight --name layer1.bias -o weights.npz
make convert weights.npz weights.safetensors
make convert weights.npz data.npz
head -c 6000 /dev/zero | tr '\0' '\1' >samples.bin
make contraction 'mk,kn->mn' m=9 k=8 n=7 --rounds 1 -o one.json
cp one.json two.json
make eval '1 / (arange(50.) + 1)' -o loss.npy
make eval 'sin(arange(4000.) ** 2 / 3000)' -o sound.npy
make eval 'cast(reshape(arange(1280) % 256, (20, 8, 8)), u8), arange(20)' --name images --name labels -o digits.npz
awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) print i "," i * 2 + i % 3 }' >data.csv
cp data.csv table.csv
cp data.csv t.csv
gzip -c t.csv >t.csv.gz
awk 'BEGIN { print "PassengerId,Survived,Pclass,Sex,Age,Fare,Embarked"
    for (i = 1; i < 90; i++) print i "," i % 3 % 2 "," 1 + i % 3 "," (i % 2 ? "male" : "female") "," \
        (i % 9 ? i % 50 + 5 : "") "," i % 7 * 11 + 7.25 "," substr("SCQ", 1 + i % 3, 1) }' >titanic.csv
cp titanic.csv more.csv
sed -n "/^cat >net.json <<'END'/,/^END/p" "$tree/docs/networks.md" | sh # the page writes it
printf 'Embarked,port\nS,Southampton\nC,Cherbourg\nQ,Queenstown\n' >ports.csv
awk 'BEGIN { print "price,area,city,sold"
    for (i = 1; i < 60; i++) print 100 + i * 3 + i % 7 * 5 "," 40 + i + i % 5 "," substr("RomeOslo", 1 + i % 2 * 4, 4) "," \
        (i % 4 < 2 ? "yes" : "no") }' >homes.csv
head -20 homes.csv >new.csv
awk 'BEGIN { print "truth,predicted"; for (i = 0; i < 60; i++) print "class " i % 3 ",class " (i % 7 ? i % 3 : 0) }' >answers.csv
awk 'BEGIN { srand(1); for (i = 0; i < 900; i++) {
    line = "It was"; for (k = 0; k < 8; k++) line = line " " substr("owlnightmousemoonbarnwingfeathertree", 1 + int(rand() * 30), 3 + k % 4)
    print line "." } }' >book.txt
head -3 book.txt >beginning.txt
# ---- images: formats are recognised by their bytes ----
for folder in flowers photos; do
    for class in rose tulip; do
        mkdir -p $folder/$class
        for i in 1 2 3 4; do
            make eval "cast(reshape(arange(232 * 232 * 3) * $i % 251, (232, 232, 3)), u8)" -o $folder/$class/$i.png
        done
    done
done
cp flowers/rose/1.png picture.png
cp picture.png cat.jpg
cp picture.png rose.jpg

# ---- models of ONNX: fields of the messages, by their tags in octal ----
field() { printf "\\$1\\$(printf %03o ${#2})%s" "$2"; }
named() { field 012 "$(field 022 "$1")"; }     # a size with a name
sized() { field 012 "$(printf "\\010\\00$1")"; } # a size
port() { # TAG NAME TYPE SIZES
    field "$1" "$(field 012 "$2")$(field 022 "$(field 012 "$(printf "\\010\\00$3")${4:+$(field 022 "$4")}")")"
}
node=$(field 012 "$(field 012 x)$(field 012 x)$(field 022 y)$(field 042 Add)")
onnx() { # FILE INPUTS OUTPUT: y = x + x
    printf '\010\010' >"$1"
    field 072 "$node$(field 022 g)$2$3" >>"$1"
    printf '\102\002\020\015' >>"$1"
}
both="$(named batch)$(sized 6)"
onnx model.onnx "$(port 132 x 1 "$both")" "$(port 142 y 1 "$both")"
sides="$(named h)$(named w)$(named c)"
onnx classifier.onnx "$(port 132 x 1 "$sides")" "$(port 142 y 1 "$sides")"
sound="$(sized 1)$(named n)"
onnx speech.onnx "$(port 132 x 1 "$sound")$(port 132 sr 7 '')" "$(port 142 y 1 "$sound")"
make eval 'cast(x + x, f32)' x=x.npy --name y -o activations.npz
for case in test_add node/test_add node/test_none; do
    mkdir -p $case/test_data_set_0
    onnx $case/model.onnx "$(port 132 x 1 "$(sized 2)")" "$(port 142 y 1 "$(sized 2)")"
    printf '\010\002\020\001\112\010\000\000\000\077\000\000\000\100' >$case/test_data_set_0/input_0.pb
    printf '\010\002\020\001\112\010\000\000\200\077\000\000\200\100' >$case/test_data_set_0/output_0.pb
done
rm node/test_none/test_data_set_0/output_0.pb
echo 'test_none has no output' >failing.txt
cp "$tree/fuzz/corpus/graph/loops" step.graph
cp step.graph model.safetensors

# ---- weights ----
mkdir gpt2
# Each byte is a token, with the character that GPT-2 writes for it.
LC_ALL=C awk 'BEGIN {
    printf "{\"model\": {\"type\": \"BPE\", \"merges\": [], \"vocab\": {"
    for (b = 0; b < 256; b++) {
        own = (b > 32 && b < 127) || (b > 160 && b != 173)
        point = own ? b : 256 + others++
        sign = point < 128 ? sprintf("%c", point) : sprintf("%c%c", 192 + int(point / 64), 128 + point % 64)
        printf "%s\"%s%s\": %d", b ? ", " : "", sign ~ /["\\]/ ? "\\" : "", sign, b
    }
    print "}}, \"pre_tokenizer\": {\"type\": \"ByteLevel\"}, \"decoder\": {\"type\": \"ByteLevel\"}}" }' >tokenizer.json
cp tokenizer.json gpt2
u=64
make eval "z = zeros([$u]); o = ones([$u]); m = normal(($u, $u), key(1)) / 50; k = concat((m, m, m), 1); f = concat((m, m, m, m), 1);
    normal((256, $u), key(2)) / 50, normal((32, $u), key(3)) / 50, o, z, k, zeros([3 * $u]), m, z, o, z, f, zeros([4 * $u]), f.T, z, o, z" \
    --name wte.weight --name wpe.weight --name h.0.ln_1.weight --name h.0.ln_1.bias --name h.0.attn.c_attn.weight \
    --name h.0.attn.c_attn.bias --name h.0.attn.c_proj.weight --name h.0.attn.c_proj.bias --name h.0.ln_2.weight \
    --name h.0.ln_2.bias --name h.0.mlp.c_fc.weight --name h.0.mlp.c_fc.bias --name h.0.mlp.c_proj.weight \
    --name h.0.mlp.c_proj.bias --name ln_f.weight --name ln_f.bias -o gpt2/model.safetensors
make train lenet --epochs 1 --limit 32 --quiet --export lenet.safetensors
make train resnet18 flowers --classes 1000 --epochs 1 --limit 4 --batch 2 --quiet --layout pytorch --export resnet18.safetensors

# ---- lines ----
# Lines of the help of a command.
of_help() {
    COLUMNS=100 "$TYTO" help "$1" | awk '
        /^examples:/ { on = 1; next }
        !on { next }
        more { sub(/^ +/, ""); text = text " " $0 }
        !more { if ($0 !~ /^  [^ ]/) next; text = substr($0, 3) }
        { more = text ~ /\\$/; sub(/ *\\$/, "", text); if (!more) print text }'
}
# Lines of a page: STATUS, a blank, and the line without its prompt and its comment.  A line before a message fails.
of_page() {
    awk '/^```/ { if (held != "") print 0, held; held = ""; block = !block; on = block && /^```(sh|text)?$/; next }
        !on { next }
        held != "" { print /^tyto:|^\{"status"/ ? 1 : 0, held; held = "" }
        { line = $0; sub(/^[$] /, "", line); sub(/    .*/, "", line) }
        line ~ /\\$|[$]size/ { next }
        line ~ /^([A-Z_]+=[^ ]+ )?tyto |[|] tyto |^    .*tyto / { held = line }' "$1"
}
shell=$(command -v bash || echo sh)
# runs STATUS LINE WHERE
runs() {
    : >"$dir/stamp"
    if [ "${shell##*/}" = bash ]; then
        timeout 300 bash -o pipefail -c "$2" >"$dir/out" 2>"$dir/err" </dev/null
    else
        timeout 300 sh -c "$2" >"$dir/out" 2>"$dir/err" </dev/null
    fi
    got=$?
    # Bash runs the lines for its pipefail; they have the syntax of POSIX.
    sh -n -c "$2" 2>>"$dir/err" || got=syntax
    [ $got = 0 ] || [ "$1" = 0 ] || got=1
    written=$(find . "$HOME" -newer "$dir/stamp" -type f -size +0 | head -1)
    if [ "$got" = "$1" ] && { [ "$1" = 1 ] || [ -s "$dir/out" ] || [ -n "$written" ]; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $3: $2 : status $got (expected $1)"
        sed 's/^/    /' "$dir/err" "$dir/out" | head -8
    fi
}
lines=0
for name in $("$TYTO" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'); do
    of_help "$name" >"$dir/lines"
    [ -s "$dir/lines" ] || { failed=$((failed + 1)) && echo "FAILED: tyto help $name has no examples"; }
    while IFS= read -r line; do
        lines=$((lines + 1))
        runs 0 "$line" "tyto help $name"
    done <"$dir/lines"
done
# Trainings of GPT-2 take 2 GB and minutes; other pages with lines have tests of their own.
for page in commands data export json networks plots regression seeing text; do
    of_page "$tree/docs/$page.md" | grep -v 'tyto train gpt2 ' >"$dir/lines"
    [ -s "$dir/lines" ] || { failed=$((failed + 1)) && echo "FAILED: docs/$page.md has no lines"; }
    while read -r status line; do
        lines=$((lines + 1))
        runs "$status" "$line" "docs/$page.md"
    done <"$dir/lines"
done
# Lines of other shells: a pipe as a file, and the installation of completion.
while read -r program block; do
    command -v "$program" >/dev/null || continue
    line=$(sed -n "/^\`\`\`$block\$/,/^\`\`\`\$/p" "$tree/docs/commands.md" | grep '^tyto eval ')
    expect 0 "0. 0." "$program" -c "$line"
done <<'END'
bash bash
zsh bash
fish fish
END
while read -r program file; do
    command -v "$program" >/dev/null || continue
    block=$(sed -n "/^## Completion/,/^## [^C]/p" "$tree/docs/commands.md" | sed -n "/^\`\`\`$program\$/,/^\`\`\`\$/p" | grep -v '^```')
    expect 0 "tyto" "$program" -c "$block; cat ~/$file" </dev/null
done <<'END'
bash .local/share/bash-completion/completions/tyto
zsh .zfunc/_tyto
fish .config/fish/completions/tyto.fish
END
[ $lines -gt 110 ] || { failed=$((failed + 1)) && echo "FAILED: only $lines examples were found"; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
