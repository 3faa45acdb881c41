/* Convolutions over 1, 2 or 3 axes, plain and transposed, with bias and activation: six kinds from one
   implementation. */
#include <stdio.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/shape.h>
#include "nn/layers/options.h"

/* Properties that differ between the six kinds. */
struct variant {
    int n; /* number of spatial axes */
    bool transposed;
    ty_tensor *(*convolve)(ty_tensor *x, ty_tensor *w, ty_conv options);
};

/* Input and output channels and their groups. */
struct channels {
    int64_t in, out, groups;
};

static struct channels channels_of(const ty_conv_layer *o, int64_t in) {
    struct channels c = {in, o->channels, o->depthwise ? in : size_or(o->groups, 1)};
    if (o->depthwise && !c.out) c.out = in;
    return c;
}

/* Return the options of a convolution function, with `groups` groups, for the options o of a layer. */
static ty_conv conv_of(const ty_conv_layer *o, int64_t groups) {
    ty_conv c = {.same = o->same, .same_lower = o->same_lower, .nchw = o->nchw, .groups = groups};
    memcpy(c.stride, o->stride, sizeof c.stride);
    memcpy(c.dilation, o->dilation, sizeof c.dilation);
    memcpy(c.low, o->low, sizeof c.low);
    memcpy(c.high, o->high, sizeof c.high);
    memcpy(c.output_padding, o->output_padding, sizeof c.output_padding);
    return c;
}

/* Return NULL if x and the options fit variant v, else poison with the reason. */
static ty_tensor *refuse(ty_layer *self, const ty_conv_layer *o, const struct variant *v, ty_tensor *x) {
    static const char *const axes[] = {"width", "height, width", "depth, height, width"};
    int n = v->n;
    if (ty_rank(x) != n + 2)
        return layer_refuse(self, E_SHAPE, "the input has %d axes after the batch, expected %d: %s%s%s",
                            ty_rank(x) - 1, n + 1, o->nchw ? "channels, " : "", axes[n - 1],
                            o->nchw ? "" : ", channels");
    struct channels c = channels_of(o, ty_shape(x)[o->nchw ? 1 : n + 1]);
    bool well = c.out >= 1;
    char size[72] = "";
    size_t length = 0;
    for (int i = 0; i < n; i++) {
        well = well && o->size[i] >= 1;
        length += (size_t)snprintf(size + length, sizeof size - length, "%s%lld", i ? "x" : "",
                                   (long long)o->size[i]);
    }
    if (!well)
        return layer_refuse(self, E_ARGUMENT, "size %s and %lld channels, expected at least 1 of each", size,
                            (long long)c.out);
    if (c.groups < 1 || c.in % c.groups || c.out % c.groups)
        return layer_refuse(
            self, E_SHAPE,
            "%lld channels of the input and %lld of the output are not divisible by %lld groups",
            (long long)c.in, (long long)c.out, (long long)c.groups);
    return NULL;
}

/* Return a description of the weight: [spatial..., in, out]; for nchw [out, in, spatial...] as in PyTorch.
   `shape` receives the sizes, and the result points to it. */
static ty_parameter weight_of(const ty_conv_layer *o, const struct variant *v, struct channels c,
                              int64_t *shape) {
    int n = v->n;
    double window = 1;
    for (int i = 0; i < n; i++) window *= (double)(shape[o->nchw ? 2 + i : i] = o->size[i]);
    shape[o->nchw ? !v->transposed : n] = v->transposed ? c.in : c.in / c.groups;
    shape[o->nchw ? v->transposed : n + 1] = v->transposed ? c.out / c.groups : c.out;
    ty_parameter p = {.rank = n + 2, .shape = shape, .init = init_or(o->weight, ty_init_glorot_uniform)};
    /* Fans as PyTorch counts them from the weight alone: with groups fan_out counts all outputs, transposed
       kinds swap both. */
    p.fan_in = window * (double)(v->transposed ? c.out / c.groups : c.in / c.groups);
    p.fan_out = window * (double)(v->transposed ? c.in : c.out);
    p.keras = "kernel";
    for (int i = 0; !o->nchw && i < n; i++) p.pytorch[2 + i] = i;
    if (!o->nchw) p.pytorch[v->transposed ? 0 : 1] = n, p.pytorch[v->transposed ? 1 : 0] = n + 1;
    /* Keras has [spatial..., in, out] whatever the layout of x, transposed kinds [spatial..., out, in]. */
    for (int i = 0; i < n; i++) p.keras_axes[i] = o->nchw ? 2 + i : i;
    p.keras_axes[n] = o->nchw ? 1 : n + v->transposed;
    p.keras_axes[n + 1] = o->nchw ? 0 : n + !v->transposed;
    return p;
}

/* Return the convolution of x of variant v, plus bias, activated; its parameters belong to `self`. Poison
   on failure. */
static ty_tensor *convolve(ty_layer *self, const ty_conv_layer *o, const struct variant *v, ty_tensor *x) {
    int64_t shape[5];
    ty_tensor *bad = refuse(self, o, v, x);
    if (bad) return bad;
    struct channels c = channels_of(o, ty_shape(x)[o->nchw ? 1 : v->n + 1]);
    ty_parameter p = weight_of(o, v, c, shape);
    ty_tensor *weight = ty_layer_parameter(self, "weight", p);
    ty_tensor *y = v->convolve(x, weight, conv_of(o, c.groups));
    ty_layer_count(self, 2 * p.fan_in * (double)ty_size(v->transposed ? x : y));
    if (o->no_bias) return activation_apply(o->activation, y);
    ty_tensor *bias = ty_layer_parameter(self, "bias",
                                         (ty_parameter){.rank = 1,
                                                        .shape = &c.out,
                                                        .init = init_or(o->bias, ty_init_zeros),
                                                        .fan_in = p.fan_in,
                                                        .fan_out = p.fan_out});
    for (int i = 0; o->nchw && i < v->n; i++) bias = ty_expand(bias, -1);
    return activation_apply(o->activation, ty_add(y, bias));
}

/* Return the weight's axis of output channels, for ty_model_fold, and set *result to that axis of the
   layer's result, -1 for the last. Return -1 if folding is impossible: an activation follows, or a
   transposed kind has groups. */
static int channels_along(const ty_conv_layer *o, const struct variant *v, int *result) {
    *result = o->nchw ? 1 : -1;
    if (o->activation || (v->transposed && (o->groups > 1 || o->depthwise))) return -1;
    return o->nchw ? v->transposed : v->n + 1;
}

#define AT(member, what) OPTION(ty_conv_layer, member, what)
#define THREE(member) OPTION_LIST(ty_conv_layer, member, INT, 3)
static const ty_option options[] = {THREE(size),
                                    AT(channels, INT),
                                    THREE(stride),
                                    THREE(dilation),
                                    THREE(low),
                                    THREE(high),
                                    AT(same, FLAG),
                                    AT(no_bias, FLAG),
                                    AT(activation, ACTIVATION),
                                    AT(weight, INIT),
                                    AT(bias, INIT),
                                    AT(same_lower, FLAG),
                                    AT(nchw, FLAG),
                                    AT(groups, INT),
                                    AT(depthwise, FLAG),
                                    THREE(output_padding),
                                    {0}};

#define CONV(title, prefix_of_names, axes, turned, words)                                                    \
    static void forward_##title(ty_layer *self, const void *o, int n, ty_tensor *const *x, ty_tensor **y) {  \
        (void)n;                                                                                             \
        y[0] = convolve(self, o, &(const struct variant){axes, turned, ty_##title}, x[0]);                   \
    }                                                                                                        \
    static int channels_##title(const void *o, int *result) {                                                \
        return channels_along(o, &(const struct variant){axes, turned, ty_##title}, result);                 \
    }                                                                                                        \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .prefix = prefix_of_names,                                        \
                                           .doc = words,                                                     \
                                           .channels = channels_##title,                                     \
                                           .bytes = sizeof(ty_conv_layer),                                   \
                                           .options = options,                                               \
                                           .forward = forward_##title};
CONV(conv1d, "conv", 1, false, "convolution over one axis")
CONV(conv2d, "conv", 2, false, "convolution over two axes")
CONV(conv3d, "conv", 3, false, "convolution over three axes")
CONV(conv_transpose1d, "convtranspose", 1, true, "transposed convolution over one axis")
CONV(conv_transpose2d, "convtranspose", 2, true, "transposed convolution over two axes")
CONV(conv_transpose3d, "convtranspose", 3, true, "transposed convolution over three axes")
