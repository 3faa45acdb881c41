/*
 * The order of sums in narrow products (contract/narrow.h) against a model, to the bit: products of few elements, which
 * have several sums each, and matrix by vector. Instruction sets, caches, processors, threads and generated code must
 * not change a bit. The model is the definition in docs/bits.md.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/contraction.h>
#include "array/dtype.h"
#include "base/machine/core.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/madd.h"
#include "tests/support/harness.h"

enum { BLOCK = 4096, LANE_BYTES = 64, MOST_BLOCKS = 3, LEFT = 0, RIGHT = 1, OUT = 2 };

/*
 * out[m, n] = sum over k, j of left[m, k, j] * right[k, j, n]; n or k may be 1. `gap`: elements between lines of left,
 * so that k and j are two axes; else they are one of k * j. turned: right is stored [n, k, j].
 */
struct product {
    ty_dtype dtype;
    int64_t m, n, k, j, gap;
    bool turned, fused; /* fused: products are not rounded */
    double *value[2];   /* elements of left and right in memory order */
    void *data[3];
};

static int64_t size_of(const struct product *p) { return (int64_t)ty_dtype_size(p->dtype); }
/* Return the bytes of a sum: half floats are summed in f32. */
static int64_t summed(const struct product *p) { return p->dtype == TY_F64 ? 8 : 4; }
static double left_of(const struct product *p, int64_t m, int64_t k, int64_t j) {
    return p->value[LEFT][(m * p->k + k) * (p->j + p->gap) + j];
}
static double right_of(const struct product *p, int64_t k, int64_t j, int64_t n) {
    int64_t at = k * p->j + j;
    return p->value[RIGHT][p->turned ? n * p->k * p->j + at : at * p->n + n];
}

static void store(const struct product *p, void *to, int64_t i, double x) {
    struct element e = {.i = 0};
    __real__ e.z = x;
    element_store(p->dtype, (char *)to + i * size_of(p), TY_C128, e);
}

static void set(const struct product *p, int side, int64_t i, double x) {
    store(p, p->data[side], i, x);
    p->value[side][i] = x;
}

/* Let terms cancel: the last ones are the first ones with another sign. Only rounding errors of f32 remain, so a result
   in half floats shows the order of its sum, too. */
static void cancel(const struct product *p) {
    enum { SCALE = 256 }; /* f16 then has the errors as normal numbers */
    int64_t terms = p->k * p->j;
    for (int64_t i = 0; i < terms; i++) {
        int64_t from = i < terms / 2 ? i : terms - 1 - i;
        double scale = i < terms / 2 ? SCALE : 1, sign = i < terms / 2 ? SCALE : -1;
        for (int64_t m = 0; m < p->m; m++)
            set(p, LEFT, (m * p->k + i / p->j) * (p->j + p->gap) + i % p->j,
                scale * left_of(p, m, from / p->j, from % p->j));
        for (int64_t n = 0; n < p->n; n++)
            set(p, RIGHT, p->turned ? n * terms + i : i * p->n + n,
                sign * right_of(p, from / p->j, from % p->j, n));
    }
}

static void fill(struct product *p) {
    const int64_t length[3] = {p->m * p->k * (p->j + p->gap), p->k * p->j * p->n, p->m * p->n};
    for (int side = LEFT; side <= OUT; side++) {
        p->data[side] = test_room((size_t)(length[side] * size_of(p)));
        if (side == OUT) continue;
        p->value[side] = test_room((size_t)length[side] * sizeof(double));
        for (int64_t i = 0; i < length[side]; i++) {
            store(p, p->data[side], i, test_uniform(-1, 1));
            p->value[side][i] =
                (double)__real__ element_load(p->dtype, (char *)p->data[side] + i * size_of(p)).z;
        }
    }
    if (size_of(p) == 2) cancel(p);
}

/* ---- the model ---- */

static double plus(const struct product *p, double x, double y) {
    return summed(p) == 4 ? (double)((float)x + (float)y) : x + y;
}
static double times_plus(const struct product *p, double x, double y, double sum) {
    volatile double product = summed(p) == 4 ? (double)((float)x * (float)y) : x * y;
    if (!p->fused) return plus(p, product, sum);
    return summed(p) == 4 ? (double)fmaf((float)x, (float)y, (float)sum) : fma(x, y, sum);
}

/* Return the sums of a block added up: `chains` of them in order, the first of which began with the sum so far, or, for
   dots, halves of two vectors, then the sum so far. */
static double add_up(const struct product *p, bool dots, double *sums, int64_t n, double before) {
    if (!dots) {
        for (int64_t i = 1; i < n; i++) sums[0] = plus(p, sums[0], sums[i]);
        return sums[0];
    }
    for (int64_t half = n / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < half; i++) sums[i] = plus(p, sums[i], sums[i + half]);
    return plus(p, before, sums[0]);
}

/* True if vectors run along K: matrix by vector, or vector by matrix if K is contiguous in the matrix. */
static bool is_vector(const struct product *p) { return p->n == 1 || (p->m == 1 && p->turned); }
static bool is_dots(const struct product *p) { return is_vector(p) && p->k * p->j >= 32; }

static int64_t vectors_of(const struct product *p) {
    return is_vector(p) ? 1 : (p->n * summed(p) + LANE_BYTES - 1) / LANE_BYTES;
}

/* Return the number of sums of an element of a product. */
static int64_t chains_of(const struct product *p) {
    static const int counts[] = {1, 4, 3, 2};
    int64_t rows = is_vector(p) ? p->m * p->n : p->m, vectors = rows * vectors_of(p);
    return rows > 3 || vectors > 3 || p->k * p->j < 12 ? 1 : counts[vectors];
}

/* Return the sum of one element; outer and inner: sizes of the axes of K. */
static double model(const struct product *p, int64_t m, int64_t n, int64_t outer, int64_t inner) {
    bool dots = is_dots(p), packed = size_of(p) == 2; /* half floats are widened to one run */
    int64_t sums_of_each = dots ? 2 * LANE_BYTES / summed(p) : chains_of(p), room = BLOCK / vectors_of(p);
    int64_t wide = inner < room ? inner : room, high = wide < inner ? 1 : room / wide;
    double sum = 0;
    for (int64_t k = 0; k < outer; k += high)
        for (int64_t j = 0; j < inner; j += wide) {
            double sums[64] = {dots ? 0 : sum};
            for (int64_t row = k, term = 0; row < k + high && row < outer; row++)
                for (int64_t i = j; i < j + wide && i < inner; i++, term++) {
                    int64_t at = row * inner + i, to = (dots && !packed ? i - j : term) % sums_of_each;
                    sums[to] = times_plus(p, left_of(p, m, at / p->j, at % p->j),
                                          right_of(p, at / p->j, at % p->j, n), sums[to]);
                }
            sum = add_up(p, dots, sums, sums_of_each, sum);
        }
    return sum;
}

/* ---- the engine ---- */

/* Plan contraction c for a number of threads, run it, and free both. */
static void run_once(ty_contraction *c, int threads, void *const *data) {
    char why[256];
    ty_set_threads(threads);
    ty_contraction_plan *plan = ty_contraction_optimise(c, threads) ? ty_contraction_compile(c) : NULL;
    bool done = plan && ty_contraction_run(plan, data[LEFT], data[RIGHT], data[OUT]);
    snprintf(why, sizeof why, "%s", plan ? ty_contraction_plan_error(plan) : ty_contraction_error(c));
    ty_contraction_plan_release(plan);
    ty_contraction_free(c);
    CHECK(done, "%s", why);
}

static void compute(const struct product *p, int threads) {
    int64_t left[] = {p->m, p->k, p->j}, left_by[] = {p->k * (p->j + p->gap), p->j + p->gap, 1};
    int64_t right[] = {p->k, p->j, p->n}, right_by[] = {p->j * p->n, p->n, 1};
    int64_t turned_by[] = {p->j, 1, p->k * p->j};
    ty_contraction_operand x = {p->dtype, 3, left, left_by, 0};
    ty_contraction_operand y = {p->dtype, 3, right, p->turned ? turned_by : right_by, 0};
    run_once(ty_contraction_new("mkj,kjn->mn", &x, &y, NULL), threads, p->data);
}

static void say(const void *context, char *out, size_t size) {
    const struct product *p = context;
    snprintf(out, size, "%s, %lld x %lld x %lld x %lld, gap %lld, turned %d", ty_dtype_name(p->dtype),
             (long long)p->m, (long long)p->k, (long long)p->j, (long long)p->n, (long long)p->gap,
             p->turned);
}

/* True if an instruction set has fused multiply-adds. */
static bool is_fused(int isa) { return isa > ISA_BASE || HAS_FMA; }

/* Compute p on each instruction set that is p->fused or not, some caches, processors and threads, and with and without
   generated code; every result must equal `want`. */
static void check_all(const struct product *p, const void *want) {
    static const int64_t caches[][2] = {{0, 0}, {32, 256}, {32, 512}, {48, 2048}, {64, 1024}}; /* KiB */
    enum { CACHES = sizeof caches / sizeof *caches };
    size_t bytes = (size_t)(p->m * p->n * size_of(p));
    for (int isa = 0; isa <= (int)isa_best(); isa++)
        for (int i = 0; i < 2 * CACHES && is_fused(isa) == p->fused; i++) {
            int threads = i % 3 == 2 ? 1 + (int)test_between(1, 7) : 1;
            isa_force((enum isa)isa);
            level_force(LEVEL_FIRST, caches[i / 2][0] << 10);
            level_force(LEVEL_SECOND, caches[i / 2][1] << 10);
            core_force(i % CORES);
            if (i % 2 == 0) brgemm_force_jit(i % 4 == 0);
            memset(p->data[OUT], 0x5a, bytes);
            compute(p, threads);
            for (size_t at = 0; at < bytes; at += (size_t)size_of(p))
                CHECK(!memcmp((char *)p->data[OUT] + at, (const char *)want + at, (size_t)size_of(p)),
                      "element %zu differs: %s, caches %lld and %lld KiB, %d threads",
                      at / (size_t)size_of(p), isa_name((enum isa)isa), (long long)caches[i / 2][0],
                      (long long)caches[i / 2][1], threads);
        }
    brgemm_force_jit(true);
}

/* Check a product against the model, or if it has spans, whose ends are no subject of this test, against its result on
   the best instruction set. */
static void check_one(struct product *p) {
    size_t bytes = (size_t)(p->m * p->n * size_of(p));
    int64_t terms = p->k * p->j, room = BLOCK / vectors_of(p);
    bool apart = p->gap && p->k > 1, known = terms <= MOST_BLOCKS * room && !(apart && p->j > room);
    void *want = test_room(bytes);
    isa_force(p->fused ? isa_best() : ISA_BASE);
    if (!known) compute(p, 1);
    memcpy(want, p->data[OUT], bytes);
    for (int64_t i = 0; known && i < p->m * p->n; i++)
        store(p, want, i, model(p, i / p->n, i % p->n, apart ? p->k : 1, apart ? p->j : terms));
    check_all(p, want);
}

static void check(ty_dtype dtype, int64_t m, int64_t n, int64_t k, int64_t j, int64_t gap, bool turned) {
    struct product p = {.dtype = dtype, .m = m, .n = n, .k = k, .j = j, .gap = gap, .turned = turned};
    if (!is_dots(&p) && chains_of(&p) == 1 && k * j > 100) return;
    struct test_round round = test_round();
    test_explain(say, &p);
    fill(&p);
    p.fused = is_fused((int)isa_best());
    check_one(&p);
    p.fused = !p.fused;
    if (is_fused(ISA_BASE) == p.fused) check_one(&p);
    test_round_end(round);
}

/* ---- tests ---- */

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_BF16};

/* Products that differed between AVX2 and AVX-512, and their neighbours. Those with one sum have few terms here, since
   spans of many are no subject of this test. */
static void few_elements(void) {
    static const int64_t f32[][2] = {{1, 24}, {1, 40}, {1, 56}, {2, 24}, {3, 16}, {4, 12}, {1, 64},
                                     {1, 7},  {1, 16}, {1, 17}, {1, 48}, {1, 32}, {2, 16}, {3, 8}},
                         f64[][2] = {{1, 24}, {1, 8}, {2, 8}, {3, 5}, {4, 8}, {1, 16}, {1, 25}};
    static const int64_t depths[] = {11, 12, 13, 100, 1000, 4097, 9001};
    for (int d = 0; d < (int)(sizeof depths / sizeof *depths); d += test_some(1, 3, 6))
        for (int turned = 0; turned < 2; turned++) {
            for (int i = 0; i < 14; i++) check(TY_F32, f32[i][0], f32[i][1], 1, depths[d], 0, turned);
            for (int i = 0; i < 7; i++) check(TY_F64, f64[i][0], f64[i][1], 1, depths[d], 0, turned);
        }
}

static void few_elements_of_two_axes(void) {
    for (int i = 0; i < test_some(60, 15, 2); i++)
        check(dtypes[i % 4], test_between(1, 4), test_between(2, 30), test_between(1, 40),
              test_between(2, 60), test_between(0, 1) * 3, false);
}

static void matrix_by_vector(void) {
    for (int64_t depth = 30; depth <= 300; depth += test_some(1, 7, 67))
        for (int i = 0; i < 4; i++) check(dtypes[i], test_between(2, 9), 1, 1, depth, 0, false);
    static const int64_t deep[] = {1000, 2047, 2048, 4096, 4097, 5000, 8191, 9000, 12288};
    for (int d = 0; d < 9; d += test_some(1, 2, 5))
        for (int64_t rows = 2; rows <= 9; rows += test_some(1, 3, 7))
            check(dtypes[d % 4], rows, 1, 1, deep[d], 0, false);
}

static void matrix_by_vector_of_two_axes(void) {
    for (int i = 0; i < test_some(60, 15, 2); i++)
        check(dtypes[i % 4], test_between(2, 9), 1, test_between(2, 50), test_between(16, 200),
              test_between(0, 1) * 5, false);
}

/* Terms enough for spans, or for blocks that end inside the outer axis: only settings are compared. */
static void many_terms(void) {
    if (test_starving()) return;
    for (int i = 0; i < 2; i++) {
        for (int64_t rows = 2; rows <= 9; rows += test_some(1, 3, 7))
            check(dtypes[i], rows, 1, 1, 100000, 0, false);
        check(dtypes[i], 1, 24, 1, 100000, 0, false);
        check(dtypes[i], 2, 12, 1, 50000, 0, true);
        check(dtypes[i], 3, 1, 7, 5000, 1, false);
        check(dtypes[i], 2, 9, 7, 5000, 1, false);
        check(dtypes[i], 200, 1, 3, 700, 1, false);
    }
}

/* Compute the contraction of left and right, matrices with these sizes, into out. */
static void compute_dense(const char *equation, ty_dtype dtype, const int64_t *left, const int64_t *right,
                          void *const *data) {
    ty_contraction_operand x = {dtype, 2, left, NULL, 0}, y = {dtype, 2, right, NULL, 0};
    run_once(ty_contraction_new(equation, &x, &y, NULL), 1, data);
}

/* Complex products are made by real kernels, products of a batch by loops of their own: both add re * re, -im * im and
   re * im, im * re of each term in order. The columns of a product are the batch here. */
static void complex_numbers(void) {
    for (int i = 0; i < test_some(40, 10, 2); i++) {
        struct test_round round = test_round();
        int64_t depth = test_between(1, 60), n = test_between(1, 70), rows = test_between(5, 40);
        struct product p = {
            .dtype = i % 2 ? TY_F64 : TY_F32, .m = rows * depth, .n = depth * n, .k = 1, .j = 2};
        fill(&p); /* left [rows, depth], right [depth, n], with two reals for each element */
        ty_dtype pair = i % 2 ? TY_C128 : TY_C64;
        int64_t left[] = {rows, depth}, right[] = {depth, n};
        void *out[2] = {test_room((size_t)(2 * rows * n * size_of(&p))),
                        test_room((size_t)(2 * n * size_of(&p)))};
        void *spread = test_room((size_t)(2 * depth * n * size_of(&p)));
        for (int64_t at = 0; at < 2 * depth * n; at++) /* row 0 of left in every column */
            store(&p, spread, at, p.value[LEFT][at / 2 / n * 2 + at % 2]);
        for (int isa = 0; isa <= (int)isa_best(); isa++) {
            isa_force((enum isa)isa);
            p.fused = is_fused(isa);
            compute_dense("mk,kn->mn", pair, left, right, (void *[]){p.data[LEFT], p.data[RIGHT], out[0]});
            compute_dense("kn,kn->n", pair, right, right, (void *[]){spread, p.data[RIGHT], out[1]});
            for (int64_t j = 0; j < n; j++) {
                double re = 0, im = 0;
                char want[16];
                for (int64_t k = 0; k < depth; k++) {
                    const double *x = p.value[LEFT] + 2 * k, *y = p.value[RIGHT] + 2 * (k * n + j);
                    re = times_plus(&p, -x[1], y[1], times_plus(&p, x[0], y[0], re));
                    im = times_plus(&p, x[1], y[0], times_plus(&p, x[0], y[1], im));
                }
                store(&p, want, 0, re);
                store(&p, want, 1, im);
                size_t bytes = (size_t)(2 * size_of(&p));
                CHECK(!memcmp((char *)out[0] + (size_t)j * bytes, want, bytes),
                      "product, column %lld of %lld, %s", (long long)j, (long long)n,
                      isa_name((enum isa)isa));
                CHECK(!memcmp((char *)out[1] + (size_t)j * bytes, want, bytes),
                      "batch, column %lld of %lld, %s", (long long)j, (long long)n, isa_name((enum isa)isa));
            }
        }
        test_round_end(round);
    }
}

/* Convolutions with one filter are dots whose rows lack terms near the border: in place for f32, in a copy for f16. */
static void one_filter(void) {
    static const int64_t cases[][5] = {
        /* lines, pixels, channels, size of the filter, filters */
        {20, 20, 64, 3, 1}, {14, 9, 16, 3, 1},  {33, 31, 8, 5, 1},
        {7, 7, 130, 7, 1},  {1, 1, 200, 3, 16}, {2, 2, 64, 3, 3},
    };
    for (int i = 0; i < test_some(18, 18, 1); i++) {
        struct test_round round = test_round();
        const int64_t *c = cases[i / 3];
        ty_dtype dtype = dtypes[i % 3];
        int64_t images[] = {2, c[0], c[1], c[2]}, filters[] = {c[3], c[3], c[2], c[4]};
        ty_tensor *key = ty_key(7), *x = ty_cast(ty_normal(TY_F32, 4, images, key), dtype),
                  *w = ty_cast(ty_normal(TY_F32, 4, filters, ty_fold(key, 1)), dtype);
        ty_eval(x), ty_eval(w);
        size_t bytes = (size_t)(2 * c[0] * c[1] * c[4]) * ty_dtype_size(dtype);
        void *want = test_room(bytes);
        for (int setting = 0; setting < 6; setting++) {
            isa_force(setting % 2 ? isa_best() : ISA_BASE + (isa_best() > ISA_BASE));
            ty_set_threads(1 + setting / 2 * 2);
            ty_tensor *y = ty_eval(ty_conv2d(x, w, (ty_conv){.same = true}));
            CHECK_OK(y);
            if (setting == 0) memcpy(want, ty_data(y), bytes);
            CHECK(!memcmp(want, ty_data(y), bytes), "case %d of %s differs on %s with %d threads", i / 3,
                  ty_dtype_name(dtype), ty_isa(), ty_threads());
        }
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(complex_numbers), TEST(one_filter), TEST(few_elements), TEST(few_elements_of_two_axes),
           TEST(matrix_by_vector), TEST(matrix_by_vector_of_two_axes), TEST(many_terms))
