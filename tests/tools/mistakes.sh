#!/bin/sh
# Mistakes that newcomers make, some forty for each command, mistakes_*.txt: each is answered by a message that says what was
# found and what is expected.  BUILD: where the binary lies.
set -u
. "$(dirname "$0")/files"
more_files
for list in "$here"/mistakes_*.txt; do
    rm -rf "$dir/clean" && cp -R "$dir/work" "$dir/clean" && cd "$dir/clean" || exit 1
    run_list "$list"
done
[ "$passed" -gt 900 ] || { failed=$((failed + 1)) && echo "FAILED: only $passed lines ran"; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
