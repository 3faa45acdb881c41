#!/bin/sh
# Makes declarations for Rust of docs/tyto.json by examples/rust/declarations.py, compiles them with their sizes, and
# compares what examples/rust/gradient.rs prints.  Skipped without rustc and Python.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
for tool in rustc python3; do
    command -v $tool >/dev/null || { echo "rust: skipped, there is no $tool"; exit 0; }
done
[ -e "$BUILD/libtyto.so" ] || { echo "rust: skipped, there is no libtyto.so in this build"; exit 0; }
if grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
    echo "rust: left out under sanitizers (the program is not instrumented)"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$SOURCE/examples/rust/gradient.rs" "$scratch"
cd "$scratch"
python3 -B "$SOURCE/examples/rust/declarations.py" "$SOURCE/docs/tyto.json" tyto.rs
rustc --edition 2021 -D warnings gradient.rs -L "$BUILD" -l tyto
cat >expected <<'T'
[36.0] [3.0, 12.0, 27.0], 1 call
true [0.3679, 0.1353, 0.0498], 1 kernel
gather: index 3 at [0] is out of bounds for axis 0 of size 3: expected -3..2
add of f64[3] and f64[2]: operands do not broadcast (axis 0: 3 vs 2)
T
LD_LIBRARY_PATH=$BUILD ./gradient | diff expected -
# A wrong size is an error of compilation.
sed 's/size_of::<ty_axes>() == [0-9]*/size_of::<ty_axes>() == 1/' tyto.rs >wrong && mv wrong tyto.rs
if rustc --edition 2021 gradient.rs -L "$BUILD" -l tyto >said 2>&1; then
    echo "rust: a wrong size compiles"
    exit 1
fi
echo "rust: well"
