/* Element types of C data against dtypes (<tyto/typed.h>): constant dtypes that fit compile here, other dtypes are
   compared at run time.  tests/tree/typed.sh checks the errors of the compiler, other dialects and C++. */
#include <complex.h>
#include <limits.h>
#include <string.h>
#include <tyto/create.h>
#include "tests/support/harness.h"

#ifndef TY_TYPED
#error "tests are compiled as C11, where types are checked"
#endif

/* Check that data of `type` is accepted for the dtype, constant and not, const and not, and read back. */
#define FITS(type, dtype)                                                                                    \
    do {                                                                                                     \
        type in[2] = {1, 1}, out[2] = {0};                                                                   \
        const type fixed[2] = {1, 1};                                                                        \
        ty_dtype other = dtype;                                                                              \
        CHECK_OK(ty_from(dtype, TY_SHAPE(2), in));                                                           \
        CHECK_OK(ty_from(other, TY_SHAPE(2), fixed));                                                        \
        CHECK_OK(ty_borrow(dtype, TY_SHAPE(2), in, NULL, NULL));                                             \
        CHECK_OK(ty_borrow(other, TY_SHAPE(2), in, NULL, NULL));                                             \
        CHECK_OK(ty_from_strided(dtype, TY_SHAPE(2), &(int64_t){sizeof *in}, fixed));                        \
        ty_tensor *x = CHECK_OK(ty_from_strided(other, TY_SHAPE(2), &(int64_t){sizeof *in}, in));            \
        CHECK(test_starving() || (ty_read(x, dtype, out) && !memcmp(in, out, sizeof in)), #type " " #dtype); \
        CHECK(test_starving() || (ty_read(x, other, out) && !memcmp(in, out, sizeof in)), #type " " #dtype); \
    } while (0)

static void types_that_fit(void) {
    FITS(bool, TY_BOOL);
    FITS(unsigned char, TY_BOOL);
    FITS(char, TY_BOOL);
    FITS(int8_t, TY_I8);
    FITS(char, TY_I8);
    FITS(uint8_t, TY_U8);
    FITS(char, TY_U8);
    FITS(int16_t, TY_I16);
    FITS(uint16_t, TY_U16);
    FITS(int32_t, TY_I32);
    FITS(uint32_t, TY_U32);
    FITS(int64_t, TY_I64);
    FITS(uint64_t, TY_U64);
    FITS(long long, TY_I64);
    FITS(unsigned long long, TY_U64);
#if LONG_MAX == INT32_MAX
    FITS(long, TY_I32);
    FITS(unsigned long, TY_U32);
#else
    FITS(long, TY_I64);
    FITS(unsigned long, TY_U64);
#endif
    FITS(uint16_t, TY_F16);
    FITS(uint16_t, TY_BF16);
    FITS(float, TY_F32);
    FITS(double, TY_F64);
    FITS(float _Complex, TY_C64);
    FITS(double _Complex, TY_C128);
}

static void arguments_are_not_split(void) {
    CHECK_OK(ty_from(TY_F64, TY_SHAPE(2, 1), (double[]){1, 2}));
    CHECK_OK(ty_from(TY_F64, 2, (int64_t[]){1, 2}, (double[]){1, 2}));
    CHECK_OK(ty_from_strided(TY_F32, TY_SHAPE(2), (int64_t[]){4}, (float[]){1, 2}));
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1), ty_data(ty_from(TY_F32, TY_SHAPE(3), (float[]){1, 2, 3})));
    CHECK(ty_ok(x) || test_starving(), "%s", ty_error(x)); /* the data may be NULL */
    CHECK_OK(ty_from(TY_C128, TY_SHAPE(1), (const void *)(double[]){1, 2}));
    CHECK_OK(ty_from(TY_F64, TY_SHAPE(0), NULL));
}

static void arrays_of_arrays(void) {
    float two[2][3] = {{1, 2, 3}, {4, 5, 6}}, back[2][3] = {{0}};
    const double three[2][1][2] = {{{1, 2}}, {{3, 4}}};
    ty_tensor *x = CHECK_OK(ty_from(TY_F32, TY_SHAPE(2, 3), two));
    CHECK(test_starving() || (ty_read(x, TY_F32, back) && back[1][2] == 6), "an array of arrays");
    CHECK_OK(ty_from(TY_F64, TY_SHAPE(2, 1, 2), three));
    CHECK_OK(ty_borrow(TY_F32, TY_SHAPE(2, 3), two, NULL, NULL));
    CHECK_POISON(ty_from((ty_dtype){TY_F64}, TY_SHAPE(2, 3), two), "float");
}

static void arguments_are_evaluated_once(void) {
    ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I8};
    int64_t sizes[] = {2, 1, 7};
    float data[4] = {1, 2, 3, 4};
    int d = 0, s = 0, e = 0;
    ty_tensor *x = CHECK_OK(ty_from(dtypes[d++], 1, &sizes[s++], &data[e++]));
    CHECK(d == 1 && s == 1 && e == 1 && ty_size(x) == (test_starving() ? ty_size(x) : 2),
          "evaluated %d %d %d", d, s, e);
    x = CHECK_OK(ty_borrow(dtypes[--d], 1, &sizes[--s], &data[--e], NULL, NULL));
    CHECK(d == 0 && s == 0 && e == 0, "evaluated %d %d %d", d, s, e);
}

static void plain_functions_remain(void) {
    ty_tensor *(*from)(ty_dtype, int, const int64_t *, const void *) = ty_from;
    ty_tensor *(*also)(ty_dtype, int, const int64_t *, const void *) = &ty_from;
    double data[] = {1, 2};
    CHECK(from == also, "one function has two addresses");
    CHECK_OK(from(TY_F32, TY_SHAPE(2), data));
    CHECK_OK((ty_from)(TY_F32, TY_SHAPE(2), data));
}

static void bytes_fit_dtypes_that_are_not_constant(void) {
    _Alignas(16) char bytes[2 * 16] = {0}, back[2 * 16];
    unsigned char octets[2 * 16] = {0};
    for (int d = 0; d < TY_DTYPES; d++) {
        ty_dtype dtype = (ty_dtype)d;
        ty_tensor *x = CHECK_OK(ty_from(dtype, TY_SHAPE(2), bytes));
        CHECK(test_starving() || ty_read(x, dtype, back), "%s is not read", ty_dtype_name(dtype));
        if (d == TY_U8 || d == TY_BOOL)
            CHECK_OK(ty_from(dtype, TY_SHAPE(2), octets));
        else
            CHECK_POISON(ty_from(dtype, TY_SHAPE(2), octets), "uint8_t");
    }
}

static int calls;
static void count(void *context, void *data) { (void)context, (void)data, calls++; }

static void other_dtypes_are_checked_at_run_time(void) {
    ty_dtype f64 = TY_F64, bf16 = TY_BF16, truth = TY_BOOL, none = (ty_dtype)99;
    float data[4] = {1, 2, 3, 4};
    uint16_t halves[2] = {0};
    double out[4] = {-1};
    CHECK_POISON(
        ty_from(f64, TY_SHAPE(2), data),
        "from: the C type of the data is float; expected double for dtype f64, or (void *) data to skip "
        "the check");
    CHECK_POISON(ty_from_strided(f64, TY_SHAPE(2), (int64_t[]){4}, data), "expected double for dtype f64");
    CHECK_POISON(ty_from(truth, TY_SHAPE(2), halves), "is uint16_t; expected bool for dtype bool");
    CHECK_POISON(ty_from(none, TY_SHAPE(2), data), "from: unknown dtype 99");
    CHECK_POISON(ty_from((ty_dtype)99, TY_SHAPE(2), data), "from: unknown dtype 99");
    CHECK_OK(ty_from(bf16, TY_SHAPE(2), halves));
    calls = 0;
    CHECK_POISON(ty_borrow(f64, TY_SHAPE(2), data, count, NULL), "borrow: the C type of the data is float");
    CHECK(calls == 1, "done is called %d times", calls);
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(4), data);
    ty_dtype f32 = TY_F32;
    CHECK(!ty_read(x, f32, out) && out[0] == -1, "elements of another type were written");
}

static void sets_of_dtypes(void) {
    for (int d = 0; d < TY_DTYPES; d++) {
        CHECK(ty_dtype_for((ty_dtype)d, 1 << d) == (ty_dtype)d, "a dtype of its set");
        ty_dtype refused = ty_dtype_for((ty_dtype)d, 0);
        CHECK(refused >= TY_DTYPES && ty_dtype_size(refused) == 0, "a dtype of no set");
        CHECK_POISON(ty_zeros(refused, TY_SHAPE(2)), "an unknown one; expected ");
        CHECK_POISON(ty_zeros(refused, TY_SHAPE(2)), ty_dtype_name((ty_dtype)d));
    }
    CHECK(ty_dtype_for((ty_dtype)-1, 0) == (ty_dtype)-1, "no dtype stays none");
}

TESTS_MAIN(TEST(types_that_fit), TEST(arguments_are_not_split), TEST(arrays_of_arrays),
           TEST(arguments_are_evaluated_once), TEST(plain_functions_remain),
           TEST(bytes_fit_dtypes_that_are_not_constant), TEST(other_dtypes_are_checked_at_run_time),
           TEST(sets_of_dtypes))
