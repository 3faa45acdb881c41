/* Zeros of both signs are equal: sorted values keep their order, as indices do. */
#include <math.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Return lines of negative numbers, zeros of both signs, positive numbers and NaN. */
static ty_tensor *lines(ty_dtype dtype, int64_t rows, int64_t n) {
    ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(rows, n), ty_key(test_random()));
    ty_tensor *kind = ty_randint(TY_I32, TY_SHAPE(rows, n), ty_int(0), ty_int(8), ty_key(test_random()));
    x = ty_where(ty_lt(kind, ty_int(3)), ty_num(0), x);
    x = ty_where(ty_lt(kind, ty_int(2)), ty_neg(ty_abs(x)), x);
    return ty_cast(ty_where(ty_eq(kind, ty_int(7)), ty_num(NAN), x), dtype);
}

static void zeros_stay(void) {
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64};
    static const int64_t lengths[] = {1, 2, 3, 7, 24, 100, 257, 3000, 70000};
    for (int d = 0; d < 4; d++)
        for (int l = 0; l < 9; l++)
            for (int way = 0; way < 8; way++) {
                struct test_round round = test_round();
                int axis = way & 1;
                bool down = way & 2;
                int64_t n = lengths[l], rows = n > 1000 ? 2 : 40;
                ty_tensor *x = lines(dtypes[d], rows, n);
                if (!axis) x = ty_transpose(x);
                if (way & 4) x = ty_flip(x, axis);
                ty_tensor *places = CHECK_OK(ty_argsort(x, axis, down));
                ty_tensor *got = ty_sort(x, axis, down), *want = ty_take_along_axis(x, places, axis);
                compare_bits(ty_signbit(got), ty_signbit(ty_where(ty_is_nan(want), got, want)),
                             "signs of %s, %lld along axis %d, %d", ty_dtype_name(dtypes[d]), (long long)n,
                             axis, way);
                test_round_end(round);
            }
}

static void zeros_of_few(void) {
    for (int i = 0; i < 300; i++) {
        struct test_round round = test_round();
        int64_t n = test_between(2, 400), count = test_between(1, n);
        bool down = i & 1;
        ty_tensor *x = lines(i % 3 ? TY_F32 : TY_F64, 3, n);
        ty_tensor *places = CHECK_OK(ty_slice(ty_argsort(x, 1, down), 1, 0, count, 1));
        ty_tensor *got = down ? ty_top_k(x, count, 1, true) : ty_slice(ty_sort(x, 1, false), 1, 0, count, 1);
        ty_tensor *want = ty_take_along_axis(x, places, 1);
        compare_bits(ty_signbit(got), ty_signbit(ty_where(ty_is_nan(want), got, want)), "%lld of %lld",
                     (long long)count, (long long)n);
        test_round_end(round);
    }
    compare_numbers(ty_signbit(ty_sort(ty_from(TY_F64, TY_SHAPE(2), (double[]){0., -0.}), 0, false)),
                    NUMBERS(0, 1), "[0, -0] stays");
}

TESTS_MAIN(TEST(zeros_stay), TEST(zeros_of_few))
