/* Designs, responses, filters in blocks, smoothing and peaks: splits of one signal, gradients, dtypes, views, errors.
   test_signal.c compares them with SciPy. */
#include <math.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

#define VECTOR(...)                                                                                          \
    ty_from(TY_F64, TY_SHAPE((int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double))),                   \
            (double[]){__VA_ARGS__})

/* ---- blocks ---- */

/* Filter x along the axis in blocks of random lengths, 0 among them; by sections if b is [n, 6]. */
static ty_tensor *in_blocks(ty_tensor *b, ty_tensor *a, ty_tensor *x, int axis) {
    ty_tensor *parts[400], *state = NULL;
    int64_t n = ty_shape(x)[axis], at = 0;
    int count = 0;
    if (!ty_ok(x)) return x;
    while (at < n && count < 400) {
        int64_t next = test_between(0, 6) + at;
        if (next > n) next = n;
        ty_tensor *block = ty_slice(x, axis, at, next, 1);
        ty_filtered_parts f = ty_rank(b) == 2 ? ty_filter_sections_from(b, block, state, axis)
                                              : ty_filter_from(b, a, block, state, axis);
        parts[count++] = CHECK_OK(f.y);
        state = CHECK_OK(f.state);
        at = next;
    }
    return ty_concat(count, parts, axis);
}

/* A signal in blocks is filtered as at once, along every axis, of every dtype and layout. */
static void blocks(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C128, TY_C64};
    for (int i = 0; i < test_some(48, 16, 2); i++) {
        struct test_round round = test_round();
        int axis = i % 2;
        ty_dtype dtype = dtypes[i / 2 % 4];
        bool narrow = dtype == TY_F32 || dtype == TY_C64;
        int64_t nb = test_between(1, 6), na = test_between(1, 5);
        ty_tensor *x = sample_shape(dtype, TY_SHAPE(40, 40), -1, 1);
        if (i % 3 == 1) x = ty_flip(ty_transpose(x), 0);
        if (i % 3 == 2) x = ty_broadcast(ty_slice(x, 1 - axis, 0, 1, 1), 2, ty_shape(x));
        ty_tensor *b = sample_shape(TY_F32, TY_SHAPE(nb), -1, 1);
        ty_tensor *a = sample_shape(TY_F32, TY_SHAPE(na), -0.2, 0.2);
        a = ty_concat(2, (ty_tensor *[]){ty_from(TY_F32, TY_SHAPE(1), (float[]){1.5f}), a}, 0);
        double tolerance = narrow ? 1e-5 : 1e-12;
        compare_near(in_blocks(b, a, x, axis), ty_filter(b, a, x, axis), tolerance, tolerance, "round %d", i);
        ty_tensor *s = ty_cast(ty_butterworth(5, TY_BAND_PASS, 0.2, 0.7), TY_F32);
        compare_near(in_blocks(s, NULL, x, axis), ty_filter_sections(s, x, axis), tolerance, tolerance,
                     "sections, round %d", i);
        test_round_end(round);
    }
    ty_tensor *b = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}), *a = ty_ones(TY_F64, TY_SHAPE(1));
    ty_filtered_parts f = ty_filter_from(b, a, ty_arange(TY_I32, 0, 4, 1), NULL, 0);
    compare_numbers(CHECK_OK(f.y), NUMBERS(0, 1, 4, 10), "integers");
    CHECK(ty_dtype_of(f.y) == TY_F64 && ty_dtype_of(f.state) == TY_F64, "integers are f64");
    compare_numbers(f.state, NUMBERS(12, 9), "the state behind integers");
    f = ty_filter_from(a, a, ty_ones(TY_F64, TY_SHAPE(2, 3)), NULL, 1);
    CHECK(ty_rank(CHECK_OK(f.state)) == 2 && ty_shape(f.state)[0] == 2 && ty_shape(f.state)[1] == 0,
          "a filter without memory has no state");
}

/* From the steady state a constant stays. */
static void steady(void) {
    for (int order = 1; order < 8; order++) {
        struct test_round round = test_round();
        ty_tensor *s = ty_butterworth(order, TY_LOW_PASS, 0.2, 0), *x = ty_full(TY_F64, TY_SHAPE(50), 3);
        ty_tensor *zi = ty_mul(ty_filter_sections_steady(s), ty_num(3));
        compare_near(ty_filter_sections_from(s, x, zi, 0).y, x, 1e-9, 0, "order %d", order);
        test_round_end(round);
    }
    ty_tensor *b = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}),
              *a = ty_from(TY_F64, TY_SHAPE(2), (double[]){2, -1});
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(9));
    compare_near(ty_filter_from(b, a, x, ty_filter_steady(b, a), 0).y, ty_mul(x, ty_num(6)), 1e-14, 0,
                 "a gain of 6");
    ty_tensor *bytes = ty_ones(TY_U8, TY_SHAPE(2, 6));
    CHECK(ty_dtype_of(ty_filter_sections_steady(bytes)) == TY_F64, "integers of 8 bits");
    CHECK(ty_dtype_of(ty_filter_sections(bytes, bytes, 0)) == TY_F64, "integers of 8 bits");
}

/* ---- responses ---- */

/* The response is the transform of the filtered impulse. */
static void responses(void) {
    ty_tensor *impulse = ty_unit(TY_F64, 4096, 0), *at = ty_linspace(TY_F64, 0, 1, 2049);
    for (int i = 0; i < 4; i++) {
        struct test_round round = test_round();
        ty_tensor *s = ty_butterworth(3 + i, (ty_band)i, 0.2, i > 1 ? 0.5 : 0);
        ty_tensor *y = ty_filter_sections(s, impulse, 0);
        compare_near(ty_filter_sections_response(s, at), ty_rfft(y, TY_FFT_WHOLE, 0, TY_FFT_BACKWARD), 0,
                     1e-9, "band %d", i);
        ty_tensor *h = ty_fir(201, (ty_band)i, 0.2, i > 1 ? 0.5 : 0, NULL),
                  *one = ty_ones(TY_F64, TY_SHAPE(1));
        compare_near(ty_filter_response(h, one, at), ty_rfft(h, 4096, 0, TY_FFT_BACKWARD), 0, 1e-11,
                     "201 taps, band %d", i);
        test_round_end(round);
    }
    static const ty_dtype narrow[] = {TY_BOOL, TY_U8, TY_I8, TY_U16, TY_I16};
    for (int i = 0; i < 5; i++)
        CHECK(ty_dtype_of(CHECK_OK(ty_savgol(ty_ones(narrow[i], TY_SHAPE(3)), 3, 1, 0, 1, 0))) == TY_F64 ||
                  test_starving(),
              "smooth %s", ty_dtype_name(narrow[i]));
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64, TY_I32};
    for (int i = 0; i < 5; i++) {
        ty_tensor *v = ty_ones(dtypes[i], TY_SHAPE(2));
        bool wide = i > 2;
        ty_tensor *y = CHECK_OK(ty_filter_response(v, v, v));
        CHECK(ty_dtype_of(y) == (wide ? TY_C128 : TY_C64), "the response of %s is %s",
              ty_dtype_name(dtypes[i]), ty_dtype_name(ty_dtype_of(y)));
        CHECK(ty_rank(CHECK_OK(ty_savgol(v, 1, 0, 0, 1, 0))) == 1, "a window of 1");
        CHECK(ty_dtype_of(ty_savgol(v, 1, 0, 0, 1, 0)) == (i == 4 ? TY_F64 : dtypes[i]), "smooth %s",
              ty_dtype_name(dtypes[i]));
    }
    /* Halves are computed in f32: 200 powers of a rounded angle would be wrong in the first digit. */
    ty_tensor *half = ty_cast(ty_linspace(TY_F64, 0, 1, 9), TY_F16), *one = ty_ones(TY_F16, TY_SHAPE(1));
    ty_tensor *taps = ty_cast(ty_fir(201, TY_HIGH_PASS, 0.3, 0, NULL), TY_F16);
    half = ty_mul(half, ty_num(0.9));
    ty_tensor *narrowed = ty_cast(ty_filter_response(taps, one, half), TY_C128);
    compare_near(narrowed, ty_filter_response(ty_cast(taps, TY_F64), one, ty_cast(half, TY_F64)), 0, 1e-4,
                 "halves");
}

/* ---- derivatives ---- */

enum { FUNCTIONS = 6 };
static ty_tensor *function(void *context, ty_tensor *const *t) {
    ty_tensor *v = t[0], *r = ty_slice(v, 0, 0, 3, 1),
              *one = ty_from(TY_F64, TY_SHAPE(2), (double[]){2, 0.5});
    switch (*(const int *)context) {
    case 0:
        return ty_abs(ty_filter_response(r, ty_add(ty_slice(v, 0, 1, 3, 1), one), v));
    case 1: {
        ty_filtered_parts f = ty_filter_from(r, one, v, ty_slice(v, 0, 3, 5, 1), 0);
        return ty_concat(2, (ty_tensor *[]){ty_square(f.y), ty_square(f.state)}, 0);
    }
    case 2:
        return ty_square(ty_savgol(v, 5, 2, 1, 0.5, 0));
    case 3:
        return ty_fir(9, TY_HIGH_PASS, 0.4, 0, v);
    case 4:
        return ty_square(ty_filter_steady(r, one));
    default: {
        ty_tensor *s = ty_butterworth(3, TY_LOW_PASS, 0.2, 0);
        ty_filtered_parts f =
            ty_filter_sections_from(s, v, ty_reshape(ty_slice(v, 0, 0, 4, 1), TY_SHAPE(2, 2)), 0);
        return ty_concat(2, (ty_tensor *[]){f.y, ty_ravel(f.state)}, 0);
    }
    }
}
static void derivatives(void) {
    for (int which = 0; which < FUNCTIONS; which++) {
        struct test_round round = test_round();
        ty_tensor *v = sample_shape(TY_F64, TY_SHAPE(9), 0.2, 1);
        ty_check_report report;
        CHECK(ty_check_gradient(function, &which, 1, &v, (ty_check_options){0}, &report, NULL),
              "function %d: %s", which, report.message);
        test_round_end(round);
    }
}

/* A polynomial of its degree stays what it is, up to the greatest degree and the longest window. */
static void long_windows(void) {
    ty_tensor *t = ty_linspace(TY_F64, -1, 1, 4200), *x = ty_mul(t, ty_square(t));
    compare_near(ty_savgol(x, 4095, 3, 0, 1, 0), x, 0, 1e-10, "the longest window");
    compare_near(ty_savgol(x, 4096, 3, 1, 1, 0), ty_savgol(x, 4095, 3, 1, 1, 0), 0, 1e-6, "an even window");
    CHECK_POISON(ty_savgol(x, 4097, 3, 0, 1, 0), "windows of 4097 elements");
    compare_numbers(ty_savgol(VECTOR(1, 5, 2), 3, 1, INT64_MAX, 1, 0), NUMBERS(0, 0, 0),
                    "a derivative above the degree");
    for (int degree = 14; degree < 16; degree++)
        compare_near(ty_savgol(x, 101, degree, 0, 1, 0), x, 0, 1e-9, "degree %d", degree);
    CHECK_POISON(ty_savgol(x, 101, 16, 0, 1, 0), "degree 16 is out of range; expected 0..15");
    CHECK_POISON(ty_savgol(x, 17, 16, 0, 1, 0), "degree 16 is out of range; expected 0..15");
    CHECK_POISON(ty_savgol(x, 13, 16, 0, 1, 0), "degree 16 is out of range; expected 0..12");
}

/* ---- peaks ---- */

static void check_peaks(ty_tensor *x, ty_peaks_options o, int64_t n, const double *want, const char *what) {
    ty_peaks p = ty_find_peaks(x, o);
    compare_numbers(CHECK_OK(p.at), n, want, "%s", what);
    CHECK(ty_dtype_of(p.at) == TY_I64 && ty_size(p.widths) == n && ty_size(p.plateaus) == n,
          "%s: other sizes", what);
}

static void peaks(void) {
    ty_peaks_options any = {0};
    check_peaks(ty_zeros(TY_F64, TY_SHAPE(0)), any, 0, NULL, "nothing");
    check_peaks(VECTOR(1), any, 0, NULL, "one element");
    check_peaks(VECTOR(1, 2), any, 0, NULL, "two elements");
    check_peaks(ty_ones(TY_F64, TY_SHAPE(9)), any, 0, NULL, "a constant");
    check_peaks(VECTOR(3, 1, 2, 2), any, 0, NULL, "ends are no peaks");
    check_peaks(VECTOR(0, 1, 1, 1, 1, 0), any, NUMBERS(2), "the middle is rounded down");
    check_peaks(VECTOR(0, 1, NAN, 1, 0, 2, 0, NAN), any, NUMBERS(5), "NaN is no neighbour");
    check_peaks(VECTOR(0, INFINITY, 0, 1, 0), any, NUMBERS(1, 3), "infinity");
    check_peaks(VECTOR(0, 2, 0, 2, 0, 2, 0), (ty_peaks_options){.distance = 3}, NUMBERS(1, 5),
                "equal heights");
    check_peaks(VECTOR(0, INFINITY, INFINITY, INFINITY, 0), any, NUMBERS(2), "an infinite plateau");
    check_peaks(VECTOR(-INFINITY, 5, 0, 3, 0), any, NUMBERS(1, 3), "a width of NaN");
    check_peaks(VECTOR(-INFINITY, 5, 0, 3, 0), (ty_peaks_options){.width = 0.1}, NUMBERS(3), "a least width");
    check_peaks(VECTOR(0, INFINITY, INFINITY, INFINITY, 0), (ty_peaks_options){.threshold = 1}, 0, NULL,
                "NaN above its neighbours");
    ty_tensor *x = VECTOR(0, 3, 1, 2, 0, 5, 0);
    check_peaks(x, (ty_peaks_options){.height = ty_num(3)}, NUMBERS(1, 5), "a least height");
    check_peaks(x, (ty_peaks_options){.height = VECTOR(0, 4, 0, 2, 0, 5, 0)}, NUMBERS(3, 5),
                "heights of elements");
    check_peaks(ty_cast(x, TY_I8), any, NUMBERS(1, 3, 5), "integers");
    check_peaks(ty_gt(x, ty_num(2)), any, NUMBERS(1, 5), "truth values");
    check_peaks(ty_lazy(x), any, NUMBERS(1, 3, 5), "a promise");
    check_peaks(ty_flip(ty_cast(x, TY_F32), 0), any, NUMBERS(1, 3, 5), "a view");
    ty_peaks p = ty_find_peaks(VECTOR(5, 0, 3, 1, 4, NAN), any);
    compare_numbers(CHECK_OK(p.prominences), NUMBERS(2), "a slope ends at NaN");
}

/* Falling peaks, whose slopes reach to the end, take no time for each element of the slope. */
static void long_slopes(void) {
    enum { N = 1 << 20 };
    ty_tensor *i = ty_iota(TY_I64, TY_SHAPE(N), 0), *odd = ty_mod(i, ty_int(2));
    ty_peaks p = ty_find_peaks(ty_sub(ty_mul(odd, ty_int(N)), i), (ty_peaks_options){0});
    if (!ty_ok(CHECK_OK(p.at))) return;
    CHECK(ty_size(p.at) == N / 2 - 1, "%lld peaks", (long long)ty_size(p.at));
    CHECK(ty_item(ty_sum(ty_sub(p.right_bases, ty_num(N - 2)), TY_ALL)) <= 0, "bases behind the end");
}

/* ---- errors ---- */

static void refusals(void) {
    ty_tensor *v = ty_ones(TY_F64, TY_SHAPE(8)), *c = ty_ones(TY_C64, TY_SHAPE(8)),
              *m = ty_ones(TY_F64, TY_SHAPE(2, 2));
    ty_tensor *zero = VECTOR(0, 1), *s = ty_butterworth(4, TY_LOW_PASS, 0.5, 0);
    CHECK_POISON(ty_fir(0, TY_LOW_PASS, 0.5, 0, NULL), "0 taps; expected 1..4096");
    CHECK_POISON(ty_fir(4097, TY_LOW_PASS, 0.5, 0, NULL), "4097 taps");
    CHECK_POISON(ty_fir(8, TY_HIGH_PASS, 0.5, 0, NULL), "8 taps; expected an odd number");
    CHECK_POISON(ty_fir(8, TY_BAND_STOP, 0.5, 0.6, NULL), "8 taps; expected an odd number");
    CHECK_POISON(ty_fir(8, TY_BAND_PASS, 0.5, 0.4, NULL), "a band of 0.5 to 0.4");
    CHECK_POISON(ty_fir(8, TY_LOW_PASS, NAN, 0, NULL), "a band of nan to nan");
    CHECK_POISON(ty_fir(8, TY_BANDS, 0.5, 0, NULL), "unknown band 4");
    CHECK_POISON(ty_fir(7, TY_LOW_PASS, 0.5, 0, v), "the window must be a real vector of 7 elements");
    CHECK_POISON(ty_fir(8, TY_LOW_PASS, 0.5, 0, c), "the window must be a real vector");
    CHECK_POISON(ty_filter_response(m, v, v), "coefficients must be vectors of 1..4096 elements");
    CHECK_POISON(ty_filter_response(v, v, c), "frequencies must be real");
    CHECK_POISON(ty_filter_sections_response(m, v), "sections must be [1..4096, 6]");
    CHECK_POISON(ty_filter_from(m, v, v, NULL, 0).y, "coefficients must be vectors");
    CHECK_POISON(ty_filter_from(v, v, v, NULL, 1).state, "axis 1 is out of bounds; expected -1..0");
    CHECK_POISON(ty_filter_from(v, zero, v, NULL, 0).y, "the leading coefficient is 0");
    CHECK_POISON(ty_filter_from(v, v, v, m, 0).y, "the state must be a vector of 7 elements");
    CHECK_POISON(ty_filter_from(v, v, v, ty_ones(TY_F64, TY_SHAPE(1)), 0).y, "a vector of 7 elements");
    CHECK_POISON(ty_filter_from(v, v, v, ty_num(1), 0).y, "a vector of 7 elements");
    CHECK_POISON(ty_filter_from(v, v, ty_ones(TY_F64, TY_SHAPE(8, 3)), ty_ones(TY_F64, TY_SHAPE(3)), 0).y,
                 "a vector of 7 elements");
    CHECK_POISON(ty_filter_sections_from(s, v, ty_ones(TY_F64, TY_SHAPE(2, 1)), 0).y,
                 "a vector of 2 elements");
    CHECK_POISON(ty_filter_sections_from(m, v, NULL, 0).y, "sections must be [1..4096, 6]");
    CHECK_POISON(ty_filter_sections_from(s, v, v, 0).state, "the state must be [2, 2]");
    CHECK_POISON(ty_filter_sections_from(s, v, ty_ones(TY_F64, TY_SHAPE(2, 3)), 0).y,
                 "a vector of 2 elements");
    CHECK_POISON(ty_filter_sections_from(ty_zeros(TY_F64, TY_SHAPE(1, 6)), v, NULL, 0).y, "coefficient is 0");
    CHECK_POISON(ty_filter_steady(m, v), "coefficients must be vectors");
    CHECK_POISON(ty_filter_steady(v, zero), "the leading coefficient is 0");
    CHECK_POISON(ty_filter_sections_steady(m), "sections must be");
    CHECK_POISON(ty_savgol(v, 0, 2, 0, 1, 0), "windows of 0 elements; expected 1 to 4096");
    CHECK_POISON(ty_savgol(v, 5, 5, 0, 1, 0), "degree 5 is out of range; expected 0..4");
    CHECK_POISON(ty_savgol(v, 5, 2, -1, 1, 0), "derivative -1; expected 0 or more");
    CHECK_POISON(ty_savgol(v, 5, 2, 0, -1, 0), "the distance of elements is -1");
    CHECK_POISON(ty_savgol(v, 9, 2, 0, 1, 0), "axis 0 has 8 elements, fewer than a window of 9");
    CHECK_POISON(ty_savgol(v, 5, 2, 0, 1, 1), "axis 1 is out of bounds");
    CHECK_POISON(ty_find_peaks(m, (ty_peaks_options){0}).at, "expected a vector, not 2 axes");
    CHECK_POISON(ty_find_peaks(c, (ty_peaks_options){0}).plateaus, "expected real numbers");
    CHECK_POISON(ty_find_peaks(v, (ty_peaks_options){.height = zero}).at,
                 "a number, or one for each element");
    CHECK_POISON(ty_find_peaks(v, (ty_peaks_options){.distance = -1}).at, "a distance of -1");
    CHECK_POISON(ty_find_peaks(v, (ty_peaks_options){.window = 1}).at, "windows of 2 or more");
    CHECK_POISON(ty_find_peaks(v, (ty_peaks_options){.width = NAN}).at, "a width is NaN");
    CHECK_POISON(ty_find_peaks(v, (ty_peaks_options){.relative_height = -1}).at, "the relative height is -1");
}

TESTS_MAIN(TEST(blocks), TEST(steady), TEST(responses), TEST(derivatives), TEST(long_windows), TEST(peaks),
           TEST(long_slopes), TEST(refusals))
