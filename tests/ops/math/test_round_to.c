/* Rounding to decimal digits: every i8 and u8 and the ends of wider integers against exact arithmetic,
   floats where scaling overflows, f16 through f32. */
#include <math.h>
#include <tyto/tyto.h>
#include "array/dtype.h"
#include "base/wide.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Return x rounded to a multiple of 10^digits, ties to even, in 128 bits, then wrapped. */
static int64_t rounded(int64_t x, bool natural, int digits) {
    long double unit = 1, value = natural ? (long double)(uint64_t)x : (long double)x;
    for (int i = 0; i < digits; i++) unit *= 10;
    long double multiple = rintl(value / unit) * unit; /* exact: up to 10^19 fits long double */
    return multiple < 0 ? (int64_t)multiple : (int64_t)(uint64_t)multiple;
}

static void bytes(void) {
    for (int natural = 0; natural < 2; natural++)
        for (int digits = 1; digits < 5; digits++) {
            struct test_round round = test_round();
            ty_dtype dtype = natural ? TY_U8 : TY_I8;
            ty_tensor *all =
                ty_cast(ty_iota(TY_I64, 1, (int64_t[]){256}, 0), dtype); /* wraps: each value once */
            int64_t got[256], from[256];
            bool read =
                ty_read(CHECK_OK(ty_round_to(all, -digits)), TY_I64, got) && ty_read(all, TY_I64, from);
            CHECK(read || test_starving(), "nothing to read");
            for (int i = 0; i < 256 && read; i++) {
                int64_t want = rounded(from[i], natural, digits);
                want = natural ? (uint8_t)want : (int8_t)want;
                CHECK(got[i] == want, "%d to 10^%d is %d, not %d", (int)from[i], digits, (int)got[i],
                      (int)want);
            }
            test_round_end(round);
        }
}

static void wide_integers(void) {
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, 9007199254740993, -15, 25, 4999999999999999999, 0};
    ty_tensor *x = ty_from(TY_I64, TY_SHAPE(7), ends), *n = ty_view_as(x, TY_U64);
    for (int digits = 1; digits <= 17; digits++) {
        int64_t got[7], natural[7];
        bool read = ty_read(ty_round_to(x, -digits), TY_I64, got) &&
                    ty_read(ty_round_to(n, -digits), TY_U64, (void *)natural);
        CHECK(read || test_starving(), "nothing to read");
        for (int i = 0; i < 7 && read; i++) {
            bool fits = ends[i] != INT64_MAX && ends[i] != INT64_MIN; /* past the ends it wraps */
            CHECK(!fits || got[i] == rounded(ends[i], false, digits), "%lld to 10^%d is %lld",
                  (long long)ends[i], digits, (long long)got[i]);
            bool small = ends[i] >= 0;
            CHECK(!small || natural[i] == rounded(ends[i], true, digits), "u64 %lld to 10^%d",
                  (long long)ends[i], digits);
        }
    }
    compare_numbers(ty_round_to(x, -30), NUMBERS(0, 0, 0, 0, 0, 0, 0), "no i64 reaches half of 10^30");
}

static void floats(void) {
    const double x[] = {1.255, -2.5, 1e300, -0.04, INFINITY, 15, NAN};
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(7), x);
    compare_numbers(ty_round_to(a, 2), NUMBERS(1.25, -2.5, 1e300, -0.04, INFINITY, 15, NAN), "two digits");
    compare_numbers(ty_round_to(a, 20), NUMBERS(1.255, -2.5, 1e300, -0.04, INFINITY, 15, NAN),
                    "scaling overflows");
    compare_numbers(ty_round_to(a, 400), NUMBERS(1.255, -2.5, 1e300, -0.04, INFINITY, 15, NAN),
                    "and its unit");
    compare_numbers(ty_round_to(a, -1), NUMBERS(0, 0, 1e300, 0, INFINITY, 20, NAN), "tens");
    compare_numbers(ty_round_to(a, -320), NUMBERS(0, 0, 0, 0, INFINITY, 0, NAN), "beyond all numbers");
    compare_numbers(ty_round_to(ty_scalar(TY_F16, 6e4), 2), NUMBERS(60000), "f16 is scaled in f32");
    compare_numbers(ty_round_to(ty_scalar(TY_BOOL, 1), -3), NUMBERS(1), "a truth stays one");
    CHECK(signbit(ty_item(ty_round_to(ty_scalar(TY_F64, -0.04), 1))) || test_starving(), "-0 keeps its sign");
    ty_tensor *slope = ty_track(ty_scalar(TY_F64, 1.27), "x");
    ty_tensor *g = NULL;
    CHECK(ty_grad(ty_round_to(slope, 1), 1, &slope, &g) || test_starving(), "no gradient");
    compare_numbers(g, NUMBERS(0), "steps are flat");
    CHECK_POISON(ty_round_to(ty_poison("spoilt"), 1), "spoilt");
}

TESTS_MAIN(TEST(bytes), TEST(wide_integers), TEST(floats))
