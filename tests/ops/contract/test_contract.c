/* Contractions, convolutions and pools against naive loops over doubles and against the reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/layout.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* Return all elements as doubles in row-major order. */
static double *numbers_of(ty_tensor *x) {
    double *numbers = test_room((size_t)ty_size(x) * sizeof *numbers);
    CHECK_OK(x);
    CHECK(ty_read(x, TY_F64, numbers) || ty_size(x) == 0, "a value must be readable");
    return numbers;
}

static ty_tensor *tensor_of(ty_dtype dtype, int rank, const int64_t *shape, const double *numbers) {
    return ty_cast(ty_from(TY_F64, rank, shape, numbers), dtype);
}

static double bound_of(ty_dtype dtype, int64_t terms) {
    return relative_ulp(dtype) * (2 + 2 * sqrt((double)terms));
}

struct product {
    const char *equation; /* NULL: matmul */
    ty_tensor *a, *b;
};

static ty_tensor *multiply(const void *context) {
    const struct product *p = context;
    return p->equation ? ty_einsum(p->equation, p->a, p->b) : ty_matmul(p->a, p->b);
}

/* Return the swapped product: b' a' is (a b)', and terms of an equation swap with their operands. */
static struct product swapped(const struct product *p, char *equation) {
    struct product other = {.equation = p->equation ? equation : NULL, .a = p->b, .b = p->a};
    if (p->equation) {
        const char *b = strchr(p->equation, ',') + 1, *y = strstr(b, "->");
        snprintf(equation, 64, "%.*s,%.*s%s", (int)(y - b), b, (int)(b - 1 - p->equation), p->equation, y);
        return other;
    }
    if (ty_rank(other.a) > 1) other.a = ty_swap(other.a, -1, -2);
    if (ty_rank(other.b) > 1) other.b = ty_swap(other.b, -1, -2);
    return other;
}

static void check_swapped(const struct product *p, double relative, double absolute) {
    char equation[64];
    struct product other = swapped(p, equation);
    compare_engines(multiply, &other, relative, absolute, "swapped %s", p->equation ? p->equation : "matmul");
    ty_tensor *one = multiply(p), *two = multiply(&other);
    if (!p->equation && ty_rank(p->a) > 1 && ty_rank(p->b) > 1) two = ty_swap(two, -1, -2);
    compare_near(two, one, 2 * relative, 2 * absolute, "swapped %s", p->equation ? p->equation : "matmul");
}

/* Check the product on every engine and instruction set, and with operands swapped. */
#define check_product(p, relative, absolute, ...)                                                            \
    (compare_engines(multiply, p, relative, absolute, __VA_ARGS__), check_swapped(p, relative, absolute))

static void known_products(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        ty_tensor *a = ty_from(TY_I32, TY_SHAPE(2, 2), (int32_t[]){1, 2, 3, 4}),
                  *v = ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){5, 6});
        compare_numbers(ty_matmul(a, a), NUMBERS(7, 10, 15, 22), "matrix times matrix");
        compare_numbers(ty_matmul(a, v), NUMBERS(17, 39), "matrix times vector");
        compare_numbers(ty_matmul(v, a), NUMBERS(23, 34), "vector times matrix");
        compare_numbers(ty_matmul(v, v), NUMBERS(61), "vector times vector");
        compare_numbers(ty_dot_product(a, v), NUMBERS(17, 39), "over the last axis of both");
    }
}

/* Sizes around the blocks of a GEMM kernel agree with three loops. */
static void matmul_sizes(void) {
    static const int64_t sizes[][3] = {{1, 1, 1},    {2, 3, 4},    {7, 1, 9},    {1, 300, 1},   {16, 16, 16},
                                       {17, 33, 15}, {31, 64, 65}, {64, 7, 129}, {130, 257, 3}, {5, 1000, 6},
                                       {96, 96, 96}, {3, 0, 4},    {0, 3, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct test_round round = test_round();
        int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
        struct product p = {NULL, sample_shape(TY_F64, TY_SHAPE(m, k), 0, 1),
                            sample_shape(TY_F64, TY_SHAPE(k, n), 0, 1)};
        double *a = numbers_of(p.a), *b = numbers_of(p.b), *c = test_room((size_t)(m * n) * sizeof *c);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++) c[i * n + j] += a[i * k + l] * b[l * n + j];
        ty_tensor *want = tensor_of(TY_F64, TY_SHAPE(m, n), c);
        compare_near(multiply(&p), want, 1e-13, 0, "%d x %d x %d", (int)m, (int)k, (int)n);
        check_product(&p, bound_of(TY_F64, k), 0, "%d x %d x %d", (int)m, (int)k, (int)n);
        p.a = ty_cast(p.a, TY_F32);
        p.b = ty_cast(p.b, TY_F32);
        check_product(&p, bound_of(TY_F32, k), 0, "f32 %d x %d x %d", (int)m, (int)k, (int)n);
        test_round_end(round);
    }
}

static void matmul_dtypes(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int k = 1; k < 60; k += 19) {
            struct test_round round = test_round();
            struct product p = {NULL, sample_shape((ty_dtype)dtype, TY_SHAPE(13, k), 0.5, 3),
                                sample_shape((ty_dtype)dtype, TY_SHAPE(k, 21), 0.5, 3)};
            double terms = dtype_is((ty_dtype)dtype, CLASS_COMPLEX) ? 30 * k : k; /* complex terms cancel */
            check_product(&p, bound_of((ty_dtype)dtype, (int64_t)terms),
                          terms * relative_ulp((ty_dtype)dtype), "%s with %d terms",
                          ty_dtype_name((ty_dtype)dtype), k);
            test_round_end(round);
        }
    ty_tensor *large = ty_full(TY_I8, TY_SHAPE(2, 2), 100);
    compare_numbers(ty_matmul(large, large), NUMBERS(32, 32, 32, 32),
                    "20000 modulo 256 is 32: integers keep their dtype");
}

/* Every pair of layouts of a 3 x 5 and a 5 x 3 matrix, and batches that broadcast. */
static void matmul_layouts(void) {
    for (int i = 0; i < LAYOUT_SCALAR; i++)
        for (int j = 0; j < LAYOUT_SCALAR; j++) {
            if (i == LAYOUT_SIZE_ONE || j == LAYOUT_SIZE_ONE) continue;
            struct test_round round = test_round();
            struct product p = {NULL, sample(TY_F32, (enum sample_layout)i, 0, 1),
                                ty_transpose(sample(TY_F32, (enum sample_layout)j, 0, 1))};
            check_product(&p, 1e-6, 0, "%s times transposed %s", sample_layout_name((enum sample_layout)i),
                          sample_layout_name((enum sample_layout)j));
            test_round_end(round);
        }
    static const int64_t batches[][2][4] = {
        {{1, 4, 6, 5}, {3, 1, 5, 7}}, {{2, 3, 4, 5}, {2, 3, 5, 4}}, {{1, 1, 9, 2}, {4, 2, 2, 3}}};
    for (int i = 0; i < 3; i++) {
        struct product p = {NULL, sample_shape(TY_F64, 4, batches[i][0], 0, 1),
                            sample_shape(TY_F64, 4, batches[i][1], 0, 1)};
        check_product(&p, 1e-14, 0, "batches %d", i);
        p.b = ty_squeeze(ty_slice(p.b, 0, 0, 1, 1), 0);
        check_product(&p, 1e-14, 0, "batches of different rank %d", i);
    }
}

static void matmul_widths(void) {
    static const int widths[] = {1, 2, 3, 8};
    static const int64_t sizes[][3] = {{200, 300, 150}, {1, 4000, 64}, {513, 129, 1}, {40, 3000, 40}};
    for (int s = 0; s < 4; s++) {
        struct test_round round = test_round();
        ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){sizes[s][0], sizes[s][1]}, -1, 1);
        ty_tensor *b = sample_shape(TY_F32, 2, (int64_t[]){sizes[s][1], sizes[s][2]}, -1, 1), *first = NULL;
        for (int w = 0; w < 4; w++) {
            ty_set_threads(widths[w]);
            ty_tensor *y = ty_matmul(a, b);
            first = first ? first : y;
            compare_bits(y, first, "size %d, %d threads", s, widths[w]);
        }
        test_round_end(round);
    }
}

static void einsum_equations(void) {
    static const struct {
        const char *equation;
        int ra, rb;
        int64_t a[4], b[4];
    } rows[] = {
        {"ij,jk->ik", 2, 2, {3, 4}, {4, 5}},
        {"ij,jk->ki", 2, 2, {3, 4}, {4, 5}},
        {"ij,kj->ik", 2, 2, {3, 4}, {5, 4}},
        {"bij,bjk->bik", 3, 3, {2, 3, 4}, {2, 4, 5}},
        {"i,j->ij", 1, 1, {3}, {4}},
        {"ij,ij->", 2, 2, {3, 4}, {3, 4}},
        {"ij,ij->ij", 2, 2, {3, 4}, {3, 4}},
        {"ij,j->i", 2, 1, {3, 4}, {4}},
        {"ij,k->", 2, 1, {3, 4}, {5}},
        {"ijk,k->ji", 3, 1, {2, 3, 4}, {4}},
        {"abcd,cd->ab", 4, 2, {2, 3, 4, 5}, {4, 5}},
        {"Za,aZ->Z", 2, 2, {3, 4}, {4, 3}},
        {"ij,jk->ik", 2, 2, {3, 1}, {4, 5}},
        {"bij,bjk->bik", 3, 3, {1, 3, 4}, {6, 4, 5}},
        {"abc,cbd->dab", 3, 3, {2, 3, 4}, {4, 3, 5}},
        {",->", 0, 0, {0}, {0}},
        {"i,->i", 1, 0, {7}, {0}},
        {"ij,jk->", 2, 2, {3, 4}, {4, 5}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        struct product p = {rows[i].equation, sample_shape(TY_F64, rows[i].ra, rows[i].a, 0, 1),
                            sample_shape(TY_F64, rows[i].rb, rows[i].b, 0, 1)};
        check_product(&p, 1e-14, 0, "%s", rows[i].equation);
        test_round_end(round);
    }
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 2, 3, 4}),
              *b = ty_from(TY_F64, TY_SHAPE(2), (double[]){10, 1});
    compare_numbers(ty_einsum("ij,j->i", a, b), NUMBERS(12, 34), "matrix times vector");
    compare_numbers(ty_einsum("ij,i->j", a, b), NUMBERS(13, 24), "transposed matrix times vector");
    compare_numbers(ty_einsum("ij,k->", a, b), NUMBERS(110), "a sum of all products");
    compare_numbers(ty_einsum("kj,k", a, b), NUMBERS(13, 24),
                    "without an arrow the letters that occur once stay");
    compare_numbers(ty_einsum("...j,j->...", a, b), NUMBERS(12, 34), "an ellipsis stands for the other axes");
}

/* Random letters in random order with random sizes. */
static void einsum_random(void) {
    for (int i = 0; i < 200; i++) {
        struct test_round round = test_round();
        char text[32];
        int64_t size[6], shape[2][4];
        int rank[2] = {(int)test_between(0, 4), (int)test_between(0, 4)}, n = 0, out = 0;
        bool used[6] = {false};
        for (int l = 0; l < 6; l++) size[l] = test_between(1, 6);
        for (int operand = 0; operand < 2; operand++) {
            bool here[6] = {false};
            for (int axis = 0; axis < rank[operand]; axis++) {
                int l;
                do l = (int)test_between(0, 5);
                while (here[l]);
                here[l] = used[l] = true;
                shape[operand][axis] = test_between(0, 9) == 0 ? 1 : size[l];
                text[n++] = (char)('a' + l);
            }
            text[n++] = operand ? '-' : ',';
        }
        text[n++] = '>';
        for (int l = 5; l >= 0; l--)
            if (used[l] && out < 4 && test_between(0, 1)) {
                text[n++] = (char)('a' + l);
                out++;
            }
        text[n] = 0;
        ty_dtype dtype = i % 4 == 0 ? TY_I32 : i % 4 == 1 ? TY_F32 : TY_F64;
        struct product p = {text, sample_shape(dtype, rank[0], shape[0], 0, 3),
                            sample_shape(dtype, rank[1], shape[1], 0, 3)};
        if (i % 3 == 0 && rank[0]) p.a = ty_flip(p.a, 0);
        check_product(&p, bound_of(dtype, 1000), 0, "einsum case %d: %s", i, text);
        test_round_end(round);
    }
}

static void product_errors(void) {
    ty_tensor *a = ty_zeros(TY_F32, TY_SHAPE(2, 3)), *b = ty_zeros(TY_F32, TY_SHAPE(4, 5));
    CHECK_POISON(ty_matmul(a, b), "f32[2,3]");
    CHECK_POISON(ty_matmul(a, b), "f32[4,5]");
    CHECK_POISON(ty_matmul(a, ty_num(1)), "matmul");
    CHECK_POISON(ty_einsum("ij,jk->ik", a, b), "j");
    CHECK_POISON(ty_einsum("ij,jk->iz", a, ty_transpose(a)), "z");
    CHECK_POISON(ty_einsum("ijk,jk->i", a, a), "ijk");
    CHECK_POISON(ty_einsum("i1,jk->", a, a), "1");
    CHECK_POISON(ty_einsum("ii,jk->", a, a), "i");
    CHECK_POISON(ty_einsum("ij,jk->ii", a, ty_zeros(TY_F32, TY_SHAPE(3, 2))), "i");
    CHECK_POISON(ty_dot_product(a, b), "f32[4,5]");
}

/* ---- convolution ------------------------------------------------------------------------------------- */

struct convolution {
    ty_tensor *x, *w;
    ty_conv options;
};

static ty_tensor *convolve(const void *context) {
    const struct convolution *c = context;
    return ty_conv2d(c->x, c->w, c->options);
}

/* Compute by seven loops the cross-correlation of x (N,H,W,C) with w (R,S,C,K). */
static ty_tensor *convolve_naively(const struct convolution *v) {
    const int64_t *xs = ty_shape(CHECK_OK(v->x)), *ws = ty_shape(CHECK_OK(v->w));
    const ty_conv *o = &v->options;
    int64_t height = (xs[1] + o->low[0] + o->high[0] - (ws[0] - 1) * o->dilation[0] - 1) / o->stride[0] + 1;
    int64_t width = (xs[2] + o->low[1] + o->high[1] - (ws[1] - 1) * o->dilation[1] - 1) / o->stride[1] + 1;
    double *x = numbers_of(v->x), *w = numbers_of(v->w);
    double *y = test_room((size_t)(xs[0] * height * width * ws[3]) * sizeof *y), *at = y;
    for (int64_t n = 0; n < xs[0]; n++)
        for (int64_t i = 0; i < height; i++)
            for (int64_t j = 0; j < width; j++)
                for (int64_t k = 0; k < ws[3]; k++, at++)
                    for (int64_t r = 0; r < ws[0]; r++)
                        for (int64_t s = 0; s < ws[1]; s++)
                            for (int64_t c = 0; c < ws[2]; c++) {
                                int64_t row = i * o->stride[0] + r * o->dilation[0] - o->low[0];
                                int64_t column = j * o->stride[1] + s * o->dilation[1] - o->low[1];
                                if (row >= 0 && row < xs[1] && column >= 0 && column < xs[2])
                                    *at += x[((n * xs[1] + row) * xs[2] + column) * xs[3] + c] *
                                           w[((r * ws[1] + s) * ws[2] + c) * ws[3] + k];
                            }
    return tensor_of(ty_dtype_of(v->x), TY_SHAPE(xs[0], height, width, ws[3]), y);
}

static void conv2d_random(void) {
    for (int i = 0; i < 100; i++) {
        struct test_round round = test_round();
        ty_dtype dtype = i % 4 == 0 ? TY_I32 : i % 4 == 1 ? TY_F64 : TY_F32;
        int64_t r = test_between(1, 4), s = test_between(1, 4), channels = test_between(1, 5);
        struct convolution c = {.options = {.stride = {test_between(1, 3), test_between(1, 3)},
                                            .dilation = {test_between(1, 2), test_between(1, 2)},
                                            .low = {test_between(0, 2), test_between(0, 2)},
                                            .high = {test_between(0, 2), test_between(0, 2)}}};
        int64_t height = (r - 1) * c.options.dilation[0] + test_between(1, 8);
        int64_t width = (s - 1) * c.options.dilation[1] + test_between(1, 8);
        c.x = sample_shape(dtype, TY_SHAPE(test_between(1, 3), height, width, channels), 0, 3);
        c.w = sample_shape(dtype, TY_SHAPE(r, s, channels, test_between(1, 6)), 0, 3);
        double relative = bound_of(dtype, r * s * channels);
        compare_near(convolve(&c), convolve_naively(&c), relative, 0, "conv2d case %d", i);
        compare_engines(convolve, &c, relative, 0, "conv2d case %d", i);
        test_round_end(round);
    }
}

static void conv2d_same(void) {
    ty_tensor *w = ty_ones(TY_F32, TY_SHAPE(3, 3, 1, 1)), *x = ty_ones(TY_F32, TY_SHAPE(1, 3, 3, 1));
    compare_numbers(ty_conv2d(x, w, (ty_conv){.same = true}), NUMBERS(4, 6, 4, 6, 9, 6, 4, 6, 4),
                    "same, 3 x 3");
    for (int64_t size = 1; size < 9; size++)
        for (int64_t stride = 1; stride < 4; stride++) {
            struct test_round round = test_round();
            ty_tensor *y = CHECK_OK(ty_conv2d(ty_ones(TY_F32, TY_SHAPE(1, size, size, 1)), w,
                                              (ty_conv){.stride = {stride, stride}, .same = true}));
            int64_t want = (size + stride - 1) / stride;
            CHECK(ty_shape(y)[1] == want && ty_shape(y)[2] == want,
                  "size %d, stride %d gives %d, expected %d", (int)size, (int)stride, (int)ty_shape(y)[1],
                  (int)want);
            int64_t total = (want - 1) * stride + 3 - size, low = total > 0 ? total / 2 : 0,
                    high = total > 0 ? total - low : 0;
            ty_conv explicit = {.stride = {stride, stride}, .low = {low, low}, .high = {high, high}};
            compare_bits(y, ty_conv2d(ty_ones(TY_F32, TY_SHAPE(1, size, size, 1)), w, explicit),
                         "size %d, stride %d", (int)size, (int)stride);
            test_round_end(round);
        }
}

/* ---- pools -------------------------------------------------------------------------------------------- */

struct pooling {
    ty_tensor *x, *g;
    ty_pool options;
    ty_tensor *(*pool)(ty_tensor *x, ty_pool options);
};

static ty_tensor *pool_it(const void *context) {
    const struct pooling *p = context;
    return p->pool(p->x, p->options);
}

/* Compute by loops the greatest element of each window and its index; x is (N,C,H,W) or (N,H,W,C). */
static void pool_naively(const struct pooling *p, ty_tensor **greatest, ty_tensor **place) {
    const ty_pool *o = &p->options;
    int axis = o->nchw ? 2 : 1, other = o->nchw ? 1 : 3;
    const int64_t *xs = ty_shape(CHECK_OK(p->x));
    int64_t rows = xs[axis], columns = xs[axis + 1], ys[4] = {xs[0], xs[1], xs[2], xs[3]};
    ys[axis] = (rows + o->low[0] + o->high[0] - o->size[0]) / o->stride[0] + 1;
    ys[axis + 1] = (columns + o->low[1] + o->high[1] - o->size[1]) / o->stride[1] + 1;
    double *x = numbers_of(p->x);
    size_t bytes = (size_t)shape_size(4, ys) * sizeof(double);
    double *best = test_room(bytes), *where = test_room(bytes);
    int64_t step = o->nchw ? 1 : xs[3], y_step = o->nchw ? 1 : ys[3];
    for (int64_t n = 0; n < xs[0]; n++)
        for (int64_t c = 0; c < xs[other]; c++)
            for (int64_t i = 0; i < ys[axis]; i++)
                for (int64_t j = 0; j < ys[axis + 1]; j++) {
                    int64_t x_base =
                        o->nchw ? (n * xs[1] + c) * rows * columns : n * rows * columns * xs[3] + c;
                    int64_t y_base =
                        o->nchw ? (n * xs[1] + c) * ys[2] * ys[3] : n * ys[1] * ys[2] * ys[3] + c;
                    int64_t at = y_base + (i * ys[axis + 1] + j) * y_step;
                    bool found = false;
                    for (int64_t r = 0; r < o->size[0]; r++)
                        for (int64_t s = 0; s < o->size[1]; s++) {
                            int64_t row = i * o->stride[0] + r - o->low[0],
                                    column = j * o->stride[1] + s - o->low[1];
                            if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
                            double value = x[x_base + (row * columns + column) * step];
                            if (!found || value > best[at]) {
                                best[at] = value;
                                where[at] = (double)(row * columns + column);
                            }
                            found = true;
                        }
                }
    *greatest = tensor_of(ty_dtype_of(p->x), 4, ys, best);
    *place = tensor_of(TY_I64, 4, ys, where);
}

static struct pooling random_pooling(int i) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_U8, TY_F16, TY_I8};
    struct pooling p = {.options = {.size = {test_between(1, 3), test_between(1, 3)}, .nchw = i % 2}};
    int axis = p.options.nchw ? 2 : 1;
    for (int k = 0; k < 2; k++) {
        p.options.stride[k] = test_between(1, 3);
        p.options.low[k] = test_between(0, p.options.size[k] - 1);
        p.options.high[k] = test_between(0, p.options.size[k] - 1);
    }
    int64_t shape[4] = {test_between(1, 3), test_between(1, 4), test_between(1, 4), test_between(1, 20)};
    shape[axis] = test_between(p.options.size[0], 9);
    shape[axis + 1] = test_between(p.options.size[1], 9);
    p.x = sample_shape(dtypes[i % 6], 4, shape, -100, -1); /* padding must not exceed negative data */
    if (i % 5 == 0) p.x = ty_flip(p.x, axis);
    if (i % 7 == 0) p.x = ty_permute(ty_permute(p.x, (int[]){0, 1, 3, 2}), (int[]){0, 1, 3, 2});
    return p;
}

static void pool_random(void) {
    for (int i = 0; i < 120; i++) {
        struct test_round round = test_round();
        struct pooling p = random_pooling(i);
        ty_tensor *greatest, *place;
        pool_naively(&p, &greatest, &place);
        p.pool = ty_max_pool2d;
        compare_bits(pool_it(&p), greatest, "max_pool2d case %d", i);
        compare_engines(pool_it, &p, 0, 0, "max_pool2d case %d", i);
        p.pool = ty_max_pool2d_index;
        compare_bits(pool_it(&p), place, "max_pool2d_index case %d", i);
        compare_engines(pool_it, &p, 0, 0, "max_pool2d_index case %d", i);
        test_round_end(round);
    }
}

static void pool_known(void) {
    static const char *const engines[] = {"cpu", "ref"};
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, 2, 4, 1), (float[]){-1, -2, NAN, -4, -5, -1, -7, -8});
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        compare_numbers(ty_max_pool2d(x, (ty_pool){.size = {2, 2}}), NUMBERS(-1, (double)NAN), "NaN wins");
        compare_numbers(ty_max_pool2d_index(x, (ty_pool){.size = {2, 2}}), NUMBERS(0, 2),
                        "the first of equals");
        ty_tensor *same = CHECK_OK(ty_max_pool2d(ty_full(TY_F32, TY_SHAPE(1, 3, 3, 1), -3),
                                                 (ty_pool){.size = {2, 2}, .same = true}));
        compare_numbers(same, NUMBERS(-3, -3, -3, -3), "padding is minus infinity");
    }
}

/* Compute d(max_pool . g)/dx, which puts g at the maxima; differentiated by g it reads there again. */
static ty_tensor *unpool_it(const void *context) {
    const struct pooling *p = context;
    ty_tensor *x = ty_track(p->x, "x"), *gradient;
    ty_vjp(ty_max_pool2d(x, p->options), p->g, 1, &x, &gradient);
    return gradient;
}

static ty_tensor *pool_take_it(const void *context) {
    const struct pooling *p = context;
    ty_tensor *x = ty_track(p->x, "x"), *g = ty_track(p->g, "g"), *gradient, *twice;
    ty_vjp(ty_max_pool2d(x, p->options), g, 1, &x, &gradient);
    ty_vjp(gradient, p->x, 1, &g, &twice);
    return twice;
}

static void pool_gradients(void) {
    for (int i = 0; i < 120; i++) {
        struct test_round round = test_round();
        struct pooling p = random_pooling(i);
        if (dtype_is(ty_dtype_of(p.x), CLASS_FLOAT)) {
            ty_tensor *y = CHECK_OK(ty_max_pool2d(p.x, p.options)), *greatest, *place;
            p.g = sample_shape(ty_dtype_of(y), 4, ty_shape(y), 0, 1);
            compare_engines(unpool_it, &p, 4 * relative_ulp(ty_dtype_of(y)), 0, "unpool case %d", i);
            compare_engines(pool_take_it, &p, 0, 0, "pool_take case %d", i);
            pool_naively(&p, &greatest, &place);
            compare_bits(pool_take_it(&p), greatest, "x at the places is the maximum, case %d", i);
        }
        test_round_end(round);
    }
}

static void average_pool(void) {
    ty_tensor *x = ty_reshape(ty_steps(TY_F32, 1, 1, 9), TY_SHAPE(1, 3, 3, 1));
    ty_pool o = {.size = {2, 2}, .stride = {1, 1}};
    compare_numbers(ty_avg_pool2d(x, o), NUMBERS(3, 4, 6, 7), "inside");
    o.low[0] = o.low[1] = 1;
    compare_numbers(ty_slice(ty_avg_pool2d(x, o), 1, 0, 1, 1), NUMBERS(1, 1.5, 2.5),
                    "the border counts what is there");
    o.count_padding = true;
    compare_numbers(ty_slice(ty_avg_pool2d(x, o), 1, 0, 1, 1), NUMBERS(0.25, 0.75, 1.25),
                    "or the whole window");
    struct pooling p = {
        .x = sample_shape(TY_F64, TY_SHAPE(2, 3, 7, 6), 0, 1),
        .pool = ty_avg_pool2d,
        .options = {.size = {3, 2}, .stride = {2, 1}, .low = {1, 0}, .high = {1, 1}, .nchw = true}};
    compare_engines(pool_it, &p, 1e-14, 0, "NCHW");
    p.options = (ty_pool){.size = {2, 2}, .same = true};
    compare_engines(pool_it, &p, 1e-14, 0, "same");
}

static void window_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 4, 4, 3));
    CHECK_POISON(ty_conv2d(x, ty_zeros(TY_F32, TY_SHAPE(3, 3, 2, 8)), (ty_conv){.same = false}),
                 "f32[1,4,4,3]");
    CHECK_POISON(ty_conv2d(x, ty_zeros(TY_F32, TY_SHAPE(5, 5, 3, 8)), (ty_conv){.same = false}), "conv2d");
    CHECK_POISON(ty_conv2d(ty_zeros(TY_F32, TY_SHAPE(4, 4)), x, (ty_conv){.same = false}), "f32[4,4]");
    CHECK_POISON(ty_conv2d(x, ty_zeros(TY_F32, TY_SHAPE(3, 3, 3, 8)), (ty_conv){.stride = {-1, 1}}),
                 "stride");
    CHECK_POISON(ty_max_pool2d(x, (ty_pool){.size = {5, 5}}), "max_pool2d");
    CHECK_POISON(ty_max_pool2d(x, (ty_pool){.size = {0, 2}}), "max_pool2d");
    CHECK_POISON(ty_max_pool2d(ty_zeros(TY_F32, TY_SHAPE(4, 4)), (ty_pool){.size = {2, 2}}), "f32[4,4]");
    CHECK_POISON(ty_avg_pool2d(x, (ty_pool){.size = {5, 5}}), "avg_pool2d");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/contract/contract.def"
};
TESTS_MAIN_TABLE(cases)
