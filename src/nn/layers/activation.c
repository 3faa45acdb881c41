/* Layers of activations with constants or parameters. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "nn/layers/options.h"

static void leaky_relu(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self;
    (void)n;
    y[0] = ty_leaky_relu(x[0], number_or(((const ty_leaky_relu_layer *)options)->slope, 0.01));
}

static void elu(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self;
    (void)n;
    y[0] = ty_elu(x[0], number_or(((const ty_elu_layer *)options)->alpha, 1));
}

/* Set y[0] to x[0] where it exceeds theta, else to 0, elementwise; the layer's forward function. */
static void threshold(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    double theta = number_or(((const ty_threshold_layer *)options)->theta, 1);
    (void)self;
    (void)n;
    y[0] = ty_where(ty_gt(x[0], ty_num(theta)), x[0], ty_num(0));
}

/* Set y[0] to x[0] where it is positive, else to slope times x[0], with one trained slope or one per
   channel; the layer's forward function. Poison if there is no axis of channels. */
static void prelu(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_prelu_layer *o = options;
    int64_t one = 1;
    (void)n;
    if (o->channels && ty_rank(x[0]) < 2) {
        y[0] = layer_refuse(self, E_SHAPE, "the input has %d axes, expected a batch and channels",
                            ty_rank(x[0]));
        return;
    }
    int c = o->channels ? channel_axis(x[0], o->nchw) : 0;
    ty_parameter form = {.rank = 1, .shape = o->channels ? ty_shape(x[0]) + c : &one, .keras = "alpha"};
    form.init = (ty_init){ty_init_constant, number_or(o->slope, 0.25), 0};
    ty_tensor *slope = ty_layer_parameter(self, "weight", form);
    for (int i = c + 1; o->channels && i < ty_rank(x[0]); i++) slope = ty_expand(slope, -1);
    if (!o->channels) slope = ty_reshape(slope, 0, NULL);
    y[0] = ty_where(ty_gt(x[0], ty_num(0)), x[0], ty_mul(slope, x[0]));
}

static const ty_option leaky_relu_options[] = {OPTION(ty_leaky_relu_layer, slope, REAL), {0}};
static const ty_option elu_options[] = {OPTION(ty_elu_layer, alpha, REAL), {0}};
static const ty_option threshold_options[] = {OPTION(ty_threshold_layer, theta, REAL), {0}};
static const ty_option prelu_options[] = {OPTION(ty_prelu_layer, channels, FLAG),
                                          OPTION(ty_prelu_layer, nchw, FLAG),
                                          OPTION(ty_prelu_layer, slope, REAL),
                                          {0}};

#define ACTIVE(title, words)                                                                                 \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_##title##_layer),                              \
                                           .options = title##_options,                                       \
                                           .forward = title};
ACTIVE(leaky_relu, "x if positive, else a small fraction of x")
ACTIVE(elu, "x if positive, else alpha (exp(x) - 1)")
ACTIVE(threshold, "x if greater than theta, else 0")
ACTIVE(prelu, "x if positive, else a learned fraction of x")
