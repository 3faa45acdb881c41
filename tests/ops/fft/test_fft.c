/*
 * Fourier transforms against the defining sum in long double: every small size, large sizes at some indices, every
 * instruction set, one line and many, rows and columns. Random views are compared with the reference engine. Bits are
 * the same for any number of threads, and some values are written here.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

typedef long double _Complex wide;

/* Return exp(-2 pi i j / n) for all j. */
static wide *roots_of(int64_t n) {
    wide *roots = test_room((size_t)n * sizeof *roots);
    for (int64_t j = 0; j < n; j++) {
        int64_t eighths = 8 * j / n, quarter = (eighths + 1) / 2;
        long double angle = 2 * 3.141592653589793238462643383279502884L * (long double)(4 * j - quarter * n) /
                            (4 * (long double)n);
        wide turned = __builtin_complex(cosl(angle), -sinl(angle)),
             by[] = {1, __builtin_complex(0.0L, -1.0L), -1, __builtin_complex(0.0L, 1.0L)};
        roots[j] = turned * by[quarter % 4];
    }
    return roots;
}

/* Return element i of an array. */
static wide element(const void *data, ty_dtype dtype, int64_t i) {
    return element_load(dtype, (const char *)data + i * (int64_t)dtype_table[dtype].size).z;
}

enum way { FORWARD, BACKWARD, HALF, WHOLE, WAYS }; /* fft, ifft * n, rfft, irfft * n */
static const char *const way_names[] = {"fft", "ifft", "rfft", "irfft"};

static ty_tensor *transform(enum way way, ty_tensor *x, int64_t n, int axis) {
    if (way == FORWARD) return ty_fft(x, n, axis, TY_FFT_BACKWARD);
    if (way == BACKWARD) return ty_ifft(x, n, axis, TY_FFT_FORWARD);
    if (way == HALF) return ty_rfft(x, n, axis, TY_FFT_BACKWARD);
    return ty_irfft(x, n, axis, TY_FFT_FORWARD);
}

/* Compute element k of the transform of a line. */
static wide exactly(enum way way, const wide *line, int64_t n, const wide *roots, int64_t k) {
    long double real = 0, imag = 0, sign = way == BACKWARD || way == WHOLE ? -1 : 1;
    int64_t count = way == WHOLE ? n / 2 + 1 : n;
    for (int64_t j = 0, root = 0; j < count; j++, root += root + k < n ? k : k - n) {
        long double a = creall(line[j]), b = cimagl(line[j]);
        long double c = creall(roots[root]), d = sign * cimagl(roots[root]);
        long double times = way == WHOLE && 2 * j % n ? 2 : 1;
        real += times * (a * c - b * d);
        imag += way == WHOLE ? 0 : a * d + b * c;
    }
    wide sum = 0;
    __real__ sum = real;
    __imag__ sum = imag;
    return sum;
}

/* Return the n elements of a line with stride `stride`, in elements. */
static const wide *line_of(const void *x, ty_dtype dtype, int64_t stride, int64_t n) {
    wide *line = test_room((size_t)n * sizeof *line);
    for (int64_t i = 0; i < n; i++) line[i] = element(x, dtype, i * stride);
    return line;
}

struct lines {
    int64_t n, lines;
    bool columns;
};

/* Check a batch of transforms at `places` indices of the first and the last line. */
static void check_lines(enum way way, bool narrow, struct lines l, int64_t places) {
    struct test_round round = test_round();
    int64_t n = l.n, m = way == WHOLE ? n / 2 + 1 : n, made = way == HALF ? n / 2 + 1 : n;
    ty_dtype real = narrow ? TY_F32 : TY_F64, dtype = way == HALF ? real : narrow ? TY_C64 : TY_C128;
    ty_tensor *x = l.columns ? sample_shape(dtype, TY_SHAPE(m, l.lines), -1, 1)
                             : sample_shape(dtype, TY_SHAPE(l.lines, m), -1, 1);
    ty_tensor *y = CHECK_OK(transform(way, x, n, l.columns ? 0 : 1));
    const char *from = ty_data(x), *to = ty_data(y);
    const wide *roots = roots_of(n);
    ty_dtype result = ty_dtype_of(y);
    CHECK(ty_shape(y)[!l.columns] == made, "%lld results", (long long)ty_shape(y)[!l.columns]);
    for (int64_t line = 0; line<l.lines; line += l.lines> 1 ? l.lines - 1 : 1) {
        int64_t in = l.columns ? line : line * m, out = l.columns ? line : line * made,
                step = l.columns ? l.lines : 1;
        const wide *numbers = line_of(from + in * (int64_t)dtype_table[dtype].size, dtype, step, m);
        long double error = 0, all = 0;
        for (int64_t i = 0; i < places; i++) {
            int64_t k = places >= made ? i : test_between(0, made - 1);
            if (k >= made) break;
            wide want = exactly(way, numbers, n, roots, k);
            wide got = element(to, result, out + k * step), off = got - want;
            error += creall(off * conjl(off));
            all += creall(want * conjl(want));
        }
        long double bound = 5 * ldexpl(1, narrow ? -24 : -53) * (n > 2 ? log2l((long double)n) : 1);
        CHECK(error <= bound * bound * all,
              "%s of %s, n = %lld, line %lld of %lld %s: the error is %Lg and not %Lg (%s)", way_names[way],
              ty_dtype_name(dtype), (long long)n, (long long)line, (long long)l.lines,
              l.columns ? "columns" : "rows", sqrtl(error / all), bound, isa_name(isa_current()));
    }
    test_round_end(round);
}

static void check_size(int64_t n, int64_t lines, int64_t places) {
    for (int way = 0; way < WAYS; way++)
        for (int narrow = 0; narrow < 2; narrow++) {
            check_lines(way, narrow, (struct lines){n, 1, false}, places);
            if (lines > 1) check_lines(way, narrow, (struct lines){n, lines, false}, places);
            if (lines > 1) check_lines(way, narrow, (struct lines){n, lines, true}, places);
        }
}

static void small_sizes(void) {
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        ty_trim();
        for (int64_t n = 1; n <= 130; n += test_some(1, 3, 43)) check_size(n, n % 3 ? 19 : 35, n);
    }
}

static void large_sizes(void) {
    static const int64_t sizes[] = {256,  512,   1024,  2048,  4096,  131,   257,     521,     1009,
                                    8191, 243,   729,   2187,  625,   3125,  343,     2401,    1331,
                                    2197, 1001,  1920,  3600,  6000,  961,   53 * 59, 61 * 61, 67 * 64,
                                    5040, 15015, 30030, 46189, 44100, 48000, 65536,   59049,   78125};
    static const int64_t huge[] = {1 << 17, 1 << 18, 1 << 20,  100003, 3 * 5 * 7 * 11 * 13 * 17,
                                   531441,  1000000, 2 * 65537};
    int isas = (int)isa_best() + 1;
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i += test_some(1, 2, 40)) {
        isa_force((enum isa)(i % isas));
        ty_trim();
        check_size(sizes[i], sizes[i] < 5000 ? 18 : 1, 24);
    }
    for (int i = 0; i < test_some(8, 2, 0); i++) {
        isa_force((enum isa)(i % 2 ? i % isas : isas - 1));
        ty_trim();
        check_size(huge[i], 1, 6);
    }
}

/* ---- layouts ---- */

static ty_tensor *disguise(ty_tensor *x) {
    for (int round = 0; round < 3; round++) {
        CHECK_OK(x);
        int rank = ty_rank(x), axis = (int)test_between(0, rank - 1), order[TY_MAX_RANK];
        for (int i = 0; i < rank; i++) order[i] = (i + axis) % rank;
        int which = (int)test_between(0, 4);
        if (which == 0) x = ty_permute(x, order);
        if (which == 1) x = ty_slice(x, axis, test_between(0, 1), TY_END, test_between(1, 2));
        if (which == 2) x = ty_flip(x, axis);
        if (which == 3 && ty_shape(x)[axis] == 1) {
            int64_t shape[TY_MAX_RANK];
            for (int i = 0; i < rank; i++) shape[i] = i == axis ? 5 : ty_shape(x)[i];
            x = ty_broadcast(x, rank, shape);
        }
    }
    return x;
}

struct transforming {
    enum way way;
    ty_tensor *x;
    int64_t n;
    int axis;
};
static ty_tensor *run(const void *context) {
    const struct transforming *t = context;
    return transform(t->way, t->x, t->n, t->axis);
}

static struct transforming draw(int most) {
    int64_t shape[4], rank = test_between(1, 4), sizes[] = {most, 30, 12, 6};
    enum way way = (enum way)test_between(0, WAYS - 1);
    bool narrow = test_between(0, 1);
    for (int k = 0; k < rank; k++) shape[k] = test_between(test_between(0, 9) > 0, sizes[rank - 1]);
    ty_dtype dtype = way == HALF ? (narrow ? TY_F32 : TY_F64) : narrow ? TY_C64 : TY_C128;
    ty_tensor *x = disguise(sample_shape(dtype, (int)rank, shape, -1, 1));
    struct transforming t = {way, CHECK_OK(x), 0, (int)test_between(-rank, rank - 1)};
    int64_t m = ty_shape(x)[t.axis < 0 ? t.axis + rank : t.axis];
    t.n = m > (way == WHOLE) && test_between(0, 1) ? TY_FFT_WHOLE : test_between(1, m + 10);
    return t;
}

static void layouts(void) {
    test_draw_tiles();
    for (int i = 0; i < test_some(600, 100, 12); i++) {
        struct test_round round = test_round();
        struct transforming t = draw(200);
        ty_dtype dtype = ty_dtype_of(t.x);
        double near = 300 * relative_ulp(dtype);
        compare_engines(run, &t, near, near, "%s of %s, n = %lld, case %d", way_names[t.way],
                        ty_dtype_name(dtype), (long long)t.n, i);
        test_round_end(round);
    }
}

static void same_for_threads(const struct transforming *t) {
    ty_set_threads(1);
    ty_tensor *want = CHECK_OK(run(t));
    for (int threads = 2; threads <= 8; threads = 2 * threads - 1) {
        ty_set_threads(threads);
        compare_bits(run(t), want, "%s with %d threads", way_names[t->way], threads);
    }
    ty_set_threads(0);
}

static void threads(void) {
    static const int64_t shapes[][2] = {{1, 1 << 17}, {3, 70000}, {2, 65537},
                                        {300, 700},   {5000, 48}, {4000, 1}};
    for (int i = 0; i < test_some(6, 3, 1); i++)
        for (int way = 0; way < WAYS; way++) {
            struct test_round round = test_round();
            ty_dtype dtype = way == HALF ? TY_F32 : TY_C64;
            struct transforming t = {way, sample_shape(dtype, 2, shapes[i], -1, 1), TY_FFT_WHOLE, 1};
            if (shapes[i][1] == 1) t.n = 9;
            same_for_threads(&t);
            if (shapes[i][0] > 100) t.axis = 0, same_for_threads(&t);
            test_round_end(round);
        }
}

/* Operators after a transform are fused with it in a program; bits equal those of both steps. */
static void fused(void) {
    for (int i = 0; i < test_some(100, 30, 6); i++) {
        struct test_round round = test_round();
        struct transforming t = draw(3000), lazy;
        lazy = t;
        lazy.x = ty_lazy(t.x);
        ty_tensor *want = CHECK_OK(ty_neg(ty_add(run(&t), ty_num(2))));
        compare_bits(ty_eval(ty_neg(ty_add(run(&lazy), ty_num(2)))), want, "%s, case %d", way_names[t.way],
                     i);
        ty_tensor *parts[] = {run(&lazy), run(&lazy)}, *both[] = {run(&t), run(&t)};
        compare_bits(ty_eval(ty_concat(2, parts, 0)), ty_concat(2, both, 0), "%s into a part, case %d",
                     way_names[t.way], i);
        test_round_end(round);
    }
}

static void round_trips(void) {
    static const ty_fft_norm norms[] = {TY_FFT_BACKWARD, TY_FFT_ORTHO, TY_FFT_FORWARD};
    for (int i = 0; i < test_some(60, 30, 4); i++) {
        struct test_round round = test_round();
        int64_t n = test_between(1, 400), lines = test_between(1, 20);
        ty_fft_norm norm = norms[i % 3];
        ty_tensor *x = sample_shape(TY_C128, TY_SHAPE(lines, n), -1, 1), *r = ty_real(x);
        ty_tensor *there = ty_fft(x, n, 1, norm);
        compare_near(ty_ifft(there, n, 1, norm), x, 0, 1e-13, "there and back, n = %lld", (long long)n);
        compare_near(ty_irfft(ty_rfft(r, n, 1, norm), n, 1, norm), r, 0, 1e-13, "the half and back, n = %lld",
                     (long long)n);
        compare_near(ty_hfft(ty_ihfft(r, n, 1, norm), n, 1, norm), r, 0, 1e-13, "ihfft and back, n = %lld",
                     (long long)n);
        compare_near(ty_slice(ty_fft(r, n, 1, norm), 1, 0, n / 2 + 1, 1), ty_rfft(r, n, 1, norm), 1e-12,
                     1e-12, "half of a transform, n = %lld", (long long)n);
        /* Parseval's theorem: the sum of squares is preserved, up to the norm */
        double factor = norm == TY_FFT_ORTHO ? 1 : norm == TY_FFT_BACKWARD ? (double)n : 1 / (double)n;
        ty_tensor *before = ty_sum(ty_square(ty_abs(x)), ty_axis(1)),
                  *after = ty_sum(ty_square(ty_abs(there)), ty_axis(1));
        compare_near(after, ty_mul(before, ty_num(factor)), 1e-12, 0, "the sum of squares, n = %lld",
                     (long long)n);
        test_round_end(round);
    }
}

static void known_transforms(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(4), (double[]){1, 2, 3, 4});
        ty_tensor *y = ty_fft(x, TY_FFT_WHOLE, 0, TY_FFT_BACKWARD);
        compare_numbers(ty_real(y), NUMBERS(10, -2, -2, -2), "fft, real");
        compare_numbers(ty_imag(y), NUMBERS(0, 2, 0, -2), "fft, imaginary");
        compare_numbers(ty_imag(ty_ifft(x, -1, 0, TY_FFT_BACKWARD)), NUMBERS(0, -0.5, 0, 0.5), "ifft");
        compare_numbers(ty_real(ty_rfft(x, -1, 0, TY_FFT_ORTHO)), NUMBERS(5, -1, -1), "rfft, ortho");
        compare_numbers(ty_imag(ty_ihfft(x, -1, 0, TY_FFT_BACKWARD)), NUMBERS(0, -0.5, 0), "ihfft");
        compare_near(ty_irfft(x, -1, 0, TY_FFT_FORWARD),
                     ty_from(TY_F64, TY_SHAPE(6), (double[]){15, -4, 0, -1, 0, -4}), 0, 1e-14, "irfft");
        compare_numbers(ty_real(ty_fft(x, 2, 0, TY_FFT_FORWARD)), NUMBERS(1.5, -0.5), "fft, cut");
        compare_numbers(ty_real(ty_fft(x, 6, 0, TY_FFT_BACKWARD)), NUMBERS(10, -3.5, 2.5, -2, 2.5, -3.5),
                        "fft, longer");
        ty_tensor *i = ty_from_parts(ty_zeros_like(x), x);
        double five[] = {0, 7.330937578935453, -3.3551980886010284, 3.3551980886010284, -7.330937578935453};
        compare_near(ty_hfft(i, 5, 0, TY_FFT_BACKWARD), ty_from(TY_F64, TY_SHAPE(5), five), 0, 1e-14, "hfft");
        double three[] = {0, -1.1547005383792515, 1.1547005383792515};
        compare_near(ty_irfft(i, 3, 0, TY_FFT_BACKWARD), ty_from(TY_F64, TY_SHAPE(3), three), 0, 1e-14,
                     "irfft, odd");
        CHECK(ty_size(CHECK_OK(ty_fft(ty_zeros(TY_F32, TY_SHAPE(0, 3)), 2, 1, TY_FFT_BACKWARD))) == 0,
              "no lines");
        compare_numbers(ty_abs(ty_fft(ty_zeros(TY_F32, TY_SHAPE(2, 0)), 2, 1, TY_FFT_BACKWARD)),
                        NUMBERS(0, 0, 0, 0), "empty lines");
    }
    static const struct {
        ty_dtype from, to;
    } rules[] = {{TY_BOOL, TY_C128}, {TY_I8, TY_C128},  {TY_U64, TY_C128},
                 {TY_F16, TY_C64},   {TY_BF16, TY_C64}, {TY_F32, TY_C64},
                 {TY_F64, TY_C128},  {TY_C64, TY_C64},  {TY_C128, TY_C128}};
    for (int i = 0; i < (int)(sizeof rules / sizeof *rules); i++) {
        ty_tensor *x = ty_ones(rules[i].from, TY_SHAPE(6));
        CHECK(ty_dtype_of(CHECK_OK(ty_fft(x, -1, 0, TY_FFT_BACKWARD))) == rules[i].to, "fft of %s",
              ty_dtype_name(rules[i].from));
        CHECK(ty_dtype_of(CHECK_OK(ty_irfft(x, -1, 0, TY_FFT_BACKWARD))) == dtype_table[rules[i].to].real,
              "irfft of %s", ty_dtype_name(rules[i].from));
    }
}

static void axes(void) {
    int64_t first[] = {0, 2}, sizes[] = {3, 8}, both[] = {-2, -1};
    ty_tensor *x = sample_shape(TY_C128, TY_SHAPE(4, 3, 6), -1, 1), *r = ty_real(x);
    ty_tensor *want = ty_fft(ty_fft(x, 3, 0, TY_FFT_BACKWARD), 8, 2, TY_FFT_BACKWARD);
    compare_near(ty_fftn(x, 2, first, sizes, TY_FFT_BACKWARD), want, 0, 1e-13, "two axes");
    compare_near(ty_ifftn(ty_fftn(x, 0, NULL, NULL, TY_FFT_ORTHO), 0, NULL, NULL, TY_FFT_ORTHO), x, 0, 1e-14,
                 "all axes");
    compare_near(ty_fft2(x, NULL, TY_FFT_BACKWARD), ty_fftn(x, 2, both, NULL, TY_FFT_BACKWARD), 0, 1e-14,
                 "fft2");
    compare_near(ty_ifft2(ty_fft2(x, NULL, TY_FFT_FORWARD), NULL, TY_FFT_FORWARD), x, 0, 1e-14, "ifft2");
    compare_near(ty_irfftn(ty_rfftn(r, 2, first, NULL, TY_FFT_BACKWARD), 2, first, NULL, TY_FFT_BACKWARD), r,
                 0, 1e-14, "rfftn");
    ty_tensor *half = ty_fft(ty_rfft(r, 6, 2, TY_FFT_BACKWARD), 3, 1, TY_FFT_BACKWARD);
    compare_near(ty_rfft2(r, NULL, TY_FFT_BACKWARD), half, 0, 1e-13, "rfft2");
    compare_near(ty_irfft2(half, (int64_t[]){3, 6}, TY_FFT_BACKWARD), r, 0, 1e-14, "irfft2");
    ty_tensor *large = sample_shape(TY_C64, TY_SHAPE(300, 400), -1, 1);
    ty_tensor *steps = ty_fft(ty_fft(large, -1, 1, TY_FFT_BACKWARD), -1, 0, TY_FFT_BACKWARD);
    compare_bits(ty_fft2(large, NULL, TY_FFT_BACKWARD), steps, "a large fft2");
    compare_bits(ty_eval(ty_fft2(ty_lazy(large), NULL, TY_FFT_BACKWARD)), steps, "a promised fft2");
}

/* ---- derivatives ---- */

static ty_tensor *some(void *context, ty_tensor *const *x) {
    int which = *(const int *)context;
    ty_tensor *r = ty_real(x[0]);
    switch (which) {
    case 0:
        return ty_square(ty_fft(x[0], 7, 0, TY_FFT_BACKWARD));
    case 1:
        return ty_square(ty_ifft(x[0], 3, 0, TY_FFT_ORTHO));
    case 2:
        return ty_square(ty_rfft(r, 6, 0, TY_FFT_BACKWARD));
    case 3:
        return ty_square(ty_rfft(r, 5, 0, TY_FFT_FORWARD));
    case 4:
        return ty_square(ty_irfft(x[0], 8, 0, TY_FFT_BACKWARD));
    case 5:
        return ty_square(ty_irfft(x[0], 5, 0, TY_FFT_BACKWARD));
    case 6:
        return ty_square(ty_hfft(x[0], 9, 0, TY_FFT_BACKWARD));
    default:
        return ty_square(ty_ihfft(r, 4, 0, TY_FFT_BACKWARD));
    }
}

/* Check derivatives against differences, to second order, and as tangents. */
static void derivatives(void) {
    for (int which = 0; which < 8; which++) {
        struct test_round round = test_round();
        ty_tensor *x = sample_shape(TY_C128, TY_SHAPE(5, 2), -1, 1);
        ty_check_report report;
        CHECK(ty_check_gradient(some, &which, 1, &x, (ty_check_options){0}, &report, NULL), "function %d",
              which);
        test_round_end(round);
    }
}

static void frequencies(void) {
    compare_numbers(ty_fftfreq(TY_F64, 5, 0.5), NUMBERS(0, 0.4, 0.8, -0.8, -0.4), "fftfreq, odd");
    compare_numbers(ty_fftfreq(TY_F64, 4, 1), NUMBERS(0, 0.25, -0.5, -0.25), "fftfreq, even");
    CHECK_POISON(ty_fftfreq(TY_F64, INT64_MIN, 1), "expected 1 or more");
    CHECK_POISON(ty_rfftfreq(TY_F64, INT64_MIN, 1), "expected 1 or more");
    compare_numbers(ty_rfftfreq(TY_F64, 6, 0.5), NUMBERS(0, 1.0 / 3, 2.0 / 3, 1), "rfftfreq");
    CHECK(ty_dtype_of(ty_rfftfreq(TY_F32, 6, 1)) == TY_F32, "f32");
    ty_tensor *x = ty_arange(TY_I64, 0, 5, 1);
    compare_numbers(ty_fftshift(x, 0, NULL), NUMBERS(3, 4, 0, 1, 2), "fftshift");
    compare_numbers(ty_ifftshift(x, 0, NULL), NUMBERS(2, 3, 4, 0, 1), "ifftshift");
    ty_tensor *square = ty_reshape(ty_arange(TY_I64, 0, 6, 1), TY_SHAPE(2, 3));
    compare_numbers(ty_fftshift(square, 1, (int64_t[]){1}), NUMBERS(2, 0, 1, 5, 3, 4), "fftshift of an axis");
    compare_numbers(ty_fftshift(square, 0, NULL), NUMBERS(5, 3, 4, 2, 0, 1), "fftshift of all");
    static const int64_t good[][2] = {{0, 1},
                                      {1, 1},
                                      {11, 12},
                                      {13, 14},
                                      {97, 98},
                                      {1025, 1029},
                                      {100000, 100000},
                                      {1000000000001, 1000188000000},
                                      {4611686018427387905, 4611840800000000000},
                                      {9223306985706024960, 9223306985706024960}, /* the greatest size */
                                      {9223306985706024961, 9223306985706024961},
                                      {INT64_MAX, INT64_MAX},
                                      {INT64_MIN, 1}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(ty_fft_good(good[i][0]) == good[i][1], "%lld after %lld", (long long)ty_fft_good(good[i][0]),
              (long long)good[i][0]);
}

static void fft_errors(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *c = ty_ones(TY_C64, TY_SHAPE(2, 3));
    CHECK_POISON(ty_fft(x, 0, 1, TY_FFT_BACKWARD),
                 "fft of f32[2,3]: a transform of 0 elements along axis 1; expected 1 or more");
    CHECK_POISON(ty_fft(x, -7, 1, TY_FFT_BACKWARD), "a transform of -7 elements");
    CHECK_POISON(ty_ifft(x, -1, 2, TY_FFT_BACKWARD),
                 "ifft of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_rfft(c, -1, 1, TY_FFT_BACKWARD),
                 "rfft of c64[2,3]: expected real numbers; use ty_fft for complex ones");
    CHECK_POISON(ty_fft(x, -1, 1, TY_FFT_NORMS),
                 "unknown norm 3; expected TY_FFT_BACKWARD, TY_FFT_ORTHO or TY_FFT_FORWARD");
    CHECK_POISON(ty_irfft(ty_ones(TY_C64, TY_SHAPE(1)), -1, 0, TY_FFT_BACKWARD),
                 "irfft of c64[1]: a transform of 0 elements");
    CHECK_POISON(ty_fft(ty_ones(TY_F32, TY_SHAPE(0)), -1, 0, TY_FFT_BACKWARD), "a transform of 0 elements");
    CHECK_POISON(ty_fftn(x, 2, (int64_t[]){0, -2}, NULL, TY_FFT_BACKWARD),
                 "fftn of f32[2,3]: axis -2 is repeated");
    CHECK_POISON(ty_rfftn(x, 1, (int64_t[]){5}, NULL, TY_FFT_BACKWARD),
                 "rfftn of f32[2,3]: axis 5 is out of bounds; expected -2..1");
    CHECK_POISON(ty_fftn(ty_num(1), 0, NULL, NULL, TY_FFT_BACKWARD), "no axis to transform along");
    CHECK_POISON(ty_fft2(ty_ones(TY_F32, TY_SHAPE(3)), NULL, TY_FFT_BACKWARD),
                 "fft2 of f32[3]: axis -2 is out of bounds; expected -1..0");
    CHECK_POISON(ty_fftshift(x, 1, (int64_t[]){2}),
                 "fftshift of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_fftfreq(TY_F64, 0, 1), "0 elements");
    CHECK_POISON(ty_fftfreq(TY_F64, 4, 0), "the spacing is 0; expected a number other than 0");
    CHECK_POISON(ty_rfftfreq(TY_I64, 4, 1), "expected a floating-point dtype, not i64");
    CHECK_POISON(ty_fft(ty_fft(x, 0, 1, TY_FFT_BACKWARD), -1, 0, TY_FFT_BACKWARD), "0 elements");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/fft/fft.def"
};
TESTS_MAIN_TABLE(cases)
