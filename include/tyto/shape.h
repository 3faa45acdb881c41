/* Views and what rearranges elements.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_SHAPE_H
#define TYTO_SHAPE_H
#include <tyto/core.h>

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
/* Sliding windows along `axis`: that axis becomes the window number, and a new last axis the position inside the
   window: out[.., i, .., r] = x[.., i*stride + r*dilation, ..]. */
TY_API ty_tensor *ty_window(ty_tensor *x, int axis, int64_t size, int64_t stride, int64_t dilation);
/* The diagonal of two axes, which are removed, as a new last axis. */
TY_API ty_tensor *ty_diagonal(ty_tensor *x, int axis1, int axis2);
/* The diagonal where index2 - index1 = `offset`. */
TY_API ty_tensor *ty_diagonal_at(ty_tensor *x, int64_t offset, int axis1, int axis2);
TY_API ty_tensor *ty_swap(ty_tensor *x, int axis1, int axis2);
/* Axis from[i] becomes axis to[i]; the others keep their order. */
TY_API ty_tensor *ty_moveaxis(ty_tensor *x, int n, const int64_t *from, const int64_t *to);
TY_API ty_tensor *ty_rollaxis(ty_tensor *x, int axis, int start); /* NumPy's: axis goes in front of `start` */
TY_API ty_tensor *ty_flip_axes(ty_tensor *x, int n, const int64_t *axes); /* n = 0: all */
/* Quarter turns from axis1 toward axis2. */
TY_API ty_tensor *ty_rotate(ty_tensor *x, int64_t quarters, int axis1, int axis2);
TY_API ty_tensor *ty_squeeze_axes(ty_tensor *x, int n, const int64_t *axes); /* n = 0: all of size 1 */
TY_API ty_tensor *ty_expand_axes(ty_tensor *x, int n, const int64_t *axes);  /* axes of the result */
/* At least 1, 2 or 3 axes; new ones are added where NumPy's atleast_nd adds them. */
TY_API ty_tensor *ty_atleast(ty_tensor *x, int rank);
TY_API ty_tensor *ty_ravel(ty_tensor *x); /* one axis, row-major */
/* Views of n tensors with the shape that they broadcast to; false, and every result poisoned, when they do not. */
TY_API bool ty_broadcast_together(int n, ty_tensor *const *x, ty_tensor **out);
/* Windows of sizes[i] along axes[i] (NULL: all axes) with stride 1; positions inside are new last axes. */
TY_API ty_tensor *ty_slide(ty_tensor *x, int n, const int64_t *sizes, const int64_t *axes);
/* The same bits as another dtype; if its size differs, the last axis gets longer or shorter.  Not to bool. */
TY_API ty_tensor *ty_view_as(ty_tensor *x, ty_dtype dtype);
/* Parts along an axis, into `parts`.  split_at: n + 1 parts, cut before each index (as ty_slice counts);
   split: n equal ones; array_split: n, the first ones longer by one; chunk: at most n of one size, the last
   shorter, returns how many.  False (0) with all parts poisoned when it cannot be done. */
TY_API bool ty_split_at(ty_tensor *x, int n, const int64_t *indices, int axis, ty_tensor **parts);
TY_API bool ty_split(ty_tensor *x, int n, int axis, ty_tensor **parts);
TY_API bool ty_array_split(ty_tensor *x, int n, int axis, ty_tensor **parts);
TY_API int ty_chunk(ty_tensor *x, int n, int axis, ty_tensor **parts);
TY_API bool ty_hsplit(ty_tensor *x, int n, ty_tensor **parts); /* along axis 1; of a vector along axis 0 */
/* x itself if it is contiguous (row-major without gaps), else a contiguous copy. */
TY_API ty_tensor *ty_contiguous(ty_tensor *x);

/* ---- structure ---- */

typedef struct ty_padding {
    int64_t low, high, inner; /* elements before, after, and between neighbours */
} ty_padding;
/* One ty_padding per axis; negative low or high crop.  value is 0-d. */
TY_API ty_tensor *ty_pad(ty_tensor *x, const ty_padding *padding, ty_tensor *value);
/* With which elements of x ty_pad_mode pads. */
typedef enum ty_pad_kind {
    TY_PAD_EDGE,      /* a a|a b c|c c */
    TY_PAD_REFLECT,   /* c b|a b c|b a */
    TY_PAD_SYMMETRIC, /* b a|a b c|c b */
    TY_PAD_WRAP,      /* b c|a b c|a b */
    TY_PAD_KINDS
} ty_pad_kind;
/* One ty_padding per axis (negative crops, inner must be 0); padding may be larger than x. */
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
/* n blocks along the diagonal of a matrix, zeros elsewhere, in the dtype that they meet in; a vector is a row.  A block of more
   than two axes is an error. */
TY_API ty_tensor *ty_block_diag(int n, ty_tensor *const *x);
TY_API ty_tensor *ty_append(ty_tensor *x, ty_tensor *values); /* both as vectors, one after the other */
/* Tile and repeat in one pass: x is repeated tiles[i] times along axis i, each element repeats[i] times; NULL: once.
   The n numbers belong to the last axes; if there are more than x has axes, axes are added in front. */
TY_API ty_tensor *ty_spread(ty_tensor *x, int n, const int64_t *tiles, const int64_t *repeats);
TY_API ty_tensor *ty_tile(ty_tensor *x, int n, const int64_t *tiles);
TY_API ty_tensor *ty_repeat(ty_tensor *x, int64_t count, int axis);
/* Element i of the axis repeated counts[i] times.  counts are integers, one or as many as elements; a promise is
   evaluated, because they decide the shape. */
TY_API ty_tensor *ty_repeat_each(ty_tensor *x, ty_tensor *counts, int axis);
/* The elements of x in row-major order, repeated or cut off to fill the shape. */
TY_API ty_tensor *ty_resize(ty_tensor *x, int rank, const int64_t *shape);
/* Rotated by shifts[i] along axes[i]; axes NULL: by one shift along x flattened. */
TY_API ty_tensor *ty_roll(ty_tensor *x, int n, const int64_t *shifts, const int64_t *axes);
/* Without the slices at n indices along an axis. */
TY_API ty_tensor *ty_delete(ty_tensor *x, int64_t n, const int64_t *indices, int axis);
/* Values, cast to x's dtype, inserted before the slices at n indices.  They broadcast to one slice for each index; with
   a single index and x's rank, all their slices are inserted there. */
TY_API ty_tensor *ty_insert(ty_tensor *x, int64_t n, const int64_t *indices, ty_tensor *values, int axis);
/* A vector without the zeros at its front or back.  A promise is evaluated, because the size depends on values. */
TY_API ty_tensor *ty_trim_zeros(ty_tensor *x, bool front, bool back);
/* out[.., index.., ..] = x[.., index[..], ..] on `axis`; indices may be negative, are checked. */
TY_API ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis);
/* The adjoint: zeros of `size` on `axis` into which g's slices are added at `index`. */
TY_API ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size);
/* A new last axis of `depth`: 1 where it equals the index, else 0 (also for indices outside). */
TY_API ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype);

/* ---- questions ---- */

/* One bool for each matrix of a stack: whether elements that must be 0, or differences from the transposed, are at most
   `tolerance` in magnitude; 0 asks for equality. */
TY_API ty_tensor *ty_is_triu(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_tril(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_diag(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_symmetric(ty_tensor *x, double tolerance);
TY_API ty_tensor *ty_is_hermitian(ty_tensor *x, double tolerance);
TY_API bool ty_is_square(const ty_tensor *x);
/* 0-d bool: shapes and all elements agree; array_equiv: after broadcasting. */
TY_API ty_tensor *ty_array_equal(ty_tensor *a, ty_tensor *b, bool equal_nan);
TY_API ty_tensor *ty_array_equiv(ty_tensor *a, ty_tensor *b);
/* Whether the ranges of memory from the first to the last element overlap; views that only interleave count as sharing.
   Promises share nothing. */
TY_API bool ty_shares_memory(ty_tensor *a, ty_tensor *b);

#ifdef __cplusplus
}
#endif
#endif
