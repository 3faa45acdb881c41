/* Mixtures of experts of com.microsoft: a router sends each token through a few of many small networks. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "array/dtype.h"
#include "onnx/ops/blocks.h"
#include "onnx/ops/rows.h"
#include "ops/shape/arrange.h"

/* Most tokens that an expert computes at once: products of 64 rows have nearly the speed of larger ones. */
enum { MOST_ROWS = 64 };

/* The weights of a layer of all experts. */
struct layer {
    const char *name;
    ty_tensor *w; /* (E,N,K), or bytes (E,N,K / share) with packed numbers; NULL: there is no such layer */
    ty_tensor *scale, *zero; /* of packed numbers; zero NULL: half their range */
    ty_tensor *bias;         /* (E,N); NULL: none */
    int64_t n, k, block;     /* block: columns that share a scale; 0: all */
    ty_dtype dtype;          /* of packed numbers; TY_DTYPES: w has floats */
};

enum activation { RELU, GELU, SILU, IDENTITY, SWIGLU };

struct experts {
    struct onnx_call *call;
    struct layer in, gate, out;
    int64_t tokens, hidden, count, top; /* top: experts of a token */
    int64_t rows, blocks;               /* tokens of a block, which one expert computes; number of blocks */
    int activation;
    int64_t fusion; /* of SWIGLU; 1: columns of gates and values alternate, 2: values come after all gates */
    double alpha, beta, limit;
};

/* ---- operands ---- */

/* Read the attributes that both operators have. */
static bool read_attributes(struct experts *e) {
    static const char *const words[] = {"relu", "gelu", "silu", "identity", "swiglu", NULL};
    struct onnx_call *call = e->call;
    e->top = onnx_int(call, "k", 1);
    e->activation = onnx_word(call, "activation_type", "relu", words);
    e->fusion = e->activation == SWIGLU ? onnx_int(call, "swiglu_fusion", 0) : 0;
    e->alpha = onnx_float(call, "activation_alpha", 1), e->beta = onnx_float(call, "activation_beta", 0);
    e->limit = onnx_float(call, "swiglu_limit", (double)INFINITY);
    if (call->fault->set) return false;
    if (e->fusion < 0 || e->fusion > 2)
        return onnx_refuse(call, E_ARGUMENT, "swiglu_fusion is %lld; expected 0, 1 or 2",
                           (long long)e->fusion);
    if (onnx_int(call, "use_sparse_mixer", 0) || onnx_int(call, "swiglu_limit_after_activation", 0))
        return onnx_refuse(call, E_UNSUPPORTED,
                           "use_sparse_mixer or swiglu_limit_after_activation is set; expected 0");
    return true;
}

/* Read the tokens' size and the number of experts. */
static bool read_tokens(struct experts *e, ty_tensor *x, ty_tensor *router) {
    int rank = ty_rank(x);
    if ((rank != 2 && rank != 3) || ty_rank(router) != 2)
        return onnx_refuse(e->call, E_SHAPE,
                           "input and router_probs have %d and %d axes; expected 2 or 3, and 2", rank,
                           ty_rank(router));
    if (!is_floating(ty_dtype_of(x)) || !is_floating(ty_dtype_of(router)))
        return onnx_refuse(e->call, E_DTYPE, "input and router_probs are of %s and %s; expected floats",
                           ty_dtype_name(ty_dtype_of(x)), ty_dtype_name(ty_dtype_of(router)));
    e->hidden = ty_shape(x)[rank - 1], e->tokens = product(x, 0, rank - 1), e->count = ty_shape(router)[1];
    if (ty_shape(router)[0] != e->tokens || e->top < 1 || e->top > e->count || e->hidden < 1)
        return onnx_refuse(
            e->call, E_SHAPE,
            "router_probs is (%lld,%lld) for %lld tokens of size %lld, and k %lld; expected a row for each "
            "token, and k from 1 to the number of experts",
            (long long)ty_shape(router)[0], (long long)e->count, (long long)e->tokens, (long long)e->hidden,
            (long long)e->top);
    return true;
}

/* Check the weights of a layer of n outputs and k inputs, and its bias, scales and zero points. */
static bool layer_fits(struct experts *e, struct layer *l, int64_t n, int64_t k) {
    struct onnx_call *call = e->call;
    int64_t share = l->dtype == TY_DTYPES ? 1 : dtype_share(l->dtype), experts = e->count;
    l->n = n, l->k = k;
    if (k % share || (l->block && k % l->block))
        return onnx_refuse(call, E_SHAPE,
                           "%s: %lld inputs are no multiple of %lld in a byte and %lld in a block", l->name,
                           (long long)k, (long long)share, (long long)l->block);
    int64_t blocks = l->block ? k / l->block : 1, along = l->block ? blocks : n;
    int64_t bytes = along / share + (along % share != 0);
    return onnx_sized(call, l->name, l->w, 3, (int64_t[]){experts, n, k / share}) &&
           onnx_sized(call, "bias", l->bias, 2, (int64_t[]){experts, n}) &&
           onnx_sized(call, "scales", l->scale, l->block ? 3 : 2, (int64_t[]){experts, n, blocks}) &&
           (l->block ? onnx_sized(call, "zero points", l->zero, 3, (int64_t[]){experts, n, bytes})
                     : onnx_sized(call, "zero points", l->zero, 2, (int64_t[]){experts, bytes})) &&
           (l->dtype == TY_DTYPES || onnx_typed(call, l->name, l->w, TY_U8)) &&
           (!l->zero || onnx_typed(call, "zero points", l->zero, TY_U8));
}

/* Check the layers; that of gates is optional. */
static bool layers_fit(struct experts *e) {
    if (ty_rank(e->out.w) != 3 || ty_rank(e->in.w) != 3)
        return onnx_refuse(e->call, E_SHAPE, "weights of experts have %d and %d axes; expected 3",
                           ty_rank(e->in.w), ty_rank(e->out.w));
    if (e->activation == SWIGLU && !e->fusion != (e->gate.w != NULL))
        return onnx_refuse(e->call, E_ARGUMENT, "swiglu_fusion is %lld %s fc3_experts_weights",
                           (long long)e->fusion, e->gate.w ? "with" : "without");
    int64_t wide = ty_shape(e->in.w)[1], inner = e->fusion ? wide / 2 : wide;
    if (e->fusion && wide % 2)
        return onnx_refuse(e->call, E_SHAPE, "fc1_experts_weights has an odd number of rows");
    return layer_fits(e, &e->in, wide, e->hidden) && layer_fits(e, &e->out, e->hidden, inner) &&
           (!e->gate.w || layer_fits(e, &e->gate, inner, e->hidden));
}

/* ---- experts ---- */

/* Return x (B,K) times the weights of an expert, plus its bias: (B,N).  Packed numbers of other experts stay packed. */
static ty_tensor *layer_of(struct experts *e, const struct layer *l, ty_tensor *x, ty_tensor *expert) {
    ty_tensor *w = ty_gather(l->w, expert, 0);
    if (l->dtype != TY_DTYPES) {
        struct blocks b = {.q = onnx_bits_numbers(e->call, w, l->dtype, l->k),
                           .scale = ty_gather(l->scale, expert, 0),
                           .axis = l->block ? 1 : 0,
                           .block = l->block,
                           .offset = l->zero ? 0 : onnx_bits_half(l->dtype),
                           .dtype = TY_F32};
        if (l->zero)
            b.zero = onnx_bits_zeros(e->call, ty_gather(l->zero, expert, 0), l->dtype,
                                     l->block ? l->k / l->block : l->n);
        w = onnx_blocks_numbers(e->call, &b);
    }
    ty_tensor *y = ty_matmul(x, ty_transpose(ty_cast(w, TY_F32)));
    return l->bias ? ty_add(y, ty_cast(ty_gather(l->bias, expert, 0), TY_F32)) : y;
}

/* Return gate * sigmoid(alpha gate) (value + beta), of clamped operands. */
static ty_tensor *swiglu(const struct experts *e, ty_tensor *gate, ty_tensor *value) {
    if (isfinite(e->limit)) {
        gate = ty_min(gate, ty_num(e->limit));
        value = ty_max(ty_min(value, ty_num(e->limit)), ty_num(-e->limit));
    }
    gate = ty_mul(gate, ty_sigmoid(ty_mul(gate, ty_num(e->alpha))));
    return ty_mul(gate, ty_add(value, ty_num(e->beta)));
}

/* The step of the loop over blocks: one expert computes the tokens of a block. */
static void compute_block(void *context, ty_step *s) {
    static ty_tensor *(*const functions[])(ty_tensor *) = {ty_relu, ty_gelu_tanh, ty_silu, NULL};
    struct experts *e = context;
    ty_tensor *x = s->x[0], *expert = s->x[1], *a = layer_of(e, &e->in, x, expert), *value = NULL;
    int64_t inner = e->out.k;
    if (e->gate.w) value = layer_of(e, &e->gate, x, expert);
    if (e->fusion == 1) {
        a = ty_reshape(a, 3, (int64_t[]){e->rows, inner, 2});
        value = ty_squeeze(ty_slice(a, 2, 1, 2, 1), 2), a = ty_squeeze(ty_slice(a, 2, 0, 1, 1), 2);
    } else if (e->fusion == 2) {
        value = ty_slice(a, 1, inner, TY_END, 1), a = ty_slice(a, 1, 0, inner, 1);
    }
    if (e->activation == SWIGLU) {
        a = swiglu(e, a, value);
    } else {
        if (functions[e->activation]) a = functions[e->activation](a);
        if (value) a = ty_mul(a, value);
    }
    s->y[0] = layer_of(e, &e->out, a, expert);
}

/* ---- blocks of tokens ---- */

/* Places of slots, a token's way through one of its experts, in blocks of slots with equal experts.  Slots of an expert fill
   its blocks in order, and the last one has free places.  So the number of blocks depends on sizes alone. */
struct places {
    ty_tensor *place;  /* (S) of each slot */
    ty_tensor *token;  /* (blocks * rows) at each place */
    ty_tensor *expert; /* (blocks) */
};

static struct places place_slots(const struct experts *e, ty_tensor *chosen) {
    int64_t slots = e->tokens * e->top, room = e->blocks * e->rows;
    ty_tensor *slot = ty_iota(TY_I64, 1, &slots, 0), *rows = ty_int(e->rows);
    struct places p = {.place = slot, .token = ty_floor_div(slot, ty_int(e->top)), .expert = chosen};
    if (e->rows == 1) return p;
    ty_tensor *all = ty_iota(TY_I64, 2, (int64_t[]){1, e->count}, 1);
    ty_tensor *one = ty_cast(ty_eq(ty_expand(chosen, 1), all), TY_I64); /* (S,E) */
    ty_tensor *counts = ty_sum(one, ty_axis(0));
    ty_tensor *rank = ty_sub(ty_sum(ty_mul(one, ty_cumsum(one, 0, (ty_running){0})), ty_axis(1)), ty_int(1));
    ty_tensor *full = ty_floor_div(ty_add(counts, ty_int(e->rows - 1)), rows),
              *end = ty_cumsum(full, 0, (ty_running){0});
    p.place = ty_add(ty_mul(ty_gather(ty_sub(end, full), chosen, 0), rows), rank);
    ty_tensor *at = ty_scatter(ty_zeros(TY_I64, 1, &room), p.place, slot, 0, TY_SCATTER_SET);
    p.token = ty_floor_div(at, ty_int(e->top));
    ty_tensor *block = ty_iota(TY_I64, 2, (int64_t[]){e->blocks, 1}, 0);
    ty_tensor *before = ty_sum(ty_cast(ty_ge(block, ty_expand(end, 0)), TY_I64), ty_axis(1));
    p.expert = ty_min(before, ty_int(e->count - 1));
    return p;
}

/* Return the sums of what the chosen experts make of each token, with weights (T,k). */
static ty_tensor *mix(struct experts *e, ty_tensor *x, ty_tensor *chosen, ty_tensor *weights) {
    int64_t slots = e->tokens * e->top, each = slots / e->count + (slots % e->count != 0);
    e->rows = each < MOST_ROWS ? each : MOST_ROWS;
    e->blocks = slots / e->rows + e->count < slots ? slots / e->rows + e->count : slots;
    struct places p = place_slots(e, ty_reshape(ty_cast(chosen, TY_I64), 1, &slots));
    ty_tensor *tokens = ty_reshape(ty_cast(x, TY_F32), 2, (int64_t[]){e->tokens, e->hidden});
    ty_tensor *rows =
        ty_reshape(ty_gather(tokens, p.token, 0), 3, (int64_t[]){e->blocks, e->rows, e->hidden});
    ty_tensor *operands[] = {rows, p.expert}, *y = NULL;
    ty_scan_spec spec = {.nx = 2, .x = operands, .ny = 1};
    ty_scan(compute_block, e, spec, NULL, &y, NULL);
    y = ty_gather(ty_reshape(y, 2, (int64_t[]){e->blocks * e->rows, e->hidden}), p.place, 0);
    y = ty_mul(ty_reshape(y, 3, (int64_t[]){e->tokens, e->top, e->hidden}), ty_expand(weights, -1));
    return ty_cast(ty_reshape(ty_sum(y, ty_axis(1)), ty_rank(x), ty_shape(x)), ty_dtype_of(x));
}

static ty_tensor *normalised(ty_tensor *weights) {
    return ty_div(weights, ty_expand(ty_sum(weights, ty_axis(1)), 1));
}

/* Mix with experts that a router has chosen, unless there are no tokens. */
static bool run(struct experts *e, ty_tensor *x, ty_tensor *chosen, ty_tensor *weights) {
    ty_tensor *y = e->tokens ? mix(e, x, chosen, weights) : ty_zeros_like(x);
    return !e->call->fault->set && onnx_output(e->call, 0, y);
}

bool onnx_op_experts(struct onnx_call *call) {
    struct experts e = {.call = call};
    ty_tensor *x = onnx_input(call, 0), *router = onnx_input(call, 1);
    e.in = (struct layer){"fc1_experts_weights", onnx_input(call, 2), .bias = onnx_input_or(call, 3, NULL)};
    e.out = (struct layer){"fc2_experts_weights", onnx_input(call, 4), .bias = onnx_input_or(call, 5, NULL)};
    e.gate = (struct layer){"fc3_experts_weights", onnx_input_or(call, 6, NULL),
                            .bias = onnx_input_or(call, 7, NULL)};
    e.in.dtype = e.out.dtype = e.gate.dtype = TY_DTYPES;
    if (!read_attributes(&e) || !read_tokens(&e, x, router) || !layers_fit(&e)) return false;
    ty_tensor *shares = ty_softmax(ty_cast(router, TY_F32), 1);
    ty_tensor *chosen = ty_top_k_index(shares, e.top, 1, true);
    ty_tensor *weights = ty_take_along_axis(shares, chosen, 1);
    if (onnx_int(call, "normalize_routing_weights", 0)) weights = normalised(weights);
    return run(&e, x, chosen, weights);
}

/* Read layers of packed numbers, and refuse other forms of them. */
static bool read_packed(struct experts *e) {
    static const char *const names[] = {"fc1_experts_weights", "fc2_experts_weights", "fc3_experts_weights"};
    static const char *const bits[] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                       "fc3_expert_weight_bits"};
    struct layer *layers[] = {&e->in, &e->out, &e->gate};
    struct onnx_call *call = e->call;
    int64_t block = onnx_int(call, "block_size", 0);
    for (int i = 0; i < 3; i++) {
        *layers[i] = (struct layer){.name = names[i],
                                    .w = onnx_input_or(call, 2 + 3 * i, NULL),
                                    .scale = onnx_input_or(call, 3 + 3 * i, NULL),
                                    .bias = onnx_input_or(call, 4 + 3 * i, NULL),
                                    .zero = onnx_input_or(call, 11 + i, NULL),
                                    .block = block > 0 ? block : 0};
        layers[i]->dtype =
            onnx_bits_dtype(call, onnx_attribute(call, bits[i]) ? bits[i] : "expert_weight_bits");
        if (call->fault->set) return false;
        if (!layers[i]->w != !layers[i]->scale || (i < 2 && !layers[i]->w))
            return onnx_refuse(call, E_ARGUMENT, "%s or its scales are missing", names[i]);
    }
    for (int i = 15; i < call->ninputs; i++)
        if (onnx_has(call, i))
            return onnx_refuse(call, E_UNSUPPORTED, "input %d, a scale of floating numbers, is not supported",
                               i);
    const char *type = onnx_text(call, "quant_type", "int");
    if (strcmp(type, "int")) return onnx_refuse(call, E_UNSUPPORTED, "quant_type is %s; expected int", type);
    return onnx_int(call, "weights_prepacked", -1) < 1 ||
           onnx_refuse(call, E_UNSUPPORTED, "weights_prepacked is set, a layout of one device; expected 0");
}

bool onnx_op_packed_experts(struct onnx_call *call) {
    struct experts e = {.call = call};
    ty_tensor *x = onnx_input(call, 0), *router = onnx_input(call, 1),
              *mixing = onnx_input_or(call, 14, NULL);
    if (!read_packed(&e) || !read_attributes(&e) || !read_tokens(&e, x, router) || !layers_fit(&e) ||
        !onnx_sized(call, "router_weights", mixing, 2, (int64_t[]){e.tokens, e.count}))
        return false;
    ty_tensor *logits = ty_cast(router, TY_F32), *chosen = ty_top_k_index(logits, e.top, 1, true);
    ty_tensor *weights = ty_take_along_axis(mixing ? ty_cast(mixing, TY_F32) : logits, chosen, 1);
    if (!mixing)
        weights = ty_softmax(weights, 1);
    else if (onnx_int(call, "normalize_routing_weights", 0))
        weights = normalised(weights);
    return run(&e, x, chosen, weights);
}
