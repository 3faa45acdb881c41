/*
 * Dropout (Srivastava et al. 2014), inverted: what survives is divided by the chance of surviving, so that
 * inference is the identity.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "base/floating.h"
#include "nn/layers/options.h"

static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    (void)n;
    double p = ((const ty_dropout_layer *)options)->p;
    ty_tensor *key = ty_layer_key(self);
    y[0] = x[0];
    if (!(p >= 0 && p < 1)) {
        y[0] = layer_refuse(self, "probability %g is outside [0, 1)", p);
    } else if (key && p > 0) {
        ty_tensor *kept = ty_bernoulli(ty_rank(x[0]), ty_shape(x[0]), 1 - p, key);
        y[0] = ty_where(kept, ty_mul(x[0], ty_num(1 / (1 - p))), ty_num(0));
    }
}

static const ty_option options[] = {OPTION(ty_dropout_layer, p, REAL), {0}};
const ty_layer_kind ty_kind_dropout = {
    .name = "dropout",
    .doc = "in training each element is 0 with probability p, else divided by 1 - p",
    .bytes = sizeof(ty_dropout_layer),
    .options = options,
    .forward = forward};
