/* Blocks of image networks made of other layers, and the residual block around any function. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "array/scope.h"
#include "base/machine/floating.h"
#include "nn/layers/options.h"

/* Check that x has four axes, a batch of images, and that `channels` is at least 1. Return poison, or NULL
   if so. */
static ty_tensor *refuse_image(ty_layer *self, const ty_tensor *x, int64_t channels) {
    if (ty_rank(x) != 4)
        return layer_refuse(self, E_SHAPE, "the input has %d axes, expected a batch of images with channels",
                            ty_rank(x));
    if (channels < 1)
        return layer_refuse(self, E_ARGUMENT, "%lld channels, expected at least 1", (long long)channels);
    return NULL;
}

/* A convolution, its norm, and an activation. */
struct stage {
    const char *conv, *norm; /* norm NULL: a bias instead */
    int64_t size, stride, channels;
    bool depthwise, nchw;
    ty_activation activation;
};

/* Return x, a batch of images, after one stage of a block: convolution, batch norm unless s.norm is NULL,
   and activation. */
static ty_tensor *run_stage(ty_layer *self, struct stage s, ty_tensor *x) {
    ty_conv_layer conv = {.size = {s.size, s.size},
                          .stride = {s.stride, s.stride},
                          .low = {s.size / 2, s.size / 2},
                          .high = {(s.size - 1) / 2, (s.size - 1) / 2},
                          .channels = s.channels,
                          .depthwise = s.depthwise,
                          .no_bias = s.norm != NULL,
                          .nchw = s.nchw};
    x = ty_layer_conv2d(self, s.conv, x, conv);
    if (s.norm) x = ty_layer_batch_norm(self, s.norm, x, (ty_batch_norm_layer){.nchw = s.nchw});
    return activation_apply(s.activation, x);
}

/* Set y[0] to a depthwise, then a pointwise convolution of images x[0], each followed by batch norm (unless
   no_norm) and the activation. Poison on failure. */
static void depthwise_separable(ty_layer *self, const void *options, int n, ty_tensor *const *x,
                                ty_tensor **y) {
    const ty_depthwise_separable_layer *o = options;
    (void)n;
    if ((y[0] = refuse_image(self, x[0], o->channels))) return;
    ty_activation activation = o->activation ? o->activation : ty_relu6;
    struct stage depthwise = {
        "depthwise", o->no_norm ? NULL : "norm1", size_or(o->size, 3), o->stride, 0, true, o->nchw,
        activation};
    struct stage pointwise = {"pointwise", o->no_norm ? NULL : "norm2", 1, 1, o->channels, false, o->nchw,
                              activation};
    y[0] = run_stage(self, pointwise, run_stage(self, depthwise, x[0]));
}

/* Set y[0] to images x[0] times a factor per channel, computed by two dense layers from the channels'
   means. Poison on failure. */
static void squeeze_excite(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_squeeze_excite_layer *o = options;
    (void)n;
    if ((y[0] = refuse_image(self, x[0], 1))) return;
    int64_t channels = ty_shape(x[0])[channel_axis(x[0], o->nchw)];
    int64_t units = size_or(o->units, channels / 16 > 0 ? channels / 16 : 1);
    ty_tensor *mean = ty_layer_global_avg_pool(self, "pool", x[0], (ty_global_pool_layer){.nchw = o->nchw});
    ty_linear_layer squeeze = {.units = units, .activation = o->activation ? o->activation : ty_relu};
    ty_linear_layer excite = {.units = channels, .activation = o->gate ? o->gate : ty_sigmoid};
    ty_tensor *share =
        ty_layer_linear(self, "excite", ty_layer_linear(self, "squeeze", mean, squeeze), excite);
    share = o->nchw ? ty_expand(ty_expand(share, -1), -1) : ty_expand(ty_expand(share, 1), 1);
    y[0] = ty_mul(x[0], share);
}

/* Set y[0] to an inverted residual block of images x[0]: expand, depthwise, project; x[0] is added if
   stride and channels keep its shape. Poison on failure. */
static void inverted_residual(ty_layer *self, const void *options, int n, ty_tensor *const *x,
                              ty_tensor **y) {
    const ty_inverted_residual_layer *o = options;
    (void)n;
    if ((y[0] = refuse_image(self, x[0], o->channels))) return;
    int64_t in = ty_shape(x[0])[channel_axis(x[0], o->nchw)], expand = size_or(o->expand, 6),
            stride = size_or(o->stride, 1);
    ty_activation activation = o->activation ? o->activation : ty_relu6;
    struct stage first = {"expand", "norm1", 1, 1, in * expand, false, o->nchw, activation};
    struct stage second = {"depthwise", "norm2", size_or(o->size, 3), stride, 0, true, o->nchw, activation};
    struct stage third = {"project", "norm3", 1, 1, o->channels, false, o->nchw, NULL};
    if (expand < 1) {
        y[0] = layer_refuse(self, E_SHAPE, "channels expanded %lld times, expected at least once",
                            (long long)expand);
        return;
    }
    ty_tensor *h = expand > 1 ? run_stage(self, first, x[0]) : x[0];
    h = run_stage(self, second, h);
    if (o->squeeze)
        h = ty_layer_squeeze_excite(self, "squeeze", h,
                                    (ty_squeeze_excite_layer){.units = o->squeeze, .nchw = o->nchw});
    h = run_stage(self, third, h);
    y[0] = stride == 1 && in == o->channels ? ty_add(h, x[0]) : h;
}

/* Set y[0] to x[0] plus the user's function of it, activated. Poison on failure, also if the function's
   result has another shape. */
static void residual(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_residual_layer *o = options;
    (void)n;
    if (!o->function) {
        y[0] = layer_refuse(self, E_ARGUMENT, "the function is NULL");
        return;
    }
    struct scope_fence fence = scope_fence();
    ty_tensor *h = scope_fence_result(fence, ty_layer_path(self), o->function(self, x[0], o->context));
    bool fits = ty_ok(h) && ty_rank(h) == ty_rank(x[0]);
    for (int i = 0; fits && i < ty_rank(h); i++) fits = ty_shape(h)[i] == ty_shape(x[0])[i];
    if (ty_ok(h) && !fits)
        y[0] = layer_refuse(self, E_USER,
                            "the function returned %d axes and another shape than its operand with %d",
                            ty_rank(h), ty_rank(x[0]));
    else
        y[0] = activation_apply(o->activation, ty_add(h, x[0]));
}

#define AT(member, what) OPTION(TYPE, member, what)
#define TYPE ty_depthwise_separable_layer
static const ty_option depthwise_separable_options[] = {AT(channels, INT),
                                                        AT(size, INT),
                                                        AT(stride, INT),
                                                        AT(no_norm, FLAG),
                                                        AT(activation, ACTIVATION),
                                                        AT(nchw, FLAG),
                                                        {0}};
#undef TYPE
#define TYPE ty_squeeze_excite_layer
static const ty_option squeeze_excite_options[] = {
    AT(units, INT), AT(activation, ACTIVATION), AT(gate, ACTIVATION), AT(nchw, FLAG), {0}};
#undef TYPE
#define TYPE ty_inverted_residual_layer
static const ty_option inverted_residual_options[] = {AT(channels, INT), AT(expand, INT),
                                                      AT(size, INT),     AT(stride, INT),
                                                      AT(squeeze, INT),  AT(activation, ACTIVATION),
                                                      AT(nchw, FLAG),    {0}};
#undef TYPE
#define TYPE ty_residual_layer
static const ty_option residual_options[] = {
    AT(function, POINTER), AT(context, POINTER), AT(activation, ACTIVATION), {0}};

#define BLOCK(title, prefix_of_names, words)                                                                 \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .prefix = prefix_of_names,                                        \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_##title##_layer),                              \
                                           .options = title##_options,                                       \
                                           .forward = title};
BLOCK(depthwise_separable, "separable",
      "a convolution of each channel, then one of all channels of each place")
BLOCK(squeeze_excite, "excite", "channels times shares that their means tell")
BLOCK(inverted_residual, "block", "more channels, a convolution of each, fewer channels, plus the input")
BLOCK(residual, NULL, "a function's result plus its operand")
