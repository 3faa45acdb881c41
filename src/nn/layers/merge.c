/* Layers of several operands: sum, product, maximum, mean, concatenation, and the caller's functions. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include "array/scope.h"
#include "nn/layers/options.h"

static ty_tensor *refuse_few(ty_layer *self, int n, int least) {
    return n >= least ? NULL : layer_refuse(self, E_ARGUMENT, "%d tensors, expected at least %d", n, least);
}

static void fold(ty_layer *self, int n, ty_tensor *const *x, ty_tensor **y,
                 ty_tensor *(*of)(ty_tensor *a, ty_tensor *b)) {
    if ((y[0] = refuse_few(self, n, 1))) return;
    y[0] = x[0];
    for (int i = 1; i < n; i++) y[0] = of(y[0], x[i]);
}

static void add(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    fold(self, n, x, y, ty_add);
}
static void mul(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    fold(self, n, x, y, ty_mul);
}
static void max(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    fold(self, n, x, y, ty_max);
}
static void average(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    fold(self, n, x, y, ty_add);
    if (n > 1) y[0] = ty_div(y[0], ty_num(n));
}

/* Set y[0] to the dot products of x[0] and x[1] along their last axes. Poison unless there are two operands
   of at least two axes that fit. */
static void dot(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    if (n != 2)
        y[0] = layer_refuse(self, E_ARGUMENT, "%d tensors, expected 2", n);
    else if (ty_rank(x[0]) < 2 || ty_rank(x[1]) < 2)
        y[0] =
            layer_refuse(self, E_SHAPE, "tensors with %d and %d axes, expected a batch and at least one more",
                         ty_rank(x[0]), ty_rank(x[1]));
    else
        y[0] = ty_dot_product(x[0], x[1]);
}

/* Set y[0] to the n operands concatenated along the options' axis, which may be negative (0: the last).
   Poison on failure. */
static void concatenate(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    int64_t axis = size_or(((const ty_concatenate_layer *)options)->axis, -1);
    if ((y[0] = refuse_few(self, n, 1))) return;
    if (axis < -ty_rank(x[0]) || axis >= ty_rank(x[0]))
        y[0] = layer_refuse(self, E_INDEX, "axis %lld is out of bounds for tensors with %d axes",
                            (long long)axis, ty_rank(x[0]));
    else
        y[0] = ty_concat(n, x, (int)axis);
}

/* Set y[0] to the user's function of all n operands x[]; poison if there is no function or it fails. */
static void lambda_array(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_lambda_array_layer *o = options;
    if (!o->function) {
        y[0] = layer_refuse(self, E_ARGUMENT, "the function is NULL");
        return;
    }
    struct scope_fence fence = scope_fence();
    y[0] = scope_fence_result(fence, ty_layer_path(self), o->function(n, x, o->context));
}

static const ty_option concatenate_options[] = {OPTION(ty_concatenate_layer, axis, INT), {0}};
static const ty_option lambda_options[] = {
    OPTION(ty_lambda_array_layer, function, POINTER), OPTION(ty_lambda_array_layer, context, POINTER), {0}};

#define MERGE(title, rows, words)                                                                            \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .operands = -1,                                                   \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_##title##_layer),                              \
                                           .options = rows,                                                  \
                                           .forward = title};
MERGE(add, NULL, "the sum of tensors")
MERGE(mul, NULL, "the product of tensors, element by element")
MERGE(max, NULL, "the greatest of tensors, element by element")
MERGE(average, NULL, "the mean of tensors")
MERGE(dot, NULL, "the products of two tensors, summed over the last axis")
MERGE(concatenate, concatenate_options, "tensors one after the other along an axis")
MERGE(lambda_array, lambda_options, "a function of your own, of several tensors")
