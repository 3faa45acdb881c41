#!/bin/sh
# --engine of all commands that compute.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"

for command in train predict evaluate fit eval einsum graph info infer demo bench; do
    expect 0 "--engine NAME" "$tyto" $command --help
done
for command in convert table summary profile contraction devices; do
    expect 2 "unknown option --engine" "$tyto" $command --engine ref
done
expect 0 "engine        ref" "$tyto" info --engine ref
expect 0 "engine        null" "$tyto" info --engine=null
TY_ENGINE=ref expect 0 "engine        ref" "$tyto" info
TY_ENGINE=ref expect 0 "engine        cpu" "$tyto" info --engine cpu
expect 2 "--engine needs a value" "$tyto" eval 1 --engine
expect 2 "--engine rif (did you mean ref?): expected one of cpu, ref, null" "$tyto" eval 1 --engine rif
expect 2 "expected one of cpu, ref, null" "$tyto" train lenet --engine opencl:999
expect 2 "--engine opencl:x" "$tyto" bench "i,i->" i=3 --engine opencl:x
expect 1 "--engine rif (did you mean ref?): expected one of cpu" "$tyto" demo --out "$dir/demo" --engine rif

# Commands on a device of OpenCL, where there is one: the results of cpu.
device=opencl:0
"$tyto" devices | grep -q "^$device " || device=
if [ ! "$device" ]; then
    echo "skipped: there is no device opencl:0"
    "$tyto" devices | tail -1
else
    XDG_CACHE_HOME=$dir/cache
    export XDG_CACHE_HOME
    # agree WORDS...: the command prints the same on the device as on cpu.
    agree() {
        expect 0 "" "$tyto" "$@" --engine cpu
        cp "$dir/out" "$dir/want"
        expect 0 "" "$tyto" "$@" --engine $device
        same "$dir/want" "$dir/out" "$* on $device"
    }
    expect 0 "engine        opencl:0" "$tyto" info --engine opencl
    expect 2 "--engine opencl:9 (did you mean opencl:0?)" "$tyto" eval 1 --engine opencl:9
    awk 'BEGIN { print "a,b,good"
                 for (i = 0; i < 60; i++) { a = i % 7 - 3; b = i % 11 - 5; print a "," b "," (a * b > 0) } }' >"$dir/t.csv"
    agree eval "sum(x * 2, axis=0)" x="$dir/t.csv"
    agree eval "x[:3] @ [[1.], [2.], [3.]]" x="$dir/t.csv" --lazy --grad x
    agree info "$dir/t.csv" --stats
    agree fit "b ~ a" "$dir/t.csv"
    expect 0 "" "$tyto" convert "$dir/t.csv" "$dir/t.npy"
    agree einsum "ij,ik->jk" "$dir/t.npy" "$dir/t.npy"
    agree train mlp --data "$dir/t.csv" --epochs 2 --quiet --save "$dir/net"
    agree predict mlp --weights "$dir/net" --input "$dir/t.csv"
    agree evaluate mlp --weights "$dir/net" --data "$dir/t.csv"
    expect 0 "opencl:0: " "$tyto" infer mlp --runs 1 --engine $device --profile
    expect 0 "GB/s" "$tyto" bench "ij,jk->ik" i=8 j=8 k=8 --rounds 1 --engine $device
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
