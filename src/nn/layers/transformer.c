/* Transformer block: attention and two linear layers, each with a norm and a residual sum (Vaswani et al.
   2017; norms before, Xiong et al. 2020). */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "array/tensor.h"
#include "base/options.h"
#include "base/machine/floating.h"
#include "nn/layers/options.h"

typedef ty_transformer_block_layer options_of;

static ty_tensor *norm(ty_layer *self, const options_of *o, const char *name, ty_tensor *x) {
    ty_layer_norm_layer how = {.epsilon = o->epsilon};
    return o->rms ? ty_layer_rms_norm(self, name, x, how) : ty_layer_layer_norm(self, name, x, how);
}

static ty_tensor *drop(const options_of *o, ty_tensor *key, uint64_t which, ty_tensor *x) {
    return key && o->dropout > 0 ? dropped(x, o->dropout, ty_fold(key, which)) : x;
}

/* Return the feed-forward part of the block for x [N, T, C], of the same shape: two dense layers, an
   activation or a gate between them, and dropout by `key` (NULL: none). */
static ty_tensor *feed(ty_layer *self, const options_of *o, ty_tensor *key, ty_tensor *x) {
    int64_t channels = size_from_end(x, 1), hidden = size_or(o->hidden, 4 * channels);
    ty_linear_layer in = {.units = hidden, .no_bias = o->attention.no_bias}, out = in;
    out.units = channels;
    ty_tensor *h = ty_layer_linear(self, "linear1", x, in),
              *gate = o->gated ? ty_layer_linear(self, "gate", x, in) : h;
    gate = activation_apply(o->activation ? o->activation : ty_gelu, gate);
    h = drop(o, key, 2, o->gated ? ty_mul(h, gate) : gate);
    return drop(o, key, 3, ty_layer_linear(self, "linear2", h, out));
}

/* Check that x is [batch, positions, channels], and the options. Return poison, or NULL if they are valid. */
static ty_tensor *refuse(ty_layer *self, const options_of *o, const ty_tensor *x) {
    if (ty_rank(x) != 3)
        return layer_refuse(self, E_SHAPE, "the input has %d axes, expected 3: batch, positions, channels",
                            ty_rank(x));
    struct fault fault;
    fault_clear(&fault);
    if (!OPTIONS_UNUSED(o, "the options", &fault)) return layer_refuse(self, fault.code, "%s", fault.text);
    if (o->hidden < 0)
        return layer_refuse(self, E_ARGUMENT, "%lld hidden units, expected at least 1", (long long)o->hidden);
    return refuse_chance(self, o->dropout);
}

/* Compute a transformer block of x[0] [N, T, C]: y[0] is the result, y[1] and y[2] are the updated cache of
   its attention, else empty placeholders. y[0] is poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const options_of *o = options;
    y[1] = y[2] = operand_or_absent(NULL);
    if ((y[0] = refuse_count(self, n, 8)) || (y[0] = refuse(self, o, x[0]))) return;
    ty_tensor *key = ty_layer_key(self), *h = o->post ? x[0] : norm(self, o, "norm1", x[0]);
    ty_heads more = {.keys = operand_or_null(n, x, 1),
                     .values = operand_or_null(n, x, 2),
                     .mask = operand_or_null(n, x, 3),
                     .lengths = operand_or_null(n, x, 4),
                     .cached_keys = operand_or_null(n, x, 5),
                     .cached_values = operand_or_null(n, x, 6),
                     .position = operand_or_null(n, x, 7)};
    h = ty_layer_attend(self, "self_attn", h, &more, o->attention);
    if (more.cached_keys) y[1] = more.cached_keys;
    if (more.cached_values) y[2] = more.cached_values;
    h = ty_add(x[0], drop(o, key, 1, h));
    if (o->post) h = norm(self, o, "norm1", h);
    if (!ty_ok(h)) {
        y[0] = h;
        return;
    }
    ty_tensor *fed = ty_add(h, feed(self, o, key, o->post ? h : norm(self, o, "norm2", h)));
    y[0] = o->post ? norm(self, o, "norm2", fed) : fed;
}

#define AT(member, what) OPTION(options_of, member, what)
#define IN(member, what) OPTION_AS(options_of, attention.member, what, #member)
static const ty_option options[] = {IN(heads, INT),
                                    IN(kv_heads, INT),
                                    IN(head_size, INT),
                                    IN(causal, FLAG),
                                    IN(window, INT),
                                    IN(no_bias, FLAG),
                                    IN(separate, FLAG),
                                    IN(rotary, REAL),
                                    IN(rotary_pairs, FLAG),
                                    IN(alibi, FLAG),
                                    OPTION_AS(options_of, attention.dropout, REAL, "attention_dropout"),
                                    IN(block, INT),
                                    IN(weight, INIT),
                                    IN(bias, INIT),
                                    AT(hidden, INT),
                                    AT(activation, ACTIVATION),
                                    AT(gated, FLAG),
                                    AT(post, FLAG),
                                    AT(rms, FLAG),
                                    AT(epsilon, REAL),
                                    AT(dropout, REAL),
                                    {0}};
const ty_layer_kind ty_kind_transformer_block = {.name = "transformer_block",
                                                 .prefix = "block",
                                                 .doc =
                                                     "attention and two linear layers, with norms and sums",
                                                 .bytes = sizeof(options_of),
                                                 .options = options,
                                                 .operands = -1,
                                                 .results = 3,
                                                 .forward = forward};

ty_tensor *ty_layer_transform_sized(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                    const ty_transformer_block_layer *given, size_t given_size) {
    OPTIONS(ty_transformer_block_layer, o, given, given_size);
    return layer_with_heads(at, name, &ty_kind_transformer_block, &o, x, more);
}
