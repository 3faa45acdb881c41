/* Convolution of images (N,H,W,C) with a kernel (R,S,C,K), a bias and an activation. */
#include "nn/model.h"

static ty_conv conv_of(const ty_conv2d_layer *o) {
    return (ty_conv){.stride = {o->stride[0], o->stride[1]},
                     .dilation = {o->dilation[0], o->dilation[1]},
                     .low = {o->low[0], o->low[1]},
                     .high = {o->high[0], o->high[1]},
                     .same = o->same};
}

static bool build(ty_model *m, struct layer *l, const struct layer *in) {
    const ty_conv2d_layer *o = l->options;
    if (in->rank != 4)
        return fault_set(&m->fault,
                         "%s: the input has %d axes after the batch, expected 3: height, width, channels",
                         l->name, in->rank - 1);
    if (o->size[0] < 1 || o->size[1] < 1 || o->channels < 1)
        return fault_set(&m->fault, "%s: size %lldx%lld and %lld channels, expected at least 1 of each",
                         l->name, (long long)o->size[0], (long long)o->size[1], (long long)o->channels);
    int64_t shape[] = {o->size[0], o->size[1], in->shape[3], o->channels};
    double window = (double)o->size[0] * (double)o->size[1];
    double fan_in = window * (double)in->shape[3], fan_out = window * (double)o->channels;
    ty_init weight = o->weight.draw ? o->weight : (ty_init){ty_init_glorot_uniform, 0, 0};
    ty_init bias = o->bias.draw ? o->bias : (ty_init){ty_init_zeros, 0, 0};
    return model_parameter(m, l, "weight", weight, 4, shape, fan_in, fan_out) &&
           (o->no_bias || model_parameter(m, l, "bias", bias, 1, &shape[3], fan_in, fan_out));
}

static ty_tensor *forward(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    const ty_conv2d_layer *o = l->options;
    ty_tensor *y = ty_conv2d(x, l->parameters[0], conv_of(o));
    if (!o->no_bias) y = ty_add(y, l->parameters[1]);
    return activation_apply(o->activation, y);
}

static void describe(const struct layer *l, struct text *t) {
    const ty_conv2d_layer *o = l->options;
    text_add(t, " %lldx%lld%s", (long long)o->size[0], (long long)o->size[1], o->same ? " same" : "");
    activation_describe(o->activation, t);
}

extern const struct layer_kind layer_conv2d;
const struct layer_kind layer_conv2d = {.name = "conv2d",
                                        .prefix = "conv",
                                        .options = sizeof(ty_conv2d_layer),
                                        .build = build,
                                        .forward = forward,
                                        .describe = describe};
void ty_layer_conv2d(ty_model *m, ty_conv2d_layer options) { model_add(m, &layer_conv2d, &options); }
