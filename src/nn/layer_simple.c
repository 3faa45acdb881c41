/* Layers that are one expression: flatten, activation, scale, and any function of the caller's. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "nn/model.h"

static ty_tensor *flatten(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)l;
    (void)key;
    int64_t shape[] = {ty_shape(x)[0], 1};
    for (int i = 1; i < ty_rank(x); i++) shape[1] *= ty_shape(x)[i];
    return ty_reshape(x, 2, shape);
}

static ty_tensor *activate(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    return activation_apply(*(const ty_activation *)l->options, x);
}

static void describe_activation(const struct layer *l, struct text *t) {
    activation_describe(*(const ty_activation *)l->options, t);
}

static ty_tensor *scale(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)key;
    return ty_mul(ty_cast(x, m->options.dtype), ty_num(*(const double *)l->options));
}

static void describe_scale(const struct layer *l, struct text *t) {
    text_add(t, " %g", *(const double *)l->options);
}

struct lambda {
    ty_tensor *(*function)(ty_tensor *x, void *context);
    void *context;
};

static bool build_lambda(ty_model *m, struct layer *l, const struct layer *in) {
    (void)in;
    const struct lambda *o = l->options;
    return o->function || fault_set(&m->fault, "%s: the function is NULL", l->name);
}

static ty_tensor *apply(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    const struct lambda *o = l->options;
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, l->name, o->function(x, o->context));
}

extern const struct layer_kind layer_flatten, layer_activation, layer_scale, layer_lambda;
const struct layer_kind layer_flatten = {
    .name = "flatten", .prefix = "flatten", .options = 1, .forward = flatten};
const struct layer_kind layer_activation = {.name = "activation",
                                            .prefix = "activation",
                                            .options = sizeof(ty_activation),
                                            .forward = activate,
                                            .describe = describe_activation};
const struct layer_kind layer_scale = {.name = "scale",
                                       .prefix = "scale",
                                       .options = sizeof(double),
                                       .forward = scale,
                                       .describe = describe_scale};
const struct layer_kind layer_lambda = {.name = "lambda",
                                        .prefix = "lambda",
                                        .options = sizeof(struct lambda),
                                        .build = build_lambda,
                                        .forward = apply};

void ty_layer_flatten(ty_model *m) { model_add(m, &layer_flatten, ""); }
void ty_layer_activation(ty_model *m, ty_activation activation) {
    model_add(m, &layer_activation, &activation);
}
void ty_layer_scale(ty_model *m, double factor) { model_add(m, &layer_scale, &factor); }
void ty_layer_lambda(ty_model *m, ty_tensor *(*function)(ty_tensor *x, void *context), void *context) {
    struct lambda options = {function, context};
    model_add(m, &layer_lambda, &options);
}
