/* What the rearranging operators and composites share. */
#ifndef OPS_SHAPE_ARRANGE_H
#define OPS_SHAPE_ARRANGE_H
#include "ops/core/structure.h"

/* x with its shape replaced, or x itself where the shapes agree. */
ty_tensor *reshape_like(ty_tensor *x, int rank, const int64_t *shape);
/* n axes of a tensor of `rank`, counted from the front, into normal[n]; a poisoned tensor where one is
   outside or named twice, else NULL. */
ty_tensor *take_axes(const char *name, ty_tensor *x, int rank, int n, const int64_t *axes, int *normal);
/* One axis; -1 with *bad set when it is outside. */
int take_axis(const char *name, ty_tensor *x, int rank, int64_t axis, ty_tensor **bad);
/* An eager i64 vector with room for n elements; NULL *data when it is poisoned. */
ty_tensor *index_vector(int64_t n, int64_t **data);
/* Elements begin .. end-1 along an axis. */
ty_tensor *range_of(ty_tensor *x, int axis, int64_t begin, int64_t end);
/* The row numbers (n,1) and column numbers (1,m) of a matrix as i64, and j - i. */
ty_tensor *row_numbers(int64_t n);
ty_tensor *column_numbers(int64_t m);
ty_tensor *diagonal_numbers(int64_t n, int64_t m);
/* Opens a composite of no operands that makes a vector of n elements. */
struct composite open_line(ty_dtype dtype, int64_t n);
/* start + i step, i = 0 .. n-1, in 64-bit integers that wrap; then as `dtype`. */
ty_tensor *arange_exact(ty_dtype dtype, int64_t start, int64_t step, int64_t n);
#endif
