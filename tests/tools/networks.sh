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
expect 1 "expected a folder, .csv, .npz or .safetensors" "$tyto" train lenet --data "$dir/page.md"
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
    expect 0 "validation: 40 rows, accuracy " "$tyto" train "$dir/net.json" $common --epochs 40 --best "$dir/best.safetensors" --plot "$dir/loss.svg" --save "$dir/end"
    expect 0 "early" "$tyto" train --help
    expect 0 "stopped: no improvement; back to epoch" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 1e-15 --epochs 20 --early-stop 2
    # The file at the end has the best epoch, also if the last one has just been saved.
    expect 0 "" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 2 --epochs 2 --early-stop 1 --save "$dir/first" --quiet
    expect 0 "back to epoch" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 2 --epochs 9 --early-stop 1 --resume "$dir/first" --save "$dir/back" --export "$dir/back.safetensors"
    "$tyto" predict "$dir/back" "$dir/t.csv" >"$dir/back.txt"
    expect 0 "good,0,1" "$tyto" predict "$dir/back.safetensors" "$dir/t.csv"
    same "$dir/back.txt" "$dir/out" "the checkpoint is not that of the best epoch"
    # So it is behind a checkpoint of a training that kept no epoch, if that ended with the best; else it says that it is not.
    expect 0 "" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 2 --epochs 2 --save "$dir/first" --export "$dir/first.safetensors" --quiet
    expect 0 "back to epoch 2" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 2 --epochs 9 --early-stop 1 --resume "$dir/first" --save "$dir/back"
    "$tyto" predict "$dir/back" "$dir/t.csv" >"$dir/back.txt"
    expect 0 "good,0,1" "$tyto" predict "$dir/first.safetensors" "$dir/t.csv"
    same "$dir/back.txt" "$dir/out" "the model is not that of the best epoch"
    expect 0 "" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 2 --epochs 3 --save "$dir/first" --quiet
    expect 0 "not back to epoch 2, the best, which the checkpoint has not kept" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 1e-15 --epochs 9 --early-stop 2 --resume "$dir/first"
    expect 1 "is nan, and its batch is finite: a lower rate" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser sgd --rate 1e30 --epochs 2 --plot "$dir/lost.svg" --log "$dir/lost"
    expect 0 ">training: least" cat "$dir/lost.svg"
    expect 0 "nan" tail -1 "$dir/lost"
    expect 0 ", 0 for validation" "$tyto" train "$dir/net.json" $common --epochs 1 --validate 0
    expect 1 "--export $dir/x.st: expected a name that ends in .safetensors or .npz, or without a point" "$tyto" train "$dir/net.json" $common --epochs 1000000 --export "$dir/x.st"
    expect 1 "--best $dir/x.st: expected a name that ends in .safetensors or .npz" "$tyto" train "$dir/net.json" $common --best "$dir/x.st"
    expect 1 "/no/such/folder/l.svg" "$tyto" train "$dir/net.json" $common --epochs 1000000 --plot /no/such/folder/l.svg
    expect 2 "did you mean cosine?" "$tyto" train "$dir/net.json" $common --schedule cosin
    expect 2 "did you mean mse?" "$tyto" train "$dir/net.json" $common --loss mze
    expect 1 "has no column \"c\", the target; its 3 columns are a, b, good" "$tyto" train "$dir/net.json" $common --target c
}
expect 0 "" grep -q ">training: least" "$dir/loss.svg"
# A resume under another schedule, or for other epochs, in words.
# shellcheck disable=SC2086
{
    expect 0 "" "$tyto" train "$dir/net.json" $common --epochs 2 --save "$dir/two" --quiet
    expect 1 "schedule was made for 36 steps (2 epochs), this training's for 72 (4)" "$tyto" train "$dir/net.json" $common --epochs 4 --resume "$dir/two"
    expect 1 "the checkpoint was written with the schedule cosine, but this training has exponential" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --optimiser adam --rate 0.02 --batch 20 --schedule exponential --epochs 2 --resume "$dir/two"
    expect 1 "the checkpoint was written without clip_global_norm 2 of the optimiser, which this training has" sh -c "'$tyto' train '$dir/net.json' --data '$dir/t.csv' --optimiser momentum --epochs 1 --save '$dir/momentum' --quiet >/dev/null && '$tyto' train '$dir/net.json' --data '$dir/t.csv' --optimiser momentum --clip 2 --epochs 1 --resume '$dir/momentum'"
}
# A table of another width, with gaps, with names in quotes.
awk 'BEGIN { print "a,b,c,d,e,good"; for (i = 0; i < 40; i++) print i ",1,2,3,4," i % 2 }' >"$dir/wide.csv"
expect 1 "wide.csv: the network expects examples of 2 columns, found 1 column, besides the target" "$tyto" train "$dir/net.json" --data "$dir/wide.csv"
awk 'BEGIN { print "a,\"b,c\",good"; for (i = 0; i < 40; i++) print i % 7 "," (i == 3 ? "" : i % 5) "," i % 2 }' >"$dir/gap.csv"
expect 0 "flag of missing ones" "$tyto" train mlp --data "$dir/gap.csv" --epochs 1
sed 's/^\([0-9]*\),,/\1,5,/' "$dir/gap.csv" >"$dir/full.csv"
sed 's/"units": 2}/"units": 1}/' "$dir/net.json" >"$dir/one.json"
expect 0 "validation" "$tyto" train "$dir/one.json" --data "$dir/full.csv" --target "b,c" --epochs 1 --quiet --loss mse
printf 'b,a,more\n0.5,0.5,x\n-0.5,0.7,y\n' >"$dir/rows.csv"
expect 0 "good,0,1" "$tyto" predict "$dir/net.json" --weights "$dir/best.safetensors" --input "$dir/rows.csv"
expect 0 "" [ "$(cut -d, -f1 <"$dir/out" | tr "\n" " ")" = "good 1 0 " ]
expect 0 "" "$tyto" predict "$dir/net.json" --weights "$dir/end" --input "$dir/rows.csv" --output "$dir/scores.npy"
expect 0 "(2, 2)" "$tyto" info "$dir/scores.npy"
gzip -nc "$dir/rows.csv" >"$dir/rows.csv.gz"
expect 0 "good,0,1" "$tyto" predict "$dir/net.json" --weights "$dir/best.safetensors" --input "$dir/rows.csv.gz" --most-bytes 100000
expect 1 "more than the allowed 5" "$tyto" predict "$dir/net.json" --weights "$dir/best.safetensors" --input "$dir/rows.csv.gz" --most-bytes 5
printf 'a,c\n1,2\n' >"$dir/other.csv"
expect 1 'other.csv: the table has no column "b": expected a, b; found a, c' "$tyto" predict "$dir/net.json" --weights "$dir/end" --input "$dir/other.csv"
printf 'a,b\n1,x\n' >"$dir/word.csv"
expect 1 'word.csv: column "b" has words, such as "x" in row 0; expected numbers' "$tyto" predict "$dir/net.json" --weights "$dir/end" --input "$dir/word.csv"
expect 0 "t.csv: 400 rows, accuracy 9" "$tyto" evaluate "$dir/net.json" --weights "$dir/end" --data "$dir/t.csv"
expect 1 'has no column "good", the target' "$tyto" evaluate "$dir/net.json" --weights "$dir/end" --data "$dir/rows.csv"
expect 2 "an input is missing" "$tyto" evaluate "$dir/net.json" --weights "$dir/end"
expect 2 "the weights are missing" "$tyto" evaluate "$dir/net.json" --data "$dir/t.csv"
expect 1 "/no/such/folder/y.npy" "$tyto" predict "$dir/net.json" --weights "$dir/end" --input "$dir/rows.csv" --output /no/such/folder/y.npy
expect 2 "expected a name that ends in the format to write" "$tyto" predict "$dir/net.json" --weights "$dir/end" --input "$dir/rows.csv" --output "$dir/scores.xyz"
# Words as classes, missing ones, an identifier, words that all differ.
awk 'BEGIN { srand(2); print "id,name,sex,age,port,class"
             for (i = 0; i < 300; i++) { s = rand() < 0.5; a = int(rand() * 80)
                 print i ",\"Mr. \"\"N\"\" " i ", X\"," (s ? "male" : "female") "," (i % 9 ? a : "") "," (i % 50 ? "S" : "NA") "," (s == (a > 40) ? "lost" : "saved") } }' >"$dir/ship.csv"
expect 0 "drop (an identifier: all rows differ)" "$tyto" train mlp --data "$dir/ship.csv" --target class --test 0.2 --epochs 30 --save "$dir/ship"
cp "$dir/out" "$dir/said"
expect 0 "target class: 2 classes: lost, saved (words)" cat "$dir/said"
expect 0 "test: 60 rows, accuracy" cat "$dir/said"
expect 0 "class,lost,saved" "$tyto" predict mlp --weights "$dir/ship" --input "$dir/ship.csv"
expect 0 "area under the ROC curve 0.9" "$tyto" evaluate mlp --weights "$dir/ship" --data "$dir/ship.csv"
expect 0 "mean of 3 folds" "$tyto" train mlp --data "$dir/ship.csv" --target class --folds 3 --epochs 3 --balance
expect 0 "regression, standardised by" "$tyto" train mlp --data "$dir/ship.csv" --target age --epochs 2
cp "$dir/out" "$dir/said"
expect 0 "34 rows without a target are left out" cat "$dir/said"
# A table needs no network; without a length, patience ends the training; numbers are no words.
expect 0 "back to epoch" "$tyto" train "$dir/ship.csv" --target class --save "$dir/alone"
expect 0 "class,lost,saved" "$tyto" predict "$dir/alone" "$dir/ship.csv"
sed 's/,male,/,1,/; s/,female,/,0,/' "$dir/ship.csv" >"$dir/coded.csv"
expect 1 'column "sex" has numbers, such as' "$tyto" predict "$dir/alone" "$dir/coded.csv"
sed '1s/sex/Sex/' "$dir/ship.csv" >"$dir/capital.csv"
expect 1 'no column "sex" (did you mean Sex?): expected sex, age, port; found id, name, Sex, age, port, class' "$tyto" predict "$dir/alone" "$dir/capital.csv"
sed 's/lost/dead/; s/saved/alive/' "$dir/ship.csv" >"$dir/dead.csv"
expect 1 "no row has a value in class that the network knows; expected lost, saved" "$tyto" evaluate "$dir/alone" "$dir/dead.csv"
cp "$dir/alone" "$dir/mlp"
expect 0 "class,lost,saved" sh -c "cd '$dir' && '$(cd "$(dirname "$tyto")" && pwd)/tyto' predict mlp ship.csv"
expect 0 "class,lost,saved" sh -c "'$tyto' predict '$dir/alone' - <'$dir/ship.csv'"
sed 's/,male,/,none,/' "$dir/ship.csv" >"$dir/unsaid.csv"
expect 0 'column "sex": 1' "$tyto" predict "$dir/alone" "$dir/unsaid.csv"
expect 0 "rows have words that the training had not, such as \"none\"" "$tyto" evaluate "$dir/alone" "$dir/unsaid.csv"
# A line is no work for a network.
awk 'BEGIN { srand(5); print "a,b,y"; for (i = 0; i < 200; i++) { a = rand(); b = rand(); print a "," b "," 3 * a - 2 * b } }' >"$dir/line.csv"
expect 0 "a linear model of the same rows is better: R2 1.0000" "$tyto" train "$dir/line.csv" --epochs 2
expect 2 "these are for tables" "$tyto" train mlp --folds 3
expect 2 "--target, --task, --test: these are for tables" "$tyto" train mlp --target x
expect 2 "--sample: it is for texts" "$tyto" train mlp --sample 5
expect 2 "--folds: expected at least 2, found 1" "$tyto" train mlp --data "$dir/ship.csv" --folds 1
expect 2 "--folds and --find-rate: expected one of them" "$tyto" train mlp --data "$dir/ship.csv" --folds 2 --find-rate
for option in --save --best --export --log --plot; do
    none=$dir/none
    [ $option != --plot ] || none=$dir/none.svg
    for alone in "--folds 2" --find-rate; do
        expect 2 "$option and ${alone% 2}: expected one of them" "$tyto" train "$dir/ship.csv" $alone $option "$none"
        expect 1 "" [ -e "$none" ]
    done
done
expect 2 "--swa and --find-rate: expected one of them" "$tyto" train "$dir/ship.csv" --find-rate --swa 2
expect 2 "--skip-bad: of a table" "$tyto" train "$dir/ship.csv" --skip-bad
expect 1 "--classes 4: the target of $dir/ship.csv has 2" "$tyto" train "$dir/ship.csv" --target class --classes 4 --balance
expect 1 "a table needs the network mlp" "$tyto" train lenet --data "$dir/ship.csv"
expect 2 "the weights are missing" "$tyto" predict "$dir/net.json" --input "$dir/rows.csv"
expect 1 "missing in the file" "$tyto" predict mlp --weights "$dir/best.safetensors" --input "$dir/rows.csv"

# Weights that cannot be used are named with the reason; the hint to name their network has its place.
"$tyto" train "$dir/ship.csv" --target class --epochs 1 --quiet --export "$dir/named.safetensors" >"$dir/out"
"$tyto" train "$dir/net.json" "$dir/t.csv" --epochs 1 --quiet --export "$dir/described.safetensors" >"$dir/out"
damaged() { # EDIT FILE WORDS: the edit of a file without its checksum
    LC_ALL=C sed "s/\"checksum\":\"crc32c:/\"elsewise\":\"abcdef:/; $1" "$dir/$2.safetensors" >"$dir/damaged.safetensors"
    expect 1 "damaged.safetensors: $3" "$tyto" predict "$dir/damaged.safetensors" "$dir/ship.csv"
}
hint="name it first, and add --weights"
damaged 's/"network":"/"notwork":"/' named "the file does not say which network its weights belong to; $hint"
damaged 's/\\"mlp\\"/\\"mlq\\"/' named "unknown network mlq"
unsaid "$hint"
damaged 's/\\"classes\\": 2/\\"classes\\": 3/' named "linear2.weight: f32[128,2], expected f32[128,3]"
unsaid "$hint"
damaged 's/\\"linear\\"/\\"liner\\" /' described 'network: layer 0: unknown kind of layer "liner"'
damaged 's/\\"units\\": 32/\\"units\\": 0 /' described "network: linear1: 0 units, expected at least 1"
unsaid "$hint"
# Weights name the network; several files, in one csv.
expect 0 "file,class,lost,saved" "$tyto" predict "$dir/ship" "$dir/ship.csv" "$dir/ship.csv"
expect 0 "" [ "$(wc -l <"$dir/out")" = 601 ]
expect 0 "area under the ROC curve 0.9" "$tyto" evaluate "$dir/ship" "$dir/ship.csv"
expect 0 "good,0,1" "$tyto" predict "$dir/best.safetensors" "$dir/rows.csv"
# Options of training.
ship="--data $dir/ship.csv --target class --test 0.2 --epochs 10"
# shellcheck disable=SC2086
{
    expect 0 "test: 60 rows, accuracy" "$tyto" train mlp $ship --class-weight saved=3,lost=1 --loss-option smoothing=0.1
    expect 1 "expected CLASS=X for X above 0 and a class of lost, saved" "$tyto" train mlp $ship --class-weight drowned=3
    expect 2 "expected NAME=X with one of smoothing" "$tyto" train mlp $ship --loss-option smoothing=3
    expect 1 "expected one of them" "$tyto" train mlp $ship --class-weight saved=3 --balance
    expect 0 "test: 60 rows, accuracy" "$tyto" train mlp $ship --ema 0.9 --save "$dir/mean"
    expect 0 "lost" "$tyto" predict "$dir/mean" "$dir/ship.csv"
    expect 0 "test: 60 rows, accuracy" "$tyto" train mlp $ship --swa 6
    expect 1 "--swa 11: expected at most the number of epochs, 10" "$tyto" train mlp $ship --swa 11
    expect 2 "expected one of them" "$tyto" train mlp $ship --swa 6 --ema 0.9
    expect 0 "do not learn" "$tyto" train mlp $ship --weights "$dir/ship" --freeze linear1
    expect 1 "no parameter has a name that begins so; they are" "$tyto" train mlp $ship --freeze foo
    expect 0 "suggested: --rate" "$tyto" train mlp $ship --find-rate
    expect 0 "test: 60 rows, accuracy" "$tyto" train mlp $ship --loss multi_hinge
    expect 0 "" "$tyto" train mlp $ship --quiet --export "$dir/ship.npz" --layout pytorch
}
expect 0 "linear1.weight" "$tyto" info "$dir/ship.npz"

# What is wrong in a description is told with its layer.
wrong() {
    sed "$1" "$dir/net.json" >"$dir/wrong.json"
    expect 1 "$2" "$tyto" summary "$dir/wrong.json"
}
wrong 's/"linear", "units": 2/"liner", "units": 2/' 'layer 2: unknown kind of layer "liner" (did you mean linear?)'
wrong 's/"units": 2}/"unit": 2}/' 'a linear has no option "unit" (did you mean units?)'
wrong 's/"units": 2}/"units": 2, "activation": "rellu"}/' '"activation" is "rellu" (did you mean relu?); expected one of relu, tanh'
wrong 's/"units": 2}/"units": "two"}/' '"units" is "two"; expected a whole number'
wrong 's/"units": 2}/"units": 2, "inputs": ["linear9"]}/' 'names linear9, which is neither an input nor a layer'
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
expect 0 "validation accuracy 100.00 %" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 30 --batch 8 --optimiser adam --rate 0.05 --validate 0.25 --quiet
expect 0 "9 images of 2 classes for training, 1 for validation" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 1 --batch 8 --limit 10
# A table is no picture; grey pixels of the very size are, and pictures of any.
expect 0 "" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 1 --batch 8 --save "$dir/pictures" --quiet
expect 1 "wide.csv: expected examples of (4,4,3) or a picture, u8 or u16, found an array (40,6) of i64" "$tyto" predict "$dir/images.json" --weights "$dir/pictures" --input "$dir/wide.csv"
expect 0 "dark" "$tyto" predict "$dir/images.json" --weights "$dir/pictures" --input "$dir/images/dark/3.pgm"
# Weights name their network and its classes; folders are files; predictions are those of the validation.
expect 0 "" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 30 --batch 8 --optimiser adam --rate 0.05 --save "$dir/pictures" --quiet
expect 0 "" "$tyto" predict "$dir/pictures" "$dir/images" --output "$dir/said.csv"
expect 0 "file,class,dark,light" cat "$dir/said.csv"
expect 0 "20" grep -c "images/light/[0-9]*.pgm,light" "$dir/said.csv"
expect 0 "images: 40 rows, accuracy 100.00 %, macro F1 1.0000, area under the ROC curve 1.0000" "$tyto" evaluate "$dir/pictures" "$dir/images" --roc "$dir/curve.csv"
expect 0 "0.0,0.0,inf" sed -n 2p "$dir/curve.csv"
cp -r "$dir/images" "$dir/renamed" && mv "$dir/renamed/light" "$dir/renamed/bright"
expect 1 "renamed/bright: the network has no such class; expected dark, light" "$tyto" evaluate "$dir/pictures" "$dir/renamed"
echo none >"$dir/renamed/dark/4.pgm"
expect 1 "renamed/dark/4.pgm" "$tyto" train "$dir/images.json" --data "$dir/renamed" --epochs 2 --batch 8
expect 0 "1 images cannot be read and are left out:" "$tyto" train "$dir/images.json" --data "$dir/renamed" --epochs 1 --batch 8 --skip-bad
expect 0 "1 of 40 files are left out" "$tyto" predict "$dir/pictures" "$dir/renamed" --skip-bad
expect 1 "tyto: $dir/renamed/dark/4.pgm: is not PGM" "$tyto" predict "$dir/pictures" "$dir/renamed"
expect 1 "none.npy: cannot be opened" "$tyto" predict "$dir/pictures" "$dir/none.npy"
expect 0 "" [ "$(wc -l <"$dir/err")" = 1 ]
expect 1 "1 of 1 files are left out" "$tyto" predict "$dir/pictures" "$dir/renamed/dark/4.pgm" --skip-bad
# Any number of files.
i=0
while [ $i -lt 200 ]; do set -- "$@" "$dir/images/dark/3.pgm" && i=$((i + 1)); done
expect 0 "" "$tyto" predict "$dir/pictures" "$@" --output "$dir/said.csv"
expect 0 "201" grep -c "" "$dir/said.csv"
expect 0 "file,class,dark,light" cat "$dir/said.csv"
# A stop is no bad file: there is a status for it, or all rows.
mkdir "$dir/large"
{ printf 'P5 3000 3000 255\n' && head -c 9000000 /dev/zero; } >"$dir/large/0.pgm"
for i in 1 2 3 4 5 6 7 8 9; do ln -s 0.pgm "$dir/large/$i.pgm"; done
"$tyto" predict "$dir/pictures" "$dir/large" --skip-bad --timeout 0.3 --output "$dir/large.csv" 2>"$dir/err"
got=$?
[ $got = 0 ] && got=$(wc -l <"$dir/large.csv")
[ "$got" = 11 ] && got=124
expect 0 "" [ "$got" = 124 ]
expect 0 "accuracy 100.00 %" "$tyto" train "$dir/images.json" --data "$dir/images" --epochs 30 --batch 8 --optimiser adam --rate 0.05 --validate 0.25 --augment flip,jitter:brightness=0.1
expect 1 'step "flipp" (did you mean flip?); expected crop, random_crop' "$tyto" train "$dir/images.json" --data "$dir/images" --augment flipp
expect 1 'hue=3; expected a number of at least 0 and at most 0.5' "$tyto" train "$dir/images.json" --data "$dir/images" --augment jitter:hue=3
# Names of classes are made safe for the terminal.
red="$dir/names/$(printf '\033[31mred')"
mkdir -p "$red" "$dir/names/x"
cp "$dir/images/dark/1.pgm" "$dir/images/dark/2.pgm" "$red"
cp "$dir/images/light/1.pgm" "$dir/images/light/2.pgm" "$dir/names/x"
expect 0 "" "$tyto" train "$dir/images.json" --data "$dir/names" --epochs 1 --batch 2 --validate 0 --save "$dir/named" --quiet
expect 0 '%  \x1b[31mred' "$tyto" predict "$dir/named" "$dir/images/dark/1.pgm"
expect 0 'predicted \x1b[3..        x' "$tyto" evaluate "$dir/named" "$dir/names"
expect 1 "it changes images, not tables" "$tyto" train mlp --data "$dir/t.csv" --augment flip
expect 2 "--roc: expected one input, found 2" "$tyto" evaluate "$dir/pictures" "$dir/images" "$dir/images" --roc "$dir/curves.csv"
expect 2 "is a table; the weights come first" "$tyto" predict "$dir/t.csv" "$dir/end"
expect 2 "is an image; the weights come first" "$tyto" predict "$dir/images/dark/1.pgm" "$dir/end"

# Numbers of several arrays do not replace each other.
echo '{"inputs": {"row": [2]}, "layers": [{"layer": "linear", "units": 1}]}' >"$dir/one.json"
"$tyto" eval "ones([8, 2])" -o "$dir/ones.npy" >"$dir/out" && cp "$dir/ones.npy" "$dir/more.npy"
expect 0 "" "$tyto" train "$dir/one.json" "$dir/t.csv" --target good --loss mse --epochs 1 --export "$dir/one.npz" --quiet
expect 1 "only if the results are scores" "$tyto" predict "$dir/one.json" --weights "$dir/one.npz" --output "$dir/one.csv" "$dir/ones.npy" "$dir/more.npy"
expect 0 "" "$tyto" predict "$dir/one.json" --weights "$dir/one.npz" --output "$dir/one.csv" "$dir/ones.npy"
expect 1 "do not say how tables become inputs" "$tyto" evaluate "$dir/one.json" --weights "$dir/one.npz" --data "$dir/t.csv"

# A text.
i=0
while [ $i -lt 40 ]; do printf 'the quick brown fox jumps over the lazy dog, and again: '; i=$((i + 1)); done >"$dir/text"
expect 0 "validation" "$tyto" train char_lstm --data "$dir/text" --epochs 1 --batch 4 --optimiser adam --sample 5 --validate 0.2
printf 'short' >"$dir/short"
expect 1 "fewer than a window of 64" "$tyto" train char_lstm --data "$dir/short" --epochs 1

# Stopped and resumed: the same losses.
train() { "$tyto" train "$dir/net.json" --data "$dir/t.csv" --batch 20 --optimiser adam --quiet "$@" >/dev/null 2>&1; }
train --epochs 4 --log "$dir/whole"
train --epochs 2 --log "$dir/first" --save "$dir/check"
train --epochs 4 --log "$dir/second" --resume "$dir/check"
cat "$dir/first" "$dir/second" >"$dir/both"
same "$dir/whole" "$dir/both" "a resumed training has other losses"
# One log, and one picture, of both: steps behind the checkpoint are cut off, and a line that is not whole.
cp "$dir/first" "$dir/joint"
printf '37 0.5\n38 0.' >>"$dir/joint"
train --epochs 4 --log "$dir/joint" --resume "$dir/check" --plot "$dir/joint.svg"
same "$dir/whole" "$dir/joint" "the log of a resumed training is not that of the whole one"
train --epochs 4 --plot "$dir/whole.svg"
same "$dir/whole.svg" "$dir/joint.svg" "the picture of a resumed training is not that of the whole one"
train --epochs 4 --resume "$dir/check" --plot "$dir/nolog.svg"
same "$dir/whole.svg" "$dir/nolog.svg" "without a log, the picture is not that of the whole training"
echo text >"$dir/page"
expect 1 "page: line 1: expected a step and its loss" "$tyto" train "$dir/net.json" --data "$dir/t.csv" --batch 20 --optimiser adam --epochs 4 --resume "$dir/check" --log "$dir/page"
expect 0 "text" cat "$dir/page"
sh -c "{ echo a; '$tyto' train '$dir/net.json' --data '$dir/t.csv' --batch 20 --optimiser adam --epochs 2 --quiet --log /dev/fd/3; echo b >&3; } 3>'$dir/parts' >/dev/null"
expect 0 "b" tail -1 "$dir/parts"
expect 0 "1 0." head -1 "$dir/parts"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
