#!/bin/sh
# Checks the headers in C++: each compound literal compiles without a warning by g++ and clang++ in each standard, and
# lists live to the end of the full expression.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
if grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
    echo "cplusplus: left out under sanitizers (the program is not instrumented)"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0 tried=0
say() { echo "cplusplus: $*"; bad=1; }
cat >"$scratch/one.cc" <<'C'
#include <tyto/tyto.h>
#include <cstdio>
#include <vector>

static int failed;
#define CHECK(condition) ((condition) ? (void)0 : (void)(failed = 1, std::printf("not: %s\n", #condition)))

static double at(ty_tensor *x, std::vector<int64_t> index) {
    std::vector<ty_index> items;
    for (int64_t i : index) items.push_back(TY_AT(i));
    return ty_item(ty_get(x, static_cast<int>(items.size()), items.data()));
}

int main() {
    ty_scope *scope = ty_open();
    int rows = 2, counted = 0;
    std::vector<double> data = {0, 1, 2, 3, 4, 5};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(rows, data.size() / 2), data.data());
    CHECK(ty_rank(x) == 2 && ty_shape(x)[1] == 3);
    CHECK(ty_rank(ty_zeros(TY_F64, TY_SHAPE())) == 0);
    CHECK(ty_size(ty_ones(TY_F32, TY_SHAPE(++counted, 3))) == 3 && counted == 1);
    CHECK(ty_item(ty_sum(x, TY_ALL)) == 15);
    CHECK(at(x, {1, 2}) == 5);
    ty_tensor *row = ty_get(x, TY_ITEMS(TY_AT(-1), TY_RANGE(0, rows, 1)));
    CHECK(ty_rank(row) == 1 && ty_item(ty_sum(row, TY_ALL)) == 7);
    CHECK(ty_rank(ty_get(x, TY_ITEMS(TY_DOTS, TY_NEW))) == 3);
    ty_tensor *places = ty_from(TY_I64, TY_SHAPE(2), std::vector<int64_t>{2, 0}.data());
    ty_tensor *picked = ty_get(x, TY_ITEMS(TY_WHOLE, TY_OF(places)));
    CHECK(ty_size(picked) == 4 && at(picked, {1, 0}) == 5);
    ty_axes all = TY_ALL;
    all.keep = true;
    CHECK(ty_rank(ty_sum(x, all)) == 2);
    ty_close(scope);
    return failed;
}
C
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for standard in c++11 c++17 c++20; do
        tried=$((tried + 1))
        $compiler -std=$standard -O1 -Wall -Wextra -Wold-style-cast -pedantic-errors -Werror -I"$SOURCE/include" \
            -o "$scratch/one" "$scratch/one.cc" -L"$BUILD" -ltyto -Wl,-rpath,"$BUILD" >"$scratch/said" 2>&1 || {
            say "$compiler as $standard: $(head -n 3 "$scratch/said")"
            continue
        }
        "$scratch/one" || say "the program of $compiler as $standard fails"
    done
done
[ $bad = 1 ] || echo "cplusplus: well ($tried compilers and standards)"
exit $bad
