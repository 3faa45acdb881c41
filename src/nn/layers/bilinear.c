/* Bilinear form of two vectors for each unit. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/reduce.h>
#include "base/machine/floating.h"
#include "nn/layers/options.h"

/* Check that there are two operands with equal axes but for the last, and the number of units. Return
   poison, or NULL if so. */
static ty_tensor *refuse(ty_layer *self, const ty_bilinear_layer *o, int n, ty_tensor *const *x) {
    if (n != 2) return layer_refuse(self, E_ARGUMENT, "%d tensors, expected 2", n);
    bool fits = ty_rank(x[0]) >= 2 && ty_rank(x[0]) == ty_rank(x[1]);
    for (int i = 0; fits && i < ty_rank(x[0]) - 1; i++) fits = ty_shape(x[0])[i] == ty_shape(x[1])[i];
    if (!fits)
        return layer_refuse(self, E_SHAPE,
                            "tensors with %d and %d axes, expected the same ones but for the last",
                            ty_rank(x[0]), ty_rank(x[1]));
    if (o->units < 1)
        return layer_refuse(self, E_ARGUMENT, "%lld units, expected at least 1", (long long)o->units);
    return NULL;
}

/* Compute the bilinear layer of x[0] [.., I] and x[1] [.., J]: y[0] [.., units] is x[0]' W x[1] plus bias,
   activated. Poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_bilinear_layer *o = options;
    if ((y[0] = refuse(self, o, n, x))) return;
    int64_t shape[] = {o->units, size_from_end(x[0], 1), size_from_end(x[1], 1)};
    double spread = 1 / sqrt((double)shape[1]);
    ty_parameter form = {
        .rank = 3, .shape = shape, .init = init_or_of(o->weight, ty_init_uniform, -spread, spread)};
    form.fan_in = (double)(shape[1] * shape[2]), form.fan_out = (double)shape[0];
    ty_tensor *weight = ty_layer_parameter(self, "weight", form);
    ty_tensor *of_b = ty_einsum("...j,kij->...ki", x[1], weight);
    ty_tensor *h = ty_einsum("...i,...ki->...k", x[0], of_b);
    ty_layer_count(self, 2 * form.fan_in * (double)ty_size(h));
    if (!o->no_bias) {
        ty_parameter bias = {
            .rank = 1, .shape = shape, .init = init_or_of(o->bias, ty_init_uniform, -spread, spread)};
        bias.fan_in = form.fan_in, bias.fan_out = form.fan_out;
        h = ty_add(h, ty_layer_parameter(self, "bias", bias));
    }
    y[0] = activation_apply(o->activation, h);
}

#define AT(member, what) OPTION(ty_bilinear_layer, member, what)
static const ty_option options[] = {AT(units, INT),   AT(no_bias, FLAG), AT(activation, ACTIVATION),
                                    AT(weight, INIT), AT(bias, INIT),    {0}};
const ty_layer_kind ty_kind_bilinear = {.name = "bilinear",
                                        .doc = "bilinear: a W b of two vectors a and b",
                                        .bytes = sizeof(ty_bilinear_layer),
                                        .options = options,
                                        .operands = -1,
                                        .forward = forward};
