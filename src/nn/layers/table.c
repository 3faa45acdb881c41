/* The table of the kinds of layers, their functions, and activations, which several kinds take as an option. */
#include <string.h>
#include <tyto/math.h>
#include "array/scope.h"
#include "nn/model/model.h"

#define LAYER(kind)                                                                                          \
    ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, ty_tensor *x, ty_##kind##_layer options) {    \
        return layer_one(at, name, &ty_kind_##kind, &options, 1, &x);                                        \
    }
#define LAYERS(kind)                                                                                         \
    ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, int n, ty_tensor *const *x,                   \
                               ty_##kind##_layer options) {                                                  \
        return layer_one(at, name, &ty_kind_##kind, &options, n, x);                                         \
    }
#include <tyto/layers.def>

const ty_layer_kind *const ty_layer_kinds[] = {
#define LAYER(kind) &ty_kind_##kind,
#define LAYERS(kind) &ty_kind_##kind,
#include <tyto/layers.def>
    NULL};

const ty_layer_kind *ty_layer_kind_find(const char *name) {
    for (int i = 0; name && ty_layer_kinds[i]; i++)
        if (!strcmp(ty_layer_kinds[i]->name, name)) return ty_layer_kinds[i];
    return NULL;
}

/* Names in summaries and descriptions; a function that is not listed is shown as "function". */
static const struct {
    ty_activation function;
    const char *name;
} names[] = {{ty_relu, "relu"}, {ty_tanh, "tanh"}, {ty_sigmoid, "sigmoid"}, {ty_softplus, "softplus"},
             {ty_gelu, "gelu"}, {ty_silu, "silu"}, {ty_relu6, "relu6"}};

const char *activation_name(ty_activation activation) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].function == activation) return names[i].name;
    return activation ? "function" : NULL;
}

ty_activation ty_activation_find(const char *name) {
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i].name, name)) return names[i].function;
    return NULL;
}

ty_tensor *activation_apply(ty_activation activation, ty_tensor *x) {
    if (!activation) return x;
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, "activation", activation(x));
}
