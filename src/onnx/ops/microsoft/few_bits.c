/* Operators of com.microsoft on weights of 8, 4 or 2 bits with a scale for each block. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "onnx/ops/blocks.h"
#include "onnx/ops/rows.h"
#include "ops/core/storage.h"
#include "ops/shape/arrange.h"

/* ---- products ---- */

/* Sizes of MatMulNBits. */
struct n_bits {
    int64_t k, n, block, blocks;
    ty_dtype dtype;
};
static bool read_n_bits(struct onnx_call *call, struct n_bits *m) {
    *m = (struct n_bits){.k = onnx_int(call, "K", 0),
                         .n = onnx_int(call, "N", 0),
                         .block = onnx_int(call, "block_size", 0),
                         .dtype = onnx_bits_dtype(call, "bits")};
    int64_t layout = onnx_int(call, "weight_prepacked", 0);
    if (call->fault->set) return false;
    if (layout)
        return onnx_refuse(call, E_UNSUPPORTED,
                           "weight_prepacked is %lld, a layout of one device; expected 0", (long long)layout);
    if (m->k < 1 || m->n < 1 || m->block < 16 || m->block & (m->block - 1) || m->k > INT32_MAX ||
        m->n > INT32_MAX || m->block > INT32_MAX)
        return onnx_refuse(call, E_ARGUMENT,
                           "K is %lld, N is %lld and block_size %lld; expected 1 or more, and a power of two "
                           "from 16 on",
                           (long long)m->k, (long long)m->n, (long long)m->block);
    m->blocks = m->k / m->block + (m->k % m->block != 0);
    return true;
}
/* Return the zero points (N,blocks): bytes with packed numbers, or floats; NULL: half the range. */
static ty_tensor *zeros_of(struct onnx_call *call, const struct n_bits *m) {
    ty_tensor *zero = onnx_input_or(call, 3, NULL);
    int64_t share = dtype_share(m->dtype), shape[] = {m->n, m->blocks},
            bytes[] = {m->n, m->blocks / share + (m->blocks % share != 0)};
    if (!zero) return NULL;
    if (is_floating(ty_dtype_of(zero))) return ty_reshape(zero, 2, shape);
    return onnx_bits_zeros(call, ty_reshape(zero, 2, bytes), m->dtype, m->blocks);
}
/* Return the numbers (N,blocks * block_size); those from place K on are padding. */
static ty_tensor *weights_of(struct onnx_call *call, const struct n_bits *m) {
    ty_tensor *q = onnx_input(call, 1);
    int64_t share = dtype_share(m->dtype), wide = m->blocks * m->block;
    int64_t shape[] = {m->n, wide / share};
    return onnx_bits_numbers(call, ty_reshape(q, 2, shape), m->dtype, wide);
}
bool onnx_op_matmul_n_bits(struct onnx_call *call) {
    struct n_bits m;
    ty_tensor *a = onnx_input(call, 0), *y;
    if (!read_n_bits(call, &m)) return false;
    int rank = ty_rank(a);
    if (rank < 1 || ty_shape(a)[rank - 1] != m.k)
        return onnx_refuse(call, E_SHAPE, "A has a last axis of size %lld; expected K, %lld",
                           (long long)(rank ? ty_shape(a)[rank - 1] : 1), (long long)m.k);
    if (!is_floating(ty_dtype_of(a)))
        return onnx_refuse(call, E_DTYPE, "A is of %s; expected floats", ty_dtype_name(ty_dtype_of(a)));
    if (ty_size(onnx_input(call, 1)) == 0) { /* weights that are left out */
        int64_t shape[TY_MAX_RANK];
        for (int i = 0; i < rank; i++) shape[i] = i < rank - 1 ? ty_shape(a)[i] : m.n;
        y = ty_zeros(ty_dtype_of(a), rank, shape);
    } else {
        ty_padding padding[TY_MAX_RANK] = {{0, 0, 0}};
        padding[rank - 1].high = m.blocks * m.block - m.k;
        struct blocks b = {.q = weights_of(call, &m), .axis = 1, .block = m.block, .dtype = ty_dtype_of(a)};
        /* Fail before A is padded: its new size follows from attributes alone. */
        if (!ty_ok(b.q)) return onnx_output(call, 0, b.q);
        if (!onnx_typed(call, "scales", onnx_input(call, 2), b.dtype)) return false;
        b.scale = ty_reshape(onnx_input(call, 2), 2, (int64_t[]){m.n, m.blocks});
        b.zero = zeros_of(call, &m);
        b.offset = b.zero ? 0 : onnx_bits_half(m.dtype);
        if (onnx_has(call, 4)) {
            b.groups = onnx_from_start(onnx_input(call, 4), m.blocks);
            int64_t places = ty_size(b.groups), wide = m.blocks * m.block;
            if (ty_rank(b.groups) != 1 || (places != m.k && places != wide))
                return onnx_refuse(call, E_SHAPE,
                                   "g_idx has %d axes and %lld elements; expected %lld or %lld",
                                   ty_rank(b.groups), (long long)places, (long long)m.k, (long long)wide);
            if (places < wide)
                b.groups = ty_pad(b.groups, (ty_padding[]){{0, padding[rank - 1].high, 0}}, ty_int(0));
        }
        if (padding[rank - 1].high) a = ty_pad(a, padding, ty_scalar(ty_dtype_of(a), 0));
        y = onnx_blocks_product(call, a, &b, true);
    }
    ty_tensor *bias = onnx_input_or(call, 5, NULL);
    if (!onnx_sized(call, "bias", bias, 1, &m.n) || !onnx_typed(call, "bias", bias, ty_dtype_of(a)))
        return false;
    return onnx_output(call, 0, bias ? ty_add(y, bias) : y);
}

/* ---- rows of tables ---- */

/* Operands of GatherBlockQuantized. */
struct table {
    struct onnx_call *call;
    ty_tensor *data, *index, *scale, *zero; /* index within the axis */
    ty_dtype dtype;                         /* of the numbers */
    int gather, along;                      /* axes of indices and of blocks */
    int64_t block;
};
/* Return rows of packed numbers, u8 or a dtype for storage, in which rows have whole bytes if `gather` is 0. */
static ty_tensor *rows_of(const struct table *t, ty_tensor *x, int64_t width) {
    int rank = ty_rank(x);
    if (ty_dtype_of(x) == TY_U8)
        return onnx_bits_numbers(t->call, ty_gather(x, t->index, t->gather), t->dtype, width);
    int64_t share = dtype_share(t->dtype), shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(x)[i];
    if (t->gather || rank < 2 || shape[rank - 1] % share) /* a byte or more for each number */
        return ty_gather(ty_cast(x, dtype_widened(t->dtype)), t->index, t->gather);
    shape[rank - 1] /= share;
    ty_tensor *y = ty_gather(ty_reshape(bytes_of_packed(x), rank, shape), t->index, 0);
    if (!ty_ok(y)) return y;
    rank = ty_rank(y);
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(y)[i] * (i == rank - 1 ? share : 1);
    return packed_of_bytes(ty_ravel(y), t->dtype, rank, shape);
}
/* Read the operands; indices outside become 0, and *inside is false there. */
static bool read_table(struct onnx_call *call, struct table *t, ty_tensor **inside) {
    t->call = call;
    t->data = onnx_input(call, 0), t->scale = onnx_input(call, 2), t->zero = onnx_input_or(call, 3, NULL);
    int rank = ty_rank(t->data);
    t->gather = onnx_axis_of(call, onnx_int(call, "gather_axis", 0), rank);
    t->along = onnx_axis_of(call, onnx_int(call, "quantize_axis", 1), rank);
    t->block = onnx_int(call, "block_size", 128);
    t->dtype = ty_dtype_of(t->data);
    if (t->dtype == TY_U8) t->dtype = onnx_bits_dtype(call, "bits");
    if (call->fault->set) return false;
    int64_t size = ty_shape(t->data)[t->gather];
    bool floats = dtype_stored(t->dtype) && !dtype_stored_integer(t->dtype);
    if (floats && !t->block) t->block = ty_shape(t->data)[t->along];
    if (ty_rank(t->scale) != rank || t->block < 1 || (floats && t->zero) || size < 1 ||
        (ty_dtype_of(t->data) == TY_U8 && (t->gather || t->along == 0)))
        return onnx_refuse(
            call, E_SHAPE,
            "data of %s with %d axes and %lld rows, scales with %d, block_size %lld, axes %d and "
            "%d do not fit",
            ty_dtype_name(ty_dtype_of(t->data)), rank, (long long)size, ty_rank(t->scale),
            (long long)t->block, t->gather, t->along);
    ty_tensor *index = ty_cast(onnx_input(call, 1), TY_I64);
    index = ty_where(ty_lt(index, ty_int(0)), ty_add(index, ty_int(size)), index);
    *inside = ty_logical_and(ty_ge(index, ty_int(0)), ty_lt(index, ty_int(size)));
    t->index = ty_where(*inside, index, ty_int(0));
    return true;
}
/* Return scales or zero points of the rows: with a block for each row of the index if both axes are one. */
static ty_tensor *of_rows(const struct table *t, ty_tensor *p) {
    if (ty_shape(p)[t->gather] == 1 && t->gather != t->along)
        return ty_gather(p, ty_mul(t->index, ty_int(0)), t->gather);
    ty_tensor *at = t->gather == t->along ? ty_floor_div(t->index, ty_int(t->block)) : t->index;
    return ty_gather(p, at, t->gather);
}
bool onnx_op_gather_block_quantized(struct onnx_call *call) {
    struct table t = {.index = NULL};
    ty_tensor *inside = NULL, *zero = NULL;
    if (!read_table(call, &t, &inside)) return false;
    int rank = ty_rank(t.data), more = ty_rank(t.index) - 1;
    int64_t share = dtype_share(t.dtype), width = ty_shape(t.data)[rank - 1];
    bool bytes = ty_dtype_of(t.data) == TY_U8;
    int64_t blocks = ty_shape(t.scale)[rank - 1];
    ty_tensor *q = rows_of(&t, t.data, width * (bytes ? share : 1)), *scale = of_rows(&t, t.scale);
    if (t.zero && bytes)
        zero = ty_slice(ty_cast(rows_of(&t, t.zero, blocks), TY_F32), -1, 0, blocks, 1);
    else if (t.zero)
        zero = of_rows(&t, ty_cast(t.zero, TY_F32));
    struct blocks b = {.q = q,
                       .scale = scale,
                       .zero = zero,
                       .axis = t.along + (t.along > t.gather ? more : 0),
                       .block = t.block,
                       .offset = bytes && !zero ? onnx_bits_half(t.dtype) : 0,
                       .dtype = ty_dtype_of(t.scale)};
    ty_tensor *y;
    if (t.gather == t.along) {
        y = ty_cast(q, TY_F32); /* of i4 or u4 */
        if (zero) y = ty_sub(y, zero);
        y = ty_cast(ty_mul(y, ty_cast(scale, TY_F32)), b.dtype);
    } else {
        y = onnx_blocks_numbers(call, &b);
    }
    if (call->fault->set || !ty_ok(y)) return onnx_output(call, 0, y);
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(y); i++)
        shape[i] = i >= t.gather && i <= t.gather + more ? ty_shape(y)[i] : 1;
    return onnx_output(call, 0, ty_where(ty_reshape(inside, ty_rank(y), shape), y, ty_num(0)));
}
