/* Attention, embeddings of positions, linear attention. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/heads.h"
#include "onnx/ops/rows.h"

ty_tensor *onnx_heads_of(struct onnx_call *call, ty_tensor *x, int64_t heads) {
    const int64_t *s = ty_shape(x);
    if (ty_rank(x) != 3 || heads < 1 || s[2] % heads) {
        onnx_refuse(call, E_SHAPE, "%lld heads do not divide an operand of %d axes, the last of size %lld",
                    (long long)heads, ty_rank(x), (long long)(ty_rank(x) ? s[ty_rank(x) - 1] : 1));
        return onnx_failed(call);
    }
    return ty_swap(ty_reshape(x, 4, (int64_t[]){s[0], s[1], heads, s[2] / heads}), 1, 2);
}
ty_tensor *onnx_heads_joined(ty_tensor *x) {
    const int64_t *s = ty_shape(x);
    return ty_reshape(ty_swap(x, 1, 2), 3, (int64_t[]){s[0], s[2], s[1] * s[3]});
}

/* ---- attention ---- */

struct attention {
    ty_tensor *q, *k, *v; /* (N,H,T,D), (N,G,S,D), (N,G,S,E) */
    ty_tensor *past;      /* integers: keys before the first query, [] or (N,1,1,1); NULL: none */
    int64_t causal, left, right;
    ty_tensor *mask, *lengths;
};

/* Return true where a query sees a key, by causality, windows and lengths, broadcasting to (N,H,T,S); NULL: everywhere. */
static ty_tensor *seen(const struct attention *a) {
    int64_t t = ty_shape(a->q)[2], s = ty_shape(a->k)[2];
    ty_tensor *j = ty_iota(TY_I64, 2, (int64_t[]){1, s}, 1), *all = NULL, *part;
    ty_tensor *i = ty_iota(TY_I64, 2, (int64_t[]){t, 1}, 0);
    if (a->past) i = ty_add(i, a->past);
    const struct {
        bool wanted;
        ty_tensor *see;
    } rules[] = {
        {a->causal, ty_le(j, i)},
        {a->left >= 0, ty_ge(j, ty_sub(i, ty_int(a->left)))},
        {a->right >= 0, ty_le(j, ty_add(i, ty_int(a->right)))},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].wanted) all = all ? ty_logical_and(all, rules[k].see) : rules[k].see;
    if (a->lengths) {
        part = ty_lt(j, ty_reshape(a->lengths, 4, (int64_t[]){ty_size(a->lengths), 1, 1, 1}));
        all = all ? ty_logical_and(all, part) : part;
    }
    return all;
}

/* Extend the last axis of a mask to the number of keys: those behind its end are not seen. */
static ty_tensor *whole_mask(ty_tensor *mask, int64_t keys) {
    int rank = ty_rank(mask);
    ty_padding padding[TY_MAX_RANK] = {{0, 0, 0}};
    if (!rank || ty_shape(mask)[rank - 1] >= keys || ty_shape(mask)[rank - 1] == 1) return mask;
    padding[rank - 1].high = keys - ty_shape(mask)[rank - 1];
    ty_dtype dtype = ty_dtype_of(mask);
    return ty_pad(mask, padding, ty_scalar(dtype, dtype == TY_BOOL ? 0 : -INFINITY));
}

/* Read the operands; past keys and values come before the new ones.  Gives the present ones. */
static bool read_attention(struct onnx_call *call, struct attention *a) {
    a->q = onnx_input(call, 0), a->k = onnx_input(call, 1), a->v = onnx_input(call, 2);
    a->mask = onnx_input_or(call, 3, NULL), a->lengths = onnx_input_or(call, 6, NULL);
    ty_tensor *past_k = onnx_input_or(call, 4, NULL), *past_v = onnx_input_or(call, 5, NULL);
    if (ty_rank(a->q) == 3) {
        int64_t heads = onnx_int(call, "q_num_heads", 0), groups = onnx_int(call, "kv_num_heads", 0);
        a->q = onnx_heads_of(call, a->q, heads), a->k = onnx_heads_of(call, a->k, groups);
        a->v = onnx_heads_of(call, a->v, groups);
    }
    if (call->fault->set) return false;
    if (ty_rank(a->q) != 4 || ty_rank(a->k) != 4 || ty_rank(a->v) != 4 || !past_k != !past_v ||
        (past_k && a->lengths))
        return onnx_refuse(call, E_SHAPE,
                           "Q, K and V have %d, %d and %d axes; expected 3 or 4, and past_key with "
                           "past_value or without both",
                           ty_rank(a->q), ty_rank(a->k), ty_rank(a->v));
    int64_t heads = ty_shape(a->q)[1], groups = ty_shape(a->k)[1];
    if (groups < 1 || heads % groups)
        return onnx_refuse(call, E_SHAPE, "%lld heads of keys do not divide %lld of queries",
                           (long long)groups, (long long)heads);
    if (past_k) {
        a->past = ty_int(ty_shape(past_k)[2]);
        a->k = ty_concat(2, (ty_tensor *[]){past_k, a->k}, 2),
        a->v = ty_concat(2, (ty_tensor *[]){past_v, a->v}, 2);
    }
    if (a->lengths) {
        ty_tensor *n = ty_reshape(a->lengths, 4, (int64_t[]){ty_size(a->lengths), 1, 1, 1});
        a->past = ty_sub(n, ty_int(ty_shape(a->q)[2]));
    }
    if (!ty_ok(a->q) || !ty_ok(a->k)) return onnx_output(call, 0, ty_ok(a->q) ? a->k : a->q);
    const int64_t *q = ty_shape(a->q);
    if (a->mask) a->mask = whole_mask(a->mask, ty_shape(a->k)[2]);
    if (!onnx_spreads(call, "attn_mask", a->mask, 4, (int64_t[]){q[0], q[1], q[2], ty_shape(a->k)[2]}) ||
        !onnx_sized(call, "nonpad_kv_seqlen", a->lengths, 1, q))
        return false;
    a->causal = onnx_int(call, "is_causal", 0);
    a->left = onnx_int(call, "left_window_size", -1), a->right = onnx_int(call, "right_window_size", -1);
    return onnx_output(call, 1, a->k) && onnx_output(call, 2, a->v);
}

/* Repeat each head of keys for the heads of queries that share it. */
static ty_tensor *shared(ty_tensor *x, int64_t heads) {
    int64_t own = ty_shape(x)[1];
    return own == heads || !own ? x : ty_repeat(x, heads / own, 1);
}
/* Softmax of scores along the last axis, to which a further score (H) of each head belongs; rows without a key that is
   seen are 0. */
static ty_tensor *weights_of(const struct attend *a, ty_tensor *scores, ty_tensor *bias) {
    ty_dtype dtype = ty_dtype_of(scores);
    int64_t keys = ty_shape(scores)[3];
    ty_tensor *wide = ty_cast(scores, a->precision);
    if (a->sink) {
        ty_tensor *sink =
            ty_reshape(ty_cast(a->sink, a->precision), 4, (int64_t[]){1, ty_size(a->sink), 1, 1});
        int64_t shape[] = {ty_shape(scores)[0], ty_shape(scores)[1], ty_shape(scores)[2], 1};
        wide = ty_concat(2, (ty_tensor *[]){wide, ty_broadcast(sink, 4, shape)}, 3);
    }
    ty_tensor *p = ty_cast(ty_softmax(wide, -1), dtype);
    if (a->sink) p = ty_slice(p, 3, 0, keys, 1);
    if (!bias) return p;
    ty_tensor *blind = ty_is_neg_inf(ty_amax(bias, ty_axes_of(1, (int[]){-1}, true)));
    return ty_where(blind, ty_num(0), p);
}

ty_tensor *onnx_attend(struct attend *a) {
    ty_dtype dtype = ty_dtype_of(a->q);
    int64_t heads = ty_shape(a->q)[1];
    double root = sqrt(fabs(a->scale));
    ty_tensor *of_q = ty_num(root), *of_k = ty_num(a->scale < 0 ? -root : root), *bias = a->bias;
    ty_tensor *scores = ty_matmul(ty_mul(a->q, of_q), ty_transpose(ty_mul(shared(a->k, heads), of_k)));
    if (a->cap != 0) scores = ty_mul(ty_tanh(ty_div(scores, ty_num(a->cap))), ty_num(a->cap));
    a->capped = scores;
    if (a->see) bias = ty_where(a->see, bias ? bias : ty_scalar(dtype, 0), ty_scalar(dtype, -INFINITY));
    if (bias) scores = ty_add(scores, bias);
    a->biased = scores;
    a->weights = weights_of(a, scores, bias);
    return ty_matmul(a->weights, shared(a->v, heads));
}

bool onnx_op_attention(struct onnx_call *call) {
    struct attention a = {.past = NULL};
    if (!read_attention(call, &a)) return false;
    ty_dtype dtype = ty_dtype_of(a.q);
    int64_t mode = onnx_int(call, "qk_matmul_output_mode", 0);
    struct attend t = {.q = a.q,
                       .k = a.k,
                       .v = a.v,
                       .see = seen(&a),
                       .scale = onnx_float(call, "scale", 0),
                       .cap = onnx_float(call, "softcap", 0),
                       .precision = onnx_dtype(call, "softmax_precision", dtype)};
    if (t.scale == 0) t.scale = 1 / sqrt((double)ty_shape(a.q)[3]);
    if (a.mask && ty_dtype_of(a.mask) == TY_BOOL)
        t.see = t.see ? ty_logical_and(t.see, a.mask) : a.mask;
    else
        t.bias = a.mask;
    ty_tensor *y = onnx_attend(&t);
    ty_tensor *shown = mode == 3 ? t.weights : mode == 2 ? t.biased : t.capped;
    return onnx_output(call, 0, ty_rank(onnx_input(call, 0)) == 3 ? onnx_heads_joined(y) : y) &&
           onnx_output(call, 3, shown);
}

/* Attention whose scores and weights the graphs score_mod and prob_mod may change. */
bool onnx_op_flex_attention(struct onnx_call *call) {
    ty_tensor *q = onnx_input(call, 0), *k = onnx_input(call, 1), *v = onnx_input(call, 2);
    ty_dtype dtype = ty_dtype_of(q),
             wide = onnx_dtype(call, "softmax_precision", dtype == TY_F64 ? TY_F64 : TY_F32);
    if (ty_rank(q) != 4 || ty_rank(k) != 4 || ty_rank(v) != 4 || ty_shape(k)[1] < 1 ||
        ty_shape(q)[1] % ty_shape(k)[1])
        return onnx_refuse(call, E_SHAPE,
                           "Q, K and V have %d, %d and %d axes; expected 4, and heads of K that divide "
                           "those of Q",
                           ty_rank(q), ty_rank(k), ty_rank(v));
    double scale = onnx_float(call, "scale", 1 / sqrt((double)ty_shape(q)[3]));
    int64_t heads = ty_shape(q)[1];
    ty_tensor *scores = ty_matmul(ty_cast(q, wide), ty_transpose(ty_cast(shared(k, heads), wide)));
    struct onnx_value x = onnx_value_tensor(ty_mul(scores, ty_num(scale))), y;
    if (onnx_attribute(call, "score_mod")) {
        if (!onnx_body(call, "score_mod", 1, &x, 1, &y)) return false;
        x = y;
    }
    x = onnx_value_tensor(ty_softmax(x.tensor, -1));
    if (onnx_attribute(call, "prob_mod")) {
        if (!onnx_body(call, "prob_mod", 1, &x, 1, &y)) return false;
        x = y;
    }
    return onnx_output(call, 0, ty_cast(ty_matmul(x.tensor, ty_cast(shared(v, heads), wide)), dtype));
}

/* ---- rotary embedding ---- */

ty_tensor *onnx_rotated(ty_tensor *y, ty_tensor *cosine, ty_tensor *sine, int64_t dim, bool pairs) {
    ty_tensor *one, *two;
    cosine = ty_expand(ty_slice(cosine, -1, 0, dim / 2, 1), 1);
    sine = ty_expand(ty_slice(sine, -1, 0, dim / 2, 1), 1);
    ty_tensor *turned = ty_slice(y, 3, 0, dim, 1), *rest = ty_slice(y, 3, dim, TY_END, 1);
    one = pairs ? ty_slice(turned, 3, 0, TY_END, 2) : ty_slice(turned, 3, 0, dim / 2, 1);
    two = pairs ? ty_slice(turned, 3, 1, TY_END, 2) : ty_slice(turned, 3, dim / 2, TY_END, 1);
    ty_tensor *parts[] = {ty_sub(ty_mul(cosine, one), ty_mul(sine, two)),
                          ty_add(ty_mul(sine, one), ty_mul(cosine, two))};
    turned = pairs ? ty_reshape(ty_stack(2, parts, -1), 4, ty_shape(turned)) : ty_concat(2, parts, 3);
    return ty_concat(2, (ty_tensor *[]){turned, rest}, 3);
}
/* Rotate pairs of the first rotary_embedding_dim elements of heads by the angles of cos and sin. */
bool onnx_op_rotary_embedding(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *cosine = onnx_input(call, 1), *sine = onnx_input(call, 2);
    ty_tensor *places = onnx_input_or(call, 3, NULL), *y = x;
    if (ty_rank(x) == 3) y = onnx_heads_of(call, x, onnx_int(call, "num_heads", 0));
    int64_t dim = onnx_int(call, "rotary_embedding_dim", 0);
    if (ty_rank(y) != 4) return onnx_refuse(call, E_SHAPE, "expected 3 or 4 axes, not %d", ty_rank(x));
    int64_t whole = ty_shape(y)[3];
    if (!dim) dim = whole;
    if (dim < 0 || dim > whole || dim % 2)
        return onnx_refuse(call, E_ARGUMENT,
                           "rotary_embedding_dim is %lld; expected an even number up to %lld", (long long)dim,
                           (long long)whole);
    const int64_t *s = ty_shape(y), any[] = {-1, -1, -1};
    if (!onnx_sized(call, "position_ids", places, 2, (int64_t[]){s[0], s[2]}) ||
        !onnx_sized(call, "cos_cache", cosine, places ? 2 : 3, any) ||
        !onnx_sized(call, "sin_cache", sine, places ? 2 : 3, any))
        return false;
    if (places) cosine = ty_gather(cosine, places, 0), sine = ty_gather(sine, places, 0);
    y = onnx_rotated(y, cosine, sine, dim, onnx_int(call, "interleaved", 0));
    return onnx_output(call, 0, ty_rank(x) == 3 ? onnx_heads_joined(y) : y);
}

/* ---- linear attention ---- */

/* A recurrence of states (N,H,D,E): operands of a step are q, k, v, then decay and beta if they are used. */
struct linear {
    bool gated, delta;
    int64_t heads;
};
static void linear_step(void *context, ty_step *s) {
    const struct linear *l = context;
    ty_tensor *state = s->carry[0], *k = s->x[1], *v = s->x[2];
    if (l->gated) state = ty_mul(state, ty_expand(ty_exp(s->x[3]), -1));
    if (l->delta) v = ty_mul(s->x[l->gated ? 4 : 3], ty_sub(v, ty_einsum("nhde,nhd->nhe", state, k)));
    state = ty_add(state, ty_mul(ty_expand(k, -1), ty_expand(v, -2)));
    s->next[0] = state;
    s->y[0] = ty_einsum("nhd,nhde->nhe", s->x[0], shared(state, l->heads));
}

/* Make an operand (N,T,H*D) a sequence of steps (T,N,H,D) of f32. */
static ty_tensor *steps_of(struct onnx_call *call, ty_tensor *x, int64_t heads) {
    return ty_cast(ty_moveaxis(onnx_heads_of(call, x, heads), 1, (int64_t[]){2}, (int64_t[]){0}), TY_F32);
}
bool onnx_op_linear_attention(struct onnx_call *call) {
    static const char *const rules[] = {"linear", "gated", "delta", "gated_delta", NULL};
    int rule = onnx_word(call, "update_rule", "gated_delta", rules);
    int64_t heads = onnx_int(call, "q_num_heads", 0), groups = onnx_int(call, "kv_num_heads", 0);
    ty_tensor *past = onnx_input_or(call, 3, NULL), *q = onnx_input(call, 0), *x[5], *last, *y;
    struct linear l = {.gated = rule == 1 || rule == 3, .delta = rule >= 2, .heads = heads};
    if (groups < 1 || heads < 1 || heads % groups)
        return onnx_refuse(call, E_ARGUMENT, "%lld heads of keys do not divide %lld of queries",
                           (long long)groups, (long long)heads);
    if (onnx_has(call, 4) != l.gated || onnx_has(call, 5) != l.delta)
        return onnx_refuse(call, E_ARGUMENT, "update_rule %s takes decay %d and beta %d, but found %d and %d",
                           rules[rule], l.gated, l.delta, onnx_has(call, 4), onnx_has(call, 5));
    int n = 0;
    x[n++] = steps_of(call, q, heads);
    x[n++] = steps_of(call, onnx_input(call, 1), groups);
    x[n++] = steps_of(call, onnx_input(call, 2), groups);
    if (l.gated) x[n++] = steps_of(call, onnx_input(call, 4), groups);
    if (l.delta) x[n++] = steps_of(call, onnx_input(call, 5), ty_shape(onnx_input(call, 5))[2]);
    if (call->fault->set) return false;
    double scale = onnx_float(call, "scale", 0);
    int64_t shape[] = {ty_shape(x[1])[1], groups, ty_shape(x[1])[3], ty_shape(x[2])[3]};
    ty_tensor *state = past ? ty_cast(past, TY_F32) : ty_zeros(TY_F32, 4, shape);
    x[0] = ty_mul(x[0], ty_num(scale != 0 ? scale : 1 / sqrt((double)shape[2])));
    ty_scan_spec loop = {.ncarry = 1, .carry = &state, .nx = n, .x = x, .ny = 1};
    if (!ty_scan(linear_step, &l, loop, &last, &y, NULL)) return onnx_output(call, 0, y);
    y = ty_reshape(ty_swap(y, 0, 1), 3, (int64_t[]){ty_shape(q)[0], ty_shape(q)[1], heads * shape[3]});
    return onnx_output(call, 0, ty_cast(y, ty_dtype_of(q))) &&
           onnx_output(call, 1, ty_cast(last, ty_dtype_of(past ? past : q)));
}
