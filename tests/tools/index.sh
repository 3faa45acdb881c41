#!/bin/sh
# Words that a newcomer looks up, index.txt: `tyto help` knows each of them.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/expect"
while IFS= read -r term; do
    # shellcheck disable=SC2086
    expect 0 "" "$tyto" help $term # as several arguments
done <"$(dirname "$0")/index.txt"
expect 0 "page docs/stability.md" "$tyto" help thread safe
expect 0 "function of C in <tyto/derivative.h>" "$tyto" help Jacobian
expect 0 "function of tyto eval: sem(" "$tyto" help standard error
expect 0 "function of tyto eval: sem(" "$tyto" help "standard error"
expect 0 '"name": "--rate"' "$tyto" help learning rate --json
expect 1 "learning is no command" "$tyto" help learning nonsense
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
