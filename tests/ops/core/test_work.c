/* Work of kernels (ops/core/kernel/work.h): every kind counts its operations or says why it counts none.  Counts of
   factorisations are compared with those of the textbooks' loops, which these tests run and count. */
#include "ops/core/kernel/work.h"
#include <math.h>
#include <string.h>
#include "base/machine/levels.h"
#include "compile/program.h"
#include "ops/core/attributes.h"
#include "ops/core/op.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

static void every_kind_counts_or_says_why(void) {
    for (int kind = KERNEL_NONE; kind < KERNEL_KINDS; kind++) {
        const struct kernel_row *row = &kernel_table[kind];
        CHECK(!row->work != !(row->no_work && *row->no_work),
              "kind %s must have work or no_work, and not both (ops/core/kernel/kernels.def)", row->name);
        CHECK(!row->looks_first || row->refuses, "kind %s looks first and refuses nothing", row->name);
        CHECK(!row->in_place || !row->replaces, "kind %s is in place and replaces", row->name);
    }
}

/* Operators with a refusal rule of their own are of kinds that refuse, since others are not asked. */
static void rules_of_refusal_are_heard(void) {
    for (const struct op *const *op = op_table; *op; op++)
        CHECK(!(*op)->refuses || kernel_table[(*op)->kind].refuses,
              "%s has `refuses`, and its kind refuses nothing", (*op)->name);
}

/* ---- kernels by hand ---- */

#define X(...)                                                                                               \
    {                                                                                                        \
        .dtype = TY_F64, .layout = {                                                                         \
            .rank = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                                      \
            .shape = (int64_t[]){__VA_ARGS__}                                                                \
        }                                                                                                    \
    }
/* Operations of a kernel's core on these operands, the last of which is the result. */
#define WORK(kind, attr, ...)                                                                                \
    work_of(kind, attr, (int)(sizeof((struct operand[]){__VA_ARGS__}) / sizeof(struct operand)),             \
            (struct operand[]){__VA_ARGS__})
static double work_of(enum kernel_kind kind, const void *attr, int n, struct operand *x) {
    struct kernel k = {.kind = kind,
                       .attr = attr,
                       .ninputs = n - 1,
                       .ncore = n - 1,
                       .inputs = x,
                       .noutputs = 1,
                       .outputs = x + n - 1};
    return kernel_table[kind].work(&k);
}

static void is(const char *name, double found, double expected) {
    CHECK(found == expected, "%s counts %g operations, not %g", name, found, expected);
}

static void lines(void) {
    struct sort_attr sort = {.axis = 0};
    is("sort", WORK(KERNEL_SORT, &sort, X(1024, 3), X(5, 3)), 3 * 1024 * 10);
    is("sort of one", WORK(KERNEL_SORT, &sort, X(1, 3), X(1, 3)), 0);
    is("sort of none", WORK(KERNEL_SORT, &sort, X(0, 3), X(0, 3)), 0);
    is("search", WORK(KERNEL_SEARCH, NULL, X(1023), X(4, 5), X(4, 5)), 20 * 10);
    struct fft_attr fft = {.kind = FFT_COMPLEX, .axis = 1, .n = 64};
    is("fft", WORK(KERNEL_FFT, &fft, X(3, 64), X(3, 64)), 3 * 5 * 64 * 6);
    fft.kind = FFT_REAL;
    is("rfft", WORK(KERNEL_FFT, &fft, X(3, 64), X(3, 33)), 3 * 2.5 * 64 * 6);
    struct scan_attr scan = {.kind = SCAN_SUM, .axis = 1};
    is("cumsum", WORK(KERNEL_SCAN, &scan, X(5, 7), X(5, 7)), 35);
    scan.kind = SCAN_LINEAR;
    is("recurrence", WORK(KERNEL_SCAN, &scan, X(5, 7), X(5, 7), X(5, 7)), 70);
    scan.kind = SCAN_FILTER;
    is("filter", WORK(KERNEL_SCAN, &scan, X(5, 7), X(3), X(2), X(5, 7)), 35 * (2 * 3 + 2 * 2));
}

static void weighted_sums(void) {
    struct resample_attr resample = {.kind = RESAMPLE_READ, .axis = 1};
    struct operand index = X(3, 4);
    is("resample", WORK(KERNEL_RESAMPLE, &resample, X(2, 8, 5), index, index, X(2, 4, 5)), 2 * 3 * 40);
    resample.further = 1; /* [2, 8, 5] becomes [2, 4, 5], then [2, 4, 10] */
    is("resample of two axes",
       WORK(KERNEL_RESAMPLE, &resample, X(2, 8, 5), index, index, X(6, 10), X(6, 10), X(2, 4, 10)),
       2 * (3 * 40 + 6 * 80));
    is("resample of nothing",
       WORK(KERNEL_RESAMPLE, &resample, X(2, 0, 5), X(3, 0), X(3, 0), X(6, 10), X(6, 10), X(2, 0, 10)), 0);
    resample = (struct resample_attr){.kind = RESAMPLE_ADD, .axis = 1};
    is("its adjoint", WORK(KERNEL_RESAMPLE, &resample, X(2, 4, 5), index, index, X(2, 8, 5)), 2 * 3 * 40);
    resample.kind = RESAMPLE_DOT;
    is("its weights", WORK(KERNEL_RESAMPLE, &resample, X(2, 4, 5), X(2, 8, 5), index, index), 2 * 3 * 40);
    struct sparse_attr sparse = {.kind = SPARSE_READ};
    is("sparse product", WORK(KERNEL_SPARSE, &sparse, X(50), X(20, 4), X(50), X(11), X(10, 4)), 2 * 50 * 4);
    struct few_bits_attr few = {.bits = 4, .block = 32};
    is("few bits", WORK(KERNEL_FEW_BITS, &few, X(5, 20), X(16), X(3, 40), X(5, 2), X(3, 5)), 2 * 3 * 40 * 5);
    sparse.kind = SPARSE_DOT;
    is("its values", WORK(KERNEL_SPARSE, &sparse, X(10, 4), X(20, 4), X(50), X(11), X(50)), 2 * 50 * 4);
}

/* ---- matrices: loops that count ---- */

static double min_of(double a, double b) { return a < b ? a : b; }

static double count_lu(double m, double n) {
    double flops = 0;
    for (double i = 0; i < min_of(m, n); i++) flops += (m - i - 1) + 2 * (m - i - 1) * (n - i - 1);
    return flops;
}
static double count_cholesky(double n) {
    double flops = 0;
    for (double j = 0; j < n; j++) flops += (2 * j + 1) * (n - j);
    return flops;
}
static double count_triangular(double n, double k) {
    double flops = 0;
    for (double i = 0; i < n; i++) flops += (2 * i + 1) * k;
    return flops;
}
/* Apply reflection i to an m by n matrix, from row and column i on, for each i: 4 operations an element. */
static double count_reflections(double m, double n) {
    double flops = 0;
    for (double i = 0; i < min_of(m, n); i++) flops += 4 * (m - i) * (n - i);
    return flops;
}
/* Join min(m, n) reflections to `columns` columns of q, from the last reflection on. */
static double count_q(double m, double n, double columns) {
    double flops = 0;
    for (double i = 0; i < min_of(m, n); i++) flops += 4 * (m - i) * (columns - i);
    return flops;
}
/* Apply reflection i from the left to rows and columns from i on, and from the right to all rows. */
static double count_hessenberg(double n) {
    double flops = 0;
    for (double i = 1; i < n; i++) flops += 4 * (n - i) * (n - i) + 4 * n * (n - i);
    return flops + count_q(n, n, n);
}
/* Both sides of a symmetric matrix at once: a product with a vector, and an update of half of the matrix. */
static double count_tridiagonal(double n) {
    double flops = 0;
    for (double i = 1; i < n; i++) flops += 4 * (n - i) * (n - i);
    return flops;
}

/* Compare the operations of three matrices m by n with three times `expected`, up to lower powers of the size. */
static void near(int kind, int mode, int64_t m, int64_t n, int64_t k, double expected) {
    struct matrix_attr attr = {.kind = kind, .mode = mode};
    struct operand a = X(3, m, n), b = X(3, m, k), y = X(3, m, k);
    double found = kind == MATRIX_SOLVE || kind == MATRIX_TRIANGULAR ? WORK(KERNEL_MATRIX, &attr, a, b, y)
                                                                     : WORK(KERNEL_MATRIX, &attr, a, y);
    CHECK(fabs(found - 3 * expected) <= 0.03 * 3 * expected,
          "matrix kind %d in mode %d of %lld by %lld counts %g operations, not %g", kind, mode, (long long)m,
          (long long)n, found, 3 * expected);
}

static void counts_of_loops(void) {
    enum { N = 200, HALF = 100, K = 30 };
    static const int64_t shapes[][2] = {{N, N}, {N, HALF}, {HALF, N}};
    for (int i = 0; i < 3; i++) {
        int64_t m = shapes[i][0], n = shapes[i][1], least = m < n ? m : n;
        near(MATRIX_LU, 0, m, n, n, count_lu(m, n));
        near(MATRIX_QR, MATRIX_VALUES, m, n, n, count_reflections(m, n));
        near(MATRIX_QR, MATRIX_THIN, m, n, n, count_reflections(m, n) + count_q(m, n, least));
        near(MATRIX_QR, MATRIX_FULL, m, n, n, count_reflections(m, n) + count_q(m, n, m));
        /* the values of svd: reflections from both sides make it bidiagonal */
        near(MATRIX_SVD, MATRIX_VALUES, m, n, n, 2 * count_reflections(m, n));
    }
    near(MATRIX_CHOLESKY, 0, N, N, N, count_cholesky(N));
    near(MATRIX_TRIANGULAR, 0, N, N, K, count_triangular(N, K));
    near(MATRIX_SOLVE, 0, N, N, K, count_lu(N, N) + 2 * count_triangular(N, K));
    near(MATRIX_INVERSE, 0, N, N, N, 3 * count_lu(N, N));
    near(MATRIX_HESSENBERG, 0, N, N, N, count_hessenberg(N));
    near(MATRIX_EIGH, MATRIX_VALUES, N, N, N, count_tridiagonal(N));
}

/* Every kind of matrix function counts something; a side twice as long takes 8 times the work. */
static void all_grow_with_the_cube(void) {
    for (int i = 0; i < MATRIX_KINDS * (MATRIX_FULL + 1); i++) {
        struct matrix_attr attr = {.kind = i / (MATRIX_FULL + 1), .mode = i % (MATRIX_FULL + 1)};
        double one = WORK(KERNEL_MATRIX, &attr, X(5, 5), X(5, 5), X(5, 5), X(5, 5));
        double two = WORK(KERNEL_MATRIX, &attr, X(10, 10), X(10, 10), X(10, 10), X(10, 10));
        double many = WORK(KERNEL_MATRIX, &attr, X(2, 3, 5, 5), X(2, 3, 5, 5), X(2, 3, 5, 5), X(2, 3, 5, 5));
        CHECK(one >= 125.0 / 3, "matrix kind %d in mode %d counts %g operations", attr.kind, attr.mode, one);
        CHECK(fabs(two - 8 * one) < 1e-9 * two, "matrix kind %d: %g operations, and %g of twice the size",
              attr.kind, one, two);
        CHECK(fabs(many - 6 * one) < 1e-9 * many, "matrix kind %d: %g operations, and %g of six", attr.kind,
              one, many);
        CHECK(WORK(KERNEL_MATRIX, &attr, X(0, 0), X(0, 0), X(0, 0), X(0, 0)) == 0, "work of an empty matrix");
    }
}

/* ---- profiles ---- */

static void free_profile(void *p) { ty_profile_free(p); }
static void stop(void *unused) {
    (void)unused;
    ty_profile_free(ty_profile_stop());
}
static void start(void) {
    static char any;
    test_own(&any, stop);
    ty_profile_start();
}

/* Stop the profile and return its row whose name begins with the operator `name`; calls 0: none. */
static ty_profile_row stopped(const char *name) {
    ty_profile *p = test_own(ty_profile_stop(), free_profile);
    for (int i = 0; i < ty_profile_count(p); i++)
        if (!strncmp(test_profile_row(p, i).name, name, strlen(name))) return test_profile_row(p, i);
    return (ty_profile_row){.name = ""};
}

static void a_solution_counts(void) {
    ty_tensor *a = ty_eye(TY_F64, 64), *b = ty_ones(TY_F64, TY_SHAPE(64, 1));
    start();
    ty_tensor *x = ty_solve(a, b);
    ty_profile_row r = stopped("solve ");
    if (test_starving()) return;
    CHECK_OK(x);
    double cube = 64.0 * 64 * 64;
    CHECK(r.calls == 1 && fabs(r.flops - (2 * cube / 3 + 2 * 64 * 64)) < 1, "%lld calls of %g operations",
          (long long)r.calls, r.flops);
    CHECK(r.flops > 0 && fabs(r.flops / (2 * cube / 3) - 1) < 0.05, "%g operations", r.flops);
}

/* A gather reads those rows of x that it is asked for. */
static void bytes_of_rows_that_are_read(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(1000, 16));
    ty_tensor *few = ty_arange(TY_I64, 0, 3, 1), *many = ty_zeros(TY_I64, TY_SHAPE(2000));
    start();
    ty_take(x, few, 0);
    ty_profile_row r = stopped("gather ");
    start();
    ty_take(x, many, 0);
    ty_profile_row all = stopped("gather ");
    if (test_starving()) return;
    CHECK(r.calls == 1 && r.flops == 0 && r.bytes == 2 * 4 * 3 * 16 + 8 * 3,
          "3 rows: %g bytes, %g operations", r.bytes, r.flops);
    CHECK(all.calls == 1 && all.bytes == 4 * (1000 + 2000) * 16 + 8 * 2000, "all rows: %g bytes", all.bytes);
}

/* Return the operations of a softmax over rows, and how many of its kernels run in rows. */
static double softmax_work(int64_t cache, int *in_rows) {
    level_force(LEVEL_SECOND, cache);
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(500, 200)), "x"), *y = ty_softmax(x, 1);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    double flops = 0;
    if (!program_is_well(p)) return 0;
    for (int k = 0; k < p->flow.nkernels; k++) {
        flops += kernel_work(&p->flow.kernels[k]).flops;
        *in_rows += p->flow.kernels[k].kind == KERNEL_ROWS;
    }
    return flops;
}

/* Kernels that run in rows count what they count alone. */
static void rows_count_their_kernels(void) {
    int in_rows = 0, apart = 0;
    double together = softmax_work(1 << 14, &in_rows), alone = softmax_work((int64_t)1 << 40, &apart);
    if (test_starving()) return;
    CHECK(in_rows == 1 && apart == 0, "%d and %d kernels run in rows", in_rows, apart);
    CHECK(together == alone && alone >= 4 * 500 * 200, "%g operations in rows, %g alone", together, alone);
}

TESTS_MAIN(TEST(every_kind_counts_or_says_why), TEST(rules_of_refusal_are_heard), TEST(lines),
           TEST(weighted_sums), TEST(counts_of_loops), TEST(all_grow_with_the_cube), TEST(a_solution_counts),
           TEST(bytes_of_rows_that_are_read), TEST(rows_count_their_kernels))
