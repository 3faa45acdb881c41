/* Activations, which several kinds of layers take as an option: by name and applied. */
#include <string.h>
#include <tyto/math.h>
#include "array/scope.h"
#include "nn/model/model.h"

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
