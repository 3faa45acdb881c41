/*
 * Linear layer with a distribution of weights (Blundell et al. 2015): normal, with mean and deviation per
 * weight. Drawn as mean + deviation * standard normal, so that gradients reach both (Kingma and Welling 2014).
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "array/tensor.h"
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "nn/layers/options.h"

typedef ty_bayesian_linear_layer options_of;

/* State of drawing the parameters; their divergences from the prior are summed in kl. */
struct draw {
    const options_of *o;
    ty_tensor *key, *kl;
};

/* Return the KL divergence, 0-d, summed over all elements, of normal distributions (mean m, deviation s)
   from the prior N(0, prior^2). Each gives log(prior / s) + (s^2 + m^2) / (2 prior^2) - 1/2. */
static ty_tensor *divergence(ty_tensor *mean, ty_tensor *deviation, double prior) {
    ty_tensor *squares = ty_add(ty_square(deviation), ty_square(mean));
    ty_tensor *each = ty_sub(ty_mul(squares, ty_num(0.5 / (prior * prior))), ty_log(deviation));
    return ty_sum(ty_add(each, ty_num(math_log(prior) - 0.5)), TY_ALL);
}

/* Return weights drawn with mean `name` and deviation softplus(`rho`), both parameters of this form; the
   mean in inference. Adds their divergence to d->kl. n numbers the random stream. */
static ty_tensor *drawn(ty_layer *self, struct draw *d, const char *name, const char *rho, ty_parameter form,
                        uint64_t n) {
    ty_tensor *mean = ty_layer_parameter(self, name, form);
    form.init = (ty_init){ty_init_constant, number_or(d->o->rho, -5), 0};
    ty_tensor *deviation = ty_softplus(ty_layer_parameter(self, rho, form));
    ty_dtype wide = wide_of(ty_dtype_of(mean));
    ty_tensor *kl = divergence(ty_cast(mean, wide), ty_cast(deviation, wide), real_or(d->o->prior, 1));
    d->kl = d->kl ? ty_add(d->kl, kl) : kl;
    if (!d->key) return mean;
    ty_tensor *noise = ty_normal(ty_dtype_of(mean), form.rank, form.shape, ty_fold(d->key, n));
    return ty_add(mean, ty_mul(deviation, noise));
}

/* Compute the Bayesian dense layer of x[0] [N, .., C]: y[0] [N, .., units] is the result, y[1] the 0-d KL
   divergence. Both are poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const options_of *o = options;
    ty_tensor *bad = NULL;
    (void)n;
    if (ty_rank(x[0]) < 2)
        bad = layer_refuse(self, E_SHAPE, "the input has no axis but the batch, expected one");
    else if (o->units < 1)
        bad = layer_refuse(self, E_ARGUMENT, "%lld units, expected at least 1", (long long)o->units);
    else if (!(o->prior >= 0 && isfinite(o->prior)))
        bad = layer_refuse(self, E_ARGUMENT, "a prior deviation of %g, expected a positive number", o->prior);
    if ((y[0] = y[1] = bad)) return;
    int64_t shape[] = {size_from_end(x[0], 1), o->units};
    struct draw d = {.o = o, .key = ty_layer_key(self)};
    ty_parameter form = {.rank = 2, .shape = shape, .init = init_or(o->weight, ty_init_glorot_uniform)};
    form.fan_in = (double)shape[0], form.fan_out = (double)shape[1];
    form.pytorch[0] = 1;
    ty_tensor *h = ty_matmul(x[0], drawn(self, &d, "weight", "weight_rho", form, 1));
    ty_layer_count(self, 2 * form.fan_in * (double)ty_size(h));
    if (!o->no_bias) {
        ty_parameter bias = {.rank = 1, .shape = shape + 1, .init = init_or(o->bias, ty_init_zeros)};
        bias.fan_in = form.fan_in, bias.fan_out = form.fan_out;
        h = ty_add(h, drawn(self, &d, "bias", "bias_rho", bias, 2));
    }
    y[0] = activation_apply(o->activation, h);
    y[1] = d.kl;
}

#define AT(member, what) OPTION(options_of, member, what)
static const ty_option options[] = {AT(units, INT),
                                    AT(prior, REAL),
                                    AT(rho, REAL),
                                    AT(no_bias, FLAG),
                                    AT(activation, ACTIVATION),
                                    AT(weight, INIT),
                                    AT(bias, INIT),
                                    {0}};
const ty_layer_kind ty_kind_bayesian_linear = {.name = "bayesian_linear",
                                               .prefix = "bayesian",
                                               .doc =
                                                   "x W + b, with W and b drawn from learned distributions",
                                               .bytes = sizeof(options_of),
                                               .options = options,
                                               .results = 2,
                                               .forward = forward};

ty_tensor *ty_layer_bayesian_linear_kl_sized(ty_layer *at, const char *name, ty_tensor *x, ty_tensor **kl,
                                             const options_of *options_given, size_t size) {
    ty_tensor *y[2] = {0};
    ty_layer_call(at, name, &ty_kind_bayesian_linear, options_given, size, 1, &x, y);
    if (kl) *kl = tensor_of(y[1]);
    return tensor_of(y[0]);
}
