/* The table of layer kinds, and activations, which several kinds take as an option. */
#include <tyto/math.h>
#include "array/scope.h"
#include "nn/model.h"

#define LAYER(name) extern const struct layer_kind layer_##name;
#include "nn/layers.def"

const struct layer_kind *const layer_table[] = {
#define LAYER(name) &layer_##name,
#include "nn/layers.def"
    NULL};

/* Names for the summary; a function that is not listed is shown as "function". */
static const struct {
    ty_activation function;
    const char *name;
} names[] = {{ty_relu, "relu"}, {ty_tanh, "tanh"}, {ty_sigmoid, "sigmoid"}, {ty_softplus, "softplus"},
             {ty_gelu, "gelu"}, {ty_silu, "silu"}, {ty_relu6, "relu6"}};

void activation_describe(ty_activation activation, struct text *t) {
    if (!activation) return;
    const char *name = "function";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].function == activation) name = names[i].name;
    text_add(t, " %s", name);
}

ty_tensor *activation_apply(ty_activation activation, ty_tensor *x) {
    if (!activation) return x;
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, "activation", activation(x));
}
