#!/bin/sh
# tyto plot: kinds chosen by the data, classes, pipes, formats, bad input.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
t="$dir/t.csv"
cat >"$t" <<'END'
age,fare,sex,survived,time
22,7.25,male,0,1
38,71.3,female,1,2
26,7.9,female,1,3
,53.1,female,1,4
35,8.05,male,0,5
54,51.9,male,0,6
END

# draws WORDS ARGUMENT...: the picture has the words, and the file is one of PNG, too.
draws() {
    words=$1
    shift
    expect 0 "" "$tyto" plot "$@" -o "$dir/p.svg"
    expect 0 "$words" cat "$dir/p.svg"
    expect 0 "" "$tyto" plot "$@" --dark -o "$dir/p.png"
    expect 0 "PNG" head -c 8 "$dir/p.png"
}
draws ">sex<" "$t:time" "$t:fare" --by sex --kind line
draws ">survived<" "$t:age" --by survived
draws ">count<" "$t:age"
draws ">female<" "$t:age" "$t:fare" --by sex
draws ">fare<" "$t:age" "$t:fare" --by fare
draws ">male<" "$t:sex"
draws ">mean of fare<" "$t:sex" "$t:fare"
draws ">survived<" "$t:sex" --by survived
draws ">predicted<" "$t:sex" "$t:sex" --kind confusion
draws ">time<" "$t:time,fare"
draws ">age<" "$t"
draws ">sin(x) / x<" 'sin(x) / x' 'x=linspace(-20, 20, 300)' --title Sinc
draws ">x<" 'x * x' 'x=[1, 2, 3]'
draws ">5<" 'stack([sin(x), cos(x)], 1)' 'x=linspace(0, 6, 50)' --kind line
draws "<image" 'reshape(arange(12), (3, 4))'
draws ">11<" 'reshape(arange(12), (3, 4))' --numbers
draws "<image" 'reshape(arange(48), (3, 4, 4))' --columns 2
draws "frequency (Hz)" 'sin(arange(4000.))' --kind spectrum --rate 1000
draws "time (s)" 'sin(arange(4000.))' --kind spectrogram --rate 1000
draws ">0.01<" 'exp(-arange(10.))' --log y
"$tyto" eval 'linspace(0, 1, 5)' -o "$dir/y.npy"
draws ">y<" "$dir/y.npy"

# In the terminal, from pipes, to pipes.
expect 0 "count" "$tyto" plot "$t:age"
expect 0 "count" sh -c "'$tyto' plot - <'$t' --kind histogram"
expect 0 "age" sh -c "'$tyto' plot -:age <'$t'"
expect 0 "<svg" sh -c "cat '$t' | '$tyto' plot -:age --to svg"
expect 0 "PNG" sh -c "'$tyto' plot '$t:age' --to png -o - | head -c 8"
expect 0 "" sh -c "LC_ALL=C '$tyto' plot '$t:age' --by sex >'$dir/ascii'"
expect 1 "" sh -c "LC_ALL=C grep -q '[^ -~]' '$dir/ascii'"
expect 0 "--kind" "$tyto" plot --help

# Hostile data.
draws "no data" '[nan, inf, -inf]'
draws "no data" 'zeros(0)'
draws "7.5" '[7.5, 7.5]'
printf 'a,b\n' >"$dir/none.csv"
draws "no data" "$dir/none.csv:a" --by b
draws ">b<" 'sin(b)' 'b=[1.5, 2.5, 4]' --kind points --by b
draws "" 'sin(arange(1000000.))'
long=$(printf 'x%.0s' $(seq 1000))
printf '%s,b\n1,%s\n2,y\n' "$long" "$long" >"$dir/long.csv"
draws "…" "$dir/long.csv:$long"
draws "…" "$dir/long.csv:b"
draws "…" "$dir/long.csv:$long" --by b

# More words than bars.
{ echo word,v; for i in $(seq 10 59); do echo "w$i,$i"; done; } >"$dir/words.csv"
draws ">10 others<" "$dir/words.csv:word"
expect 0 "the first 40 of 50 words are drawn" "$tyto" plot "$dir/words.csv:word" "$dir/words.csv:v" --to svg
{ echo word; for i in $(seq 10 49); do echo "w$i"; done; } >"$dir/words.csv"
draws ">w49<" "$dir/words.csv:word"

# Words in the order of their numbers, and a list of bars as it is.
printf 'v,class\n1,class 10\n2,class 2\n3,class 2\n' >"$dir/natural.csv"
expect 0 "" "$tyto" plot "$dir/natural.csv:v" --by class -o "$dir/p.svg"
expect 0 "" sh -c "tr -d '\n' <'$dir/p.svg' | grep -o 'class 2<.*class 10<'"
printf 'town,people\nRome,28\nBern,1\nOslo,7\n' >"$dir/towns.csv"
expect 0 "" "$tyto" plot "$dir/towns.csv:town" "$dir/towns.csv:people" -o "$dir/p.svg"
expect 0 "" sh -c "tr -d '\n' <'$dir/p.svg' | grep -o 'Rome<.*Bern<.*Oslo<.*>people<'"

# Messages.
expect 2 "data are missing" "$tyto" plot
expect 1 "nothing.csv" "$tyto" plot "$dir/nothing.csv"
expect 1 "nothing.npy" "$tyto" plot "$dir/nothing.npy"
expect 1 "did you mean age" "$tyto" plot "$t:agee"
expect 1 "no such file, nor an expression" "$tyto" plot 'sine(x)'
expect 1 "--by fare: expected words, truth values or at most 20 whole numbers" "$tyto" plot "$t:age" --by fare
expect 1 "complex numbers have no order; take ty_real or ty_abs" "$tyto" plot '1j * arange(3)'
expect 1 "x has 3 elements and y 2; expected equal numbers" "$tyto" plot '[1, 2, 3]' '[1, 2]'
expect 1 "--kind images takes 1 operand" "$tyto" plot "$t:age" "$t:fare" --kind images
expect 1 "sex has words; --kind line draws numbers" "$tyto" plot "$t:time" "$t:age" "$t:sex"
expect 1 "--by survived: --kind histogram of 2 operands has no classes" "$tyto" plot "$t:age" "$t:sex" --by survived
expect 1 "--by age: --kind heat of 1 operand has no classes" "$tyto" plot 'zeros((2, 2))' --by "$t:age"
expect 2 "did you mean points" "$tyto" plot "$t:age" --kind point
expect 2 "expected a name that ends in .svg or .png" "$tyto" plot "$t:age" -o "$dir/p.gif"
expect 2 "expected --to svg or --to png, too" "$tyto" plot "$t:age" -o -
expect 1 "/no/such/folder/p.svg" "$tyto" plot "$t:age" -o /no/such/folder/p.svg
expect 2 "--width 10: expected 192 to 14400 pixels" "$tyto" plot "$t:age" --width 10 -o "$dir/p.png"
expect 2 "--height 20000: expected 192 to 14400 pixels" "$tyto" plot "$t:age" --height 20000 -o "$dir/p.svg"
expect 1 "standard output could not be written" sh -c "'$tyto' plot '$t:age' --to svg >/dev/full"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
