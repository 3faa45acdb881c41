/* Sparse matrices as if by lot, and dense tensors to compare with. */
#ifndef TESTS_SUPPORT_SPARSE_SAMPLES_H
#define TESTS_SUPPORT_SPARSE_SAMPLES_H
#include <tyto/tyto.h>
#include "array/dtype.h"

/* Up to so many entries, in COO, some in one place, in no order; rows 1 and 4 and column 2 are empty. */
ty_sparse sparse_draw(ty_dtype dtype, ty_dtype index, int64_t rows, int64_t columns, int64_t entries);
/* 4 on the diagonal, -1 beside it. */
ty_sparse sparse_banded(ty_dtype dtype, int64_t n);
/* Ends the test where it is not. */
void sparse_well_made(ty_sparse a);
ty_tensor *sparse_dense_like(ty_dtype dtype, int rank, const int64_t *shape);
/* The dense product of two, in the dtype that they meet in. */
ty_tensor *sparse_times(ty_tensor *a, ty_tensor *b);
/* Equal dtype and shape, and no element off by more than the tolerance of the greatest one. */
void sparse_near(ty_tensor *got, ty_tensor *want, double tolerance, const char *what);
double sparse_tolerance(ty_dtype dtype);
#endif
