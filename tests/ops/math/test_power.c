/* Powers of 2, 0.5 and 1 give the bits of square, sqrt and the operand, next to any other exponents. */
#include <math.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { N = 1003 };

/* Check that pow has the bits of `easy` for the exponent b; the other exponents are 2.5. */
static void lanes(ty_dtype dtype, ty_tensor *x, double b, ty_tensor *easy) {
    ty_tensor *all = ty_full(dtype, TY_SHAPE(N), b), *number = ty_scalar(dtype, b);
    compare_bits(ty_pow(x, all), easy, "%s to the %g", ty_dtype_name(dtype), b);
    compare_bits(ty_pow(x, number), easy, "%s to one %g", ty_dtype_name(dtype), b);
    for (int every = 2; every < 6; every++) {
        ty_tensor *here = ty_eq(ty_mod(ty_arange(TY_I64, 0, N, 1), ty_int(every)), ty_int(0));
        ty_tensor *mixed = ty_pow(x, ty_where(here, all, ty_scalar(dtype, 2.5)));
        ty_tensor *others = ty_pow(x, ty_full(dtype, TY_SHAPE(N), 2.5));
        compare_bits(mixed, ty_where(here, easy, others), "%s to the %g in every lane %d",
                     ty_dtype_name(dtype), b, every);
    }
}

static void easy_exponents(void) {
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64};
    for (int i = 0; i < 4; i++) {
        ty_tensor *x = sample_shape(dtypes[i], 1, (int64_t[]){N}, -4, 4);
        lanes(dtypes[i], x, 2, ty_square(x));
        lanes(dtypes[i], x, 1, x);
        lanes(dtypes[i], ty_abs(x), 0.5, ty_sqrt(ty_abs(x)));
    }
}

/* Powers of extreme arguments are those of C's pow, even where a root would differ. */
static void ends(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(5), (double[]){-0.0, 0.0, -INFINITY, INFINITY, NAN});
    compare_bits(ty_pow(x, ty_num(0.5)),
                 ty_from(TY_F64, TY_SHAPE(5), (double[]){0.0, 0.0, INFINITY, INFINITY, NAN}), "to the 0.5");
    compare_bits(ty_pow(x, ty_num(2)),
                 ty_from(TY_F64, TY_SHAPE(5), (double[]){0.0, 0.0, INFINITY, INFINITY, NAN}), "to the 2");
    compare_bits(ty_pow(x, ty_num(1)), x, "to the 1");
    CHECK(isnan(ty_item(ty_pow(ty_scalar(TY_F64, -4), ty_num(0.5)))) || test_starving(), "a root of -4");
}

TESTS_MAIN(TEST(easy_exponents), TEST(ends))
