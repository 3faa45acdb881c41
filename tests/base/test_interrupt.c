/* Requests to stop at every check of kernels, programs, loops and training.  A stopped call fails with its reason,
   changes no variable, and succeeds with the same bits after ty_resume. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tyto/data.h>
#include <tyto/io.h>
#include <tyto/neighbours.h>
#include <tyto/sparse.h>
#include <tyto/table.h>
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "tests/support/nn_help.h"
#include "tests/support/stopping.h"

/* ---- kernels ---- */

/* Operands, made before the checks are counted. */
static struct {
    ty_tensor *line, *floats, *bytes, *most, *flags, *signal, *odd, *tall, *square, *other, *right, *definite,
        *many, *image, *filter, *index, *updates;
} of;

static ty_tensor *normal(int rank, const int64_t *shape, uint64_t seed) {
    ty_tensor *x = ty_normal(TY_F64, rank, shape, ty_key(seed));
    ty_data(x);
    return x;
}
static ty_tensor *line_of(int64_t n) { return normal(1, &n, 7); }
static ty_tensor *matrix(int64_t m, int64_t n, uint64_t seed) { return normal(2, (int64_t[]){m, n}, seed); }

static void make_operands(void) {
    ty_tensor *a = matrix(90, 90, 3);
    of.line = line_of(9000);
    of.floats = ty_cast(of.line, TY_F32);
    of.bytes = ty_cast(ty_mul(of.line, ty_num(30)), TY_I8);
    of.most = line_of(300000);
    of.flags = ty_gt(of.line, ty_num(1));
    of.signal = ty_cast(line_of(4096), TY_C128);
    of.odd = ty_cast(line_of(4099), TY_C128);
    of.tall = matrix(120, 80, 1);
    of.square = matrix(60, 60, 4);
    of.other = matrix(60, 60, 9);
    of.right = matrix(60, 3, 2);
    of.definite = ty_add(ty_matmul(a, ty_transpose(a)), ty_eye(TY_F64, 90));
    of.many = ty_contiguous(
        ty_broadcast(ty_slice(ty_slice(of.definite, 0, 0, 8, 1), 1, 0, 8, 1), 3, (int64_t[]){200, 8, 8}));
    of.image = ty_normal(TY_F32, 4, (int64_t[]){2, 12, 12, 3}, ty_key(1));
    of.filter = ty_normal(TY_F32, 4, (int64_t[]){3, 3, 3, 4}, ty_key(2));
    of.index = ty_cast(ty_mul(ty_uniform(TY_F64, 1, (int64_t[]){7000}, ty_key(3)), ty_num(9000)), TY_I64);
    of.updates = line_of(7000);
}

/* Return the first of n parts of a result that is poison, else the first part. */
static ty_tensor *whole(int n, ty_tensor *const *parts) {
    for (int i = 0; i < n; i++)
        if (!ty_ok(parts[i])) return parts[i];
    return parts[0];
}
/* Return a result of several tensors, a struct, as one: see `whole`. */
#define WHOLE(type, call)                                                                                    \
    whole((int)(sizeof(type) / sizeof(ty_tensor *)), (ty_tensor **)(void *)&(type[]){call})

/* One operation for each kind of kernel, and for each algorithm of the long ones. */
#define OPERATIONS(X)                                                                                        \
    X(map, ty_digamma(ty_abs(of.line)))                                                                      \
    X(sum, ty_sum(of.tall, ty_axis(0)))                                                                      \
    X(sum_all, ty_sum(of.most, TY_ALL))                                                                      \
    X(product, ty_matmul(of.tall, ty_transpose(of.tall)))                                                    \
    X(convolution, ty_conv2d(of.image, of.filter, (ty_conv){0}))                                             \
    X(sort_f64, ty_sort(of.line, 0, false))                                                                  \
    X(sort_f32, ty_sort(of.floats, 0, true))                                                                 \
    X(sort_i8, ty_sort(of.bytes, 0, false))                                                                  \
    X(sort_long, ty_sort(of.most, 0, false))                                                                 \
    X(argsort_f64, ty_argsort(of.line, 0, false))                                                            \
    X(argsort_f32, ty_argsort(of.floats, 0, false))                                                          \
    X(argsort_long, ty_argsort(of.most, 0, false))                                                           \
    X(sort_complex, ty_sort(of.odd, 0, false))                                                               \
    X(sort_rows, ty_sort(of.tall, 1, false))                                                                 \
    X(median, ty_median(of.most, TY_ALL))                                                                    \
    X(cumsum, ty_cumsum(of.most, 0, (ty_running){0}))                                                        \
    X(cumsum_rows, ty_cumsum(of.tall, 0, (ty_running){0}))                                                   \
    X(nonzero, ty_nonzero(of.flags))                                                                         \
    X(fft, ty_fft(of.signal, TY_FFT_WHOLE, 0, 0))                                                            \
    X(fft_chirp, ty_fft(of.odd, TY_FFT_WHOLE, 0, 0))                                                         \
    X(rfft, ty_rfft(of.line, TY_FFT_WHOLE, 0, 0))                                                            \
    X(rfft_half, ty_rfft(of.most, TY_FFT_WHOLE, 0, 0))                                                       \
    X(irfft, ty_irfft(of.odd, 8196, 0, 0))                                                                   \
    X(irfft_odd, ty_irfft(of.odd, 8197, 0, 0))                                                               \
    X(rfft_odd, ty_rfft(ty_slice(of.line, 0, 0, 8197, 1), TY_FFT_WHOLE, 0, 0))                               \
    X(fft_rows, ty_fft(ty_cast(of.tall, TY_C128), TY_FFT_WHOLE, 1, 0))                                       \
    X(fft_prepared, (ty_trim(), ty_fft(of.odd, TY_FFT_WHOLE, 0, 0)))                                         \
    X(rfft_prepared, (ty_trim(), ty_rfft(of.most, TY_FFT_WHOLE, 0, 0)))                                      \
    X(top, ty_top_k(of.most, 40, 0, true))                                                                   \
    X(top_places, ty_top_k_index(of.most, 100000, 0, false))                                                 \
    X(sort_zeros, ty_sort(ty_mul(of.line, ty_cast(of.flags, TY_F64)), 0, false))                             \
    X(unique, ty_unique(of.bytes))                                                                           \
    X(inverse, ty_inv(of.definite))                                                                          \
    X(solve, ty_solve(of.square, of.right))                                                                  \
    X(cholesky, ty_cholesky(of.definite))                                                                    \
    X(lu, WHOLE(ty_lu_parts, ty_lu(of.tall)))                                                                \
    X(qr, WHOLE(ty_qr_parts, ty_qr(of.tall, false)))                                                         \
    X(qr_pivoted, WHOLE(ty_qr_pivoted_parts, ty_qr_pivoted(of.square, false)))                               \
    X(svd, WHOLE(ty_svd_parts, ty_svd(of.tall, false)))                                                      \
    X(eigh, WHOLE(ty_eigen_parts, ty_eigh(of.definite)))                                                     \
    X(eig, WHOLE(ty_eigen_parts, ty_eig(of.square)))                                                         \
    X(schur_ordered, WHOLE(ty_schur_parts, ty_schur(of.square, (ty_eigen_order)1)))                          \
    X(hessenberg, WHOLE(ty_hessenberg_parts, ty_hessenberg(of.square)))                                      \
    X(sylvester, ty_sylvester(of.square, of.other, of.other))                                                \
    X(triangular, ty_triangular_solve(ty_tril(of.definite, 0), of.definite, false, false))                   \
    X(lu_tall, WHOLE(ty_lu_parts, ty_lu(ty_reshape(of.line, 2, (int64_t[]){900, 10}))))                      \
    X(qr_tall, WHOLE(ty_qr_parts, ty_qr(ty_reshape(of.line, 2, (int64_t[]){900, 10}), false)))               \
    X(svd_wide, WHOLE(ty_svd_parts, ty_svd(ty_reshape(of.line, 2, (int64_t[]){10, 900}), false)))            \
    X(schur, WHOLE(ty_schur_parts, ty_schur(of.square, (ty_eigen_order){0})))                                \
    X(qz, WHOLE(ty_qz_parts, ty_qz(of.square, of.other, (ty_eigen_order){0})))                               \
    X(exponential, ty_expm(ty_div(of.square, ty_num(60))))                                                   \
    X(logarithm, ty_logm(of.definite))                                                                       \
    X(small_matrices, ty_cholesky(of.many))                                                                  \
    X(take, ty_take(of.line, of.index, 0))                                                                   \
    X(recurrence, ty_linear_recurrence(of.line, of.line, 0, false))                                          \
    X(put, ty_put(of.most, of.index, of.updates))                                                            \
    X(scatter, ty_scatter_add(of.updates, of.index, 0, 9000))                                                \
    X(transpose, ty_contiguous(ty_transpose(of.tall)))                                                       \
    X(concatenate, ty_concat(2, (ty_tensor *[]){of.most, of.most}, 0))

#define OPERATION(name, call)                                                                                \
    static ty_tensor *do_##name(void) { return call; }
OPERATIONS(OPERATION)

static const struct {
    const char *name;
    ty_tensor *(*run)(void);
} operations[] = {
#define ROW(name, call) {#name, do_##name},
    OPERATIONS(ROW)};

/* True if x is poison that names a request to stop; fails the test if it is other poison. */
static bool is_stopped(const char *name, ty_tensor *x) {
    if (ty_ok(x)) return false;
    CHECK(strstr(ty_error(x), "interrupted: "), "%s: %s", name, ty_error(x));
    return true;
}

/* Return the next check to stop at: every one, or only some of many. */
static int64_t after(int64_t n, int64_t every) { return n < every ? n + 1 : n + 1 + n / 8; }

/* Stop one operation at its first, second, ... check, until it has fewer checks.  Return their number. */
static int64_t stop_everywhere(const char *name, ty_tensor *(*run)(void), int64_t every) {
    ty_tensor *wanted = ty_contiguous(run());
    CHECK_OK(wanted);
    for (int64_t n = 1;; n = after(n, every)) {
        struct test_round round = test_round();
        stop_at(n);
        ty_tensor *x = run();
        bool stopped = is_stopped(name, x), asked = ty_interrupted(NULL);
        int64_t checks = stop_checks();
        stop_at(0);
        CHECK(stopped == asked, "%s: check %lld %s, and the call %s", name, (long long)n,
              asked ? "asks to stop" : "does not ask", stopped ? "fails" : "succeeds");
        ty_resume(NULL);
        CHECK(stopped || same_bits(x, wanted), "%s: other bits in pieces", name);
        CHECK(stopped || checks < n, "%s succeeds although check %lld asked to stop", name, (long long)n);
        if (stopped)
            CHECK(n % 16 || same_bits(run(), wanted), "%s: other bits after check %lld", name, (long long)n);
        test_round_end(round);
        if (!stopped) return checks;
    }
}

static void kernels(void) {
    if (test_starving()) return;
    stops();
    make_operands();
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            struct test_round round = test_round();
            ty_set_threads(threads);
            int64_t whole = stop_everywhere(operations[i].name, operations[i].run, 64);
            parallel_force_pieces(1);
            int64_t pieces = stop_everywhere(operations[i].name, operations[i].run, test_some(64, 16, 16));
            parallel_force_pieces(0);
            if (test_verbose())
                printf("%-14s %d threads: %6lld checks, %8lld in pieces\n", operations[i].name, threads,
                       (long long)whole, (long long)pieces);
            test_round_end(round);
        }
}

/* ---- training ---- */

enum { STEPS = 3, PARAMETERS = 64 };

/* Bits of all parameters of the trainer's model. */
struct bits {
    int n;
    char *of[PARAMETERS];
    size_t bytes[PARAMETERS];
};
static struct bits bits_of(const ty_trainer *t) {
    struct bits b = {.n = ty_model_parameters(ty_trainer_model(t))};
    for (int i = 0; i < b.n && i < PARAMETERS; i++) {
        ty_tensor *x = ty_model_parameter(ty_trainer_model(t), i);
        b.bytes[i] = (size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x));
        b.of[i] = test_room(b.bytes[i]);
        CHECK(ty_read(x, ty_dtype_of(x), b.of[i]), "parameter %d cannot be read", i);
    }
    return b;
}
static bool equal_bits(const struct bits *a, const struct bits *b) {
    bool equal = a->n == b->n;
    for (int i = 0; i < a->n && equal; i++) equal = !memcmp(a->of[i], b->of[i], a->bytes[i]);
    return equal;
}

static const ty_optimiser adam = {.rule = &ty_adam};

/* Stop a step at each of its checks; no parameter changes until it succeeds.  Return its loss. */
static double step_stopped_everywhere(ty_trainer *t, int64_t every, int64_t *stopped) {
    for (int64_t n = 1;; n = after(n, every)) {
        struct test_round round = test_round();
        struct bits before = bits_of(t);
        stop_at(n);
        double loss = ty_trainer_step(t);
        bool failed = *ty_trainer_error(t);
        stop_at(0);
        CHECK(!failed || strstr(ty_trainer_error(t), "interrupted: "), "check %lld: %s", (long long)n,
              ty_trainer_error(t));
        CHECK(failed == isnan(loss), "a loss of %g beside \"%s\"", loss, ty_trainer_error(t));
        ty_resume(NULL);
        struct bits now = bits_of(t);
        CHECK(!failed || equal_bits(&before, &now), "a parameter changes in a step that check %lld stops",
              (long long)n);
        test_round_end(round);
        if (!failed) return loss;
        ++*stopped;
    }
}

static void training(void) {
    if (test_starving()) return;
    stops();
    for (int lazy = 0; lazy < 2; lazy++)
        for (int threads = 1; threads <= 2; threads++) {
            struct test_round round = test_round();
            double wanted[STEPS];
            int64_t stopped = 0;
            ty_set_threads(threads);
            ty_trainer *straight = nn_small_trainer(lazy, adam), *t = nn_small_trainer(lazy, adam);
            nn_steps(straight, STEPS, wanted);
            for (int i = 0; i < STEPS; i++) {
                double loss = step_stopped_everywhere(t, i ? test_some(1000, 32, 32) : 12, &stopped);
                CHECK(loss == wanted[i], "step %d: the loss is %.17g, without stops %.17g", i, loss,
                      wanted[i]);
            }
            struct bits a = bits_of(straight), b = bits_of(t);
            CHECK(equal_bits(&a, &b), "parameters differ after stops");
            CHECK(stopped > 20, "only %lld stops", (long long)stopped);
            if (test_verbose())
                printf("lazy %d, %d threads: %lld stops\n", lazy, threads, (long long)stopped);
            test_round_end(round);
        }
}

/* ---- programs and loops ---- */

static void next_of(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_tanh(ty_add(s->carry[0], s->x[0]));
    s->y[0] = ty_mul(s->next[0], s->next[0]);
}
static ty_tensor *scanned;
static ty_tensor *do_scan(void) {
    ty_tensor *last, *y, *start = ty_zeros(TY_F64, 1, (int64_t[]){80});
    ty_scan(next_of, NULL, (ty_scan_spec){.ncarry = 1, .carry = &start, .nx = 1, .x = &scanned, .ny = 1},
            &last, &y, NULL);
    return y;
}
static ty_tensor *do_einsum(void) {
    ty_tensor *x[] = {of.square, of.square, of.square, of.right};
    return ty_einsum_of("ij,jk,kl,lm->im", 4, x, (ty_einsum_options){0});
}
static ty_tensor *do_eval(void) {
    ty_tensor *x = ty_lazy(of.square);
    for (int i = 0; i < 4; i++) x = ty_softmax(ty_matmul(x, ty_add(x, ty_num(i))), 1);
    return ty_eval(x);
}

/* ---- sparse matrices, trees, files ---- */

static ty_sparse sparse;
static ty_tensor *points;
static void make_sparse(void) {
    int64_t n = 7000;
    ty_tensor *pair[] = {of.index, ty_flip(of.index, 0)};
    sparse = ty_sparse_coo(of.updates, ty_stack(2, pair, 1), 9000, 9000);
    sparse = ty_sparse_add(ty_sparse_as(sparse, TY_CSR), ty_sparse_identity(TY_F64, 9000));
    points = ty_reshape(ty_slice(of.most, 0, 0, 150000, 1), 2, (int64_t[]){50000, 3});
    points = ty_cast(points, TY_F32);
    CHECK(ty_sparse_ok(sparse), "%lld entries: %s", (long long)n, ty_sparse_error(sparse));
}
/* Return the values of a matrix, or the poison of a failed one. */
static ty_tensor *values_of(ty_sparse a) { return ty_sparse_ok(a) ? a.values : ty_sparse_failure(a); }
static ty_tensor *do_columns(void) { return values_of(ty_sparse_as(sparse, TY_CSC)); }
static ty_tensor *do_square(void) { return values_of(ty_sparse_product(sparse, sparse)); }
static ty_tensor *do_meet(void) { return values_of(ty_sparse_mul(sparse, ty_sparse_transpose(sparse))); }
static ty_tensor *do_part(void) { return values_of(ty_sparse_tril(sparse, -1)); }
static ty_tensor *do_ilu(void) { return values_of(ty_sparse_ilu(sparse).u); }
static ty_tensor *do_triangle(void) { return ty_sparse_triangular_solve(sparse, of.line, true, true); }
static ty_tensor *do_sparse_times(void) { return ty_sparse_matmul(sparse, of.line); }
static ty_tensor *do_tree(void) {
    ty_tree *tree = ty_tree_new(points, (ty_distance_options){0});
    ty_tensor *found = ty_tree_failure(tree);
    if (!found) found = ty_tree_nearest(tree, ty_slice(points, 0, 0, 50, 1), 3).indices;
    ty_tree_free(tree);
    return found;
}
/* Write, read and compare a file of this format. */
static ty_tensor *do_file(ty_file_options options) {
    const char *name = "x";
    size_t n;
    ty_tensor *error = NULL;
    ty_tensor *x = of.line;
    if (!strcmp(options.format, "png") || !strcmp(options.format, "pnm"))
        x = ty_reshape(ty_slice(of.bytes, 0, 0, 8100, 1), 2, (int64_t[]){90, 90}), x = ty_cast(x, TY_U8);
    void *bytes = ty_archive_bytes(1, &name, &x, options, &n, &error);
    if (!bytes) return error;
    ty_archive *a = ty_archive_parse(bytes, n, options);
    ty_tensor *back = ty_archive_failure(a);
    if (!back) back = ty_archive_at(a, 0);
    ty_archive_free(a);
    ty_free(bytes);
    return back;
}
static ty_tensor *do_npy(void) { return do_file((ty_file_options){.format = "npy"}); }
static ty_tensor *do_npz(void) { return do_file((ty_file_options){.format = "npz", .deflate = true}); }
static ty_tensor *do_csv(void) { return do_file((ty_file_options){.format = "csv"}); }
/* Read a table whose first column turns out to be words in its last row, so the text is read twice; give its columns. */
static ty_tensor *do_table(void) {
    enum { ROWS = 20000, LINE = 24 };
    static char text[ROWS * LINE];
    size_t n = 0;
    for (int i = 0; i < ROWS; i++)
        n += (size_t)sprintf(text + n, i == ROWS - 1 ? "end,7\n" : "%d,%d.5\n", i, i);
    ty_table *t = ty_table_parse(text, n, (ty_table_options){0});
    ty_tensor *x = ty_table_failure(t);
    if (!x) x = ty_stack(2, (ty_tensor *[]){ty_cast(ty_table_at(t, 0), TY_F64), ty_table_at(t, 1)}, 1);
    ty_table_free(t);
    return x;
}
static ty_tensor *do_safetensors(void) { return do_file((ty_file_options){.format = "safetensors"}); }
static ty_tensor *do_pnm(void) { return do_file((ty_file_options){.format = "pnm"}); }

/* Writing that begins after the request goes to its end; reading does not begin. */
static void late_writing(void) {
    const char *name = "x";
    size_t n = 0;
    ty_interrupt(NULL);
    void *bytes = ty_archive_bytes(1, &name, &of.line, (ty_file_options){.format = "npy"}, &n, NULL);
    CHECK(bytes && n > 9000 * 8, "%zu bytes are written", n);
    ty_archive *a = ty_archive_parse(bytes, n, (ty_file_options){0});
    CHECK(strstr(ty_archive_error(a), "interrupted: "), "%s", ty_archive_error(a));
    ty_archive_free(a);
    ty_free(bytes);
    ty_resume(NULL);
}

static void files(void) {
    if (test_starving()) return;
    stops();
    make_operands();
    make_sparse();
    static const struct {
        const char *name;
        ty_tensor *(*run)(void);
        int64_t least; /* checks */
    } rows[] = {{"csc", do_columns, 4},
                {"square", do_square, 6},
                {"meet", do_meet, 6},
                {"part", do_part, 3},
                {"ilu", do_ilu, 20},
                {"triangle", do_triangle, 30},
                {"times", do_sparse_times, 1},
                {"tree", do_tree, 4},
                {"npy", do_npy, 2},
                {"npz", do_npz, 3},
                {"csv", do_csv, 3},
                {"table", do_table, 8},
                {"safetensors", do_safetensors, 2},
                {"pnm", do_pnm, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        int64_t checks = stop_everywhere(rows[i].name, rows[i].run, test_some(64, 16, 16));
        if (test_verbose()) printf("%-14s %6lld checks\n", rows[i].name, (long long)checks);
        CHECK(checks >= rows[i].least, "%s: %lld checks", rows[i].name, (long long)checks);
        test_round_end(round);
    }
    late_writing();
}

static void loops(void) {
    if (test_starving()) return;
    stops();
    make_operands();
    scanned = of.tall;
    static const struct {
        const char *name;
        ty_tensor *(*run)(void);
    } rows[] = {{"scan", do_scan}, {"einsum", do_einsum}, {"eval", do_eval}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_trim(); /* compile again */
        int64_t checks = stop_everywhere(rows[i].name, rows[i].run, test_some(200, 40, 40));
        CHECK(checks > 2, "%s: %lld checks", rows[i].name, (long long)checks);
    }
}

TESTS_MAIN(TEST(kernels), TEST(training), TEST(loops), TEST(files))
