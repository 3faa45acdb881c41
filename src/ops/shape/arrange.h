/* Helpers of the operators and composites that rearrange elements. */
#ifndef OPS_SHAPE_ARRANGE_H
#define OPS_SHAPE_ARRANGE_H
#include "ops/core/structure.h"

/* Return x reshaped to shape[rank]; x itself if it has that shape. Poison on failure. */
ty_tensor *reshape_like(ty_tensor *x, int rank, const int64_t *shape);
/* Return the bytes of x, which has a dtype for storage, as a vector of u8: a view.  Poison on failure. */
ty_tensor *bytes_of_packed(ty_tensor *x);
/* Return the numbers of `dtype`, one for storage, whose bytes are the vector `bytes` of u8: a view, unless the bytes have
   gaps.  Poison on failure. */
ty_tensor *packed_of_bytes(ty_tensor *bytes, ty_dtype dtype, int rank, const int64_t *shape);
/* Implement ty_view_as where one of both dtypes is for storage; x is not poisoned. */
ty_tensor *view_stored(ty_tensor *x, ty_dtype dtype);
/* Normalise n axes of a tensor of `rank`, which may be negative, into normal[n]. Return poison, in the name
   of function `name` with operand x, if one is out of range or given twice, else NULL. */
ty_tensor *take_axes(const char *name, ty_tensor *x, int rank, int n, const int64_t *axes, int *normal);
/* Return `axis` of a tensor of `rank`, normalised if it is negative. If it is out of range, return -1 and set
   *bad to poison, in the name of function `name` with operand x. */
int take_axis(const char *name, ty_tensor *x, int rank, int64_t axis, ty_tensor **bad);
/* Return a new i64 vector (a value) of n elements and set *data to its elements, uninitialised. On failure
   the result is poisoned and *data NULL. */
ty_tensor *index_vector(int64_t n, int64_t **data);
/* Return elements begin .. end-1 of x along `axis`, as a view. */
ty_tensor *range_of(ty_tensor *x, int axis, int64_t begin, int64_t end);
/* Return the row indices 0 .. n-1 of a matrix, i64 [n, 1]. */
ty_tensor *row_numbers(int64_t n);
/* Return the column indices 0 .. m-1 of a matrix, i64 [1, m]. */
ty_tensor *column_numbers(int64_t m);
/* Return column index - row index of a matrix, i64 [n, m]. */
ty_tensor *diagonal_numbers(int64_t n, int64_t m);
/* Open a composite without operands whose result is a vector of n elements of `dtype`; close it with
   composite_close. */
struct composite open_line(ty_dtype dtype, int64_t n);
/* Return start + i step, i = 0 .. n-1, in wrapping 64-bit integers, cast to `dtype`. Poison on failure. */
ty_tensor *arange_exact(ty_dtype dtype, int64_t start, int64_t step, int64_t n);
#endif
