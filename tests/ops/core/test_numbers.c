/*
 * Plain numbers combined with a dtype: comparisons are exact, arithmetic and storing refuse numbers out of range,
 * 64-bit integers stay integers. Each row is an expression that must be true, or the words of its error; all are
 * evaluated eagerly and lazily, on both engines.
 */
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "base/wide.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static const struct row {
    const char *text; /* a bool, all(...) for several; or an expression that is refused */
    const char *refusal;
} rows[] = {
    /* comparisons are exact */
    {"all(u > -1)", NULL},
    {"not any(u == 256)", NULL},
    {"not any(u == -1)", NULL},
    {"all(u < 256)", NULL},
    {"all(-1 < u)", NULL},
    {"all(u != 1000000)", NULL},
    {"all(s > -129)", NULL},
    {"all(s < 128)", NULL},
    {"all(n > -1)", NULL},
    {"all(n >= -9223372036854775808)", NULL},
    {"n[0] == 18446744073709551615", NULL},
    {"not any(n == -1)", NULL},
    {"all(i < 18446744073709551615)", NULL},
    {"cast(9007199254740993, i64) > cast(9007199254740992, u64)", NULL},
    {"cast(9007199254740992, u64) < cast(9007199254740993, i64)", NULL},
    {"cast(9007199254740993, i64) != cast(9007199254740992, u64)", NULL},
    {"not cast(-1, i64) == cast(18446744073709551615, u64)", NULL},
    {"cast(-1, i64) < n[0]", NULL},
    {"n[0] >= cast(-1, i8)", NULL},
    {"all(s <= n) == false", NULL},
    {"all((s < n) == [true, true, false])", NULL},
    /* arithmetic refuses */
    {"u + 300", "the number 300 does not fit u8, which holds 0 to 255"},
    {"u * -1", "the number -1 does not fit u8"},
    {"u ** -1", "integers to the negative power -1 are no integers"},
    {"s - 129", "the number 129 does not fit i8, which holds -128 to 127"},
    {"i + 18446744073709551615", "the number 18446744073709551615 does not fit i64"},
    {"n + -1", "the number -1 does not fit u64, which holds 0 to 18446744073709551615"},
    {"where(u > 3, u, -1)", "does not fit u8"},
    {"maximum(u, 256)", "does not fit u8"},
    {"u & 256", "does not fit u8"},
    {"all(u + 200.5 == [200.5, 205.5, 455.5])", NULL},
    {"all(u + 255 == [255, 4, 254])", NULL}, /* arrays wrap */
    /* bounds outside the dtype's range have no effect */
    {"all(clip(u, -5, 300) == u)", NULL},
    {"all(clip(u, -5, 4) == [0, 4, 4])", NULL},
    {"all(clip(s, -1000, 0) == [-128, 0, 0])", NULL},
    {"clip(u, 300, 400)", "does not fit u8"},
    {"clip(u, -9, -5)", "does not fit u8"},
    /* storing refuses by the same rule */
    {"full_like(u, 300)", "the number 300 does not fit u8"},
    {"full_like(u, -1)", "the number -1 does not fit u8"},
    {"all(full_like(u, 7.9) == 7)", NULL},
    {"full_like(u, nan)", "does not fit u8"},
    {"full_like(n, 18446744073709551615)[1] == n[0]", NULL},
    {"full_like(i, 9007199254740993)[0] - 9007199254740992 == 1", NULL},
    {"insert(u, 1, -3)", "the number -3 does not fit u8"},
    /* matches are exact */
    {"not any(is_close(u, 261))", NULL},
    {"not any(is_close(u, -1))", NULL},
    {"all(is_close(u, [0, 5, 255]))", NULL},
    {"not all_close(u[1:2], 261)", NULL},
    {"not any(isin(u, -1))", NULL},
    {"not any(isin(u, 256))", NULL},
    {"not any(isin(s, 128))", NULL},
    {"not any(isin(u, 0.5))", NULL},
    {"not isin(300, u)", NULL},
    {"isin(255, u)", NULL},
    {"isin(i, 18446744073709551615)", "the number 18446744073709551615 does not fit i64"},
    {"isin(n, -1)", "the number -1 does not fit u64"},
    {"searchsorted(u, 300) == 3", NULL},
    {"searchsorted(u, -1) == 0", NULL},
    {"searchsorted(s, 128) == 3", NULL},
    {"searchsorted(u, 4.5) == 1", NULL},
    {"digitize(-1, u) == 0", NULL},
    {"digitize(300, u) == 3", NULL},
    {"all(setdiff1d(u, 261) == u)", NULL},
    {"all(union1d(u, 261) == [0, 5, 255, 261])", NULL},
    {"all(union1d(-1, u) == [-1, 0, 5, 255])", NULL},
    {"sum(ones_like(intersect1d(u, 261))) == 0", NULL},
    {"all(setxor1d(u, 261) == [0, 5, 255, 261])", NULL},
    {"all(from_parts(u, -1) == [-1j, 5 - 1j, 255 - 1j])", NULL},
    {"all(lerp(s, 1000, 0.5) == [436, 500, 563.5])", NULL},
    {"is_symmetric(cast([[0, 1], [2, 0]], u8), 1)", NULL},
    {"is_hermitian(cast([[0, -100], [100, 0]], i8), 200)", NULL},
    {"not is_symmetric(cast([[0, -100], [100, 0]], i8), 100)", NULL},
    {"not is_tril(cast([[0, -128], [0, 0]], i8), 5)", NULL},
    {"is_diag(cast([[0, -128], [0, 0]], i8), 128)", NULL},
    {"all(histogram_edges([0, 1], cast([-128, 127], i8), density=true) == [1 / 255])", NULL},
    {"all(histogram_edges([0, 1], cast([0, 1, 2], u8), [200, 100]) == [200, 100])", NULL},
    {"all(histogram_edges([0, 0], cast([0, 1, 2], u8), cast([200, 100], u8)) == [300, 0])", NULL},
    /* products, choices and scans compute */
    {"einsum(\"i,->i\", u, 300)", "the number 300 does not fit u8"},
    {"einsum(\"i,i->\", u, u) == 65050 % 256", NULL}, /* arrays wrap */
    {"tensordot(u, -1, (), ())", "the number -1 does not fit u8"},
    {"dot(u, 300)", "the number 300 does not fit u8"},
    {"all(kron(u, 300) == [0, 1500, 76500])", NULL},
    {"polyval(u, 300)", "polyval: the number 300 does not fit u8"},
    {"polyval(u, 0.5) == 257.5", NULL},
    {"linear_recurrence(u, 300, 0)", "linear_recurrence: the number 300 does not fit u8"},
    {"linear_recurrence(-1, u, 0)", "linear_recurrence: the number -1 does not fit u8"},
    {"select([u > 3], [u], -1)", "select: the number -1 does not fit u8"},
    {"choose([0, 1, 0], [u, 300])", "choose: the number 300 does not fit u8"},
    {"put(u, [0], -1)", "column 1: put: the number -1 does not fit u8"},
    {"place_mask(u, u > 3, 300)", "does not fit u8"},
    {"fill_diagonal([[u[0]]], 300)", "fill_diagonal: the number 300 does not fit u8"},
    {"sum(u, initial=-1)", "the number -1 does not fit u64"},
    {"all(logical_and(u, 300) == logical_and(u, 1))", NULL},
    {"all(logical_or(u, -1))", NULL},
    {"pad(u, 1, value=300)", "pad: the number 300 does not fit u8"},
    {"max(u, initial=300)", "the number 300 does not fit u8"},
    {"randint(3, 0, 18446744073709551615, key(1))", "does not fit i64"},
    {"fold_by(key(1), -1)", "fold_by: the number -1 does not fit u64"},
    /* literals of 64 bits */
    {"18446744073709551615 // 2 == 9223372036854775807", NULL},
    {"-9223372036854775808 < 0", NULL},
    {"cast(-9223372036854775808, i64) + 1 == -9223372036854775807", NULL},
    {"-9223372036854775809", "does not fit an integer of 64 bits"},
    {"18446744073709551616", "does not fit an integer of 64 bits"},
    {"[18446744073709551615, 1][0] == n[0]", NULL},
    {"[18446744073709551615, -1]", "no dtype holds both"},
    {"diff(i, n=18446744073709551615)", "found an integer beyond 2^63 - 1, expected an integer: it is "
                                        "diff(x, n:int=1, axis:int=-1, prepend=none,"},
    /* ranges of integers are exact */
    {"all(diff(arange(9007199254740992, 9007199254740996, dtype=i64)) == 1)", NULL},
    {"sum(ones_like(arange(9007199254740992, 9007199254740996, dtype=i64))) == 4", NULL},
    {"arange(9223372036854775800, 9223372036854775807, 3, dtype=i64)[-1] == 9223372036854775806", NULL},
    {"arange(18446744073709551610, 18446744073709551615, dtype=u64)[-1] == 18446744073709551614", NULL},
    {"all(arange(5, -6, -5, dtype=i64) == [5, 0, -5])", NULL},
    {"all(arange(10, 0, -4, dtype=u64) == [10, 6, 2])", NULL},
    {"sum(ones_like(arange(3, 3, dtype=i64))) == 0", NULL},
    {"arange(0, 5, 0, dtype=i64)", "the step must not be 0"},
    {"all(linspace(-1, 9, 50, endpoint=false, dtype=i32)[:5] == [-1, -1, -1, -1, -1])", NULL},
    {"all(linspace(-2, 2, 5, dtype=i8) == [-2, -1, 0, 1, 2])", NULL},
    {"all(linspace(-1, 2, 5, dtype=i8) == [-1, -1, 0, 1, 2])", NULL},
    {"all(linspace(-1e308, 1e308, 3) == [-1e308, 0, 1e308])", NULL},
    {"all(is_finite(linspace(-1.7e308, 1.7e308, 7)))", NULL},
    {"all(is_finite(linspace(-1.7e308, 1.7e308, 7, endpoint=false)))", NULL},
    /* integers of arguments are not taken modulo 2^32 */
    {"diff(i, 4294967297)", "argument 2 is 4294967297, which does not fit 32 bits"},
    {"sort(i, 4294967296)", "does not fit 32 bits"},
    {"squeeze(i, -4294967297)", "axis -4294967297 is out of bounds; expected -1..0"},
    {"softmax(x, 4294967296)", "does not fit 32 bits"},
    /* products of bools are bools */
    {"all(([[true, false], [true, true]] @ [[true, true], [false, true]]) == [[true, true], [true, true]])",
     NULL},
    {"inner([true, true], [true, false]) == true", NULL},
};

static ty_tensor *evaluate(const char *text, bool lazy) {
    static const char *const names[] = {"u", "s", "n", "i", "x"};
    ty_tensor *values[] = {ty_from(TY_U8, TY_SHAPE(3), (uint8_t[]){0, 5, 255}),
                           ty_from(TY_I8, TY_SHAPE(3), (int8_t[]){-128, 0, 127}),
                           ty_from(TY_U64, TY_SHAPE(3), (uint64_t[]){UINT64_MAX, (uint64_t)1 << 63, 0}),
                           ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){INT64_MIN, 0, INT64_MAX}),
                           ty_from(TY_F64, TY_SHAPE(2), (double[]){1.5, -2})};
    for (int i = 0; i < 5 && lazy; i++) values[i] = ty_lazy(values[i]);
    return ty_expression(text, 5, names, values);
}

static void numbers(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int way = 0; way < 4; way++) {
            struct test_round round = test_round();
            ty_use_engine(way & 2 ? "ref" : "cpu");
            ty_tensor *y = evaluate(rows[i].text, way & 1);
            if (rows[i].refusal)
                CHECK_POISON(y, rows[i].refusal);
            else
                CHECK(ty_item(CHECK_OK(y)) == 1, "not true: %s (%s)", rows[i].text,
                      way & 1 ? "lazy" : "eager");
            ty_use_engine("cpu");
            test_round_end(round);
        }
}

/* All pairs of integer dtypes and the ends of their ranges agree with comparisons in 128 bits. */
static wide end_of(ty_dtype dtype, int which) {
    int bits = 8 * (int)ty_dtype_size(dtype);
    bool is_signed = dtype >= TY_I8 && dtype <= TY_I64;
    int64_t low = is_signed ? INT64_MIN >> (64 - bits) : 0;
    uint64_t top = UINT64_MAX >> (64 - bits + is_signed);
    wide least = wide_of(low), most = wide_of_natural(top);
    wide ends[] = {least,      wide_add(least, wide_of(1)),     wide_of(-1), wide_of(0),
                   wide_of(1), wide_subtract(most, wide_of(1)), most};
    return wide_less(ends[which], least) ? wide_of(0) : ends[which];
}

static ty_tensor *of_ends(ty_dtype dtype) {
    uint64_t bits[7];
    for (int i = 0; i < 7; i++) bits[i] = wide_low(end_of(dtype, i));
    return ty_cast(ty_from(TY_U64, TY_SHAPE(7), bits), dtype); /* wraps to the number's bits */
}

static void pairs_of_integers(void) {
    static ty_tensor *(*const rules[])(ty_tensor *, ty_tensor *) = {ty_eq, ty_ne, ty_lt, ty_le, ty_gt, ty_ge};
    for (int a = TY_I8; a <= TY_U64; a++)
        for (int b = TY_I8; b <= TY_U64; b++)
            for (int r = 0; r < 6; r++) {
                struct test_round round = test_round();
                ty_tensor *x = ty_expand(of_ends((ty_dtype)a), 1), *y = rules[r](x, of_ends((ty_dtype)b));
                bool got[49];
                CHECK(ty_read(CHECK_OK(y), TY_BOOL, got) || test_starving(), "no values");
                for (int i = 0; i < 49 && !test_starving(); i++) {
                    int order = wide_compare(end_of((ty_dtype)a, i / 7), end_of((ty_dtype)b, i % 7));
                    bool want[] = {order == 0, order != 0, order<0, order <= 0, order> 0, order >= 0};
                    CHECK(got[i] == want[r], "rule %d of %s and %s at %d", r, ty_dtype_name((ty_dtype)a),
                          ty_dtype_name((ty_dtype)b), i);
                }
                test_round_end(round);
            }
}

static void numbers_in_c(void) {
    ty_tensor *u = ty_from(TY_U8, TY_SHAPE(2), (uint8_t[]){0, 255});
    compare_numbers(ty_gt(u, ty_int(-1)), NUMBERS(1, 1), "u8 > ty_int(-1)");
    compare_numbers(ty_lt(ty_int(-1), u), NUMBERS(1, 1), "ty_int(-1) < u8");
    CHECK_POISON(ty_full(TY_U8, TY_SHAPE(2), 256), "full: the number 256 does not fit u8");
    CHECK_POISON(ty_scalar(TY_I8, -129), "does not fit i8");
    CHECK_POISON(ty_full_like(u, 1e300), "does not fit u8");
    CHECK_POISON(ty_pad(u, (ty_padding[]){{1, 1, 0}}, ty_int(256)), "the number 256 does not fit u8");
    CHECK_POISON(ty_set_at(u, "1:", ty_int(-1)), "the number -1 does not fit u8");
    ty_tensor *step = ty_sub(ty_steps(TY_I64, 0x1p53, 1, 3), ty_int((int64_t)1 << 53));
    compare_numbers(step, NUMBERS(0, 1, 2), "exact beyond 2^53");
    CHECK_POISON(ty_arange_of(TY_I64, ty_int(0), ty_complex(1, 1), ty_int(1)), "real numbers");
    compare_numbers(ty_isin(u, ty_int(-1)), NUMBERS(0, 0), "-1 in u8");
    compare_numbers(ty_is_close(u, ty_int(256), 0, 0, false), NUMBERS(0, 0), "256 near u8");
    compare_numbers(ty_searchsorted(u, ty_int(256), false), NUMBERS(2), "256 behind u8");
    CHECK_POISON(ty_polyval(u, ty_int(256)), "polyval: the number 256 does not fit u8");
    CHECK_POISON(ty_einsum("i,->i", u, ty_int(256)), "the number 256 does not fit u8");
    CHECK_POISON(ty_add(u, ty_lazy(ty_int(256))),
                 "add: the number 256 does not fit u8"); /* also for promises of numbers */
    compare_numbers(ty_isin(u, ty_lazy(ty_int(-1))), NUMBERS(0, 0), "a promise of -1 in u8");
    ty_tensor *half = ty_trapezoid(ty_zeros(TY_F16, TY_SHAPE(2)), ty_zeros(TY_U16, TY_SHAPE(2)), 1, 0);
    CHECK(ty_dtype_of(CHECK_OK(half)) == TY_F32, "f16 and u16 meet in f32");
    CHECK_POISON(ty_arange_of(TY_I64, ty_int(0), u, ty_int(1)), "one each");
    for (int d = 0; d < TY_DTYPES; d++) { /* a complex number beside all dtypes that compute */
        ty_tensor *product = CHECK_OK(ty_mul(ty_ones((ty_dtype)d, TY_SHAPE(2)), ty_complex(0, 1)));
        bool narrow = d == TY_F16 || d == TY_BF16 || d == TY_F32 || d == TY_C64;
        CHECK(ty_dtype_of(product) == (narrow ? TY_C64 : TY_C128), "%s", ty_dtype_name((ty_dtype)d));
    }
}

TESTS_MAIN(TEST(numbers), TEST(pairs_of_integers), TEST(numbers_in_c))
