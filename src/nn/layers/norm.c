/*
 * Normalisation layers: subtract the mean, divide by the deviation, times weight, plus bias. They differ in the
 * axes of the statistics. Batch norm includes the batch axis and therefore keeps running statistics for
 * inference.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "base/machine/floating.h"
#include "nn/layers/options.h"

/* Weight and bias of a norm, with the sizes of axes first .. first + rank - 1 of x. */
struct affine {
    bool no_scale, no_shift;
    int first, rank;
};

/* Return parameter `name`, of the sizes of x's axes a.first .. a.first + a.rank - 1, with axes of size 1
   appended so that it broadcasts to x. `draw` initialises it; `keras` is its name in Keras files. */
static ty_tensor *along(ty_layer *self, const char *name, const char *keras, const ty_tensor *x,
                        struct affine a, ty_tensor *(*draw)(const ty_place *place, double a, double b)) {
    ty_parameter form = {
        .rank = a.rank, .shape = ty_shape(x) + a.first, .init = {draw, 0, 0}, .keras = keras};
    ty_tensor *p = ty_layer_parameter(self, name, form);
    for (int i = a.first + a.rank; i < ty_rank(x); i++) p = ty_expand(p, -1);
    return p;
}

/* Return x times scale, times the layer's weight, plus its bias, computed in the dtype of x and cast to
   `dtype`. a.no_scale and a.no_shift omit weight and bias. */
static ty_tensor *transform(ty_layer *self, ty_tensor *x, ty_tensor *scale, struct affine a, ty_dtype dtype) {
    if (!ty_ok(x)) return x;
    ty_dtype wide = ty_dtype_of(x);
    if (!a.no_scale) {
        ty_tensor *weight = ty_cast(along(self, "weight", "gamma", x, a, ty_init_ones), wide);
        scale = ty_mul(scale, weight);
    }
    ty_tensor *y = ty_mul(x, scale);
    if (!a.no_shift) y = ty_add(y, ty_cast(along(self, "bias", "beta", x, a, ty_init_zeros), wide));
    return ty_cast(y, dtype);
}

static ty_tensor *wide(ty_tensor *x) { return ty_cast(x, wide_of(ty_dtype_of(x))); }

static ty_tensor *by_deviation(ty_tensor *variance, double epsilon) {
    return ty_rsqrt(ty_add(variance, ty_num(epsilon)));
}

/* Check that x is floating with at least `least` axes (`words` says which), and that epsilon is positive.
   Return poison, or NULL if so. */
static ty_tensor *refuse_form(ty_layer *self, const ty_tensor *x, int least, const char *words,
                              double epsilon) {
    if (!is_real(x))
        return layer_refuse(self, E_DTYPE, "the input is %s, expected floating-point numbers",
                            ty_dtype_name(ty_dtype_of(x)));
    if (ty_rank(x) < least)
        return layer_refuse(self, E_SHAPE, "the input has %d axes, expected %s", ty_rank(x), words);
    if (!(epsilon > 0))
        return layer_refuse(self, E_ARGUMENT, "epsilon %g, expected a positive number", epsilon);
    return NULL;
}

/* ---- statistics of each example ---- */

/* Return x normalised over its last o->axes axes (0: one), times weight plus bias. If `centred`, by mean
   and variance, else by the mean square and without bias. Poison on failure. */
static ty_tensor *over_last(ty_layer *self, const ty_layer_norm_layer *o, ty_tensor *x, bool centred,
                            double epsilon) {
    int64_t n = size_or(o->axes, 1);
    ty_tensor *bad = refuse_form(self, x, 1, "at least 1", epsilon);
    if (bad) return bad;
    if (n < 1 || n > ty_rank(x))
        return layer_refuse(self, E_SHAPE, "the norm is over %lld axes of %d", (long long)n, ty_rank(x));
    ty_axes axes = {.last = ((uint64_t)1 << n) - 1, .keep = true};
    struct affine a = {o->no_scale, o->no_shift || !centred, ty_rank(x) - (int)n, (int)n};
    ty_tensor *t = wide(x), *variance;
    if (centred) {
        t = ty_sub(t, ty_mean(t, axes));
        variance = ty_mean(ty_square(t), axes);
    } else {
        variance = ty_mean(ty_square(t), axes);
    }
    return transform(self, t, by_deviation(variance, epsilon), a, ty_dtype_of(x));
}

/* Set y[0] to the layer norm of x[0]. Poison on failure. */
static void layer_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_layer_norm_layer *o = options;
    (void)n;
    y[0] = over_last(self, o, x[0], true, real_or(o->epsilon, 1e-5));
}

/* Set y[0] to the RMS norm of x[0]. Poison on failure. */
static void rms_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_layer_norm_layer *o = options;
    (void)n;
    y[0] = over_last(self, o, x[0], false, real_or(o->epsilon, 1e-6));
}

/* Return x normalised over `groups` equal groups of its channel axis, by mean and variance over all axes
   but batch and group, times weight plus bias per channel. groups must divide the channels. Poison on
   failure. */
static ty_tensor *over_groups(ty_layer *self, const ty_group_norm_layer *o, ty_tensor *x, int64_t groups) {
    int rank = ty_rank(x), c = channel_axis(x, o->nchw);
    int64_t shape[TY_MAX_RANK];
    double epsilon = real_or(o->epsilon, 1e-5);
    if (rank >= TY_MAX_RANK)
        return layer_refuse(self, E_LIMIT, "the input has %d axes, expected at most %d", rank,
                            TY_MAX_RANK - 1);
    for (int i = 0; i < rank; i++) shape[i + (i > c)] = ty_shape(x)[i];
    shape[c] = groups;
    shape[c + 1] = ty_shape(x)[c] / groups;
    ty_axes axes = {.mask = ((((uint64_t)1 << rank) << 1) - 1) & ~(uint64_t)1 & ~((uint64_t)1 << c),
                    .keep = true};
    ty_tensor *t = ty_reshape(wide(x), rank + 1, shape);
    t = ty_sub(t, ty_mean(t, axes));
    t = ty_mul(t, by_deviation(ty_mean(ty_square(t), axes), epsilon));
    t = ty_reshape(t, rank, ty_shape(x));
    struct affine a = {o->no_scale, o->no_shift, c, 1};
    return a.no_scale && a.no_shift ? ty_cast(t, ty_dtype_of(x))
                                    : transform(self, t, ty_num(1), a, ty_dtype_of(x));
}

/* Set y[0] to the group norm of x[0], with the options' number of groups. Poison on failure, also if that
   does not divide the channels. */
static void group_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_group_norm_layer *o = options;
    (void)n;
    ty_tensor *bad = refuse_form(self, x[0], 2, "a batch and channels", real_or(o->epsilon, 1e-5));
    int64_t channels = bad ? 1 : ty_shape(x[0])[channel_axis(x[0], o->nchw)];
    if (bad)
        y[0] = bad;
    else if (o->groups < 1 || channels % o->groups)
        y[0] = layer_refuse(self, E_SHAPE, "%lld channels are not divisible by %lld groups",
                            (long long)channels, (long long)o->groups);
    else
        y[0] = over_groups(self, o, x[0], o->groups);
}

/* Set y[0] to the instance norm of x[0], which normalises each channel of each example separately. Poison
   on failure. */
static void instance_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_group_norm_layer *o = options;
    (void)n;
    ty_tensor *bad =
        refuse_form(self, x[0], 3, "a batch, channels and at least one more", real_or(o->epsilon, 1e-5));
    y[0] = bad ? bad : over_groups(self, o, x[0], ty_shape(x[0])[channel_axis(x[0], o->nchw)]);
}

/* ---- statistics of the batch ---- */

/* Operands of the function with a custom gradient; all but X have one value per channel. */
enum { X, MEAN, SCALE, WEIGHT, BIAS, OPERANDS };

/* Return (x - mean) scale weight + bias, where x[] holds these five operands, by one product and one sum
   per element. context is not used. */
static ty_tensor *by_channels(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *factor = ty_mul(x[SCALE], x[WEIGHT]);
    return ty_add(ty_mul(x[X], factor), ty_sub(x[BIAS], ty_mul(x[MEAN], factor)));
}

/* Gradient rule of by_channels: set gradients[] of x, weight and bias from g. That of x includes its paths
   through mean and scale, so these two get none. Two sums and one pass over g replace four passes and a
   stored centred x. */
static void by_channels_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                            ty_tensor **gradients) {
    (void)context, (void)n, (void)y;
    ty_axes axes = {.keep = true};
    for (int i = 0; i < ty_rank(x[MEAN]); i++)
        if (ty_shape(x[MEAN])[i] == 1) axes.mask |= (uint64_t)1 << i;
    double count = (double)ty_size(x[X]) / (double)ty_size(x[MEAN]);
    ty_tensor *sum = ty_sum(g, axes), *along_x = ty_sum(ty_mul(g, ty_sub(x[X], x[MEAN])), axes);
    ty_tensor *share = ty_num(-1 / count), *of_x = ty_mul(ty_mul(ty_square(x[SCALE]), share), along_x);
    ty_tensor *shift = ty_sub(ty_mul(sum, share), ty_mul(of_x, x[MEAN]));
    gradients[X] = ty_mul(ty_add(g, ty_add(ty_mul(x[X], of_x), shift)), ty_mul(x[SCALE], x[WEIGHT]));
    gradients[WEIGHT] = ty_mul(x[SCALE], along_x);
    gradients[BIAS] = sum;
}

/* Set the next states running_mean and running_var of the layer: running[2] moved by the share `momentum`
   towards batch[2], mean and variance of this batch. c is the channel axis of x, n the elements per
   channel, which corrects the variance's bias. */
static void gather(ty_layer *self, ty_tensor *const *running, ty_tensor *const *batch, const ty_tensor *x,
                   int c, double momentum, double n) {
    static const char *const names[] = {"running_mean", "running_var"};
    for (int i = 0; i < 2; i++) {
        ty_tensor *value = ty_reshape(batch[i], 1, ty_shape(x) + c);
        if (i) value = ty_mul(value, ty_num(n / (n - 1)));
        value = ty_sub(ty_cast(ty_detach(value), ty_dtype_of(running[i])), running[i]);
        ty_layer_set_state(self, names[i], ty_add(running[i], ty_mul(value, ty_num(momentum))));
    }
}

/* Set running[0] and running[1] to the layer's running mean and variance [channels], where axis c of x is
   that of channels; f32 if the model computes in half precision. Return NULL, or poison on failure. */
static ty_tensor *states(ty_layer *self, const ty_tensor *x, int c, ty_tensor **running) {
    ty_parameter form = {.rank = 1, .shape = ty_shape(x) + c, .dtype = wide_of(ty_layer_dtype(self))};
    form.keras = "moving_mean";
    running[0] = ty_layer_state(self, "running_mean", form);
    form.keras = "moving_variance";
    form.init.draw = ty_init_ones;
    running[1] = ty_layer_state(self, "running_var", form);
    return first_bad_of(2, running);
}

/* Return the result of a norm whose factor was folded into the previous weight: x plus its bias, or, if it
   has no bias, x minus its mean. x[] are the five operands of by_channels. */
static ty_tensor *sum_alone(const ty_batch_norm_layer *o, ty_tensor *const *x) {
    return o->no_shift ? ty_sub(x[X], x[MEAN]) : ty_add(x[X], x[BIAS]);
}

/* Return x normalised per channel, times weight plus bias. Training uses the batch's statistics and updates
   the running ones, which inference uses; a folded norm only adds its shift. Poison on failure. */
static ty_tensor *over_batch(ty_layer *self, const ty_batch_norm_layer *o, ty_tensor *x) {
    int c = channel_axis(x, o->nchw);
    double n = (double)ty_size(x) / (double)ty_shape(x)[c];
    bool trains = ty_layer_trains(self) && !o->frozen;
    int64_t form[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(x); i++) form[i] = i == c ? ty_shape(x)[c] : 1;
    struct affine a = {o->no_scale, o->no_shift, c, 1};
    ty_tensor *running[2], *operands[OPERANDS] = {wide(x)}, *statistics[2];
    ty_tensor *bad = states(self, x, c, running);
    if (bad) return bad;
    ty_dtype dtype = ty_dtype_of(operands[X]);
    for (int i = WEIGHT; i <= BIAS; i++) {
        bool none = i == WEIGHT ? o->no_scale : o->no_shift;
        ty_tensor *p = none ? ty_full(dtype, ty_rank(x), form, i == WEIGHT)
                            : along(self, i == WEIGHT ? "weight" : "bias", i == WEIGHT ? "gamma" : "beta", x,
                                    a, i == WEIGHT ? ty_init_ones : ty_init_zeros);
        operands[i] = none ? p : ty_reshape(ty_cast(p, dtype), ty_rank(x), form);
    }
    if (trains) {
        ty_axes axes = {.mask = (((uint64_t)1 << (ty_rank(x) - 1) << 1) - 1) & ~((uint64_t)1 << c),
                        .keep = true};
        if (n < 2)
            return layer_refuse(self, E_ARGUMENT,
                                "%g values of each channel in training, expected at least 2", n);
        statistics[0] = ty_mean(operands[X], axes);
        statistics[1] = ty_mean(ty_squared_difference(operands[X], statistics[0]), axes);
        gather(self, running, statistics, x, c, number_or(o->momentum, 0.1), n);
    } else {
        for (int i = 0; i < 2; i++) statistics[i] = ty_reshape(ty_cast(running[i], dtype), ty_rank(x), form);
    }
    operands[MEAN] = statistics[0];
    if (self->folded) return ty_cast(sum_alone(o, operands), ty_dtype_of(x));
    operands[SCALE] = by_deviation(statistics[1], real_or(o->epsilon, 1e-5));
    ty_custom rule = {.f = by_channels, .vjp = by_channels_vjp};
    ty_tensor *y = trains ? ty_apply(rule, OPERANDS, operands) : by_channels(NULL, operands);
    return ty_cast(y, ty_dtype_of(x));
}

/* Set y[0] to the batch norm of x[0]. Poison on failure, also for a momentum outside [0, 1]. */
static void batch_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_batch_norm_layer *o = options;
    double momentum = number_or(o->momentum, 0.1);
    (void)n;
    ty_tensor *bad = refuse_form(self, x[0], 2, "a batch and channels", real_or(o->epsilon, 1e-5));
    if (!bad && !(momentum >= 0 && momentum <= 1))
        bad = layer_refuse(self, E_ARGUMENT, "momentum %g is outside [0, 1]", momentum);
    y[0] = bad ? bad : over_batch(self, o, x[0]);
}

/* ---- kinds ---- */

#define AT(member, what) OPTION(ty_batch_norm_layer, member, what)
static const ty_option batch_options[] = {AT(epsilon, REAL),
                                          AT(momentum, REAL),
                                          AT(no_scale, FLAG),
                                          AT(no_shift, FLAG),
                                          AT(nchw, FLAG),
                                          AT(frozen, FLAG),
                                          {0}};
#undef AT
#define AT(member, what) OPTION(ty_layer_norm_layer, member, what)
static const ty_option layer_options[] = {
    AT(axes, INT), AT(epsilon, REAL), AT(no_scale, FLAG), AT(no_shift, FLAG), {0}};
#undef AT
#define AT(member, what) OPTION(ty_group_norm_layer, member, what)
static const ty_option group_options[] = {AT(groups, INT),    AT(epsilon, REAL), AT(no_scale, FLAG),
                                          AT(no_shift, FLAG), AT(nchw, FLAG),    {0}};

#define NORM(title, type, rows, words)                                                                       \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .prefix = "norm",                                                 \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(type),                                            \
                                           .options = rows,                                                  \
                                           .forward = title};
NORM(batch_norm, ty_batch_norm_layer, batch_options,
     "normalises channels by their mean and standard deviation over the batch")
NORM(layer_norm, ty_layer_norm_layer, layer_options,
     "normalises the last axes by their mean and standard deviation")
NORM(rms_norm, ty_layer_norm_layer, layer_options, "divides the last axes by the root of their mean square")
NORM(group_norm, ty_group_norm_layer, group_options,
     "normalises groups of channels by their mean and standard deviation in each example")
NORM(instance_norm, ty_group_norm_layer, group_options,
     "normalises channels by their mean and standard deviation in each example")
