/*
 * Products of few rows with matrices of f16 and bf16, which kernels read in place and widen. Sums are made in f32, in
 * the order of f32, so the result is that of the widened operands, rounded, to the bit: on each instruction set, with
 * any number of threads (test_brgemm compares generated code). The engine `ref` adds in another order, so it agrees
 * nearly.
 */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>
#include "array/dtype.h"
#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Kinds of elements: uniform in (-1, 1); mostly subnormal; uniform with some NaN and infinities; any finite
   bits; terms that cancel, so that rounding errors of sums are all that is left of them. */
enum elements { UNIFORM, SUBNORMAL, SPECIAL, FINITE, CANCELLING, ELEMENTS };

/*
 * out[b, m, n] = sum over k of x[b, m, k] * w[b, k, n].
 *
 * turned: w is stored [b, n, k]. skipped: leading elements of w's memory; gap: elements between its rows. by: the batch
 * of w has stride 0, as its one matrix is repeated. fused: a bias is added, and negative sums become 0.
 */
struct product {
    ty_dtype dtype;
    int64_t b, m, n, k, skipped, gap;
    bool turned, repeated, fused;
    enum elements elements;
    ty_tensor *x, *w, *bias; /* in dtype; w: its memory, of rank 1 */
};

static uint16_t half_bits(const struct product *p) {
    bool narrow = p->dtype == TY_BF16;
    uint16_t sign = (uint16_t)(test_random() & 0x8000), infinity = narrow ? 0x7f80 : 0x7c00,
             mantissa = narrow ? 0x7f : 0x3ff;
    int chance = (int)test_between(0, 39);
    if (p->elements == SUBNORMAL && chance > 3) return (uint16_t)(sign | (test_random() & mantissa));
    if (p->elements == SPECIAL && chance == 0) return sign | infinity;
    if (p->elements == SPECIAL && chance == 1)
        return (uint16_t)(sign | infinity | 1 | (test_random() & mantissa));
    if (p->elements == FINITE) return (uint16_t)(sign | test_between(0, infinity - 1));
    float x = (float)test_uniform(-1, 1) * (p->elements == CANCELLING ? 256 : 1);
    return narrow ? f32_to_bf16(x) : f32_to_f16(x);
}

/* Set the last elements of a line, n that lie `step` elements apart, to the first ones in reverse order, with signs
   changed by `sign`. */
static void mirror(uint16_t *line, int64_t n, int64_t step, uint16_t sign) {
    for (int64_t i = 0; i < n / 2; i++) line[(n - 1 - i) * step] = line[i * step] ^ sign;
}

static uint16_t *draw(const struct product *p, int64_t n) {
    uint16_t *room = test_room((size_t)n * sizeof *room);
    for (int64_t i = 0; i < n; i++) room[i] = half_bits(p);
    return room;
}

static void fill(struct product *p) {
    int64_t all = p->repeated ? 1 : p->b, rows = p->turned ? p->n : p->k,
            row = (p->turned ? p->k : p->n) + p->gap, size = p->skipped + all * rows * row;
    uint16_t *x = draw(p, p->b * p->m * p->k), *w = draw(p, size);
    bool cancels = p->elements == CANCELLING;
    for (int64_t i = 0; cancels && i < p->b * p->m; i++) mirror(x + i * p->k, p->k, 1, 0);
    for (int64_t i = 0; cancels && i < all * p->n; i++) {
        int64_t first = i / p->n * rows * row + i % p->n * (p->turned ? row : 1);
        mirror(w + p->skipped + first, p->k, p->turned ? 1 : row, 0x8000);
    }
    p->x = CHECK_OK(ty_from(p->dtype, 3, (int64_t[]){p->b, p->m, p->k}, x));
    p->w = CHECK_OK(ty_from(p->dtype, 1, &size, w));
    p->bias = CHECK_OK(ty_from(p->dtype, 1, &p->n, draw(p, p->n)));
}

/* Return x and the matrices of w as views of the tensors, cast to `dtype`, and their product. */
static ty_tensor *multiply_in(const struct product *p, ty_dtype dtype) {
    int64_t rows = p->turned ? p->n : p->k, row = p->turned ? p->k : p->n, all = p->repeated ? 1 : p->b;
    ty_tensor *x = ty_eval(ty_cast(p->x, dtype)), *w = ty_eval(ty_cast(p->w, dtype));
    w = ty_slice(w, 0, p->skipped, p->skipped + all * rows * (row + p->gap), 1);
    w = ty_slice(ty_reshape(w, 3, (int64_t[]){all, rows, row + p->gap}), 2, 0, row, 1);
    if (p->repeated) w = ty_broadcast(w, 3, (int64_t[]){p->b, rows, row});
    return ty_matmul(x, p->turned ? ty_swap(w, 1, 2) : w);
}

static ty_tensor *compute(const void *context) {
    const struct product *p = context;
    ty_tensor *y = multiply_in(p, p->dtype);
    return p->fused ? ty_relu(ty_add(y, p->bias)) : y;
}

/* Return the fused product by a compiled program, whose operands are promises. */
static ty_tensor *compute_compiled(const struct product *p) {
    struct product lazy = *p;
    lazy.x = ty_var(p->x, "x"), lazy.w = ty_var(p->w, "w"), lazy.bias = ty_var(p->bias, "bias");
    return CHECK_OK(ty_eval(compute(&lazy)));
}

static ty_tensor *expected(const struct product *p) {
    ty_tensor *y = ty_cast(CHECK_OK(ty_eval(multiply_in(p, TY_F32))), p->dtype);
    return CHECK_OK(ty_eval(p->fused ? ty_relu(ty_add(y, p->bias)) : y));
}

static void say(const void *context, char *out, size_t size) {
    const struct product *p = context;
    snprintf(out, size,
             "%s, %lld of %lld x %lld x %lld, skipped %lld, gap %lld, turned %d, repeated %d, fused %d, "
             "elements %d",
             ty_dtype_name(p->dtype), (long long)p->b, (long long)p->m, (long long)p->k, (long long)p->n,
             (long long)p->skipped, (long long)p->gap, p->turned, p->repeated, p->fused, (int)p->elements);
}

static void check(struct product p) {
    struct test_round round = test_round();
    test_explain(say, &p);
    fill(&p);
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        ty_set_threads(1);
        ty_tensor *want = expected(&p);
        for (int threads = 1; threads <= 3; threads += 2) {
            ty_set_threads(threads);
            ty_tensor *got = p.fused ? compute_compiled(&p) : CHECK_OK(ty_eval(compute(&p)));
            compare_bits(got, want, "%s, %d threads", isa_name((enum isa)isa), threads);
        }
    }
    ty_set_threads(0);
    isa_force(isa_best());
    double each = relative_ulp(p.dtype);
    if (p.elements == UNIFORM && !p.fused)
        compare_engines(compute, &p, 2 * each, 2 * each * (double)p.k / 16, "engines");
    test_round_end(round);
}

static ty_dtype either(void) { return test_between(0, 1) ? TY_F16 : TY_BF16; }

/* All sizes of K and of columns up to 70, some rows, in turn. */
static void one_row(void) {
    int step = test_some(1, 9, 70);
    for (int64_t k = 1; k <= 70; k += step)
        for (int64_t n = test_between(1, step < 6 ? 6 : step); n <= 70; n += test_between(1, 11))
            check((struct product){either(), 1, 1, n, k, .turned = test_between(0, 1),
                                   .elements = (enum elements)test_between(0, ELEMENTS - 1)});
}

static void few_rows(void) {
    for (int i = 0; i < test_some(300, 40, 2); i++)
        check((struct product){either(), 1, test_between(2, 20), test_between(1, 70), test_between(1, 70),
                               .turned = test_between(0, 1),
                               .elements = (enum elements)test_between(0, ELEMENTS - 1)});
}

/* Odd addresses, rows with gaps, several matrices and one that repeats. */
static void views_and_batches(void) {
    for (int i = 0; i < test_some(300, 40, 2); i++) {
        int64_t gap = test_between(0, 3) * test_between(0, 5);
        check((struct product){either(), test_between(1, 4), test_between(1, 9), test_between(1, 70),
                               test_between(1, 70), test_between(0, 9), gap, .turned = test_between(0, 1),
                               .repeated = test_between(0, 1),
                               .elements = (enum elements)test_between(0, ELEMENTS - 1)});
    }
}

static void epilogues(void) {
    for (int i = 0; i < test_some(100, 20, 2); i++)
        check((struct product){either(), test_between(1, 2), test_between(1, 9), test_between(1, 70),
                               test_between(1, 70), test_between(0, 1), .turned = test_between(0, 1),
                               .fused = true, .elements = (enum elements)test_between(0, ELEMENTS - 1)});
}

/* Several blocks of K and of columns, and the ends of vectors. */
static void large(void) {
    static const int64_t sizes[][2] = {{768, 1027}, {4097, 33}, {9000, 5}, {300, 4099},
                                       {5000, 1},   {31, 9},    {32, 9},   {33, 9}};
    if (test_starving() || test_stand_in("nests")) return; /* nests take minutes */
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++)
        for (int64_t m = 1; m <= 8; m += 7)
            for (int turned = 0; turned < 2; turned++)
                check((struct product){i + turned == 1 ? TY_F16 : either(), 1, m, sizes[i][1], sizes[i][0],
                                       .turned = turned, .elements = m > 1 ? CANCELLING : UNIFORM});
}

TESTS_MAIN(TEST(one_row), TEST(few_rows), TEST(views_and_batches), TEST(epilogues), TEST(large))
