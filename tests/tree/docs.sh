#!/bin/sh
# The generated pages are what their sources say.
awk -f "$SOURCE/docs/numpy.awk" "$SOURCE/tests/goldens/goldens.txt" | cmp - "$SOURCE/docs/numpy.md" || {
    echo "docs/numpy.md is not what tests/goldens/goldens.txt makes: run ./dev docs"
    echo "0 passed, 1 failed"
    exit 1
}
echo "1 passed, 0 failed"
