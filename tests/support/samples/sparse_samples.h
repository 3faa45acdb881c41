/* Random sparse matrices, and dense tensors to compare with. */
#ifndef TESTS_SUPPORT_SPARSE_SAMPLES_H
#define TESTS_SUPPORT_SPARSE_SAMPLES_H
#include <tyto/tyto.h>
#include "array/dtype.h"

/* Return a random COO matrix of at most `entries` entries, unsorted and with duplicates. Rows 1 and 4 and
   column 2 are empty. */
ty_sparse sparse_draw(ty_dtype dtype, ty_dtype index, int64_t rows, int64_t columns, int64_t entries);
/* Return the tridiagonal matrix with 4 on the diagonal and -1 next to it. */
ty_sparse sparse_banded(ty_dtype dtype, int64_t n);
/* Fail the test unless the matrix is valid. */
void sparse_well_made(ty_sparse a);
/* Return a random dense tensor. */
ty_tensor *sparse_dense_like(ty_dtype dtype, int rank, const int64_t *shape);
/* Return the dense product of two matrices, in their common dtype. */
ty_tensor *sparse_times(ty_tensor *a, ty_tensor *b);
/* Check that dtypes and shapes are equal, and no element differs by more than the tolerance times the greatest one. */
void sparse_near(ty_tensor *got, ty_tensor *want, double tolerance, const char *what);
/* Return the tolerance for a dtype. */
double sparse_tolerance(ty_dtype dtype);
#endif
