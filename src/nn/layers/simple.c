/* Layers of one expression: shapes, activation, scale, and the caller's function. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/image.h>
#include <tyto/shape.h>
#include "array/dtype.h"
#include "array/scope.h"
#include "nn/layers/options.h"

/* Set y[0] to x[0] itself if it has the options' shape behind the batch axis (0: any size), else to poison. */
static void input(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_input_layer *o = options;
    (void)n;
    y[0] = x[0];
    if (o->rank < 0 || o->rank > 8)
        y[0] = layer_refuse(self, E_ARGUMENT, "%lld axes, expected 0 to 8", (long long)o->rank);
    else if (o->rank && ty_rank(x[0]) != o->rank + 1)
        y[0] = layer_refuse(self, E_SHAPE, "the input has %d axes, expected a batch and %lld", ty_rank(x[0]),
                            (long long)o->rank);
    for (int i = 0; i < o->rank && y[0] == x[0]; i++)
        if (o->shape[i] && o->shape[i] != ty_shape(x[0])[i + 1])
            y[0] = layer_refuse(self, E_SHAPE, "axis %d of the input has size %lld, expected %lld", i + 1,
                                (long long)ty_shape(x[0])[i + 1], (long long)o->shape[i]);
}

/* Set y[0] to x[0] reshaped to [batch, product of all other sizes]. Poison if it has no axes. */
static void flatten(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    (void)n;
    if (ty_rank(x[0]) < 1)
        y[0] = layer_refuse(self, E_SHAPE, "the input has no axes, expected a batch");
    else
        y[0] = flatten_behind_batch(x[0]);
}

/* Set y[0] to x[0] reshaped to the options' shape behind the batch; one size may be -1, for the rest.
   Poison if sizes do not fit. */
static void reshape(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_reshape_layer *o = options;
    int64_t shape[9] = {0}, known = 1, inside = 1;
    int open = 0;
    (void)n;
    if (o->rank < 0 || o->rank > 8 || ty_rank(x[0]) < 1) {
        y[0] = layer_refuse(self, E_SHAPE, "%d axes to %lld after the batch, expected a batch, and 0 to 8",
                            ty_rank(x[0]), (long long)o->rank);
        return;
    }
    shape[0] = ty_shape(x[0])[0];
    for (int i = 1; i < ty_rank(x[0]); i++) inside *= ty_shape(x[0])[i];
    for (int i = 0; i < o->rank; i++) {
        if (o->shape[i] == -1) open = i + 1;
        known *= o->shape[i] == -1 ? 1 : o->shape[i];
        shape[i + 1] = o->shape[i];
    }
    if (open && known > 0) shape[open] = inside / known;
    if (open && known > 0 && shape[open] * known != inside)
        y[0] = layer_refuse(self, E_SHAPE, "%lld elements of an example are not divisible into parts of %lld",
                            (long long)inside, (long long)known);
    else
        y[0] = ty_reshape(x[0], (int)o->rank + 1, shape);
}

/* Set y[0] to x[0] sliced along an axis behind the batch: start..stop (stop excluded; 0: the end) by step,
   as the options say. A negative axis counts from the end; 0 means axis 1. Poison on failure. */
static void slice(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_slice_layer *o = options;
    int64_t axis = o->axis < 0 ? o->axis + ty_rank(x[0]) : size_or(o->axis, 1);
    (void)n;
    if (axis < 1 || axis >= ty_rank(x[0]))
        y[0] = layer_refuse(self, E_INDEX,
                            "axis %lld is out of bounds for an input with %d axes, of which 0 is the batch",
                            (long long)o->axis, ty_rank(x[0]));
    else
        y[0] = ty_slice(x[0], (int)axis, o->start, o->stop ? o->stop : TY_END, size_or(o->step, 1));
}

/* Check that x has 3 to 5 axes: a batch, channels and 1 to 3 spatial ones. Return poison, or NULL if so. */
static ty_tensor *refuse_spatial(ty_layer *self, const ty_tensor *x) {
    int n = ty_rank(x) - 2;
    return n >= 1 && n <= 3
               ? NULL
               : layer_refuse(self, E_SHAPE,
                              "the input has %d axes, expected a batch, channels, and 1 to 3 more", n + 2);
}

/* Set y[0] to x[0] with its spatial axes padded by the options' amounts and kind. Poison on failure. */
static void padding(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_padding_layer *o = options;
    ty_padding around[5] = {{0}};
    (void)n;
    if ((y[0] = refuse_spatial(self, x[0]))) return;
    for (int i = 0; i < ty_rank(x[0]) - 2; i++)
        around[o->nchw ? 2 + i : 1 + i] = (ty_padding){o->low[i], o->high[i], 0};
    if (o->kind < 0 || o->kind > TY_PAD_KINDS)
        y[0] = layer_refuse(self, E_ARGUMENT, "unknown kind of padding %lld, expected 0 to %d",
                            (long long)o->kind, (int)TY_PAD_KINDS);
    else
        y[0] =
            o->kind ? ty_pad_mode(x[0], around, (ty_pad_kind)(o->kind - 1)) : ty_pad(x[0], around, ty_num(0));
}

/* Set y[0] to x[0] with its spatial axes enlarged by the options' factor and sampling. Poison on failure. */
static void upsampling(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_upsampling_layer *o = options;
    (void)n;
    if ((y[0] = refuse_spatial(self, x[0]))) return;
    ty_sampling sampling = o->cubic ? TY_CUBIC : o->linear ? TY_LINEAR : TY_NEAREST;
    y[0] = ty_upsample(x[0], size_or(o->size, 2), sampling, !o->nchw);
}

static void activation(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self;
    (void)n;
    y[0] = activation_apply(((const ty_activation_layer *)options)->function, x[0]);
}

static void scale(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    ty_dtype dtype = ty_layer_dtype(self);
    if (dtype_is(ty_dtype_of(x[0]), CLASS_COMPLEX) && !dtype_is(dtype, CLASS_COMPLEX))
        y[0] =
            layer_refuse(self, E_DTYPE, "the input is %s and the model computes in %s, expected real numbers",
                         ty_dtype_name(ty_dtype_of(x[0])), ty_dtype_name(dtype));
    else
        y[0] = ty_mul(ty_cast(x[0], dtype), ty_num(((const ty_scale_layer *)options)->factor));
}

/* Set y[0] to the user's function of x[0]; poison if there is no function or it fails. */
static void lambda(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_lambda_layer *o = options;
    (void)n;
    if (!o->function) {
        y[0] = layer_refuse(self, E_ARGUMENT, "the function is NULL");
        return;
    }
    struct scope_fence fence = scope_fence();
    y[0] = scope_fence_result(fence, ty_layer_path(self), o->function(x[0], o->context));
}

static const ty_option input_options[] = {
    OPTION(ty_input_layer, rank, INT), OPTION_LIST(ty_input_layer, shape, INT, 8), {0}};
static const ty_option slice_options[] = {OPTION(ty_slice_layer, axis, INT),
                                          OPTION(ty_slice_layer, start, INT),
                                          OPTION(ty_slice_layer, stop, INT),
                                          OPTION(ty_slice_layer, step, INT),
                                          {0}};
static const ty_option padding_options[] = {OPTION_LIST(ty_padding_layer, low, INT, 3),
                                            OPTION_LIST(ty_padding_layer, high, INT, 3),
                                            OPTION(ty_padding_layer, kind, INT),
                                            OPTION(ty_padding_layer, nchw, FLAG),
                                            {0}};
static const ty_option upsampling_options[] = {OPTION(ty_upsampling_layer, size, INT),
                                               OPTION(ty_upsampling_layer, linear, FLAG),
                                               OPTION(ty_upsampling_layer, cubic, FLAG),
                                               OPTION(ty_upsampling_layer, nchw, FLAG),
                                               {0}};
static const ty_option activation_options[] = {OPTION(ty_activation_layer, function, ACTIVATION), {0}};
static const ty_option scale_options[] = {OPTION(ty_scale_layer, factor, REAL), {0}};
static const ty_option lambda_options[] = {
    OPTION(ty_lambda_layer, function, POINTER), OPTION(ty_lambda_layer, context, POINTER), {0}};

#define SIMPLE(title, rows, words)                                                                           \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_##title##_layer),                              \
                                           .options = rows,                                                  \
                                           .forward = title};
SIMPLE(input, input_options, "checks the shape of the input")
SIMPLE(flatten, NULL, "joins all axes after the batch")
SIMPLE(reshape, input_options, "reshapes the axes after the batch")
SIMPLE(slice, slice_options, "a part of an axis")
SIMPLE(padding, padding_options, "adds elements around the spatial axes")
SIMPLE(upsampling, upsampling_options, "enlarges the spatial axes by whole factors")
SIMPLE(activation, activation_options, "a function of each element")
SIMPLE(scale, scale_options, "casts to the dtype in which the model computes, and multiplies")
SIMPLE(lambda, lambda_options, "a function of your own")
