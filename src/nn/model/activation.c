/* Activations that layers accept as an option: by name, and applied. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "array/scope.h"
#include "array/tensor.h"
#include "base/machine/floating.h"
#include "nn/model/model.h"

#define ACTIVATION(name, value, doc)                                                                         \
    ty_tensor *ty_activate_##name(ty_tensor *x) {                                                            \
        FLOATING_DEFAULT;                                                                                    \
        x = tensor_of(x);                                                                                    \
        ty_scope *scope = ty_open();                                                                         \
        ty_tensor *y = value;                                                                                \
        if (scope) y = ty_keep(y);                                                                           \
        ty_close(scope);                                                                                     \
        return y;                                                                                            \
    }
#include <tyto/tables/activations.def>

/* Names in summaries and descriptions; an unlisted function is shown as "function". */
static const struct {
    ty_activation function;
    const char *name;
} names[] = {
    {ty_relu, "relu"},
    {ty_tanh, "tanh"},
    {ty_sigmoid, "sigmoid"},
    {ty_softplus, "softplus"},
    {ty_gelu, "gelu"},
    {ty_silu, "silu"},
    {ty_relu6, "relu6"},
    {ty_gelu_tanh, "gelu_tanh"},
    {ty_mish, "mish"},
    {ty_softsign, "softsign"},
    {ty_hard_sigmoid, "hard_sigmoid"},
    {ty_hard_swish, "hard_swish"},
    {ty_log_sigmoid, "log_sigmoid"},
    {ty_exp, "exp"},
    {ty_square, "square"},
#define ACTIVATION(name, value, doc) {ty_activate_##name, #name},
#include <tyto/tables/activations.def>
};

const char *activation_listed(int i) {
    return i < (int)(sizeof names / sizeof *names) ? names[i].name : NULL;
}

const char *activation_name(ty_activation activation) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].function == activation) return names[i].name;
    return activation ? "function" : NULL;
}

ty_activation ty_activation_named(const char *name) {
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i].name, name)) return names[i].function;
    return NULL;
}

ty_tensor *activation_apply(ty_activation activation, ty_tensor *x) {
    if (!activation) return x;
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, "activation", activation(x));
}
