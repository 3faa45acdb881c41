/* The table of the kinds of layers, and the public function of each. */
#include <string.h>
#include <tyto/create.h>
#include "nn/layers/options.h"

#define LAYER(kind)                                                                                          \
    ty_tensor *ty_layer_##kind##_sized(ty_layer *at, const char *name, ty_tensor *x,                         \
                                       const ty_##kind##_layer *options, size_t size) {                      \
        return layer_one(at, name, &ty_kind_##kind, options, size, 1, &x);                                   \
    }
#define LAYERS(kind)                                                                                         \
    ty_tensor *ty_layer_##kind##_sized(ty_layer *at, const char *name, int n, ty_tensor *const *x,           \
                                       const ty_##kind##_layer *options, size_t size) {                      \
        return layer_one(at, name, &ty_kind_##kind, options, size, n, x);                                    \
    }
#include <tyto/tables/layers.def>

const ty_layer_kind *const ty_layer_kinds[] = {
#define LAYER(kind) &ty_kind_##kind,
#define LAYERS(kind) &ty_kind_##kind,
#include <tyto/tables/layers.def>
    NULL};

const ty_layer_kind *ty_layer_kind_named(const char *name) {
    for (int i = 0; name && ty_layer_kinds[i]; i++)
        if (!strcmp(ty_layer_kinds[i]->name, name)) return ty_layer_kinds[i];
    return NULL;
}

ty_tensor *refuse_count(ty_layer *self, int n, int most) {
    return n >= 1 && n <= most ? NULL
                               : layer_refuse(self, E_ARGUMENT, "%d tensors, expected 1 to %d", n, most);
}

ty_tensor *operand_or_absent(ty_tensor *x) {
    int64_t none = 0;
    return x ? x : ty_zeros(TY_BOOL, 1, &none);
}
