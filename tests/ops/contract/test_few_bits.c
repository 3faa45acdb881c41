/*
 * Products with matrices of numbers of few bits: the order of sums to the bit against the loop that defines it, on each
 * instruction set and several threads; the reference; promises, gradients, batches, wrong operands.
 */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>
#include "base/machine/isa.h"
#include "engine/cpu/madd.h"
#include "tests/support/compare.h"
#include "tests/support/examples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/few_bits_samples.h"
#include "tests/support/samples/sample.h"

/* ---- the order of sums ---- */

/* Operands in memory, and whether products are rounded before they are added. */
struct model {
    const uint8_t *codes;
    const float *table, *a, *scale, *zero;
    int64_t m, n, depth, bytes, blocks;
    bool fused;
};

static float times_plus(const struct model *d, float a, float b, float c) {
    volatile float product = a * b;
    return d->fused ? fmaf(a, b, c) : product + c;
}

static float model_of(const struct model *d, const struct few_bits *p, int64_t m, int64_t n) {
    int64_t word = FEW_BITS_WORD / p->bits;
    float y[FEW_BITS_LANES] = {0};
    for (int64_t begin = 0, lane = 0; begin < (d->depth + word * 16 - 1) / (word * 16) * word * 16;
         begin += word, lane = (lane + 1) % FEW_BITS_LANES) {
        int64_t at = n * d->blocks + begin / p->block;
        bool inside = begin < d->depth;
        float sum = 0, zero = d->zero && inside ? d->zero[at] : 0;
        for (int64_t k = begin; k < begin + word; k++) {
            int code = k < d->depth ? d->codes[n * d->bytes + k * p->bits / 8] >> (k * p->bits % 8) &
                                          ((1 << p->bits) - 1)
                                    : 0;
            sum = times_plus(d, k < d->depth ? d->a[m * d->depth + k] : 0, d->table[code] - zero, sum);
        }
        y[lane] = times_plus(d, inside ? d->scale[at] : 0, sum, y[lane]);
    }
    for (int half = FEW_BITS_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) y[i] += y[i + half];
    return y[0];
}

/* Return the product by the model, rounded as the instruction set does. */
static ty_tensor *by_model(const struct few_bits *p, bool fused) {
    struct model d = {.codes = ty_data(p->codes),
                      .table = ty_data(p->table),
                      .a = ty_data(p->a),
                      .scale = ty_data(p->scale),
                      .zero = p->zero ? ty_data(p->zero) : NULL,
                      .m = ty_shape(p->a)[0],
                      .n = ty_shape(p->codes)[0],
                      .depth = ty_shape(p->a)[1],
                      .bytes = ty_shape(p->codes)[1],
                      .blocks = ty_shape(p->scale)[1],
                      .fused = fused};
    float *y = test_room((size_t)(d.m * d.n + 1) * sizeof *y);
    if (!d.codes || !d.table || !d.a || !d.scale || (p->zero && !d.zero))
        return ty_zeros(TY_F32, TY_SHAPE(d.m, d.n)); /* of none */
    for (int64_t i = 0; i < d.m * d.n; i++) y[i] = model_of(&d, p, i / d.n, i % d.n);
    return ty_from(TY_F32, TY_SHAPE(d.m, d.n), (const void *)y);
}

static void check_order(int64_t m, int64_t n, int64_t depth, int bits, int64_t block, bool zeros,
                        enum few_bits_table table) {
    struct test_round round = test_round();
    ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){m, depth}, -1, 1);
    struct few_bits p = few_bits_draw(a, n, bits, block, zeros, table, test_between(0, 3));
    ty_tensor *wants[] = {by_model(&p, false), by_model(&p, true)};
    for (int isa = 0; isa <= (int)isa_best(); isa++)
        for (int threads = 1; threads < 4; threads += 2) {
            isa_force((enum isa)isa);
            ty_set_threads(threads);
            compare_bits(few_bits_record(&p), wants[isa > ISA_BASE || HAS_FMA],
                         "%d x %d x %d, %d bits, blocks of %d, zeros %d, table %d, %s, %d threads", (int)m,
                         (int)n, (int)depth, bits, (int)block, zeros, table, isa_name((enum isa)isa),
                         threads);
        }
    isa_force(isa_best());
    ty_set_threads(1);
    test_round_end(round);
}

static const int widths[] = {2, 4, 8};

static void order(void) {
    static const int64_t depths[] = {0, 1, 5, 64, 127, 128, 130, 256, 300, 1000};
    static const int64_t blocks[] = {16, 32, 64, 128, 256, 1000};
    for (int i = 0; i < test_some(200, 60, 8); i++) {
        int bits = widths[i % 3];
        int64_t depth = depths[test_between(0, 9)], block = blocks[test_between(0, 5)];
        if (block == 1000 && depth > block) continue;
        check_order(test_between(0, 17), test_between(0, 40), depth, bits, block, i % 2,
                    (enum few_bits_table)test_between(0, 2));
    }
}

/* More rows than a panel, and more columns than a tile. */
static void panels(void) {
    for (int i = 0; i < 3; i++) check_order(127 + i, 33, 520, widths[i], 64, i == 1, TABLE_ASCENDING);
    check_order(260, 3, 70, 4, 32, true, TABLE_OTHER);
    check_order(3, 70, 4100, 4, 32, true, TABLE_ASCENDING);
}

/* ---- engines, promises, strides ---- */

static ty_tensor *compute(const void *context) { return few_bits_record(context); }

static void engines_agree(void) {
    for (int i = 0; i < test_some(40, 12, 3); i++) {
        struct test_round round = test_round();
        ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){test_between(1, 9), test_between(1, 300)}, -1, 1);
        struct few_bits p = few_bits_draw(a, test_between(1, 9), widths[i % 3], 32, i % 2,
                                          (enum few_bits_table)test_between(0, 2), 0);
        /* numbers of 8 bits are up to 130, and sums have up to 300 terms */
        compare_engines(compute, &p, 1e-5, 1e-3, "%d bits", p.bits);
        test_round_end(round);
    }
}

/* Return x with gaps between its rows. */
static ty_tensor *gapped(ty_tensor *x) {
    return ty_slice(ty_pad(x, (ty_padding[]){{0, 0, 0}, {1, 2, 0}}, ty_scalar(ty_dtype_of(x), 1)), 1, 1,
                    1 + ty_shape(x)[1], 1);
}

static void strided(void) {
    ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){3, 150}, -1, 1);
    struct few_bits p = few_bits_draw(a, 10, 4, 32, true, TABLE_OTHER, 0), q = p;
    ty_tensor *want = CHECK_OK(few_bits_record(&p));
    q.codes = gapped(p.codes), q.scale = gapped(p.scale), q.zero = gapped(p.zero);
    q.a = ty_transpose(ty_contiguous(ty_transpose(p.a)));
    q.table = ty_flip(ty_flip(p.table, 0), 0);
    compare_bits(few_bits_record(&q), want, "strided operands");
    p.scale = ty_broadcast(ty_slice(p.scale, 1, 0, 1, 1), 2, (int64_t[]){10, 5});
    q.scale = ty_contiguous(p.scale);
    q.zero = p.zero = NULL;
    compare_bits(few_bits_record(&q), few_bits_record(&p), "one scale for a row");
}

static void promises(void) {
    ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){5, 150}, -1, 1), *bias = ty_steps(TY_F32, 1, 0.5, 10);
    struct few_bits p = few_bits_draw(a, 10, 4, 32, true, TABLE_ASCENDING, 0), q = p;
    q.a = ty_var(a, "a"), q.codes = ty_lazy(p.codes), q.scale = ty_lazy(p.scale);
    ty_tensor *y = ty_relu(ty_add(few_bits_record(&q), bias)),
              *z = ty_relu(ty_add(few_bits_record(&p), bias));
    compare_bits(ty_eval(y), z, "with an epilogue");
    ty_tensor *parts[] = {few_bits_record(&q), ty_lazy(bias)};
    parts[1] = ty_broadcast(parts[1], 2, (int64_t[]){5, 10});
    ty_tensor *want[] = {few_bits_record(&p), ty_broadcast(bias, 2, (int64_t[]){5, 10})};
    compare_bits(ty_eval(ty_concat(2, parts, 1)), ty_concat(2, want, 1), "into a box");
}

/* ---- gradients: those of a product with the numbers ---- */

static ty_tensor *spread(ty_tensor *x, int64_t block, int64_t depth) {
    return ty_slice(ty_repeat(x, block, 1), 1, 0, depth, 1);
}

/* Return the product from the values of the codes, f64. */
static ty_tensor *by_numbers(const struct few_bits *p, ty_tensor *const *x) {
    int64_t n = ty_shape(p->codes)[0], depth = ty_shape(p->a)[1];
    double *w = test_room((size_t)(n * depth) * sizeof *w);
    const uint8_t *codes = ty_data(p->codes);
    const float *table = ty_data(p->table);
    for (int64_t i = 0; codes && table && i < n * depth; i++) {
        int64_t bit = i % depth * p->bits;
        w[i] = table[codes[i / depth * ty_shape(p->codes)[1] + bit / 8] >> (bit % 8) & ((1 << p->bits) - 1)];
    }
    ty_tensor *q = ty_from(TY_F64, TY_SHAPE(n, depth), (const void *)w);
    if (x[2]) q = ty_sub(q, spread(x[2], p->block, depth));
    return ty_matmul(x[0], ty_transpose(ty_mul(q, spread(x[1], p->block, depth))));
}

static void check_gradients(const struct few_bits *p, ty_tensor *(*leaf)(ty_tensor *x, const char *name)) {
    ty_tensor *x[] = {p->a, p->scale, p->zero}, *wide[3] = {NULL}, *got[3], *want[3];
    int n = p->zero ? 3 : 2;
    for (int i = 0; i < n; i++) {
        wide[i] = leaf(ty_cast(x[i], TY_F64), "wide");
        x[i] = leaf(x[i], "x");
    }
    struct few_bits q = *p;
    q.a = x[0], q.scale = x[1], q.zero = x[2];
    ty_tensor *y = few_bits_record(&q), *z = by_numbers(p, wide);
    ty_tensor *g = ty_steps(TY_F32, -1, 0.01, ty_shape(p->a)[0] * ty_shape(p->codes)[0]);
    g = ty_reshape(g, 2, ty_shape(y));
    CHECK(ty_vjp(y, g, n, x, got) || test_starving(), "%s", ty_error(got[0]));
    CHECK(ty_vjp(z, ty_cast(g, TY_F64), n, wide, want) || test_starving(), "%s", ty_error(want[0]));
    for (int i = 0; i < n; i++)
        compare_near(ty_eval(got[i]), ty_cast(ty_eval(want[i]), TY_F32), 1e-4, 1e-3, "gradient %d, %d bits",
                     i, p->bits);
}

static void gradients(void) {
    for (int i = 0; i < 12; i++) {
        struct test_round round = test_round();
        ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){3, 1 + 33 * (i / 3)}, -1, 1);
        struct few_bits p = few_bits_draw(a, 5, widths[i % 3], 32, i % 2, TABLE_OTHER, i % 4);
        check_gradients(&p, i < 6 ? ty_track : ty_var);
        test_round_end(round);
    }
}

/* ---- batches ---- */

static void products_of_examples(void *context, ty_tensor *const *x, ty_tensor **y) {
    struct few_bits p = *(const struct few_bits *)context;
    p.a = x[0], p.scale = x[1], p.zero = x[2], p.codes = x[3];
    y[0] = few_bits_record(&p);
}

static void examples(void) {
    for (int set = 1; set < 16; set++) {
        struct test_round round = test_round();
        ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){2, 40}, -1, 1);
        struct few_bits p = few_bits_draw(a, 3, widths[set % 3], 32, true, TABLE_ASCENDING, 0);
        ty_tensor *x[] = {p.a, p.scale, p.zero, p.codes};
        int axes[4];
        for (int i = 0; i < 4; i++) {
            axes[i] = set >> i & 1 ? 0 : TY_NO_AXIS;
            /* numbers of examples differ, and are small enough that sums in another order are exact */
            if (i < 2) x[i] = ty_mul(ty_floor(ty_mul(x[i], ty_num(4))), ty_num(0.25));
            if (i == 2) x[i] = ty_floor(x[i]);
            if (axes[i] == 0)
                x[i] = ty_stack(3, (ty_tensor *[]){x[i], ty_flip(x[i], 0), ty_flip(x[i], 1)}, 0);
        }
        examples_check("few_bits", products_of_examples, &p, 4, x, axes, 3, 1);
        test_round_end(round);
    }
}

/* ---- wrong operands ---- */

static void refused(void) {
    ty_tensor *a = sample_shape(TY_F32, 2, (int64_t[]){2, 40}, -1, 1);
    const struct few_bits good = few_bits_draw(a, 3, 4, 32, true, TABLE_ASCENDING, 0);
    struct few_bits p = good;
    p.bits = 3;
    CHECK_POISON(few_bits_record(&p), "numbers of 3 bits; expected 2, 4 or 8");
    p = good, p.table = few_bits_table_of(8, TABLE_ASCENDING);
    CHECK_POISON(few_bits_record(&p), "the codes must be u8[n,bytes], the table f32[16] and a f32[m,k]");
    p = good, p.a = ty_cast(a, TY_F64);
    CHECK_POISON(few_bits_record(&p), "the codes must be u8[n,bytes], the table f32[16] and a f32[m,k]");
    p = good, p.codes = ty_slice(p.codes, 1, 0, 19, 1);
    CHECK_POISON(few_bits_record(&p), "a row of codes has 19 bytes, too few for 40 numbers");
    p = good, p.block = 24;
    CHECK_POISON(few_bits_record(&p), "a block has 24 numbers; expected a power of two and whole words");
    p = good, p.block = 0;
    CHECK_POISON(few_bits_record(&p), "a block has 0 numbers");
    p = good, p.block = 64;
    CHECK_POISON(few_bits_record(&p), "scales and zeros must be f32[3,1]");
    p = good, p.zero = ty_slice(p.zero, 0, 0, 2, 1);
    CHECK_POISON(few_bits_record(&p), "scales and zeros must be f32[3,2]");
}

#define CASE(name, operators) TEST_REACHES(name, operators),
static const struct test_case cases[] = {
#include "tests/ops/contract/few_bits.def"
};
TESTS_MAIN_TABLE(cases)
