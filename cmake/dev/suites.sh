# Suites that others wrote: commands of ./dev, which reads this file.
# shellcheck shell=sh disable=SC2154
# Runs the cases of ONNX's newest test suite.
conformance() {
    wanted=onnx==1.23.2
    room=build/conformance
    # shellcheck disable=SC2086
    setup $suites python3-venv
    build release tyto_tool
    said=$(mktemp)
    if [ -d "$room/cases" ] && [ "$(cat "$room/version" 2>/dev/null)" = "$wanted" ]; then
        export CASES="$room/cases" LIST=tests/onnx/expected.txt
    elif { python3 -m venv "$room/venv" && "$room/venv/bin/pip" install --quiet "$wanted"; } >"$said" 2>&1; then
        rm -rf "$room/cases"
        "$room/venv/bin/python" -W ignore tests/onnx/export_cases.py "$room/cases" >"$said" 2>&1 ||
            { cat "$said" >&2; rm -f "$said"; return 1; }
        echo "$wanted" >"$room/version"
        export CASES="$room/cases" LIST=tests/onnx/expected.txt
    else
        tail -n 1 "$said" >&2
        echo "./dev conformance: $wanted is not to be had: Debian's cases alone" >&2
    fi
    rm -f "$said"
    BUILD=build/release sh tests/onnx/suite.sh "$@"
}

# Runs the array API standard's suite with so many examples, and ends with 77 where it cannot run.
array_api() {
    examples=5 archive=../shared/conformance/array-api-tests.tar.xz room=build/array-api
    for word in "$@"; do
        case $word in
        '' | *[!0-9]*) archive=$word ;;
        *) examples=$word ;;
        esac
    done
    if [ ! -e "$archive" ]; then
        echo "./dev array-api: skipped: there is no $archive; docs/python.md says what it holds" >&2
        return 77
    fi
    setup python3-dev python3-venv
    said=$(mktemp)
    if ! [ -x "$room/bin/python" ] && ! python3 -m venv "$room" >"$said" 2>&1 ||
        ! "$room/bin/python" -m pip install --quiet --retries 1 --timeout 10 pytest 'hypothesis>=6.151' ndindex \
            pytest-json-report >"$said" 2>&1; then
        tail -n 1 "$said" >&2
        rm -f "$said"
        echo "./dev array-api: skipped: pip cannot install pytest, hypothesis, ndindex and pytest-json-report" \
            "in $room; it needs the network or a mirror" >&2
        return 77
    fi
    rm -f "$said"
    build release tyto_python
    "$room/bin/python" -B python/tests/suite/run.py "$archive" --examples "$examples" \
        --package build/release/python/package
}
