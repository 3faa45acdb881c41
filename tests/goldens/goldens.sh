#!/bin/sh
# Our functions against NumPy's, line by line of goldens.txt.  Skipped where Debian's python3-numpy is missing.
python=${TY_PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "skipped: $python has no numpy (package python3-numpy)"
    exit 0
fi
"$python" "$SOURCE/tests/goldens/make.py" "$SOURCE/tests/goldens/goldens.txt" "$BUILD/goldens.npz" || exit 1
"$BUILD/tests/goldens_compare" "$SOURCE/tests/goldens/goldens.txt" "$BUILD/goldens.npz"
