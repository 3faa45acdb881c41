/* Indexing: ranges, index tensors and masks, for reading and replacing elements.  Part of <tyto/tyto.h>, which
   states the rules that hold for all functions.  Indices may be of any integer dtype and count from 0, negative
   ones from the end.  An index outside is an error: poison, or for a promise a failure when it is evaluated. */
#ifndef TYTO_INDEX_H
#define TYTO_INDEX_H
#include <tyto/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- NumPy's indexing: x[items] ---- */

/* Kind of an item in x[items], NumPy's indexing. */
typedef enum ty_index_kind {
    TY_INDEX_RANGE,  /* start:stop:step; TY_END for a natural end */
    TY_INDEX_AT,     /* the single index `start`; removes the axis */
    TY_INDEX_NEW,    /* a new axis of size 1 */
    TY_INDEX_DOTS,   /* ...: all axes without an item; at most once */
    TY_INDEX_TENSOR, /* indices (integers), or a mask (bool), which covers as many axes as its rank */
} ty_index_kind;

/* An item of x[items].  The macros below make them: ty_get(x, TY_ITEMS(TY_AT(-1), TY_DOTS, TY_OF(index))). */
typedef struct ty_index {
    ty_index_kind kind;
    int64_t start, stop, step; /* RANGE: a step of 0 means 1 */
    ty_tensor *tensor;         /* TENSOR */
} ty_index;

#define TY_RANGE(start, stop, step)                                                                          \
    (TY_LITERAL(ty_index){TY_INDEX_RANGE, TY_INT64(start), TY_INT64(stop), TY_INT64(step), NULL})
#define TY_WHOLE (TY_LITERAL(ty_index){TY_INDEX_RANGE, TY_END, TY_END, 1, NULL})
#define TY_AT(i) (TY_LITERAL(ty_index){TY_INDEX_AT, TY_INT64(i), 0, 0, NULL})
#define TY_NEW (TY_LITERAL(ty_index){TY_INDEX_NEW, 0, 0, 0, NULL})
#define TY_DOTS (TY_LITERAL(ty_index){TY_INDEX_DOTS, 0, 0, 0, NULL})
#define TY_OF(tensor) (TY_LITERAL(ty_index){TY_INDEX_TENSOR, 0, 0, 0, tensor})
/* Writes the two arguments n and items. */
#define TY_ITEMS(...) TY_LIST(ty_index, __VA_ARGS__)

/* How a written value is combined with the old element. */
typedef enum ty_scatter_mode {
    TY_SCATTER_SET, /* replaces it; of duplicate indices the last one wins */
    TY_SCATTER_ADD,
    TY_SCATTER_MUL,
    TY_SCATTER_MIN, /* the smaller one; NaN wins */
    TY_SCATTER_MAX, /* the greater one; NaN wins */
    TY_SCATTER_MODES
} ty_scatter_mode;
/* Return the mode of updates by its name: "set", "add", "mul", "min" or "max".  TY_SCATTER_MODES, which the
   functions refuse, if there is none. */
TY_API ty_scatter_mode ty_scatter_mode_named(const char *name);

/*
 * Return x[items], for n items, with NumPy's result shape: a view if no item is a tensor, else a gathered copy.
 *
 * A mask is replaced by the indices at which it is true; a mask that is a promise is evaluated once for that.  If
 * the result is a promise and the mask depends on a variable (ty_var), the result could not follow the variable:
 * poison.  Call ty_eval on the mask to use its present value.  Indices count from 0, negative ones from the end.
 * Poison if an item does not fit, such as an index outside.
 */
TY_API ty_tensor *ty_get(ty_tensor *x, int n, const ty_index *items);
/* Return a copy of x in which x[items], for n items, is replaced by v; in x's memory after ty_give.  v is cast to
   x's dtype and broadcast to the shape of the result of ty_get.  Poison if an item or v does not fit.  A mask that
   is the only item may stay a promise if v broadcasts to x. */
TY_API ty_tensor *ty_set(ty_tensor *x, int n, const ty_index *items, ty_tensor *v);
/* Return a copy of x with `value` on its main diagonal: one number, or elements that are repeated as needed, cast
   to x's dtype.  With more than two axes, all must have the same size.  `wrap`: the diagonal of a tall matrix
   restarts after skipping a row.  Poison for fewer than two axes or no values. */
TY_API ty_tensor *ty_fill_diagonal(ty_tensor *x, ty_tensor *value, bool wrap);
/* Return a copy of x in which x[items], for n items, is combined with v as `mode` says.  An element addressed
   several times receives every update, in row-major order, as NumPy's ufunc.at.  v is cast to x's dtype and
   broadcast.  Poison if an item or v does not fit. */
TY_API ty_tensor *ty_set_by(ty_tensor *x, int n, const ty_index *items, ty_scatter_mode mode, ty_tensor *v);

/* Return x[text], a view or a copy as by ty_get: items as text, such as "1:-1:2, ..., ::-1, none, 3", also `true`
   and `false`.  Indices count from 0, negative ones from the end.  Poison, which names the column, for a text that
   does not fit; poison also for an index outside. */
TY_API ty_tensor *ty_at(ty_tensor *x, const char *text);
/* Return x[text] as ty_at does, where @0, @1 and so on in the text stand for the n tensors: indices or masks.
   Poison if the text or an index does not fit. */
TY_API ty_tensor *ty_at_with(ty_tensor *x, const char *text, int n, ty_tensor *const *tensors);
/* Return a copy of x in which x[text] is replaced by v, which is cast to x's dtype and broadcast; items as text,
   such as "1:-1:2, ..., none, 3".  After ty_give no copy.  Poison if the text or v does not fit. */
TY_API ty_tensor *ty_set_at(ty_tensor *x, const char *text, ty_tensor *v);
/* Return a copy of x in which x[text] is combined with v as `mode` says; @0, @1 and so on in the text stand for
   the n tensors: indices or masks.  v is cast to x's dtype and broadcast.  Poison if the text or v does not
   fit. */
TY_API ty_tensor *ty_set_at_with(ty_tensor *x, const char *text, int n, ty_tensor *const *tensors,
                                 ty_scatter_mode mode, ty_tensor *v);

/* ---- parts of variables ---- */

/*
 * Replace variable[items], for n items, of a variable (ty_var, ty_track) by `value`, which is cast to its dtype and
 * broadcast to the shape of the result of ty_get.  A promise as `value`, or as an index, is evaluated before.
 *
 * The variable keeps its memory if nobody else holds its value; else the value is copied once.  An incremental program
 * (ty_compile_options) recomputes only what depends on the box that ranges and single indices select.  Index tensors
 * and masks count as a change of the whole variable.
 *
 * Values read before stay as they were.  Other threads see the old or the new value; of a ty_var, several threads may
 * assign parts.  It waits for a run that updates the variable; inside a run it fails instead (TY_ERROR_STATE).
 *
 * False on failure: nothing changed, and *error, unless NULL, receives a poisoned tensor that the scope owns.
 */
TY_API bool ty_assign_items(ty_tensor *variable, int n, const ty_index *items, ty_tensor *value,
                            ty_tensor **error);
/* Replace variable[text] by `value` as ty_assign_items does; items as text, such as "1:3, ..., -1".  False on failure,
   with the reason in *error unless NULL: a poisoned tensor that the scope owns. */
TY_API bool ty_assign_at(ty_tensor *variable, const char *text, ty_tensor *value, ty_tensor **error);

/* ---- take and put ---- */

/* As an axis: x is flattened in row-major order. */
#define TY_FLAT INT32_MIN

/* Return the slices of x at the indices along `axis`: out[.., index.., ..] = x[.., index[..], ..].  `index`, of any
   integer dtype and shape, replaces the axis; negative indices count from the end.  The axis may be negative, or
   TY_FLAT: x is flattened.  Poison if an index or the axis is outside; for a promise when it is evaluated. */
TY_API ty_tensor *ty_take(ty_tensor *x, ty_tensor *index, int axis);
/* Return out[i, j, k] = x[i, index[i, j, k], k], here for axis 1.  `index`, of any integer dtype, has x's rank; the
   other axes broadcast.  With TY_FLAT x is flattened and the index a vector.  Indices and the axis count from 0,
   negative ones from the end.  Poison if one is outside or shapes do not fit. */
TY_API ty_tensor *ty_take_along_axis(ty_tensor *x, ty_tensor *index, int axis);
/* Return a copy of x with out[i, index[i, j, k], k] = v[i, j, k], here for axis 1.  `index`, of any integer dtype,
   has x's rank; v is cast to x's dtype and broadcasts to its shape.  With TY_FLAT x counts as flattened and the
   index is a vector.  Indices and the axis count from 0, negative ones from the end.  Poison if one is outside or
   shapes do not fit. */
TY_API ty_tensor *ty_put_along_axis(ty_tensor *x, ty_tensor *index, ty_tensor *v, int axis);
/* Return a copy of x whose elements at the flat (row-major) indices are replaced by those of v in order, which are
   repeated as needed.  `index` has any integer dtype and shape; negative ones count from the end, and one outside
   gives poison.  An empty v changes nothing. */
TY_API ty_tensor *ty_put(ty_tensor *x, ty_tensor *index, ty_tensor *v);
/* Return the slices of x at tuples of indices, as ONNX's GatherND: the last axis of `index`, of any integer dtype,
   holds k indices, from 0, into the axes of x from axis `batch` on.  The first `batch` axes of x and index are
   common to both.  Negative indices count from the end; one outside gives poison.  The result has the axes of the
   index but its last, then those of x that are not indexed. */
TY_API ty_tensor *ty_gather_nd(ty_tensor *x, ty_tensor *index, int batch);
/* Return a copy of x in which slices are combined with `updates` as `mode` says, as ONNX's ScatterND.  The last
   axis of `index`, of any integer dtype, holds a tuple of indices into the first axes of x; they count from 0,
   negative ones count from the end, one outside gives poison.  `updates` has the other axes of the index, then
   those of x that are not indexed. */
TY_API ty_tensor *ty_scatter_nd(ty_tensor *x, ty_tensor *index, ty_tensor *updates, ty_scatter_mode mode);
/* Return a copy of x in which out[i, index[i, j], ..] is combined with updates[i, j, ..] as `mode` says, here for
   axis 1: ONNX's ScatterElements, PyTorch's scatter and scatter_reduce.  `index` and `updates` have one shape, no
   larger than x's on the other axes.  Indices and the axis count from 0, negative ones from the end; one outside
   gives poison. */
TY_API ty_tensor *ty_scatter(ty_tensor *x, ty_tensor *index, ty_tensor *updates, int axis,
                             ty_scatter_mode mode);

/* ---- masks and indices ---- */

/* Return the indices of the nonzero elements of x as i64 [rank, n], counted from 0: row i holds those along axis i,
   in row-major order.  A promise is evaluated; poison if that fails.  If it reads a variable, no promise can be
   made of the result before ty_detach. */
TY_API ty_tensor *ty_nonzero(ty_tensor *x);
/* Return the indices of the nonzero elements as i64 [n, rank], counted from 0, in row-major order.  A promise is
   evaluated; poison if that fails. */
TY_API ty_tensor *ty_argwhere(ty_tensor *x);
/* Return the flat row-major indices of the nonzero elements as i64 [n], counted from 0.  A promise is evaluated;
   poison if that fails. */
TY_API ty_tensor *ty_flat_nonzero(ty_tensor *x);
/* Return the slices of x along `axis` (or TY_FLAT: x flattened) at which the vector `condition` is not 0; it may be
   shorter than the axis.  A promise of the condition is evaluated; the axis gets the number of slices kept.  Poison
   if it is no vector, or nonzero beyond the axis.  A negative axis counts from the end. */
TY_API ty_tensor *ty_compress(ty_tensor *condition, ty_tensor *x, int axis);
/* Return the elements of x, as a vector of x's dtype in row-major order, at which `condition` is not 0; it has as
   many elements as x.  A promise of the condition is evaluated.  Poison for another number of elements. */
TY_API ty_tensor *ty_extract(ty_tensor *condition, ty_tensor *x);
/* Return a copy of x in which the elements where `mask` is true are replaced by those of v in row-major order,
   repeated as needed.  The mask, of any shape, has as many elements as x; a promise of it is evaluated.  Poison for
   another size of the mask, or for an empty v if an element is to be replaced. */
TY_API ty_tensor *ty_place_mask(ty_tensor *x, ty_tensor *mask, ty_tensor *v);
/* Return, element by element, choices[i] for the first i of n (1 or more) whose conditions[i] is true, and
   `otherwise` where none is.  All broadcast together and are promoted to one dtype; poison if they do not. */
TY_API ty_tensor *ty_select(int n, ty_tensor *const *conditions, ty_tensor *const *choices,
                            ty_tensor *otherwise);
/* Return choices[index], element by element: the index, of any integer dtype, and the n choices (1 or more)
   broadcast together, choices are promoted to one dtype.  The index counts from 0, negative from the end; one
   outside gives poison. */
TY_API ty_tensor *ty_choose(ty_tensor *index, int n, ty_tensor *const *choices);
/* Convert flat row-major indices `places`, of any shape, in an array of the given shape to i64 [rank, ...]:
   entry i holds the indices along axis i.  Negative ones count from the end; one outside gives poison. */
TY_API ty_tensor *ty_unravel_index(ty_tensor *places, int rank, const int64_t *shape);
/* Convert indices along each axis of an array of the given shape to flat row-major indices, i64.  indices[i]
   belongs to axis i of `rank` (1 or more); they broadcast.  Negative ones count from the end; one outside gives
   poison. */
TY_API ty_tensor *ty_ravel_multi_index(int rank, ty_tensor *const *indices, const int64_t *shape);
/* Return i64 [rank, shape...], for rank 0 [0]: entry [i, ..] is the index along axis i of each element of the
   shape.  Poison for an invalid shape. */
TY_API ty_tensor *ty_indices(int rank, const int64_t *shape);
/* Write an open mesh to out[], which indexes a block of a tensor: out[i] is the vector x[i] along axis i of n axes,
   the others of size 1.  A mask is replaced by the indices at which it is true.  False if a result is poisoned: an
   operand is poisoned or no vector. */
TY_API bool ty_ix(int n, ty_tensor *const *x, ty_tensor **out);

#ifdef __cplusplus
}
#endif
#endif
