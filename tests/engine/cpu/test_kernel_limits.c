/*
 * Kernels below, at and above the sizes at which they change their way (tests/thresholds.def): the reference engine
 * goes element by element and knows none of them.
 */
#include <stdio.h>
#include <tyto/linalg.h>
#include <tyto/expression.h>

#include "base/machine/isa.h"
#include "engine/cpu/cpu.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *numbers(ty_dtype dtype, int rank, const int64_t *shape, int64_t low, int64_t high) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    double *x = test_room((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (double)test_between(low, high);
    return ty_cast(ty_from(TY_F64, rank, shape, x), dtype);
}
static ty_tensor *line(ty_dtype dtype, int64_t n, int64_t low, int64_t high) {
    return numbers(dtype, 1, &n, low, high);
}

/* An expression of x and i by the fast engine with `threads` and every instruction set, against the reference. */
static void check(const char *text, ty_tensor *x, ty_tensor *i, int threads, double digits) {
    static const char *const names[] = {"x", "i"};
    ty_tensor *values[] = {CHECK_OK(x), i};
    int n = i ? 2 : 1;
    ty_use_engine("ref");
    ty_tensor *want = CHECK_OK(ty_expression(text, n, names, values));
    ty_use_engine("cpu");
    ty_set_threads(threads);
    for (int set = 0; set <= (int)isa_best(); set++) {
        isa_force((enum isa)set);
        ty_tensor *y = CHECK_OK(ty_expression(text, n, names, values));
        compare_near(y, want, digits, digits, "%s of %lld %s, %d threads", text, (long long)ty_size(x),
                     ty_dtype_name(ty_dtype_of(x)), threads);
    }
    isa_force(isa_best());
    ty_set_threads(0);
}

/* A block for each size less one, itself, and one more. */
#define AROUND(n, ...)                                                                                       \
    for (int64_t n, turn = 0; turn < 3 * LENGTH_OF(__VA_ARGS__) && (n = SIZE_AT(turn, __VA_ARGS__), true);   \
         turn++)
#define LENGTH_OF(...) (int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define SIZE_AT(turn, ...) (((int64_t[]){__VA_ARGS__})[(turn) / 3] + (turn) % 3 - 1)

/* SORT_FEW, SORT_MERGE_MOST, SORT_WIDE_DIGITS, SORT_SHARED, LONG; keys that differ, and that hardly do. */
static void sorted_lines(void) {
    AROUND(n, 16, 64, 128, 384, 1 << 13, 1 << 16, 1 << 18) {
        if (n > 1 << 14 && test_starving()) continue;
        for (int d = 0; d < (n > 1 << 14 ? 1 : 4); d++) {
            struct test_round round = test_round();
            ty_dtype dtype = (ty_dtype[]){TY_F32, TY_F64, TY_I64, TY_I16}[d];
            ty_tensor *x = line(dtype, n, -30000, 30000), *few = line(dtype, n, 0, 9);
            check("sort(x)", x, NULL, 4, 0);
            check("argsort(x)", few, NULL, 4, 0);
            test_round_end(round);
        }
    }
}

/* SORT_CHUNKS: more threads than parts of a line may be. */
static void parts_of_a_line(void) {
    AROUND(threads, 64) {
        struct test_round round = test_round();
        cpu_force(0, 1 << 7); /* parts of few items */
        ty_tensor *x = line(TY_F32, test_starving() ? 1 << 12 : (1 << 18) + 5, -30000, 30000);
        check("sort(x)", x, NULL, (int)threads, 0);
        check("argsort(x)", x, NULL, (int)threads, 0);
        cpu_force(0, 0);
        test_round_end(round);
    }
}

/* GROUP_BYTES, GROUP_MOST: columns of 16 KiB, which go 16 at a time, and of 256 KiB, which go alone. */
static void sorted_columns(void) {
    AROUND(n, 4096, 1 << 16) {
        if (n > 5000 && test_starving()) continue;
        struct test_round round = test_round();
        ty_tensor *x = numbers(TY_F32, 2, (int64_t[]){n, n > 5000 ? 3 : 18}, -30000, 30000);
        check("sort(x, axis=0)", x, NULL, 2, 0);
        test_round_end(round);
    }
}

/* NARROWED and DIGIT: a part of a line is found by reading it. */
static void few_of_a_line(void) {
    AROUND(count, 2, 64, 1024) {
        for (int d = 0; d < 4; d++) {
            struct test_round round = test_round();
            char text[64];
            ty_dtype dtype = (ty_dtype[]){TY_F32, TY_F64, TY_U8, TY_I16}[d];
            ty_tensor *x = line(dtype, 4096, 0, 200);
            snprintf(text, sizeof text, "top_k(x, %lld)", (long long)count);
            check(text, x, NULL, 1, 0);
            snprintf(text, sizeof text, "top_k_index(x, %lld, largest=false)", (long long)count);
            check(text, x, NULL, 1, 0);
            test_round_end(round);
        }
    }
}

/* n updates of rows of m numbers at `places` places, against a loop: the reference looks at each update for each place.
 * */
static void scatter(ty_dtype dtype, int64_t n, int64_t m, int64_t places) {
    struct test_round round = test_round();
    double *x = test_room((size_t)(n * m) * sizeof *x),
           *sums = test_room((size_t)(places * m) * sizeof *sums);
    int64_t *to = test_room((size_t)n * sizeof *to);
    for (int64_t k = 0; k < n * m; k++) x[k] = (double)test_between(-50, 50);
    for (int64_t k = 0; k < n; k++) to[k] = test_between(0, places - 1);
    for (int64_t k = 0; k < n * m; k++) sums[to[k / m] * m + k % m] += x[k];
    ty_tensor *updates = ty_cast(ty_from(TY_F64, 2, (int64_t[]){n, m}, x), dtype), *got[2];
    ty_tensor *index = ty_from(TY_I64, 1, &n, to), *want = ty_from(TY_F64, 2, (int64_t[]){places, m}, sums);
    for (int threads = 1; threads <= 4; threads += 3) {
        ty_set_threads(threads);
        got[0] = CHECK_OK(ty_scatter_add(updates, index, 0, places));
        compare_near(ty_cast(got[0], TY_F64), want, 0, 0, "%lld updates of %lld numbers at %lld places",
                     (long long)n, (long long)m, (long long)places);
        if (m > 1) continue;
        got[1] = CHECK_OK(ty_scatter_add(ty_ravel(updates), index, 0, places));
        compare_near(ty_cast(got[1], TY_F64), ty_ravel(want), 0, 0, "%lld updates at %lld places",
                     (long long)n, (long long)places);
    }
    test_round_end(round);
}

/* UNIT_WORK updates; FEW_PLACES places, and as many as a quarter of the updates; rows of LONG_RUN and of UNIT_WORK. */
static void scattered(void) {
    AROUND(n, 4 * 4096, 1 << 15) {
        for (int64_t places = 4095; places <= 4097; places++) {
            scatter(TY_I32, n, 1, places);
            scatter(TY_F64, n, 1, places);
        }
    }
    AROUND(m, 64, 1 << 15) { scatter(TY_F32, 5, m, 7); }
}

/* BLOCK of suppress.c: boxes apart from each other, so that all are kept, and twice each, so that half are. */
static void kept_boxes(void) {
    AROUND(n, 64, 128) {
        for (int twice = 0; twice < 2; twice++) {
            struct test_round round = test_round();
            double *box = test_room((size_t)n * 4 * sizeof *box),
                   *score = test_room((size_t)n * sizeof *score);
            int64_t shape[] = {1, n, 4}, scores[] = {1, 1, n};
            for (int64_t k = 0; k < n; k++) {
                double at = 10 * (double)(twice ? k / 2 : k);
                box[4 * k] = box[4 * k + 1] = at;
                box[4 * k + 2] = box[4 * k + 3] = at + 5;
                score[k] = 1 + (double)(k * 37 % n);
            }
            ty_tensor *x = ty_from(TY_F64, 3, shape, box), *i = ty_from(TY_F64, 3, scores, score);
            check("nms(x, i, 1000, 0.5)", x, i, 1, 0);
            test_round_end(round);
        }
    }
}

/* POOL_TAPS, MOST_AHEAD and FEW columns. */
static void pooled(void) {
    AROUND(window, 16, 63, 65) {
        static const char *const kinds[] = {
            "max_pool1d(x, size=%lld, nchw=true)", "avg_pool1d(x, size=%lld, nchw=true)",
            "max_pool1d(x, size=%lld, stride=1, nchw=true)", "avg_pool1d(x, size=%lld, stride=1, nchw=true)"};
        for (int k = 0; k < 4; k++) {
            struct test_round round = test_round();
            char text[96];
            snprintf(text, sizeof text, kinds[k], (long long)window);
            ty_tensor *x = numbers(TY_F32, 3, (int64_t[]){1, 2, 3 * window + 70}, -50, 50);
            check(text, x, NULL, 2, 1e-6);
            test_round_end(round);
        }
    }
}

/* REDUCE_SETTLED, REDUCE_ARG_PART, REDUCE_FEW: whole numbers, whose sums are exact. */
static void folded(void) {
    static const char *const texts[] = {"sum(x, axis=-1)",  "sum(x, axis=0)",     "any(x, axis=0)",
                                        "all(x, axis=-1)",  "argmax(x, axis=-1)", "argmin(x, axis=0)",
                                        "cumsum(x, axis=0)"};
    AROUND(n, 64, 128, 512) {
        for (size_t k = 0; k < sizeof texts / sizeof *texts - (n > 1000);
             k++) { /* the last takes the square of n */
            struct test_round round = test_round();
            check(texts[k], numbers(TY_F64, 2, (int64_t[]){2, n}, 0, 50), NULL, 4, 0);
            check(texts[k], numbers(TY_F32, 2, (int64_t[]){n, 2}, 0, 1), NULL, 4, 0);
            test_round_end(round);
        }
    }
}

/* SCAN_PART, and half of it, which is a thread's share: against a loop. */
static void scanned(void) {
    AROUND(n, 1 << 15, 1 << 16) {
        struct test_round round = test_round();
        double *x = test_room((size_t)n * sizeof *x), *sums = test_room((size_t)n * sizeof *sums);
        for (int64_t k = 0; k < n; k++) {
            x[k] = (double)test_between(-50, 50);
            sums[k] = x[k] + (k ? sums[k - 1] : 0);
        }
        for (int rows = 0; rows < 3; rows++) { /* one line; a line of several; columns */
            int64_t shape[] = {rows == 2 ? n : 1, rows == 2 ? 1 : n};
            int axis = rows == 2 ? 0 : -1;
            ty_tensor *line_of = rows ? ty_from(TY_F64, 2, shape, x) : ty_from(TY_F64, 1, &n, x);
            ty_set_threads(4);
            ty_tensor *y = CHECK_OK(ty_cumsum(line_of, axis, (ty_running){0}));
            compare_near(ty_ravel(y), ty_from(TY_F64, 1, &n, sums), 0, 0, "%lld sums", (long long)n);
        }
        test_round_end(round);
    }
}

/* BAND: a solution for more columns than a product packs at once; DEPTH and PANEL of the matrix itself. */
static void solved(void) {
    static const struct {
        ty_dtype dtype;
        int64_t band;
    } types[] = {{TY_F64, 1024}, {TY_F32, 1024}, {TY_C128, 512}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int64_t more = -1; more <= 1; more++) {
            if (test_starving() && more < 1) continue;
            struct test_round round = test_round();
            int64_t n = 40, columns = types[t].band + more;
            ty_tensor *eye = ty_mul(ty_cast(ty_eye(TY_F64, n), types[t].dtype), ty_num(200));
            ty_tensor *a = ty_add(eye, numbers(types[t].dtype, 2, (int64_t[]){n, n}, -5, 5));
            ty_tensor *x = numbers(types[t].dtype, 2, (int64_t[]){n, columns}, -50, 50);
            if (types[t].dtype == TY_C128) x = ty_add(x, ty_mul(ty_flip(x, 0), ty_complex(0, 1)));
            ty_use_engine("ref");
            ty_tensor *b = CHECK_OK(ty_matmul(a, x)); /* of whole numbers: exact */
            ty_use_engine("cpu");
            ty_set_threads(2);
            double digits = types[t].dtype == TY_F32 ? 1e-5 : 1e-13;
            compare_near(CHECK_OK(ty_solve(a, b)), x, digits, 50 * digits, "%lld columns of %s",
                         (long long)columns, ty_dtype_name(types[t].dtype));
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(sorted_lines), TEST(parts_of_a_line), TEST(sorted_columns), TEST(few_of_a_line),
           TEST(scattered), TEST(kept_boxes), TEST(pooled), TEST(folded), TEST(scanned), TEST(solved))
