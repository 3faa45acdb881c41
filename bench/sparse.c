/*
 * Sparse matrices against SciPy and PyTorch: ./dev bench sparse. The matrices have a million rows of ten entries, with
 * columns up to 16 or 1,000 from the diagonal, or anywhere. Bytes count the matrix, x and the result once.
 */
#include <stdio.h>
#include "bench/support/harness.h"

enum { ENTRIES = 10, NEAR = 16, WIDE = 1000 };

/* Return a CSR matrix, cached for the last operands; if `near`, columns count from the row's index. */
static const ty_sparse *matrix(ty_tensor *const *x, bool near) {
    static const void *of[2];
    static int32_t second; /* memory of one case may be reused by the next */
    static ty_sparse made;
    const int32_t *drawn = ty_data(x[1]);
    bool same = of[0] == ty_data(x[0]) && of[1] == drawn && second == drawn[1];
    if (same && ty_dtype_of(made.values) == ty_dtype_of(x[0])) return &made;
    ty_release(made.values);
    ty_release(made.indices);
    ty_release(made.starts);
    int64_t n = ty_size(x[0]) / ENTRIES;
    ty_scope *scope = ty_open();
    ty_tensor *columns = x[1], *starts = ty_steps(TY_I64, 0, ENTRIES, n + 1);
    if (near) {
        ty_tensor *rows = ty_ravel(ty_iota(TY_I32, 2, (int64_t[]){n, ENTRIES}, 0));
        columns = ty_clip(ty_add(columns, rows), ty_int(0), ty_int(n - 1));
    }
    made = ty_sparse_csr(x[0], ty_cast(columns, TY_I32), starts, n);
    if (!ty_sparse_ok(made)) fprintf(stderr, "%s\n", ty_sparse_error(made));
    ty_retain(made.values);
    ty_retain(made.indices);
    ty_retain(made.starts);
    ty_close(scope);
    of[0] = ty_data(x[0]);
    of[1] = drawn;
    second = drawn[1];
    return &made;
}

static ty_tensor *near_times(ty_tensor *const *x) { return ty_sparse_matmul(*matrix(x, true), x[2]); }
static ty_tensor *far_times(ty_tensor *const *x) { return ty_sparse_matmul(*matrix(x, false), x[2]); }
static ty_tensor *times_near(ty_tensor *const *x) { return ty_sparse_rmatmul(x[2], *matrix(x, true)); }
static ty_tensor *doubled(ty_tensor *const *x) {
    const ty_sparse *a = matrix(x, true);
    return ty_sparse_add(*a, *a).values;
}
static ty_tensor *squared(ty_tensor *const *x) {
    const ty_sparse *a = matrix(x, true);
    return ty_sparse_product(*a, *a).values;
}
static ty_tensor *turned(ty_tensor *const *x) {
    return ty_sparse_as(ty_sparse_transpose(*matrix(x, true)), TY_CSR).values;
}

#define ROWS "(a.shape[0] // 10)"
#define NEAR_COLUMNS "np.clip(b + np.repeat(np.arange(" ROWS ", dtype='i4'), 10), 0, " ROWS " - 1)"
#define CSR(columns)                                                                                         \
    "(m if 'm' in globals() and k is a else globals().update(k=a, "                                          \
    "m=__import__('scipy.sparse', fromlist=['_']).csr_matrix((a, " columns ", np.arange(" ROWS               \
    " + 1, dtype='i4') * 10), shape=(" ROWS ", " ROWS "))) or m)"
#define TORCH(columns)                                                                                       \
    "(m if 'm' in globals() and k is a else globals().update(k=a, m=torch.sparse_csr_tensor(torch.arange("   \
    "a.shape[0] // 10 + 1, dtype=torch.int32) * 10, " columns                                                \
    ", a, (a.shape[0] // 10, a.shape[0] // 10))) or m)"
#define TORCH_NEAR                                                                                           \
    "torch.clip(b + torch.arange(a.shape[0] // 10, dtype=torch.int32).repeat_interleave(10), 0, a.shape[0] " \
    "// 10 - 1)"

struct work {
    const char *name;
    ty_tensor *(*run)(ty_tensor *const *x);
    const char *numpy, *torch;
    int64_t near;  /* greatest distance from the diagonal; 0: anywhere */
    int64_t width; /* columns of x; 0: a vector; -1: no x */
};
static const struct work works[] = {
    {"rows near", near_times, CSR(NEAR_COLUMNS) " @ c", TORCH(TORCH_NEAR) " @ c", NEAR, 0},
    {"rows within 1,000", near_times, CSR(NEAR_COLUMNS) " @ c", TORCH(TORCH_NEAR) " @ c", WIDE, 0},
    {"rows far", far_times, CSR("b") " @ c", TORCH("b") " @ c", 0, 0},
    {"rows near, 8 columns", near_times, CSR(NEAR_COLUMNS) " @ c", TORCH(TORCH_NEAR) " @ c", NEAR, 8},
    {"rows near, 64 columns", near_times, CSR(NEAR_COLUMNS) " @ c", TORCH(TORCH_NEAR) " @ c", NEAR, 64},
    {"transposed near", times_near, CSR(NEAR_COLUMNS) ".T @ c", NULL, NEAR, 0},
    {"sum", doubled, CSR(NEAR_COLUMNS) " + m", NULL, NEAR, -1},
    {"transpose to rows", turned, CSR(NEAR_COLUMNS) ".T.tocsr()", NULL, NEAR, -1},
    {"product", squared, CSR(NEAR_COLUMNS) " @ m", NULL, NEAR, -1},
};

static void time_work(struct bench *b, const struct work *w, ty_dtype dtype, int64_t n) {
    char name[64];
    double size = (double)ty_dtype_size(dtype), width = w->width > 0 ? (double)w->width : 1;
    double matrix_bytes = (double)n * (ENTRIES * (size + 4) + 8),
           bytes = matrix_bytes + 2 * width * (double)n * size;
    struct bench_input values = {dtype, 1, {n * ENTRIES}, -1, 1},
                       columns = {TY_I32, 1, {n * ENTRIES}, 0, (double)n},
                       x = {dtype, w->width > 0 ? 2 : 1, {n, w->width}, -1, 1};
    if (w->near) columns.low = -(double)w->near, columns.high = (double)w->near;
    snprintf(name, sizeof name, "%s, %s, %lld rows", w->name, ty_dtype_name(dtype), (long long)n);
    bench_case(b, &(struct bench_case){.name = name,
                                       .ninputs = w->width < 0 ? 2 : 3,
                                       .inputs = {values, columns, x},
                                       .run = w->run,
                                       .numpy = w->numpy,
                                       .torch = w->torch,
                                       .bytes = w->width < 0 ? 0 : bytes,
                                       .roof = w->width < 0   ? BENCH_NO_ROOF
                                               : w->width > 0 ? BENCH_STREAM
                                                              : BENCH_READ});
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "sparse");
    if (!b) return 1;
    int64_t n = bench_quick(b) ? 100000 : 1000000;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        time_work(b, &works[i], TY_F64, works[i].run == squared ? n / 10 : n);
    time_work(b, &works[0], TY_F32, n);
    time_work(b, &works[4], TY_F32, n);
    return bench_close(b);
}
