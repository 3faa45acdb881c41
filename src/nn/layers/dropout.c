/*
 * Inverted dropout (Srivastava et al. 2014): kept elements are divided by the probability of keeping, so
 * inference is the identity. Also other noise for training only.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "base/machine/floating.h"
#include "nn/layers/options.h"

ty_tensor *refuse_chance(ty_layer *self, double p) {
    return p >= 0 && p < 1 ? NULL : layer_refuse(self, E_ARGUMENT, "probability %g is outside [0, 1)", p);
}

ty_tensor *refuse_integers(ty_layer *self, const ty_tensor *x) {
    return !is_whole(x) && ty_dtype_of(x) != TY_BOOL
               ? NULL
               : layer_refuse(self, E_DTYPE, "the input is %s, expected floating-point numbers",
                              ty_dtype_name(ty_dtype_of(x)));
}

ty_tensor *dropped(ty_tensor *x, double p, ty_tensor *key) {
    if (!key || !(p > 0) || !ty_ok(x)) return x;
    ty_tensor *kept = ty_bernoulli(ty_rank(x), ty_shape(x), 1 - p, key);
    return ty_where(kept, ty_mul(x, ty_num(1 / (1 - p))), ty_num(0));
}

/* Return poison if the probability p is outside [0, 1), or if x, which training by `key` would scale, has integers;
   else NULL. */
static ty_tensor *refuse_noise(ty_layer *self, double p, ty_tensor *key, const ty_tensor *x) {
    ty_tensor *bad = refuse_chance(self, p);
    return bad || !key || p == 0 ? bad : refuse_integers(self, x);
}

/* Set y[0] to dropout of x[0]; to x[0] in inference. Poison if p is outside [0, 1). */
static void drop(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    (void)n;
    double p = ((const ty_dropout_layer *)options)->p;
    ty_tensor *key = ty_layer_key(self), *bad = refuse_noise(self, p, key, x[0]);
    y[0] = bad ? bad : dropped(x[0], p, key);
}

static ty_tensor *bell(ty_tensor *x, ty_tensor *key) {
    return ty_normal(is_real(x) ? ty_dtype_of(x) : TY_F32, ty_rank(x), ty_shape(x), key);
}

/* Set y[0] to x[0] plus normal noise of the options' deviation; to x[0] in inference. Poison for a bad
   deviation, and in training for integers. */
static void add_noise(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    (void)n;
    double deviation = ((const ty_gaussian_noise_layer *)options)->deviation;
    ty_tensor *key = ty_layer_key(self);
    if (!(deviation >= 0 && isfinite(deviation)))
        y[0] = layer_refuse(self, E_ARGUMENT, "deviation %g, expected 0 or a positive number", deviation);
    else if (!key || deviation == 0)
        y[0] = x[0];
    else if (!(y[0] = refuse_integers(self, x[0])))
        y[0] = ty_add(x[0], ty_mul(bell(x[0], key), ty_num(deviation)));
}

/* Set y[0] to x[0] times normal noise of mean 1 and variance p / (1 - p); to x[0] in inference. Poison for
   a bad p. */
static void drop_gaussian(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    (void)n;
    double p = ((const ty_dropout_layer *)options)->p;
    ty_tensor *key = ty_layer_key(self), *bad = refuse_noise(self, p, key, x[0]);
    y[0] = bad ? bad : x[0];
    if (!bad && key && p > 0)
        y[0] = ty_mul(x[0], ty_add(ty_mul(bell(x[0], key), ty_num(sqrt(p / (1 - p)))), ty_num(1)));
}

/* Set y[0] to alpha dropout of x[0]: dropped elements become selu's limit at minus infinity, -scale *
   alpha; then a x + b restores mean 0 and variance 1. y[0] is x[0] in inference, poison for a bad p. */
static void drop_alpha(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    (void)n;
    const double limit = -1.0507009873554805 * 1.6732632423543772;
    double p = ((const ty_dropout_layer *)options)->p, q = 1 - p;
    ty_tensor *key = ty_layer_key(self), *bad = refuse_noise(self, p, key, x[0]);
    y[0] = bad ? bad : x[0];
    if (bad || !key || p == 0) return;
    double a = 1 / sqrt(q * (1 + p * limit * limit));
    ty_tensor *kept = ty_where(ty_bernoulli(ty_rank(x[0]), ty_shape(x[0]), q, key), x[0], ty_num(limit));
    y[0] = ty_add(ty_mul(kept, ty_num(a)), ty_num(-a * p * limit));
}

static const ty_option options[] = {OPTION(ty_dropout_layer, p, REAL), {0}};
static const ty_option noise_options[] = {OPTION(ty_gaussian_noise_layer, deviation, REAL), {0}};

const ty_layer_kind ty_kind_dropout = {
    .name = "dropout",
    .doc = "in training, sets each element to 0 with probability p, and divides the others by 1 - p",
    .bytes = sizeof(ty_dropout_layer),
    .options = options,
    .forward = drop};
const ty_layer_kind ty_kind_gaussian_noise = {.name = "gaussian_noise",
                                              .prefix = "noise",
                                              .doc = "in training, adds normal numbers of mean 0",
                                              .bytes = sizeof(ty_gaussian_noise_layer),
                                              .options = noise_options,
                                              .forward = add_noise};
const ty_layer_kind ty_kind_gaussian_dropout = {.name = "gaussian_dropout",
                                                .prefix = "dropout",
                                                .doc = "in training, multiplies by normal numbers of mean 1",
                                                .bytes = sizeof(ty_dropout_layer),
                                                .options = options,
                                                .forward = drop_gaussian};
const ty_layer_kind ty_kind_alpha_dropout = {.name = "alpha_dropout",
                                             .prefix = "dropout",
                                             .doc = "dropout that keeps mean and variance after selu",
                                             .bytes = sizeof(ty_dropout_layer),
                                             .options = options,
                                             .forward = drop_alpha};
