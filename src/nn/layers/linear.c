/* x W + b on the last axis; fully_connected flattens first. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/shape.h>
#include "nn/layers/options.h"

/* Return x [N, .., C] times the weight, plus bias, activated: [N, .., units]. Poison on failure. */
static ty_tensor *apply(ty_layer *self, const ty_linear_layer *o, ty_tensor *x) {
    if (!ty_ok(x)) return x;
    if (ty_rank(x) < 2)
        return layer_refuse(self, E_SHAPE, "the input has no axis but the batch, expected one");
    if (o->units < 1)
        return layer_refuse(self, E_ARGUMENT, "%lld units, expected at least 1", (long long)o->units);
    int64_t shape[] = {ty_shape(x)[ty_rank(x) - 1], o->units};
    double fan_in = (double)shape[0], fan_out = (double)shape[1];
    ty_tensor *weight = ty_layer_parameter(self, "weight",
                                           (ty_parameter){.rank = 2,
                                                          .shape = shape,
                                                          .init = init_or(o->weight, ty_init_glorot_uniform),
                                                          .fan_in = fan_in,
                                                          .fan_out = fan_out,
                                                          .pytorch = {1, 0},
                                                          .keras = "kernel"});
    ty_tensor *y = ty_matmul(x, weight);
    ty_layer_count(self, 2 * fan_in * (double)ty_size(y));
    if (o->no_bias) return activation_apply(o->activation, y);
    ty_tensor *bias = ty_layer_parameter(self, "bias",
                                         (ty_parameter){.rank = 1,
                                                        .shape = &shape[1],
                                                        .init = init_or(o->bias, ty_init_zeros),
                                                        .fan_in = fan_in,
                                                        .fan_out = fan_out});
    return activation_apply(o->activation, ty_add(y, bias));
}

static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = apply(self, options, x[0]);
}

/* Set y[0] to the dense layer of x[0], flattened to [batch, rest]. Poison on failure. */
static void forward_flat(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    if (ty_rank(x[0]) < 1)
        y[0] = layer_refuse(self, E_SHAPE, "the input has no axes, expected a batch");
    else
        y[0] = apply(self, options, flatten_behind_batch(x[0]));
}

#define AT(member, what) OPTION(ty_linear_layer, member, what)
static const ty_option options[] = {AT(units, INT),   AT(no_bias, FLAG), AT(activation, ACTIVATION),
                                    AT(weight, INIT), AT(bias, INIT),    {0}};

static int channels(const void *given, int *result) {
    const ty_linear_layer *o = given;
    *result = -1;
    return o->activation ? -1 : 1;
}

const ty_layer_kind ty_kind_linear = {.name = "linear",
                                      .doc = "x W + b on the last axis",
                                      .bytes = sizeof(ty_linear_layer),
                                      .options = options,
                                      .forward = forward,
                                      .channels = channels};
const ty_layer_kind ty_kind_fully_connected = {.name = "fully_connected",
                                               .prefix = "full",
                                               .doc = "flattens, then x W + b",
                                               .bytes = sizeof(ty_linear_layer),
                                               .options = options,
                                               .forward = forward_flat,
                                               .channels = channels};
