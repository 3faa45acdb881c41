/* Tables of options, and helpers shared by layers. */
#ifndef NN_LAYERS_OPTIONS_H
#define NN_LAYERS_OPTIONS_H
#include "nn/model/model.h"
#include <tyto/shape.h>

/* Entry of a kind's table of options: OPTION(ty_linear_layer, units, INT). */
#define OPTION(type, member, what)                                                                           \
    { #member, TY_OPTION_##what, offsetof(type, member), 0 }
/* Entry for an array of n numbers. */
#define OPTION_LIST(type, member, what, n)                                                                   \
    { #member, TY_OPTION_##what, offsetof(type, member), n }
/* Entry under another name, such as for a member of a member. */
#define OPTION_AS(type, member, what, title)                                                                 \
    { title, TY_OPTION_##what, offsetof(type, member), 0 }

/* Return the initialiser `given`, or if none was given `draw` without constants. */
static inline ty_init init_or(ty_init given, ty_tensor *(*draw)(const ty_place *place, double a, double b)) {
    return given.draw ? given : (ty_init){draw, 0, 0};
}
/* Return the initialiser `given`, or if none was given `draw` with constants a and b. */
static inline ty_init init_or_of(ty_init given, ty_tensor *(*draw)(const ty_place *place, double a, double b),
                                 double a, double b) {
    return given.draw ? given : (ty_init){draw, a, b};
}
/* Return x, of at least 1 axis, reshaped to [batch, product of all other sizes]. */
static inline ty_tensor *flatten_behind_batch(ty_tensor *x) {
    int64_t shape[] = {ty_shape(x)[0], 1};
    for (int i = 1; i < ty_rank(x); i++) shape[1] *= ty_shape(x)[i];
    return ty_reshape(x, 2, shape);
}
/* Return the size `given`, or the default `other` if it is 0. */
static inline int64_t size_or(int64_t given, int64_t other) { return given ? given : other; }
/* Return the number `given`, or the default `other` if it is 0. */
static inline double real_or(double given, double other) { return given != 0 ? given : other; }
/* Return the number `given`, or the default `other` if it is 0; TY_ZERO (negative zero) gives 0. */
static inline double number_or(double given, double other) {
    return given != 0 ? given : 1 / given < 0 ? 0 : other;
}
/* Return the size of the i-th axis of x from the end, i counted from 1; 0 if x is poison or has no such
   axis. */
static inline int64_t size_from_end(const ty_tensor *x, int i) {
    return ty_ok(x) && ty_rank(x) >= i ? ty_shape(x)[ty_rank(x) - i] : 0;
}
/* Return true for f16 and bf16. */
static inline bool is_half(ty_dtype dtype) { return dtype == TY_F16 || dtype == TY_BF16; }
/* Return the dtype for sums and exponentials: f32 for half precision, else the dtype. */
static inline ty_dtype wide_of(ty_dtype dtype) { return is_half(dtype) ? TY_F32 : dtype; }
/* Return true if the dtype of x is an integer; bool is none. */
static inline bool is_whole(const ty_tensor *x) {
    return ty_dtype_of(x) >= TY_I8 && ty_dtype_of(x) <= TY_U64;
}
/* Return true if the dtype of x is real floating-point. */
static inline bool is_real(const ty_tensor *x) {
    return ty_dtype_of(x) >= TY_F16 && ty_dtype_of(x) <= TY_F64;
}
/* Return the index of x's channel axis: 1 for nchw, else the last. */
static inline int channel_axis(const ty_tensor *x, bool nchw) { return nchw ? 1 : ty_rank(x) - 1; }

/* Return true if x is an empty bool [0], the placeholder of an absent optional operand. */
static inline bool is_absent(const ty_tensor *x) {
    return ty_dtype_of(x) == TY_BOOL && ty_rank(x) == 1 && ty_shape(x)[0] == 0;
}
/* Return operand x[i] of n, or NULL if i >= n or the operand is absent. */
static inline ty_tensor *operand_or_null(int n, ty_tensor *const *x, int i) {
    return i < n && !is_absent(x[i]) ? x[i] : NULL;
}
/* Return x, or for NULL the placeholder of an absent operand. */
ty_tensor *operand_or_absent(ty_tensor *x);

/* Return the first poisoned or NULL tensor of x[0..n), or NULL if all are valid. */
static inline ty_tensor *first_bad_of(int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++)
        if (!ty_ok(x[i])) return x[i];
    return NULL;
}

/* Return NULL if n is from 1 to `most`, else poison that states the number of operands. */
ty_tensor *refuse_count(ty_layer *self, int n, int most);

/* Apply inverted dropout: zero elements with probability p and divide the others by 1 - p. Returns x if key
   is NULL or p is 0. */
ty_tensor *dropped(ty_tensor *x, double p, ty_tensor *key);
/* Return NULL if the probability p is in [0, 1), else poison. */
ty_tensor *refuse_chance(ty_layer *self, double p);
/* Return poison if x has integers or truth values, which noise and scaling make floating-point; else NULL. */
ty_tensor *refuse_integers(ty_layer *self, const ty_tensor *x);
/* Call a layer kind with the operands of multi-head attention, x and those in *more (may be NULL); return
   the first result, poison on failure. The cached keys and values of *more are replaced by the updated
   ones. */
ty_tensor *layer_with_heads(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                            ty_tensor *x, ty_heads *more);
#endif
