#!/bin/sh
# The tyto command: help, misuse, failures, checkpoints, interrupts.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
absent() {
    if [ ! -e "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $1 was left"; fi
}
small="--limit 300 --batch 50 --epochs 1 --quiet"

expect 0 "usage: tyto COMMAND" "$tyto" --help
expect 0 "tyto 0." "$tyto" --version
expect 0 "--resume FILE" "$tyto" train --help
expect 0 "--out DIR" "$tyto" demo --help
expect 0 "instructions" "$tyto" info
expect 0 "cpu          cpu" "$tyto" devices
expect 0 "opencl" "$tyto" devices
expect 0 "{\"devices\": [" "$tyto" devices --json
expect 2 "a command is missing" "$tyto"
expect 2 "did you mean train?" "$tyto" trian
expect 2 "unknown command xyzzy" "$tyto" xyzzy
expect 2 "unknown option --timeout; see tyto --help (options of a command follow it)" "$tyto" --timeout 3 eval 1
expect 2 "unknown option --versoin (did you mean --version?)" "$tyto" --versoin
expect 2 "did you mean --batch?" "$tyto" train lenet --bach 5
expect 2 "unknown option --bach (did you mean --batch?)" "$tyto" train lenet --bach=a-long-value
expect 2 "unknown option --timeoutt (did you mean --timeout?)" "$tyto" eval 1 --timeoutt 3
expect 2 "unknown option --timeoutt (did you mean --timeout?)" "$tyto" eval 1 --timeoutt=3
expect 2 "did you mean --help?" "$tyto" eval --hepl
expect 2 "--timeout needs a value" "$tyto" eval 1 --timeout
expect 2 "--timeout 0: expected a number above 0" "$tyto" eval 1 --timeout 0
expect 2 "--timeout x: expected a number above 0" "$tyto" eval 1 --timeout=x
expect 0 "3" "$tyto" eval "1 + 2" --timeout=100
expect 2 "--cache needs a value" "$tyto" eval 1 --cache
expect 2 "--cache -1: expected" "$tyto" eval 1 --cache -1
expect 2 "--cache 64M: expected" "$tyto" eval 1 --cache=64M
expect 0 "3" "$tyto" eval "1 + 2" --cache 0
expect 0 "--cache BYTES" "$tyto" einsum --help
expect 124 "timeout" "$tyto" eval "sum(ones([4000, 4000]) @ ones([4000, 4000]))" --timeout 1e-6
expect 0 "--timeout SECONDS" "$tyto" einsum --help
expect 2 "--engine nul (did you mean null?)" "$tyto" einsum "i,i->" a b --engine nul
expect 2 "--dtype f46 (did you mean f16?)" "$tyto" contraction "mk,kn->mn" --dtype f46
expect 2 "--schedule cosin (did you mean cosine?)" "$tyto" train lenet --schedule cosin
printf 'height,width,price\n1,2,3\n4,5,6\n' >"$dir/prices.csv"
expect 1 "has no column \"prise\", the target (did you mean price?); its" "$tyto" train lenet --data "$dir/prices.csv" --target prise
awk 'BEGIN { print "x,y"; for (i = 1; i < 13; i++) print i "," i * 10 }' >"$dir/line.csv"
expect 1 "--classes 4: the target of $dir/line.csv has numbers; --task classes" "$tyto" train "$dir/line.csv" --classes 4
expect 2 "--every: expected --save, too" "$tyto" train "$dir/line.csv" --every 3
expect 1 "x is given twice" "$tyto" eval x x=1 x=2
expect 2 "--batch needs a value" "$tyto" train lenet --batch
expect 2 "expected a whole number of at least 1" "$tyto" train lenet --batch 0
expect 2 "expected a whole number of at least 1" "$tyto" train lenet --epochs=12x
expect 2 "expected a number above 0" "$tyto" train lenet --rate nan
expect 2 "expected a number of at least 0 and below 1" "$tyto" train lenet --validate 1
expect 2 "did you mean lenet?" "$tyto" train lenat
expect 2 "the network is missing" "$tyto" train
expect 2 "unexpected argument \"thrice\"" "$tyto" train lenet twice thrice
expect 2 "did you mean adam?" "$tyto" train lenet --optimiser adan
expect 1 "/no/such/folder" "$tyto" train lenet --data /no/such/folder
expect 1 "a batch of 500 from 300 examples" "$tyto" train lenet --limit 300 --batch 500
# shellcheck disable=SC2086
expect 1 "/no/such/file" "$tyto" train lenet $small --resume /no/such/file
# shellcheck disable=SC2086
expect 1 "/no/such/folder/file" "$tyto" train lenet $small --save /no/such/folder/file

# One run in two halves gives the losses of the whole, whatever the number of threads.
common="--limit 300 --batch 50 --quiet --optimiser adam"
# shellcheck disable=SC2086
expect 0 "validation accuracy" "$tyto" train lenet $common --epochs 2 --log "$dir/whole" --threads 1
# shellcheck disable=SC2086
expect 0 "validation accuracy" "$tyto" train lenet $common --epochs 1 --log "$dir/first" --save "$dir/check" --threads 2
# shellcheck disable=SC2086
expect 0 "validation accuracy" "$tyto" train lenet $common --epochs 2 --log "$dir/second" --resume "$dir/check" --threads 2
cat "$dir/first" "$dir/second" >"$dir/both"
same "$dir/whole" "$dir/both" "losses after resuming differ from those of the whole run"

# Nothing but the checkpoint is left; a flipped bit is refused.
[ "$(find "$dir" -name '*check*' | wc -l)" = 1 ] || { failed=$((failed + 1)) && echo "FAILED: a partial file was left"; }
cp "$dir/check" "$dir/flipped"
printf '\377\377' | dd of="$dir/flipped" bs=1 seek=100000 conv=notrunc 2>/dev/null
# shellcheck disable=SC2086
expect 1 "$dir/flipped" "$tyto" train lenet $common --resume "$dir/flipped"
# shellcheck disable=SC2086
expect 1 "the checkpoint was written with the optimiser adam, but this training has sgd" "$tyto" train lenet $small --optimiser sgd --resume "$dir/check"
# shellcheck disable=SC2086
absent "$dir/none" && expect 1 "none/log: its directory cannot be opened" "$tyto" train lenet $common --log "$dir/none/log"

# MNIST's files: blank images and labels do; the last byte missing does not.
idx() { # FILE HEADER COUNT: the header's octal escapes, then zeros
    { printf "$2" && head -c "$3" /dev/zero; } >"$1"
}
mkdir "$dir/mnist"
idx "$dir/mnist/train-images-idx3-ubyte" '\000\000\010\003\000\000\352\140\000\000\000\034\000\000\000\034' 47040000
idx "$dir/mnist/train-labels-idx1-ubyte" '\000\000\010\001\000\000\352\140' 60000
idx "$dir/mnist/t10k-images-idx3-ubyte" '\000\000\010\003\000\000\047\020\000\000\000\034\000\000\000\034' 7840000
idx "$dir/mnist/t10k-labels-idx1-ubyte" '\000\000\010\001\000\000\047\020' 10000
# shellcheck disable=SC2086
expect 0 "validation accuracy 100.00 %" "$tyto" train lenet $small --data "$dir/mnist"
idx "$dir/mnist/t10k-labels-idx1-ubyte" '\000\000\010\001\000\000\047\020' 9999
# shellcheck disable=SC2086
expect 1 "$dir/mnist/t10k-labels-idx1-ubyte" "$tyto" train lenet $small --data "$dir/mnist"

# Files: what they hold, and one format into another.
printf 'time,value\n1,2.5\n3,NA\n' >"$dir/t.csv"
printf '1,2\n3,4\n' >"$dir/same.csv"
expect 0 "csv, 1 tensor" "$tyto" info "$dir/t.csv"
expect 0 "columns: time,value" "$tyto" info "$dir/t.csv"
expect 0 "tyto convert table.csv" "$tyto" convert --help
expect 0 "tyto info weights.safetensors" "$tyto" info --help
expect 0 "" "$tyto" convert "$dir/t.csv" "$dir/t.npy"
expect 0 "f64               4              32  (2, 2)" "$tyto" info "$dir/t.npy"
expect 0 "min 1  max 3  mean 2.1666667  1 gap (NaN)" "$tyto" info "$dir/t.npy" --stats
expect 0 "" "$tyto" eval "ones((2, 3), f32) * nan" -o "$dir/gaps.npy"
expect 0 "    6 gaps (NaN)" "$tyto" info "$dir/gaps.npy" --stats
expect 0 "" "$tyto" eval "cast([[1, 2], [3, -6], [0, 1.5]], f4_e2m1)" -o "$dir/narrow.safetensors"
expect 0 "f4_e2m1             6               3  (3, 2)" "$tyto" info "$dir/narrow.safetensors"
expect 0 "    min -6  max 3  mean 0.25" "$tyto" info "$dir/narrow.safetensors" --stats
expect 0 "" "$tyto" convert "$dir/narrow.safetensors" "$dir/narrow.safetensors" --dtype f8_e4m3fn
expect 0 "f8_e4m3fn             6               6  (3, 2)" "$tyto" info "$dir/narrow.safetensors"
expect 0 "f4_e2m1 i4 u4 i2 u2" "$tyto" info
printf '1925043636869802844,-3\n7,9007199254740993\n' >"$dir/ids.csv"
expect 0 "min -3  max 1925043636869802844" "$tyto" info "$dir/ids.csv" --stats
printf '1925043636869802844,0.5\n' >"$dir/ids.csv"
expect 1 "column 1 (0) has 1925043636869802844 in row 0, counted from 0, which would lose digits" "$tyto" convert "$dir/ids.csv" "$dir/ids.npy"
expect 0 "whole   i64" "$tyto" info "$dir/ids.csv"
expect 0 "max 1.925" "$tyto" info "$dir/ids.csv" --rounded --stats
expect 0 "" "$tyto" convert "$dir/t.npy" "$dir/t.npz" --rename x --dtype f32
expect 0 "x     f32" "$tyto" info "$dir/t.npz"
expect 1 "has no tensor y" "$tyto" convert "$dir/t.npz" "$dir/y.npy" --name y
expect 0 "" "$tyto" convert "$dir/t.npz" "$dir/u.csv" --name x --precision 3 --to-delimiter tab --to-header "a	b"
printf 'a\tb\n1\t2.5\n3\tnan\n' >"$dir/want"
same "$dir/want" "$dir/u.csv" "csv with options differs"
expect 0 "" "$tyto" convert "$dir/u.csv" "$dir/again.npy"
expect 0 "" "$tyto" convert "$dir/t.npy" "$dir/t.bin"
expect 0 "" "$tyto" convert "$dir/t.bin" "$dir/raw.npy" --raw-dtype f64 --raw-shape 2,2
same "$dir/t.npy" "$dir/raw.npy" "raw and back differs"
expect 1 "--raw-shape 2,x" "$tyto" convert "$dir/t.bin" "$dir/raw.npy" --raw-dtype f64 --raw-shape 2,x
expect 1 "--raw-shape 2," "$tyto" convert "$dir/t.bin" "$dir/raw.npy" --raw-dtype f64 --raw-shape 2,
expect 1 "--raw-shape 99999999999999999999" "$tyto" convert "$dir/t.bin" "$dir/raw.npy" --raw-dtype f64 --raw-shape 99999999999999999999
expect 2 "expected one of bool, i8" "$tyto" convert "$dir/t.npy" "$dir/v.npy" --dtype float
expect 2 "expected one character" "$tyto" convert "$dir/t.npy" "$dir/v.csv" --to-delimiter ab
expect 2 "needs two files" "$tyto" convert "$dir/t.npy"
expect 2 "expected a name that ends in the format to write" "$tyto" convert "$dir/t.npy" "$dir/v.tiff"
expect 2 "unknown format \"jpg\"" "$tyto" convert "$dir/t.npy" "$dir/v.tiff" --to jpg
expect 2 "unknown format \"safetensor\" (did you mean safetensors?)" "$tyto" convert "$dir/t.npy" "$dir/v.tiff" --to safetensor
printf 'age,income,"home, sweet"\n30,1.5,Oslo\n,2.5,Rio\n40,3,Oslo\n' >"$dir/people.csv"
expect 0 "whole   i64               1                age" "$tyto" info "$dir/people.csv"
expect 0 "words   i32               0             2  home, sweet" "$tyto" info "$dir/people.csv"
expect 0 "1  NaN     2.5  Rio" "$tyto" info --stats "$dir/people.csv"
expect 0 "7.0" "$tyto" eval "sum(x)" x="$dir/people.csv:income"
expect 0 "[30. nan 40.]" "$tyto" eval "x" x="$dir/people.csv:age"
expect 0 "[0 1 0]" "$tyto" eval "x" x="$dir/people.csv:home, sweet"
expect 0 "[40.   3. ]" "$tyto" eval "x" "x=$dir/people.csv[[\"age\",\"income\"]]"
expect 0 "[40.   3. ]" "$tyto" eval "x" "x=$dir/people.csv:age,income"
# Words of other systems are known by their meaning.
expect 1 "unknown function hist (did you mean histogram?)" "$tyto" eval "hist(x)" x=[1,2]
expect 0 "normal(" "$tyto" eval --functions randn
expect 2 "unknown option --optimizer (did you mean --optimiser?)" "$tyto" train mlp --optimizer adam
expect 2 "unknown option --lr (did you mean --rate?)" "$tyto" train mlp --lr 0.1
expect 2 "unknown network resnet (did you mean resnet50?)" "$tyto" train resnet
# Inputs may be written out; names of files that exist are files.
expect 0 "6" "$tyto" eval "sum(x)" "x=[1, 2, 3]"
expect 0 "[2. 4. 6.]" "$tyto" eval "x * x" "x=[1,2,3]" --grad x
expect 0 "∂y/∂x = sin(x) + x·cos(x)" "$tyto" eval --lazy --formula "x*sin(x)" --grad x
expect 0 "x * sin(x)" "$tyto" eval --formula=ascii "x*sin(x)"
expect 0 "\\alpha \\, \\sin" "$tyto" eval --formula latex "alpha*sin(alpha)"
expect 0 "<mi>sin</mi>" "$tyto" eval "x*sin(x)" --formula mathml
expect 0 "f = exp(y)" "$tyto" eval "t = exp(y); t" --formula --grad y
expect 0 "y = Σᵢ₌₀² xᵢ²" "$tyto" eval --formula "sum(x**2)" x=[1,2,3] --grad x
expect 0 "π·n" "$tyto" eval --formula "np.pi * n"
expect 2 "expected text, ascii, latex or mathml" "$tyto" eval --formula=word "x"
expect 2 "-o has no effect" "$tyto" eval --formula "x" -o "$dir/x.npy"
expect 1 "unknown function" "$tyto" eval --formula "sine(x)"
expect 1 "--grad z: unknown input" "$tyto" eval --formula "x" --grad z
expect 0 "-1.5" "$tyto" eval "x" x=-1.5
expect 1 "x=[1,2: no such file, nor an array such as 3 or [1, 2]: column 5: expected ']'" "$tyto" eval x "x=[1,2"
expect 1 "../none.npy: cannot be opened" "$tyto" eval x x=../none.npy
cp "$dir/people.csv" "$dir/3.csv"
full=$(cd "$(dirname "$tyto")" && pwd)/tyto
(cd "$dir" && "$full" eval "sum(x)" x=3.csv:income >out3)
expect 0 "7.0" cat "$dir/out3"
expect 1 "has no column \"town\"; its 3 columns are age, income, home, sweet" "$tyto" eval "x" x="$dir/people.csv:town"
columns="$dir/people.csv"
expect 1 "people.csv[age,income: expected ']' to close the list of columns, found the end of the text" "$tyto" eval x "x=${columns}[age,income"
expect 1 "people.csv[[age]: expected ']' to close the list of columns, found the end of the text" "$tyto" eval x "x=${columns}[[age]"
expect 1 "expected the end of the text behind ']', found \"]\"" "$tyto" eval x "x=${columns}[age]]"
expect 1 "expected '\"' to close the name, found the end of the text" "$tyto" eval x "x=$columns[\"age]"
expect 1 "expected ',' or ']' behind the name, found \"x]\"" "$tyto" eval x "x=${columns}['age'x]"
expect 1 "people.csv[[: expected the name of a column, found the end of the text" "$tyto" eval x "x=${columns}[["
expect 1 "people.csv[[[age]]]: expected the name of a column, found \"[age]]]\"" "$tyto" eval x "x=${columns}[[[age]]]"
expect 1 "people.csv[]: expected the name of a column, found \"]\"" "$tyto" eval x "x=${columns}[]"
expect 1 "people.csv[age,]: expected the name of a column, found \"]\"" "$tyto" einsum ij "${columns}[age,]"
expect 1 "people.csv:: expected the name of a column, found the end of the text" "$tyto" eval x "x=$columns:"
expect 1 "people.csv:age,: expected the name of a column, found the end of the text" "$tyto" eval x "x=$columns:age,"
expect 1 'has no column "]"' "$tyto" eval x "x=$columns:]"
printf 'a[0],b:c,"d]"\n1,2,3\n4,5,6\n' >"$dir/odd[1].csv"
expect 0 "[1 4]" "$tyto" eval x "x=$dir/odd[1].csv:a[0]"
expect 0 "[2 5]" "$tyto" eval x "x=$dir/odd[1].csv:b:c"
expect 0 "[3 6]" "$tyto" eval x "x=$dir/odd[1].csv[\"d]\"]"
expect 0 "[[1 2 3]" "$tyto" eval x "x=$dir/odd[1].csv"
printf '1,2\n3,x\n4\n' >"$dir/short.csv"
expect 1 "short.csv:3: column 2: the record has 1 cell; expected 2" "$tyto" info "$dir/short.csv"
printf '1,2\n3\n' >"$dir/ragged.csv"
expect 1 "ragged.csv:2: column 2: the record has 1 cell; expected 2" "$tyto" convert "$dir/ragged.csv" "$dir/v.npy"
absent "$dir/v.npy"
expect 1 "cannot be opened" "$tyto" info "$dir/none"
expect 0 "conv1.weight" "$tyto" info "$dir/check" --from safetensors

# An interrupt saves and exits as the signal would have.
"$tyto" train lenet --limit 2000 --epochs 1000 --quiet --save "$dir/stopped" --log "$dir/steps" >"$dir/out" 2>"$dir/err" &
id=$!
for _ in $(seq 600); do
    [ -s "$dir/steps" ] && break
    sleep 0.2
done
kill -INT $id 2>/dev/null
wait $id
got=$?
if [ $got = 130 ] && [ -e "$dir/stopped" ] && grep -q "stopped at step" "$dir/err"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: an interrupt gave status $got (expected 130)"
    cat "$dir/err"
fi

# Expressions over files.
expect 0 "" "$tyto" convert "$dir/ragged.csv" "$dir/v.npy" --ragged
expect 1 "people.csv:2: column 3: (home, sweet) has \"Oslo\", which is not a number" "$tyto" convert "$dir/people.csv" "$dir/v.npy"
expect 0 "" "$tyto" convert "$dir/people.csv" "$dir/v.safetensors" --words --rename x
expect 0 "words:2: Oslo,Rio" "$tyto" info "$dir/v.safetensors"
printf 'title\nx;y\n1,5;-99\n2,5;3\n' >"$dir/odd.csv"
odd="--skip-rows 1 --delimiter ; --decimal , --missing -99,none --header first"
expect 0 "[  2. -48.]" "$tyto" eval "mean(x, axis=0)" x="$dir/odd.csv:x,y" --skip-rows 1 --missing 0
expect 0 "[nan  3.]" "$tyto" eval "y" y="$dir/odd.csv:y" $odd
expect 0 "columns: x,y" "$tyto" info "$dir/odd.csv" $odd
expect 0 "" "$tyto" convert "$dir/odd.csv" "$dir/v.npy" $odd
expect 0 "[1.5 nan]" "$tyto" eval "x[0]" x="$dir/v.npy"
expect 2 "--header last: expected one of guess, first, none" "$tyto" info "$dir/odd.csv" --header last
expect 2 "--decimal ab: expected one character" "$tyto" fit "y ~ x" "$dir/odd.csv" --decimal ab
expect 0 "csv, 3 rows, 3 columns" sh -c "cat '$dir/people.csv' | '$tyto' info -"
expect 0 "7.0" sh -c "cat '$dir/people.csv' | '$tyto' eval 'sum(x)' x=-:income"
expect 0 "7.0" sh -c "'$tyto' eval 'sum(x)' x=/dev/stdin:income <'$dir/people.csv'"
expect 0 "Linear regression of income" sh -c "gzip -c '$dir/people.csv' | '$tyto' fit 'income ~ age' -"
expect 0 "" sh -c "cat '$dir/ids.csv' | '$tyto' convert - '$dir/v.npy' --rounded"
expect 1 "/dev/stdin:3: column 2: the record has 1 cell" sh -c "printf '1,2\n3,4\n5\n' | '$tyto' info -"
for command in train predict evaluate fit eval einsum graph info convert; do
    expect 0 "--missing TEXT" "$tyto" $command --help
done
printf '1,2\n3,4\n' >"$dir/a.csv"
expect 0 "[4 6]" "$tyto" eval "sum(a, axis=0)" a="$dir/a.csv"
expect 0 "" "$tyto" eval "a @ a, a * 2" a="$dir/a.csv" -o "$dir/two.npz"
expect 0 "result_1" "$tyto" info "$dir/two.npz"
expect 0 "7" "$tyto" eval "t[0, 0]" t="$dir/two.npz:result_0" --engine ref
expect 0 "" "$tyto" eval "sum(a ** 2)" a="$dir/a.csv" --grad a -o "$dir/g.npz"
expect 0 "d_a" "$tyto" info "$dir/g.npz"
expect 0 "digraph" sh -c "'$tyto' eval 'sum(sin(a))' a='$dir/a.csv' --dot '$dir/g.dot' >/dev/null && cat '$dir/g.dot'"
expect 0 "<svg" sh -c "'$tyto' eval 'sum(sin(a))' a='$dir/a.csv' --dot '$dir/g.svg' >/dev/null && cat '$dir/g.svg'"
expect 0 "tyto_page" sh -c "'$tyto' eval 'sum(sin(a))' a='$dir/a.csv' --dot '$dir/g.html' >/dev/null && cat '$dir/g.html'"
expect 1 "column 1: sum of i64[2,2]: axis 5 is out of bounds" "$tyto" eval "sum(a, axis=5)" a="$dir/a.csv"
expect 1 "    ^" "$tyto" eval "a + b" a="$dir/a.csv"
expect 1 "unknown input" "$tyto" eval "sum(a)" a="$dir/a.csv" --grad b
expect 1 "--grad lenght: unknown input (did you mean length?)" "$tyto" eval "sum(length)" length="$dir/a.csv" --grad lenght
expect 2 "an expression is missing" "$tyto" eval
# Any number of arguments.
awk 'BEGIN { for (i = 0; i < 300; i++) printf "c%d%s", i, i < 299 ? "," : "\n"; for (i = 0; i < 300; i++) printf "%d%s", i % 3, i < 299 ? "," : "\n" }' >"$dir/columns.csv"
many() { awk -v form="$1 " 'BEGIN { for (i = 0; i < 300; i++) printf form, i }'; }
# shellcheck disable=SC2046
{
    expect 0 "" "$tyto" eval "sum($(many "x%d +") 0)" $(many "x%d=$dir/columns.csv:c299") --engine ref $(many "--grad x%d") -o "$dir/many.npz"
    expect 0 "d_x299" "$tyto" info "$dir/many.npz"
    expect 0 "[1 row x 300 columns]" "$tyto" table "$dir/columns.csv" $(many "--select c%d") $(many "--sort c%d")
    expect 0 "c299_max" "$tyto" table "$dir/columns.csv" --width 10000 $(many "--value max:c%d")
    expect 1 "the equation has 2 operands and 300 were given" "$tyto" einsum "i,j" $(many "$dir/columns.csv:c%d")
}
expect 0 "-3" "$tyto" eval -- "-1 - 2"
expect 0 "sin(x) : sine of x in radians" "$tyto" eval --functions

# Saved graphs.
graph="$SOURCE/fuzz/corpus/graph/loops"
expect 0 "w f32[2,2]" "$tyto" graph "$graph"
expect 0 "loop" "$tyto" graph "$graph" --text
expect 0 "digraph" "$tyto" graph "$graph" --dot
expect 0 " = " "$tyto" graph "$graph" --formula
expect 0 "r0 = f32 operand 0 at" "$tyto" graph "$graph" --explain
printf '1,2\n3,4\n5,6\n' >"$dir/q.csv"
expect 0 "[10. 12.]" "$tyto" graph "$graph" q="$dir/q.csv" --run
expect 0 "[10. 12.]" "$tyto" graph "$graph" "q=[[1, 2], [3, 4], [5, 6]]" --run
expect 0 "0.9225611" "$tyto" graph "$graph" --steps 2
expect 0 "" "$tyto" graph "$graph" --html "$dir/page.html"
expect 0 "\"tyto_page\":1" cat "$dir/page.html"
expect 0 "[10. 12.]" env TY_PROFILE="$dir/p.json" "$tyto" graph "$graph" q="$dir/q.csv" --run
expect 0 "" "$tyto" graph "$graph" --html "$dir/page.html" --profile "$dir/p.json"
expect 0 "\"profile\":{\"rows\":" cat "$dir/page.html"
expect 1 "/no/such/folder/page.html" "$tyto" graph "$graph" --html /no/such/folder/page.html
expect 2 "--profile needs --html" "$tyto" graph "$graph" --profile "$dir/p.json"
expect 1 "the graph has no variable p" "$tyto" graph "$graph" p="$dir/q.csv"
expect 1 "the graph has no variable Q (did you mean q?)" "$tyto" graph "$graph" Q="$dir/q.csv"
expect 1 "is not a safetensors file" "$tyto" graph "$dir/a.csv"
expect 2 "a file is missing" "$tyto" graph

# Einsum over files, its path, and how fast it is.
expect 0 "" "$tyto" eval "reshape(arange(0, 6), (2, 3)), reshape(arange(0, 12), (3, 4)), ones((4, 2))" -o "$dir/abc.npz"
a="$dir/abc.npz:result_0" b="$dir/abc.npz:result_1" c="$dir/abc.npz:result_2"
expect 0 "" "$tyto" eval "sum(arange(0, 6))" -o "$dir/sum.npy"
expect 0 "[296 296]" sh -c "'$tyto' einsum 'ij,jk,kl->il' '$a' '$b' '$c' | tr -d '.' | sed 's/ \+/ /g'"
expect 0 "[[ 98  98]" sh -c "'$tyto' einsum 'ij,jk,kl->il' '$a' '$b' '$c' -o '$dir/y.npy' && '$tyto' eval 'cast(y, i64)' y='$dir/y.npy'"
expect 0 "[[ 98  98]" sh -c "'$tyto' einsum '[[i,j],[[j,k],[k,l]->[j,l]]->[i,l]]' '$a' '$b' '$c' -o '$dir/y.npy' && '$tyto' eval 'cast(y, i64)' y='$dir/y.npy'"
expect 0 "jk,kl->jl" "$tyto" einsum "ij,jk,kl->il" "$a" "$b" "$c" --path --objective flops
expect 0 "best in time (left to right)" "$tyto" einsum "ij,jk,kl->il" "$a" "$b" "$c" --path --strategy left
expect 0 "measured" "$tyto" einsum "ij,jk,kl->il" "$a" "$b" "$c" --explain --threads 1
expect 0 "" "$tyto" eval "ones((40, 50)), ones((50, 60))" -o "$dir/wide.npz"
wide="$dir/wide.npz:result_0" wider="$dir/wide.npz:result_1"
expect 0 "split: split dimensions into boxes" "$tyto" einsum "ij,jk->ik" "$wide" "$wider" --explain
expect 1 "" sh -c "TY_CONTRACT_WITHOUT=split '$tyto' einsum 'ij,jk->ik' '$wide' '$wider' --explain | grep 'split:'"
expect 0 "contraction after split" env TY_DEBUG=3 "$tyto" einsum "ij,jk->ik" "$a" "$b"
expect 1 "more than the limit of 8" "$tyto" einsum "ij,jk,kl->il" "$a" "$b" "$c" --memory 8
expect 1 "letter j is 3 in axis 1 of the first operand and 2 in axis 0 of the second" "$tyto" einsum "ij,jk" "$a" "$a"
expect 1 "column 4: '1' is not a letter" "$tyto" einsum "ij,1" "$a" "$b"
expect 1 "the equation has 2 operands and 1 was given" "$tyto" einsum "ij,jk" "$a"
expect 1 "has 3 arrays: result_0, result_1, result_2; expected one" "$tyto" einsum "ij" "$dir/abc.npz"
expect 1 "abc.npz: unknown tensor \"r\"; expected one of result_0, result_1, result_2" "$tyto" einsum "ij" "$dir/abc.npz:r"
expect 1 "abc.npz: unknown tensor \"result1\" (did you mean result_1?); expected one of result_0" "$tyto" einsum "ij" "$dir/abc.npz:result1"
expect 0 "15" "$tyto" einsum "" "$dir/sum.npy"
expect 1 "cannot be opened" "$tyto" einsum "ij" "$dir/none.npy"
expect 2 "needs an equation and a file" "$tyto" einsum
expect 2 "--path computes no result" "$tyto" einsum "ij,jk" "$a" "$b" --path -o "$dir/y.npy"
expect 2 "--objective speed: expected one of time, flops, memory" "$tyto" einsum "ij" "$a" --objective speed
expect 0 "tyto einsum 'ii' a.npy" "$tyto" einsum --help
expect 0 "GFLOP/s" "$tyto" bench "ij,jk->ik" i=8 j=8 k=8 --threads 1,2 --rounds 1
expect 0 "best in the order of the tree" "$tyto" bench "[[i1,j],[j,k]->[i1,k]]" i1=8 j=8 k=8 --rounds 1 --dtype i32
expect 1 "letter j: has no size; add j=SIZE" "$tyto" bench "ij,jk" i=3 k=4
expect 1 "x=3: the equation has no such letter" "$tyto" bench "ij,jk" i=3 k=4 x=3
expect 2 "expected NAME=SIZE" "$tyto" bench "ij,jk" i=0
expect 2 "expected numbers of threads" "$tyto" bench "ij,jk" --threads 1,x
expect 2 "expected numbers of threads from 1 to 1024" "$tyto" bench "ij,jk" --threads 10000
for command in "einsum ij,jk->ik $a $b" "eval 1+1" "train lenet" demo; do
    # shellcheck disable=SC2086
    expect 2 "--threads 10000: expected a whole number from 1 to 1024" "$tyto" $command --threads 10000
done
expect 1 "letter i: has two sizes, 4 and 5" "$tyto" bench "ij,jk" i=4 i=5 j=3 k=2
expect 2 "expected a name that ends in the format to write" "$tyto" einsum "ij,jk" "$dir/none.npy" "$b" -o "$dir/o.xyz"
expect 2 "expected a name that ends in the format to write" "$tyto" eval "1+1" -o "$dir/o.npz.gz"
expect 0 "workspace" "$tyto" einsum "ij,jk->ik" "$a" "$b" --explain --workspace 4096
expect 2 "expected a whole number of at least 1" "$tyto" einsum "ij,jk->ik" "$a" "$b" --workspace lots
expect 2 "TY_CONTRACT_WITHOUT is \"split,pck\"" env TY_CONTRACT_WITHOUT=split,pck "$tyto" info
isas=$(sed -n 's/^TY_ISAS:[A-Z]*=//p' "${BUILD:-.}/CMakeCache.txt" | sed 's/\(.*\);/\1 or /; s/;/, /g') # those that are built
for isa in avx3 avx2 avx512; do
    case $isas in
    *$isa*) expect 0 "instructions" env TY_ISA=$isa "$tyto" info ;;
    *) expect 2 "TY_ISA is \"$isa\"; expected $isas" env TY_ISA=$isa "$tyto" info ;;
    esac
done
expect 2 "TY_DEBUG is \"yes\"" env TY_DEBUG=yes "$tyto" eval "1+1"
expect 2 "an equation is missing" "$tyto" bench
expect 0 "where it lies" "$tyto" contraction "mk,kn->mn" m=9 k=8 n=7 --threads 1 --rounds 1 -o "$dir/own.json"
expect 0 " 1.000  0.0e+00  compiled" "$tyto" contraction "mk,kn->mn" m=9 k=8 n=7 --threads 1 --rounds 1 --config "$dir/own.json"
sed 's/"strides": \[8, 0, 7\]/"strides": [-8, 0, 7]/; s/"offsets": \[0/"offsets": [64/' "$dir/own.json" >"$dir/backwards.json"
expect 0 "backwards.json" "$tyto" contraction --config "$dir/own.json" --config "$dir/backwards.json" --rounds 1
expect 0 "of peak   workspace  x first  differs  configuration" "$tyto" contraction --config "$dir/own.json" --rounds 1
sed 's/"size": 7/"size": 0/; s/"step": 7/"step": 1/' "$dir/own.json" >"$dir/empty.json"
expect 0 "empty.json" "$tyto" contraction --config "$dir/empty.json" --rounds 1
expect 0 "predicted ms arithmetic" "$tyto" contraction --config "$dir/own.json" --rounds 1
expect 1 "" sh -c "'$tyto' contraction --config '$dir/own.json' --config '$dir/backwards.json' --rounds 1 | grep '0.0e+00 .*backwards'"
sed 's/"f32"/"f64"/g' "$dir/own.json" >"$dir/wide.json"
expect 1 "own.json has 504 products for elements 0 to 62 of out, compiled has 576 for 0 to 71" "$tyto" contraction "mk,kn->mn" m=9 k=8 n=8 --config "$dir/own.json"
expect 1 "wide.json: left is f64, but in compiled it is f32" "$tyto" contraction "mk,kn->mn" m=9 k=8 n=7 --config "$dir/wide.json"
expect 2 "configurations of --config have" "$tyto" contraction --config "$dir/own.json" --dtype f64
sed 's/"gemm"/"gem"/' "$dir/own.json" >"$dir/wrong.json"
expect 1 "tyto: $dir/wrong.json: " "$tyto" contraction --config "$dir/wrong.json"
expect 1 "" sh -c "'$tyto' contraction --config '$dir/wrong.json' 2>&1 | grep 'wrong.json.*wrong.json'"
expect 1 "cannot be opened" "$tyto" contraction --config "$dir/none.json"
expect 1 "none/own.json" "$tyto" contraction "mk,kn->mn" m=9 k=8 n=7 -o "$dir/none/own.json"
expect 1 "one contraction has two operands" "$tyto" contraction "ij,jk,kl->il" i=2 j=2 k=2 l=2
expect 1 "letter n: has no size; add n=SIZE" "$tyto" contraction "mk,kn->mn" m=9 k=8
expect 2 "an equation or --config is missing" "$tyto" contraction
expect 2 "expected an equation, whose configuration" "$tyto" contraction --config "$dir/own.json" -o "$dir/own.json"

# What is no file is written in place, between what others write there; pages and text as well.
printf 'a\n1,2\n3,4\nb\n' >"$dir/want"
sh -c "{ echo a; '$tyto' convert '$dir/same.csv' /dev/stdout --to csv; echo b; } >'$dir/parts'"
same "$dir/want" "$dir/parts" "/dev/stdout was replaced"
expect 0 "3,4" sh -c "'$tyto' convert '$dir/same.csv' /dev/stdout --to csv | cat"
sh -c "{ echo a; '$tyto' graph '$graph' --html /dev/stdout; echo b; } >'$dir/parts'"
expect 0 "a" head -1 "$dir/parts"
expect 0 "b" tail -1 "$dir/parts"

# Every file that a command writes is tried before it runs.
nowhere=/no/such/folder/x
for words in "eval 1+1 -o $nowhere.npy" "eval 1+1 --dot $nowhere" "einsum ij,jk $a $b -o $nowhere.npy" "convert $dir/t.csv $nowhere.npy" \
    "contraction mk,kn->mn m=9 k=8 n=7 -o $nowhere" "graph $graph --html $nowhere" "train lenet --plot $nowhere.svg"; do
    # shellcheck disable=SC2086
    expect 1 "$nowhere" "$tyto" $words
    [ -s "$dir/out" ] && failed=$((failed + 1)) && echo "FAILED: $words: begun"
done

# What cannot be written is a failure, of help too, and is told before time is spent.
if [ -w /dev/full ]; then
    for words in --help --version "eval --help" "eval --functions" info "eval 1+1" "info $dir/t.npz"; do
        expect 1 "standard output could not be written" sh -c "'$tyto' $words >/dev/full"
    done
    # shellcheck disable=SC2086
    expect 1 "/dev/full: cannot be written" "$tyto" train lenet $small --log /dev/full --save "$dir/logged"
    [ -e "$dir/logged" ] || { failed=$((failed + 1)) && echo "FAILED: what was learned was not saved"; }
fi
# shellcheck disable=SC2086
expect 1 "/no/such/folder/file" "$tyto" train lenet $small --save /no/such/folder/file --log "$dir/never"
absent "$dir/never"
[ "$(find "$dir" -name '*.tmp' | wc -l)" = 0 ] || { failed=$((failed + 1)) && echo "FAILED: a trial file was left"; }

# Names in files are somebody else's: none of their escapes reaches the terminal.
printf '\033[31mred,b\n1,2\n' >"$dir/escape.csv"
name=$(printf '\033]0;title\007\302\233m')
expect 0 "" "$tyto" convert "$dir/t.npy" "$dir/escape.safetensors" --rename "$name"
expect 0 "" "$tyto" convert "$dir/t.npy" "$dir/escape.npz" --rename "$name"
plain() { # no control character but the end of a line, of one byte or, in UTF-8, of two
    LC_ALL=C tr -d '\n' <"$1" | LC_ALL=C grep -q "$(printf '[\001-\037\177]\|\302[\200-\237]')" && return 1
    return 0
}
for words in "info $dir/escape.csv" "info $dir/escape.safetensors" "info $dir/escape.npz" \
    "convert $dir/escape.npz $dir/v.npy --name none" "eval a a=$dir/escape.npz:none" "info $dir/escape.npz --stats"; do
    # shellcheck disable=SC2086
    "$tyto" $words >"$dir/out" 2>&1
    if plain "$dir/out"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: escapes of a file reach the terminal: $words"
        od -c "$dir/out" | head -5
    fi
done
expect 0 "\\x1b]0;title\\x07" "$tyto" info "$dir/escape.npz"

# Texts go along; where they cannot, they are not lost without a word.
expect 0 "" "$tyto" convert "$dir/t.csv" "$dir/texts.safetensors" --rename x
expect 0 "columns: time,value" "$tyto" info "$dir/texts.safetensors"
expect 0 "" "$tyto" convert "$dir/texts.safetensors" "$dir/texts2.safetensors"
same "$dir/texts.safetensors" "$dir/texts2.safetensors" "safetensors into safetensors is no identity"
expect 0 "because only safetensors can store them" "$tyto" convert "$dir/check" "$dir/check.npz" --from safetensors
expect 0 "" "$tyto" convert "$dir/same.csv" "$dir/same2.csv"
same "$dir/same.csv" "$dir/same2.csv" "csv into csv is no identity"

# Fewer steps than are usually compared.
expect 1 "The losses of the first 3 steps differ" "$tyto" demo --out "$dir/demo" --steps 4 --eager-steps 3

# Profiles and the trap, asked for by the environment.
TY_PROFILE=$dir/profile.json expect 0 "" "$tyto" eval 'exp(ones([5])) + 1'
expect 0 "exp f64[5] -> f64[5]" "$tyto" profile "$dir/profile.json" --no-roof
expect 0 "1 more" "$tyto" profile "$dir/profile.json" --no-roof --rows 1
expect 0 "shortest possible time" "$tyto" profile --help
expect 2 "a file is missing" "$tyto" profile
expect 1 "is not a profile" "$tyto" profile "$dir/t.csv"
expect 1 "/no/such/file" "$tyto" profile /no/such/file
TY_PROFILE=/no/such/folder/p.json expect 0 "TY_PROFILE: /no/such/folder" "$tyto" eval '1 + 1'
TY_TRAP_NAN=1 expect 1 "trap: log made -inf of finite operands, first at [1] of" "$tyto" eval 'log([1., 0.])'
TY_TRAP_NAN=0 expect 0 "-inf" "$tyto" eval 'log([1., 0.])'
TY_TRAP_NAN=yes expect 2 "TY_TRAP_NAN is \"yes\"; expected 0 or 1" "$tyto" eval '1'

# Every command that reads arrays says what unpacking may come to.
awk 'BEGIN { print "a,b"; for (i = 0; i < 400; i++) print i % 7 "," i % 3 }' | gzip -n >"$dir/packed.csv.gz"
for call in "eval sum(x) x=$dir/packed.csv.gz" "einsum ij->j $dir/packed.csv.gz" "info $dir/packed.csv.gz" \
    "train mlp --data $dir/packed.csv.gz --epochs 1 --quiet" "convert $dir/packed.csv.gz $dir/packed.npy"; do
    # shellcheck disable=SC2086
    expect 0 "" "$tyto" $call --most-bytes 100000
    # shellcheck disable=SC2086
    expect 1 "more than the allowed 100" "$tyto" $call --most-bytes 100
done

# Networks and graphs as files of C.
expect 0 "mlp.c: " "$tyto" compile mlp -o "$dir/mlp.c" --prefix digits
expect 0 "mlp.c: " "$tyto" compile mlp -o "$dir/mlp.c" --prefix digits --weights file --openmp
if command -v "${CC:-cc}" >/dev/null 2>&1; then
    expect 0 "" "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Wconversion -Werror -c "$dir/mlp.c" -o "$dir/mlp.o"
fi
expect 0 "mlp.c: " "$tyto" compile mlp -o "$dir/mlp.c" --train --batch 4 --optimiser adam --rate 0.01 --weights file
expect 0 "int mlp_step" grep "mlp_step" "$dir/mlp.h"
expect 2 "--optimiser without --train has no meaning for mlp" "$tyto" compile mlp -o "$dir/x.c" --optimiser adam
expect 2 "--loss-option without --train has no meaning for mlp" "$tyto" compile mlp -o "$dir/x.c" --loss-option smoothing=0.1
expect 2 "--layout without --load has no meaning for mlp" "$tyto" compile mlp -o "$dir/x.c" --layout keras
expect 0 "seeded.c: " "$tyto" compile mlp -o "$dir/seeded.c" --prefix digits --weights file --seed 2
expect 0 "mlp.c: " "$tyto" compile mlp -o "$dir/mlp.c" --prefix digits --weights file
expect 1 "" cmp -s "$dir/mlp.weights" "$dir/seeded.weights"
expect 1 "the network has " "$tyto" compile mask_rcnn -o "$dir/x.c" --train
expect 2 "needs a file or network" "$tyto" compile mlp
expect 2 "--input has no meaning for mlp" "$tyto" compile mlp -o "$dir/x.c" --input x
expect 1 "\"while\", a word of C" "$tyto" compile mlp -o "$dir/mlp.c" --prefix while
expect 1 "expected a name that ends with .c" "$tyto" compile mlp -o "$dir/mlp"
expect 1 "unknown network nosuch" "$tyto" compile nosuch -o "$dir/x.c"
expect 0 "x.c: " sh -c "'$tyto' compile - -o '$dir/x.c' <'$graph'"
expect 0 "x.c: " "$tyto" compile "$graph" -o "$dir/x.c"
expect 1 "x.c" "$tyto" compile mlp -o "$dir/nosuch/x.c"
expect 2 "inline, file" "$tyto" compile mlp -o "$dir/x.c" --weights none

# A locale with commas changes nothing, installed or not.
for words in "eval 1.5+0.25" "info $dir/t.csv --stats"; do
    # shellcheck disable=SC2086
    "$tyto" $words >"$dir/plain" 2>&1
    # shellcheck disable=SC2086
    LC_ALL=de_DE.UTF-8 "$tyto" $words >"$dir/german" 2>&1
    same "$dir/plain" "$dir/german" "German numbers: $words"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
