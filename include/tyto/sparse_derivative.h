/*
 * Derivatives that are mostly 0.  Part of <tyto/tyto.h>, which says what holds everywhere.
 *
 * Which elements of a Jacobian or Hessian can be other than 0 is read from the operators between x and y: those that work
 * element by element, that move elements, the axes that others work along, windows.  It may be more than there are, never
 * less.  Columns (or rows) that have no element in a common row (column) are computed together, by one product with the
 * Jacobian for each colour, all of them in one batch: a tridiagonal Jacobian takes three, whatever its size.
 *
 * y and x are promises, or values that remember (ty_track), of real floating dtypes.  Of promises the derivatives are
 * promises, which can be compiled, evaluated for other values of variables, and differentiated.  Where an operator reads
 * places from a tensor (ty_gather, ty_scatter) that is known while recording, the pattern is that of these places; where it
 * depends on a variable, of all.  docs/batching.md has an example.
 */
#ifndef TYTO_SPARSE_DERIVATIVE_H
#define TYTO_SPARSE_DERIVATIVE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What there is to know of a sparse derivative. */
typedef struct ty_sparsity {
    int64_t rows, columns; /* elements of y (of a Hessian: of x), and of x */
    int64_t entries;       /* elements that may be other than 0 */
    int64_t colours;       /* products with the Jacobian that it takes; 0 where there are no entries */
    bool by_rows;          /* products from the left (ty_vjp), else from the right */
} ty_sparsity;

/*
 * The Jacobian of y by x: *values[k], of y's dtype and shape [entries], is the derivative of y's element indices[k, 0] by
 * x's element indices[k, 1]; elements count row-major.  *indices is a value, i64[entries, 2], rising.  ty_sparse_coo makes a
 * matrix of the two.  *sparsity (or NULL) tells what it took.  Columns or rows are coloured, whichever take fewer colours
 * (Curtis, Powell and Reid, 1974, those with the most neighbours first).  False when a result is poisoned: both are then.
 */
TY_API bool ty_sparse_jacobian(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                               ty_sparsity *sparsity);
/*
 * The same of the second derivatives of y, of one element, by x: the Hessian, of which both triangles are given.  A star
 * colouring uses its symmetry (Gebremedhin, Manne and Pothen, 2005).
 */
TY_API bool ty_sparse_hessian(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                              ty_sparsity *sparsity);
/* The matrix [rows, columns] that has the values at the indices, i64[entries, 2], and zeros elsewhere. */
TY_API ty_tensor *ty_dense_entries(ty_tensor *values, ty_tensor *indices, int64_t rows, int64_t columns);

#ifdef __cplusplus
}
#endif
#endif
