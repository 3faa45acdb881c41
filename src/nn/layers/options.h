/* Tables of options, and what layers have in common. */
#ifndef NN_LAYERS_OPTIONS_H
#define NN_LAYERS_OPTIONS_H
#include "nn/model/model.h"
#include <tyto/shape.h>

/* A row of a kind's table: OPTION(ty_linear_layer, units, INT). */
#define OPTION(type, member, what)                                                                           \
    { #member, TY_OPTION_##what, offsetof(type, member), 0 }
#define OPTION_LIST(type, member, what, n)                                                                   \
    { #member, TY_OPTION_##what, offsetof(type, member), n }

/* The initialiser that was given, else the other one. */
static inline ty_init init_or(ty_init given, ty_tensor *(*draw)(ty_place place, double a, double b)) {
    return given.draw ? given : (ty_init){draw, 0, 0};
}
/* (batch, everything behind it as one axis) */
static inline ty_tensor *flatten_behind_batch(ty_tensor *x) {
    int64_t shape[] = {ty_shape(x)[0], 1};
    for (int i = 1; i < ty_rank(x); i++) shape[1] *= ty_shape(x)[i];
    return ty_reshape(x, 2, shape);
}
/* 0 means the other one. */
static inline int64_t size_or(int64_t given, int64_t other) { return given ? given : other; }
#endif
