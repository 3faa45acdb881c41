/* Casts from and to dtypes for storage: each code, each f16 and bf16, and f32 and f64 around each midpoint.  They are
   compared with a definition that searches all codes for the nearest number, and with numbers of ml_dtypes and onnx. */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>
#include "ops/core/memory/overlap.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* ---- the definition ---- */

/* A float of sign, exponent and mantissa; the fnuz kinds have their only NaN in the place of -0. */
struct kind {
    ty_dtype dtype;
    int bits, digits, bias;
    bool infinite, fnuz, nan;
};
static const struct kind kinds[] = {
    {TY_F8_E4M3FN, 8, 3, 7, false, false, true}, {TY_F8_E4M3FNUZ, 8, 3, 8, false, true, true},
    {TY_F8_E5M2, 8, 2, 15, true, false, true},   {TY_F8_E5M2FNUZ, 8, 2, 16, false, true, true},
    {TY_F4_E2M1, 4, 1, 1, false, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Return the number of a code without sign as if all codes were finite. */
static double size_of(const struct kind *k, int code) {
    int exponent = code >> k->digits, mantissa = code & ((1 << k->digits) - 1);
    return exponent ? ldexp(mantissa + (1 << k->digits), exponent - k->bias - k->digits)
                    : ldexp(mantissa, 1 - k->bias - k->digits);
}

/* Return the code of the largest number. */
static int largest(const struct kind *k) {
    int all = (1 << (k->bits - 1)) - 1;
    if (k->infinite) return all - (1 << k->digits);
    return k->fnuz || !k->nan ? all : all - 1;
}

static double number_of(const struct kind *k, int code) {
    int sign = code >> (k->bits - 1), rest = code & ((1 << (k->bits - 1)) - 1);
    if (k->fnuz && sign && !rest) return NAN;
    if (rest > largest(k)) return k->infinite && rest == largest(k) + 1 ? (sign ? -INFINITY : INFINITY) : NAN;
    return sign ? -size_of(k, rest) : size_of(k, rest);
}

/* Return the code of x: the nearest number, the even code in a tie; the number above the largest stands for all that are
   too large. */
static int code_of(const struct kind *k, double x, bool overflows) {
    int sign = signbit(x) ? 1 << (k->bits - 1) : 0, most = largest(k), code = 0;
    if (isnan(x))
        return !k->nan ? 0 : k->fnuz ? 1 << (k->bits - 1) : sign | (k->infinite ? most + 3 : most + 1);
    for (int step = 1 << (k->bits - 1); step; step /= 2)
        if (code + step <= most + 1 && size_of(k, code + step) <= fabs(x)) code += step;
    if (code <= most) {
        double below = fabs(x) - size_of(k, code), above = size_of(k, code + 1) - fabs(x);
        code += above < below || (above == below && code % 2);
    }
    if (code > most) {
        if (!overflows || !k->nan)
            code = most;
        else if (k->fnuz)
            return 1 << (k->bits - 1);
    }
    return code || !k->fnuz ? sign | code : 0;
}

/* Return the code in TY_F8_E8M0 of x. */
static int scale_code_of(double x, ty_cast_options options) {
    if (isnan(x) || x < 0) return 255;
    if (x < ldexp(1, -127)) return options.overflows ? 255 : 0;
    if (x > ldexp(1, 128)) return options.overflows ? 255 : 254;
    int code = ilogb(x) + 127;
    double rest = x / ldexp(1, code - 127);
    code += options.scale == TY_SCALE_UP ? rest > 1 : options.scale == TY_SCALE_NEAREST ? rest >= 1.5 : 0;
    return code < 255 ? code : options.overflows ? 255 : 254;
}

/* ---- checks ---- */

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

/* Return code i of packed bytes. */
static int code_at(const uint8_t *bytes, int bits, int64_t i) {
    int64_t at = i * bits;
    return bytes[at / 8] >> at % 8 & ((1 << bits) - 1);
}

/* Compare the codes of x in `dtype`, eager and compiled, with want(n numbers). */
static void check_codes(ty_tensor *x, ty_dtype dtype, ty_cast_options options, const double *numbers) {
    int64_t n = ty_size(x);
    int bits = ty_dtype_bits(dtype), k = 0;
    while (k < KINDS && kinds[k].dtype != dtype) k++;
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *y = CHECK_OK(ty_eval(ty_cast_by(lazy ? ty_lazy(x) : x, dtype, options)));
        const uint8_t *bytes = ty_data(y);
        CHECK(!ty_ok(y) || ty_dtype_of(y) == dtype, "it is %s", ty_dtype_name(ty_dtype_of(y)));
        for (int64_t i = 0; i < n && bytes; i++) {
            int want = k < KINDS ? code_of(&kinds[k], numbers[i], options.overflows)
                                 : scale_code_of(numbers[i], options);
            int got = code_at(bytes, bits, i);
            CHECK(got == want, "%s of %.17g (%a) from %s is %d, not %d%s%s", ty_dtype_name(dtype), numbers[i],
                  numbers[i], ty_dtype_name(ty_dtype_of(x)), got, want,
                  options.overflows ? ", overflows" : "", lazy ? ", compiled" : "");
        }
    }
}

/* check_codes of x in all floats, with all options. */
static void check_all(ty_tensor *x) {
    struct test_round round = test_round();
    double *numbers = test_room(sizeof *numbers * (size_t)ty_size(x));
    bool read = ty_read(x, TY_F64, numbers);
    CHECK(read || test_starving(), "nothing to read");
    for (int overflows = 0; overflows < 2 && read; overflows++) {
        for (int k = 0; k < KINDS; k++)
            check_codes(x, kinds[k].dtype, (ty_cast_options){.overflows = overflows}, numbers);
        for (int way = 0; way < 3; way++)
            check_codes(x, TY_F8_E8M0, (ty_cast_options){overflows, (ty_scale_rounding)way}, numbers);
    }
    test_round_end(round);
}

static void use(int engine) {
    bool found = ty_use_engine(engine ? "ref" : "cpu");
    CHECK(found, "no engine");
}

/* ---- from storage ---- */

static double integer_of(ty_dtype dtype, int code) {
    int bits = ty_dtype_bits(dtype);
    bool is_signed = dtype == TY_I4 || dtype == TY_I2;
    return is_signed && code >> (bits - 1) ? code - (1 << bits) : code;
}

static double number_in(ty_dtype dtype, int code) {
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].dtype == dtype) return number_of(&kinds[k], code);
    if (dtype == TY_F8_E8M0) return code == 255 ? NAN : ldexp(1, code - 127);
    return integer_of(dtype, code);
}

/* Return all codes of a dtype in order, of rank 1. */
static ty_tensor *all_codes(ty_dtype dtype) {
    int bits = ty_dtype_bits(dtype);
    int64_t n = 1 << bits;
    uint8_t bytes[256] = {0};
    for (int i = 0; i < n; i++) bytes[i * bits / 8] |= (uint8_t)(i << i * bits % 8);
    return ty_from(dtype, 1, &n, bytes);
}

static void codes(void) {
    for (int engine = 0; engine < 2; engine++)
        for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
            use(engine);
            ty_tensor *x = CHECK_OK(all_codes((ty_dtype)d));
            double got[256] = {0};
            bool read = ty_read(x, TY_F64, got);
            CHECK(read || test_starving(), "nothing to read");
            for (int i = 0; i < ty_size(x) && read; i++)
                CHECK(same(got[i], number_in((ty_dtype)d, i)), "code %d of %s is %g, not %g", i,
                      ty_dtype_name((ty_dtype)d), got[i], number_in((ty_dtype)d, i));
        }
}

/* Every dtype of operators gets what it gets of f64 or i64. */
static void to_all(void) {
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++)
        for (int to = 0; to < TY_DTYPES; to++) {
            struct test_round round = test_round();
            ty_tensor *x = all_codes((ty_dtype)d);
            compare_bits(ty_cast(x, (ty_dtype)to),
                         ty_cast(ty_cast(x, d < TY_I4 ? TY_F64 : TY_I64), (ty_dtype)to),
                         "as from wide numbers");
            test_round_end(round);
        }
}

/* A cast to itself, and through each dtype that holds it, gives back all codes but those of NaN. */
static void and_back(void) {
    for (int d = TY_F8_E4M3FN; d <= TY_U2; d++) {
        ty_tensor *x = all_codes((ty_dtype)d);
        CHECK(ty_cast(x, (ty_dtype)d) == x || !ty_ok(x), "a cast to the same dtype is the same");
        ty_tensor *y = ty_cast_by(ty_cast(x, TY_F64), (ty_dtype)d, (ty_cast_options){.overflows = true});
        compare_bits(ty_cast(y, TY_F64), ty_cast(x, TY_F64), "%s", ty_dtype_name((ty_dtype)d));
    }
}

/* ---- to storage ---- */

/* All bit patterns of f16 and bf16. */
static void halves(void) {
    static uint16_t all[65536];
    int64_t n = 65536;
    for (int i = 0; i < n; i++) all[i] = (uint16_t)i;
    for (int d = TY_F16; d <= TY_BF16; d++) check_all(ty_from((ty_dtype)d, 1, &n, (const void *)all));
}

/* Write the numbers around each midpoint and each number of all kinds, of both signs, to out; return how many. */
static int64_t midpoints(double *out, double (*next)(double, double)) {
    int64_t n = 0;
    for (int k = 0; k < KINDS; k++)
        for (int code = 0; code <= largest(&kinds[k]); code++)
            for (int half = 0; half < 2; half++) {
                double low = size_of(&kinds[k], code), high = size_of(&kinds[k], code + 1);
                double x = half ? (low + high) / 2 : low;
                for (int side = -1; side < 2; side++) {
                    double near = side ? next(x, side * INFINITY) : x;
                    out[n++] = near, out[n++] = -near;
                }
            }
    for (int e = -130; e < 129; e++)
        for (int side = -1; side < 2; side++)
            for (int half = 2; half < 4; half++) {
                double x = ldexp(half, e - 1);
                out[n++] = side ? next(x, side * INFINITY) : x;
            }
    static const double ends[] = {INFINITY, -INFINITY, NAN, -NAN, 0, -0.0, 1e300, -1e300, 5e-324, -5e-324};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) out[n++] = ends[i];
    return n;
}

static double next_single(double x, double to) { return (double)nextafterf((float)x, (float)to); }

static void around_midpoints(void) {
    enum { ROOM = 16384 };
    static double numbers[ROOM];
    int64_t n = midpoints(numbers, next_single);
    CHECK(n < ROOM, "too many");
    for (int engine = 0; engine < 2; engine++) {
        use(engine);
        check_all(ty_cast(ty_from(TY_F64, 1, &n, numbers), TY_F32));
    }
    n = midpoints(numbers, nextafter);
    use(0);
    check_all(ty_from(TY_F64, 1, &n, numbers)); /* f32 would round these to midpoints */
    check_all(ty_cast(ty_from(TY_F64, 1, &n, numbers), TY_C128));
}

/* Powers of 2 and their neighbours, and numbers that an intermediate f32 or f64 would round to a tie. */
static void integers(void) {
    int64_t numbers[1024], n = 0;
    for (int e = 0; e < 63; e++)
        for (int half = 2; half < 4; half++)
            for (int side = -1; side < 2; side++)
                numbers[n++] = (int64_t)(((uint64_t)half << e) / 2 + (uint64_t)side);
    for (int64_t i = 0, count = n; i < count; i++) numbers[n++] = -numbers[i];
    ty_tensor *x = ty_from(TY_I64, 1, &n, numbers);
    for (int d = TY_BOOL; d <= TY_U64; d++) {
        struct test_round round = test_round();
        ty_tensor *of = ty_cast(x, (ty_dtype)d);
        int64_t whole[1024];
        double real[1024];
        bool read = ty_read(of, d == TY_U64 ? TY_U64 : TY_I64, (void *)whole);
        for (int64_t i = 0; i < n && read; i++) {
            long double exact = d == TY_U64 ? (long double)(uint64_t)whole[i] : (long double)whole[i];
            real[i] = (double)exact;
            if ((long double)real[i] > exact)
                real[i] = nextafter(real[i], -INFINITY); /* no power of 2 lies between */
            if ((long double)real[i] < exact && real[i] == ldexp(1, ilogb(real[i])))
                real[i] = nextafter(real[i], INFINITY);
        }
        for (int way = 0; way < 3 && read; way++)
            check_codes(of, TY_F8_E8M0, (ty_cast_options){.scale = (ty_scale_rounding)way}, real);
        for (int k = 0; k < KINDS && read; k++)
            check_codes(of, kinds[k].dtype, (ty_cast_options){.overflows = true}, real);
        test_round_end(round);
    }
}

/* Integers wrap, floats saturate; NaN is 0. */
static void to_integers(void) {
    const double from[] = {-9.5, -8, -3,  -2, -1.5, -1, -0.5, 0,        0.9,       1,
                           2,    3,  7.9, 8,  15,   16, 300,  INFINITY, -INFINITY, NAN};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(20), from);
    compare_numbers(ty_cast(ty_cast(x, TY_I4), TY_F64),
                    NUMBERS(-8, -8, -3, -2, -1, -1, 0, 0, 0, 1, 2, 3, 7, 7, 7, 7, 7, 7, -8, 0), "i4");
    compare_numbers(ty_cast(ty_cast(x, TY_U4), TY_F64),
                    NUMBERS(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 7, 8, 15, 15, 15, 15, 0, 0), "u4");
    compare_numbers(ty_cast(ty_cast(x, TY_I2), TY_F64),
                    NUMBERS(-2, -2, -2, -2, -1, -1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, -2, 0), "i2");
    compare_numbers(ty_cast(ty_cast(x, TY_U2), TY_F64),
                    NUMBERS(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 0, 0), "u2");
    const int64_t whole[] = {-9, 8, 300, 15, -1};
    ty_tensor *i = ty_from(TY_I64, TY_SHAPE(5), whole);
    compare_numbers(ty_cast(ty_cast(i, TY_I4), TY_I64), NUMBERS(7, -8, -4, -1, -1), "i4 of integers");
    compare_numbers(ty_cast(ty_cast(i, TY_U2), TY_I64), NUMBERS(3, 0, 0, 3, 3), "u2 of integers");
    compare_numbers(ty_cast(ty_cast(all_codes(TY_F4_E2M1), TY_I4), TY_I64),
                    NUMBERS(0, 0, 1, 1, 2, 3, 4, 6, 0, 0, -1, -1, -2, -3, -4, -6), "i4 of e2m1");
}

/* ---- numbers of other programs ---- */

static const struct stored_row {
    uint32_t bits;
    uint8_t wide[4], saturated[4], small, scale[3];
} rows[] = {
#define STORED(bits, a, b, c, d, e, f, g, h, i, j, k, l) {bits, {a, b, c, d}, {e, f, g, h}, i, {j, k, l}},
#include "tests/ops/math/storage.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void goldens(void) {
    float x[ROWS], sizes[ROWS];
    int64_t n = ROWS;
    for (int i = 0; i < ROWS; i++) {
        memcpy(&x[i], &rows[i].bits, sizeof x[i]);
        sizes[i] = fabsf(x[i]) >= 0x1p-126F && isfinite(x[i]) ? fabsf(x[i]) : 1;
    }
    ty_tensor *numbers = ty_from(TY_F32, 1, &n, x), *positive = ty_from(TY_F32, 1, &n, sizes);
    for (int d = 0; d < 12; d++) {
        bool scale = d >= 9;
        ty_dtype dtype = d < 8 ? kinds[d % 4].dtype : d == 8 ? TY_F4_E2M1 : TY_F8_E8M0;
        ty_cast_options options = {.overflows = d < 4, .scale = (ty_scale_rounding)(scale ? d - 9 : 0)};
        const uint8_t *got = ty_data(ty_cast_by(scale ? positive : numbers, dtype, options));
        for (int i = 0; i < ROWS && got; i++) {
            const struct stored_row *r = &rows[i];
            int want = d < 4 ? r->wide[d] : d < 8 ? r->saturated[d - 4] : d == 8 ? r->small : r->scale[d - 9];
            int code = code_at(got, ty_dtype_bits(dtype), i);
            CHECK(code == want, "%s of %g is %d, not %d", ty_dtype_name(dtype), (double)x[i], code, want);
        }
    }
}

/* Memory of elements that share bytes begins where their first byte is. */
static void places(void) {
    static uint8_t bytes[64];
    ty_tensor *all = ty_borrow(TY_U8, TY_SHAPE(64), bytes, NULL, NULL);
    ty_tensor *part = CHECK_OK(ty_at(all, "32:40")), *before = CHECK_OK(ty_at(all, "0:32")),
              *x = CHECK_OK(ty_view_as(part, TY_U2));
    if (!ty_ok(part) || !ty_ok(before) || !ty_ok(x)) return; /* without memory */
    struct place narrow = place_of(x), same = place_of(part), other = place_of(before);
    CHECK(narrow.data == same.data && places_meet(&narrow, &same) && !places_meet(&narrow, &other), "places");
}

TESTS_MAIN(TEST(codes), TEST(to_all), TEST(and_back), TEST(halves), TEST(around_midpoints), TEST(integers),
           TEST(to_integers), TEST(goldens), TEST(places))
