#!/bin/sh
# The commands about networks: summaries, measurements, training on tables, arrays and texts, predictions.  BUILD: where the
# binary lies.
set -u
. "$(dirname "$0")/expect"

expect 0 "total" "$tyto" summary mlp
expect 0 "11689512" "$tyto" summary resnet18
expect 2 "did you mean resnet50?" "$tyto" summary resnet5
expect 2 "the network is missing" "$tyto" infer
expect 0 "median of 1" "$tyto" infer mlp --runs 1 --memory --threads 1
expect 0 "20 norms folded" "$tyto" infer resnet18 --runs 1 --fold
expect 1 "cannot be opened" "$tyto" infer mlp --weights "$dir/none.safetensors"
expect 1 "$dir/none: cannot be opened" "$tyto" train resnet18 --data "$dir/none"
echo text >"$dir/page.md"
expect 1 "a folder, .csv, .npz or .safetensors is expected" "$tyto" train lenet --data "$dir/page.md"
expect 0 "" [ "$(wc -l <"$dir/err")" = 1 ]

# A table: two numbers, and whether their product is above 0.
awk 'BEGIN { srand(1); print "a,b,good"
             for (i = 0; i < 400; i++) { a = rand() * 2 - 1; b = rand() * 2 - 1; print a "," b "," (a * b > 0) } }' >"$dir/t.csv"
cat >"$dir/net.json" <<'END'
{"inputs": {"row": [2]},
 "layers": [{"layer": "linear", "units": 32, "activation": "relu"},
            {"layer": "linear", "units": 32, "activation": "relu"},
            {"layer": "linear", "units": 2}]}
END
common="--data $dir/t.csv --optimiser adam --rate 0.02 --schedule cosine --batch 20"
# shellcheck disable=SC2086
{
    expect 0 "test accuracy " "$tyto" train "$dir/net.json" $common --epochs 40 --best "$dir/best.safetensors" --plot "$dir/loss.svg" --save "$dir/end"
    expect 0 "early" "$tyto" train --help
    expect 0 "epochs without a better one" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 0.0000001 --epochs 20 --early-stop 2
    expect 1 "is nan" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 1e30 --epochs 2
    expect 2 "did you mean cosine?" "$tyto" train "$dir/net.json" $common --schedule cosin
    expect 2 "did you mean mse?" "$tyto" train "$dir/net.json" $common --loss mze
    expect 1 "there is no column c" "$tyto" train "$dir/net.json" $common --target c
}
expect 0 "" grep -q "<polyline" "$dir/loss.svg"
printf '0.5,0.5\n-0.5,0.7\n' >"$dir/rows.csv"
expect 0 "class 1" "$tyto" predict "$dir/net.json" --weights "$dir/best.safetensors" --input "$dir/rows.csv" --top 1
expect 0 "" "$tyto" predict "$dir/net.json" --weights "$dir/end" --input "$dir/rows.csv" --output "$dir/scores.npy"
expect 0 "(2, 2)" "$tyto" info "$dir/scores.npy"
expect 2 "the weights are missing" "$tyto" predict "$dir/net.json" --input "$dir/rows.csv"
expect 1 "missing in the file" "$tyto" predict mlp --weights "$dir/best.safetensors" --input "$dir/rows.csv"

# What is wrong in a description is told with its layer.
wrong() {
    sed "$1" "$dir/net.json" >"$dir/wrong.json"
    expect 1 "$2" "$tyto" summary "$dir/wrong.json"
}
wrong 's/"linear", "units": 2/"liner", "units": 2/' 'layer 2: there is no kind of layer "liner" (did you mean linear?)'
wrong 's/"units": 2}/"unit": 2}/' 'a linear has no option "unit" (did you mean units?)'
wrong 's/"units": 2}/"units": "two"}/' '"units" is "two", expected a whole number'
wrong 's/"units": 2}/"units": 2, "inputs": ["linear9"]}/' 'names linear9, which is no input and no layer'
wrong '0,/"layer": "linear"/s//"layer": "linear", "inputs": ["linear3"]/' 'is in a cycle'
wrong 's/\[2\]/[]/' 'wrong.json: linear1: the input has no axis but the batch'
wrong 's/}]}/}]/' 'is not valid JSON'

# A folder of images, dark ones and light ones, some of which are held out.
mkdir -p "$dir/images/dark" "$dir/images/light"
i=0
while [ $i -lt 20 ]; do
    printf 'P2 2 2 255 %d 9 20 %d\n' $((i)) $((2 * i)) >"$dir/images/dark/$i.pgm"
    printf 'P2 2 2 255 %d 200 240 %d\n' $((255 - i)) $((250 - i)) >"$dir/images/light/$i.pgm"
    i=$((i + 1))
done
cat >"$dir/images.json" <<'END'
{"inputs": {"image": [4, 4, 3]}, "layers": [{"layer": "flatten"}, {"layer": "linear", "units": 2}]}
END
expect 0 "accuracy 100.00 %" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 30 --batch 8 --optimiser adam --rate 0.05 --validate 0.25
expect 0 "test accuracy 100.00 %" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 30 --batch 8 --optimiser adam --rate 0.05 --validate 0.25 --quiet

# A text.
i=0
while [ $i -lt 40 ]; do printf 'the quick brown fox jumps over the lazy dog, and again: '; i=$((i + 1)); done >"$dir/text"
expect 0 "validation" "$tyto" train char_lstm --data "$dir/text" --epochs 1 --batch 4 --optimiser adam --sample 5 --validate 0.2
printf 'short' >"$dir/short"
expect 1 "is no window of 64" "$tyto" train char_lstm --data "$dir/short" --epochs 1

# Stopped and resumed: the same losses.
train() { "$tyto" train "$dir/net.json" --data "$dir/t.csv" --batch 20 --optimiser adam --quiet "$@" >/dev/null 2>&1; }
train --epochs 4 --log "$dir/whole"
train --epochs 2 --log "$dir/first" --save "$dir/check"
train --epochs 4 --log "$dir/second" --resume "$dir/check"
cat "$dir/first" "$dir/second" >"$dir/both"
same "$dir/whole" "$dir/both" "a resumed training has other losses"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
