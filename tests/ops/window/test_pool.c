/*
 * Pooling against a naive loop over every element of every window: random axes, sizes, strides, dilations, paddings,
 * ceil mode, layouts, dtypes and special values. Linear kinds are tested as adjoints. TY_TEST_QUICK=1 makes a twentieth
 * of the cases.
 */
#include <math.h>
#include <stdlib.h>
#include "array/layout.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum kind { MAX, INDEX, AVERAGE, LP, ADAPTIVE_MAX, ADAPTIVE_INDEX, ADAPTIVE_AVERAGE, KINDS };
typedef ty_tensor *(*pool)(ty_tensor *x, ty_pool options);
#define EACH(name)                                                                                           \
    { ty_##name##1d, ty_##name##2d, ty_##name##3d }
static const pool pools[KINDS][3] = {
    [MAX] = EACH(max_pool),
    [INDEX] = {ty_max_pool1d_index, ty_max_pool2d_index, ty_max_pool3d_index},
    [AVERAGE] = EACH(avg_pool),
    [LP] = EACH(lp_pool),
    [ADAPTIVE_MAX] = EACH(adaptive_max_pool),
    [ADAPTIVE_INDEX] = {ty_adaptive_max_pool1d_index, ty_adaptive_max_pool2d_index,
                        ty_adaptive_max_pool3d_index},
    [ADAPTIVE_AVERAGE] = EACH(adaptive_avg_pool),
};
static const char *const names[KINDS] = {"max",          "index",          "average",         "lp",
                                         "adaptive max", "adaptive index", "adaptive average"};

struct pooling {
    enum kind kind;
    int axes, axis;
    ty_pool options;
    ty_tensor *x;
    int64_t low[3], high[3]; /* resulting padding */
    int64_t out[5];          /* the result's shape */
};

static ty_tensor *pool_it(const void *context) {
    const struct pooling *p = context;
    return pools[p->kind][p->axes - 1](p->x, p->options);
}

/* ---- the naive loop ---- */

static bool is_adaptive(const struct pooling *p) { return p->kind >= ADAPTIVE_MAX; }
static int64_t or_one(int64_t n) { return n ? n : 1; }

/* Compute window i on axis k: its first index, the number of elements and their distance. */
static void window_at(const struct pooling *p, int k, int64_t i, int64_t *first, int64_t *count,
                      int64_t *apart) {
    const ty_pool *o = &p->options;
    int64_t n = ty_shape(p->x)[p->axis + k], windows = p->out[p->axis + k];
    *apart = is_adaptive(p) ? 1 : or_one(o->dilation[k]);
    *first = is_adaptive(p) ? (int64_t)floor((double)i * (double)n / (double)windows)
                            : i * (o->stride[k] ? o->stride[k] : o->size[k]) - p->low[k];
    *count =
        is_adaptive(p) ? (int64_t)ceil((double)(i + 1) * (double)n / (double)windows) - *first : o->size[k];
}

/* Return the number of windows on axis k, by counting valid starts. */
static int64_t count_windows(const struct pooling *p, int k) {
    const ty_pool *o = &p->options;
    int64_t n = ty_shape(p->x)[p->axis + k], stride = o->stride[k] ? o->stride[k] : o->size[k], windows = 0;
    int64_t span = (o->size[k] - 1) * or_one(o->dilation[k]) + 1, end = n + p->high[k];
    if (is_adaptive(p)) return o->size[k] ? o->size[k] : n;
    for (int64_t start = -p->low[k];; start += stride, windows++) {
        bool whole = start + span <= end, begun = windows == 0 || start - stride + span < end;
        if (!whole && !(o->ceil && begun && start < n)) return windows;
    }
}

static void set_padding(struct pooling *p) {
    const ty_pool *o = &p->options;
    for (int k = 0; k < p->axes && !is_adaptive(p); k++) {
        int64_t n = ty_shape(p->x)[p->axis + k], stride = o->stride[k] ? o->stride[k] : o->size[k];
        int64_t span = (o->size[k] - 1) * or_one(o->dilation[k]) + 1;
        int64_t missing = ((n + stride - 1) / stride - 1) * stride + span - n,
                half = missing > 0 ? missing / 2 : 0;
        int64_t rest = missing > 0 ? missing - half : 0;
        bool same = o->same || o->same_lower;
        p->low[k] = !same ? o->low[k] : o->same_lower ? rest : half;
        p->high[k] = !same ? o->high[k] : o->same_lower ? half : rest;
    }
}

/* Accumulated values of one window. */
struct gathered {
    double best, sum, powers;
    int64_t place, inside, padded;
};

static void gather(struct gathered *g, double value, int64_t place, double power) {
    bool better = g->inside == 0 || value > g->best || (isnan(value) && !isnan(g->best));
    if (better) g->best = value, g->place = place;
    g->sum += value;
    g->powers = isinf(power) ? fmax(g->powers, fabs(value)) : g->powers + pow(fabs(value), power);
    g->inside++;
}

/* Accumulate every element of the window at `index` of the result. */
static struct gathered window_of(const struct pooling *p, const double *x, const int64_t *index) {
    struct gathered g = {.place = -1};
    const int64_t *shape = ty_shape(p->x);
    int64_t first[3], count[3], apart[3], taps = 1;
    for (int k = 0; k < p->axes; k++) {
        window_at(p, k, index[p->axis + k], &first[k], &count[k], &apart[k]);
        taps *= count[k];
    }
    for (int64_t t = 0; t < taps; t++) {
        int64_t rest = t, at[5], place = 0, from = 0;
        bool inside = true, padded = true;
        for (int i = 0; i < p->axes + 2; i++) at[i] = index[i];
        for (int k = p->axes - 1; k >= 0; rest /= count[k--]) {
            int64_t here = at[p->axis + k] = first[k] + rest % count[k] * apart[k], n = shape[p->axis + k];
            inside = inside && here >= 0 && here < n;
            padded = padded && here >= -p->low[k] && here < n + p->high[k];
        }
        g.padded += padded;
        if (!inside) continue;
        for (int i = 0; i < p->axes + 2; i++) from = from * shape[i] + at[i];
        for (int k = 0; k < p->axes; k++) place = place * shape[p->axis + k] + at[p->axis + k];
        gather(&g, x[from], place, p->options.power != 0 ? p->options.power : 2);
    }
    return g;
}

static double least_of(ty_dtype dtype) {
    if (dtype_is(dtype, CLASS_FLOAT)) return -INFINITY;
    return dtype_is(dtype, CLASS_SIGNED) ? -ldexp(1, 8 * (int)ty_dtype_size(dtype) - 1) : 0;
}

static double value_of(const struct pooling *p, struct gathered g) {
    double power = p->options.power != 0 ? p->options.power : 2;
    double count = (double)(p->options.count_padding ? g.padded : g.inside);
    if (p->options.divisor != 0) count = p->options.divisor;
    if (p->kind == LP) return isinf(power) || power == 1 ? g.powers : pow(g.powers, 1 / power);
    if (p->kind == AVERAGE || p->kind == ADAPTIVE_AVERAGE) return g.sum / (count != 0 ? count : 1);
    if (p->kind == INDEX || p->kind == ADAPTIVE_INDEX) return (double)g.place;
    return g.inside ? g.best : least_of(ty_dtype_of(p->x));
}

static ty_tensor *naive(const struct pooling *p, ty_dtype dtype) {
    int rank = p->axes + 2;
    int64_t n = shape_size(rank, p->out), index[5];
    double *x = test_room((size_t)ty_size(p->x) * sizeof *x + 8), *y = test_room((size_t)n * sizeof *y + 8);
    CHECK(ty_read(p->x, TY_F64, x), "x is not readable");
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;
        for (int k = rank - 1; k >= 0; rest /= p->out[k--]) index[k] = rest % p->out[k];
        y[i] = value_of(p, window_of(p, x, index));
    }
    return CHECK_OK(ty_cast(ty_from(TY_F64, rank, p->out, y), dtype));
}

/* ---- random cases ---- */

/* Return x with the same shape in another layout. */
static ty_tensor *disguise(ty_tensor *x) {
    int axis = (int)test_between(0, ty_rank(x) - 1), order[5];
    int rank = ty_rank(x);
    switch (test_between(0, 5)) {
    case 0:
        for (int i = 0; i < rank; i++) order[i] = (i + axis) % rank;
        x = ty_contiguous(ty_permute(x, order));
        for (int i = 0; i < rank; i++) order[(i + axis) % rank] = i;
        return ty_permute(x, order);
    case 1:
        return ty_flip(ty_contiguous(ty_flip(x, axis)), axis);
    case 2:
        return ty_slice(ty_concat(2, (ty_tensor *[]){x, x}, axis), axis, 0, TY_END, 2);
    case 3:
        return ty_broadcast(ty_slice(x, axis, 0, 1, 1), rank, ty_shape(x));
    default:
        return x;
    }
}

/* Return small integers, so that sums are exact and ties occur (floats include NaN if `strange`). */
static ty_tensor *random_values(ty_dtype dtype, int rank, const int64_t *shape, bool strange) {
    int64_t n = shape_size(rank, shape);
    double *values = test_room((size_t)n * sizeof *values + 8);
    static const double strangers[] = {NAN, -INFINITY, INFINITY, -0.0};
    bool negative = test_between(0, 1);
    for (int64_t i = 0; i < n; i++) {
        values[i] = (double)test_between(negative ? -60 : -9, negative ? -50 : 9);
        if (dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL)) values[i] = fabs(values[i]);
        if (strange && test_between(0, 9) == 0) values[i] = strangers[test_between(0, 3)];
    }
    return CHECK_OK(ty_cast(ty_from(TY_F64, rank, shape, values), dtype));
}

static void random_options(struct pooling *p) {
    ty_pool *o = &p->options;
    for (int k = 0; k < p->axes; k++) {
        o->size[k] = test_between(is_adaptive(p) ? 0 : 1, test_between(0, 5) ? 4 : 9);
        if (is_adaptive(p)) continue;
        o->stride[k] = test_between(0, 3);
        o->dilation[k] = test_between(0, 3) ? 0 : test_between(1, 3);
        int64_t span = (o->size[k] - 1) * or_one(o->dilation[k]) + 1;
        o->low[k] = test_between(0, 1) ? test_between(0, span - 1) : 0;
        o->high[k] = test_between(0, 1) ? test_between(0, span - 1) : 0;
    }
    if (is_adaptive(p)) return;
    int64_t how = test_between(0, 9);
    o->same = how == 0;
    o->same_lower = how == 1;
    o->ceil = test_between(0, 2) == 0;
    o->count_padding = test_between(0, 1);
    o->divisor = p->kind == AVERAGE && test_between(0, 5) == 0 ? 2.5 : 0;
    static const double powers[] = {0, 1, 2, 3, INFINITY};
    if (p->kind == LP) o->power = powers[test_between(0, 4)];
}

static struct pooling random_pooling(enum kind kind, ty_dtype dtype, bool strange) {
    struct pooling p = {.kind = kind, .axes = (int)test_between(1, 3)};
    p.options.nchw = test_between(0, 1);
    p.axis = p.options.nchw ? 2 : 1;
    int64_t shape[5];
    random_options(&p);
    for (int i = 0; i < p.axes + 2; i++) shape[i] = test_between(1, 3);
    if (!p.options.nchw)
        shape[p.axes + 1] = test_between(1, test_between(0, 9) ? 20 : 1300 / (p.axes * p.axes * p.axes));
    for (int k = 0; k < p.axes; k++) {
        int64_t span = (p.options.size[k] - 1) * or_one(p.options.dilation[k]) + 1;
        int64_t least = is_adaptive(&p) ? 1 : span - p.options.low[k] - p.options.high[k];
        if (p.options.same || p.options.same_lower) least = 1;
        if (least < 1) least = 1;
        shape[p.axis + k] = test_between(least, least + (k == p.axes - 1 ? 40 : 6));
    }
    p.x = CHECK_OK(disguise(random_values(dtype, p.axes + 2, shape, strange)));
    set_padding(&p);
    for (int i = 0; i < p.axes + 2; i++) p.out[i] = ty_shape(p.x)[i];
    for (int k = 0; k < p.axes; k++) p.out[p.axis + k] = count_windows(&p, k);
    return p;
}

/* Return the tolerance; sums of small integers are exact, so only the last division or roots round. */
static double ulps_of(enum kind kind) {
    return kind == LP ? 4 : kind == AVERAGE || kind == ADAPTIVE_AVERAGE ? 1 : 0;
}

static int cases(int full) {
    const char *quick = getenv("TY_TEST_QUICK");
    return test_starving() ? 3 : quick && *quick == '1' ? full / 20 : full;
}

static void random_pools(void) {
    for (int i = 0; i < cases(3000); i++) {
        struct test_round round = test_round();
        enum kind kind = (enum kind)(i % KINDS);
        bool averages = ulps_of(kind) > 0;
        ty_dtype dtype = (ty_dtype)test_between(0, TY_F64);
        struct pooling p = random_pooling(kind, dtype, dtype_is(dtype, CLASS_FLOAT) && !averages);
        ty_set_threads((int)test_between(1, 3));
        ty_tensor *y = CHECK_OK(pool_it(&p));
        compare_ulps(y, naive(&p, ty_dtype_of(y)), ulps_of(kind), "%s of %s, %d axes, case %d", names[kind],
                     ty_dtype_name(dtype), p.axes, i);
        if (i % 11 == 0)
            compare_engines(pool_it, &p, ulps_of(kind) * relative_ulp(ty_dtype_of(y)), 0, "%s of %s, case %d",
                            names[kind], ty_dtype_name(dtype), i);
        if (i % 5 == 0) {
            ty_set_threads(1);
            compare_bits(pool_it(&p), y, "%s with one thread, case %d", names[kind], i);
        }
        test_round_end(round);
    }
}

/* Means of complex numbers equal those of their parts. */
static void complex_means(void) {
    for (int i = 0; i < cases(100); i++) {
        struct test_round round = test_round();
        enum kind kind = i % 2 ? AVERAGE : ADAPTIVE_AVERAGE;
        ty_dtype dtype = i / 2 % 2 ? TY_C64 : TY_C128;
        struct pooling p = random_pooling(kind, TY_F64, false), other = p;
        ty_tensor *real = p.x, *imaginary = other.x = CHECK_OK(ty_add(ty_flip(p.x, 0), ty_num(3)));
        ty_tensor *want = ty_from_parts(pool_it(&p), pool_it(&other));
        p.x = CHECK_OK(ty_cast(ty_from_parts(real, imaginary), dtype));
        compare_near(pool_it(&p), ty_cast(want, dtype), 4 * relative_ulp(dtype), 1e-6, "case %d", i);
        compare_engines(pool_it, &p, 4 * relative_ulp(dtype), 1e-6, "case %d", i);
        test_round_end(round);
    }
}

/* Windows and rows with more elements than one tile. */
static void large_windows(void) {
    static const struct {
        int axes;
        bool nchw;
        int64_t shape[5], size[3], stride[3];
    } large[] = {
        {1, true, {2, 1, 9000}, {5000}, {7}},         {1, true, {1, 2, 5000}, {3}, {2}},
        {2, true, {1, 1, 80, 90}, {70, 75}, {1, 1}},  {2, false, {1, 12, 11, 1500}, {3, 3}, {2, 2}},
        {2, false, {1, 9, 70, 200}, {2, 66}, {1, 1}}, {3, true, {1, 1, 20, 20, 20}, {17, 18, 16}, {1, 1, 1}},
        {2, true, {1, 1, 3, 2500}, {2, 2}, {1, 2}},   {3, false, {1, 3, 4, 600, 3}, {2, 2, 2}, {1, 1, 1}},
    };
    for (int i = 0; i < (int)(sizeof large / sizeof *large); i++)
        for (int kind = MAX; kind <= AVERAGE; kind++) {
            struct test_round round = test_round();
            struct pooling p = {
                .kind = (enum kind)kind, .axes = large[i].axes, .axis = large[i].nchw ? 2 : 1};
            p.options.nchw = large[i].nchw;
            for (int k = 0; k < p.axes; k++) {
                p.options.size[k] = large[i].size[k];
                p.options.stride[k] = large[i].stride[k];
            }
            p.x = random_values(TY_F32, p.axes + 2, large[i].shape, false);
            for (int k = 0; k < p.axes + 2; k++) p.out[k] = large[i].shape[k];
            for (int k = 0; k < p.axes; k++) p.out[p.axis + k] = count_windows(&p, k);
            ty_tensor *y = CHECK_OK(pool_it(&p));
            compare_ulps(y, naive(&p, ty_dtype_of(y)), kind == AVERAGE, "large %d, %s", i, names[kind]);
            test_round_end(round);
        }
}

/* Windows that are mostly padding, of any size, equal windows over all of x. */
static void beyond(void) {
    static const ty_pool options[] = {
        {.size = {INT64_C(1) << 40, INT64_C(1) << 60}, .same = true},
        {.size = {2, INT64_MAX / 32}, .stride = {9, 1 << 20}, .same_lower = true}};
    for (int i = 0; i < 4; i++) {
        const ty_pool *o = &options[i % 2];
        ty_tensor *x = random_values(TY_F32, 4, (int64_t[]){2, i % 2 ? 2 : 5, 5, 16}, false), *leaf, *g,
                  *want;
        compare_bits(CHECK_OK(ty_max_pool2d(x, *o)), ty_global_max_pool(x, false), "the greatest");
        compare_bits(CHECK_OK(ty_cast(ty_max_pool2d_index(x, *o), TY_F32)),
                     ty_cast(ty_adaptive_max_pool2d_index(x, (ty_pool){.size = {1, 1}}), TY_F32),
                     "its place");
        leaf = ty_track(x, "x");
        CHECK_OK(g = ty_avg_pool2d(leaf, *o));
        compare_ulps(ty_detach(g), ty_global_avg_pool(x, false), 4, "the mean");
        if (!ty_grad(g, 1, &leaf, &g) || !ty_grad(ty_global_avg_pool(leaf, false), 1, &leaf, &want)) return;
        compare_ulps(ty_detach(g), ty_detach(want), 4, "its gradient");
    }
}

/* ---- gradients ---- */

static double dot(ty_tensor *a, ty_tensor *b) { return ty_item(ty_sum(ty_mul(a, b), TY_ALL)); }

/* The gradient of a linear kind is its adjoint, whose gradient is the kind itself. */
static void adjoints(void) {
    for (int i = 0; i < cases(400); i++) {
        struct test_round round = test_round();
        struct pooling p = random_pooling(i % 2 ? AVERAGE : ADAPTIVE_AVERAGE, TY_F64, false);
        ty_tensor *value = p.x, *x = ty_track(p.x, "x"), *back, *again;
        p.x = x;
        ty_tensor *y = CHECK_OK(pool_it(&p));
        ty_tensor *g = ty_track(sample_shape(TY_F64, ty_rank(y), ty_shape(y), -1, 1), "g");
        CHECK(ty_vjp(y, g, 1, &x, &back), "case %d: no gradient", i);
        CHECK(ty_vjp(back, value, 1, &g, &again), "case %d: no second gradient", i);
        double want = dot(y, g), tolerance = 1e-9 * (1 + (double)ty_size(value));
        CHECK(test_starving() || fabs(want - dot(back, value)) <= tolerance, "case %d: %g is not %g", i,
              dot(back, value), want);
        compare_near(again, y, 1e-12, 1e-10, "case %d: twice", i);
        test_round_end(round);
    }
}

struct backward {
    struct pooling p;
    ty_tensor *g;
};

static ty_tensor *backward_it(const void *context) {
    const struct backward *b = context;
    struct pooling p = b->p;
    ty_tensor *x = p.x = ty_track(p.x, "x"), *gradient;
    ty_vjp(pool_it(&p), b->g, 1, &x, &gradient);
    return gradient;
}

static void backward_on_engines(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_BF16};
    for (int i = 0; i < cases(100); i++) {
        struct test_round round = test_round();
        static const enum kind kinds[] = {MAX, AVERAGE, ADAPTIVE_MAX, ADAPTIVE_AVERAGE};
        struct backward b = {.p = random_pooling(kinds[i % 4], dtypes[i / 4 % 4], false)};
        if (ty_size(b.p.x) <= 4000) {
            ty_tensor *y = CHECK_OK(pool_it(&b.p));
            b.g = sample_shape(ty_dtype_of(y), ty_rank(y), ty_shape(y), -1, 1);
            compare_engines(backward_it, &b, 64 * relative_ulp(dtypes[i / 4 % 4]),
                            64 * relative_ulp(dtypes[i / 4 % 4]), "backward %s, case %d", names[b.p.kind], i);
        }
        test_round_end(round);
    }
}

/* ---- unpooling, all modes, errors ---- */

/* Unpooling returns the maxima of windows without overlap to their position. */
static void unpooling(void) {
    for (int i = 0; i < cases(60); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = i % 3 == 0 ? TY_I16 : i % 3 == 1 ? TY_F16 : TY_F64;
        ty_pool o = {.size = {2, 3}, .nchw = i / 3 % 2};
        int64_t shape[4] = {2, 2, 2, 2}, axis = o.nchw ? 2 : 1;
        shape[axis] = test_between(2, 7);
        shape[axis + 1] = test_between(3, 9);
        ty_tensor *x = random_values(dtype, 4, shape, false);
        ty_tensor *y = CHECK_OK(ty_max_pool2d(x, o)), *index = CHECK_OK(ty_max_pool2d_index(x, o));
        ty_tensor *back = CHECK_OK(ty_max_unpool2d(y, index, o, &shape[axis]));
        compare_bits(ty_max_pool2d(ty_where(ty_eq(back, ty_num(0)), ty_num(-100), back), o),
                     ty_where(ty_eq(y, ty_num(0)), ty_num(-100), y), "case %d", i);
        compare_bits(ty_sum(ty_cast(back, TY_F64), TY_ALL), ty_sum(ty_cast(y, TY_F64), TY_ALL),
                     "sum, case %d", i);
        bool even = shape[axis] % 2 == 0 && shape[axis + 1] % 3 == 0;
        if (even) compare_bits(ty_max_unpool2d(y, index, o, NULL), back, "the usual size, case %d", i);
        test_round_end(round);
    }
    ty_tensor *line = ty_from(TY_F32, TY_SHAPE(1, 1, 2), (float[]){5, 7}),
              *at = ty_from(TY_I64, TY_SHAPE(1, 1, 2), (int64_t[]){3, 0});
    compare_numbers(ty_max_unpool1d(line, at, (ty_pool){.size = {2}, .nchw = true}, (int64_t[]){5}),
                    NUMBERS(7, 0, 0, 5, 0), "along one axis");
    ty_tensor *cube = ty_reshape(line, TY_SHAPE(1, 1, 1, 1, 2)),
              *places = ty_reshape(at, TY_SHAPE(1, 1, 1, 1, 2));
    compare_numbers(ty_max_unpool3d(cube, places, (ty_pool){.size = {1, 2, 2}, .nchw = true}, NULL),
                    NUMBERS(7, 0, 0, 5, 0, 0, 0, 0), "along three");
}

static void global_pools(void) {
    ty_tensor *x = sample_shape(TY_F64, 5, (int64_t[]){2, 3, 4, 5, 6}, -9, 9);
    for (int nchw = 0; nchw < 2; nchw++) {
        ty_axes axes = nchw ? ty_axes_of(3, (int[]){2, 3, 4}, true) : ty_axes_of(3, (int[]){1, 2, 3}, true);
        ty_pool whole = {.size = {nchw ? 4 : 3, nchw ? 5 : 4, nchw ? 6 : 5}, .nchw = nchw};
        compare_bits(ty_global_max_pool(x, nchw), ty_max_pool3d(x, whole), "max");
        compare_near(ty_global_avg_pool(x, nchw), ty_avg_pool3d(x, whole), 1e-13, 1e-13, "average");
        compare_near(ty_global_lp_pool(x, 3, nchw), ty_norm(x, 3, axes), 1e-13, 0, "norm");
        compare_near(ty_global_lp_pool(x, 0, nchw), ty_lp_pool3d(x, whole), 1e-13, 0, "two");
    }
}

/* A window without elements has the index -1, and no gradient flows there. */
static void windows_of_nothing(void) {
    ty_pool o = {.size = {2}, .stride = {1}, .dilation = {3}, .low = {2}, .high = {2}, .nchw = true};
    ty_tensor *x = ty_track(ty_full(TY_F32, TY_SHAPE(1, 1, 1), 4), "x"), *gradient;
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        compare_numbers(ty_max_pool1d_index(x, o), NUMBERS(-1, -1), "places");
        compare_numbers(ty_avg_pool1d(x, o), NUMBERS(0, 0), "means");
        ty_tensor *y = ty_max_pool1d(x, o);
        ty_vjp(y, ty_ones(TY_F32, 3, ty_shape(CHECK_OK(y))), 1, &x, &gradient);
        compare_numbers(gradient, NUMBERS(0), "gradient");
    }
    o.low[0] = o.high[0] = 3;
    compare_numbers(ty_max_pool1d(x, o), NUMBERS(4, -(double)INFINITY, -(double)INFINITY, 4), "values");
}

static void empty_ones(void) {
    ty_pool o = {.size = {2, 2}, .nchw = true};
    CHECK(test_starving() || ty_size(CHECK_OK(ty_max_pool2d(ty_ones(TY_F32, TY_SHAPE(0, 3, 4, 4)), o))) == 0,
          "no batch");
    CHECK(test_starving() || ty_size(CHECK_OK(ty_avg_pool2d(ty_ones(TY_F32, TY_SHAPE(2, 3, 0, 4)), o))) == 0,
          "no rows");
    o.nchw = false;
    CHECK(test_starving() || ty_size(CHECK_OK(ty_avg_pool2d(ty_ones(TY_F32, TY_SHAPE(2, 3, 4, 0)), o))) == 0,
          "no channels");
}

static void errors(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(1, 5, 6, 2)), *line = ty_ones(TY_F32, TY_SHAPE(1, 5, 2));
    CHECK_POISON(ty_max_pool1d(x, (ty_pool){.size = {2}}),
                 "must have rank 3, (N,W,C) or (N,C,W) with nchw, not 4");
    CHECK_POISON(ty_avg_pool3d(x, (ty_pool){.size = {2, 2, 2}}),
                 "avg_pool3d of f32[1,5,6,2]: x must have rank 5");
    CHECK_POISON(ty_max_pool1d(line, (ty_pool){.size = {2}, .dilation = {-1}}),
                 "dilation -1 of axis 1 must be positive");
    CHECK_POISON(ty_max_pool1d(line, (ty_pool){.size = {3}, .dilation = {4}}),
                 "a window of 9 does not fit in axis 1");
    CHECK_POISON(ty_max_pool1d(line, (ty_pool){.size = {INT64_MAX}, .dilation = {4}}),
                 "spans more than 2^61 elements");
    CHECK_POISON(ty_lp_pool2d(x, (ty_pool){.size = {2, 2}, .power = 0.5}),
                 "lp_pool2d of f32[1,5,6,2]: the power 0.5");
    CHECK_POISON(ty_lp_pool2d(x, (ty_pool){.size = {2, 2}, .power = NAN}), "must be 1 or more");
    CHECK_POISON(ty_adaptive_avg_pool2d(x, (ty_pool){.size = {2, -2}}),
                 "-2 windows cannot share the 6 elements of axis 2");
    CHECK_POISON(ty_adaptive_max_pool2d(x, (ty_pool){.size = {2, 2}, .stride = {1, 1}}),
                 "adaptive windows accept only");
    CHECK_POISON(ty_adaptive_max_pool1d(ty_ones(TY_C64, TY_SHAPE(1, 2, 2)), (ty_pool){.size = {1}}),
                 "no order");
    CHECK_POISON(ty_global_max_pool(ty_ones(TY_C64, TY_SHAPE(1, 2, 2)), true),
                 "complex numbers have no order");
    CHECK_POISON(ty_global_avg_pool(ty_ones(TY_F32, TY_SHAPE(1, 2)), true),
                 "global_avg_pool of f32[1,2]: x must have");
    CHECK_POISON(ty_global_lp_pool(x, -1, true), "the power -1");
    ty_tensor *index = ty_zeros(TY_I64, TY_SHAPE(1, 5, 2));
    CHECK_POISON(ty_max_unpool1d(line, index, (ty_pool){.size = {0}}, NULL), "axis 1 cannot have size");
    CHECK_POISON(ty_max_unpool1d(line, line, (ty_pool){.size = {2}}, NULL), "the index must be of integers");
    CHECK_POISON(ty_max_unpool2d(line, index, (ty_pool){.size = {2}}, NULL), "the same shape of rank 4");
    CHECK_POISON(ty_max_unpool1d(line, ty_add(index, ty_int(99)), (ty_pool){.size = {2}}, NULL), "index 100");
    CHECK_POISON(ty_max_pool1d(ty_max_pool1d(x, (ty_pool){.size = {2}}), (ty_pool){.size = {2}}), "rank 3");
}

static const struct test_case table[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/window/pool.def"
};
TESTS_MAIN_TABLE(table)
