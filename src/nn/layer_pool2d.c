/* Pooling of images (N,H,W,C): the largest of each window, or its mean. */
#include <tyto/pool.h>
#include "nn/model.h"

static void describe(const struct layer *l, struct text *t) {
    const ty_pool *o = l->options;
    text_add(t, " %lldx%lld%s", (long long)o->size[0], (long long)o->size[1], o->same ? " same" : "");
}

static ty_tensor *forward_max(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    return ty_max_pool2d(x, *(const ty_pool *)l->options);
}

static ty_tensor *forward_avg(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key) {
    (void)m;
    (void)key;
    return ty_avg_pool2d(x, *(const ty_pool *)l->options);
}

extern const struct layer_kind layer_max_pool2d, layer_avg_pool2d;
const struct layer_kind layer_max_pool2d = {.name = "max pool",
                                            .prefix = "maxpool",
                                            .options = sizeof(ty_pool),
                                            .forward = forward_max,
                                            .describe = describe};
const struct layer_kind layer_avg_pool2d = {.name = "average pool",
                                            .prefix = "avgpool",
                                            .options = sizeof(ty_pool),
                                            .forward = forward_avg,
                                            .describe = describe};
void ty_layer_max_pool2d(ty_model *m, ty_pool options) { model_add(m, &layer_max_pool2d, &options); }
void ty_layer_avg_pool2d(ty_model *m, ty_pool options) { model_add(m, &layer_avg_pool2d, &options); }
