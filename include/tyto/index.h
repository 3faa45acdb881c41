/* Indexing: ranges, index tensors, masks; reading and replacing.  Part of <tyto/tyto.h>, which says what
   holds everywhere.  Indices may be of any integer dtype, count from the end when negative, and are checked.
 */
#ifndef TYTO_INDEX_H
#define TYTO_INDEX_H
#include <tyto/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- NumPy's indexing: x[items] ---- */

typedef enum ty_index_kind {
    TY_INDEX_RANGE,  /* start:stop:step, TY_END for a natural end */
    TY_INDEX_AT,     /* one place, `start`; the axis goes */
    TY_INDEX_NEW,    /* a new axis of size 1 */
    TY_INDEX_DOTS,   /* ...: as many whole axes as are left, once */
    TY_INDEX_TENSOR, /* places (integers), or a mask (bool) over as many axes as it has */
} ty_index_kind;

typedef struct ty_index {
    ty_index_kind kind;
    int64_t start, stop, step; /* RANGE: a step of 0 means 1 */
    ty_tensor *tensor;
} ty_index;

#define TY_RANGE(start, stop, step)                                                                          \
    (TY_LITERAL(ty_index){TY_INDEX_RANGE, TY_INT64(start), TY_INT64(stop), TY_INT64(step), NULL})
#define TY_WHOLE (TY_LITERAL(ty_index){TY_INDEX_RANGE, TY_END, TY_END, 1, NULL})
#define TY_AT(i) (TY_LITERAL(ty_index){TY_INDEX_AT, TY_INT64(i), 0, 0, NULL})
#define TY_NEW (TY_LITERAL(ty_index){TY_INDEX_NEW, 0, 0, 0, NULL})
#define TY_DOTS (TY_LITERAL(ty_index){TY_INDEX_DOTS, 0, 0, 0, NULL})
#define TY_OF(tensor) (TY_LITERAL(ty_index){TY_INDEX_TENSOR, 0, 0, 0, tensor})
/* ty_get(x, TY_ITEMS(TY_AT(-1), TY_DOTS, TY_OF(index))) */
#define TY_ITEMS(...) TY_LIST(ty_index, __VA_ARGS__)

/* How an element is written: replaced, or combined with the old one. */
typedef enum ty_scatter_mode {
    TY_SCATTER_SET, /* of duplicate indices the last one wins */
    TY_SCATTER_ADD,
    TY_SCATTER_MUL,
    TY_SCATTER_MIN, /* NaN wins */
    TY_SCATTER_MAX,
    TY_SCATTER_MODES
} ty_scatter_mode;
/* "set", "add", "mul", "min", "max"; TY_SCATTER_MODES for anything else, which scatters refuse. */
TY_API ty_scatter_mode ty_scatter_mode_named(const char *name);

/* x[items], with NumPy's result shapes.  A view when there are no tensors among the items, else a gather.  A mask is
   turned into the indices where it is true; a mask that is a promise is evaluated for that, once, when this is called.
   Where the result is a promise and the mask reads a variable (ty_var), which it would not follow, that is an error:
   ty_eval the mask to say that its present value is meant. */
TY_API ty_tensor *ty_get(ty_tensor *x, int n, const ty_index *items);
/* A copy of x with x[items] = v; x itself is not changed.  v is cast to x's dtype and broadcast to the shape of
   ty_get's result.  If a mask is the only item and v broadcasts to x, the mask may stay a promise. */
TY_API ty_tensor *ty_set(ty_tensor *x, int n, const ty_index *items, ty_tensor *v);
/* x with `value` on its main diagonal: one number, or values that begin anew at their end.  Beyond two axes all must have
   one size.  `wrap`: the diagonal of a tall matrix goes on after a row is left out. */
TY_API ty_tensor *ty_fill_diagonal(ty_tensor *x, ty_tensor *value, bool wrap);
/* The same with a mode; elements that are addressed several times take every update, in row-major order (NumPy's
   ufunc.at). */
TY_API ty_tensor *ty_set_by(ty_tensor *x, int n, const ty_index *items, ty_scatter_mode mode, ty_tensor *v);

/* The items as text: "1:-1:2, ..., ::-1, none, 3"; also `true`, `false`, and @0, @1 for the tensors given. */
TY_API ty_tensor *ty_at(ty_tensor *x, const char *text);
TY_API ty_tensor *ty_at_with(ty_tensor *x, const char *text, int n, ty_tensor *const *tensors);
TY_API ty_tensor *ty_set_at(ty_tensor *x, const char *text, ty_tensor *v);
TY_API ty_tensor *ty_set_at_with(ty_tensor *x, const char *text, int n, ty_tensor *const *tensors,
                                 ty_scatter_mode mode, ty_tensor *v);

/* ---- taking and putting ---- */

/* As an axis: x is treated as flattened. */
#define TY_FLAT INT32_MIN

/* out[.., index.., ..] = x[.., index[..], ..] on `axis`, which may be TY_FLAT. */
TY_API ty_tensor *ty_take(ty_tensor *x, ty_tensor *index, int axis);
/* out[i, j, k] = x[i, index[i, j, k], k] for axis 1.  index has x's rank; the other axes broadcast. */
TY_API ty_tensor *ty_take_along_axis(ty_tensor *x, ty_tensor *index, int axis);
/* A copy of x with out[i, index[i, j, k], k] = v[i, j, k] for axis 1; v broadcasts to the index. */
TY_API ty_tensor *ty_put_along_axis(ty_tensor *x, ty_tensor *index, ty_tensor *v, int axis);
/* A copy of x whose elements at the flat indices are replaced by those of v; v is repeated when it is too short. */
TY_API ty_tensor *ty_put(ty_tensor *x, ty_tensor *index, ty_tensor *v);
/* ONNX GatherND: the last axis of index is an index into the axes of x from `batch` on; the first `batch` axes of both
   are shared. */
TY_API ty_tensor *ty_gather_nd(ty_tensor *x, ty_tensor *index, int batch);
/* ONNX ScatterND: a copy of x with the updates written where the last axis of index says. */
TY_API ty_tensor *ty_scatter_nd(ty_tensor *x, ty_tensor *index, ty_tensor *updates, ty_scatter_mode mode);
/* ONNX ScatterElements, PyTorch's scatter and scatter_reduce: a copy of x with out[i, index[i, j], ..] = updates[i, j]
   for axis 1.  index and updates have one shape, no larger than x's on the other axes. */
TY_API ty_tensor *ty_scatter(ty_tensor *x, ty_tensor *index, ty_tensor *updates, int axis,
                             ty_scatter_mode mode);

/* ---- masks and places ---- */

/* i64 [rank, n]: the indices of the elements that are not 0; row i has those on axis i.  A promise is evaluated;
   if it reads a variable, no promise can be made of the result before ty_detach. */
TY_API ty_tensor *ty_nonzero(ty_tensor *x);
TY_API ty_tensor *ty_argwhere(ty_tensor *x);     /* [n, rank] */
TY_API ty_tensor *ty_flat_nonzero(ty_tensor *x); /* [n], flat indices, row-major */
/* The slices of x along `axis` (or TY_FLAT) where the vector `condition` is not 0; it may be shorter than the axis. */
TY_API ty_tensor *ty_compress(ty_tensor *condition, ty_tensor *x, int axis);
/* The elements of x, as a vector, where `condition`, which has as many elements as x, is not 0. */
TY_API ty_tensor *ty_extract(ty_tensor *condition, ty_tensor *x);
/* A copy of x whose elements where `mask` is true are replaced by those of v in order; v is repeated if too short. */
TY_API ty_tensor *ty_place_mask(ty_tensor *x, ty_tensor *mask, ty_tensor *v);
/* Elementwise: choices[i] of the first i whose conditions[i] is true; `otherwise` where none is. */
TY_API ty_tensor *ty_select(int n, ty_tensor *const *conditions, ty_tensor *const *choices,
                            ty_tensor *otherwise);
/* Elementwise choices[index]; index and choices broadcast together. */
TY_API ty_tensor *ty_choose(ty_tensor *index, int n, ty_tensor *const *choices);
/* Flat row-major indices in a shape to indices on each axis, i64 [rank, ...], and back. */
TY_API ty_tensor *ty_unravel_index(ty_tensor *places, int rank, const int64_t *shape);
TY_API ty_tensor *ty_ravel_multi_index(int rank, ty_tensor *const *indices, const int64_t *shape);
/* i64 [rank, shape...]: at [i, ..] the index on axis i. */
TY_API ty_tensor *ty_indices(int rank, const int64_t *shape);
/* An open mesh: out[i] is the vector x[i] along axis i of n axes (a mask is replaced by its indices).  False when one
   is poisoned. */
TY_API bool ty_ix(int n, ty_tensor *const *x, ty_tensor **out);

#ifdef __cplusplus
}
#endif
#endif
