/* x W + b on the last axis; fully connected is the same after flattening. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/shape.h>
#include "nn/model.h"

static bool build_units(ty_model *m, struct layer *l, int64_t inputs) {
    const ty_linear_layer *o = l->options;
    if (o->units < 1)
        return fault_set(&m->fault, "%s: %lld units, expected at least 1", l->name, (long long)o->units);
    int64_t shape[] = {inputs, o->units};
    ty_init weight = o->weight.draw ? o->weight : (ty_init){ty_init_glorot_uniform, 0, 0};
    ty_init bias = o->bias.draw ? o->bias : (ty_init){ty_init_zeros, 0, 0};
    double fan_in = (double)inputs, fan_out = (double)o->units;
    return model_parameter(m, l, "weight", weight, 2, shape, fan_in, fan_out) &&
           (o->no_bias || model_parameter(m, l, "bias", bias, 1, &shape[1], fan_in, fan_out));
}

static bool build(ty_model *m, struct layer *l, const struct layer *in) {
    if (in->rank < 2)
        return fault_set(&m->fault, "%s: the input has no axis but the batch, expected one", l->name);
    return build_units(m, l, in->shape[in->rank - 1]);
}

static ty_tensor *forward(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    const ty_linear_layer *o = l->options;
    ty_tensor *y = ty_matmul(x, l->parameters[0]);
    if (!o->no_bias) y = ty_add(y, l->parameters[1]);
    return activation_apply(o->activation, y);
}

static void describe(const struct layer *l, struct text *t) {
    activation_describe(((const ty_linear_layer *)l->options)->activation, t);
}

extern const struct layer_kind layer_linear;
const struct layer_kind layer_linear = {.name = "linear",
                                        .prefix = "linear",
                                        .options = sizeof(ty_linear_layer),
                                        .build = build,
                                        .forward = forward,
                                        .describe = describe};
void ty_layer_linear(ty_model *m, ty_linear_layer options) { model_add(m, &layer_linear, &options); }

static bool build_flat(ty_model *m, struct layer *l, const struct layer *in) {
    int64_t inputs = 1;
    for (int i = 1; i < in->rank; i++)
        if (__builtin_mul_overflow(inputs, in->shape[i], &inputs))
            return fault_set(&m->fault, "%s: the flattened input has more than 2^63 elements", l->name);
    return build_units(m, l, inputs);
}

static ty_tensor *forward_flat(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    int64_t shape[] = {ty_shape(x)[0], ty_shape(l->parameters[0])[0]};
    return forward(m, l, ty_reshape(x, 2, shape), key);
}

extern const struct layer_kind layer_fully_connected;
const struct layer_kind layer_fully_connected = {.name = "fully connected",
                                                 .prefix = "full",
                                                 .options = sizeof(ty_linear_layer),
                                                 .build = build_flat,
                                                 .forward = forward_flat,
                                                 .describe = describe};
void ty_layer_fully_connected(ty_model *m, ty_linear_layer options) {
    model_add(m, &layer_fully_connected, &options);
}
