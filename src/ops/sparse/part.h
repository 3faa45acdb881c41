/* The part of a matrix that a sparse product reads. */
#ifndef OPS_SPARSE_PART_H
#define OPS_SPARSE_PART_H
#include <stdbool.h>
#include "ops/core/attributes.h"

/* True if the entry in this row and column belongs to the part. */
static inline bool sparse_counts(enum sparse_part part, int64_t row, int64_t column) {
    return part == SPARSE_ALL || (part == SPARSE_LOWER && column <= row) ||
           (part == SPARSE_UPPER && column >= row) || (part == SPARSE_BELOW && column < row) ||
           (part == SPARSE_ABOVE && column > row);
}
/* Set *first and *last to the first and the last column of a row that belong to the part. */
static inline void sparse_range(enum sparse_part part, int64_t row, int64_t *first, int64_t *last) {
    *first = part == SPARSE_UPPER ? row : part == SPARSE_ABOVE ? row + 1 : 0;
    *last = part == SPARSE_LOWER ? row : part == SPARSE_BELOW ? row - 1 : INT64_MAX;
}
#endif
