/* Embeddings and normalisations of com.microsoft, which fuse sums before and activations after them. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/norms.h"
#include "onnx/ops/quantized.h"
#include "onnx/ops/rows.h"

/* Return the dtype in which sums of x are computed. */
static ty_dtype wide_of(ty_tensor *x) { return ty_dtype_of(x) == TY_F64 ? TY_F64 : TY_F32; }

/* ---- layers ---- */

/* Normalise input 0 + input 1 + bias over the last axis. */
static bool skip_norm(struct onnx_call *call, bool centred, ty_tensor *beta, ty_tensor *bias) {
    ty_tensor *x = onnx_input(call, 0), *skip = onnx_input(call, 1), *gamma = onnx_input(call, 2);
    ty_dtype dtype = ty_dtype_of(x), wide = wide_of(x);
    int rank = ty_rank(x);
    if (rank < 2) return onnx_refuse(call, E_SHAPE, "expected 2 or 3 axes, not %d", rank);
    const int64_t *s = ty_shape(x), *sizes = s + rank - 1; /* of vectors */
    bool whole = ty_rank(skip) == rank && ty_shape(skip)[0] == s[0];
    if (!whole && ty_rank(skip) == 3)
        skip = ty_size(skip) && ty_shape(skip)[0] == 1 ? ty_squeeze(skip, 0) : skip;
    if (!onnx_sized(call, "skip", skip, whole ? rank : 2, whole ? s : s + rank - 2) ||
        !onnx_sized(call, "gamma", gamma, 1, sizes) || !onnx_sized(call, "beta", beta, 1, sizes) ||
        !onnx_sized(call, "bias", bias, 1, sizes))
        return false;
    ty_tensor *sum = ty_add(ty_cast(x, wide), ty_cast(skip, wide));
    if (bias) sum = ty_add(sum, ty_cast(bias, wide));
    struct layer_norm l = {
        .axis = ty_rank(sum) - 1, .centred = centred, .epsilon = onnx_float(call, "epsilon", 1e-12)};
    ty_tensor *y = onnx_layer_norm(&l, sum, wide, ty_cast(gamma, wide), beta ? ty_cast(beta, wide) : NULL);
    if (onnx_wants(call, 1) && !centred) l.mean = ty_zeros_like(l.scale);
    return onnx_output(call, 0, ty_cast(y, dtype)) && (!l.mean || onnx_output(call, 1, l.mean)) &&
           onnx_output(call, 2, l.scale) && onnx_output(call, 3, ty_cast(sum, dtype));
}
bool onnx_op_skip_layer_normalization(struct onnx_call *call) {
    return skip_norm(call, true, onnx_input_or(call, 3, NULL), onnx_input_or(call, 4, NULL));
}
bool onnx_op_skip_simplified_layer_normalization(struct onnx_call *call) {
    return skip_norm(call, false, NULL, onnx_input_or(call, 3, NULL));
}

/* ---- embeddings ---- */

/* Operands of EmbedLayerNormalization: indices of words and segments, and tables. */
struct embedding {
    ty_tensor *words, *segments, *places;                /* (N,T); the last two may be NULL */
    ty_tensor *word_table, *place_table, *segment_table; /* (n,C); the last may be NULL */
    ty_tensor *gamma, *beta, *mask;
};
/* Return rows of a table (n,C). */
static ty_tensor *rows_at(ty_tensor *table, ty_tensor *index) {
    return ty_gather(table, onnx_from_start(index, ty_shape(table)[0]), 0);
}
static bool embedding_fits(struct onnx_call *call, const struct embedding *e, int64_t n, int64_t t) {
    const int64_t grid[] = {n, t};
    int rank = ty_rank(e->word_table);
    int64_t table[] = {-1, rank ? ty_shape(e->word_table)[rank - 1] : 1};
    return onnx_sized(call, "word_embedding", e->word_table, 2, table) &&
           onnx_sized(call, "position_embedding", e->place_table, 2, table) &&
           onnx_sized(call, "segment_embedding", e->segment_table, 2, table) &&
           onnx_sized(call, "gamma", e->gamma, 1, table + 1) &&
           onnx_sized(call, "beta", e->beta, 1, table + 1) &&
           onnx_sized(call, "segment_ids", e->segments, 2, grid) &&
           onnx_sized(call, "mask", e->mask, 2, grid) &&
           onnx_spreads(call, "position_ids", e->places, 2, grid);
}
/* Give the normalised sum of rows of the tables, and the numbers of words: those of ones in the mask. */
static bool embed(struct onnx_call *call, const struct embedding *e) {
    if (ty_rank(e->words) != 2 || (e->segments && !e->segment_table))
        return onnx_refuse(call, E_SHAPE, "input_ids has %d axes, and segment_ids %s a table; expected 2",
                           ty_rank(e->words), e->segment_table ? "have" : "have not");
    int64_t n = ty_shape(e->words)[0], t = ty_shape(e->words)[1];
    if (!embedding_fits(call, e, n, t)) return false;
    ty_dtype dtype = ty_dtype_of(e->word_table), wide = wide_of(e->word_table);
    if (!e->places && ty_shape(e->place_table)[0] < t)
        return onnx_refuse(call, E_INDEX, "position_embedding has fewer rows than the %lld positions",
                           (long long)t);
    ty_tensor *place = e->places ? rows_at(e->place_table, e->places) : ty_slice(e->place_table, 0, 0, t, 1);
    ty_tensor *sum = ty_add(ty_cast(rows_at(e->word_table, e->words), wide), ty_cast(place, wide));
    ty_tensor *of_segments = e->segments        ? rows_at(e->segment_table, e->segments)
                             : e->segment_table ? ty_slice(e->segment_table, 0, 0, 1, 1)
                                                : NULL;
    if (of_segments) sum = ty_add(sum, ty_cast(of_segments, wide));
    if (!ty_ok(sum)) return onnx_output(call, 0, sum);
    struct layer_norm l = {
        .axis = ty_rank(sum) - 1, .centred = true, .epsilon = onnx_float(call, "epsilon", 1e-12)};
    ty_tensor *y = onnx_layer_norm(&l, sum, wide, ty_cast(e->gamma, wide), ty_cast(e->beta, wide));
    ty_tensor *count =
        e->mask ? ty_sum_as(ty_eq(e->mask, ty_int(1)), ty_axis(1), TY_I32) : ty_zeros(TY_I32, 1, &n);
    return onnx_output(call, 0, ty_cast(y, dtype)) && onnx_output(call, 1, count) &&
           onnx_output(call, 2, ty_cast(sum, dtype));
}
bool onnx_op_embed_layer_normalization(struct onnx_call *call) {
    struct embedding e = {.words = onnx_input(call, 0),
                          .segments = onnx_input_or(call, 1, NULL),
                          .places = onnx_input_or(call, 8, NULL),
                          .word_table = onnx_input(call, 2),
                          .place_table = onnx_input(call, 3),
                          .segment_table = onnx_input_or(call, 4, NULL),
                          .gamma = onnx_input(call, 5),
                          .beta = onnx_input(call, 6),
                          .mask = onnx_input_or(call, 7, NULL)};
    return !call->fault->set && embed(call, &e);
}
/* Return input i, of 8 bits, with its scale and zero point. */
static ty_tensor *table_of(struct onnx_call *call, int i, int scale, int zero) {
    return onnx_has(call, i) ? onnx_dequantized(call, i, scale, zero) : NULL;
}
bool onnx_op_qembed_layer_normalization(struct onnx_call *call) {
    struct embedding e = {.words = onnx_input(call, 0),
                          .segments = onnx_input_or(call, 1, NULL),
                          .word_table = table_of(call, 2, 8, 13),
                          .place_table = table_of(call, 3, 9, 14),
                          .segment_table = table_of(call, 4, 10, 15),
                          .gamma = table_of(call, 5, 11, 16),
                          .beta = table_of(call, 6, 12, 17),
                          .mask = onnx_input_or(call, 7, NULL)};
    if (!e.word_table || !e.place_table || !e.gamma || !e.beta)
        return onnx_refuse(call, E_ARGUMENT, "a table, gamma or beta is missing");
    return !call->fault->set && embed(call, &e);
}

/* ---- groups ---- */

/* Normalise groups of channels of x, which are its last axis or, with channels_last 0, its second one. */
static bool group_norm(struct onnx_call *call, ty_tensor *x) {
    int64_t groups = onnx_int(call, "groups", 0), activation = onnx_int(call, "activation", 0);
    bool last = onnx_int(call, "channels_last", 1);
    ty_dtype dtype = ty_dtype_of(onnx_input(call, 0));
    int rank = ty_rank(x);
    if (!ty_ok(x)) return onnx_output(call, 0, x);
    if (rank != 4 || groups < 1 || ty_shape(x)[last ? 3 : 1] % groups || activation < 0 || activation > 1)
        return onnx_refuse(
            call, E_SHAPE,
            "%lld groups and activation %lld of an operand of %d axes; expected a divisor of the "
            "channels, 0 or 1, and 4",
            (long long)groups, (long long)activation, rank);
    if (last) x = ty_moveaxis(x, 1, (int64_t[]){3}, (int64_t[]){1});
    if (!onnx_sized(call, "gamma", onnx_input(call, 1), 1, ty_shape(x) + 1) ||
        !onnx_sized(call, "beta", onnx_input(call, 2), 1, ty_shape(x) + 1))
        return false;
    ty_tensor *y = onnx_group_norm(x, groups, onnx_float(call, "epsilon", 1e-5));
    y = ty_mul(y, along_axis(ty_cast(onnx_input(call, 1), TY_F32), rank, 1));
    y = ty_add(y, along_axis(ty_cast(onnx_input(call, 2), TY_F32), rank, 1));
    if (activation) y = ty_silu(y);
    if (last) y = ty_moveaxis(y, 1, (int64_t[]){1}, (int64_t[]){3});
    return onnx_output(call, 0, ty_cast(y, dtype));
}
bool onnx_op_group_norm(struct onnx_call *call) {
    return group_norm(call, ty_cast(onnx_input(call, 0), TY_F32));
}
/* A skip (N,C) is added to all positions. */
bool onnx_op_skip_group_norm(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *skip = onnx_input(call, 3), *bias = onnx_input_or(call, 4, NULL);
    bool last = onnx_int(call, "channels_last", 1);
    if (ty_rank(skip) == 2) {
        const int64_t *s = ty_shape(skip);
        skip = ty_reshape(skip, 4, last ? (int64_t[]){s[0], 1, 1, s[1]} : (int64_t[]){s[0], s[1], 1, 1});
    }
    if (ty_rank(x) != 4) return onnx_refuse(call, E_SHAPE, "expected 4 axes, not %d", ty_rank(x));
    if (!onnx_spreads(call, "skip", skip, 4, ty_shape(x)) ||
        !onnx_sized(call, "bias", bias, 1, ty_shape(x) + (last ? 3 : 1)))
        return false;
    ty_tensor *sum = ty_add(ty_cast(x, TY_F32), ty_cast(skip, TY_F32));
    if (bias) sum = ty_add(sum, along_axis(ty_cast(bias, TY_F32), 4, last ? 3 : 1));
    return group_norm(call, sum) && onnx_output(call, 1, ty_cast(sum, ty_dtype_of(x)));
}
