#!/bin/sh
# Digits of --precision: each command with the option prints numbers of so many digits.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
here=$(cd "$(dirname "$0")" && pwd)
seen=" "

# digits COMMAND [ARGUMENT]...: with 9 digits some number has 6 behind its point, with 2 no number has.
digits() {
    seen="$seen$1 "
    expect "$wanted" "" "$tyto" "$@" --precision 9
    long=$(grep -cE '[0-9]\.[0-9]{6}' "$dir/out")
    expect "$wanted" "" "$tyto" "$@" --precision 2
    short=$(grep -cE '[0-9]\.[0-9]{6}' "$dir/out")
    if [ "$long" -gt 0 ] && [ "$short" = 0 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $* --precision: $long lines with 9 digits, $short with 2 have 6 behind the point"
        head -20 "$dir/out"
    fi
    expect 2 "--precision and --json" "$tyto" "$@" --precision 2 --json
}

wanted=0
awk 'BEGIN { print "x,y,g"; for (i = 1; i < 40; i++) print i "," i / 7 + i % 3 "," (i % 2 ? "a" : "b") }' >"$dir/line.csv"
printf 'a,b\n0.1234567891,1\n0.2,2\n' >"$dir/t.csv"
"$tyto" eval '[[0.123456789, 2.], [3., 4.]]' -o "$dir/m.npy"
"$tyto" eval '[[0.123456789, 2.], [3., 4.], [5., 6.]]' -o "$dir/q.npy"
printf '\010\010\022\000\072\065\012\016\012\001\170\012\001\170\022\001\171\042\003\101\144\144\022\001\147\132\017' >"$dir/m.onnx"
printf '\012\001\170\022\012\012\010\010\001\022\004\012\002\010\002\142\017\012\001\171\022\012\012\010\010\001\022' >>"$dir/m.onnx"
printf '\004\012\002\010\002\102\004\012\000\020\015' >>"$dir/m.onnx"
"$tyto" eval 'cast([0.123456789, 2.], f32)' -o "$dir/x.npy"

digits eval 'sin([1., 2.])'
digits eval 'histogram([0.123456789, 2.])'
digits eval 'sin([1., 2.])' -o - --to csv
digits einsum ij,jk-\>ik "$dir/m.npy" "$dir/m.npy"
digits table "$dir/t.csv"
digits table "$dir/t.csv" -o -
digits info "$dir/m.npy" --stats
digits fit 'y ~ x + g' "$dir/line.csv"
digits fit 'y ~ x + g' "$dir/line.csv" --predict "$dir/line.csv"
digits train "$dir/line.csv" --target y --epochs 1 --save "$dir/line"
digits train "$dir/line.csv" --target g --epochs 1 --save "$dir/group"
expect 0 "mean of 2 folds" "$tyto" train "$dir/line.csv" --target y --epochs 1 --folds 2 --precision 9
cp "$dir/out" "$dir/folds"
expect 0 "" grep 'mean of 2 folds: [-0-9]*[.][0-9]\{6\}[0-9]*, deviation [-0-9]*[.][0-9]\{6\}' "$dir/folds"
digits predict "$dir/line" "$dir/line.csv"
digits evaluate "$dir/line" "$dir/line.csv"
digits evaluate "$dir/group" "$dir/line.csv"
digits infer mlp --batch 2 --runs 1 --memory
digits bench mk,kn-\>mn m=50 k=50 n=50 --rounds 1
digits contraction mk,kn-\>mn m=9 k=8 n=7 --threads 1 --rounds 1
digits run "$dir/m.onnx" x="$dir/x.npy"
digits graph "$here/../../fuzz/corpus/graph/loops" q="$dir/q.npy" --run
digits summary resnet18
digits devices
TY_PROFILE=$dir/profile.json "$tyto" eval 'exp(ones([5])) + 1' >/dev/null
digits profile "$dir/profile.json" --no-roof
for name in check compile plot generate; do
    expect 2 "unknown option --precision, an option of eval, einsum, contraction" "$tyto" $name --precision 2
done
wanted=1 # few steps reach no accuracy
digits demo --steps 2 --eager-steps 2 --out "$dir/demo"
expect 2 "files of the format npy have all digits" "$tyto" eval 'sin([1., 2.])' -o "$dir/sin.npy" --precision 3
# Digits of a file of numbers are its own option, of the file's format.
seen="$seen convert "

for name in $("$tyto" --help | awk '/^  [a-z]/ { print $1 }'); do
    "$tyto" "$name" --help | grep -q -e '--precision' || continue
    case $seen in *" $name "*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) && echo "FAILED: tyto $name was not called" ;; esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
