/* Views, and functions that rearrange elements.  Part of <tyto/tyto.h>, which states the rules that hold for all
   functions.  Axes are counted from 0, negative ones from the end; an axis or shape that does not fit gives poison.
   Every dtype is allowed, and stays unless stated otherwise. */
#ifndef TYTO_SHAPE_H
#define TYTO_SHAPE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- views: they share the memory of a value ---- */

/* Return x with another shape of `rank` sizes, as a view, with the same elements in row-major order; one size may
   be -1 and is then inferred.  Copies only if no strides express the view.  Poison if the numbers of elements
   differ or two sizes are -1. */
TY_API ty_tensor *ty_reshape(ty_tensor *x, int rank, const int64_t *shape);
/* Reorder the axes of x, as a view: axis i of the result is axis order[i] of x, negative ones counted from the end.
   `order` has ty_rank(x) entries; NULL reverses the axes.  Poison unless it names each axis once. */
TY_API ty_tensor *ty_permute(ty_tensor *x, const int *order);
/* Return x with its last two axes swapped, as a view.  Poison if x has fewer than two. */
TY_API ty_tensor *ty_transpose(ty_tensor *x);
/* Broadcast x to a shape, as a view, by NumPy's rules: axes are added in front, and axes of size 1 are repeated.
   Poison if it does not fit. */
TY_API ty_tensor *ty_broadcast(ty_tensor *x, int rank, const int64_t *shape);
/* As a start or stop: the natural end in the direction of the step. */
#define TY_END INT64_MIN
/* Return every step-th element from `start` to before `stop` along one axis, a view, as Python's start:stop:step; a
   negative step runs backwards.  Negative indices and axes count from the end; TY_END stands for the natural end in
   the direction of the step.  Ends outside are cut to the axis.  Poison if step is 0 or the axis is outside. */
TY_API ty_tensor *ty_slice(ty_tensor *x, int axis, int64_t start, int64_t stop, int64_t step);
/* Reverse the order of the elements along one axis, as a view; a negative axis counts from the end.  Poison if it
   is outside. */
TY_API ty_tensor *ty_flip(ty_tensor *x, int axis);
/* Remove an axis of size 1, as a view; a negative axis counts from the end.  Poison if its size is another one or
   it is outside. */
TY_API ty_tensor *ty_squeeze(ty_tensor *x, int axis);
/* Insert an axis of size 1, which becomes axis `axis` of the result, a view; a negative one counts from the
   result's end.  Poison if it is outside. */
TY_API ty_tensor *ty_expand(ty_tensor *x, int axis);
/* Return sliding windows of `size` elements along `axis`, as a view.  That axis becomes the index of the window,
   and a new last axis the position in it: out[.., i, .., r] = x[.., i*stride + r*dilation, ..].  `axis` may be
   negative.  Poison if not one window fits, or size, stride or dilation is below 1. */
TY_API ty_tensor *ty_window(ty_tensor *x, int axis, int64_t size, int64_t stride, int64_t dilation);
/* Return the main diagonal of two axes, which are removed, as a new last axis: a view.  Negative axes count
   from the end; poison if they are equal or outside. */
TY_API ty_tensor *ty_diagonal(ty_tensor *x, int axis1, int axis2);
/* Return the diagonal of two axes on which index2 - index1 = `offset`, as a new last axis; both axes are
   removed.  The result is a view.  Negative axes count from the end; poison if they are equal or outside. */
TY_API ty_tensor *ty_diagonal_at(ty_tensor *x, int64_t offset, int axis1, int axis2);
/* Swap two axes of x, as a view; negative ones count from the end.  Poison if one is outside. */
TY_API ty_tensor *ty_swap(ty_tensor *x, int axis1, int axis2);
/* Move axis from[i] of x to position to[i] of the result, a view, for n axes; the others keep their order.
   Negative ones count from the end.  Poison if one is outside or repeated. */
TY_API ty_tensor *ty_moveaxis(ty_tensor *x, int n, const int64_t *from, const int64_t *to);
/* Move `axis` in front of the axis `start`, as a view, as NumPy's rollaxis; `start` is -rank to rank, which stands
   for the end.  Poison if axis or start is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_rollaxis(ty_tensor *x, int axis, int start);
/* Reverse the order of the elements along n axes, as a view; n = 0: along all.  Negative axes count from the end;
   poison if one is outside or repeated. */
TY_API ty_tensor *ty_flip_axes(ty_tensor *x, int n, const int64_t *axes);
/* Rotate x by the number `quarters` of quarter turns in the plane of two axes, as a view, from axis1 toward axis2;
   a negative number turns the other way.  Negative axes count from the end; poison if they are equal or outside. */
TY_API ty_tensor *ty_rotate(ty_tensor *x, int64_t quarters, int axis1, int axis2);
/* Remove n axes of size 1, as a view; n = 0: all axes of size 1.  Negative axes count from the end.  Poison if an
   axis has another size, is outside or repeated. */
TY_API ty_tensor *ty_squeeze_axes(ty_tensor *x, int n, const int64_t *axes);
/* Insert n axes of size 1, as a view.  axes[i] are their positions in the result; negative ones count from its end.
   Poison if one is outside or repeated. */
TY_API ty_tensor *ty_expand_axes(ty_tensor *x, int n, const int64_t *axes);
/* Return x, as a view, with at least `rank` axes (1, 2 or 3; else poison), adding axes of size 1 as NumPy's
   atleast_nd: a vector [n] becomes [1, n] or [1, n, 1], a matrix [m, n] becomes [m, n, 1]. */
TY_API ty_tensor *ty_atleast(ty_tensor *x, int rank);
/* Return the elements of x as a vector, in row-major order: a view if strides express it, else a copy.  Poison
   if x is poisoned. */
TY_API ty_tensor *ty_ravel(ty_tensor *x);
/* Broadcast n tensors to a common shape and write the n views to out[].  False, with all of out[] poisoned, if
   they do not broadcast or one is poisoned. */
TY_API bool ty_broadcast_together(int n, ty_tensor *const *x, ty_tensor **out);
/* Return all windows of sizes[i] elements along axes[i], for n axes, with stride 1, as a view; axes NULL: all axes.
   An axis becomes the index of the window; positions in a window are new last axes, in the order given.  Negative
   axes count from the end.  Poison if a window does not fit or an axis is outside. */
TY_API ty_tensor *ty_slide(ty_tensor *x, int n, const int64_t *sizes, const int64_t *axes);
/* Reinterpret the bytes of x as another dtype.  If its size differs, the last axis becomes longer or shorter
   (poison for a 0-d x).  Poison if a dtype is bool or the bytes of the last axis do not divide. */
TY_API ty_tensor *ty_view_as(ty_tensor *x, ty_dtype dtype);
/* Cut x along an axis (negative: from the end) before each of n ascending indices, into n + 1 views in parts[].
   Indices count from 0, negative ones from the end; those outside are cut to the axis.  False if x or the axis is
   invalid or a part fails, with all parts poisoned. */
TY_API bool ty_split_at(ty_tensor *x, int n, const int64_t *indices, int axis, ty_tensor **parts);
/* Cut x along an axis into n equal views in parts[].  False, with all parts poisoned, if n is not positive or
   does not divide the size, or x or the axis is invalid.  A negative axis counts from the end. */
TY_API bool ty_split(ty_tensor *x, int n, int axis, ty_tensor **parts);
/* Cut x along an axis into n views in parts[], the first ones longer by one element if n does not divide the
   size.  False, with all parts poisoned, if x or the axis is invalid, or n is not positive.  A negative axis
   counts from the end. */
TY_API bool ty_array_split(ty_tensor *x, int n, int axis, ty_tensor **parts);
/* Cut x along an axis into at most n (1 or more) views of equal size in parts[], the last one shorter; an empty
   axis gives one part.  Returns the number of parts; 0, with n poisoned parts, if x or the axis is invalid or a
   part fails.  A negative axis counts from the end. */
TY_API int ty_chunk(ty_tensor *x, int n, int axis, ty_tensor **parts);
/* Cut x along axis 1, a vector along axis 0, into n (1 or more) equal views in parts[].  False, with all parts
   poisoned, if n is not positive or does not divide the size or x is poisoned. */
TY_API bool ty_hsplit(ty_tensor *x, int n, ty_tensor **parts);
/* Return x if its elements lie in row-major order without gaps, else a copy with that order.  A promise is
   returned unchanged, and so is poison. */
TY_API ty_tensor *ty_contiguous(ty_tensor *x);

/* ---- structure ---- */

/* Padding of one axis; for ty_pad.  A negative low or high crops. */
typedef struct ty_padding {
    int64_t low, high, inner; /* elements before the first, after the last, between two */
} ty_padding;
/* Pad x with `value`, a 0-d tensor of x's dtype: padding[i] holds the numbers of elements to add at axis i, for
   ty_rank(x) axes.  `inner` elements are inserted between two, and a negative low or high crops.  Poison if a size
   would be negative, or `value` has another shape or dtype. */
TY_API ty_tensor *ty_pad(ty_tensor *x, const ty_padding *padding, ty_tensor *value);
/* Source of the elements with which ty_pad_mode pads. */
typedef enum ty_pad_kind {
    TY_PAD_EDGE,      /* a a|a b c|c c */
    TY_PAD_REFLECT,   /* c b|a b c|b a */
    TY_PAD_SYMMETRIC, /* b a|a b c|c b */
    TY_PAD_WRAP,      /* b c|a b c|a b */
    TY_PAD_KINDS
} ty_pad_kind;
/* Pad x with its own elements, which `kind` selects: padding[i] holds the numbers of elements to add at axis i,
   for ty_rank(x) axes.  Negative numbers crop, `inner` must be 0; low and high may exceed the size of x.
   Poison if more is cropped than the axis has, or an empty axis is padded. */
TY_API ty_tensor *ty_pad_mode(ty_tensor *x, const ty_padding *padding, ty_pad_kind kind);
/* Pad x with its own elements, which `kind` selects, by n amounts, as NumPy's pad_width.  n = 1: one amount for
   every end; n = 2: low and high of every axis; n = 2 rank: low and high of each axis.  Negative amounts crop.
   Other n give poison. */
TY_API ty_tensor *ty_pad_around(ty_tensor *x, int n, const int64_t *amounts, ty_pad_kind kind);
/* Return the kind of padding by its name: "edge", "reflect", "symmetric" or "wrap".  TY_PAD_KINDS, which the
   functions above refuse, if there is none. */
TY_API ty_pad_kind ty_pad_kind_named(const char *name);
/* Concatenate n tensors along an axis; dtypes are promoted.  A negative axis counts from the end.  Poison if n
   is 0, their other sizes or ranks differ, or the axis is outside. */
TY_API ty_tensor *ty_concat(int n, ty_tensor *const *x, int axis);
/* Stack n tensors of one shape along a new axis, which becomes axis `axis` of the result; dtypes are promoted.
   A negative axis counts from the result's end.  Poison if n is 0 or shapes differ. */
TY_API ty_tensor *ty_stack(int n, ty_tensor *const *x, int axis);
/* Concatenate n tensors along axis 1, vectors along axis 0; 0-d tensors count as vectors [1].  dtypes are promoted.
   Poison if n is 0 or the other sizes differ. */
TY_API ty_tensor *ty_hstack(int n, ty_tensor *const *x);
/* Concatenate n tensors along axis 0; vectors count as rows [1, n], 0-d tensors as [1, 1].  dtypes are promoted.
   Poison if n is 0 or the other sizes differ. */
TY_API ty_tensor *ty_vstack(int n, ty_tensor *const *x);
/* Concatenate n tensors along axis 2; 0-d tensors count as [1, 1, 1], vectors as [1, n, 1], matrices as [m, n, 1].
   dtypes are promoted.  Poison if n is 0 or the other sizes differ. */
TY_API ty_tensor *ty_dstack(int n, ty_tensor *const *x);
/* Concatenate n tensors along axis 1; vectors count as columns [n, 1], 0-d tensors as [1, 1].  dtypes are promoted.
   Poison if n is 0 or the other sizes differ. */
TY_API ty_tensor *ty_column_stack(int n, ty_tensor *const *x);
/* Assemble a matrix from rows * columns blocks x[], given row by row, along the last two axes; the dtype is common
   to all blocks.  Blocks of a row have equal heights, the rows equal widths; vectors count as one row, 0-d blocks
   as [1, 1].  Poison if rows or columns is below 1 or sizes do not fit. */
TY_API ty_tensor *ty_block(int rows, int columns, ty_tensor *const *x);
/* Return a matrix with n blocks along its diagonal and zeros elsewhere, in the common dtype.  A vector counts as
   one row, a 0-d block as [1, 1].  Poison if n is 0 or a block has more than two axes. */
TY_API ty_tensor *ty_block_diag(int n, ty_tensor *const *x);
/* Concatenate the elements of x and of `values`, both flattened, to one vector; dtypes are promoted.  Poison if
   one is poisoned. */
TY_API ty_tensor *ty_append(ty_tensor *x, ty_tensor *values);
/* Tile and repeat in one pass: x is repeated tiles[i] times along axis i, each of its elements repeats[i]
   times.  NULL stands for ones.  The n counts belong to the last axes; if n exceeds the rank of x, axes are
   added in front.  Poison if a count is negative. */
TY_API ty_tensor *ty_spread(ty_tensor *x, int n, const int64_t *tiles, const int64_t *repeats);
/* Repeat x as a whole, tiles[i] times along axis i.  The n counts belong to the last axes; if n exceeds the
   rank, axes are added in front.  Poison if a count is negative. */
TY_API ty_tensor *ty_tile(ty_tensor *x, int n, const int64_t *tiles);
/* Repeat each element `count` times along an axis; elements stay next to their copies, so that the axis gets count
   times its size.  A negative axis counts from the end.  Poison if it is outside or `count` is negative. */
TY_API ty_tensor *ty_repeat(ty_tensor *x, int64_t count, int axis);
/* Repeat slice i of the axis counts[i] times; the axis gets the sum of counts as size.  `counts` holds integers of
   0 or more, one for all or one for each element.  A promise of counts is evaluated, since they decide the shape.
   Poison for other counts or an axis outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_repeat_each(ty_tensor *x, ty_tensor *counts, int axis);
/* Return a tensor of the shape and x's dtype filled with the elements of x in row-major order, repeated or cut off
   as needed; zeros if x is empty.  Poison for an invalid shape. */
TY_API ty_tensor *ty_resize(ty_tensor *x, int rank, const int64_t *shape);
/* Rotate the elements of x by shifts[i] along axes[i], for n axes: element k moves to k + shift, and from the end
   to the front.  With axes NULL, n is 1 and x is rotated as if flattened.  Negative axes count from the end; poison
   if one is outside.  Shifts may be negative; those of a repeated axis add up. */
TY_API ty_tensor *ty_roll(ty_tensor *x, int n, const int64_t *shifts, const int64_t *axes);
/* Return x without the slices at n indices along an axis.  Indices and the axis count from 0, negative ones from
   the end.  Duplicates count once.  Poison if an index or the axis is outside. */
TY_API ty_tensor *ty_delete(ty_tensor *x, int64_t n, const int64_t *indices, int axis);
/* Insert `values`, cast to x's dtype, before the slices at n indices (1 or more) of x along an axis; the size of
   the axis appends.  Negative indices and axes count from the end.  Values broadcast to one slice for each index;
   with one index and x's rank, all their slices go there.  Poison if an index or the axis is outside, or values do
   not broadcast. */
TY_API ty_tensor *ty_insert(ty_tensor *x, int64_t n, const int64_t *indices, ty_tensor *values, int axis);
/* Return the vector x without the zeros at its front, at its back, or at both.  A promise is evaluated, because
   the size depends on values.  Poison if x is no vector. */
TY_API ty_tensor *ty_trim_zeros(ty_tensor *x, bool front, bool back);
/* Return the slices of x at the indices along `axis`: out[.., index.., ..] = x[.., index[..], ..].  `index`, of any
   integer dtype and shape, replaces the axis; negative indices and axes count from the end.  One outside, or an
   axis outside, gives poison; for a promise when it is evaluated. */
TY_API ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis);
/* Return a tensor of zeros, of `size` on `axis`, with the slices of g added at the indices: the adjoint of
   ty_gather.  g has the shape that ty_gather would return for this index.  `index` has any integer dtype; negative
   indices and axes count from the end.  Poison if one is outside or shapes do not fit. */
TY_API ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size);
/* Return a tensor of `dtype` and the shape of the integers `index` with a new last axis of `depth` elements: 1
   where the position equals the index, else 0.  Indices count from 0; one outside 0..depth-1, also negative, gives
   zeros.  Poison for another dtype of index or a negative depth. */
TY_API ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype);

/* ---- predicates ---- */

/* Return a bool for each matrix of the batch x [.., n, m]: true if all elements below the diagonal are at most
   `tolerance` in magnitude.  Poison if x has fewer than two axes. */
TY_API ty_tensor *ty_is_triu(ty_tensor *x, double tolerance);
/* Return a bool for each matrix of the batch x [.., n, m]: true if all elements above the diagonal are at most
   `tolerance` in magnitude.  Poison if x has fewer than two axes. */
TY_API ty_tensor *ty_is_tril(ty_tensor *x, double tolerance);
/* Return a bool for each matrix of the batch x [.., n, m]: true if all elements off the diagonal are at most
   `tolerance` in magnitude.  Poison if x has fewer than two axes. */
TY_API ty_tensor *ty_is_diag(ty_tensor *x, double tolerance);
/* Return a bool for each matrix of the batch x [.., n, m]: true if it differs from its transpose by at most
   `tolerance` in each element; false if n is not m.  Poison if x has fewer than two axes. */
TY_API ty_tensor *ty_is_symmetric(ty_tensor *x, double tolerance);
/* Return a bool for each matrix of the batch x [.., n, m]: true if it differs from its conjugate transpose by
   at most `tolerance` in each element; false if n is not m.  Poison if x has fewer than two axes. */
TY_API ty_tensor *ty_is_hermitian(ty_tensor *x, double tolerance);
/* Return true if x has at least two axes and the last two have equal sizes; false for poison. */
TY_API bool ty_is_square(const ty_tensor *x);
/* Return a 0-d bool: true if the shapes and all elements of a and b are equal.  With `equal_nan`, NaN equals
   NaN; otherwise it equals nothing.  Poison if one is poisoned. */
TY_API ty_tensor *ty_array_equal(ty_tensor *a, ty_tensor *b, bool equal_nan);
/* Return a 0-d bool: true if a and b broadcast and all their elements are equal.  False if they do not
   broadcast; poison if one is poisoned. */
TY_API ty_tensor *ty_array_equiv(ty_tensor *a, ty_tensor *b);
/* Return true if a and b share memory and the address ranges from their first to their last elements overlap,
   even if the elements only interleave.  False for promises and poison. */
TY_API bool ty_shares_memory(ty_tensor *a, ty_tensor *b);

#ifdef __cplusplus
}
#endif
#endif
