/*
 * All instruction sets with FMA instructions, numbers of threads and memory layouts give the same bits: elementwise
 * rows and casts of random bit patterns, reductions, scans, pools and rows of fused code. Any NaN counts as NaN.
 */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>

#include "base/machine/isa.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

/* First set with FMA instructions; sets below it agree with each other (docs/bits.md). */
static enum isa first_set(void) { return isa_best() > ISA_AVX2 ? ISA_AVX2 : isa_best(); }

/* ---- comparison ---- */

struct work {
    ty_tensor *(*run)(const struct work *w);
    ty_tensor *x[3];
    int row, axis;
    ty_dtype to;
    ty_running way;
    ty_axes axes;
};

static void same_parts(ty_tensor *got, ty_tensor *want, const char *what, const char *how) {
    if (!dtype_is(ty_dtype_of(want), CLASS_COMPLEX)) {
        compare_bits(got, want, "%s, %s", what, how);
        return;
    }
    compare_bits(ty_real(got), ty_real(want), "%s, %s, real part", what, how);
    compare_bits(ty_imag(got), ty_imag(want), "%s, %s, imaginary part", what, how);
}

/* Check that `w` has the same bits by all sets on 1 and `threads` threads; returns them. */
static ty_tensor *same_by_sets(const struct work *w, int threads, const char *what) {
    ty_tensor *want = NULL;
    for (int isa = (int)first_set(); isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        for (int n = 1; n <= threads; n += threads > 1 ? threads - 1 : 1) {
            ty_set_threads(n);
            ty_tensor *got = CHECK_OK(ty_eval(w->run(w)));
            if (want)
                same_parts(got, want, what, isa_name((enum isa)isa));
            else
                want = got;
        }
    }
    ty_set_threads(0);
    isa_force(isa_best());
    return want;
}

/* ---- rows and casts ---- */

enum { ODD = 13 }; /* elements beyond the last whole vector */

static ty_tensor *operand(ty_dtype dtype, int64_t n, double low, double high) {
    char *room = test_room((size_t)n * ty_dtype_size(dtype));
    sample_fill_all(dtype, room, n, low, high);
    return ty_from(dtype, 1, &n, room);
}

static ty_tensor *run_row(const struct work *w) {
    return elementwise((enum row_id)w->row, row_ops[w->row].arity, (ty_tensor *const *)w->x);
}

static void rows(void) {
    int64_t n = test_some(800, 200, 16) + ODD;
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
            if (!row_takes((enum row_id)row, (ty_dtype)dtype)) continue;
            struct test_round round = test_round();
            struct work w = {.run = run_row, .row = row};
            char what[128];
            snprintf(what, sizeof what, "%s %s", row_ops[row].name, ty_dtype_name((ty_dtype)dtype));
            for (int i = 0; i < row_ops[row].arity; i++)
                w.x[i] = operand(row_operand_dtype((enum row_id)row, (ty_dtype)dtype, i), n,
                                 row_table[row].low, row_table[row].high);
            same_by_sets(&w, 1, what);
            test_round_end(round);
        }
}

static ty_tensor *run_cast(const struct work *w) { return ty_cast(w->x[0], w->to); }

static void casts(void) {
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 0; to < TY_DTYPES; to++) {
            struct test_round round = test_round();
            struct work w = {.run = run_cast, .to = (ty_dtype)to};
            char what[64];
            snprintf(what, sizeof what, "%s to %s", ty_dtype_name((ty_dtype)from),
                     ty_dtype_name((ty_dtype)to));
            w.x[0] = operand((ty_dtype)from, test_some(1000, 300, 30) + ODD, -200, 200);
            same_by_sets(&w, 1, what);
            test_round_end(round);
        }
}

/* ---- reductions and scans ---- */

static const ty_dtype floats[] = {TY_F16, TY_BF16, TY_F32, TY_F64, TY_C64, TY_C128};
enum { FLOATS = sizeof floats / sizeof *floats };

#define REDUCTION(name, value)                                                                               \
    static ty_tensor *run_##name(const struct work *w) {                                                     \
        ty_tensor *x = w->x[0];                                                                              \
        ty_axes axes = w->axes;                                                                              \
        return value;                                                                                        \
    }
#define REDUCTIONS(ROW)                                                                                      \
    ROW(sum, ty_sum(x, axes))                                                                                \
    ROW(prod, ty_prod(x, axes))                                                                              \
    ROW(mean, ty_mean(x, axes))                                                                              \
    ROW(variance, ty_variance(x, axes))                                                                      \
    ROW(norm, ty_norm(x, 2, axes))                                                                           \
    ROW(norm_3, ty_norm(x, 3, axes))                                                                         \
    ROW(squares, ty_sum(ty_square(x), axes))                                                                 \
    ROW(squares_lazily, ty_sum(ty_mul(ty_lazy(x), x), axes))                                                 \
    ROW(fused_sum, ty_sum(ty_mul(ty_exp(ty_lazy(x)), ty_num(0.5)), axes))                                    \
    ROW(nansum, ty_nansum(x, axes))
#define ORDERED_REDUCTIONS(ROW)                                                                              \
    ROW(amax, ty_amax(x, axes))                                                                              \
    ROW(amin, ty_amin(x, axes))                                                                              \
    ROW(argmax, ty_argmax(x, axes))                                                                          \
    ROW(argmin, ty_argmin(x, axes))                                                                          \
    ROW(logsumexp, ty_logsumexp(x, axes))
REDUCTIONS(REDUCTION)
ORDERED_REDUCTIONS(REDUCTION)
#define ENTRY(name, value) {#name, run_##name},
static const struct entry {
    const char *name;
    ty_tensor *(*run)(const struct work *w);
} reductions[] = {REDUCTIONS(ENTRY) ORDERED_REDUCTIONS(ENTRY)};
enum { UNORDERED = 10, ALL_REDUCTIONS = sizeof reductions / sizeof *reductions };

/* Return the same elements otherwise in memory: with gaps between rows, or in column order. */
static ty_tensor *placed(ty_tensor *x, int which) {
    if (which == 0) return x;
    if (which == 1) return ty_slice(ty_concat(2, (ty_tensor *[]){x, x}, 2), 2, 0, ty_shape(x)[2], 1);
    return ty_transpose(ty_contiguous(ty_transpose(x)));
}

/* Return elements between 0.5 and 1.75, or with infinities and NaN among them. */
static ty_tensor *source(ty_dtype dtype, int rank, const int64_t *shape, bool special) {
    if (!special) return sample_shape(dtype, rank, shape, 0.5, 1.75);
    ty_tensor *x = sample_shape(dtype, rank, shape, -3, 3), *size = ty_abs(x);
    ty_tensor *infinite = ty_div(x, ty_num(0)), *nan = ty_mul(ty_num(0), infinite);
    x = ty_where(ty_lt(size, ty_num(1e-2)), infinite, x);
    return ty_cast(ty_where(ty_gt(size, ty_num(2.99)), nan, x), dtype);
}

static void reduce_one(ty_dtype dtype, int64_t *shape, bool special) {
    static const uint64_t sets[] = {1, 2, 4, 5, 6, 7};
    ty_tensor *x = CHECK_OK(ty_eval(source(dtype, 3, shape, special)));
    int entries = dtype_is(dtype, CLASS_COMPLEX) ? UNORDERED : ALL_REDUCTIONS;
    for (int i = 0; i < entries; i++)
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            ty_tensor *want = NULL;
            for (int place = 0; place < 3; place++) {
                char what[160];
                struct work w = {reductions[i].run, .x = {placed(x, place)}, .axes = {.mask = sets[k]}};
                snprintf(what, sizeof what, "%s of %s over axes %d, place %d%s", reductions[i].name,
                         ty_dtype_name(dtype), (int)sets[k], place, special ? ", specials" : "");
                ty_tensor *got = same_by_sets(&w, 3, what);
                if (want) same_parts(got, want, what, "against row-major memory");
                want = got;
            }
        }
}

static void reductions_agree(void) {
    static const int64_t shapes[][3] = {{7, 37, 19}, {3, 5, 700}};
    for (int d = 0; d < FLOATS; d += test_some(1, 1, 3))
        for (int k = 0; k < test_some(2, 2, 1); k++)
            for (int special = 0; special < 2; special++) {
                struct test_round round = test_round();
                reduce_one(floats[d], (int64_t[]){shapes[k][0], shapes[k][1], shapes[k][2]}, special);
                test_round_end(round);
            }
}

#define SCANS(ROW)                                                                                           \
    ROW(cumsum, ty_cumsum(x, w->axis, w->way))                                                               \
    ROW(cumprod, ty_cumprod(x, w->axis, w->way))                                                             \
    ROW(nancumsum, ty_nancumsum(x, w->axis, w->way))                                                         \
    ROW(fused_cumsum, ty_neg(ty_cumsum(ty_lazy(x), w->axis, w->way)))                                        \
    ROW(recurrence, ty_linear_recurrence(x, ty_num(0.5), w->axis, w->way.reverse))                           \
    ROW(cummax, ty_cummax(x, w->axis, w->way))                                                               \
    ROW(cummin, ty_cummin(x, w->axis, w->way))                                                               \
    ROW(cumargmax, ty_cumargmax(x, w->axis, (ty_running){.reverse = w->way.reverse}))                        \
    ROW(logcumsumexp, ty_logcumsumexp(x, w->axis))
#define SCAN(name, value)                                                                                    \
    static ty_tensor *run_##name(const struct work *w) {                                                     \
        ty_tensor *x = w->x[0];                                                                              \
        return value;                                                                                        \
    }
SCANS(SCAN)
static const struct entry scans[] = {SCANS(ENTRY)};
enum { UNORDERED_SCANS = 5, ALL_SCANS = sizeof scans / sizeof *scans };

/* Check a scan along both axes of x, in three places of memory. */
static void scan_one(const struct entry *e, ty_tensor *x, ty_running way, const char *elements) {
    for (int axis = 0; axis < 2; axis++) {
        ty_tensor *want = NULL;
        for (int place = 0; place < 3; place++) {
            char what[160];
            ty_tensor *cube = ty_reshape(x, 3, (int64_t[]){1, ty_shape(x)[0], ty_shape(x)[1]});
            struct work w = {.run = e->run, .axis = axis, .way = way};
            w.x[0] = ty_reshape(placed(cube, place), 2, ty_shape(x));
            snprintf(what, sizeof what, "%s of %s %s, axis %d, place %d, way %d%d", e->name,
                     ty_dtype_name(ty_dtype_of(x)), elements, axis, place, way.reverse, way.exclusive);
            ty_tensor *got = same_by_sets(&w, 3, what);
            if (want) same_parts(got, want, what, "against row-major memory");
            want = got;
        }
    }
}

static void scans_agree(void) {
    static const int64_t shapes[][2] = {{1, 333}, {43, 67}, {3, 1500}};
    for (int d = 0; d < FLOATS; d += test_some(1, 1, 3))
        for (int k = 0; k < test_some(3, 2, 1); k++)
            for (int way = 0; way < 4; way++)
                for (int i = 0; i < ALL_SCANS; i++) {
                    bool special = (way + k) % 3 == 2, ordered = i >= UNORDERED_SCANS;
                    if (ordered && dtype_is(floats[d], CLASS_COMPLEX)) continue;
                    struct test_round round = test_round();
                    ty_tensor *x = CHECK_OK(ty_eval(source(floats[d], 2, shapes[k], special)));
                    scan_one(&scans[i], x, (ty_running){way & 1, way & 2}, special ? "with specials" : "");
                    test_round_end(round);
                }
}

/* Scans that are divided into parts. */
static void long_scans_agree(void) {
    static const int64_t shapes[][2] = {{1, 200003}, {2, 70001}, {17, 40000}};
    for (int k = 0; k < test_some(3, 2, 0); k++)
        for (int i = 0; i < 2; i++)
            for (int d = 0; d < FLOATS; d += 3) {
                struct test_round round = test_round();
                ty_tensor *x = sample_shape(floats[d + i], 2, shapes[k], i ? 0.999 : -1, i ? 1.001 : 1);
                scan_one(&scans[i], x, (ty_running){k & 1, k & 2}, "long");
                test_round_end(round);
            }
}

/* ---- pools, counts, fused rows ---- */

#define OTHERS(ROW)                                                                                          \
    ROW(softmax, ty_softmax(x, 1))                                                                           \
    ROW(log_softmax, ty_log_softmax(x, 2))                                                                   \
    ROW(centred, ty_div(ty_sub(x, ty_mean(x, (ty_axes){.mask = 4, .keep = true})), ty_num(3)))               \
    ROW(chain, ty_mul(ty_add(ty_mul(x, x), ty_sqrt(ty_abs(x))), ty_div(ty_neg(x), ty_num(3))))               \
    ROW(average, ty_avg_pool2d(ty_reshape(x, 4, shape), pool))                                               \
    ROW(greatest, ty_max_pool2d(ty_reshape(x, 4, shape), pool))                                              \
    ROW(power, ty_lp_pool2d(ty_reshape(x, 4, shape), pool))                                                  \
    ROW(histogram, ty_histogram(x, 10, -1, 1, ty_square(x), true))                                           \
    ROW(products, ty_cumsum(ty_sum(ty_mul(x, ty_exp(x)), (ty_axes){.mask = 4}), 1, (ty_running){0}))
#define OTHER(name, value)                                                                                   \
    static ty_tensor *run_##name(const struct work *w) {                                                     \
        const int64_t shape[] = {1, 6, 40, 37};                                                              \
        const ty_pool pool = {.size = {3, 2}, .nchw = true, .stride = {2, 1}, .power = 2};                   \
        ty_tensor *x = w->way.reverse ? ty_lazy(w->x[0]) : w->x[0];                                          \
        (void)shape, (void)pool;                                                                             \
        return value;                                                                                        \
    }
OTHERS(OTHER)
static const struct entry others[] = {OTHERS(ENTRY)};

static void others_agree(void) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int d = 0; d < 4; d += test_some(1, 1, 2)) {
            struct test_round round = test_round();
            struct work w = {.run = others[i].run};
            w.x[0] = sample_shape(floats[d], 3, (int64_t[]){6, 40, 37}, -1, 1);
            ty_tensor *want = NULL;
            for (int lazy = 0; lazy < 3; lazy++) {
                jit_allow(lazy < 2);
                ty_trim();
                w.way.reverse = lazy > 0;
                ty_tensor *got = same_by_sets(&w, 3, others[i].name);
                if (want) same_parts(got, want, others[i].name, lazy == 2 ? "loops" : "fused");
                want = got;
            }
            jit_allow(true);
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(rows), TEST(casts), TEST(reductions_agree), TEST(scans_agree), TEST(long_scans_agree),
           TEST(others_agree))
