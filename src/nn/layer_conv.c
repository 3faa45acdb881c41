/* Convolutions over 1, 2 or 3 axes, plain and transposed, with a bias and an activation: six kinds of one
 * layer. */
#include <stdio.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/shape.h>
#include "nn/model.h"

/* What tells the kinds apart. */
struct variant {
    int n; /* spatial axes */
    bool transposed;
    ty_tensor *(*convolve)(ty_tensor *x, ty_tensor *w, ty_conv options);
};

static const struct variant *variant_of(const struct layer *l) { return l->kind->variant; }

/* Channels that come in and go out, and into how many groups they fall. */
struct channels {
    int64_t in, out, groups;
};

static struct channels channels_of(const ty_conv_layer *o, int64_t in) {
    struct channels c = {in, o->channels, o->depthwise ? in : o->groups ? o->groups : 1};
    if (o->depthwise && !c.out) c.out = in;
    return c;
}

static ty_conv conv_of(const ty_conv_layer *o, int64_t in) {
    ty_conv c = {
        .same = o->same, .same_lower = o->same_lower, .nchw = o->nchw, .groups = channels_of(o, in).groups};
    memcpy(c.stride, o->stride, sizeof c.stride);
    memcpy(c.dilation, o->dilation, sizeof c.dilation);
    memcpy(c.low, o->low, sizeof c.low);
    memcpy(c.high, o->high, sizeof c.high);
    memcpy(c.output_padding, o->output_padding, sizeof c.output_padding);
    return c;
}

/* "5x5" */
static void size_words(char *out, size_t capacity, const ty_conv_layer *o, int n) {
    int length = 0;
    for (int i = 0; i < n && (size_t)length < capacity; i++)
        length +=
            snprintf(out + length, capacity - (size_t)length, "%s%lld", i ? "x" : "", (long long)o->size[i]);
}

static bool check(ty_model *m, const struct layer *l, const struct layer *in) {
    static const char *const axes[] = {"width", "height, width", "depth, height, width"};
    const ty_conv_layer *o = l->options;
    int n = variant_of(l)->n;
    if (in->rank != n + 2)
        return fault_set(&m->fault, "%s: the input has %d axes after the batch, expected %d: %s%s%s", l->name,
                         in->rank - 1, n + 1, o->nchw ? "channels, " : "", axes[n - 1],
                         o->nchw ? "" : ", channels");
    struct channels c = channels_of(o, in->shape[o->nchw ? 1 : n + 1]);
    bool well = c.out >= 1;
    for (int i = 0; i < n; i++) well = well && o->size[i] >= 1;
    char size[72];
    size_words(size, sizeof size, o, n);
    if (!well)
        return fault_set(&m->fault, "%s: size %s and %lld channels, expected at least 1 of each", l->name,
                         size, (long long)c.out);
    if (c.groups < 1 || c.in % c.groups || c.out % c.groups)
        return fault_set(&m->fault,
                         "%s: %lld channels of the input and %lld of the output do not fall into %lld groups",
                         l->name, (long long)c.in, (long long)c.out, (long long)c.groups);
    return true;
}

/* The weights as ty_conv2d and its like want them; spatial axes in the middle or in front. */
static bool build(ty_model *m, struct layer *l, const struct layer *in) {
    const ty_conv_layer *o = l->options;
    const struct variant *kind = variant_of(l);
    int n = kind->n;
    if (!check(m, l, in)) return false;
    struct channels c = channels_of(o, in->shape[o->nchw ? 1 : n + 1]);
    int64_t from = kind->transposed ? c.in : c.in / c.groups,
            to = kind->transposed ? c.out / c.groups : c.out;
    int64_t shape[5];
    double window = 1;
    for (int i = 0; i < n; i++) window *= (double)(shape[o->nchw ? 2 + i : i] = o->size[i]);
    shape[o->nchw ? !kind->transposed : n] = from;
    shape[o->nchw ? kind->transposed : n + 1] = to;
    /* As PyTorch counts them, by the weight alone: of groups fan out counts all outputs, transposed ones change places. */
    double fan_in = window * (double)(kind->transposed ? c.out / c.groups : c.in / c.groups);
    double fan_out = window * (double)(kind->transposed ? c.in : c.out);
    ty_init weight = o->weight.draw ? o->weight : (ty_init){ty_init_glorot_uniform, 0, 0};
    ty_init bias = o->bias.draw ? o->bias : (ty_init){ty_init_zeros, 0, 0};
    return model_parameter(m, l, "weight", weight, n + 2, shape, fan_in, fan_out) &&
           (o->no_bias || model_parameter(m, l, "bias", bias, 1, &c.out, fan_in, fan_out));
}

static ty_tensor *forward(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    const ty_conv_layer *o = l->options;
    const struct variant *kind = variant_of(l);
    int channel = o->nchw ? 1 : kind->n + 1;
    if (!ty_ok(x) || ty_rank(x) != kind->n + 2) return kind->convolve(x, l->parameters[0], (ty_conv){0});
    ty_tensor *y = kind->convolve(x, l->parameters[0], conv_of(o, ty_shape(x)[channel]));
    if (o->no_bias) return activation_apply(o->activation, y);
    ty_tensor *bias = l->parameters[1];
    for (int i = 0; o->nchw && i < kind->n; i++) bias = ty_expand(bias, -1);
    return activation_apply(o->activation, ty_add(y, bias));
}

static void describe(const struct layer *l, struct text *t) {
    const ty_conv_layer *o = l->options;
    char size[72];
    size_words(size, sizeof size, o, variant_of(l)->n);
    text_add(t, " %s%s", size, o->same || o->same_lower ? " same" : "");
    if (o->depthwise)
        text_add(t, " depthwise");
    else if (o->groups > 1)
        text_add(t, " groups %lld", (long long)o->groups);
    activation_describe(o->activation, t);
}

#define CONV(title, prefix_of_names, axes, turned)                                                           \
    extern const struct layer_kind layer_##title;                                                            \
    const struct layer_kind layer_##title = {.name = #title,                                                 \
                                             .prefix = prefix_of_names,                                      \
                                             .options = sizeof(ty_conv_layer),                               \
                                             .build = build,                                                 \
                                             .forward = forward,                                             \
                                             .describe = describe,                                           \
                                             .variant = &(const struct variant){axes, turned, ty_##title}};  \
    void ty_layer_##title(ty_model *m, ty_conv_layer options) { model_add(m, &layer_##title, &options); }
CONV(conv1d, "conv", 1, false)
CONV(conv2d, "conv", 2, false)
CONV(conv3d, "conv", 3, false)
CONV(conv_transpose1d, "convtranspose", 1, true)
CONV(conv_transpose2d, "convtranspose", 2, true)
CONV(conv_transpose3d, "convtranspose", 3, true)
