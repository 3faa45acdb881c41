#!/bin/sh
# ONNX's test suite as Debian packages it (libonnx-testdata): all cases pass but those that LIST names.  ARGUMENTS are
# those of tyto check: suite.sh --engine ref.  CASES: folders of cases in its place, and LIST theirs.  BUILD, SOURCE: as
# for all tests.
set -u
cases=${CASES:-/usr/share/libonnx-testdata/data}
list=${LIST:-${SOURCE:-.}/tests/onnx/expected_debian.txt}
status=0
ran=0
for kind in node simple pytorch-converted pytorch-operator light; do
    for folder in $cases; do
        [ -d "$folder/$kind" ] || continue
        ran=$((ran + 1))
        echo "$folder/$kind:"
        "${BUILD:-.}/tyto" check "$folder/$kind" --list "$list" "$@" || status=1
    done
done
[ $ran -gt 0 ] || echo "skipped: $cases has no cases (package libonnx-testdata)"
exit $status
