#!/bin/sh
# Texts by language models: prompts, seeds, threads, pipes.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"

i=0
while [ $i -lt 60 ]; do echo "Die Eule flog über den Baum, $i mal."; i=$((i + 1)); done >"$dir/owl.txt"
expect 0 "tokens for training" "$tyto" train char_lstm --data "$dir/owl.txt" --epochs 1 --save "$dir/owl" --sample 20 --rate 0.01
expect 0 "Die Eule" "$tyto" generate "$dir/owl" --prompt "Die Eule" --tokens 40
cp "$dir/out" "$dir/first"
expect 0 "Die Eule" "$tyto" generate "$dir/owl" --prompt "Die Eule" --tokens 40 --threads 1
same "$dir/first" "$dir/out" "another text on one thread"
printf 'Die Eule' | "$tyto" generate "$dir/owl" --prompt - --tokens 40 >"$dir/piped"
same "$dir/first" "$dir/piped" "another text from a pipe"
expect 0 "Die Eule" "$tyto" generate "$dir/owl" --prompt "Die Eule" --tokens 40 --seed 2
cp "$dir/out" "$dir/second"
expect 1 "" cmp -s "$dir/first" "$dir/second"
expect 0 '"prompt": "Eule"' "$tyto" generate "$dir/owl" --prompt Eule --tokens 3 --json --temperature 0
cp "$dir/out" "$dir/json"
expect 0 '"prompt_tokens": 4,' cat "$dir/json"
expect 0 '"text": "' cat "$dir/json"
# Tokens of more than a byte: trained on the text, kept with the weights, from a file.
expect 0 "tokens for training" "$tyto" train char_lstm --data "$dir/owl.txt" --tokenizer bpe --vocabulary 280 --epochs 1 --rate 0.01 --save "$dir/bpe"
expect 0 "Die Eule" "$tyto" generate "$dir/bpe" --prompt "Die Eule" --tokens 30 --temperature 0
expect 0 '"prompt_tokens": 2,' "$tyto" generate "$dir/bpe" --prompt "Die Eule" --tokens 3 --json
expect 0 '"prompt_tokens": 2,' "$tyto" generate "$dir/bpe" --tokenizer "$dir/bpe" --prompt "Die Eule" --tokens 3 --json
expect 1 "none.json: cannot be opened" "$tyto" generate "$dir/owl" --tokenizer "$dir/none.json"
expect 1 "out of bounds for 256 tokens" "$tyto" generate "$dir/owl" --tokenizer "$dir/bpe" --prompt "Die Eule"
expect 0 '"validation": ' "$tyto" train char_lstm --data "$dir/owl.txt" --epochs 1 --rate 0.01 --json
expect 2 "--json and --sample" "$tyto" train char_lstm --data "$dir/owl.txt" --json --sample 20
expect 2 "--vocabulary: expected --tokenizer bpe, too" "$tyto" train char_lstm --data "$dir/owl.txt" --vocabulary 300
expect 2 "--tokenizer: it is for texts" "$tyto" train mlp --tokenizer bpe
expect 1 "none.json" "$tyto" train char_lstm --data "$dir/owl.txt" --tokenizer "$dir/none.json"
expect 1 "tokenizer_train: a vocabulary of 100 tokens; expected 257" "$tyto" train char_lstm --data "$dir/owl.txt" --tokenizer bpe --vocabulary 100
echo owl >"$dir/short.txt"
expect 1 "the text is too short: it has " "$tyto" train char_lstm --data "$dir/short.txt" --tokenizer bpe
# Bytes that are no characters never reach the output.
expect 0 "" "$tyto" generate "$dir/owl" --prompt Eule --tokens 400 --temperature 50
cp "$dir/out" "$dir/wild"
expect 0 "" iconv -f UTF-8 -t UTF-16 "$dir/wild"
expect 2 "the weights are missing" "$tyto" generate
expect 1 "no/such: cannot be opened" "$tyto" generate "$dir/no/such"
expect 2 "--top-p 1.5: expected a number above 0, up to 1" "$tyto" generate "$dir/owl" --top-p 1.5
expect 2 "--temperature -1" "$tyto" generate "$dir/owl" --temperature -1
expect 1 "is no language model" sh -c "'$tyto' train mlp --limit 200 --epochs 1 --export '$dir/mlp' --quiet && '$tyto' generate '$dir/mlp'"
# Ctrl-C ends the text; of a shell's background job only a parent that restores the signal can send it.
expect 130 "" env --default-signal=INT timeout --preserve-status -s INT 1 "$tyto" generate "$dir/owl" --tokens 100000000
cp "$dir/out" "$dir/long"
unsaid ""
expect 124 '"end": false' "$tyto" generate "$dir/owl" --tokens 100000000 --timeout 1 --json
expect 0 "" [ -s "$dir/long" ]
echo "$passed passed, $failed failed"
[ $failed = 0 ]
