/*
 * Sparse Jacobians and Hessians.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
 *
 * The sparsity pattern is derived from the operators between x and y: elementwise ones, those that move elements, the
 * axes of others, windows.  It may have more elements than are nonzero, never fewer.  Columns (or rows) without an
 * element in a common row (column) get one colour.  Each colour takes one product with the Jacobian, all of them in
 * one batch: a tridiagonal Jacobian takes three, whatever its size.
 *
 * y and x are promises, or values that remember (ty_track), of real floating dtypes.  For promises the derivatives are
 * promises, which can be compiled, evaluated for other values of variables, and differentiated.  If an operator reads
 * indices from a tensor (ty_gather, ty_scatter) that is known while recording, the pattern follows these indices.  If
 * they depend on a variable, it covers all.  docs/batching.md has an example.
 */
#ifndef TYTO_SPARSE_DERIVATIVE_H
#define TYTO_SPARSE_DERIVATIVE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Facts about a sparse derivative. */
typedef struct ty_sparsity {
    int64_t rows, columns; /* elements of y (for a Hessian: of x), and of x */
    int64_t entries;       /* elements that may be nonzero */
    int64_t colours;       /* products with the Jacobian that were needed; 0 if there are no entries */
    bool by_rows;          /* products from the left (ty_vjp), else from the right */
    bool unused[7];
} ty_sparsity;

TY_API bool ty_sparse_jacobian_sized(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                                     ty_sparsity *sparsity, size_t size);
/*
 * Compute the Jacobian of y by x as a list of entries.  *values receives [entries] of y's dtype: element k is the
 * derivative of y's element indices[k, 0] by x's element indices[k, 1], counted row-major from 0.
 *
 * *indices is a value, i64[entries, 2], in ascending order.  ty_sparse_coo makes a matrix of the two.  *sparsity,
 * unless NULL, receives its facts.  Columns or rows are coloured, whichever take fewer colours (Curtis, Powell and
 * Reid, 1974; most neighbours first).  False on failure: values and indices are then poisoned.
 */
TY_INLINE bool ty_sparse_jacobian(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                                  ty_sparsity *sparsity) {
    return ty_sparse_jacobian_sized(y, x, values, indices, sparsity, sizeof *sparsity);
}
TY_API bool ty_sparse_hessian_sized(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                                    ty_sparsity *sparsity, size_t size);
/* Compute the Hessian of y, of one element, by x as a list of entries of both triangles: *values [entries] of y's
   dtype, *indices i64[entries, 2] of row and column, from 0, ascending.  *sparsity, unless NULL, receives its
   facts.  A star colouring uses the symmetry (Gebremedhin, Manne and Pothen, 2005).  False on failure: values and
   indices are then poisoned. */
TY_INLINE bool ty_sparse_hessian(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                                 ty_sparsity *sparsity) {
    return ty_sparse_hessian_sized(y, x, values, indices, sparsity, sizeof *sparsity);
}
/* Return the dense matrix [rows, columns] with the values at the indices, i64[entries, 2], and zeros elsewhere;
   of duplicate indices the last one counts.  Negative indices count from the end.  Poison if shapes do not fit
   or an index is outside. */
TY_API ty_tensor *ty_dense_entries(ty_tensor *values, ty_tensor *indices, int64_t rows, int64_t columns);

#ifdef __cplusplus
}
#endif
#endif
