/* Attention of com.microsoft whose heads share keys and values, with a cache that steps extend. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/heads.h"
#include "onnx/ops/norms.h"
#include "onnx/ops/rows.h"

/* Sizes and operands of a call. */
struct groups {
    ty_tensor *q, *k, *v;         /* with heads: (N,H,T,D), (N,G,T,D) */
    ty_tensor *past;              /* (N,1,1,1): number of tokens in the cache before */
    ty_tensor *lengths;           /* (N,1,1,1): the same after this call */
    ty_tensor *k_scale, *v_scale; /* (1,1 or G,1,1 or D) of integers in the cache; NULL: it has numbers */
    int64_t n, t, total;          /* examples, tokens of this call, the greatest length */
};

/* Refuse inputs and attributes of caches in other forms, and read the scales of a quantised one. */
static bool read_cache(struct onnx_call *call, struct groups *g) {
    static const char *const words[] = {"NONE", "PER_TENSOR", "PER_CHANNEL", NULL};
    static const char *const types[] = {"k_quant_type", "v_quant_type"};
    const int64_t *shape = ty_shape(g->k);
    ty_tensor **scales[] = {&g->k_scale, &g->v_scale};
    for (int i = 0; i < 2; i++) {
        int type = onnx_word(call, types[i], "NONE", words);
        if (!type) continue;
        int64_t bits = onnx_int(call, "kv_cache_bit_width", 8),
                channels = type == 2 ? shape[1] * shape[3] : 1;
        *scales[i] = onnx_input(call, 12 + i);
        if (bits != 8)
            return onnx_refuse(call, E_UNSUPPORTED, "kv_cache_bit_width is %lld; expected 8",
                               (long long)bits);
        if (!call->fault->set && ty_size(*scales[i]) != channels)
            return onnx_refuse(call, E_SHAPE, "%s has %lld scales; expected %lld", types[i],
                               (long long)ty_size(*scales[i]), (long long)channels);
        *scales[i] =
            ty_reshape(*scales[i], 4, (int64_t[]){1, type == 2 ? shape[1] : 1, 1, type == 2 ? shape[3] : 1});
    }
    if (!g->k_scale != !g->v_scale)
        return onnx_refuse(call, E_UNSUPPORTED, "one of keys and values is quantised; expected both or none");
    if (onnx_has(call, 16))
        return onnx_refuse(call, E_UNSUPPORTED, "query_seqlens, of padded chunks, is not supported");
    int64_t window = onnx_int(call, "sliding_window_cache", 0);
    return !call->fault->set &&
           (!window ||
            onnx_refuse(call, E_UNSUPPORTED, "sliding_window_cache is %lld; expected 0", (long long)window));
}
/* Return heads x as integers of a quantised cache; scale NULL: x. */
static ty_tensor *to_cache(ty_tensor *x, ty_tensor *scale) {
    if (!scale) return x;
    x = ty_round(ty_div(ty_cast(x, TY_F32), ty_cast(scale, TY_F32)));
    return ty_cast(ty_max(ty_min(x, ty_num(INT8_MAX)), ty_num(INT8_MIN)), TY_I8);
}
/* Return the first tokens of a cache as numbers of a dtype. */
static ty_tensor *from_cache(const struct groups *g, ty_tensor *x, ty_tensor *scale, ty_dtype dtype) {
    x = ty_slice(x, 2, 0, g->total, 1);
    return scale ? ty_cast(ty_mul(ty_cast(x, TY_F32), ty_cast(scale, TY_F32)), dtype) : x;
}
/* Return heads x with the root of the mean of squares 1, times the weight of input i; if it is absent, x. */
static ty_tensor *normed(struct onnx_call *call, ty_tensor *x, int i, const char *name, const char *epsilon) {
    ty_tensor *weight = onnx_input_or(call, i, NULL), *wide = ty_cast(x, TY_F32);
    if (!weight) return x;
    if (!onnx_sized(call, name, weight, 1, ty_shape(x) + 3)) return onnx_failed(call);
    struct layer_norm l = {.axis = 3,
                           .centred = false,
                           .epsilon = onnx_float(call, epsilon, onnx_float(call, "qk_norm_epsilon", 1e-6))};
    return ty_cast(onnx_layer_norm(&l, wide, TY_F32, ty_cast(weight, TY_F32), NULL), ty_dtype_of(x));
}
/* Cut queries, keys and values into heads; without keys, queries have all three. */
static bool read_heads(struct onnx_call *call, struct groups *g) {
    ty_tensor *q = onnx_input(call, 0), *k = onnx_input_or(call, 1, NULL), *v = onnx_input_or(call, 2, NULL);
    int64_t heads = onnx_int(call, "num_heads", 0), own = onnx_int(call, "kv_num_heads", 0);
    if (ty_rank(q) != 3 || heads < 1 || own < 1 || heads % own || !k != !v)
        return onnx_refuse(call, E_SHAPE, "%lld and %lld heads of a query of %d axes; expected 3",
                           (long long)heads, (long long)own, ty_rank(q));
    if (!k) {
        int64_t all = ty_shape(q)[2], parts = heads > all ? 0 : heads + 2 * own;
        if (!parts || all % parts)
            return onnx_refuse(call, E_SHAPE, "%lld and twice %lld heads do not divide a query of size %lld",
                               (long long)heads, (long long)own, (long long)all);
        int64_t size = all / parts, a = size * heads, b = a + size * own;
        k = ty_slice(q, 2, a, b, 1), v = ty_slice(q, 2, b, TY_END, 1), q = ty_slice(q, 2, 0, a, 1);
    }
    g->q = onnx_heads_of(call, q, heads), g->k = onnx_heads_of(call, k, own);
    g->v = onnx_heads_of(call, v, own);
    if (call->fault->set) return false;
    g->n = ty_shape(g->q)[0], g->t = ty_shape(g->q)[2];
    if (ty_shape(g->k)[2] != g->t || ty_shape(g->v)[2] != g->t)
        return onnx_refuse(call, E_SHAPE,
                           "keys and values have %lld and %lld tokens; expected %lld, as queries have",
                           (long long)ty_shape(g->k)[2], (long long)ty_shape(g->v)[2], (long long)g->t);
    return true;
}
static bool read_lengths(struct onnx_call *call, struct groups *g) {
    ty_tensor *last = onnx_input(call, 5);
    g->total = onnx_known_int(call, 6, 0);
    if (call->fault->set) return false;
    if (ty_size(last) != g->n || g->total < g->t)
        return onnx_refuse(
            call, E_SHAPE,
            "seqlens_k has %lld elements, and total_sequence_length is %lld; expected %lld, and at "
            "least %lld",
            (long long)ty_size(last), (long long)g->total, (long long)g->n, (long long)g->t);
    last = ty_reshape(ty_cast(last, TY_I64), 4, (int64_t[]){g->n, 1, 1, 1});
    g->lengths = ty_add(last, ty_int(1));
    g->past = g->t == g->total ? ty_zeros_like(last) : ty_sub(g->lengths, ty_int(g->t));
    return true;
}
/* Return the places of this call's tokens, (N,T). */
static ty_tensor *places_of(const struct groups *g) {
    ty_tensor *step = ty_iota(TY_I64, 2, (int64_t[]){1, g->t}, 1);
    return ty_add(ty_reshape(g->past, 2, (int64_t[]){g->n, 1}), step);
}
static bool rotate(struct onnx_call *call, struct groups *g) {
    if (!onnx_int(call, "do_rotary", 0)) return true;
    ty_tensor *cosine = onnx_input(call, 7), *sine = onnx_input(call, 8);
    ty_tensor *places = onnx_has(call, 9) ? onnx_input(call, 9) : places_of(g);
    bool pairs = onnx_int(call, "rotary_interleaved", 0);
    int64_t dim = ty_rank(cosine) == 2 ? 2 * ty_shape(cosine)[1] : 0;
    if (!onnx_angles(call, &cosine, &sine, places, g->q)) return false;
    g->q = onnx_rotated(g->q, cosine, sine, dim, pairs), g->k = onnx_rotated(g->k, cosine, sine, dim, pairs);
    return true;
}
/* Return the cache, as long as its past form and all tokens need, with new ones from the past length on. */
static ty_tensor *extended(const struct groups *g, ty_tensor *past, ty_tensor *new) {
    if (!past || !ty_ok(new)) return new;
    int64_t have = ty_shape(past)[2];
    if (have < g->total) {
        ty_padding padding[TY_MAX_RANK] = {{0, 0, 0}};
        padding[2].high = g->total - have;
        past = ty_pad(past, padding, ty_scalar(ty_dtype_of(past), 0));
    }
    ty_tensor *place = ty_add(ty_iota(TY_I64, 4, ty_shape(new), 2), g->past);
    place = onnx_from_start(place, ty_shape(past)[2]);
    return ty_scatter(past, place, new, 2, TY_SCATTER_SET);
}
/* Return where queries see keys: those before them, within a window, of the example's length. */
static ty_tensor *seen(struct onnx_call *call, const struct groups *g) {
    int64_t window = onnx_int(call, "local_window_size", -1);
    ty_tensor *j = ty_iota(TY_I64, 4, (int64_t[]){1, 1, 1, g->total}, 3);
    ty_tensor *i = ty_add(ty_iota(TY_I64, 4, (int64_t[]){1, 1, g->t, 1}, 2), g->past);
    ty_tensor *see = ty_lt(j, g->lengths);
    if (onnx_int(call, "causal", 1)) see = ty_logical_and(see, ty_le(j, i));
    return window > 0 ? ty_logical_and(see, ty_gt(j, ty_sub(i, ty_int(window)))) : see;
}
/* True if a past key and value, which may be NULL, fit the heads. */
static bool past_fits(struct onnx_call *call, const struct groups *g, ty_tensor *past_k, ty_tensor *past_v) {
    if (!past_k != !past_v)
        return onnx_refuse(call, E_SHAPE, "one of past_key and past_value is given; expected both or none");
    const int64_t *k = ty_shape(g->k), *v = ty_shape(g->v);
    return onnx_sized(call, "past_key", past_k, 4, (int64_t[]){g->n, k[1], -1, k[3]}) &&
           onnx_sized(call, "past_value", past_v, 4, (int64_t[]){g->n, v[1], -1, v[3]}) &&
           (!g->k_scale || !past_k ||
            (onnx_typed(call, "past_key", past_k, TY_I8) && onnx_typed(call, "past_value", past_v, TY_I8)));
}
bool onnx_op_group_query_attention(struct onnx_call *call) {
    struct groups g = {.n = 0};
    ty_tensor *past_k = onnx_input_or(call, 3, NULL), *past_v = onnx_input_or(call, 4, NULL);
    int64_t show = onnx_int(call, "qk_output", 0);
    if (!read_heads(call, &g) || !read_lengths(call, &g) || !read_cache(call, &g) ||
        !past_fits(call, &g, past_k, past_v))
        return false;
    g.q = normed(call, g.q, 14, "q_norm_weight", "q_norm_epsilon");
    g.k = normed(call, g.k, 15, "k_norm_weight", "k_norm_epsilon");
    if (call->fault->set || !rotate(call, &g)) return false;
    int64_t have = past_k ? ty_shape(past_k)[2] : 0;
    if ((!past_k && g.t != g.total) || g.total - g.t > have || (past_v && ty_shape(past_v)[2] != have))
        return onnx_refuse(call, E_SHAPE,
                           "%lld tokens of %lld are new, but there are %lld past keys and %lld past values",
                           (long long)g.t, (long long)g.total, (long long)have,
                           (long long)(past_v ? ty_shape(past_v)[2] : 0));
    ty_tensor *k = extended(&g, past_k, to_cache(g.k, g.k_scale));
    ty_tensor *v = extended(&g, past_v, to_cache(g.v, g.v_scale));
    if (!ty_ok(k) || !ty_ok(v)) return onnx_output(call, 0, ty_ok(k) ? v : k);
    struct attend a = {.q = g.q,
                       .k = from_cache(&g, k, g.k_scale, ty_dtype_of(g.q)),
                       .v = from_cache(&g, v, g.v_scale, ty_dtype_of(g.q)),
                       .see = seen(call, &g),
                       .bias = onnx_input_or(call, 10, NULL),
                       .sink = onnx_input_or(call, 11, NULL),
                       .scale = onnx_float(call, "scale", 0),
                       .cap = onnx_float(call, "softcap", 0),
                       .precision = ty_dtype_of(g.q) == TY_F64 ? TY_F64 : TY_F32};
    int64_t scores[] = {g.n, ty_shape(g.q)[1], g.t, g.total};
    if (!onnx_spreads(call, "attention_bias", a.bias, 4, scores) ||
        !onnx_sized(call, "head_sink", a.sink, 1, scores + 1))
        return false;
    if (a.scale == 0) a.scale = 1 / sqrt((double)ty_shape(g.q)[3]);
    if (!a.sink && onnx_int(call, "smooth_softmax", -1) > 0)
        a.sink = ty_zeros(TY_F32, 1, (int64_t[]){ty_shape(g.q)[1]});
    ty_tensor *y = onnx_attend(&a);
    return onnx_output(call, 0, onnx_heads_joined(y)) && onnx_output(call, 1, k) && onnx_output(call, 2, v) &&
           (!show || onnx_output(call, 3, show == 1 ? a.biased : a.weights));
}
