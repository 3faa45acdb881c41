/* Masks and initial values of reductions, unwrapping, scans that skip NaN, and diagonals: extremes, empty
   arrays, errors. Usual values are goldens. */
#include <math.h>
#include <tyto/tyto.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static void masks(void) {
    ty_tensor *x = ty_from(TY_I32, TY_SHAPE(2, 3), (int32_t[]){1, -2, 3, 4, 5, -6});
    ty_tensor *m = ty_from(TY_BOOL, TY_SHAPE(3), (bool[]){true, false, true}),
              *none = ty_zeros(TY_BOOL, TY_SCALAR);
    compare_numbers(ty_sum_where(x, ty_axis(1), m, NULL), NUMBERS(4, -2), "masked sum");
    compare_numbers(ty_sum_where(x, TY_ALL, none, ty_int(7)), NUMBERS(7), "sum of nothing and 7");
    compare_numbers(ty_prod_where(x, ty_axis(0), m, ty_int(-1)), NUMBERS(-4, -1, 18), "masked product");
    compare_numbers(ty_amax_where(x, ty_axis(1), m, ty_int(2)), NUMBERS(3, 4), "masked maximum");
    compare_numbers(ty_amin_where(x, TY_ALL, none, ty_int(2)), NUMBERS(2), "minimum of nothing");
    compare_numbers(ty_any_where(x, ty_axis(1), none), NUMBERS(0, 0), "any of nothing");
    compare_numbers(ty_all_where(ty_sub(x, ty_int(1)), ty_axis(1), none), NUMBERS(1, 1), "all of nothing");
    compare_numbers(ty_mean_where(x, ty_axis(1), m), NUMBERS(2, -1), "masked mean");
    compare_numbers(ty_mean_where(x, TY_ALL, none), NUMBERS(NAN), "mean of nothing");
    ty_tensor *empty = ty_zeros(TY_U8, TY_SHAPE(2, 0)),
              *kept = ty_amax_where(empty, ty_axes_of(1, (int[]){1}, true), NULL, ty_int(9));
    compare_numbers(kept, NUMBERS(9, 9), "maximum of an empty axis");
    CHECK(!ty_ok(kept) || ty_rank(kept) == 2, "the axis is kept");
    compare_numbers(ty_sum_where(ty_full(TY_U8, TY_SHAPE(3), 200), TY_ALL, m, ty_int(300)), NUMBERS(700),
                    "sums of u8 are u64");
    const double spoilt[] = {NAN, 1, INFINITY};
    compare_numbers(ty_sum_where(ty_from(TY_F64, TY_SHAPE(3), spoilt), TY_ALL, ty_logical_not(m), NULL),
                    NUMBERS(1), "what is left out does not spoil a sum");
}

static void masks_are_refused(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *m = ty_ones(TY_BOOL, TY_SHAPE(2));
    CHECK_POISON(ty_sum_where(x, TY_ALL, m, NULL), "the mask does not broadcast to the shape of the first");
    CHECK_POISON(ty_sum_where(x, TY_ALL, ty_ones(TY_BOOL, TY_SHAPE(4, 2, 3)), NULL),
                 "the mask does not broadcast");
    CHECK_POISON(ty_sum_where(x, TY_ALL, x, NULL), "the mask must be bool, not f32");
    CHECK_POISON(ty_sum_where(x, TY_ALL, NULL, x), "the initial value must be 0-d");
    CHECK_POISON(ty_sum_where(x, ty_axis(2), NULL, NULL), "axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_sum_where(x, ty_axes_of(2, (int[]){0, -2}, false), NULL, NULL),
                 "axis 0 is given twice: as -2, too");
    CHECK_POISON(ty_amax_where(x, TY_ALL, ty_ones(TY_BOOL, TY_SCALAR), NULL), "give an initial value");
    CHECK_POISON(ty_amax_where(ty_ones(TY_U8, TY_SHAPE(2)), TY_ALL, NULL, ty_int(-1)),
                 "the number -1 does not fit u8");
}

static void unwrapping(void) {
    ty_tensor *bytes = ty_from(TY_I8, TY_SHAPE(3), (int8_t[]){127, -128, 127});
    ty_tensor *turned = ty_unwrap(bytes, ty_int(10), 0, 0); /* differences are computed in 64 bits */
    compare_numbers(turned, NUMBERS(127, 122, 127), "i8 by 10");
    ty_tensor *natural = ty_from(TY_U8, TY_SHAPE(4), (uint8_t[]){250, 4, 250, 8});
    compare_numbers(ty_unwrap(natural, ty_int(256), 0, 0), NUMBERS(250, 260, 250, 264), "u8 by 256");
    CHECK(ty_dtype_of(ty_unwrap(natural, ty_int(256), 0, 0)) == TY_I16 || test_starving(), "u8 becomes i16");
    compare_numbers(ty_unwrap(ty_ones(TY_F32, TY_SHAPE(1)), NULL, 0, 0), NUMBERS(1), "one element");
    compare_numbers(ty_unwrap(ty_zeros(TY_F64, TY_SHAPE(0)), NULL, 0, 0), 0, NULL, "none");
    CHECK_POISON(ty_unwrap(ty_num(1), NULL, 0, 0), "axis 0 is out of bounds: a 0-d tensor has no axes");
    CHECK_POISON(ty_unwrap(ty_ones(TY_C64, TY_SHAPE(2)), NULL, 0, 0), "angles must be real");
    CHECK_POISON(ty_unwrap(natural, natural, 0, 0), "the period must be 0-d");
}

static void diagonals(void) {
    ty_tensor *cube = ty_zeros(TY_I64, TY_SHAPE(2, 2, 2)), *flat = ty_zeros(TY_F32, TY_SHAPE(0, 3));
    compare_numbers(ty_fill_diagonal(cube, ty_int(5), false), NUMBERS(5, 0, 0, 0, 0, 0, 0, 5), "of a cube");
    compare_numbers(ty_fill_diagonal(flat, ty_int(5), true), 0, NULL, "of nothing");
    ty_tensor *turned = ty_transpose(ty_zeros(TY_I64, TY_SHAPE(2, 3)));
    compare_numbers(ty_fill_diagonal(turned, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){1, 2, 3}), false),
                    NUMBERS(1, 0, 0, 2, 0, 0), "more values than places, strided");
    CHECK_POISON(ty_fill_diagonal(ty_zeros(TY_I64, TY_SHAPE(2)), ty_int(1), false),
                 "a diagonal needs two axes, not 1");
    CHECK_POISON(ty_fill_diagonal(ty_zeros(TY_I64, TY_SHAPE(2, 2, 3)), ty_int(1), false),
                 "all must have the same size");
    CHECK_POISON(ty_fill_diagonal(cube, ty_zeros(TY_I64, TY_SHAPE(0)), false),
                 "there are no values to insert");
    ty_tensor *blocks[] = {ty_ones(TY_U8, TY_SHAPE(0, 2)), ty_int(3), ty_ones(TY_I16, TY_SHAPE(1, 2))};
    compare_numbers(ty_block_diag(3, blocks), NUMBERS(0, 0, 3, 0, 0, 0, 0, 0, 1, 1),
                    "an empty block has columns");
    blocks[1] = ty_ones(TY_U8, TY_SHAPE(1, 1, 1));
    CHECK_POISON(ty_block_diag(3, blocks), "a block has at most two axes");
    CHECK_POISON(ty_block_diag(0, blocks), "there are no blocks");
}

/* Promises give the results of values. */
static void promises(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(4), (double[]){1, NAN, 4, 8}), *m = ty_gt(x, ty_num(1));
    ty_tensor *lazy = ty_lazy(x), *choice = ty_lazy(m);
    compare_bits(ty_eval(ty_amax_where(lazy, TY_ALL, choice, ty_num(2))),
                 ty_amax_where(x, TY_ALL, m, ty_num(2)), "maximum");
    compare_bits(ty_eval(ty_nancumsum(lazy, 0, (ty_running){.reverse = true})),
                 ty_nancumsum(x, 0, (ty_running){.reverse = true}), "nancumsum");
    compare_bits(ty_eval(ty_nancumprod(lazy, 0, (ty_running){0})), ty_nancumprod(x, 0, (ty_running){0}),
                 "nancumprod");
    compare_bits(ty_eval(ty_unwrap(lazy, NULL, 0, 0)), ty_unwrap(x, NULL, 0, 0), "unwrap");
    compare_bits(ty_eval(ty_round_to(lazy, -1)), ty_round_to(x, -1), "round_to");
    ty_tensor *both[] = {lazy, lazy}, *values[] = {x, x};
    compare_bits(ty_eval(ty_block_diag(2, both)), ty_block_diag(2, values), "block_diag");
    ty_tensor *square = ty_expand(lazy, 0), *plain = ty_expand(x, 0);
    compare_bits(ty_eval(ty_fill_diagonal(square, ty_lazy(ty_num(3)), false)),
                 ty_fill_diagonal(plain, ty_num(3), false), "fill_diagonal");
}

TESTS_MAIN(TEST(masks), TEST(masks_are_refused), TEST(unwrapping), TEST(diagonals), TEST(promises))
