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
/* The diagonal on which place along axis2 - place along axis1 is `offset`. */
TY_API ty_tensor *ty_diagonal_at(ty_tensor *x, int64_t offset, int axis1, int axis2);
TY_API ty_tensor *ty_swap(ty_tensor *x, int axis1, int axis2);
/* Axis from[i] goes to place to[i]; the others keep their order. */
TY_API ty_tensor *ty_moveaxis(ty_tensor *x, int n, const int64_t *from, const int64_t *to);
TY_API ty_tensor *ty_rollaxis(ty_tensor *x, int axis, int start); /* NumPy's: axis goes in front of `start` */
TY_API ty_tensor *ty_flip_axes(ty_tensor *x, int n, const int64_t *axes); /* n = 0: all */
/* Quarter turns from axis1 toward axis2. */
TY_API ty_tensor *ty_rotate(ty_tensor *x, int64_t quarters, int axis1, int axis2);
TY_API ty_tensor *ty_squeeze_axes(ty_tensor *x, int n, const int64_t *axes); /* n = 0: all of size 1 */
TY_API ty_tensor *ty_expand_axes(ty_tensor *x, int n, const int64_t *axes);  /* places in the result */
/* 1, 2 or 3 axes at least, new ones where NumPy's atleast_nd puts them. */
TY_API ty_tensor *ty_atleast(ty_tensor *x, int rank);
TY_API ty_tensor *ty_ravel(ty_tensor *x); /* one axis, row-major */
/* n tensors seen with the shape that they broadcast to; false (and poisoned results) when they do not. */
TY_API bool ty_broadcast_together(int n, ty_tensor *const *x, ty_tensor **out);
/* Windows of sizes[i] along axes[i] (NULL: all axes), the places inside as new last axes; stride 1. */
TY_API ty_tensor *ty_slide(ty_tensor *x, int n, const int64_t *sizes, const int64_t *axes);
/* The same bits as another dtype; where its size differs the last axis gets longer or shorter.  Not to
   bool. */
TY_API ty_tensor *ty_view_as(ty_tensor *x, ty_dtype dtype);
/* Parts along an axis, into `parts`.  split_at: n + 1 parts, cut before each index (as ty_slice counts);
   split: n equal ones; array_split: n, the first ones longer by one; chunk: at most n of one size, the last
   shorter, returns how many.  False (0) with all parts poisoned when it cannot be done. */
TY_API bool ty_split_at(ty_tensor *x, int n, const int64_t *indices, int axis, ty_tensor **parts);
TY_API bool ty_split(ty_tensor *x, int n, int axis, ty_tensor **parts);
TY_API bool ty_array_split(ty_tensor *x, int n, int axis, ty_tensor **parts);
TY_API int ty_chunk(ty_tensor *x, int n, int axis, ty_tensor **parts);
TY_API bool ty_hsplit(ty_tensor *x, int n, ty_tensor **parts); /* along axis 1; of a vector along axis 0 */
/* Row-major memory of its own kind: a copy where x is not contiguous. */
TY_API ty_tensor *ty_contiguous(ty_tensor *x);

/* ---- structure ---- */

typedef struct ty_padding {
    int64_t low, high, inner;
} ty_padding; /* inner: elements put between
neighbours */
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
/* Joined along the second axis (vectors: the first), the first of matrices, the third, or as columns. */
TY_API ty_tensor *ty_hstack(int n, ty_tensor *const *x);
TY_API ty_tensor *ty_vstack(int n, ty_tensor *const *x);
TY_API ty_tensor *ty_dstack(int n, ty_tensor *const *x);
TY_API ty_tensor *ty_column_stack(int n, ty_tensor *const *x);
/* A matrix of matrices: rows * columns blocks, row by row. */
TY_API ty_tensor *ty_block(int rows, int columns, ty_tensor *const *x);
TY_API ty_tensor *ty_append(ty_tensor *x, ty_tensor *values); /* both as vectors, one after the other */
/* Copies made in one pass: the whole tiles[i] times along axis i, each element repeats[i] times; NULL: once.
   n numbers for the last axes; more than the tensor has axes add some in front. */
TY_API ty_tensor *ty_spread(ty_tensor *x, int n, const int64_t *tiles, const int64_t *repeats);
TY_API ty_tensor *ty_tile(ty_tensor *x, int n, const int64_t *tiles);
TY_API ty_tensor *ty_repeat(ty_tensor *x, int64_t count, int axis);
/* Element i of the axis counts[i] times; counts (one, or one for each) are integers, evaluated
   where they are a promise, as they decide the shape. */
TY_API ty_tensor *ty_repeat_each(ty_tensor *x, ty_tensor *counts, int axis);
/* The elements again and again until the shape is full, or as many as it takes. */
TY_API ty_tensor *ty_resize(ty_tensor *x, int rank, const int64_t *shape);
/* Shifted by shifts[i] along axes[i], coming in again at the other end; axes NULL: one shift, row-major. */
TY_API ty_tensor *ty_roll(ty_tensor *x, int n, const int64_t *shifts, const int64_t *axes);
/* Without the slices at n indices along an axis. */
TY_API ty_tensor *ty_delete(ty_tensor *x, int64_t n, const int64_t *indices, int axis);
/* Values, cast to x's dtype, put before the slices at n indices; they broadcast to one slice an index, or
   with one
   index and x's rank bring as many slices as they have. */
TY_API ty_tensor *ty_insert(ty_tensor *x, int64_t n, const int64_t *indices, ty_tensor *values, int axis);
/* A vector without the zeros at its ends, which are looked for in the values: a promise is evaluated for
 * that. */
TY_API ty_tensor *ty_trim_zeros(ty_tensor *x, bool front, bool back);
/* out[.., index.., ..] = x[.., index[..], ..] on `axis`; indices may be negative, are checked. */
TY_API ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis);
/* The adjoint: zeros of `size` on `axis` into which g's slices are added at `index`. */
TY_API ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size);
/* A new last axis of `depth`: 1 where it equals the index, else 0 (also for indices outside). */
TY_API ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype);

/* ---- questions ---- */

/* Of matrices, one bool for each of a stack: is |x| <= tolerance off the diagonal, or the difference from the
   mirror image; tolerance 0 asks for equality. */
TY_API ty_tensor *ty_is_triu(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_tril(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_diag(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_symmetric(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_hermitian(ty_tensor *x, double tolerance);
TY_API bool ty_is_square(const ty_tensor *x);
/* 0-d bool: shapes and all elements agree; array_equiv: after broadcasting. */
TY_API ty_tensor *ty_array_equal(ty_tensor *a, ty_tensor *b, bool equal_nan);
TY_API ty_tensor *ty_array_equiv(ty_tensor *a, ty_tensor *b);
/* Whether the stretches of memory between the first and last elements meet; two views that only interleave
   count as sharing.  Promises share nothing. */
TY_API bool ty_shares_memory(ty_tensor *a, ty_tensor *b);

#ifdef __cplusplus
}
#endif
#endif
