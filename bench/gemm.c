/* Matrix products, square, tall, flat and by a vector, against well-known BLAS libraries. */
#include "bench/support/peer_blas.h"
#include "bench/support/shapes.h"

static ty_tensor *multiply(ty_tensor *const *x) { return ty_matmul(x[0], x[1]); }

static ty_tensor *multiply_bytes(ty_tensor *const *x) { return ty_matmul_integer(x[0], x[1], NULL, NULL); }

/* Time a product of bytes with sums in i32. */
static void product_of_bytes(struct bench *b, ty_dtype left, ty_dtype right, int64_t n) {
    char name[96];
    snprintf(name, sizeof name, "%s x %s %lldx%lld sums of %lld", ty_dtype_name(left), ty_dtype_name(right),
             (long long)n, (long long)n, (long long)n);
    struct bench_product sizes = {.m = n, .n = n, .k = n};
    struct bench_case c = {.name = name,
                           .ninputs = 2,
                           .inputs = {{left, 2, {n, n}, 0, 127}, {right, 2, {n, n}, 0, 127}},
                           .run = multiply_bytes,
                           .roof = BENCH_NO_ROOF,
                           .flops = 2 * (double)n * (double)n * (double)n,
                           .detail = &sizes};
    bench_case(b, &c);
}

static ty_tensor *multiply_left_turned(ty_tensor *const *x) { return ty_einsum("km,kn->mn", x[0], x[1]); }
static ty_tensor *multiply_right_turned(ty_tensor *const *x) { return ty_einsum("mk,nk->mn", x[0], x[1]); }
static ty_tensor *multiply_both_turned(ty_tensor *const *x) { return ty_einsum("km,nk->mn", x[0], x[1]); }

/* Time a product; transposed operands have the other layout, as in gradients. */
static void product_of(struct bench *b, ty_dtype dtype, const struct bench_product *sizes) {
    static ty_tensor *(*const run[2][2])(ty_tensor *const *x) = {
        {multiply, multiply_right_turned}, {multiply_left_turned, multiply_both_turned}};
    char name[96], numpy[64], torch[64];
    int64_t m = sizes->m, n = sizes->n, k = sizes->k;
    bool left = sizes->turned[0], right = sizes->turned[1];
    const char *x = left ? "a.T" : "a", *y = right ? "b.T" : "b";
    int length = snprintf(name, sizeof name, "%s %lldx%lld sums of %lld", ty_dtype_name(dtype), (long long)m,
                          (long long)n, (long long)k);
    if (left || right) snprintf(name + length, sizeof name - (size_t)length, ", %s %s", x, y);
    snprintf(numpy, sizeof numpy, "np.matmul(%s, %s, out=out)", x, y);
    snprintf(torch, sizeof torch, "torch.matmul(%s, %s, out=out)", x, y);
    double size = (double)ty_dtype_size(dtype), complex = dtype == TY_C64 || dtype == TY_C128 ? 4 : 1;
    struct bench_case c = {.name = name,
                           .ninputs = 2,
                           .inputs = {{dtype, 2, {left ? k : m, left ? m : k}, -1, 1},
                                      {dtype, 2, {right ? n : k, right ? k : n}, -1, 1}},
                           .run = run[left][right],
                           .numpy = numpy,
                           .torch = torch,
                           .roof = BENCH_NO_ROOF,
                           .flops = 2 * complex * (double)m * (double)n * (double)k,
                           .detail = sizes};
    if (m == 1 || n == 1) {
        c.roof = BENCH_READ;
        c.bytes = size * ((double)m * (double)k + (double)k * (double)n + (double)m * (double)n);
    }
    bench_case(b, &c);
}

static void product(struct bench *b, ty_dtype dtype, int64_t m, int64_t n, int64_t k) {
    product_of(b, dtype, &(struct bench_product){.m = m, .n = n, .k = k});
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "gemm");
    if (!b) return 1;
    bench_blas(b);
    static const ty_dtype both[] = {TY_F32, TY_F64};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof bench_squares / sizeof *bench_squares; i++)
            if (!bench_quick(b) || bench_squares[i] <= 1024)
                product(b, both[d], bench_squares[i], bench_squares[i], bench_squares[i]);
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 9; i++) {
            int64_t n = bench_turned[i / 3];
            product_of(b, both[d], &(struct bench_product){n, n, n, {i % 3 != 1, i % 3 != 0}});
        }
    for (int d = 0; d < 2; d++)
        for (int i = bench_quick(b) ? 1 : 0; i < 12; i++)
            product(b, both[d], bench_products[i][0], bench_products[i][1], bench_products[i][2]);
    static const ty_dtype others[] = {TY_C64, TY_C128, TY_F16, TY_BF16, TY_I32, TY_I64, TY_I8};
    for (int d = 0; d < 7; d++) product(b, others[d], 512, 512, 512);
    for (int64_t n = 128; n <= 1024; n *= 2) product_of_bytes(b, TY_U8, TY_I8, n);
    product_of_bytes(b, TY_I8, TY_I8, 512);
    return bench_close(b);
}
