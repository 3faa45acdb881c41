/* Products with a matrix in compressed rows, as the functions of <tyto/sparse.h> record them. */
#ifndef OPS_SPARSE_SPARSE_H
#define OPS_SPARSE_SPARSE_H
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/*
 * What attributes.h says of each kind, whose attributes these are.  `first` are the values (DOT: g) and `x` a matrix, both of
 * one dtype that is computed in (no bool, no half floats); indices i32 or i64, starts i64.  Gradients flow to the first two,
 * at any order.  Indices and starts are checked when they are read.
 */
ty_tensor *sparse_record(struct sparse_attr attr, ty_tensor *first, ty_tensor *x, ty_tensor *indices,
                         ty_tensor *starts);
/* The triangle of a solution: with the diagonal or without. */
static inline enum sparse_part sparse_triangle(bool upper, bool unit) {
    return upper ? unit ? SPARSE_ABOVE : SPARSE_UPPER : unit ? SPARSE_BELOW : SPARSE_LOWER;
}
/* Whether an entry counts. */
static inline bool sparse_counts(enum sparse_part part, int64_t row, int64_t column) {
    return part == SPARSE_ALL || (part == SPARSE_LOWER && column <= row) ||
           (part == SPARSE_UPPER && column >= row) || (part == SPARSE_BELOW && column < row) ||
           (part == SPARSE_ABOVE && column > row);
}

/* ---- what engines say ---- */

bool sparse_refuse_ends(struct fault *fault, const char *name, int64_t first, int64_t last, int64_t entries);
bool sparse_refuse_starts(struct fault *fault, const char *name, int64_t row, int64_t from, int64_t to,
                          int64_t entries);
bool sparse_refuse_index(struct fault *fault, const char *name, int64_t index, int64_t row, int64_t columns);
bool sparse_refuse_diagonal(struct fault *fault, const char *name, int64_t row);
#endif
