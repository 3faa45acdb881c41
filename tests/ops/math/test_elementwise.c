/*
 * Every entry of elementwise.def, in every dtype it supports, every layout and every instruction set: the cpu engine
 * against the reference. Integers and bools agree exactly, the rest within the error column.
 */
#include <math.h>
#include <stdio.h>

#include "base/machine/isa.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

/* Check one layout; `shift` gives the operands different layouts. */
static void check_layout(enum row_id row, ty_dtype dtype, enum sample_layout layout, int shift) {
    char where[64];
    ty_tensor *operands[3];
    struct test_round round = test_round();
    for (int i = 0; i < row_ops[row].arity; i++) {
        enum sample_layout other = shift ? (enum sample_layout)((layout + i * shift) % LAYOUT_EMPTY) : layout;
        operands[i] =
            sample(row_operand_dtype(row, dtype, i), other, row_table[row].low, row_table[row].high);
    }
    snprintf(where, sizeof where, "%s%s", sample_layout_name(layout), shift ? " and others" : "");
    row_check(row, dtype, operands, where);
    test_round_end(round);
}

/* Return true if the row takes the dtype.  With failing allocations, which all rows share, most pairs are left
   out. */
static bool is_tried(int row, int dtype) {
    enum { FEW = 41 }; /* no multiple of TY_DTYPES, so that every dtype and most rows come */
    return (row * TY_DTYPES + dtype) % test_some(1, 1, FEW) == 0 &&
           row_takes((enum row_id)row, (ty_dtype)dtype);
}

static void every_layout(void) {
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
            if (!is_tried(row, dtype)) continue;
            for (int layout = 0; layout < LAYOUTS; layout++) {
                check_layout((enum row_id)row, (ty_dtype)dtype, (enum sample_layout)layout, 0);
                if (row_ops[row].arity > 1 && layout < LAYOUT_EMPTY)
                    check_layout((enum row_id)row, (ty_dtype)dtype, (enum sample_layout)layout, 3);
            }
        }
}

/* Return special values along axis i for operand i of n, so that broadcasting pairs every value with every
   other. */
static ty_tensor *specials_along(ty_dtype dtype, int i, int n) {
    _Alignas(16) char room[SAMPLE_SPECIALS * 16];
    int64_t shape[3] = {1, 1, 1};
    shape[i] = sample_specials(dtype, room);
    return ty_from(dtype, n, shape, room);
}

static void special_values(void) {
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
            if (!is_tried(row, dtype)) continue;
            struct test_round round = test_round();
            ty_tensor *operands[3];
            int n = row_ops[row].arity;
            for (int i = 0; i < n; i++)
                operands[i] = specials_along(row_operand_dtype((enum row_id)row, (ty_dtype)dtype, i), i, n);
            row_check((enum row_id)row, (ty_dtype)dtype, operands, "special values");
            test_round_end(round);
        }
}

/* Predicates and parts of complex numbers with NaN and infinities in either part agree with the reference. */
static void complex_infinities(void) {
    static const enum row_id rows[] = {ROW_is_nan, ROW_is_inf, ROW_is_finite, ROW_conj, ROW_real,
                                       ROW_imag,   ROW_abs,    ROW_eq,        ROW_ne,   ROW_logical_not,
                                       ROW_neg,    ROW_add,    ROW_sub};
    static const double parts[] = {0, 1, -2, (double)NAN, (double)INFINITY, -(double)INFINITY};
    double numbers[6][6][2];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            numbers[i][j][0] = parts[i];
            numbers[i][j][1] = parts[j];
        }
    ty_tensor *left = ty_from(TY_C128, TY_SHAPE(36, 1), (void *)numbers),
              *right = ty_from(TY_C128, TY_SHAPE(36), (void *)numbers);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        row_check(rows[i], TY_C128, (ty_tensor *[]){left, right}, "infinite parts");
        ty_tensor *singles[] = {ty_cast(left, TY_C64), ty_cast(right, TY_C64)};
        row_check(rows[i], TY_C64, singles, "infinite parts");
    }
}

/* Operands of two dtypes are promoted, and weak numbers take the other's dtype. */
static void mixed_dtypes(void) {
    for (int a = 0; a < TY_DTYPES; a++)
        for (int b = 0; b < TY_DTYPES; b++) {
            struct test_round round = test_round();
            ty_tensor *x = sample((ty_dtype)a, LAYOUT_CONTIGUOUS, 0, 3),
                      *y = sample((ty_dtype)b, LAYOUT_STRIDED, 0, 3);
            ty_dtype common = ty_promote((ty_dtype)a, (ty_dtype)b);
            ty_tensor *sum = CHECK_OK(ty_add(x, y));
            CHECK(ty_dtype_of(sum) == common, "%s + %s is %s, expected %s", ty_dtype_name((ty_dtype)a),
                  ty_dtype_name((ty_dtype)b), ty_dtype_name(ty_dtype_of(sum)), ty_dtype_name(common));
            compare_bits(sum, ty_add(ty_cast(x, common), ty_cast(y, common)), "%s + %s",
                         ty_dtype_name((ty_dtype)a), ty_dtype_name((ty_dtype)b));
            test_round_end(round);
        }
    ty_tensor *half = CHECK_OK(ty_mul(sample(TY_F16, LAYOUT_CONTIGUOUS, 0, 3), ty_num(2)));
    CHECK(ty_dtype_of(half) == TY_F16, "a weak number widened f16 to %s", ty_dtype_name(ty_dtype_of(half)));
    ty_tensor *byte = CHECK_OK(ty_add(sample(TY_U8, LAYOUT_CONTIGUOUS, 0, 3), ty_int(1)));
    CHECK(ty_dtype_of(byte) == TY_U8, "a weak integer widened u8 to %s", ty_dtype_name(ty_dtype_of(byte)));
    ty_tensor *single = CHECK_OK(ty_mul(sample(TY_F32, LAYOUT_CONTIGUOUS, 0, 3), ty_complex(0, 1)));
    CHECK(ty_dtype_of(single) == TY_C64, "f32 times i is %s, expected c64",
          ty_dtype_name(ty_dtype_of(single)));
    ty_tensor *quotient = CHECK_OK(ty_div(sample(TY_I32, LAYOUT_CONTIGUOUS, 1, 3), ty_int(2)));
    CHECK(ty_dtype_of(quotient) == TY_F64, "i32 / 2 is %s, expected f64",
          ty_dtype_name(ty_dtype_of(quotient)));
}

/* Functions of several operands promote them together: the result's dtype does not depend on their order. */
static void three_dtypes(void) {
    static const char *const names[] = {"einsum", "concat", "stack", "select",
                                        "choose", "block",  "clip",  "fma"};
    for (int i = 0; i < TY_DTYPES * TY_DTYPES * TY_DTYPES; i += test_starving() ? 701 : 1) {
        struct test_round round = test_round();
        const ty_dtype of[] = {i % TY_DTYPES, i / TY_DTYPES % TY_DTYPES, i / TY_DTYPES / TY_DTYPES};
        ty_dtype all = ty_promote_all(3, of);
        ty_tensor *x[4], *mask = ty_ones(TY_BOOL, TY_SHAPE(1)), *masks[] = {mask, mask};
        for (int k = 0; k < 4; k++) x[k] = ty_ones(of[k % 3], TY_SHAPE(1));
        ty_tensor *y[] = {ty_einsum_of("i,i,i->i", 3, x, (ty_einsum_options){0}),
                          ty_concat(3, x, 0),
                          ty_stack(3, x, 0),
                          ty_select(2, masks, x, x[2]),
                          ty_choose(ty_zeros(TY_I64, TY_SHAPE(1)), 3, x),
                          ty_block(2, 2, x),
                          all < TY_C64 ? ty_clip(x[0], x[1], x[2]) : x[0],
                          ty_fma(x[0], x[1], x[2])};
        for (int k = 0; k < 8; k++) {
            ty_dtype want = k == 6 && all >= TY_C64 ? of[0] : k >= 6 && all == TY_BOOL ? TY_I8 : all;
            CHECK(ty_dtype_of(CHECK_OK(y[k])) == want, "%s of %s, %s and %s is %s, not %s", names[k],
                  ty_dtype_name(of[0]), ty_dtype_name(of[1]), ty_dtype_name(of[2]),
                  ty_dtype_name(ty_dtype_of(y[k])), ty_dtype_name(want));
        }
        test_round_end(round);
    }
}

/* Documented values of the table of entries. */
static void known_values(void) {
    const double x[] = {-2.5, -0.5, 0, 0.5, 1.5, 2.5};
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(6), x);
    compare_numbers(ty_round(a), NUMBERS(-2, 0, 0, 0, 2, 2), "round to even");
    compare_numbers(ty_floor(a), NUMBERS(-3, -1, 0, 0, 1, 2), "floor");
    compare_numbers(ty_trunc(a), NUMBERS(-2, 0, 0, 0, 1, 2), "trunc");
    compare_numbers(ty_mod(a, ty_num(2)), NUMBERS(1.5, 1.5, 0, 0.5, 1.5, 0.5),
                    "mod has the sign of the divisor");
    compare_numbers(ty_floor_div(a, ty_num(2)), NUMBERS(-2, -1, 0, 0, 0, 1), "floor_div");
    compare_numbers(ty_relu(a), NUMBERS(0, 0, 0, 0.5, 1.5, 2.5), "relu");
    compare_numbers(ty_clip(a, ty_num(-1), ty_num(1)), NUMBERS(-1, -0.5, 0, 0.5, 1, 1), "clip");
    ty_tensor *i = ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){-7, 7, INT32_MIN, 5});
    ty_tensor *j = ty_from(TY_I32, TY_SHAPE(4), (int32_t[]){2, -2, -1, 0});
    compare_numbers(ty_floor_div(i, j), NUMBERS(-4, -4, INT32_MIN, 0),
                    "integers divide toward minus infinity");
    compare_numbers(ty_mod(i, j), NUMBERS(1, -1, 0, 0), "integer remainder");
    compare_numbers(ty_neg(i), NUMBERS(7, -7, INT32_MIN, -5), "negation wraps");
    compare_numbers(ty_shift_right(i, ty_int(1)), NUMBERS(-4, 3, INT32_MIN / 2, 2), "shift with the sign");
    compare_numbers(ty_shift_right(i, ty_int(32)), NUMBERS(-1, 0, -1, 0), "shift beyond the width");
    ty_tensor *z = ty_from(TY_C128, TY_SHAPE(1), (void *)(double[]){3, 4});
    compare_numbers(ty_abs(z), NUMBERS(5), "modulus");
    compare_numbers(ty_real(ty_mul(z, z)), NUMBERS(-7), "(3+4i)^2");
    compare_numbers(ty_imag(ty_mul(z, ty_conj(z))), NUMBERS(0), "z times its conjugate");
}

static void errors(void) {
    ty_tensor *a = ty_zeros(TY_F32, TY_SHAPE(3, 4)), *b = ty_zeros(TY_F32, TY_SHAPE(5));
    CHECK_POISON(ty_add(a, b), "f32[3,4]");
    CHECK_POISON(ty_add(a, b), "f32[5]");
    CHECK_POISON(ty_floor_div(ty_complex(0, 1), ty_zeros(TY_C64, TY_SHAPE(2))), "floor_div");
    CHECK_POISON(ty_bit_and(a, a), "bit_and");
    CHECK_POISON(ty_exp(ty_add(a, b)), "add");
    CHECK_POISON(ty_add(ty_poison("first %d", 1), ty_poison("second")), "first 1");
}

TESTS_MAIN(TEST(known_values), TEST(mixed_dtypes), TEST(three_dtypes), TEST(errors), TEST(every_layout),
           TEST(special_values), TEST(complex_infinities))
