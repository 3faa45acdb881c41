#!/bin/sh
# The JSON of all commands against the forms of docs/json.md, results and messages.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
if ! command -v python3 >/dev/null; then
    echo "docs/json.md: not compared with the commands, which takes python3"
    exit 0
fi
here=$(cd "$(dirname "$0")" && pwd)
page=$(cd "$here/../.." && pwd)/docs/json.md
graph=$here/../../fuzz/corpus/graph/loops
seen=" "

form() { # SECTION FILE
    if python3 -B "$here/forms.py" "$page" check "$1" "$2"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $3"
        head -c 2000 "$2"
    fi
}
# prints STATUS COMMAND [ARGUMENT]...: results of the form of the command's section, messages of that of messages.
prints() {
    wanted=$1
    shift
    expect "$wanted" "" "$tyto" "$@" --json
    seen="$seen$1 "
    form "tyto $1" "$dir/out" "tyto $* --json"
    [ ! -s "$dir/err" ] || form Messages "$dir/err" "messages of tyto $* --json"
}
# fails STATUS WORDS COMMAND [ARGUMENT]...: no results, but messages with these words.
fails() {
    wanted=$1 words=$2
    shift 2
    expect "$wanted" "$words" "$tyto" "$@" --json
    form Messages "$dir/err" "messages of tyto $* --json"
    [ ! -s "$dir/out" ] || { failed=$((failed + 1)) && echo "FAILED: tyto $* prints results"; }
}

printf 'name,age,height\nAnn,30,1.7\nBob,40,1.8\nCat,,1.6\n' >"$dir/t.csv"
awk 'BEGIN { print "x,y,g"; for (i = 1; i < 40; i++) print i "," i * 10 + i % 3 "," (i % 2 ? "a" : "b") }' >"$dir/line.csv"
"$tyto" eval '[[1., inf], [nan, 4.]]' -o "$dir/m.npy"
printf '1,2\n3,4\n5,6\n' >"$dir/q.csv"
i=0
while [ $i -lt 60 ]; do echo "Die Eule flog über den Baum, $i mal."; i=$((i + 1)); done >"$dir/owl.txt"
# y = x + x, in ONNX's format, alone and as a case of a suite
mkdir -p "$dir/cases/double/test_data_set_0"
model=$dir/cases/double/model.onnx
printf '\010\010\022\000\072\065\012\016\012\001\170\012\001\170\022\001\171\042\003\101\144\144\022\001\147\132\017' >"$model"
printf '\012\001\170\022\012\012\010\010\001\022\004\012\002\010\002\142\017\012\001\171\022\012\012\010\010\001\022' >>"$model"
printf '\004\012\002\010\002\102\004\012\000\020\015' >>"$model"
"$tyto" eval 'cast([0.5, 2.], f32)' -o "$dir/x1.npy"

prints 0 bench mk,kn-\>mn m=8 k=8 n=8 --threads 1 --rounds 1
prints 0 contraction mk,kn-\>mn m=9 k=8 n=7 --threads 1 --rounds 1
prints 0 devices
prints 0 einsum ij,jk-\>ik "$dir/m.npy" "$dir/m.npy"
prints 0 einsum ij,jk-\>ik "$dir/m.npy" "$dir/m.npy" --path
prints 0 einsum ij,jk-\>ik "$dir/m.npy" "$dir/m.npy" --explain
prints 0 eval 'x, cast(x, c128), x > 2, sum(x)' x="$dir/m.npy"
prints 0 eval 'ttest_ind(x, x + [1., 2., 4.])' 'x=[1., 2., 3.]'
prints 0 eval --formula 'x * sin(x)' --grad x
prints 0 eval --functions histogram
prints 0 table "$dir/t.csv"
prints 0 table "$dir/t.csv" --describe
prints 0 info
prints 0 info "$dir/m.npy" "$dir/t.csv" --stats
prints 0 info "$model"
prints 1 info "$dir/none.npy" "$dir/m.npy"
prints 0 convert "$dir/m.npy" "$dir/m.csv"
prints 0 fit 'y ~ x + g' "$dir/line.csv"
prints 0 train "$dir/line.csv" --target y --epochs 1 --save "$dir/line"
prints 0 train "$dir/line.csv" --target g --epochs 1 --save "$dir/group"
prints 0 train "$dir/line.csv" --target y --epochs 1 --folds 2
prints 0 train "$dir/line.csv" --target y --find-rate
prints 0 predict "$dir/line" "$dir/line.csv"
prints 0 predict "$dir/group" "$dir/line.csv"
prints 0 evaluate "$dir/line" "$dir/line.csv"
prints 0 evaluate "$dir/group" "$dir/line.csv"
prints 0 infer mlp --batch 2 --runs 1 --memory
prints 0 summary lenet
prints 0 train char_lstm --data "$dir/owl.txt" --epochs 1 --save "$dir/owl"
prints 0 generate "$dir/owl" --prompt Eule --tokens 3
prints 0 graph "$graph"
prints 0 graph "$graph" q="$dir/q.csv" --run
prints 0 graph "$graph" --text --dot --formula --explain --steps 2 --html "$dir/page.html"
TY_PROFILE=$dir/profile.json prints 0 eval 'exp(ones([5])) + 1'
prints 0 profile "$dir/profile.json" --no-roof
prints 0 profile "$dir/profile.json" --rows 1
prints 0 run "$model" x="$dir/x1.npy"
prints 1 check "$dir/cases"
printf 'double has no data\n' >"$dir/list"
prints 0 check "$dir/cases" --list "$dir/list" --all
prints 0 compile "$model" -o "$dir/m.c" --weights file
prints 0 compile mlp -o "$dir/n.c"
prints 1 demo --steps 1 --eager-steps 1 --out "$dir/demo"
prints 0 plot 'sin(x)' 'x=linspace(0, 6, 50)'
prints 0 plot "$dir/t.csv:age" --to svg
prints 0 plot "$dir/t.csv:name" -o "$dir/names.png"
prints 0 help
prints 0 help train hist
prints 0 help --man train
prints 0 help --write "$dir/share"

# Every command has the option and a form, was called above, and tells misuse as it tells failures.
"$tyto" help --json >"$dir/help"
python3 -B "$here/forms.py" "$page" commands <"$dir/help" >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -gt 20 ] || { failed=$((failed + 1)) && echo "FAILED: commands are missing"; }
while read -r has name; do
    [ "$has" = yes ] || { failed=$((failed + 1)) && echo "FAILED: tyto $name lacks --json, or a form in docs/json.md"; }
    case $seen in *" $name "*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) && echo "FAILED: tyto $name was not called" ;; esac
    fails 2 'unknown option --nonsense' "$name" --nonsense
done <"$dir/commands"

# Messages have codes and places.
place() {
    if grep -qF -e "\"place\": $1" "$dir/err"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: expected the place $1"
        cat "$dir/err"
    fi
}
fails 1 '"code": "format"' eval 'sin('
place '{"column": 5}'
fails 1 '"code": "file"' eval x x="$dir/none.npy"
place '{"argument": "'"$dir/none.npy"'"}'
fails 1 '"code": "shape"' eval '[1, 2] + [1, 2, 3]'
printf 'a,b\n1,2\n3,4,5\n' >"$dir/ragged.csv"
fails 1 '"code": "format"' table "$dir/ragged.csv"
place '{"argument": "'"$dir/ragged.csv"'", "line": 3, "column": 3}'
fails 2 '"code": "usage"' train lenet --batch 0
place '{"argument": "--batch"}'
fails 2 '"code": "usage"' trian
fails 1 '"code": "file"' train lenet --data "$dir/none"
fails 124 '"code": "timeout"' eval 'sum(ones([4000, 4000]) @ ones([4000, 4000]))' --timeout 1e-6
fails 2 'both are written to the standard output' convert "$dir/m.npy" - --to csv
fails 2 'both are written to the standard output' graph "$graph" --html -
fails 2 'JSON has no bytes' plot '[1, 2]' --to png
# Notes of commands that succeed.
prints 0 convert "$dir/m.npy" "$dir/m.safetensors"
prints 0 plot "$(awk 'BEGIN { printf "[1"; for (i = 0; i < 50; i++) printf ", %d", i; print "]" }')"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
