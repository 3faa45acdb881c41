/*
 * Signals: SciPy's values (scipy_values.py), eagerly, lazily and on the reference; convolution by products against
 * convolution by transforms; gradients against differences; errors.
 */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- SciPy's values ---- */

static double x_at(int64_t i) { return cos(0.7 * (double)(i * i)) + 0.1 * (double)i; }
static ty_tensor *x(int64_t n) {
    double *data = test_room((size_t)n * sizeof *data);
    for (int64_t i = 0; i < n; i++) data[i] = x_at(i);
    return ty_from(TY_F64, 1, &n, data);
}

static const struct row {
    const char *expression;
    bool pairs;
    double tolerance;
    int64_t n;
    const double *numbers;
} rows[] = {
#define SCIPY(expression, pairs, tolerance, ...)                                                             \
    {expression, pairs, tolerance, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),              \
     (const double[]){__VA_ARGS__}},
#include "tests/signal/scipy_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const names[] = {"a", "b", "long", "m", "z"};
enum { INPUTS = sizeof names / sizeof *names };

static void compare_row(const struct row *row, ty_tensor *const *inputs, const char *how) {
    ty_tensor *y = ty_eval(ty_expression(row->expression, INPUTS, names, inputs));
    CHECK_OK(y);
    if (row->pairs != (ty_dtype_of(y) == TY_C128))
        test_fail(__FILE__, __LINE__, row->expression, "%s: it is %s", how, ty_dtype_name(ty_dtype_of(y)));
    if (row->pairs) y = ty_view_as(ty_contiguous(y), TY_F64);
    y = ty_contiguous(y);
    const double *got = ty_data(CHECK_OK(y));
    CHECK(ty_size(y) == row->n, "%s (%s): %lld numbers, and not %lld", row->expression, how,
          (long long)ty_size(y), (long long)row->n);
    for (int64_t i = 0; i < row->n; i++)
        CHECK(fabs(got[i] - row->numbers[i]) <= row->tolerance * (1 + fabs(row->numbers[i])),
              "%s (%s): number %lld is %.15g and not %.15g", row->expression, how, (long long)i, got[i],
              row->numbers[i]);
}

static void scipy_values(void) {
    ty_tensor *first = x(11), *inputs[INPUTS], *lazy[INPUTS];
    inputs[0] = x(12);
    inputs[1] = ty_add(ty_flip(x(5), 0), ty_num(0.5));
    inputs[2] = x(300);
    inputs[3] = ty_reshape(x(15), TY_SHAPE(3, 5));
    inputs[4] = ty_from_parts(first, ty_flip(first, 0));
    for (int i = 0; i < INPUTS; i++) lazy[i] = ty_lazy(inputs[i]);
    for (int i = 0; i < ROWS; i += test_some(1, 1, 29)) {
        struct test_round round = test_round();
        ty_use_engine("cpu");
        compare_row(&rows[i], inputs, "eagerly");
        compare_row(&rows[i], lazy, "lazily");
        ty_use_engine("ref");
        if (!strstr(rows[i].expression, "long")) compare_row(&rows[i], inputs, "ref");
        test_round_end(round);
    }
}

/* ---- convolution ---- */

static ty_tensor *naive(ty_tensor *a, ty_tensor *b) {
    int64_t n = ty_size(a), k = ty_size(b), size = n + k - 1;
    const double *p = ty_data(CHECK_OK(a)), *q = ty_data(CHECK_OK(b));
    double *out = test_room((size_t)size * sizeof *out);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) out[i + j] += p[i] * q[j];
    return ty_from(TY_F64, 1, &size, out);
}

static void convolutions(void) {
    for (int i = 0; i < test_some(40, 20, 3); i++) {
        struct test_round round = test_round();
        int64_t n = test_between(1, i % 4 ? 60 : 3000), k = test_between(1, i % 3 ? 40 : 700);
        ty_tensor *a = sample_shape(TY_F64, TY_SHAPE(n), -1, 1),
                  *b = sample_shape(TY_F64, TY_SHAPE(k), -1, 1);
        compare_near(ty_convolve(a, b, TY_FULL), naive(a, b), 0, 1e-11, "%lld by %lld", (long long)n,
                     (long long)k);
        compare_near(ty_fft_convolve(a, b, TY_FULL, 0, NULL), naive(a, b), 0, 1e-11, "%lld by %lld",
                     (long long)n, (long long)k);
        test_round_end(round);
    }
    ty_tensor *i = ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){1, 2, 3}),
              *j = ty_from(TY_U8, TY_SHAPE(2), (uint8_t[]){4, 5});
    ty_tensor *y = CHECK_OK(ty_convolve(i, j, TY_FULL));
    compare_numbers(y, NUMBERS(4, 13, 22, 15), "integers");
    CHECK(ty_dtype_of(y) == TY_I32, "integers stay what they are");
    compare_numbers(ty_convolve(ty_num(2), ty_num(3), TY_VALID), NUMBERS(6), "0-d");
    ty_tensor *cube = sample_shape(TY_F32, TY_SHAPE(5, 6, 7), -1, 1),
              *small = sample_shape(TY_F32, TY_SHAPE(2, 3, 2), -1, 1);
    compare_near(ty_convolve(cube, small, TY_SAME), ty_fft_convolve(cube, small, TY_SAME, 0, NULL), 0, 1e-5,
                 "a solid");
    ty_tensor *four = ty_reshape(cube, TY_SHAPE(5, 1, 6, 7)),
              *kernel = ty_reshape(small, TY_SHAPE(2, 1, 3, 2));
    compare_near(ty_reshape(ty_convolve(four, kernel, TY_VALID), TY_SHAPE(4, 4, 6)),
                 ty_convolve(cube, small, TY_VALID), 0, 1e-5, "four axes");
    ty_tensor *h = ty_convolve(ty_ones(TY_F16, TY_SHAPE(4)), ty_ones(TY_F16, TY_SHAPE(2)), TY_FULL);
    CHECK(ty_dtype_of(CHECK_OK(h)) == TY_F16, "half floats stay what they are");
}

/* ---- filters ---- */

/* Filter by the definition, in long double. */
static ty_tensor *filtered(int nb, const double *b, int na, const double *a, int64_t n, const double *v) {
    long double *y = test_room((size_t)n * sizeof *y);
    double *out = test_room((size_t)n * sizeof *out);
    for (int64_t k = 0; k < n; k++) {
        long double sum = 0;
        for (int j = 0; j < nb && j <= k; j++) sum += (long double)b[j] * v[k - j];
        for (int j = 1; j < na && j <= k; j++) sum -= a[j] * y[k - j];
        y[k] = sum / a[0];
        out[k] = (double)y[k];
    }
    return ty_from(TY_F64, 1, &n, out);
}

static void filters(void) {
    for (int i = 0; i < test_some(60, 30, 4); i++) {
        struct test_round round = test_round();
        double b[200], a[200];
        int nb = (int)test_between(1, i % 5 ? 6 : 200), na = (int)test_between(1, i % 7 ? 6 : 150);
        int64_t n = test_between(1, i % 3 ? 90 : 900);
        double *v = test_room((size_t)n * sizeof *v);
        sample_fill(TY_F64, b, nb, -1, 1);
        /* stable: the sum of absolute values is below a[0] */
        sample_fill(TY_F64, a, na, -0.9 / na, 0.9 / na);
        sample_fill(TY_F64, v, n, -1, 1);
        a[0] = test_uniform(1, 2);
        ty_tensor *y = ty_filter(ty_from(TY_F64, TY_SHAPE(nb), b), ty_from(TY_F64, TY_SHAPE(na), a),
                                 ty_from(TY_F64, 1, &n, v), 0);
        compare_near(y, filtered(nb, b, na, a, n, v), 0, 1e-11, "a filter of %d and %d", nb, na);
        test_round_end(round);
    }
    ty_tensor *one = ty_ones(TY_F32, TY_SHAPE(1)), *sum = ty_from(TY_F32, TY_SHAPE(2), (float[]){1, -1});
    compare_numbers(ty_filter(one, sum, ty_ones(TY_F32, TY_SHAPE(3, 2)), 0), NUMBERS(1, 1, 2, 2, 3, 3),
                    "a running sum");
    CHECK(ty_dtype_of(ty_filter(one, sum, ty_ones(TY_F32, TY_SHAPE(3)), 0)) == TY_F32, "f32 stays f32");
    CHECK(ty_size(CHECK_OK(ty_filter(one, sum, ty_ones(TY_F32, TY_SHAPE(0, 2)), 0))) == 0, "nothing");
    CHECK(ty_size(CHECK_OK(ty_filter(one, sum, ty_ones(TY_F32, TY_SHAPE(2, 0)), 0))) == 0, "no lines");
    /* the power at the cutoff is one half for all orders */
    for (int order = 1; order <= 12; order += 3) {
        ty_tensor *sections = CHECK_OK(ty_butterworth(order, TY_LOW_PASS, 0.3, 0));
        ty_tensor *impulse = ty_cast(ty_unit(TY_F64, 4096, 0), TY_F64);
        ty_tensor *gain =
            ty_abs(ty_rfft(ty_filter_sections(sections, impulse, 0), TY_FFT_WHOLE, 0, TY_FFT_BACKWARD));
        compare_near(ty_slice(ty_square(gain), 0, 0, 1, 1), ty_ones(TY_F64, TY_SHAPE(1)), 0, 1e-9, "order %d",
                     order);
        double at = 0.3 * 2048;
        ty_tensor *half = ty_slice(ty_square(gain), 0, (int64_t)at, (int64_t)at + 2, 1);
        const double *power = ty_data(CHECK_OK(half));
        CHECK(power[0] > 0.5 && power[1] < 0.5, "order %d: %g and %g at the border", order, power[0],
              power[1]);
    }
}

/* Return the result of filter function number `which`, along axis 0 of x [n, columns]. */
static ty_tensor *form(int which, ty_tensor *x) {
    ty_tensor *sections = ty_butterworth(3, TY_LOW_PASS, 0.1, 0);
    ty_tensor *b = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 0.5});
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(3), (double[]){2, -1.2, 0.5});
    if (which == 0) return ty_filter(b, a, x, 0);
    if (which == 1) return ty_filter_sections(sections, x, 0);
    return ty_filter(ty_hann(TY_F64, 200, false), ty_ones(TY_F64, TY_SHAPE(1)), x, 0);
}

/* A NaN or an infinity changes its own and later elements of its line only. */
static void nothing_goes_back(void) {
    for (int i = 0; i < 3 * 2 * 2; i++) {
        struct test_round round = test_round();
        int64_t columns = i / 3 % 2 ? 3 : 1, at = 100 * columns;
        double odd = i / 6 ? (double)NAN : -(double)INFINITY;
        double *values = test_room((size_t)(300 * columns) * sizeof *values);
        sample_fill(TY_F64, values, 300 * columns, -1, 1);
        ty_tensor *well = form(i % 3, ty_from(TY_F64, TY_SHAPE(300, columns), values));
        values[at] = odd;
        ty_tensor *y = form(i % 3, ty_from(TY_F64, TY_SHAPE(300, columns), values));
        compare_bits(ty_slice(y, 0, 0, 100, 1), ty_slice(well, 0, 0, 100, 1), "form %d before", i % 3);
        compare_bits(ty_slice(y, 1, 1, columns, 1), ty_slice(well, 1, 1, columns, 1), "form %d beside",
                     i % 3);
        const double *got = ty_data(CHECK_OK(ty_contiguous(y)));
        CHECK(i % 3 == 2 || !isfinite(got[at]), "form %d: element 100 is %g", i % 3, got[at]);
        CHECK(!isfinite(got[at + 3 * columns]), "form %d: element 103 is %g", i % 3, got[at + 3 * columns]);
        test_round_end(round);
    }
}

/* f32 is accurate with poles near 1, since the state is in f64. */
static void poles_near_one(void) {
    static const struct {
        int order;
        ty_band band;
        double low, high;
    } designs[] = {{2, TY_HIGH_PASS, 0.001, 0},
                   {2, TY_LOW_PASS, 0.001, 0},
                   {3, TY_BAND_PASS, 0.02, 0.03},
                   {8, TY_LOW_PASS, 0.05, 0}};
    for (int i = 0; i < 4; i++) {
        struct test_round round = test_round();
        ty_tensor *s = ty_cast(
            ty_butterworth(designs[i].order, designs[i].band, designs[i].low, designs[i].high), TY_F32);
        ty_tensor *v = sample_shape(TY_F32, TY_SHAPE(5000), -1, 1);
        ty_tensor *wide = ty_filter_sections(ty_cast(s, TY_F64), ty_cast(v, TY_F64), 0);
        ty_tensor *greatest = ty_amax(ty_abs(wide), TY_ALL);
        compare_near(ty_div(ty_filter_sections(s, v, 0), ty_cast(greatest, TY_F32)),
                     ty_cast(ty_div(wide, greatest), TY_F32), 0, 1e-5, "f32, design %d", i);
        test_round_end(round);
    }
}

/* A batch large enough for a compiled program gives each line's own result. */
static void many_lines(void) {
    ty_tensor *s = ty_butterworth(4, TY_LOW_PASS, 0.3, 0),
              *v = sample_shape(TY_F64, TY_SHAPE(700, 150), -1, 1);
    ty_tensor *y = ty_filter_sections(s, v, 1),
              *turned = ty_filter_sections(s, ty_contiguous(ty_transpose(v)), 0);
    compare_near(ty_transpose(turned), y, 0, 1e-14, "columns");
    for (int64_t i = 0; i < 700; i += test_starving() ? 300 : 23)
        compare_bits(ty_slice(y, 0, i, i + 1, 1), ty_filter_sections(s, ty_slice(v, 0, i, i + 1, 1), 1),
                     "line %d", (int)i);
}

/* Sections as promises: the padding is known when they are evaluated, as is whether a line is long enough. */
static void edges_of_promises(void) {
    ty_tensor *s = ty_butterworth(5, TY_LOW_PASS, 0.3, 0), *v = x(19), *lazy = ty_lazy(s);
    compare_near(ty_eval(ty_filter_sections_both(lazy, v, 0)), ty_filter_sections_both(s, v, 0), 0, 1e-12,
                 "sections in a promise");
    ty_tensor *few = ty_slice(v, 0, 0, 18, 1);
    CHECK_POISON(ty_filter_sections_both(s, few, 0), "the 18 elements of axis 0 must be more than 18");
    CHECK_POISON(ty_eval(ty_filter_sections_both(lazy, few, 0)),
                 "index 18 at [17] is out of bounds for axis 0 of size 18: expected -18..17");
}

/* ---- derivatives ---- */

enum { FUNCTIONS = 17 };
static ty_tensor *function(void *context, ty_tensor *const *t) {
    ty_tensor *v = t[0], *r = ty_slice(v, 0, 0, 3, 1);
    switch (*(const int *)context) {
    case 0:
    case 1:
    case 2:
    case 3:
        return ty_square(ty_dct(v, *(const int *)context + 1, TY_FFT_WHOLE, 0, TY_FFT_BACKWARD));
    case 4:
    case 5:
    case 6:
    case 7:
        return ty_square(ty_dst(v, *(const int *)context - 3, TY_FFT_WHOLE, 0, TY_FFT_ORTHO));
    case 8:
        return ty_convolve(v, r, TY_SAME);
    case 9:
        return ty_fft_convolve(v, r, TY_FULL, 0, NULL);
    case 10:
        return ty_spectrogram(v, (ty_stft_options){.size = 4}, 2);
    case 11:
        return ty_square(
            ty_istft(ty_stft(v, (ty_stft_options){.size = 4}), (ty_stft_options){.size = 4}, true));
    case 14:
        return ty_filter_sections_both(ty_from(TY_F64, TY_SHAPE(1, 6), (double[]){1, 0.5, 0, 2, -0.6, 0}), v,
                                       0);
    case 15: {
        ty_tensor *section = ty_add(ty_mul(ty_slice(v, 0, 0, 6, 1), ty_num(0.1)),
                                    ty_from(TY_F64, TY_SHAPE(6), (double[]){1, 0.5, 0.2, 2, -0.6, 0.1}));
        return ty_filter_sections(ty_reshape(section, TY_SHAPE(1, 6)), ty_reshape(v, TY_SHAPE(3, 3)), 0);
    }
    case 16: /* no feedback */
        return ty_filter(r, ty_ones(TY_F64, TY_SHAPE(1)), ty_square(v), 0);
    case 12: /* by the filter, too */
        return ty_filter(r, ty_add(ty_mul(r, ty_num(0.1)), ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 0, 0})),
                         v, 0);
    default:
        return ty_square(ty_abs(ty_analytic_signal(v, 0)));
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

/* ---- dtypes and errors ---- */

static void dtypes(void) {
    static const ty_dtype reals[] = {TY_F16, TY_BF16, TY_F32, TY_F64};
    for (int i = 0; i < 4; i++) {
        ty_tensor *v = ty_ones(reals[i], TY_SHAPE(8));
        ty_dtype want = dtype_is_half(reals[i]) ? TY_F32 : reals[i];
        CHECK(ty_dtype_of(CHECK_OK(ty_hann(reals[i], 8, true))) == reals[i], "a window of %s",
              ty_dtype_name(reals[i]));
        CHECK(ty_dtype_of(CHECK_OK(ty_dct(v, 2, -1, 0, TY_FFT_BACKWARD))) == reals[i], "dct of %s",
              ty_dtype_name(reals[i]));
        ty_tensor *y = CHECK_OK(ty_stft(v, (ty_stft_options){.size = 4}));
        CHECK(ty_dtype_of(y) == (want == TY_F32 ? TY_C64 : TY_C128), "stft of %s", ty_dtype_name(reals[i]));
        CHECK(ty_dtype_of(CHECK_OK(ty_analytic_signal(v, 0))) == ty_dtype_of(y), "signal of %s",
              ty_dtype_name(reals[i]));
    }
    ty_tensor *whole = ty_arange(TY_I32, 0, 8, 1);
    CHECK(ty_dtype_of(CHECK_OK(ty_dst(whole, 1, -1, 0, TY_FFT_BACKWARD))) == TY_F64, "integers are f64");
    CHECK(ty_size(CHECK_OK(ty_hann(TY_F32, 0, false))) == 0, "no weights");
    ty_tensor *weights = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.42, 0.5, 0.08});
    compare_near(ty_cosine_window(TY_F64, 9, weights, true), ty_blackman(TY_F64, 9, true), 0, 1e-15,
                 "a window of given weights");
    ty_tensor *large = sample_shape(TY_F32, TY_SHAPE(40, 8192), -1, 1);
    compare_bits(ty_eval(ty_dct(ty_lazy(large), 2, -1, 1, TY_FFT_ORTHO)),
                 ty_dct(large, 2, -1, 1, TY_FFT_ORTHO), "a large dct");
}

static void refusals(void) {
    ty_tensor *v = ty_ones(TY_F64, TY_SHAPE(8)), *c = ty_ones(TY_C64, TY_SHAPE(8)),
              *b = ty_ones(TY_F64, TY_SHAPE(2, 2));
    ty_tensor *empty = ty_ones(TY_F64, TY_SHAPE(0));
    CHECK_POISON(ty_hann(TY_I32, 4, true), "hann: a window needs a floating-point dtype, not i32");
    CHECK_POISON(ty_hann(TY_F32, -1, true), "hann: a window of -1 elements; expected 0 or more");
    CHECK_POISON(ty_kaiser(TY_F32, 4, -1, true), "kaiser: a beta of -1; expected 0 or more");
    CHECK_POISON(ty_tukey(TY_F32, 4, 2, true), "share of 2; expected 0..1");
    CHECK_POISON(ty_cosine_window(TY_F32, 4, c, true), "the weights must be a real vector");
    CHECK_POISON(ty_dct(v, 5, -1, 0, TY_FFT_BACKWARD), "dct of f64[8]: type 5; expected 1, 2, 3 or 4");
    CHECK_POISON(ty_dct(v, 1, 1, 0, TY_FFT_BACKWARD),
                 "a transform of type 1 of 1 elements along axis 0; expected 2 or more");
    CHECK_POISON(ty_idst(v, 2, -1, 1, TY_FFT_BACKWARD),
                 "idst of f64[8]: axis 1 is out of bounds; expected -1..0");
    CHECK_POISON(ty_dst(v, 2, -1, 0, TY_FFT_NORMS),
                 "unknown norm 3; expected TY_FFT_BACKWARD, TY_FFT_ORTHO or TY_FFT_FORWARD");
    CHECK_POISON(ty_convolve(v, b, TY_FULL), "1 and 2 axes; the numbers must match");
    CHECK_POISON(ty_convolve(v, empty, TY_FULL), "axis 0 is empty");
    CHECK_POISON(ty_convolve(v, v, TY_OVERLAPS), "unknown mode 3; expected TY_FULL, TY_SAME or TY_VALID");
    CHECK_POISON(ty_correlate(ty_ones(TY_F64, TY_SHAPE(1, 3)), b, TY_VALID),
                 "neither fits inside the other along every axis");
    CHECK_POISON(
        ty_convolve(ty_ones(TY_I32, TY_SHAPE(1, 1, 1, 1)), ty_ones(TY_I32, TY_SHAPE(1, 1, 1, 1)), TY_FULL),
        "4 axes");
    CHECK_POISON(ty_fft_convolve(v, v, TY_FULL, 1, (int64_t[]){1}),
                 "axis 1 is out of bounds; expected -1..0");
    CHECK_POISON(ty_stft(v, (ty_stft_options){0}),
                 "stft of f64[8]: segments of 0 elements; expected 1 or more");
    CHECK_POISON(ty_stft(v, (ty_stft_options){.size = 4, .step = -1}), "a step of -1; expected 1 or more");
    CHECK_POISON(ty_stft(v, (ty_stft_options){.size = 4, .n = 2}), "shorter than the segments");
    CHECK_POISON(ty_stft(v, (ty_stft_options){.size = 4, .window = v}),
                 "the window must be a real vector of 4 elements");
    CHECK_POISON(ty_stft(v, (ty_stft_options){.size = 9, .plain = true}),
                 "8 elements of time; expected at least 9");
    CHECK_POISON(ty_stft(ty_num(1), (ty_stft_options){.size = 9}), "a 0-d tensor has no axis of time");
    CHECK_POISON(ty_istft(c, (ty_stft_options){.size = 4}, true), "[.., frequency, time]");
    CHECK_POISON(ty_istft(ty_ones(TY_C64, TY_SHAPE(4, 4)), (ty_stft_options){.size = 4}, true),
                 "4 frequencies, but a transform of 4 elements has 3");
    CHECK_POISON(ty_spectrogram(c, (ty_stft_options){.size = 4}, 1), "expected real signals");
    CHECK_POISON(ty_spectrogram(v, (ty_stft_options){.size = 4}, 0),
                 "the rate is 0; expected a number above 0");
    CHECK_POISON(ty_analytic_signal(c, 0), "expected real signals");
    CHECK_POISON(ty_analytic_signal(empty, 0), "axis 0 is empty");
    CHECK_POISON(ty_filter(b, v, v, 0), "coefficients must be vectors");
    CHECK_POISON(ty_filter(v, v, v, 1), "axis 1 is out of bounds; expected -1..0");
    CHECK_POISON(ty_filter_both(v, v, v, 0), "the 8 elements of axis 0 must be more than 24");
    CHECK_POISON(ty_filter_sections(b, v, 0), "sections must be [1..4096, 6]");
    CHECK_POISON(ty_filter(v, ty_from(TY_F64, TY_SHAPE(2), (double[]){0, 1}), v, 0),
                 "the leading coefficient a[0] is 0");
    CHECK_POISON(ty_filter_both(v, ty_zeros(TY_F32, TY_SHAPE(1)), ty_ones(TY_F64, TY_SHAPE(40)), 0),
                 "coefficient a[0] is 0");
    ty_tensor *second = ty_from(TY_F64, TY_SHAPE(2, 6), (double[]){1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0});
    CHECK_POISON(ty_filter_sections(second, v, 0), "coefficient a0 of a section is 0");
    CHECK_POISON(ty_butterworth(0, TY_LOW_PASS, 0.5, 0), "order 0 is out of range; expected 1..64");
    CHECK_POISON(ty_butterworth(2, TY_BANDS, 0.5, 0),
                 "unknown band 4; expected TY_LOW_PASS, TY_HIGH_PASS, TY_BAND_PASS or TY_BAND_STOP");
    CHECK_POISON(ty_butterworth(2, TY_BAND_PASS, 0.5, 0.4), "a band of 0.5 to 0.4");
}

TESTS_MAIN(TEST(scipy_values), TEST(convolutions), TEST(filters), TEST(nothing_goes_back),
           TEST(poles_near_one), TEST(many_lines), TEST(edges_of_promises), TEST(derivatives), TEST(dtypes),
           TEST(refusals))
