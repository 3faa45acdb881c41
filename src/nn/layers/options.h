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
/* The same under another name, of a member of a member. */
#define OPTION_AS(type, member, what, title)                                                                 \
    { title, TY_OPTION_##what, offsetof(type, member), 0 }

/* The initialiser that was given, else the other one. */
static inline ty_init init_or(ty_init given, ty_tensor *(*draw)(ty_place place, double a, double b)) {
    return given.draw ? given : (ty_init){draw, 0, 0};
}
/* The same of one with numbers. */
static inline ty_init init_or_of(ty_init given, ty_tensor *(*draw)(ty_place place, double a, double b),
                                 double a, double b) {
    return given.draw ? given : (ty_init){draw, a, b};
}
/* (batch, everything behind it as one axis) */
static inline ty_tensor *flatten_behind_batch(ty_tensor *x) {
    int64_t shape[] = {ty_shape(x)[0], 1};
    for (int i = 1; i < ty_rank(x); i++) shape[1] *= ty_shape(x)[i];
    return ty_reshape(x, 2, shape);
}
/* 0 means the other one. */
static inline int64_t size_or(int64_t given, int64_t other) { return given ? given : other; }
static inline double real_or(double given, double other) { return given != 0 ? given : other; }
/* TY_ZERO is 0 itself, 0 the other one. */
static inline double number_or(double given, double other) {
    return given != 0 ? given : 1 / given < 0 ? 0 : other;
}
/* Counted from 1; 0 of what has no such axis, as poison. */
static inline int64_t size_from_end(const ty_tensor *x, int i) {
    return ty_ok(x) && ty_rank(x) >= i ? ty_shape(x)[ty_rank(x) - i] : 0;
}
static inline bool is_half(ty_dtype dtype) { return dtype == TY_F16 || dtype == TY_BF16; }
/* What sums and exponentials of the dtype are computed in. */
static inline ty_dtype wide_of(ty_dtype dtype) { return is_half(dtype) ? TY_F32 : dtype; }
static inline bool is_whole(const ty_tensor *x) {
    return ty_dtype_of(x) >= TY_I8 && ty_dtype_of(x) <= TY_U64;
}
static inline bool is_real(const ty_tensor *x) {
    return ty_dtype_of(x) >= TY_F16 && ty_dtype_of(x) <= TY_F64;
}
/* Channels of images, and of what else has them last. */
static inline int channel_axis(const ty_tensor *x, bool nchw) { return nchw ? 1 : ty_rank(x) - 1; }

/* Operands that may be left out are, in the list of a kind's operands, empty bools. */
static inline bool is_absent(const ty_tensor *x) {
    return ty_dtype_of(x) == TY_BOOL && ty_rank(x) == 1 && ty_shape(x)[0] == 0;
}
/* x, or NULL where it is one of them, or beyond the n that are there. */
static inline ty_tensor *operand_or_null(int n, ty_tensor *const *x, int i) {
    return i < n && !is_absent(x[i]) ? x[i] : NULL;
}
/* The other way: NULL becomes one of them. */
ty_tensor *operand_or_absent(ty_tensor *x);

/* The first poisoned one of n, or NULL. */
static inline ty_tensor *first_bad_of(int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++)
        if (!ty_ok(x[i])) return x[i];
    return NULL;
}

/* Poison where a kind that takes 1 to `most` operands got another number of them; else NULL. */
ty_tensor *refuse_count(ty_layer *self, int n, int most);

/* x with each element 0 by chance p, the others divided by 1 - p; x itself without a key, or by chance 0. */
ty_tensor *dropped(ty_tensor *x, double p, ty_tensor *key);
/* Poison where p is no chance; else NULL. */
ty_tensor *refuse_chance(ty_layer *self, double p);
/* A kind that takes what multi-head attention takes, called on x and *more. */
ty_tensor *layer_with_heads(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                            ty_tensor *x, ty_heads *more);
#endif
