#!/bin/sh
# Whether tests/goldens/layers.def is still what PyTorch says.  Skipped where Debian's python3-torch is missing.
python=${TY_PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import torch; torch.nn.RMSNorm' 2>/dev/null; then
    echo "skipped: $python has no torch with RMSNorm (package python3-torch)"
    exit 0
fi
"$python" "$SOURCE/tests/goldens/layers.py" "$BUILD/layers_goldens.def" || exit 1
"$python" - "$SOURCE/tests/goldens/layers.def" "$BUILD/layers_goldens.def" <<'PROGRAM'
import re
import sys

old, new = ([re.sub(r"^/\*.*?\*/", "", open(path).read(), flags=re.S)] for path in sys.argv[1:])
number = re.compile(r"-?\d+\.?\d*(?:e[-+]\d+)?")
words = [number.sub("#", text[0]).split() for text in (old, new)]
values = [[float(v) for v in number.findall(text[0])] for text in (old, new)]
far = [(a, b) for a, b in zip(*values) if abs(a - b) > 1e-10 * (1 + abs(a))]
if "".join(words[0]) != "".join(words[1]) or far:
    sys.exit(f"layers.def is not what PyTorch says: {far[:3] or 'other cases'}")
print(f"{len(values[0])} numbers passed")
PROGRAM
