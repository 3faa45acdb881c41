/*
 * Norms: minus the mean, by the deviation, times weight, plus bias.  They differ in the axes over which these are taken;
 * batch norm's reach over the examples, and so it keeps statistics for inference.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "base/floating.h"
#include "nn/layers/options.h"

/* Weight and bias lie along axes first .. first + rank - 1 of x, the sizes of which they have. */
struct affine {
    bool no_scale, no_shift;
    int first, rank;
};

/* A parameter that meets x along its axes. */
static ty_tensor *along(ty_layer *self, const char *name, const char *keras, const ty_tensor *x,
                        struct affine a, ty_tensor *(*draw)(ty_place place, double a, double b)) {
    ty_parameter form = {
        .rank = a.rank, .shape = ty_shape(x) + a.first, .init = {draw, 0, 0}, .keras = keras};
    ty_tensor *p = ty_layer_parameter(self, name, form);
    for (int i = a.first + a.rank; i < ty_rank(x); i++) p = ty_expand(p, -1);
    return p;
}

/* x times scale (NULL: 1), times weight, plus bias, in the wide dtype; the result in `dtype`. */
static ty_tensor *transform(ty_layer *self, ty_tensor *x, ty_tensor *scale, struct affine a, ty_dtype dtype) {
    ty_dtype wide = ty_dtype_of(x);
    if (!a.no_scale) {
        ty_tensor *weight = ty_cast(along(self, "weight", "gamma", x, a, ty_init_ones), wide);
        scale = ty_mul(scale, weight);
    }
    x = ty_mul(x, scale);
    if (!a.no_shift) x = ty_add(x, ty_cast(along(self, "bias", "beta", x, a, ty_init_zeros), wide));
    return ty_cast(x, dtype);
}

static ty_tensor *wide(ty_tensor *x) { return ty_cast(x, wide_of(ty_dtype_of(x))); }

static ty_tensor *by_deviation(ty_tensor *variance, double epsilon) {
    return ty_rsqrt(ty_add(variance, ty_num(epsilon)));
}

static ty_tensor *refuse_form(ty_layer *self, const ty_tensor *x, int least, const char *words,
                              double epsilon) {
    if (!is_real(x))
        return layer_refuse(self, "the input is %s, expected floating-point numbers",
                            ty_dtype_name(ty_dtype_of(x)));
    if (ty_rank(x) < least)
        return layer_refuse(self, "the input has %d axes, expected %s", ty_rank(x), words);
    if (!(epsilon > 0)) return layer_refuse(self, "epsilon %g, expected a positive number", epsilon);
    return NULL;
}

/* ---- over each example ---- */

static ty_tensor *over_last(ty_layer *self, const ty_layer_norm_layer *o, ty_tensor *x, bool centred,
                            double epsilon) {
    int64_t n = size_or(o->axes, 1);
    ty_tensor *bad = refuse_form(self, x, 1, "at least 1", epsilon);
    if (bad) return bad;
    if (n < 1 || n > ty_rank(x))
        return layer_refuse(self, "a norm over %lld axes of %d", (long long)n, ty_rank(x));
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

static void layer_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_layer_norm_layer *o = options;
    (void)n;
    y[0] = over_last(self, o, x[0], true, real_or(o->epsilon, 1e-5));
}

static void rms_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_layer_norm_layer *o = options;
    (void)n;
    y[0] = over_last(self, o, x[0], false, real_or(o->epsilon, 1e-6));
}

/* The channel axis becomes two, groups and channels of one; statistics are taken over all but batch and groups. */
static ty_tensor *over_groups(ty_layer *self, const ty_group_norm_layer *o, ty_tensor *x, int64_t groups) {
    int rank = ty_rank(x), c = channel_axis(x, o->nchw);
    int64_t shape[TY_MAX_RANK];
    double epsilon = real_or(o->epsilon, 1e-5);
    if (rank >= TY_MAX_RANK)
        return layer_refuse(self, "the input has %d axes, expected at most %d", rank, TY_MAX_RANK - 1);
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

static void group_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_group_norm_layer *o = options;
    (void)n;
    ty_tensor *bad = refuse_form(self, x[0], 2, "a batch and channels", real_or(o->epsilon, 1e-5));
    int64_t channels = bad ? 1 : ty_shape(x[0])[channel_axis(x[0], o->nchw)];
    if (bad)
        y[0] = bad;
    else if (o->groups < 1 || channels % o->groups)
        y[0] = layer_refuse(self, "%lld channels do not fall into %lld groups", (long long)channels,
                            (long long)o->groups);
    else
        y[0] = over_groups(self, o, x[0], o->groups);
}

static void instance_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_group_norm_layer *o = options;
    (void)n;
    ty_tensor *bad =
        refuse_form(self, x[0], 3, "a batch, channels and at least one more", real_or(o->epsilon, 1e-5));
    y[0] = bad ? bad : over_groups(self, o, x[0], ty_shape(x[0])[channel_axis(x[0], o->nchw)]);
}

/* ---- over the batch ---- */

static ty_tensor *moved(ty_tensor *running, ty_tensor *batch, double momentum) {
    return ty_add(running, ty_mul(ty_sub(ty_detach(batch), running), ty_num(momentum)));
}

static ty_tensor *to_channels(ty_tensor *statistic, const ty_tensor *x, int c) {
    return ty_reshape(statistic, 1, ty_shape(x) + c);
}

/* A state seen along the channels of x. */
static ty_tensor *from_channels(ty_tensor *state, const ty_tensor *x, int c) {
    for (int i = c + 1; i < ty_rank(x); i++) state = ty_expand(state, -1);
    return state;
}

static ty_tensor *over_batch(ty_layer *self, const ty_batch_norm_layer *o, ty_tensor *x) {
    int c = channel_axis(x, o->nchw);
    double epsilon = real_or(o->epsilon, 1e-5), momentum = number_or(o->momentum, 0.1);
    double n = (double)ty_size(x) / (double)ty_shape(x)[c];
    ty_dtype stored = wide_of(ty_layer_dtype(self));
    ty_parameter form = {.rank = 1, .shape = ty_shape(x) + c, .dtype = stored, .keras = "moving_mean"};
    ty_tensor *running_mean = ty_layer_state(self, "running_mean", form);
    form.keras = "moving_variance";
    form.init.draw = ty_init_ones;
    ty_tensor *running_variance = ty_layer_state(self, "running_var", form);
    struct affine a = {o->no_scale, o->no_shift, c, 1};
    ty_tensor *t = wide(x), *variance;
    if (!ty_layer_trains(self) || o->frozen) {
        t = ty_sub(t, ty_cast(from_channels(running_mean, x, c), ty_dtype_of(t)));
        variance = ty_cast(from_channels(running_variance, x, c), ty_dtype_of(t));
    } else {
        ty_axes axes = {.mask = (((uint64_t)1 << (ty_rank(x) - 1) << 1) - 1) & ~((uint64_t)1 << c),
                        .keep = true};
        if (n < 2) return layer_refuse(self, "%g values of each channel in training, expected at least 2", n);
        ty_tensor *mean = ty_mean(t, axes);
        t = ty_sub(t, mean);
        variance = ty_mean(ty_square(t), axes);
        ty_tensor *unbiased = ty_mul(to_channels(variance, x, c), ty_num(n / (n - 1)));
        ty_layer_set_state(self, "running_mean",
                           moved(running_mean, ty_cast(to_channels(mean, x, c), stored), momentum));
        ty_layer_set_state(self, "running_var", moved(running_variance, ty_cast(unbiased, stored), momentum));
    }
    return transform(self, t, by_deviation(variance, epsilon), a, ty_dtype_of(x));
}

static void batch_norm(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_batch_norm_layer *o = options;
    double momentum = number_or(o->momentum, 0.1);
    (void)n;
    ty_tensor *bad = refuse_form(self, x[0], 2, "a batch and channels", real_or(o->epsilon, 1e-5));
    if (!bad && !(momentum >= 0 && momentum <= 1))
        bad = layer_refuse(self, "momentum %g is outside [0, 1]", momentum);
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
NORM(batch_norm, ty_batch_norm_layer, batch_options, "channels by their mean and deviation over the batch")
NORM(layer_norm, ty_layer_norm_layer, layer_options, "the last axes by their mean and deviation")
NORM(rms_norm, ty_layer_norm_layer, layer_options, "the last axes by the root of their mean square")
NORM(group_norm, ty_group_norm_layer, group_options,
     "groups of channels by their mean and deviation in each example")
NORM(instance_norm, ty_group_norm_layer, group_options,
     "channels by their mean and deviation in each example")
