/* Multi-head attention as a layer: projections, positions, cache, ty_attention, and the output projection. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include "array/tensor.h"
#include "base/options.h"
#include "base/machine/floating.h"
#include "nn/layers/options.h"

typedef ty_multi_head_attention_layer options_of;

/* Operands of the kind, in order. */
enum { X, KEYS, VALUES, MASK, LENGTHS, CACHED_KEYS, CACHED_VALUES, POSITION, OPERANDS };

/* Sizes of the heads. */
struct heads {
    int64_t channels, n, groups, size; /* n query heads, `groups` key heads */
};

static ty_tensor *projection(ty_layer *self, const options_of *o, const char *name, ty_tensor *x,
                             int64_t units) {
    ty_linear_layer linear = {.units = units, .no_bias = o->no_bias, .weight = o->weight, .bias = o->bias};
    return ty_layer_linear(self, name, x, linear);
}

/* Return x [.., C] times the columns from..to (to excluded) of weight [C, ..], plus those of the bias
   unless that is NULL. */
static ty_tensor *columns(ty_layer *self, ty_tensor *x, ty_tensor *weight, ty_tensor *bias, int64_t from,
                          int64_t to) {
    ty_tensor *y = ty_matmul(x, ty_slice(weight, 1, from, to, 1));
    ty_layer_count(self, 2 * (double)ty_size(y) * (double)size_from_end(weight, 2));
    return bias ? ty_add(y, ty_slice(bias, 0, from, to, 1)) : y;
}

/* Project the sources in[3] of queries, keys and values, each [N, T, C], to out[3] [N, T, heads * size].
   Neighbours that are the same tensor share one contraction, unless o->separate. Poison on failure. */
static void project(ty_layer *self, const options_of *o, const struct heads *h, ty_tensor *const *in,
                    ty_tensor **out) {
    int64_t of_q = h->n * h->size, of_k = h->groups * h->size, shape[] = {h->channels, of_q + 2 * of_k};
    if (o->separate) {
        static const char *const names[] = {"q_proj", "k_proj", "v_proj"};
        for (int i = 0; i < 3; i++) out[i] = projection(self, o, names[i], in[i], i ? of_k : of_q);
        return;
    }
    ty_parameter form = {
        .rank = 2, .shape = shape, .init = init_or(o->weight, ty_init_glorot_uniform), .pytorch = {1, 0}};
    form.fan_in = (double)shape[0], form.fan_out = (double)shape[1];
    ty_tensor *weight = ty_layer_parameter(self, "in_proj_weight", form), *bias = NULL;
    ty_parameter of_bias = {.rank = 1, .shape = shape + 1, .init = init_or(o->bias, ty_init_zeros)};
    of_bias.fan_in = form.fan_in, of_bias.fan_out = form.fan_out;
    if (!o->no_bias) bias = ty_layer_parameter(self, "in_proj_bias", of_bias);
    const int64_t ends[] = {0, of_q, of_q + of_k, of_q + 2 * of_k};
    for (int i = 0; i < 3;) {
        int n = 1; /* operands that are the same tensor */
        while (i + n < 3 && in[i + n] == in[i]) n++;
        ty_tensor *y = columns(self, in[i], weight, bias, ends[i], ends[i + n]);
        for (int k = i; k < i + n; k++) out[k] = ty_slice(y, -1, ends[k] - ends[i], ends[k + 1] - ends[i], 1);
        i += n;
    }
}

/* Split heads: x, [N, T, heads * size], to [N, heads, T, size]. */
static ty_tensor *apart(ty_tensor *x, int64_t heads, int64_t size) {
    if (!ty_ok(x)) return x;
    int64_t shape[] = {ty_shape(x)[0], ty_shape(x)[1], heads, size};
    return ty_swap(ty_reshape(x, 4, shape), 1, 2);
}

/* Return the cache [N, heads, positions, ..] into which x [N, heads, T, ..] is written from `position`, a 0-d integer from
   0, on. A program writes these rows alone over a variable. */
static ty_tensor *write(ty_tensor *cache, ty_tensor *position, ty_tensor *x) {
    int64_t count = size_from_end(x, 2);
    ty_tensor *places = ty_add(ty_iota(TY_I64, 1, &count, 0), position);
    ty_index items[] = {TY_WHOLE, TY_WHOLE, TY_OF(places)};
    return ty_set(cache, 3, items, x);
}

/* ---- refusals ---- */

/* Check the numbers and sizes of heads, rotary positions and dropout. Return poison, or NULL if they are
   valid. */
static ty_tensor *refuse_numbers(ty_layer *self, const options_of *o, const struct heads *h) {
    if (h->n < 1 || h->groups < 1 || h->n % h->groups)
        return layer_refuse(self, E_ARGUMENT,
                            "%lld heads of queries and %lld of keys, expected at least 1, and a multiple",
                            (long long)h->n, (long long)h->groups);
    if (h->size < 1 || (!o->head_size && h->channels % h->n))
        return layer_refuse(self, E_SHAPE, "%lld channels are not divisible by %lld heads",
                            (long long)h->channels, (long long)h->n);
    if (o->rotary < 0 || (o->rotary > 0 && h->size % 2))
        return layer_refuse(
            self, E_SHAPE,
            "rotary positions with base %g in heads of %lld; expected a positive base and an even size",
            o->rotary, (long long)h->size);
    return refuse_chance(self, o->dropout);
}

/* Check the sources in[3] of queries, keys and values: floats [N, T, C] that fit. Return poison, or NULL if
   they do. */
static ty_tensor *refuse_sources(ty_layer *self, const options_of *o, const struct heads *h,
                                 ty_tensor *const *in) {
    static const char *const names[] = {"input", "keys", "values"};
    for (int i = 0; i < 3; i++) {
        if (ty_rank(in[i]) != 3 || !is_real(in[i]))
            return layer_refuse(self, E_DTYPE,
                                "the %s: %s with %d axes, expected floats (batch, positions, channels)",
                                names[i], ty_dtype_name(ty_dtype_of(in[i])), ty_rank(in[i]));
        if (!o->separate && ty_shape(in[i])[2] != h->channels)
            return layer_refuse(
                self, E_SHAPE,
                "the %s have %lld channels, expected %lld as the input, or the option separate", names[i],
                (long long)ty_shape(in[i])[2], (long long)h->channels);
        if (ty_shape(in[i])[0] != ty_shape(in[0])[0] || (i == 2 && ty_shape(in[2])[1] != ty_shape(in[1])[1]))
            return layer_refuse(self, E_ARGUMENT,
                                "the %s: batch %lld and %lld positions, expected those of the %s", names[i],
                                (long long)ty_shape(in[i])[0], (long long)ty_shape(in[i])[1], names[i - 1]);
    }
    return NULL;
}

static bool is_cache(const ty_tensor *x, int64_t batch, const struct heads *h) {
    return ty_rank(x) == 4 && ty_shape(x)[0] == batch && ty_shape(x)[1] == h->groups &&
           ty_shape(x)[3] == h->size && is_real(x);
}

/* Check the cache among the operands x[], keys, values and position: all or none are present and fit.
   Return poison, or NULL if they do. */
static ty_tensor *refuse_cache(ty_layer *self, const struct heads *h, ty_tensor *const *x) {
    ty_tensor *keys = x[CACHED_KEYS], *values = x[CACHED_VALUES], *position = x[POSITION];
    int64_t batch = ty_shape(x[X])[0];
    bool none = is_absent(keys) && is_absent(values) && is_absent(position);
    if (none) return NULL;
    bool well = is_cache(keys, batch, h) && is_cache(values, batch, h) &&
                ty_shape(keys)[2] == ty_shape(values)[2] && is_whole(position) && !ty_rank(position) &&
                is_absent(x[KEYS]) && is_absent(x[VALUES]);
    if (well) return NULL;
    return layer_refuse(self, E_DTYPE,
                        "a cache needs keys and values of floats [%lld,%lld,positions,%lld], a position, one "
                        "integer, and no keys of another tensor",
                        (long long)batch, (long long)h->groups, (long long)h->size);
}

/* ---- layer ---- */

/* Return the attention of the projected qkv[3], after splitting their heads, in the array, and rotary
   positions. With a cache among x[], y[1] and y[2] receive it updated, and its keys and values are used.
   Poison on failure. */
static ty_tensor *look(ty_layer *self, const options_of *o, const struct heads *h, ty_tensor *const *x,
                       ty_tensor **qkv, ty_tensor **y) {
    ty_tensor *position = operand_or_null(OPERANDS, x, POSITION);
    ty_attention_options how = {.mask = operand_or_null(OPERANDS, x, MASK),
                                .lengths = operand_or_null(OPERANDS, x, LENGTHS),
                                .causal = o->causal,
                                .window = o->window,
                                .dropout = o->dropout,
                                .key = ty_layer_key(self),
                                .block = o->block};
    for (int i = 0; i < 3; i++) qkv[i] = apart(qkv[i], i ? h->groups : h->n, h->size);
    if (first_bad_of(3, qkv)) return first_bad_of(3, qkv);
    for (int i = 0; i < 2 && o->rotary > 0; i++) {
        ty_tensor *places = ty_iota(TY_I64, 1, ty_shape(qkv[i]) + 2, 0);
        qkv[i] = ty_rotary(qkv[i], position ? ty_add(places, position) : places, o->rotary, o->rotary_pairs);
    }
    if (position) {
        for (int i = 1; i < 3; i++) {
            y[i] = write(x[CACHED_KEYS + i - 1], position, qkv[i]);
            qkv[i] = ty_cast(y[i], ty_dtype_of(qkv[0]));
        }
        how.causal = true;
        how.offset = position;
    }
    if (o->alibi) how.slopes = ty_alibi_slopes(h->n);
    ty_tensor *seen = ty_attention(qkv[0], qkv[1], qkv[2], how);
    if (ty_ok(seen)) ty_layer_count(self, 4 * (double)ty_size(seen) * (double)ty_shape(qkv[1])[2]);
    return seen;
}

/* Compute multi-head attention of given[0..n): y[0] is the result, y[1] and y[2] are the updated cache,
   else empty placeholders. y[0] is poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *given, ty_tensor **y) {
    FLOATING_DEFAULT;
    const options_of *o = options;
    ty_tensor *x[OPERANDS], *in[3], *qkv[3], *bad = NULL;
    y[1] = y[2] = operand_or_absent(NULL);
    if ((y[0] = refuse_count(self, n, OPERANDS))) return;
    for (int i = 0; i < OPERANDS; i++) x[i] = i < n ? given[i] : operand_or_absent(NULL);
    if ((y[0] = first_bad_of(OPERANDS, x))) return;
    in[0] = x[X];
    in[1] = is_absent(x[KEYS]) ? in[0] : x[KEYS];
    in[2] = is_absent(x[VALUES]) ? in[1] : x[VALUES];
    struct heads h = {.n = o->heads, .groups = size_or(o->kv_heads, o->heads), .size = o->head_size};
    h.channels = ty_rank(x[X]) ? size_from_end(x[X], 1) : 0;
    if (!h.size && h.n > 0) h.size = h.channels / h.n;
    bad = refuse_numbers(self, o, &h);
    if (!bad) bad = refuse_sources(self, o, &h, in);
    if (!bad) bad = refuse_cache(self, &h, x);
    if (!bad && !ty_ok(y[1])) bad = y[1];
    if ((y[0] = bad)) return;
    project(self, o, &h, in, qkv);
    if ((y[0] = first_bad_of(3, qkv))) return;
    ty_tensor *seen = look(self, o, &h, x, qkv, y);
    if (!ty_ok(seen)) {
        y[0] = seen;
        return;
    }
    int64_t shape[] = {ty_shape(x[X])[0], ty_shape(x[X])[1], h.n * h.size};
    y[0] = projection(self, o, "out_proj", ty_reshape(ty_swap(seen, 1, 2), 3, shape),
                      size_or(o->units, h.channels));
}

#define AT(member, what) OPTION(options_of, member, what)
static const ty_option options[] = {
    AT(heads, INT),   AT(kv_heads, INT),      AT(head_size, INT), AT(units, INT),
    AT(causal, FLAG), AT(window, INT),        AT(no_bias, FLAG),  AT(separate, FLAG),
    AT(rotary, REAL), AT(rotary_pairs, FLAG), AT(alibi, FLAG),    AT(dropout, REAL),
    AT(block, INT),   AT(weight, INIT),       AT(bias, INIT),     {0}};
const ty_layer_kind ty_kind_multi_head_attention = {
    .name = "multi_head_attention",
    .prefix = "attention",
    .doc = "attention: each position reads other positions, in several heads",
    .bytes = sizeof(options_of),
    .options = options,
    .operands = -1,
    .results = 3,
    .forward = forward};

ty_tensor *layer_with_heads(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *o,
                            ty_tensor *x, ty_heads *more) {
    ty_heads none = {0};
    struct fault fault;
    fault_clear(&fault);
    if (!more) more = &none;
    if (!OPTIONS_UNUSED(more, kind->name, &fault)) return tensor_fault(&fault);
    ty_tensor *operands[OPERANDS] = {[X] = x,
                                     [KEYS] = operand_or_absent(more->keys),
                                     [VALUES] = operand_or_absent(more->values),
                                     [MASK] = operand_or_absent(more->mask),
                                     [LENGTHS] = operand_or_absent(more->lengths),
                                     [CACHED_KEYS] = operand_or_absent(more->cached_keys),
                                     [CACHED_VALUES] = operand_or_absent(more->cached_values),
                                     [POSITION] = operand_or_absent(more->position)};
    ty_tensor *y[3] = {0};
    ty_layer_call(at, name, kind, o, kind->bytes, OPERANDS, operands, y);
    if (more->cached_keys) more->cached_keys = tensor_of(y[1]);
    if (more->cached_values) more->cached_values = tensor_of(y[2]);
    return tensor_of(y[0]);
}

ty_tensor *ty_layer_attend_sized(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                 const ty_multi_head_attention_layer *given, size_t given_size) {
    OPTIONS(ty_multi_head_attention_layer, o, given, given_size);
    return layer_with_heads(at, name, &ty_kind_multi_head_attention, &o, x, more);
}
