/* Attention of com.microsoft: projections of queries, keys and values, masks of several forms, caches of keys. */
#include "onnx/ops/heads.h"
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"

/* Refuse an attribute that only other devices than processors know. */
static bool without(struct onnx_call *call, const char *name) {
    int64_t value = onnx_int(call, name, 0);
    return value == 0 || onnx_refuse(call, E_UNSUPPORTED, "%s is %lld; expected 0", name, (long long)value);
}

/* ---- masks ---- */

/* Return where keys count, by their ends or, of 2 N numbers, ends and beginnings: bool (N,1,1,S). */
static ty_tensor *between(ty_tensor *mask, int64_t n, int64_t keys) {
    ty_tensor *place = ty_iota(TY_I64, 4, (int64_t[]){1, 1, 1, keys}, 3);
    ty_tensor *ends = ty_reshape(ty_cast(ty_slice(mask, 0, 0, n, 1), TY_I64), 4, (int64_t[]){n, 1, 1, 1});
    ty_tensor *seen = ty_lt(place, ends);
    if (ty_size(mask) == n) return seen;
    ty_tensor *first =
        ty_reshape(ty_cast(ty_slice(mask, 0, n, 2 * n, 1), TY_I64), 4, (int64_t[]){n, 1, 1, 1});
    return ty_logical_and(seen, ty_ge(place, first));
}
/* Return the term that a mask adds to the scores of T queries and S keys: mask_filter_value at keys that do not count.
   The mask has a number for each key (N,S) or query and key (N,T,S), or ends (N), or ends and beginnings (2 N).  Return
   NULL for one of shape (N,1) or (1,1): it hides nothing, as pruned models have it. */
static ty_tensor *mask_bias(struct onnx_call *call, ty_tensor *mask, const struct attend *a) {
    int64_t n = ty_shape(a->q)[0], t = ty_shape(a->q)[2], keys = ty_shape(a->k)[2];
    int rank = ty_rank(mask);
    const int64_t *s = ty_shape(mask);
    ty_tensor *seen;
    if (rank == 1 && (s[0] == n || s[0] == 2 * n)) {
        seen = between(mask, n, keys);
    } else if (rank == 2 && s[0] == n && s[1] == keys) {
        seen = ty_gt(ty_reshape(mask, 4, (int64_t[]){n, 1, 1, keys}), ty_int(0));
    } else if (rank == 3 && s[0] == n && s[1] == t && s[2] == keys) {
        seen = ty_gt(ty_expand(mask, 1), ty_int(0));
    } else if (rank == 2 && s[1] == 1 && (s[0] == n || s[0] == 1)) {
        return NULL;
    } else {
        onnx_refuse(
            call, E_SHAPE,
            "a mask of %d axes and %lld elements does not fit %lld examples, %lld queries and %lld keys",
            rank, (long long)ty_size(mask), (long long)n, (long long)t, (long long)keys);
        return onnx_failed(call);
    }
    double hidden = onnx_float(call, "mask_filter_value", -10000);
    return ty_where(seen, ty_scalar(TY_F32, 0), ty_scalar(TY_F32, hidden));
}
static ty_tensor *sum_of(ty_tensor *a, ty_tensor *b) { return !a ? b : b ? ty_add(a, b) : a; }

/* ---- attention ---- */

/* A call: operands with heads, and inputs that may be NULL. */
struct heads {
    struct attend a;
    ty_tensor *mask, *bias, *past_k, *past_v;
    ty_tensor *k, *v; /* results: past and new keys and values */
    bool causal;
};
/* Append keys and values to the past ones, and compute.  Gives no results; NULL and the fault if shapes do not fit. */
static ty_tensor *attended(struct onnx_call *call, struct heads *h) {
    struct attend *a = &h->a;
    if (call->fault->set) return NULL;
    if (!ty_ok(a->q) || !ty_ok(a->k) || !ty_ok(a->v)) return !ty_ok(a->q) ? a->q : ty_ok(a->k) ? a->v : a->k;
    int64_t past = 0;
    if (!h->past_k != !h->past_v || (h->past_k && (ty_rank(h->past_k) != 4 || ty_rank(h->past_v) != 4)))
        return onnx_refuse(call, E_SHAPE, "past keys and values are not both given with 4 axes"), NULL;
    if (h->past_k) {
        past = ty_shape(h->past_k)[2];
        a->k = ty_concat(2, (ty_tensor *[]){h->past_k, a->k}, 2);
        a->v = ty_concat(2, (ty_tensor *[]){h->past_v, a->v}, 2);
    }
    if (!ty_ok(a->k)) return a->k;
    int64_t t = ty_shape(a->q)[2], keys = ty_shape(a->k)[2];
    ty_dtype dtype = ty_dtype_of(a->q);
    h->k = a->k, h->v = a->v;
    a->precision =
        dtype == TY_F64 ? TY_F64 : TY_F32; /* half floats lose all digits in a sum with mask_filter_value */
    a->q = ty_cast(a->q, a->precision), a->k = ty_cast(a->k, a->precision),
    a->v = ty_cast(a->v, a->precision);
    a->scale = onnx_float(call, "scale", 0);
    if (a->scale == 0) a->scale = 1 / sqrt((double)ty_shape(a->q)[3]);
    if (h->causal)
        a->see = ty_le(ty_iota(TY_I64, 2, (int64_t[]){1, keys}, 1),
                       ty_add(ty_iota(TY_I64, 2, (int64_t[]){t, 1}, 0), ty_int(past)));
    if (!onnx_spreads(call, "attention_bias", h->bias, 4,
                      (int64_t[]){ty_shape(a->q)[0], ty_shape(a->q)[1], t, keys}))
        return NULL;
    a->bias = sum_of(h->mask ? mask_bias(call, h->mask, a) : NULL, h->bias);
    if (a->bias) a->bias = ty_cast(a->bias, a->precision);
    return ty_cast(onnx_attend(a), dtype);
}

/* Cut a product of the input with merged weights (N,T,C) into q, k and v. */
static bool cut_merged(struct onnx_call *call, ty_tensor *merged, struct heads *h) {
    struct ints sizes = ints_attribute(call, "qkv_hidden_sizes");
    int64_t heads = onnx_int(call, "num_heads", 0), all = ty_rank(merged) == 3 ? ty_shape(merged)[2] : 0;
    int64_t q = sizes.n == 3 ? sizes.items[0] : all / 3, k = sizes.n == 3 ? sizes.items[1] : all / 3;
    int64_t v = sizes.n == 3 ? sizes.items[2] : all / 3;
    if (!ty_ok(merged)) return onnx_output(call, 0, merged);
    if ((sizes.n && sizes.n != 3) || q < 1 || k != q || v < 1 || q > all || v != all - q - k)
        return onnx_refuse(call, E_SHAPE,
                           "%lld columns of merged weights do not have q, k and v of %lld, %lld and %lld",
                           (long long)all, (long long)q, (long long)k, (long long)v);
    h->a.q = onnx_heads_of(call, ty_slice(merged, 2, 0, q, 1), heads);
    h->a.k = onnx_heads_of(call, ty_slice(merged, 2, q, q + k, 1), heads);
    h->a.v = onnx_heads_of(call, ty_slice(merged, 2, q + k, all, 1), heads);
    return !call->fault->set;
}
/* Attention of merged projections; past and present states are (2,N,H,S,D). */
static bool attend_merged(struct onnx_call *call, ty_tensor *merged, int mask, int past, int bias) {
    struct heads h = {.mask = onnx_input_or(call, mask, NULL), .causal = onnx_int(call, "unidirectional", 0)};
    if (bias >= 0) h.bias = onnx_input_or(call, bias, NULL);
    if (!without(call, "do_rotary") || !without(call, "past_present_share_buffer")) return false;
    if (onnx_has(call, past)) {
        ty_tensor *state = onnx_input(call, past);
        if (ty_rank(state) != 5 || ty_shape(state)[0] != 2)
            return onnx_refuse(call, E_SHAPE, "past has %d axes; expected 5, the first of size 2",
                               ty_rank(state));
        h.past_k = ty_squeeze(ty_slice(state, 0, 0, 1, 1), 0);
        h.past_v = ty_squeeze(ty_slice(state, 0, 1, 2, 1), 0);
    }
    if (!cut_merged(call, merged, &h)) return false;
    ty_tensor *y = attended(call, &h);
    return y && onnx_output(call, 0, onnx_heads_joined(y)) &&
           (!onnx_wants(call, 1) || onnx_output(call, 1, ty_stack(2, (ty_tensor *[]){h.k, h.v}, 0)));
}
/* True if a bias has a number for each column of merged projections. */
static bool bias_fits(struct onnx_call *call, ty_tensor *bias, ty_tensor *merged) {
    int rank = ty_rank(merged);
    return !ty_ok(merged) || rank < 1 || onnx_sized(call, "bias", bias, 1, ty_shape(merged) + rank - 1);
}
bool onnx_op_attention_ms(struct onnx_call *call) {
    ty_tensor *merged = ty_matmul(onnx_input(call, 0), onnx_input(call, 1));
    ty_tensor *bias = onnx_input_or(call, 2, NULL);
    if (!bias_fits(call, bias, merged)) return false;
    return attend_merged(call, bias ? ty_add(merged, bias) : merged, 3, 4, 5);
}
/* The projections are a product of 8-bit integers. */
bool onnx_op_qattention(struct onnx_call *call) {
    ty_tensor *x_zero = onnx_input_or(call, 6, NULL), *w_zero = onnx_input_or(call, 7, NULL);
    ty_tensor *w_scale = onnx_input(call, 4);
    if (x_zero) x_zero = ty_reshape(x_zero, 0, NULL);
    if (w_zero && ty_size(w_zero) == 1) w_zero = ty_reshape(w_zero, 0, NULL);
    if (ty_size(w_scale) == 1) w_scale = ty_reshape(w_scale, 0, NULL);
    ty_tensor *y =
        ty_cast(ty_matmul_integer(onnx_input(call, 0), onnx_input(call, 1), x_zero, w_zero), TY_F32);
    y = ty_mul(y, ty_cast(ty_mul(ty_reshape(onnx_input(call, 3), 0, NULL), w_scale), TY_F32));
    ty_tensor *bias = onnx_input(call, 2);
    if (!bias_fits(call, bias, y)) return false;
    return attend_merged(call, ty_cast(ty_add(y, bias), ty_dtype_of(bias)), 5, 8, -1);
}

/* ---- separate projections ---- */

/* Return part i of n parts along axis 3 of packed projections (N,T,H,n,D): (N,H,T,D). */
static ty_tensor *packed_part(ty_tensor *x, int i) {
    return ty_swap(ty_squeeze(ty_slice(x, 3, i, i + 1, 1), 3), 1, 2);
}
/* Add elements from .. of the bias to a projection (N,T,C); *at moves past them. */
static ty_tensor *with_bias(ty_tensor *x, ty_tensor *bias, int64_t *at) {
    int64_t size = ty_rank(x) == 3 ? ty_shape(x)[2] : 0, from = *at;
    *at += size;
    return bias && size ? ty_add(x, ty_slice(bias, 0, from, from + size, 1)) : x;
}
/* Read query, key and value: (N,T,C) each; packed as (N,T,H,3,D), or keys and values as (N,S,H,2,D); or keys and values
   with heads, (N,H,S,D). */
static bool read_projections(struct onnx_call *call, struct attend *a, ty_tensor *bias) {
    ty_tensor *q = onnx_input(call, 0), *k = onnx_input_or(call, 1, NULL), *v = onnx_input_or(call, 2, NULL);
    int64_t heads = onnx_int(call, "num_heads", 0), at = 0;
    bool all = ty_rank(q) == 5 && !k && !v && ty_shape(q)[3] == 3;
    bool both = k && !v && ty_rank(k) == 5 && ty_shape(k)[3] == 2;
    if (call->fault->set) return false;
    bool cut = k && v && ty_rank(k) == 4 && ty_rank(v) == 4;
    int64_t given = all ? ty_shape(q)[2] : both ? ty_shape(k)[2] : cut ? ty_shape(k)[1] : heads;
    if (given != heads || (cut && ty_shape(v)[1] != heads))
        return onnx_refuse(call, E_SHAPE, "packed operands have %lld heads; expected num_heads, %lld",
                           (long long)given, (long long)heads);
    if ((all || both) && bias)
        return onnx_refuse(call, E_UNSUPPORTED, "a bias with packed projections is not supported");
    if (all) {
        a->q = packed_part(q, 0), a->k = packed_part(q, 1), a->v = packed_part(q, 2);
        return true;
    }
    if (!k || (!v && !both))
        return onnx_refuse(call, E_SHAPE, "query, key and value have %d, %d and %d axes, which do not fit",
                           ty_rank(q), k ? ty_rank(k) : 0, v ? ty_rank(v) : 0);
    int64_t least = ty_rank(q) == 3 ? 2 * ty_shape(q)[2] : 0, own = v && ty_rank(v) == 3 ? ty_shape(v)[2] : 0;
    if (bias && (ty_rank(bias) != 1 || (cut ? ty_size(bias) < least : ty_size(bias) != least + own)))
        return onnx_refuse(call, E_SHAPE, "a bias of %d axes and %lld elements; expected 1, and %lld",
                           ty_rank(bias), (long long)ty_size(bias), (long long)(least + own));
    a->q = onnx_heads_of(call, with_bias(q, bias, &at), heads);
    if (both) {
        a->k = packed_part(k, 0), a->v = packed_part(k, 1);
    } else if (cut) {
        a->k = k, a->v = v;
    } else {
        a->k = onnx_heads_of(call, with_bias(k, bias, &at), heads);
        a->v = onnx_heads_of(call, with_bias(v, bias, &at), heads);
    }
    return !call->fault->set;
}
/* Inputs from `past` on are past keys and values. */
static bool attend_projections(struct onnx_call *call, struct heads *h, ty_tensor *bias, int past) {
    h->past_k = onnx_input_or(call, past, NULL), h->past_v = onnx_input_or(call, past + 1, NULL);
    h->causal = onnx_int(call, "unidirectional", 0);
    if (onnx_has(call, past + 2) || onnx_has(call, past + 3))
        return onnx_refuse(call, E_UNSUPPORTED, "past and present share a buffer; expected separate ones");
    if (!without(call, "past_present_share_buffer") || !read_projections(call, &h->a, bias)) return false;
    ty_tensor *y = attended(call, h);
    return y && onnx_output(call, 0, onnx_heads_joined(y)) && onnx_output(call, 1, h->k) &&
           onnx_output(call, 2, h->v) && onnx_output(call, 3, ty_cast(h->a.biased, ty_dtype_of(h->k)));
}
bool onnx_op_multi_head_attention(struct onnx_call *call) {
    struct heads h = {.mask = onnx_input_or(call, 4, NULL), .bias = onnx_input_or(call, 5, NULL)};
    return attend_projections(call, &h, onnx_input_or(call, 3, NULL), 6);
}
bool onnx_op_decoder_attention(struct onnx_call *call) {
    struct heads h = {.mask = onnx_input_or(call, 3, NULL), .bias = onnx_input_or(call, 4, NULL)};
    if (onnx_has(call, 9))
        return onnx_refuse(call, E_UNSUPPORTED, "cache_indirection, for beams, is not supported");
    return attend_projections(call, &h, onnx_input_or(call, 10, NULL), 5);
}

/* ---- rotary embedding ---- */

/* True if caches of cosines and sines have one shape (places,pairs), of pairs that heads of a size have. */
static bool caches_fit(struct onnx_call *call, ty_tensor *cosine, ty_tensor *sine, int64_t size) {
    const int64_t *c = ty_shape(cosine), *s = ty_shape(sine);
    if (call->fault->set) return false;
    if (ty_rank(cosine) != 2 || ty_rank(sine) != 2)
        return onnx_refuse(call, E_SHAPE, "cos_cache and sin_cache have %d and %d axes; expected 2",
                           ty_rank(cosine), ty_rank(sine));
    return (c[0] == s[0] && c[1] == s[1] && c[1] <= size / 2) ||
           onnx_refuse(call, E_SHAPE,
                       "cos_cache (%lld,%lld) and sin_cache (%lld,%lld) do not fit heads of size %lld",
                       (long long)c[0], (long long)c[1], (long long)s[0], (long long)s[1], (long long)size);
}
bool onnx_angles(struct onnx_call *call, ty_tensor **cosine, ty_tensor **sine, ty_tensor *places,
                 const ty_tensor *heads) {
    const int64_t *s = ty_shape(heads);
    if (!caches_fit(call, *cosine, *sine, s[3]) ||
        !onnx_spreads(call, "position_ids", places, 2, (int64_t[]){s[0], s[2]}))
        return false;
    if (ty_ok(places) && ty_rank(places) != 2) /* gathered rows would lie along the heads */
        return onnx_refuse(call, E_SHAPE, "position_ids has %d axes; expected 2", ty_rank(places));
    places = onnx_from_start(places, ty_shape(*cosine)[0]);
    *cosine = ty_gather(*cosine, places, 0), *sine = ty_gather(*sine, places, 0);
    return true;
}
/* Rotate heads by the angles of places: one number, that of the first place, or (N,T). */
bool onnx_op_rotary_embedding_ms(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *places = onnx_input(call, 1), *y = x;
    ty_tensor *cosine = onnx_input(call, 2), *sine = onnx_input(call, 3);
    int64_t heads = onnx_int(call, "num_heads", 0);
    if (!without(call, "is_packed_batching")) return false;
    if (onnx_float(call, "scale", 1) != 1)
        return onnx_refuse(call, E_UNSUPPORTED, "scale is %g; expected 1", onnx_float(call, "scale", 1));
    int64_t dim = ty_rank(cosine) == 2 ? 2 * ty_shape(cosine)[1] : 0;
    int64_t wanted = onnx_int(call, "rotary_embedding_dim", 0);
    if (wanted && wanted != dim)
        return onnx_refuse(call, E_SHAPE, "rotary_embedding_dim is %lld, and cos_cache has %lld pairs",
                           (long long)wanted, (long long)dim / 2);
    if (ty_rank(x) == 3) y = onnx_heads_of(call, x, heads ? heads : dim ? ty_shape(x)[2] / dim : 0);
    if (call->fault->set || ty_rank(y) != 4)
        return onnx_refuse(call, E_SHAPE, "expected 3 or 4 axes, not %d", ty_rank(x));
    if (ty_size(places) == 1)
        places = ty_add(ty_reshape(places, 2, (int64_t[]){1, 1}),
                        ty_iota(TY_I64, 2, (int64_t[]){1, ty_shape(y)[2]}, 1));
    if (!onnx_angles(call, &cosine, &sine, places, y)) return false;
    y = onnx_rotated(y, cosine, sine, dim, onnx_int(call, "interleaved", 0));
    return onnx_output(call, 0, ty_rank(x) == 3 ? onnx_heads_joined(y) : y);
}
