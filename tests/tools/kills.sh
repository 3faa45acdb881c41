#!/bin/sh
# Trainings that are killed at any moment, again and again, end with the bits of one that never was.  BUILD: where the binary
# lies.  TY_KILLS: how often each is killed (8; 2 with TY_TEST_QUICK=1).
set -u
. "$(dirname "$0")/expect"
kills=${TY_KILLS:-8}
[ "${TY_TEST_QUICK:-0}" = 1 ] && kills=${TY_KILLS:-2}
seed=${TY_SEED:-$$}

# Numbers of seconds, so many of them, that are as often short as long.
moments() { awk -v n="$1" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", 0.02 + 0.7 * rand() ^ 2 }'; }

# survives NAME ARGUMENT...: the training as a whole, and killed.  Every step writes a checkpoint, every epoch may write the best.
survives() {
    name=$1 begun=0 killed=0
    shift
    set -- train "$@" --quiet --every 1
    if ! "$tyto" "$@" --save "$dir/$name.whole" --best "$dir/$name.whole.best.npz" >"$dir/out" 2>&1 </dev/null; then
        failed=$((failed + 1))
        echo "FAILED: $name"
        cat "$dir/out"
        return
    fi
    for moment in $(moments "$kills") end; do
        again=
        [ -e "$dir/$name" ] && again="--resume $dir/$name"
        # shellcheck disable=SC2086
        "$tyto" "$@" --save "$dir/$name" --best "$dir/$name.best.npz" $again >"$dir/out" 2>&1 </dev/null &
        id=$!
        [ "$moment" = end ] || { sleep "$moment" && kill -9 $id; } 2>/dev/null
        { wait $id; } 2>/dev/null
        got=$?
        begun=$((begun + 1))
        [ $got = 137 ] && killed=$((killed + 1)) && continue
        if [ $got != 0 ]; then
            failed=$((failed + 1))
            echo "FAILED: $name, start $begun: status $got; TY_SEED=$seed draws the same moments"
            cat "$dir/out"
            return
        fi
        [ "$moment" = end ] && break
        compare # it was through before it could be killed: once more from the beginning
        rm -f "$dir/$name" "$dir/$name.best.npz"
    done
    compare
    echo "$name: $killed of $begun starts were killed"
    left=$(find "$dir" -name "*$name*" | wc -l)
    if [ "$left" = 4 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $name: of what was killed $((left - 4)) files are left"
        find "$dir" -name "*$name*"
    fi
}
compare() {
    for end in "" .best.npz; do
        same "$dir/$name.whole$end" "$dir/$name$end" "$name$end: killed (TY_SEED=$seed), it has other bits"
    done
}

# Everything that goes on from step to step: moments of the rule, running means, dropout, the order, a schedule, the best epoch.
awk 'BEGIN { srand(1); print "a,b,good"
             for (i = 0; i < 300; i++) { a = rand() * 2 - 1; b = rand() * 2 - 1; print a "," b "," (a * b > 0) } }' >"$dir/t.csv"
cat >"$dir/net.json" <<'END'
{"inputs": {"row": [2]},
 "layers": [{"layer": "linear", "units": 32},
            {"layer": "batch_norm"},
            {"layer": "activation", "function": "relu"},
            {"layer": "dropout", "p": 0.2},
            {"layer": "linear", "units": 2}]}
END
survives table "$dir/net.json" --data "$dir/t.csv" --batch 20 --epochs 24 --optimiser adam --rate 0.01 --schedule cosine --warmup 5
survives unlike "$dir/net.json" --data "$dir/t.csv" --batch 20 --epochs 40 --validate 0.001 --optimiser momentum --rate 0.01 --early-stop 3

# A text, whose batches threads make ahead.
i=0
while [ $i -lt 60 ]; do printf "the quick brown fox jumps over the lazy dog, %d times: " $i; i=$((i + 1)); done >"$dir/page.txt"
[ "$kills" -gt 8 ] && survives text char_lstm --data "$dir/page.txt" --batch 4 --epochs 2 --optimiser adamw --sample 1

echo "$passed passed, $failed failed"
[ $failed = 0 ]
