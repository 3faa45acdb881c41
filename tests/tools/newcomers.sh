#!/bin/sh
# Command lines of newcomers, newcomers.txt: each does what it says, or says what to type.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/files"
run_list "$here/newcomers.txt"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
