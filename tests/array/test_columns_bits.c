/*
 * Operands in column order: every structural operator, golden expression, reduction, scan, transform and factorisation
 * computes the same bits as on row-major operands, and copies no more.
 */
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "ops/core/operators.h"
#include "tests/support/compare.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

static ty_tensor *numbers(int rank, const int64_t *shape) { return sample_shape(TY_F32, rank, shape, -2, 2); }

/* ---- the same bits ---- */

static void (*watched_before)(const struct op *op, const struct kernel *kernel);
static bool
    contracts; /* a contraction has been recorded: its kernel, and with it the order of sums, follows the layouts */
static void watch(const struct op *op, const struct kernel *kernel) {
    contracts = contracts || op == &op_contract;
    if (watched_before) watched_before(op, kernel);
}
static void watch_contractions(void) {
    if (op_watch != watch) watched_before = op_watch;
    op_watch = watch;
    contracts = false;
}

/* Fail unless x and y are both poison, or have the same elements: the same bits, unless a contraction was recorded. */
static void same(ty_tensor *x, ty_tensor *y, const char *what) {
    if (test_starving()) return;
    CHECK(ty_ok(x) == ty_ok(y), "%s: %s%s", what, ty_error(x), ty_error(y));
    if (!ty_ok(x) || bytes_equal(x, y)) return;
    CHECK(contracts, "%s: other elements", what);
    double ulp = relative_ulp(ty_dtype_of(y));
    compare_near(x, y, 100 * ulp, 1000 * ulp, "%s", what);
}

static void every_golden(void) {
    enum { MOST = 64 };
    const char *names[GOLDEN_INPUTS];
    ty_tensor *rows[GOLDEN_INPUTS], *columns[GOLDEN_INPUTS], *results[MOST], *expected[MOST];
    golden_inputs(names, rows);
    for (int i = 0; i < GOLDEN_INPUTS; i++) columns[i] = ty_columns(rows[i]);
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    for (int number = 1; (line = tree_line(&text)); number++) {
        if (!tree_golden(line) || number % test_some(1, 4, 50)) continue;
        struct test_round round = test_round();
        watch_contractions();
        int n = ty_expressions(line, GOLDEN_INPUTS, names, columns, MOST, results);
        int m = ty_expressions(line, GOLDEN_INPUTS, names, rows, MOST, expected);
        CHECK(n == m || test_starving(), "%s: %d results, %d of column order", line, m, n);
        for (int i = 0; i < n && i < m; i++) same(ty_eval(results[i]), ty_eval(expected[i]), line);
        test_round_end(round);
    }
}

static void every_operator(void) {
    ty_tensor *rows = sample_shape(TY_F32, TY_SHAPE(1, 4, 4, 1), 0.1, 0.9), *columns = ty_columns(rows);
    for (int i = 0; i < operator_sample_count; i += test_some(1, 3, 20)) {
        struct test_round round = test_round();
        watch_contractions();
        same(ty_eval(operator_samples[i].run(columns)), ty_eval(operator_samples[i].run(rows)),
             operator_samples[i].name);
        test_round_end(round);
    }
}

/* Copy the line at *at to text[80], and move *at behind it. False at the end. */
static bool next_line(const char **at, char *text) {
    size_t n = strcspn(*at, "\n");
    snprintf(text, 80, "%.*s", (int)n, *at);
    *at += n + (n > 0);
    return n > 0;
}

/* Greatest number of bytes that an expression takes, its result included. */
static int64_t bytes_of(const char *text, ty_tensor *const *x) {
    static const char *const names[] = {"x", "w", "v"};
    ty_tensor *results[4];
    int64_t peak = 0;
    for (int again = 0; again < 2; again++) { /* the first time fills caches of programs */
        struct test_round round = test_round();
        int64_t before = mem_bytes();
        mem_peak_begin();
        int n = ty_expressions(text, 3, names, x, 4, results);
        for (int i = 0; i < n; i++)
            CHECK(ty_ok(results[i]) || test_starving(), "%s: %s", text, ty_error(results[i]));
        peak = mem_peak() - before;
        test_round_end(round);
    }
    return peak;
}

/* Expressions of x and w [256,256] and v [256] that read x in any order without a copy. Products of matrices are left
   out: they pack blocks in either order. */
static const char copies_nothing[] =
    "exp(x)\nx * x + x\nwhere(x > 0, x, 0)\ncast(x, f64)\nsum(x)\nsum(x, 0)\nsum(x, 1)\nmean(x, 0)\n"
    "var(x, 1)\namax(x, 0)\nargmax(x, 1)\ncumsum(x, 0)\ncumsum(x, 1)\nsort(x, 0)\nsort(x, 1)\nx @ v\n"
    "v @ x\ntranspose(x)\nsolve(x, w)\ninv(x)\ndet(x)\nqr(x)\ncholesky(x)\neigvalsh(x)\n"
    "fft(x, axis=0)\nconcat([x, x], 0)\nx[::2]\ntril(x)\nsoftmax(x, 0)\n";

static void no_hidden_copies(void) {
    enum { N = 256 };
    int64_t size = N * N * (int64_t)sizeof(float);
    ty_tensor *w = sample_shape(TY_F32, TY_SHAPE(N, N), 0, 1), *v = sample_shape(TY_F32, TY_SHAPE(N), 0, 1),
              *x = ty_add(ty_matmul(w, ty_transpose(w)), ty_mul(ty_eye(TY_F32, N), ty_num(N))),
              *rows[] = {x, w, v}, *columns[] = {ty_columns(x), w, v};
    const char *at = copies_nothing;
    char text[80];
    for (int i = 0; next_line(&at, text); i++) {
        if (i % test_some(1, 2, 20)) continue;
        int64_t plain = bytes_of(text, rows), turned = bytes_of(text, columns);
        CHECK(turned <= plain + size / 2 || test_starving(), "%s: %lld bytes, %lld in column order", text,
              (long long)plain, (long long)turned);
    }
}

/* Expressions of x [296,131] and t [9,70,21], a line each. */
static const char large[] =
    "sum(x)\nsum(x, 0)\nsum(x, 1)\nmean(x)\nmean(x, 0)\nmean(x, 1)\nvar(x)\nvar(x, 0)\nstd(x, 1)\n"
    "prod(x / 2, 0)\nprod(x, 1)\namax(x, 0)\namin(x, 1)\nargmax(x)\nargmax(x, 0)\nargmin(x, 1)\n"
    "logsumexp(x, 0)\nlogsumexp(x, 1)\nsoftmax(x, 0)\nsoftmax(x, 1)\ncumsum(x, 0)\ncumsum(x, 1)\n"
    "cumprod(x, 0)\nsort(x, 0)\nsort(x, 1)\nargsort(x, 0)\nargsort(x, 1)\nmedian(x, 0)\n"
    "quantile(x, 0.3, 1)\nnorm(x)\nnorm(x, 0)\nx @ transpose(x)\ntranspose(x) @ x\n"
    "einsum('ij,ik->jk', x, x)\ndot(x, sum(x, 0))\nfft(x, axis=0)\nfft(x, axis=1)\nrfft(x, axis=0)\n"
    "fft2(x)\nsvd(x[:40, :40])\ninv(x[:50, :50])\ndet(x[:50, :50])\nsolve(x[:50, :50], x[:50, :60])\n"
    "qr(x)\ncholesky(transpose(x) @ x + eye(131, dtype=f32))\nunique(x)\nhistogram(x, 10)\ncov(x)\n"
    "corrcoef(x)\nwhere(x > 0, x, 0)\nx[::2, ::-1]\nconcat([x, x], 1)\nroll(x, 3)\n"
    "reshape(x, (131, 37, 8))\nravel(x)\ntril(x)\ntrace(x)\npad(x, 2)\ngelu(x)\nclip(x, -1, 1)\n"
    "cumsum(t, 1)\nsum(t, 1)\nsum(t, (0, 2))\nsum(t, 2)\nsort(t, 1)\nmean(t)\nfft(t, axis=1)\n"
    "amax(t, (0, 1))\nany(x > 1, 0)\nall(x > -1, 1)\ncumsum(sum(t, 0), 0)\ndiff(x, 1, 0)\n"
    "outer(x[0], x[1])\ncount_nonzero(x)\n";

static void larger_sums_and_products(void) {
    static const char *const names[] = {"x", "t"};
    ty_tensor *rows[] = {numbers(TY_SHAPE(296, 131)), numbers(TY_SHAPE(9, 70, 21))},
              *columns[] = {ty_columns(rows[0]), ty_columns(rows[1])};
    enum { MOST = 8 };
    const char *at = large;
    char text[80];
    for (int i = 0; next_line(&at, text); i++)
        for (int threads = 1; threads <= 2 && i % test_some(1, 2, 20) == 0; threads++) {
            struct test_round round = test_round();
            ty_tensor *results[MOST], *expected[MOST];
            ty_set_threads(threads);
            watch_contractions();
            int n = ty_expressions(text, 2, names, columns, MOST, results),
                m = ty_expressions(text, 2, names, rows, MOST, expected);
            CHECK(n == m || test_starving(), "%s: %d results, %d of column order", text, m, n);
            for (int k = 0; k < n && k < m; k++) {
                CHECK(ty_ok(expected[k]) || test_starving(), "%s: %s", text, ty_error(expected[k]));
                same(ty_eval(results[k]), ty_eval(expected[k]), text);
            }
            test_round_end(round);
        }
}

/* Sums of all elements, of shapes around the sizes of strips (reduce_strip.c), of every size of an element. */
static void sums_by_strips(void) {
    static const ty_dtype dtypes[] = {TY_U8, TY_I16, TY_F32, TY_BF16, TY_F64, TY_C64, TY_C128, TY_BOOL};
    static const int64_t heights[] = {1, 7, 8, 9, 15, 16, 17, 64, 65, 130}, widths[] = {2, 33, 600};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d += (size_t)test_some(1, 2, 4))
        for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
            for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
                struct test_round round = test_round();
                int64_t shape[] = {heights[i], widths[k], 3};
                ty_tensor *x = sample_shape(dtypes[d], 2 + (int)(i + k) % 2, shape, -2, 2),
                          *c = ty_columns(x);
                ty_set_threads(1 + (int)k % 2);
                test_draw_tiles();
                contracts = false;
                same(ty_sum(c, TY_ALL), ty_sum(x, TY_ALL), "sum");
                same(ty_any(c, TY_ALL), ty_any(x, TY_ALL), "any");
                if (!ty_ok(x) || ty_dtype_size(dtypes[d]) > 8 || dtypes[d] == TY_C64) {
                    test_round_end(round);
                    continue;
                }
                same(ty_argmax(c, TY_ALL), ty_argmax(x, TY_ALL), "argmax");
                same(ty_amin(c, TY_ALL), ty_amin(x, TY_ALL), "amin");
                test_round_end(round);
            }
}

TESTS_MAIN(TEST(sums_by_strips), TEST(every_golden), TEST(every_operator), TEST(no_hidden_copies),
           TEST(larger_sums_and_products))
