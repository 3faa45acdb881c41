/* Views and what rearranges elements.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_SHAPE_H
#define TYTO_SHAPE_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- views: share the buffer of a value ---- */

/* One size may be -1: whatever fits.  Copies only where strides forbid a view. */
TY_API ty_tensor *ty_reshape(ty_tensor *x, int rank, const int64_t *shape);
/* Axis i of the result is axis order[i] of x; NULL reverses. */
TY_API ty_tensor *ty_permute(ty_tensor *x, const int *order);
TY_API ty_tensor *ty_transpose(ty_tensor *x); /* swaps the last two axes */
TY_API ty_tensor *ty_broadcast(ty_tensor *x, int rank, const int64_t *shape);
#define TY_END INT64_MIN
/* Elements start, start+step, ... before stop along one axis, as Python's start:stop:step; negative
   numbers count from the end; TY_END means the natural end in the direction of step. */
TY_API ty_tensor *ty_slice(ty_tensor *x, int axis, int64_t start, int64_t stop, int64_t step);
TY_API ty_tensor *ty_flip(ty_tensor *x, int axis);
TY_API ty_tensor *ty_squeeze(ty_tensor *x, int axis);
TY_API ty_tensor *ty_expand(ty_tensor *x, int axis); /* inserts an axis of size 1 */
/* Sliding windows along `axis`: that axis becomes the window's position, and a new last axis the place
   inside: out[.., i, .., r] = x[.., i*stride + r*dilation, ..]. */
TY_API ty_tensor *ty_window(ty_tensor *x, int axis, int64_t size, int64_t stride, int64_t dilation);
/* The diagonal of two axes as a new last axis, the two removed. */
TY_API ty_tensor *ty_diagonal(ty_tensor *x, int axis1, int axis2);
/* Row-major memory of its own kind: a copy where x is not contiguous. */
TY_API ty_tensor *ty_contiguous(ty_tensor *x);

/* ---- structure ---- */

typedef struct ty_padding { int64_t low, high, inner; } ty_padding; /* inner: elements put between neighbours */
/* One ty_padding per axis; negative low or high cut. */
TY_API ty_tensor *ty_pad(ty_tensor *x, const ty_padding *padding, ty_tensor *value);
/* What ty_pad_mode puts around x: elements of its own. */
typedef enum ty_pad_kind {
    TY_PAD_EDGE,      /* a a|a b c|c c */
    TY_PAD_REFLECT,   /* c b|a b c|b a */
    TY_PAD_SYMMETRIC, /* b a|a b c|c b */
    TY_PAD_WRAP,      /* b c|a b c|a b */
    TY_PAD_KINDS
} ty_pad_kind;
/* One ty_padding per axis (negative cuts, inner must be 0), however far beyond x it reaches. */
TY_API ty_tensor *ty_pad_mode(ty_tensor *x, const ty_padding *padding, ty_pad_kind kind);
/* NumPy's pad_width: n numbers, low and high for each axis; two for all axes; or one for every end. */
TY_API ty_tensor *ty_pad_around(ty_tensor *x, int n, const int64_t *amounts, ty_pad_kind kind);
/* "edge", "reflect", "symmetric", "wrap"; TY_PAD_KINDS for anything else, which ty_pad_mode refuses. */
TY_API ty_pad_kind ty_pad_kind_named(const char *name);
TY_API ty_tensor *ty_concat(int n, ty_tensor *const *x, int axis);
TY_API ty_tensor *ty_stack(int n, ty_tensor *const *x, int axis);
/* out[.., index.., ..] = x[.., index[..], ..] on `axis`; indices may be negative, are checked. */
TY_API ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis);
/* The adjoint: zeros of `size` on `axis` into which g's slices are added at `index`. */
TY_API ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size);
/* A new last axis of `depth`: 1 where it equals the index, else 0 (also for indices outside). */
TY_API ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
