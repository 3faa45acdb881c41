#!/bin/sh
# Convolutions and their gradients against PyTorch's.  Skipped where Debian's python3-torch is missing.
python=${TY_PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import numpy, torch' 2>/dev/null; then
    echo "skipped: $python has no torch (package python3-torch)"
    exit 0
fi
"$python" "$SOURCE/tests/goldens/conv.py" "$BUILD/conv_goldens.npz" || exit 1
"$BUILD/tests/goldens_conv" "$BUILD/conv_goldens.npz"
