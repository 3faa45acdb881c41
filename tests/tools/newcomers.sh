#!/bin/sh
# Command lines of newcomers, newcomers.txt: each does what it says, or says what to type.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
list=$(cd "$(dirname "$0")" && pwd)/newcomers.txt
TYTO=$(cd "$(dirname "$tyto")" && pwd)/tyto
mkdir "$dir/bin" "$dir/work"
ln -s "$TYTO" "$dir/bin/tyto"
PATH=$dir/bin:$PATH
export PATH TYTO
cd "$dir/work" || exit 1

printf 'name,age,height\nAnn,30,1.7\nBob,40,1.8\nCat,50,1.6\n' >t.csv
awk 'BEGIN { print "x,y"; for (i = 1; i < 40; i++) print i "," i * 10 + i % 3 }' >line.csv
tyto eval '[1., 2., 3.]' -o x.npy && cp x.npy é.npy
tyto eval '[[1., 2.], [3., 4.]]' -o m.npy
tyto eval 'cast(x, f32)' x=x.npy -o w.safetensors
tyto eval 'cast([[0, 255], [128, 64]], u8)' -o p.png
tyto convert x.npy a.npz --rename a
tyto eval 'cast([0.5, 2.], f32)' -o x1.npy
tyto eval 'x, x' x=x.npy -o z.npz
printf 'age,sex,income,survived\n' >people.csv
awk 'BEGIN { for (i = 0; i < 60; i++) print i % 40 + 20 "," (i % 2 ? "f" : "m") "," i * 100 ".5," i % 3 % 2 }' >>people.csv
for units in 1 2 3; do
    echo "{\"inputs\": {\"row\": [4]}, \"layers\": [{\"layer\": \"linear\", \"units\": $units}]}" >net$units.json
done
echo '{"inputs": {"row": [3]}, "layers": [{"layer": "linear", "units": 1}]}' >net31.json
tyto eval '[[1., 2., 3., 4.], [0., 0., 0., 1.]]' -o m4.npy
tyto eval '[[1., 2., 3., 4.], [1., 2., nan, 4.], [nan, 1., 2., 3.]]' -o holes.npy
header='{"x":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},"y":{"dtype":"U8","shape":[2],"data_offsets":[32,34]}}'
one='\000\000\200\077' hole='\000\000\300\177'
printf "\\$(printf %03o ${#header})\\000\\000\\000\\000\\000\\000\\000" >holes.safetensors
printf '%s' "$header" >>holes.safetensors
printf "$one$one$one$one$one$one$hole$hole\\000\\001" >>holes.safetensors
header='{"images":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},"labels":{"dtype":"U8","shape":[2],"data_offsets":[32,34]}}'
printf "\\$(printf %03o ${#header})\\000\\000\\000\\000\\000\\000\\000" >images.safetensors
printf '%s' "$header" >>images.safetensors
printf "$one$one$one$one$one$one$hole$hole\\000\\001" >>images.safetensors
# targets as probabilities of two classes, and of another number of examples
header='{"x":{"dtype":"F32","shape":[1,4],"data_offsets":[0,16]},"y":{"dtype":"F32","shape":[1,2],"data_offsets":[16,24]}}'
printf "\\$(printf %03o ${#header})\\000\\000\\000\\000\\000\\000\\000" >shares.safetensors
printf '%s' "$header" >>shares.safetensors
printf "$one$one$one$one$one\\000\\000\\000\\000" >>shares.safetensors
sed 's/1,4/2,2/' shares.safetensors >apart.safetensors
# names with a comma, and with a sign that would colour a terminal
header='{"a,b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u001b[31m":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}'
printf "\\$(printf %03o ${#header})\\000\\000\\000\\000\\000\\000\\000" >odd.safetensors
printf '%s\001\002' "$header" >>odd.safetensors
tyto train net2.json people.csv --epochs 1 --quiet --export own.npz >own.txt 2>&1
for layout in pytorch keras; do
    tyto train net2.json people.csv --epochs 1 --quiet --layout $layout --export $layout.npz >own.txt 2>&1
done
# files of other programs: their first bytes
printf 'PK\003\004\024\000\000\000\000\000\000\000\041\000%12s\020\000\000\000archive/data.pklABC' '' >model.pth
printf '\211HDF\r\n\032\n' >k.h5
printf 'PAR1\025' >d.parquet
printf 'GGUF\003\000\000\000' >l.gguf
printf '\200\004\225' >'my data.pkl'
printf '<!DOCTYPE html>\n<html></html>\n' >page.csv
printf 'version https://git-lfs.github.com/spec/v1\n' >model.bin
echo '{"a": [1]}' >j.json
# y = x + x, in ONNX's format
printf '\010\010\022\000\072\065\012\016\012\001\170\012\001\170\022\001\171\042\003\101\144\144\022\001\147\132\017' >m.onnx
printf '\012\001\170\022\012\012\010\010\001\022\004\012\002\010\002\142\017\012\001\171\022\012\012\010\010\001\022' >>m.onnx
printf '\004\012\002\010\002\102\004\012\000\020\015' >>m.onnx

# A JSON document of the command that wrote it, if a reader is there.
is_json() {
    ! command -v python3 >/dev/null || python3 -c 'import json, sys; json.load(sys.stdin)' <"$1"
}

while IFS= read -r line; do
    case $line in '#'* | '') continue ;; esac
    status=${line%% | *} words=${line##* | } command=${line#* | }
    command=${command% | *}
    expect "$status" "$words" sh -c "$command"
    case $command in
    *--json*) [ "$status" -ne 0 ] || is_json "$dir/out" || { failed=$((failed + 1)) && echo "FAILED: no JSON: $command"; } ;;
    esac
done <"$list"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
