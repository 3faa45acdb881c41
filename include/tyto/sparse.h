/*
 * Sparse matrices: storage, products, parts, incomplete factors, iterative solvers, files.  Part of <tyto/tyto.h>,
 * which states the rules that hold for all functions.  docs/sparse.md has examples.
 *
 * A matrix is a struct of its two sizes, rows and columns, and of tensors: scopes own them, and a caller who stores
 * the struct retains them.  Values have any dtype but bool; half floats are computed in f32.  Values may be
 * promises, variables or tracked: gradients of any order flow to them through all functions here.  Indices are i32
 * or i64 and are kept as given; they count from 0.  If the pattern of a result depends on indices, these are read,
 * and evaluated if they are promises.
 *
 * A failure is a matrix whose values are poison (ty_sparse_ok); a struct of zeros is one, too.
 */
#ifndef TYTO_SPARSE_H
#define TYTO_SPARSE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Storage of the entries of a sparse matrix. */
typedef enum ty_sparse_form {
    /* indices [entries, 2]: row and column of each value, in any order; values at equal indices are added */
    TY_COO,
    /* row i has the entries starts[i] .. starts[i+1]-1; indices [entries] are their columns */
    TY_CSR,
    /* column j has the entries starts[j] .. starts[j+1]-1; indices [entries] are their rows */
    TY_CSC,
    TY_SPARSE_FORMS
} ty_sparse_form;
/* Return the storage of sparse matrices by its name: "coo", "csr" or "csc".  TY_SPARSE_FORMS, which the
   functions refuse, if there is none. */
TY_API ty_sparse_form ty_sparse_form_named(const char *name);

/* A sparse matrix. */
typedef struct ty_sparse {
    ty_sparse_form form;
    int64_t rows, columns;
    ty_tensor *values;  /* [entries] */
    ty_tensor *indices; /* COO: [entries, 2]; else [entries] */
    ty_tensor *starts;  /* i64 [rows + 1] or [columns + 1]; COO: NULL */
} ty_sparse;

/* ---- construction and inspection ---- */

/* Make a COO matrix [rows, columns] of values [entries] at indices [entries, 2], i32 or i64, of row and column from
   0, in any order.  Values are poison (ty_sparse_ok) if they do not fit. */
TY_API ty_sparse ty_sparse_coo(ty_tensor *values, ty_tensor *indices, int64_t rows, int64_t columns);
/*
 * Make a matrix in compressed rows from values [entries], column indices [entries] and row starts [rows + 1].
 *
 * Indices may be in any order and repeated.  `starts`, of any integer dtype, begin with 0, never decrease, and end
 * with the number of entries.  All are checked if they are values; poison (ty_sparse_ok) if they do not fit.
 */
TY_API ty_sparse ty_sparse_csr(ty_tensor *values, ty_tensor *indices, ty_tensor *starts, int64_t columns);
/* Make a matrix in compressed columns from values [entries], row indices [entries] and column starts [columns + 1];
   starts begin with 0, never decrease, and end with the number of entries.  All are checked if they are values.
   Values are poison (ty_sparse_ok) if they do not fit. */
TY_API ty_sparse ty_sparse_csc(ty_tensor *values, ty_tensor *indices, ty_tensor *starts, int64_t rows);
/* Make a sparse matrix, in storage `form`, of the nonzero elements of a dense one, NaN included, with i32
   indices if they fit.  A promise of x is evaluated.  Values are poison (ty_sparse_ok) unless x is a matrix of
   another dtype than bool. */
TY_API ty_sparse ty_sparse_from_dense(ty_tensor *x, ty_sparse_form form);
/* Return the identity matrix [n, n] in CSR.  Values are poison (ty_sparse_ok) if n is negative or the dtype
   bool. */
TY_API ty_sparse ty_sparse_identity(ty_dtype dtype, int64_t n);
/* Make a CSR matrix [rows, columns] of n diagonals.  diagonals[i], a vector or one number for all of it, lies
   offsets[i] above the main diagonal (negative: below), from its first element on.  Values are poison
   (ty_sparse_ok) if a vector's length is not that of its diagonal. */
TY_API ty_sparse ty_sparse_diagonals(int n, ty_tensor *const *diagonals, const int64_t *offsets, int64_t rows,
                                     int64_t columns);
/* Return a with other values, [entries] in the order of a's and of any dtype but bool, on the same pattern.  Values
   are poison (ty_sparse_ok) for another number of values. */
TY_API ty_sparse ty_sparse_with(ty_sparse a, ty_tensor *values);
/* Return a with its values cast to `dtype`.  Values are poison (ty_sparse_ok) for TY_BOOL. */
TY_API ty_sparse ty_sparse_cast(ty_sparse a, ty_dtype dtype);

/* Return true if no tensor of the matrix is poisoned; false for a struct of zeros. */
TY_API bool ty_sparse_ok(ty_sparse a);
/* Return the error message of a failed matrix, "" if it is valid.  The text lives as long as its tensors. */
TY_API const char *ty_sparse_error(ty_sparse a);
/* Return the poisoned tensor of a failed matrix (ty_error_code, ty_error_details), which the matrix refers to; NULL if
   it is valid. */
TY_API ty_tensor *ty_sparse_failure(ty_sparse a);
/* Return the number of stored entries; 0 for a failed matrix. */
TY_API int64_t ty_sparse_entries(ty_sparse a);

/* ---- conversion ---- */

/* Convert a matrix to another storage.  CSR and CSC results are sorted, with values of equal indices added; a
   matrix that already is so is returned unchanged.  Values are poison (ty_sparse_ok) if a has failed or `form`
   is invalid. */
TY_API ty_sparse ty_sparse_as(ty_sparse a, ty_sparse_form form);
/* Return the dense matrix [rows, columns], with zeros where there are no entries.  The values' dtype stays; values
   of equal indices are added; poison if a has failed. */
TY_API ty_tensor *ty_sparse_to_dense(ty_sparse a);
/* Return the transpose as a view; CSR gives CSC and the reverse.  Values are poison (ty_sparse_ok) if a has
   failed. */
TY_API ty_sparse ty_sparse_transpose(ty_sparse a);
/* Return the conjugate transpose; CSR gives CSC and the reverse.  Values are poison (ty_sparse_ok) if a has
   failed. */
TY_API ty_sparse ty_sparse_adjoint(ty_sparse a);

/* ---- products; dtypes are promoted as by ty_mul ---- */

/* Return a x, dense, for x [columns] or [columns, k]: [rows] or [rows, k], of the promoted dtype.  CSR computes
   rows of the result in parallel; CSC, and gradients by x, add entries to the result; COO is sorted first.  Poison
   if sizes do not fit.  Bitwise reproducible for any number of threads. */
TY_API ty_tensor *ty_sparse_matmul(ty_sparse a, ty_tensor *x);
/* Return x a, dense, for x [rows] or [k, rows]: [columns] or [k, columns], of the promoted dtype.  Poison if sizes
   do not fit. */
TY_API ty_tensor *ty_sparse_rmatmul(ty_tensor *x, ty_sparse a);
/* Return the matrix product a b in CSR: [a.rows, b.columns], sparse, of the promoted dtype.  Values are poison
   (ty_sparse_ok) if a.columns is not b.rows. */
TY_API ty_sparse ty_sparse_product(ty_sparse a, ty_sparse b);
/* Compute x y^T at the entries of a alone, for x [rows, k] and y [columns, k]; the result has a's storage and
   pattern, and the dtype of x y^T.  Values are poison (ty_sparse_ok) if shapes do not fit. */
TY_API ty_sparse ty_sparse_sampled(ty_sparse a, ty_tensor *x, ty_tensor *y);

/* ---- element by element, in CSR ---- */

/* Return a + b in CSR, with entries where either has one; dtypes are promoted.  Values are poison (ty_sparse_ok)
   unless their shapes agree. */
TY_API ty_sparse ty_sparse_add(ty_sparse a, ty_sparse b);
/* Return a - b in CSR, with entries where either has one; dtypes are promoted.  Values are poison (ty_sparse_ok)
   unless their shapes agree. */
TY_API ty_sparse ty_sparse_sub(ty_sparse a, ty_sparse b);
/* Return the elementwise product of a and b in CSR, with entries where both have one; dtypes are promoted.  Values
   are poison (ty_sparse_ok) unless their shapes agree. */
TY_API ty_sparse ty_sparse_mul(ty_sparse a, ty_sparse b);
/* Multiply the entries of a by those of x, which broadcasts to [rows, columns]; the result has a's storage and
   pattern.  Values are poison (ty_sparse_ok) if x does not broadcast. */
TY_API ty_sparse ty_sparse_scale(ty_sparse a, ty_tensor *x);

/* ---- parts; CSC stays CSC, COO becomes CSR unless stated otherwise ---- */

/* Return every step-th row (axis 0 or -2) or column (axis 1 or -1) from `start` to before `stop`.  Indices count
   from 0, negative ones from the end; TY_END is the natural end in the direction of the step.  CSC stays CSC, COO
   becomes CSR.  Values are poison (ty_sparse_ok) if the axis is outside -2..1 or step is 0. */
TY_API ty_sparse ty_sparse_slice(ty_sparse a, int axis, int64_t start, int64_t stop, int64_t step);
/* Return rows (axis 0 or -2) or columns (axis 1 or -1) in the order of an index, a vector [n] of any integer dtype.
   It counts from 0, negative from the end; a promise is evaluated.  CSC stays CSC, COO becomes CSR.  Values are
   poison (ty_sparse_ok) if an index or the axis is outside. */
TY_API ty_sparse ty_sparse_take(ty_sparse a, ty_tensor *index, int axis);
/* Return the entries of a where `mask`, bool [entries] in the order of a's, is true, in a's storage.  A promise
   as mask is evaluated.  Values are poison (ty_sparse_ok) if the mask's dtype or size does not fit. */
TY_API ty_sparse ty_sparse_keep(ty_sparse a, ty_tensor *mask);
/* Return a without the entries whose value is 0; in a's storage.  Values are evaluated.  Values are poison
   (ty_sparse_ok) if a has failed. */
TY_API ty_sparse ty_sparse_drop_zeros(ty_sparse a);
/* Return the part of a on and below diagonal k (column - row <= k); in a's storage.  Values are poison
   (ty_sparse_ok) if a has failed. */
TY_API ty_sparse ty_sparse_tril(ty_sparse a, int64_t k);
/* Return the part of a on and above diagonal k (column - row >= k); in a's storage.  Values are poison
   (ty_sparse_ok) if a has failed. */
TY_API ty_sparse ty_sparse_triu(ty_sparse a, int64_t k);
/* Return the row of each entry of a, counted from 0: i64 [entries].  Poison if a has failed. */
TY_API ty_tensor *ty_sparse_row_of(ty_sparse a);
/* Return the column of each entry of a, counted from 0: i64 [entries].  Poison if a has failed. */
TY_API ty_tensor *ty_sparse_column_of(ty_sparse a);
/* Concatenate n matrices to one in CSR: one above the other (axis 0) or side by side (axis 1); dtypes are promoted.
   Values are poison (ty_sparse_ok) if n is 0 or the other sizes differ.  A negative axis counts from the end. */
TY_API ty_sparse ty_sparse_concat(int n, const ty_sparse *a, int axis);

/* ---- reductions to dense tensors: axis 0 gives [columns], axis 1 [rows], both [] ---- */

/* Sum of the elements of a over axes: dense, integers in i64 or u64, [columns] for axis 0, [rows] for axis 1, []
   for both.  Poison if an axis is outside or axes.keep is set. */
TY_API ty_tensor *ty_sparse_sum(ty_sparse a, ty_axes axes);
/* Mean of the elements of a over axes: dense, [columns] for axis 0, [rows] for axis 1, [] for both.  Elements
   without an entry count as zeros; integers give a floating result.  Poison if an axis is outside or axes.keep is
   set. */
TY_API ty_tensor *ty_sparse_mean(ty_sparse a, ty_axes axes);
/* Maximum of the elements of a over axes: dense, [columns] for axis 0, [rows] for axis 1, [] for both.  Elements
   without an entry count as zeros; the dtype stays.  Poison if an axis is outside, for complex values, or for no
   elements. */
TY_API ty_tensor *ty_sparse_max(ty_sparse a, ty_axes axes);
/* Minimum of the elements of a over axes: dense, [columns] for axis 0, [rows] for axis 1, [] for both.  Elements
   without an entry count as zeros; the dtype stays.  Poison if an axis is outside, for complex values, or for no
   elements. */
TY_API ty_tensor *ty_sparse_min(ty_sparse a, ty_axes axes);
/* Frobenius norm of a, 0-d, real: the square root of the sum of squared moduli.  Poison if a has failed. */
TY_API ty_tensor *ty_sparse_norm(ty_sparse a);
/* Return the main diagonal of a as a dense vector of min(rows, columns) elements, 0 where there is no entry; the
   dtype stays.  Poison if a has failed. */
TY_API ty_tensor *ty_sparse_diagonal(ty_sparse a);

/* ---- triangular systems and incomplete factors ---- */

/* Solve a x = b with the lower (with `upper` the upper) half of a [n, n]; x has the shape of b, [n] or [n, k].
   Entries of the other half are not read; `unit`: nor is the diagonal, which counts as ones.  A 0 on the diagonal,
   or no entry, gives poison that names the row. */
TY_API ty_tensor *ty_sparse_triangular_solve(ty_sparse a, ty_tensor *b, bool upper, bool unit);
/* Factors of an incomplete LU factorisation in CSR; l has ones on its diagonal, which are not stored. */
typedef struct ty_sparse_lu {
    ty_sparse l, u;
} ty_sparse_lu;
/* Incomplete LU factorisation: l u approximates a square a [n, n], with entries where a has some (ILU(0); Saad,
   Iterative Methods for Sparse Linear Systems, 10.3).  Works on values; no gradient flows to a.  Both factors are
   poisoned if a diagonal entry is missing or a pivot is 0. */
TY_API ty_sparse_lu ty_sparse_ilu(ty_sparse a);
/* Incomplete Cholesky factorisation: returns l [n, n] in CSR; l l^H approximates a Hermitian positive definite a,
   of which the lower half is read, with entries where a has some (IC(0)).  Works on values; no gradient flows to a.
   Poison if a diagonal entry is missing or a pivot is not positive. */
TY_API ty_sparse ty_sparse_ic(ty_sparse a);

/* ---- iterative solvers for any linear map ---- */

/* A linear map y = a x of vectors x [n].  `apply` is called while a loop is recorded, with a promise as x, and
   computes y by public functions (see ty_while).  A struct of zeros is the identity. */
typedef struct ty_linear {
    ty_tensor *(*apply)(void *context, ty_tensor *x);
    void *context;
} ty_linear;
/* Return the map of a vector x [columns] to a x [rows]; solvers need a square a.  *a must live as long as the map
   is used.  If *a has failed, or a is NULL, the map gives poison. */
TY_API ty_linear ty_linear_of(const ty_sparse *a);
/* Return the map of a vector b [n] to the solution x [n] of l u x = b, for factors [n, n] of ty_sparse_ilu.  The
   diagonal of l counts as ones.  *a must live as long as the map is used.  If *a has failed, or a is NULL, the map
   gives poison. */
TY_API ty_linear ty_linear_of_lu(const ty_sparse_lu *a);
/* Return the map of a vector b [n] to the solution x [n] of l l^H x = b.  l [n, n] is lower triangular.  *l must
   live as long as the map is used.  If *l has failed, or l is NULL, the map gives poison. */
TY_API ty_linear ty_linear_of_cholesky(const ty_sparse *l);

/* Options of iterative solvers; zeros are the defaults. */
typedef struct ty_iteration {
    double tolerance;         /* limit of |b - a x| relative to |b| [1e-6; f64 and c128 1e-10] */
    double absolute;          /* limit of |b - a x|, if that is more */
    int64_t most;             /* greatest number of steps; 0 means 10 n */
    int64_t restart;          /* ty_gmres: steps between restarts [min(n, 30)] */
    ty_linear preconditioner; /* approximate inverse of a [the identity] */
    ty_tensor *first;         /* initial x [zeros] */
} ty_iteration;

/* Result of an iterative solver. */
typedef struct ty_solution {
    /* the solution; poison if |b - a x| stayed above the tolerance: after `most` steps, a division by 0, or numbers
       that are not finite */
    ty_tensor *x;
    ty_tensor *last;       /* the same, or the last iterate */
    ty_tensor *iterations; /* i64[] */
    ty_tensor *residual;   /* |b - a x|, of b's real dtype, [] */
} ty_solution;

TY_API ty_solution ty_cg_sized(ty_linear a, ty_tensor *b, const ty_iteration *options, size_t size);
/*
 * Solve a x = b by conjugate gradients (Hestenes and Stiefel, 1952), for a Hermitian positive definite a and
 * preconditioner.
 *
 * b is a vector of f32, f64, c64 or c128.  For values the results are values, and x is poison without convergence.
 * For promises they are promises: x is `last`, and `residual` tells the accuracy.  Gradients flow through all steps,
 * which keeps the vectors of `most` of them.  On failure all parts are poisoned.
 */
TY_INLINE ty_solution ty_cg(ty_linear a, ty_tensor *b, ty_iteration options) {
    return ty_cg_sized(a, b, &options, sizeof options);
}
TY_API ty_solution ty_bicgstab_sized(ty_linear a, ty_tensor *b, const ty_iteration *options, size_t size);
/* Solve a x = b for any a by stabilised biconjugate gradients (van der Vorst, 1992), two products a step.  b is a
   vector of f32, f64, c64 or c128.  Without convergence x is poison, for promises the last iterate; `residual`
   tells the accuracy.  Gradients flow through all steps, whose vectors are kept.  On failure all parts are
   poisoned. */
TY_INLINE ty_solution ty_bicgstab(ty_linear a, ty_tensor *b, ty_iteration options) {
    return ty_bicgstab_sized(a, b, &options, sizeof options);
}
TY_API ty_solution ty_gmres_sized(ty_linear a, ty_tensor *b, const ty_iteration *options, size_t size);
/* Solve a x = b for any a by generalised minimal residuals (Saad and Schultz, 1986), orthogonalised twice; keeps
   options.restart vectors.  b is a vector of f32, f64, c64 or c128.  Without convergence x is poison, for promises
   the last iterate; `residual` tells the accuracy.  Gradients flow through all steps, whose vectors are kept.  On
   failure all parts are poisoned. */
TY_INLINE ty_solution ty_gmres(ty_linear a, ty_tensor *b, ty_iteration options) {
    return ty_gmres_sized(a, b, &options, sizeof options);
}

/* End of the spectrum. */
typedef enum ty_spectrum_end { TY_LARGEST, TY_SMALLEST, TY_SPECTRUM_ENDS } ty_spectrum_end;
/* Return the end of the spectrum by its name: "largest" or "smallest".  TY_SPECTRUM_ENDS, which ty_lanczos
   refuses, if there is none. */
TY_API ty_spectrum_end ty_spectrum_end_named(const char *name);
/* Options of ty_lanczos; zeros are the defaults. */
typedef struct ty_lanczos_options {
    ty_spectrum_end which; /* [the largest] */
    int64_t vectors;       /* size of the Krylov space, more than k [min(n, max(2 k + 1, 20))] */
    int64_t most;          /* greatest number of restarts, and again for each check; 0 means 300 */
    /* limit of |a v - lambda v| relative to the greatest |lambda| seen [1e-5; f64 and c128 1e-10] */
    double tolerance;
    /* no eigenvalue at that end is repeated: skip the check, which takes about as long as the search */
    bool simple;
    bool unused[7];
} ty_lanczos_options;
/* Result of ty_lanczos. */
typedef struct ty_lanczos_parts {
    ty_tensor *values;   /* [k], ascending; poison if the restarts did not suffice */
    ty_tensor *vectors;  /* [n, k] */
    ty_tensor *residual; /* [k]: |a v - lambda v| */
    ty_tensor *restarts; /* i64[] */
} ty_lanczos_parts;
TY_API ty_lanczos_parts ty_lanczos_sized(ty_linear a, ty_tensor *start, int64_t k,
                                         const ty_lanczos_options *options, size_t size);
/*
 * Compute k eigenvalues at an end of the spectrum of a Hermitian a, by Lanczos' method with thick restarts (Wu and
 * Simon, 2000), orthogonalised twice.
 *
 * `start` is a nonzero vector [n], which determines the dtype; k is 1 to n.  Returns values [k], ascending, vectors
 * [n, k], residual [k] and restarts i64 [].  Works on values.  Repeated eigenvalues count as often as they occur;
 * random vectors orthogonal to those found check it.  Gradients flow through `values` to tensors that a uses, as
 * v^H da v.  Asking for those of vectors and residual is an error.
 */
TY_INLINE ty_lanczos_parts ty_lanczos(ty_linear a, ty_tensor *start, int64_t k, ty_lanczos_options options) {
    return ty_lanczos_sized(a, start, k, &options, sizeof options);
}

/* ---- files ---- */

/* Read a matrix (COO, CSR, CSC) from a file of scipy.sparse.save_npz.  Values are poison (ty_sparse_ok), with a
   message that names the file, if it cannot be read or has wrong sizes, starts or indices. */
TY_API ty_sparse ty_sparse_load(const char *path);
/* Write a matrix to the file `path` so that scipy.sparse.load_npz reads it.  False on failure, with the reason
   in *error unless NULL: a poisoned tensor that the scope owns. */
TY_API bool ty_sparse_save(const char *path, ty_sparse a, ty_tensor **error);
/* Read a file in Matrix Market's exchange format (Boisvert, Pozo and Remington, 1996), also gzipped.  It holds
   coordinates of real, integer, unsigned-integer or complex numbers or a pattern (ones), or an array, whose
   zeros are dropped.  It is general, symmetric, skew-symmetric or Hermitian.  The result is COO of f64, i64,
   u64 or c128, with both halves of symmetric matrices.  Values are poison (ty_sparse_ok) on failure.  ty_load
   reads such a file as a dense matrix. */
TY_API ty_sparse ty_matrix_market_load(const char *path);
/* Read a matrix from n bytes in Matrix Market's exchange format, needed during the call alone: COO of f64, i64, u64
   or c128, as ty_matrix_market_load.  Values are poison (ty_sparse_ok) on failure. */
TY_API ty_sparse ty_matrix_market_parse(const void *bytes, size_t n);
/* Write a matrix to the file `path` in Matrix Market's exchange format: general, with as many digits as read
   back the same.  False on failure, with the reason in *error unless NULL: a poisoned tensor that the scope
   owns. */
TY_API bool ty_matrix_market_save(const char *path, ty_sparse a, ty_tensor **error);

#ifdef __cplusplus
}
#endif
#endif
