#!/bin/sh
# Checks <tyto/typed.h> in each dialect of C and C++: a program whose data fits compiles without a warning and runs, with
# and without TY_PLACES, and each call whose data does not fit is an error that names the fix.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
if grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
    echo "typed: left out under sanitizers (the programs are not instrumented)"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0 passed=0
say() { echo "typed: $*"; bad=1; }

# Every public function of a dtype and of untyped data has a macro.
(cd "$SOURCE" && ${CC:-cc} -E -P -Iinclude tests/support/calls/headers.c | awk -f tests/support/calls/signatures.awk) |
    grep -E 'VALUE\([0-9]+, ty_dtype,.*void \*, (data|out)\)' | sed 's/^CALL(\([a-z_0-9]*\),.*/\1/' | sort >"$scratch/named"
[ "$(wc -l <"$scratch/named")" -ge 4 ] || say "found the functions $(tr '\n' ' ' <"$scratch/named")"
while read -r name; do
    grep -q "define $name(" "$SOURCE"/include/tyto/core.h "$SOURCE"/include/tyto/create.h || say "$name is not checked"
done <"$scratch/named"

# ---- data that fits ----
cat >"$scratch/fits.c" <<'C'
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> c64;
#else
#include <complex.h>
typedef float complex c64;
#endif
#include <stdio.h>
#include <tyto/tyto.h>

static int failed;
#define CHECK(condition) ((condition) ? (void)0 : (void)(failed = 1, printf("not: %s\n", #condition)))
#define FITS(type, dtype)                                                                                    \
    do {                                                                                                     \
        type in[2], out[2] = {0, 0};                                                                         \
        ty_dtype same = dtype;                                                                               \
        in[0] = in[1] = 1;                                                                                   \
        CHECK(ty_ok(ty_from(dtype, TY_SHAPE(2), in)) && ty_ok(ty_from(same, TY_SHAPE(1, 2), in)));          \
        CHECK(ty_ok(ty_borrow(dtype, TY_SHAPE(2), in, NULL, NULL)));                                         \
        CHECK(ty_read(ty_from(same, TY_SHAPE(2), in), dtype, out) && out[1] == in[1]);                      \
    } while (0)

int main(void) {
    ty_scope *scope = ty_open();
    double data[2][3] = {{0, 1, 2}, {3, 4, 5}}, deep[1][2][3] = {{{0}}};
    const int64_t shape[2] = {2, 3}, strides[1] = {8};
    const float fixed[2] = {1, 2};
    const void *raw = fixed;
    int calls = 0;
    ty_dtype other = TY_F64, f32 = TY_F32;
    ty_tensor *(*plain)(ty_dtype, int, const int64_t *, const void *) = ty_from;
    ty_tensor *(*address)(ty_dtype, int, const int64_t *, const void *) = &ty_from;
    FITS(signed char, TY_I8);
    FITS(char, TY_U8);
    FITS(bool, TY_BOOL);
    FITS(uint8_t, TY_BOOL);
    FITS(short, TY_I16);
    FITS(uint16_t, TY_BF16);
    FITS(int, TY_I32);
    FITS(uint32_t, TY_U32);
    FITS(int64_t, TY_I64);
    FITS(uint64_t, TY_U64);
    FITS(float, TY_F32);
    FITS(double, TY_F64);
    FITS(c64, TY_C64);
    FITS(long, sizeof(long) == 8 ? TY_I64 : TY_I32);
    CHECK(plain == address && ty_ok(plain(TY_F32, 1, shape, raw)) && ty_ok((ty_from)(TY_F32, 1, shape, data)));
    CHECK(ty_ok(ty_from(TY_F32, 1, shape, raw)) && ty_ok(ty_from(TY_F32, 1, (calls++, shape), fixed)) && calls == 1);
    CHECK(ty_ok(ty_from(TY_F64, 2, shape, data)) && ty_ok(ty_from(TY_F64, TY_SHAPE(1, 2, shape[0] + 1), deep)));
    CHECK(ty_ok(ty_from_strided(TY_F64, TY_SHAPE(3), strides, data)));
    CHECK(ty_ok(ty_from(TY_F64, TY_SHAPE(0), NULL)));
#if CHECKED
    CHECK(!ty_ok(ty_from(other, TY_SHAPE(2), fixed)) && !ty_read(ty_ones(TY_F64, 2, shape), f32, data));
#endif
    (void)other, (void)f32;
    ty_close(scope);
    return failed;
}
C
cp "$scratch/fits.c" "$scratch/fits.cc"
# COMPILER STANDARD SUFFIX CHECKED [OPTION]
fits() {
    compiler=$1 standard=$2 suffix=$3 checked=$4
    shift 4
    command -v "$compiler" >/dev/null || return 0
    passed=$((passed + 1))
    if ! "$compiler" "-std=$standard" -Wall -Wextra -Wshadow -pedantic-errors -Werror "-DCHECKED=$checked" "$@" \
        -I"$SOURCE/include" -o "$scratch/fits" "$scratch/fits.$suffix" -L"$BUILD" -ltyto -Wl,-rpath,"$BUILD" \
        >"$scratch/said" 2>&1; then
        say "$compiler -std=$standard $*: $(grep -m 3 -E 'error|undefined' "$scratch/said")"
    else
        "$scratch/fits" || say "the program of $compiler -std=$standard $* fails"
    fi
}
for compiler in gcc clang; do
    fits $compiler c99 c 0
    fits $compiler c99 c 0 -DTY_PLACES
    fits $compiler c11 c 0 -DTY_UNTYPED
    for standard in c11 c17 c2x; do fits $compiler $standard c 1; done
    fits $compiler c11 c 1 -DTY_PLACES -O2
done
for compiler in g++ clang++; do
    for standard in c++11 c++17 c++20; do fits $compiler $standard cc 1; done
    fits $compiler c++11 cc 1 -DTY_PLACES -O2
    fits $compiler c++17 cc 0 -DTY_UNTYPED
done

# ---- data that does not fit: each statement is refused with this message; those after "struct", in C, with any ----
cat >"$scratch/misfits" <<'C'
ty_from(TY_F64, TY_SHAPE(2), f)
ty_from(TY_F64, 1, shape, fixed)
ty_from(TY_F32, TY_SHAPE(2), d)
ty_from(TY_I32, TY_SHAPE(2), f)
ty_from(TY_I64, TY_SHAPE(2), i)
ty_from(TY_U32, TY_SHAPE(2), i)
ty_from(TY_F32, TY_SHAPE(2), h)
ty_from(TY_I8, TY_SHAPE(2), u8)
ty_from(TY_U8, TY_SHAPE(2), truth)
ty_from(TY_F32, TY_SHAPE(2), u8)
ty_from(TY_F32, TY_SHAPE(2), bytes)
ty_read(x, TY_F32, bytes)
ty_from(TY_C64, TY_SHAPE(2), f)
ty_from(TY_C128, TY_SHAPE(2), d)
ty_from(TY_F64, TY_SHAPE(2, 2), m)
ty_from(TY_F32, TY_SHAPE(2), loud)
ty_from(TY_F32, TY_SHAPE(2), &pointer)
ty_from(TY_F32, TY_SHAPE(2), pointers)
struct ty_from(TY_F32, TY_SHAPE(2), &other)
struct ty_from(dtype, TY_SHAPE(2), &other)
ty_from_strided(TY_F64, TY_SHAPE(2), shape, f)
ty_borrow(TY_F64, TY_SHAPE(2), f, NULL, NULL)
ty_read(x, TY_F64, f)
ty_read(ty_add(x, x), TY_I64, i)
ty_read(x, TY_F64, wide)
C
# COMPILER STANDARD SUFFIX [OPTION]
misfits() {
    compiler=$1 standard=$2 suffix=$3
    shift 3
    command -v "$compiler" >/dev/null || return 0
    while read -r statement; do
        said='error.*the element type of the data does not fit the dtype .*cast the data to (void \*)'
        case $statement in struct*)
            statement=${statement#struct }
            [ "$suffix" = cc ] || said=error
            ;;
        esac
        cat >"$scratch/misfit.$suffix" <<C
#include <tyto/tyto.h>
struct other { int x; };
static float f[2], m[2][2], *pointer, *pointers[2];
static double d[2];
static long double wide[2];
static const float fixed[2] = {1, 2};
static volatile float loud[2];
static int i[2];
static uint16_t h[2];
static uint8_t u8[2];
static char bytes[8];
static bool truth[2];
static struct other other;
static const int64_t shape[1] = {2};
void call(ty_tensor *x, ty_dtype dtype);
void call(ty_tensor *x, ty_dtype dtype) {
    (void)x, (void)dtype, (void)f, (void)m, (void)pointer, (void)pointers, (void)d, (void)fixed, (void)loud, (void)i;
    (void)h, (void)u8, (void)bytes, (void)truth, (void)other, (void)shape, (void)wide;
    (void)$statement;
}
C
        passed=$((passed + 1))
        if "$compiler" "-std=$standard" "$@" -I"$SOURCE/include" -fsyntax-only "$scratch/misfit.$suffix" >"$scratch/said" 2>&1; then
            say "$compiler -std=$standard $* accepts $statement"
        elif ! grep -q "$said" "$scratch/said"; then
            say "$compiler -std=$standard $*, $statement: $(grep -m 1 error "$scratch/said")"
        fi
    done <"$scratch/misfits"
}
misfits gcc c11 c
misfits gcc c2x c -DTY_PLACES -O2
misfits clang c11 c
misfits g++ c++11 cc
misfits g++ c++20 cc -O2
misfits clang++ c++17 cc -DTY_PLACES
[ $bad = 1 ] || echo "typed: well ($passed programs)"
exit $bad
