/*
 * Sparse matrices: those whose elements are 0 but for a few entries.  Part of <tyto/tyto.h>, which says what holds
 * everywhere.  docs/sparse.md has examples.
 *
 * A matrix is a struct of tensors, so scopes own it, and whoever stores it retains them.  Values are of any dtype but bool;
 * half floats are computed in f32.  Values may be promises, variables or tracked: gradients flow to them through everything
 * here, at any order.  Indices are i32 or i64 and are kept as they are given.  Functions whose result's pattern depends on
 * indices read these: where they are promises they are evaluated.
 *
 * A failure is a matrix whose values are poison (ty_sparse_ok); a struct of zeros is one, too.
 */
#ifndef TYTO_SPARSE_H
#define TYTO_SPARSE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ty_sparse_form {
    TY_COO, /* indices [entries, 2]: row and column of each value, in any order; of several in one place the sum counts */
    TY_CSR, /* row i has the entries starts[i] .. starts[i+1]-1; indices [entries] are their columns */
    TY_CSC, /* column j has the entries starts[j] .. starts[j+1]-1; indices [entries] are their rows */
    TY_SPARSE_FORMS
} ty_sparse_form;
/* "coo", "csr", "csc"; TY_SPARSE_FORMS for anything else, which functions refuse. */
TY_API ty_sparse_form ty_sparse_form_of(const char *name);

typedef struct ty_sparse {
    ty_sparse_form form;
    int64_t rows, columns;
    ty_tensor *values;  /* [entries] */
    ty_tensor *indices; /* COO: [entries, 2]; else [entries] */
    ty_tensor *starts;  /* i64 [rows + 1], or [columns + 1]; COO: NULL */
} ty_sparse;

/* ---- making, and what there is to know ---- */

/* Of values [entries] at indices [entries, 2], as ty_sparse_jacobian gives them. */
TY_API ty_sparse ty_sparse_coo(ty_tensor *values, ty_tensor *indices, int64_t rows, int64_t columns);
/* In compressed rows, or columns.  Indices may stand in any order and more than once; starts of any integer dtype begin with
   0, never fall and end with the number of entries.  All are checked where they are values. */
TY_API ty_sparse ty_sparse_csr(ty_tensor *values, ty_tensor *indices, ty_tensor *starts, int64_t columns);
TY_API ty_sparse ty_sparse_csc(ty_tensor *values, ty_tensor *indices, ty_tensor *starts, int64_t rows);
/* The elements of a matrix that are not 0 (NaN is not), with i32 indices where they fit. */
TY_API ty_sparse ty_sparse_from_dense(ty_tensor *x, ty_sparse_form form);
/* Ones on the diagonal, in compressed rows. */
TY_API ty_sparse ty_sparse_identity(ty_dtype dtype, int64_t n);
/* [rows, columns] with n diagonals: diagonals[i], a vector or a number for all of it, stands at offsets[i] above the main one
   (negative: below), and begins there with its first element. */
TY_API ty_sparse ty_sparse_diagonals(int n, ty_tensor *const *diagonals, const int64_t *offsets, int64_t rows,
                                     int64_t columns);
/* The same pattern with other values, of the same number. */
TY_API ty_sparse ty_sparse_with(ty_sparse a, ty_tensor *values);
TY_API ty_sparse ty_sparse_cast(ty_sparse a, ty_dtype dtype);

/* Whether values and indices are well; the sentence that tells why not, or "", which lives as long as they do. */
TY_API bool ty_sparse_ok(ty_sparse a);
TY_API const char *ty_sparse_error(ty_sparse a);
/* How many values there are; 0 of a failed one. */
TY_API int64_t ty_sparse_entries(ty_sparse a);

/* ---- forms ---- */

/* The matrix in another form.  CSR and CSC come out sorted, each place once, values of one place added up; what is of that
   form and so already is handed back. */
TY_API ty_sparse ty_sparse_as(ty_sparse a, ty_sparse_form form);
/* [rows, columns], zeros where there are no entries. */
TY_API ty_tensor *ty_sparse_to_dense(ty_sparse a);
/* Rows as columns: a view, of CSR a CSC and the other way round. */
TY_API ty_sparse ty_sparse_transpose(ty_sparse a);
/* The same with conjugate values. */
TY_API ty_sparse ty_sparse_adjoint(ty_sparse a);

/* ---- products: dtypes meet as those of ty_mul ---- */

/* a x of x [columns] or [columns, k].  From CSR rows of the result are made side by side, from CSC (and gradients by x)
   entries are added up where they belong; COO is sorted first.  The bits do not depend on threads. */
TY_API ty_tensor *ty_sparse_matmul(ty_sparse a, ty_tensor *x);
/* x a of x [rows] or [k, rows]. */
TY_API ty_tensor *ty_sparse_rmatmul(ty_tensor *x, ty_sparse a);
/* a b, in CSR. */
TY_API ty_sparse ty_sparse_product(ty_sparse a, ty_sparse b);
/* x y^T at the entries of a alone, x [rows, k] and y [columns, k]: a's form and pattern. */
TY_API ty_sparse ty_sparse_sampled(ty_sparse a, ty_tensor *x, ty_tensor *y);

/* ---- element by element, in CSR ---- */

/* Wherever one of them has an entry. */
TY_API ty_sparse ty_sparse_add(ty_sparse a, ty_sparse b);
TY_API ty_sparse ty_sparse_sub(ty_sparse a, ty_sparse b);
/* Where both have. */
TY_API ty_sparse ty_sparse_mul(ty_sparse a, ty_sparse b);
/* Where a has; x broadcasts to [rows, columns].  Keeps a's form. */
TY_API ty_sparse ty_sparse_scale(ty_sparse a, ty_tensor *x);

/* ---- parts; CSC stays so, COO becomes CSR unless said otherwise ---- */

/* Rows (axis 0) or columns (1) start, start + step, ... below stop, as ty_slice counts. */
TY_API ty_sparse ty_sparse_slice(ty_sparse a, int axis, int64_t start, int64_t stop, int64_t step);
/* Rows or columns in the order of an index, i32 or i64 [n]; negative ones count from the end. */
TY_API ty_sparse ty_sparse_take(ty_sparse a, ty_tensor *index, int axis);
/* The entries where mask, [entries] of bool, is true, in a's form. */
TY_API ty_sparse ty_sparse_keep(ty_sparse a, ty_tensor *mask);
/* The entries that are not 0, in a's form. */
TY_API ty_sparse ty_sparse_drop_zeros(ty_sparse a);
/* The entries on diagonals up to k, or from k on, in a's form. */
TY_API ty_sparse ty_sparse_tril(ty_sparse a, int64_t k);
TY_API ty_sparse ty_sparse_triu(ty_sparse a, int64_t k);
/* Row and column of each entry, i64 [entries]. */
TY_API ty_tensor *ty_sparse_row_of(ty_sparse a);
TY_API ty_tensor *ty_sparse_column_of(ty_sparse a);
/* One above the other, or side by side: n of them, in CSR. */
TY_API ty_sparse ty_sparse_concat(int n, const ty_sparse *a, int axis);

/* ---- reductions to dense tensors: along axis 0 [columns], along 1 [rows], both [] ---- */

TY_API ty_tensor *ty_sparse_sum(ty_sparse a, ty_axes axes);
TY_API ty_tensor *ty_sparse_mean(ty_sparse a, ty_axes axes);
/* Places without an entry are zeros, which count. */
TY_API ty_tensor *ty_sparse_max(ty_sparse a, ty_axes axes);
TY_API ty_tensor *ty_sparse_min(ty_sparse a, ty_axes axes);
/* The square root of the sum of squares of the moduli. */
TY_API ty_tensor *ty_sparse_norm(ty_sparse a);
/* The main diagonal. */
TY_API ty_tensor *ty_sparse_diagonal(ty_sparse a);

/* ---- triangular systems and incomplete factors ---- */

/* x of a x = b, of b [n] or [n, k]: entries of the other half are not read; `unit`: nor the diagonal, which counts as ones.
   A 0 on the diagonal is an error that names the row. */
TY_API ty_tensor *ty_sparse_triangular_solve(ty_sparse a, ty_tensor *b, bool upper, bool unit);
/* l u near a with entries where a has some (ILU(0); Saad, Iterative Methods for Sparse Linear Systems, 10.3), l with ones on
   its diagonal, which are not stored; an error where a pivot is 0.  Of values: no gradient flows to a. */
typedef struct ty_sparse_lu {
    ty_sparse l, u;
} ty_sparse_lu;
TY_API ty_sparse_lu ty_sparse_ilu(ty_sparse a);
/* l with l l^H near a Hermitian positive definite a, of which the lower half is read, by the same rule (IC(0)). */
TY_API ty_sparse ty_sparse_ic(ty_sparse a);

/* ---- iterations: with any linear map ---- */

/* y = a x for vectors x [n].  It is called while a loop is recorded, with a promise in x's place, and makes y of public
   functions (ty_while says what holds).  A struct of zeros stands for the identity. */
typedef struct ty_linear {
    ty_tensor *(*apply)(void *context, ty_tensor *x);
    void *context;
} ty_linear;
/* The map of a matrix, of l u x = b, and of l l^H x = b.  What they point at must live as long as the map is used. */
TY_API ty_linear ty_linear_of(const ty_sparse *a);
TY_API ty_linear ty_linear_of_lu(const ty_sparse_lu *a);
TY_API ty_linear ty_linear_of_cholesky(const ty_sparse *l);

/* Zeros mean what stands in brackets. */
typedef struct ty_iteration {
    double tolerance;         /* of |b - a x| by |b| [1e-6, of f64 and c128 1e-10] */
    double absolute;          /* of |b - a x|, where that is more [0] */
    int64_t most;             /* steps [10 n] */
    int64_t restart;          /* ty_gmres: steps after which it begins anew [min(n, 30)] */
    ty_linear preconditioner; /* near the inverse of a [the identity] */
    ty_tensor *first;         /* x to begin with [zeros] */
} ty_iteration;

typedef struct ty_solution {
    /* poison where |b - a x| stayed above the tolerance: after `most` steps, a division by 0, numbers that are not finite */
    ty_tensor *x;
    ty_tensor *last;       /* the same, or what the last step came to */
    ty_tensor *iterations; /* i64[] */
    ty_tensor *residual;   /* |b - a x|, of b's real dtype, [] */
} ty_solution;

/* x of a x = b, b a vector of f32, f64, c64 or c128.  Of values the results are values; of promises they are promises, x is
   `last`, and residual tells how far it came.  Gradients flow through all steps, which keeps the vectors of `most` of them.
   Conjugate gradients (Hestenes and Stiefel, 1952) need a Hermitian positive definite a, and preconditioner. */
TY_API ty_solution ty_cg(ty_linear a, ty_tensor *b, ty_iteration options);
/* Any a: stabilised biconjugate gradients (van der Vorst, 1992), two products a step. */
TY_API ty_solution ty_bicgstab(ty_linear a, ty_tensor *b, ty_iteration options);
/* Any a: least residuals over Krylov spaces (Saad and Schultz, 1986), orthogonalised twice; `restart` vectors of memory. */
TY_API ty_solution ty_gmres(ty_linear a, ty_tensor *b, ty_iteration options);

/* Which eigenvalues. */
typedef enum ty_spectrum_end { TY_LARGEST, TY_SMALLEST, TY_SPECTRUM_ENDS } ty_spectrum_end;
/* "largest", "smallest". */
TY_API ty_spectrum_end ty_spectrum_end_of(const char *name);
typedef struct ty_lanczos_options {
    ty_spectrum_end which; /* [the largest] */
    int64_t vectors;       /* of the Krylov space, more than k [min(n, max(2 k + 1, 20))] */
    int64_t most;          /* restarts, and of each check as many [300] */
    double tolerance; /* of |a v - lambda v| by the greatest |lambda| seen [1e-5, of f64 and c128 1e-10] */
    /* no eigenvalue at that end is repeated: what was found is not checked, which takes about as long as finding it */
    bool simple;
} ty_lanczos_options;
typedef struct ty_lanczos_parts {
    ty_tensor *values;   /* [k], rising; poison where the restarts were not enough */
    ty_tensor *vectors;  /* [n, k] */
    ty_tensor *residual; /* [k]: |a v - lambda v| */
    ty_tensor *restarts; /* i64[] */
} ty_lanczos_parts;
/* k eigenvalues at an end of the spectrum of a Hermitian a, by Lanczos' method with thick restarts (Wu and Simon, 2000),
   orthogonalised twice, beginning with the vector `start` [n], which is not 0 and gives the dtype.  Of values.  A repeated eigenvalue
   counts as often as it is repeated: what was found is checked by random vectors that are orthogonal to it.  Gradients flow through
   `values` to what a uses, as v^H da v; asking for those of vectors and residual is an error. */
TY_API ty_lanczos_parts ty_lanczos(ty_linear a, ty_tensor *start, int64_t k, ty_lanczos_options options);

/* ---- files ---- */

/* As scipy.sparse.save_npz writes and load_npz reads: COO, CSR, CSC.  Wrong sizes, starts and indices are errors with the
   file's name. */
TY_API ty_sparse ty_sparse_load(const char *path);
TY_API bool ty_sparse_save(const char *path, ty_sparse a, ty_tensor **error);
/* Matrix Market's exchange format (Boisvert, Pozo and Remington, 1996): coordinates of real, integer, unsigned-integer,
   complex numbers or a pattern (ones, whatever follows), or an array, whose zeros are left out; general, symmetric,
   skew-symmetric or Hermitian; also inside gzip.  f64, i64, u64 or c128 in COO, both halves of symmetric ones.  Written
   general, with as many digits as read back the same.  ty_load reads such a file as a dense matrix. */
TY_API ty_sparse ty_matrix_market_load(const char *path);
TY_API ty_sparse ty_matrix_market_parse(const void *bytes, size_t n);
TY_API bool ty_matrix_market_save(const char *path, ty_sparse a, ty_tensor **error);

#ifdef __cplusplus
}
#endif
#endif
