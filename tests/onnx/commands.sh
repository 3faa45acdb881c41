#!/bin/sh
# tyto run, check, info, graph and compile on models of ONNX.  BUILD: where the binary lies; SOURCE: the tree.
set -u
. "${SOURCE:-.}/tests/tools/expect"
seeds=${SOURCE:-.}/fuzz/corpus/onnx_run
for name in arithmetic symbols strings attention sequences casts narrow; do cp "$seeds/$name" "$dir/$name.onnx"; done

expect 0 "f32[batch,2]" "$tyto" info "$dir/symbols.onnx"
expect 0 "1 Tanh" "$tyto" info "$dir/arithmetic.onnx"
expect 0 "3 nodes of 3 kinds" "$tyto" info "$dir/arithmetic.onnx"
expect 0 "operators: 1 node of 1 kind" "$tyto" info "$dir/symbols.onnx"
expect 0 "x f32[3,2]" "$tyto" graph "$dir/symbols.onnx" --size batch=3
expect 1 "--size batsh=3: no input has a size batsh (did you mean batch?)" "$tyto" graph "$dir/symbols.onnx" --size batsh=3
expect 1 "--size batsh=3: no input has a size batsh" "$tyto" run "$dir/symbols.onnx" --size batsh=3
expect 2 "--size is for models of ONNX" "$tyto" graph "$dir/none" --size batch=3
expect 2 "--stats: it is for files of arrays and tables" "$tyto" info "$dir/symbols.onnx" --stats
expect 2 "--stats: expected FILE, too" "$tyto" info --stats
printf "a,b\n1,2\n" >"$dir/table.csv"
expect 1 "table.csv: is not a model of ONNX: " "$tyto" run "$dir/table.csv"
expect 1 "missing.onnx: cannot be opened" "$tyto" info "$dir/missing.onnx"

# A size without a name (byte 28, the field of the name, becomes that of the denotation) cannot be given.
cp "$dir/symbols.onnx" "$dir/unnamed.onnx"
printf '\032' | dd of="$dir/unnamed.onnx" bs=1 seek=28 conv=notrunc 2>/dev/null
expect 0 "x: note: sizes ? of f32[?,2] have no name and become 1" "$tyto" run "$dir/unnamed.onnx"
expect 0 "x: note: sizes ? of f32[?,2] have no name and become 1" "$tyto" graph "$dir/unnamed.onnx"
"$tyto" run "$dir/symbols.onnx" 2>"$dir/err" >/dev/null
[ ! -s "$dir/err" ] || { failed=$((failed + 1)); echo "FAILED: a note about named sizes"; }
# A named size behind axis 0 is no batch: a length of 1 may be too short for the model.
printf '\010\012B\004\012\000\020\025:\053\022\001gZ\024\012\001x\022\017\012\015\010\001\022\011\012\002\010\002\012\003\022\001nb\003\012\001y\012\013\042\003Neg\012\001x\022\001y' >"$dir/length.onnx"
expect 0 "x: note: open sizes of f32[2,n] become 1; --size n=N gives another" "$tyto" run "$dir/length.onnx"
"$tyto" run "$dir/length.onnx" --size n=3 2>"$dir/err" >/dev/null
[ ! -s "$dir/err" ] || { failed=$((failed + 1)); echo "FAILED: a note about a size that is given"; }

# Initialisers become weights of a file of C: its function takes the inputs of the model alone.
expect 0 "weights 8 bytes" "$tyto" compile "$dir/arithmetic.onnx" -o "$dir/m.c"
expect 0 "predict(m_state *state, const float *x, float *y);" cat "$dir/m.h"
expect 0 "weights 0 bytes" "$tyto" compile "$dir/arithmetic.onnx" -o "$dir/m.c" --input x --input w
expect 2 "--load has no meaning" "$tyto" compile "$dir/arithmetic.onnx" -o "$dir/m.c" --load "$dir/arithmetic.onnx"

# Three outputs, a sequence s, y = -x and k = exp(x): those of --output keep their names.
printf '\010\012B\004\012\000\020\025:q\022\001gZ\017\012\001x\022\012\012\010\010\001\022\004\012\002\010\002b\015\012\001s\022\010\042\006\012\004\012\002\010\001b\011\012\001y\022\004\012\002\010\001b\011\012\001k\022\004\012\002\010\001\012\013\042\003Neg\012\001x\022\001y\012\013\042\003Exp\012\001x\022\001k\012\034\042\021SequenceConstruct\012\001x\012\001y\022\001s' >"$dir/three.onnx"
expect 1 "output s is a sequence, which a graph cannot have; --output NAME chooses others" "$tyto" compile "$dir/three.onnx" -o "$dir/t.c"
expect 1 "--output kk: the model has no such output" "$tyto" compile "$dir/three.onnx" -o "$dir/t.c" --output kk
expect 1 "--output k: it is given twice" "$tyto" compile "$dir/three.onnx" -o "$dir/t.c" --output k --output k
expect 0 "t.c: " "$tyto" compile "$dir/three.onnx" -o "$dir/t.c" --output k --output y
expect 0 "predict(t_state *state, const float *x, float *k, float *y);" cat "$dir/t.h"
expect 0 "k f32[2]" "$tyto" graph "$dir/three.onnx" --output k
expect 2 "--output is for models of ONNX" "$tyto" graph "$dir/x.npy" --output k
expect 2 "--output has no meaning for mlp" "$tyto" compile mlp -o "$dir/t.c" --output y

# A page names the node of the model that a kernel computes: here k = exp(x) by the node "body.exp".
printf '\010\012B\004\012\000\020\025:6\012\025\032\010body.exp\042\003Exp\012\001x\022\001k\022\001gZ\017\012\001x\022\012\012\010\010\001\022\004\012\002\010\002b\011\012\001k\022\004\012\002\010\001' >"$dir/named.onnx"
expect 0 "" "$tyto" graph "$dir/named.onnx" --html "$dir/named.html"
expect 0 "\"layer\":\"body.exp\"" cat "$dir/named.html"

# Inputs from files and at random; outputs to a file, which a run is compared with.
expect 0 "" "$tyto" eval "[1.0, -2.0]" -o "$dir/x.npy"
expect 0 "" "$tyto" eval "[1.0, 2.0, 3.0]" -o "$dir/three.npy"
expect 0 "y = " "$tyto" run "$dir/arithmetic.onnx"
expect 0 "y = [ 0.9950548 -0.9640276]" "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy"

# Elements of less than 8 bits: a declared type (byte 23, 1: f32) becomes INT4.
printf '\026' | dd of="$dir/casts.onnx" bs=1 seek=23 conv=notrunc 2>/dev/null
expect 0 "x i4[2]" "$tyto" info "$dir/casts.onnx"
expect 0 "3 tensors, 4 elements" "$tyto" info "$dir/narrow.onnx"
expect 0 "y = [ 1. -2.]" "$tyto" run "$dir/casts.onnx" "x=$dir/x.npy"
expect 0 "y = [3 1]" "$tyto" run "$dir/narrow.onnx" "x=$dir/x.npy"

# Bytes of the declared form, [3,1,4], are no picture of 3 rows and 4 channels.
printf '\010\012B\004\012\000\020\025:\071\012\020\012\001x\022\001y\042\010Identity\022\001gZ\027\012\001x\022\022\012\020\010\002\022\014\012\002\010\003\012\002\010\001\012\002\010\004b\011\012\001y\022\004\012\002\010\002' >"$dir/bytes.onnx"
expect 0 "" "$tyto" eval "cast([[[1, 2, 3, 4]], [[5, 6, 7, 8]], [[9, 10, 11, 12]]], u8)" -o "$dir/bytes.npy"
expect 0 "[[ 9 10 11 12]]" "$tyto" run "$dir/bytes.onnx" "x=$dir/bytes.npy"

# Drawn bools are not all true.
printf '\011' | dd of="$dir/casts.onnx" bs=1 seek=23 conv=notrunc 2>/dev/null
expect 0 "y = [0. 0.]" "$tyto" run "$dir/casts.onnx"

expect 0 "" "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy" -o "$dir/y.npz"
expect 0 "1 result of nodes agrees with" "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy" --against "$dir/y.npz"
expect 2 "--against and --mode compiled: expected one of them" \
    "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy" --against "$dir/y.npz" --mode compiled
expect 0 "1 result of nodes agrees with" "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy" --against "$dir/y.npz" --mode eager
expect 0 "1 result of nodes agrees with" "$tyto" run "$dir/arithmetic.onnx" --against "$dir/y.npz" --atol 9
expect 2 "--rtol: expected --against, too" "$tyto" run "$dir/arithmetic.onnx" --rtol 0.1
expect 2 "--atol: expected --against, too" "$tyto" run "$dir/arithmetic.onnx" --atol 0.1
expect 1 "the first node that differs is Tanh" "$tyto" run "$dir/arithmetic.onnx" --against "$dir/y.npz"

# A result named by a control character (bytes 34 and 105, "y").
cp "$dir/arithmetic.onnx" "$dir/control.onnx"
for at in 34 105; do printf '\033' | dd of="$dir/control.onnx" bs=1 seek=$at conv=notrunc 2>/dev/null; done
expect 0 "" "$tyto" run "$dir/control.onnx" "x=$dir/x.npy" -o "$dir/control.npz"
expect 1 'differs is Tanh "": ?: ' "$tyto" run "$dir/control.onnx" --against "$dir/control.npz"

expect 1 "the shape [batch, 2] is expected" "$tyto" run "$dir/symbols.onnx" "x=$dir/three.npy" --against "$dir/y.npz"
expect 0 "y = [ 0.9950548 -0.9640276]" "$tyto" run "$dir/arithmetic.onnx" "x=[1, -2]"
expect 1 "nor an array such as 3 or [1, 2]: column 4" "$tyto" run "$dir/arithmetic.onnx" "x=[1,"
expect 1 'x" is f32[3], but the shape [2] is expected' "$tyto" run "$dir/arithmetic.onnx" "x=[1, 2, 3]"
cp "$dir/casts.onnx" "$dir/texts.onnx"
printf '\010' | dd of="$dir/texts.onnx" bs=1 seek=23 conv=notrunc 2>/dev/null
expect 1 "input x: an array of strings cannot be written out; expected a file .pb" "$tyto" run "$dir/texts.onnx" "x=[1, 2]"
expect 2 "b.onnx: expected NAME=b.onnx for the input NAME of a.onnx, or one model alone" "$tyto" run a.onnx b.onnx
expect 2 "=x.npy: expected NAME=x.npy for the input NAME of a.onnx" "$tyto" run a.onnx =x.npy
expect 1 "no array has the name" "$tyto" run "$dir/symbols.onnx" --against "$dir/x.npy"
expect 0 '["ab"]' "$tyto" run "$dir/strings.onnx"
expect 1 "x is given twice" "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy" "x=$dir/x.npy"
expect 1 "has no input z" "$tyto" run "$dir/arithmetic.onnx" "z=$dir/x.npy"
expect 0 "y = [[1. 0.]]" "$tyto" run "$dir/symbols.onnx" "x=$dir/x.npy" --mode eager
expect 1 "the shape [batch, 2] is expected" "$tyto" run "$dir/symbols.onnx" "x=$dir/three.npy"
expect 2 "a model is missing" "$tyto" run
expect 2 "--random and x=$dir/x.npy: expected one" "$tyto" run "$dir/arithmetic.onnx" "x=$dir/x.npy" --random
expect 2 "a folder is missing" "$tyto" check
expect 1 "$dir/x.npy: is a file; expected a folder with model.onnx" "$tyto" check "$dir/x.npy"
expect 1 "none: cannot be opened: No such file or directory" "$tyto" check none
mkdir "$dir/empty"
expect 1 "empty: the folder has no files that the command reads" "$tyto" check "$dir/empty"

# A case without data, one that is expected to fail, and lists that are wrong.
mkdir "$dir/case"
cp "$dir/arithmetic.onnx" "$dir/case/model.onnx"
expect 1 "has no folder test_data_set_0" "$tyto" check "$dir/case"
echo "case it has no data" >"$dir/list"
expect 0 "0 of 1 pass, 1 excused, 0 unexpected" "$tyto" check "$dir/case" --list "$dir/list"
echo "case" >"$dir/list"
expect 1 "a reason is missing" "$tyto" check "$dir/case" --list "$dir/list"
printf 'case a\ncase b\n' >"$dir/list"
expect 1 "is there twice" "$tyto" check "$dir/case" --list "$dir/list"

# One memory for all sizes.
expect 0 "memory for all runs: " "$tyto" run "$dir/symbols.onnx" --max batch=64 --size batch=3
expect 1 "tyto: --max: no input has a size batsh (did you mean batch?)" "$tyto" run "$dir/symbols.onnx" --max batsh=64
expect 2 "--max: it is for runs of compiled programs" "$tyto" run "$dir/symbols.onnx" --max batch=64 --mode eager

# Operations: 6 of relu on [3, 2]; a product of [2, 3] and [3, 4] has 48.
expect 0 "operations: --size batch=N counts them" "$tyto" info "$dir/symbols.onnx"
expect 0 "operations: 6 " "$tyto" info "$dir/symbols.onnx" --size batch=3
expect 0 "operations: not counted, as inputs cannot be drawn" "$tyto" info "$dir/symbols.onnx" --size batch=4611686018427387904
expect 0 "programs: 1" "$tyto" info "$dir/symbols.onnx" --size batch=3
memory=$("$tyto" run "$dir/symbols.onnx" --max batch=4 | grep '^memory for all runs: ')
expect 0 "${memory:-no memory}" "$tyto" info "$dir/symbols.onnx" --max batch=4
expect 1 "no input has a size batsh (did you mean batch?)" "$tyto" info "$dir/symbols.onnx" --size batsh=3
expect 2 "--max: it is for models of ONNX" "$tyto" info "$dir/x.npy" --max batch=3
# x[a, 3] times w[3, 4], of zeros
zeros=$(printf '%096d' 0 | sed 's/00/\\000/g')
printf '\010\012\022\000:\177\012\021\012\001x\012\001w\022\001y\042\006MatMul\022\001g*;\010\003\010\004\020\001B\001wJ0'"$zeros"'Z\024\012\001x\022\017\012\015\010\001\022\011\012\003\022\001a\012\002\010\003b\024\012\001y\022\017\012\015\010\001\022\011\012\003\022\001a\012\002\010\004B\004\012\000\020\025' >"$dir/product.onnx"
expect 0 "operations: 48 (a multiplication with an addition counts two)" "$tyto" info "$dir/product.onnx" --size x.0=2
expect 0 "       48 MatMul" "$tyto" info "$dir/product.onnx" --max a=2
# -x[a, b, a]
printf '\010\012:H\012\013\012\001x\022\001y"\003Neg\022\001gZ\032\012\001x\022\025\012\023\010\001\022\017\012\003\022\001a\012\003\022\001b\012\003\022\001ab\032\012\001y\022\025\012\023\010\001\022\017\012\003\022\001a\012\003\022\001b\012\003\022\001aB\004\012\000\020\025' >"$dir/two.onnx"
expect 0 "operations: --size a=N --size b=N count them" "$tyto" info "$dir/two.onnx"
expect 0 "operations: --size b=N counts them" "$tyto" info "$dir/two.onnx" --size a=2
expect 0 "operations: 12 " "$tyto" info "$dir/two.onnx" --size a=2 --size b=3

# A loop without end is not counted, and does not hang the command.
printf '\010\012B\004\012\000\020\025:Z\022\001gZ\017\012\001x\022\012\012\010\010\001\022\004\012\002\010\002b\011\012\001y\022\004\012\002\010\001\0129\042\004Loop\012\000\012\000\012\001x\022\001y\052\047\012\004body2\034\022\001gZ\003\012\001iZ\003\012\001kZ\003\012\001vb\003\012\001kb\003\012\001v\240\001\005' >"$dir/endless.onnx"
expect 0 "operations: not counted in 0.1 s; --seconds allows more" "$tyto" info "$dir/endless.onnx" --seconds 0.1
expect 124 "tyto: timeout" "$tyto" info "$dir/endless.onnx" --timeout 0.1
expect 2 "--seconds: it is for models of ONNX" "$tyto" info "$dir/x.npy" --seconds 3

# Two cases, relu of [[1, -2]]: the chosen engine computes both.  That of the name null computes nothing.
for name in a b; do
    mkdir -p "$dir/cases/$name/test_data_set_0"
    cp "$dir/symbols.onnx" "$dir/cases/$name/model.onnx"
    printf '\010\001\010\002\020\001\112\010\000\000\200\077\000\000\000\300' >"$dir/cases/$name/test_data_set_0/input_0.pb"
    printf '\010\001\010\002\020\001\112\010\000\000\200\077\000\000\000\000' >"$dir/cases/$name/test_data_set_0/output_0.pb"
done
for mode in compiled unfused eager; do expect 0 "2 of 2 pass" "$tyto" check "$dir/cases" --mode $mode; done
if command -v cc >/dev/null; then
    expect 0 "2 of 2 pass" "$tyto" check "$dir/cases" --mode c
    expect 0 "2 of 2 pass" "$tyto" check "$dir/cases" --mode c --cc "cc -DNDEBUG -O0"
fi
expect 1 "FAILED a: the compiler fails: status 1: " "$tyto" check "$dir/cases" --mode c --cc false
printf '#!/bin/sh\nsleep 100\n' >"$dir/slow"
chmod +x "$dir/slow"
expect 1 "FAILED a: the compiler: timeout: " "$tyto" check "$dir/cases" --mode c --seconds 0.1 --cc "$dir/slow"
expect 0 "2 of 2 pass" "$tyto" check "$dir/cases" --engine ref
expect 0 "2 of 2 pass" "$tyto" check "$dir/cases" --max batch=64
expect 1 "FAILED a: --max: no input has a size batsh" "$tyto" check "$dir/cases" --max batsh=64
expect 1 "0 of 2 pass" "$tyto" check "$dir/cases" --engine null
echo "$passed passed, $failed failed"
[ $failed = 0 ]
