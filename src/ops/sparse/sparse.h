/* Recording of products with a matrix in compressed sparse rows, for the functions of <tyto/sparse.h>. */
#ifndef OPS_SPARSE_SPARSE_H
#define OPS_SPARSE_SPARSE_H
#include "ops/core/structure.h"
#include "ops/sparse/part.h"

/* Record the operator of attr.kind (attributes.h). `first`: the values (DOT: g). `first` and `x`, a matrix,
   have one dtype, which is not bool or a half float. indices: i32 or i64; starts: i64; both are checked at
   run time. Gradients of any order flow to `first` and `x`. Poison on failure. */
ty_tensor *sparse_record(struct sparse_attr attr, ty_tensor *first, ty_tensor *x, ty_tensor *indices,
                         ty_tensor *starts);
/* Return the part of the matrix that a triangular solution reads: the upper or lower triangle, without its
   diagonal if that is `unit`. */
static inline enum sparse_part sparse_triangle(bool upper, bool unit) {
    return upper ? unit ? SPARSE_ABOVE : SPARSE_UPPER : unit ? SPARSE_BELOW : SPARSE_LOWER;
}
/* ---- faults that engines report: each sets the fault and returns false ---- */

/* Set the fault that the starts of a matrix, in operator `name`, begin with `first` and end with `last`,
   instead of 0 and `entries`. Always return false. */
bool sparse_refuse_ends(struct fault *fault, const char *name, int64_t first, int64_t last, int64_t entries);
/* Set the fault that the entries of a row, from .. to-1, are not a valid range of `entries`. Always return
   false. */
bool sparse_refuse_starts(struct fault *fault, const char *name, int64_t row, int64_t from, int64_t to,
                          int64_t entries);
/* Set the fault that a column index in a row is outside of 0 .. columns-1. Always return false. */
bool sparse_refuse_index(struct fault *fault, const char *name, int64_t index, int64_t row, int64_t columns);
/* Set the fault that the diagonal element of a row is 0 or missing. Always return false. */
bool sparse_refuse_diagonal(struct fault *fault, const char *name, int64_t row);
#endif
