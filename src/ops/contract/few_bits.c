/*
 * Products with a matrix of numbers of few bits.  The kernel reads the codes as they are stored; gradients compute the
 * numbers, W = (table[code] - zero) * scale, since a training holds matrices of that size anyway.
 */
#include "ops/contract/few_bits.h"
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"

enum { BYTE = 8 };

bool few_bits_block_fits(int bits, int64_t block, int64_t depth) {
    int64_t word = FEW_BITS_WORD / bits;
    return block >= 1 && (block >= depth || (block % word == 0 && !(block & (block - 1))));
}

/* ---- dtypes and shapes ---- */

static bool is_matrix(const ty_tensor *x, ty_dtype dtype) { return x->dtype == dtype && x->layout.rank == 2; }

/* Set the result in *in.  False, with the fault set, if operands do not fit. */
static bool infer(struct infer *in) {
    const struct few_bits_attr *attr = in->attr;
    if (in->ninputs != FEW_BITS_ZEROS && in->ninputs != FEW_BITS_OPERANDS)
        return infer_fault(in, E_ARGUMENT, "expected codes, a table, a, scales and possibly zeros");
    if (attr->bits != 2 && attr->bits != 4 && attr->bits != BYTE)
        return infer_fault(in, E_ARGUMENT, "numbers of %d bits; expected 2, 4 or 8", attr->bits);
    const ty_tensor *codes = in->inputs[FEW_BITS_CODES], *table = in->inputs[FEW_BITS_TABLE],
                    *a = in->inputs[FEW_BITS_A];
    if (!is_matrix(codes, TY_U8) || !is_matrix(a, TY_F32) || table->dtype != TY_F32 ||
        table->layout.rank != 1 || table->layout.shape[0] != 1 << attr->bits)
        return infer_fault(in, E_DTYPE, "the codes must be u8[n,bytes], the table f32[%d] and a f32[m,k]",
                           1 << attr->bits);
    int64_t n = codes->layout.shape[0], depth = a->layout.shape[1], share = BYTE / attr->bits;
    if (codes->layout.shape[1] < depth / share + (depth % share != 0))
        return infer_fault(in, E_SHAPE, "a row of codes has %lld bytes, too few for %lld numbers",
                           (long long)codes->layout.shape[1], (long long)depth);
    if (!few_bits_block_fits(attr->bits, attr->block, depth))
        return infer_fault(in, E_ARGUMENT,
                           "a block has %lld numbers; expected a power of two and whole words of 32 bits",
                           (long long)attr->block);
    int64_t blocks = depth / attr->block + (depth % attr->block != 0);
    for (int i = FEW_BITS_SCALES; i < in->ninputs; i++)
        if (!is_matrix(in->inputs[i], TY_F32) || in->inputs[i]->layout.shape[0] != n ||
            in->inputs[i]->layout.shape[1] != blocks)
            return infer_fault(in, E_SHAPE, "scales and zeros must be f32[%lld,%lld]", (long long)n,
                               (long long)blocks);
    infer_like(in, a);
    in->shape[1] = n;
    return infer_fits(in);
}

ty_tensor *few_bits_record(const struct few_bits *p) {
    struct few_bits_attr attr = {.bits = p->bits, .block = p->block};
    ty_tensor *x[FEW_BITS_OPERANDS] = {p->codes, p->table, p->a, p->scale, p->zero};
    return record(&op_few_bits_product, &attr, sizeof attr, p->zero ? FEW_BITS_OPERANDS : FEW_BITS_ZEROS, x);
}

/* ---- numbers: operands may have leading axes ---- */

/* Return the operands of y. */
static struct few_bits operands_of(const ty_tensor *y, ty_tensor *const *x) {
    const struct few_bits_attr *attr = y->attr;
    return (struct few_bits){x[FEW_BITS_CODES],
                             x[FEW_BITS_TABLE],
                             x[FEW_BITS_A],
                             x[FEW_BITS_SCALES],
                             y->ninputs > FEW_BITS_ZEROS ? x[FEW_BITS_ZEROS] : NULL,
                             attr->bits,
                             attr->block};
}

/* Return one number for each of blocks, (..,blocks), for each of `depth` numbers, (..,depth). */
static ty_tensor *spread(ty_tensor *x, int64_t block, int64_t depth) {
    return ty_slice(ty_repeat(x, block < depth ? block : depth, -1), -1, 0, depth, 1);
}

/* Return table[code], (..,n,k), of codes (..,n,bytes) and a table (..,values). */
static ty_tensor *values_of(const struct few_bits *p, int64_t depth) {
    int share = BYTE / p->bits, rank = ty_rank(p->codes);
    uint8_t shifts[BYTE];
    int64_t shape[3], flat[2];
    if (!ty_ok(p->codes) || !ty_ok(p->table)) return ty_ok(p->codes) ? p->table : p->codes;
    for (int i = 0; i < share; i++) shifts[i] = (uint8_t)(i * p->bits);
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(p->codes)[i];
    shape[rank - 1] *= share;
    ty_tensor *code =
        ty_shift_right(ty_expand(p->codes, rank), ty_from(TY_U8, TY_SHAPE(share), (const void *)shifts));
    code = ty_reshape(ty_bit_and(code, ty_int((1 << p->bits) - 1)), rank, shape);
    code = ty_cast(ty_slice(code, -1, 0, depth, 1), TY_I32);
    shape[rank - 1] = depth;
    flat[0] = shape[0], flat[1] = rank == 3 ? shape[1] * depth : 0;
    return rank == 2 ? ty_take(p->table, code, 0)
                     : ty_reshape(ty_take_along_axis(p->table, ty_reshape(code, 2, flat), 1), rank, shape);
}

/* Return table[code] - zero. */
static ty_tensor *steps_of(const struct few_bits *p, int64_t depth) {
    ty_tensor *y = values_of(p, depth);
    return p->zero ? ty_sub(y, spread(p->zero, p->block, depth)) : y;
}

static ty_tensor *numbers_of(const struct few_bits *p, int64_t depth) {
    return ty_mul(steps_of(p, depth), spread(p->scale, p->block, depth));
}

/* ---- gradients ---- */

/* Return the sums of x (n,k) over the blocks of a row: (n,blocks). */
static ty_tensor *sums_of_blocks(ty_tensor *x, int64_t block, int64_t blocks) {
    if (!ty_ok(x)) return x;
    int64_t n = ty_shape(x)[0], depth = ty_shape(x)[1];
    if (block > depth) block = depth;
    x = ty_pad(x, (ty_padding[]){{0, 0, 0}, {0, blocks * block - depth, 0}}, ty_scalar(TY_F32, 0));
    return ty_sum(ty_reshape(x, 3, (int64_t[]){n, blocks, block}), ty_axis(2));
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    struct few_bits p = operands_of(y, y->inputs);
    int64_t depth = ty_shape(p.a)[1], blocks = ty_shape(p.scale)[1];
    if (i == FEW_BITS_A) return ty_matmul(g, numbers_of(&p, depth));
    if (i < FEW_BITS_A) return NULL;
    ty_tensor *by_step = ty_matmul(ty_transpose(g), p.a); /* (n,k), without the scale */
    if (i == FEW_BITS_SCALES) return sums_of_blocks(ty_mul(by_step, steps_of(&p, depth)), p.block, blocks);
    return ty_neg(ty_mul(sums_of_blocks(by_step, p.block, blocks), p.scale));
}

/* Examples with one matrix are rows of one a; with a matrix for each, numbers are computed. */
static ty_tensor *batch(const struct batch *b) {
    int64_t m = ty_shape(b->y)[0], n = ty_shape(b->y)[1], depth = ty_shape(b->y->inputs[FEW_BITS_A])[1];
    struct few_bits p = operands_of(b->y, b->x);
    bool one = true;
    for (int i = 0; i < b->y->ninputs; i++) one = one && (i == FEW_BITS_A || !b->batched[i]);
    if (one) {
        p.a = ty_reshape(p.a, 2, (int64_t[]){b->n * m, depth});
        return ty_reshape(few_bits_record(&p), 3, (int64_t[]){b->n, m, n});
    }
    ty_tensor *x[FEW_BITS_OPERANDS];
    for (int i = 0; i < b->y->ninputs; i++) x[i] = batch_operand(b, i);
    p = operands_of(b->y, x);
    return ty_matmul(p.a, ty_swap(numbers_of(&p, depth), 1, 2));
}

/* Rows of a are independent. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    if (i == FEW_BITS_A) reach_beside(y, i, 1, r);
}

ATTRIBUTES(attributes, sizeof(struct few_bits_attr), FIELD(struct few_bits_attr, bits, INT),
           FIELD(struct few_bits_attr, block, LONG));

const struct op op_few_bits_product = {.name = "few_bits_product",
                                       .kind = KERNEL_FEW_BITS,
                                       .arity = -1,
                                       .infer = infer,
                                       .vjp = vjp,
                                       .batch = batch,
                                       .reach = reach,
                                       .no_gradient = {"codes are no numbers", "the table is fixed"},
                                       .attributes = &attributes,
                                       .row = -1,
                                       .onnx = "",
                                       .doc = "a times the transpose of a matrix of numbers of few bits"};
