/* Layers that are one expression: flatten, activation, scale, and any function of the caller's. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "nn/layers/options.h"

static void flatten(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    (void)n;
    if (ty_rank(x[0]) < 1)
        y[0] = layer_refuse(self, "the input has no axes, expected a batch");
    else
        y[0] = flatten_behind_batch(x[0]);
}

static void activate(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self;
    (void)n;
    y[0] = activation_apply(((const ty_activation_layer *)options)->function, x[0]);
}

static void scale(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)n;
    y[0] = ty_mul(ty_cast(x[0], ty_layer_dtype(self)), ty_num(((const ty_scale_layer *)options)->factor));
}

static void lambda(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_lambda_layer *o = options;
    (void)n;
    if (!o->function) {
        y[0] = layer_refuse(self, "the function is NULL");
        return;
    }
    struct scope_fence fence = scope_fence();
    y[0] = scope_fence_result(fence, ty_layer_path(self), o->function(x[0], o->context));
}

static const ty_option activation_options[] = {OPTION(ty_activation_layer, function, ACTIVATION), {0}};
static const ty_option scale_options[] = {OPTION(ty_scale_layer, factor, REAL), {0}};
static const ty_option lambda_options[] = {
    OPTION(ty_lambda_layer, function, POINTER), OPTION(ty_lambda_layer, context, POINTER), {0}};

const ty_layer_kind ty_kind_flatten = {.name = "flatten",
                                       .doc = "all axes behind the batch become one",
                                       .bytes = sizeof(ty_flatten_layer),
                                       .forward = flatten};
const ty_layer_kind ty_kind_activation = {.name = "activation",
                                          .doc = "a function of each element",
                                          .bytes = sizeof(ty_activation_layer),
                                          .options = activation_options,
                                          .forward = activate};
const ty_layer_kind ty_kind_scale = {.name = "scale",
                                     .doc = "casts to what the model computes in, and multiplies",
                                     .bytes = sizeof(ty_scale_layer),
                                     .options = scale_options,
                                     .forward = scale};
const ty_layer_kind ty_kind_lambda = {.name = "lambda",
                                      .doc = "a function of the caller's",
                                      .bytes = sizeof(ty_lambda_layer),
                                      .options = lambda_options,
                                      .forward = lambda};
