/*
 * Linear algebra on the last two axes; axes before them are batches, which broadcast.  Part of <tyto/tyto.h>, which says
 * what holds everywhere.
 *
 * Matrices are of f32, f64, c64 or c128; integers and bool are computed in f64, half floats in f32, and rounded to the
 * half float at the end.  Sizes of 0 are matrices as well.  NaN and infinities go through: what depends on them is NaN.
 * x^H is the conjugate transpose, of real numbers the transpose; eps is the distance from 1 to the next number.
 *
 * No other library is needed.  With TY_LAPACK=1 in the environment LAPACK computes eigenvalues, Schur forms and singular
 * values of sides from 128 on (docs/linalg.md); where it cannot be opened the result is an error that says why.
 *
 * Gradients are the usual ones.  Where singular or eigenvalues are equal their vectors are any basis of a space; the
 * gradient of what does not depend on the choice is right, and of the rest counts as 0 between them.
 */
#ifndef TYTO_LINALG_H
#define TYTO_LINALG_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- systems of equations ---- */

/* x of a x = b, by LU with partial pivoting: a is [.., n, n], b [.., n, k], or a vector [n].  A matrix with a pivot of
   exactly 0 is an error that names it.  (LAPACK's gesv.) */
TY_API ty_tensor *ty_solve(ty_tensor *a, ty_tensor *b);
/* The same where a is lower or upper triangular; the other half is not read.  `unit`: the diagonal is not read either and
   counts as ones.  A 0 on the diagonal is an error. */
TY_API ty_tensor *ty_triangular_solve(ty_tensor *a, ty_tensor *b, bool upper, bool unit);
/* x of l l^H x = b, where l is of ty_cholesky. */
TY_API ty_tensor *ty_cholesky_solve(ty_tensor *l, ty_tensor *b);
/* The inverse.  A singular matrix is an error, as of ty_solve, which is the better way to x. */
TY_API ty_tensor *ty_inv(ty_tensor *a);

/* The determinant, [..]: that of no rows is 1. */
TY_API ty_tensor *ty_det(ty_tensor *a);
/* Its sign (a complex number of modulus 1; 0 of a singular matrix) and the logarithm of its modulus (real; minus
   infinity), which do not overflow. */
typedef struct ty_slogdet_parts {
    ty_tensor *sign, *logabs;
} ty_slogdet_parts;
TY_API ty_slogdet_parts ty_slogdet(ty_tensor *a);

/* The least x in length of those with the least |a x - b|, of a [.., m, n] and b [.., m, k] or [m], by singular values: those up
   to rcond times the greatest count as 0 (rcond negative: eps times the greater of m and n).  residuals [.., k] are the
   squared lengths of a x - b, rank [..] i64 (-1 of a matrix that is not finite), values the singular values. */
typedef struct ty_lstsq_parts {
    ty_tensor *x, *residuals, *rank, *values;
} ty_lstsq_parts;
TY_API ty_lstsq_parts ty_lstsq(ty_tensor *a, ty_tensor *b, double rcond);
/* The Moore-Penrose inverse [.., n, m], by the same rule. */
TY_API ty_tensor *ty_pinv(ty_tensor *a, double rcond);

/* ---- factorisations ---- */

/* a[order] = l u of an [.., m, n] matrix: l has ones on its diagonal and min(m, n) columns, order is i64 [.., m]. */
typedef struct ty_lu_parts {
    ty_tensor *l, *u, *order;
} ty_lu_parts;
TY_API ty_lu_parts ty_lu(ty_tensor *a);
/* The lower triangular l of a = l l^H.  Only the lower triangle of a is read; its diagonal counts as real.  Where a is not
   positive definite the error names the first leading minor that is not positive.  The gradient is Hermitian. */
TY_API ty_tensor *ty_cholesky(ty_tensor *a);

/* a = q r, by Householder's reflections: q^H q = 1, r is upper triangular.  Reduced: min(m, n) columns of q; full: m.
   Pivoted: a[:, order] = q r, order i64 [.., n]; the column of which most is left comes first, so that the diagonal of r falls. */
typedef struct ty_qr_parts {
    ty_tensor *q, *r;
} ty_qr_parts;
TY_API ty_qr_parts ty_qr(ty_tensor *a, bool full);
typedef struct ty_qr_pivoted_parts {
    ty_tensor *q, *r, *order;
} ty_qr_pivoted_parts;
TY_API ty_qr_pivoted_parts ty_qr_pivoted(ty_tensor *a, bool full);

/* a = u diag(s) vh; s is real and falls.  Reduced: u has min(m, n) columns and vh as many rows; full: both are square.
   Of each column of u the element of the greatest modulus is real and positive. */
typedef struct ty_svd_parts {
    ty_tensor *u, *s, *vh;
} ty_svd_parts;
TY_API ty_svd_parts ty_svd(ty_tensor *a, bool full);
TY_API ty_tensor *ty_svdvals(ty_tensor *a);
/* The singular values that are greatest, about `rank` of them, of a large matrix: a is looked at through a random
   space of rank + oversample directions (10 is usual), improved by `iterations` (2) of a a^H.  key: ty_key.  (N. Halko et
   al., "Finding structure with randomness", 2011, algorithms 4.4 and 5.1.) */
TY_API ty_svd_parts ty_randomised_svd(ty_tensor *a, int64_t rank, int64_t oversample, int64_t iterations,
                                      ty_tensor *key);

/* a v = v diag(values).  eigh: a is Hermitian, only its lower triangle is read; values are real and rise, vectors are
   orthonormal.  eig: of any matrix; both are complex, columns are of length 1.  Of each column the element of the greatest
   modulus is real and positive. */
typedef struct ty_eigen_parts {
    ty_tensor *values, *vectors;
} ty_eigen_parts;
TY_API ty_eigen_parts ty_eigh(ty_tensor *a);
TY_API ty_tensor *ty_eigvalsh(ty_tensor *a);
TY_API ty_eigen_parts ty_eig(ty_tensor *a);
TY_API ty_tensor *ty_eigvals(ty_tensor *a);

/* Which eigenvalues come first: those left or right of the imaginary axis, inside or outside of the unit circle. */
typedef enum ty_eigen_order {
    TY_UNORDERED,
    TY_EIGEN_LEFT,
    TY_EIGEN_RIGHT,
    TY_EIGEN_INSIDE,
    TY_EIGEN_OUTSIDE,
    TY_EIGEN_ORDERS
} ty_eigen_order;
/* "none", "left", "right", "inside" or "outside"; TY_EIGEN_ORDERS for anything else, which is refused. */
TY_API ty_eigen_order ty_eigen_order_named(const char *name);
/* a = z t z^H: z unitary, t upper triangular, of a real matrix with blocks of two for pairs of complex eigenvalues.  Asking
   for a gradient is an error. */
typedef struct ty_schur_parts {
    ty_tensor *t, *z;
} ty_schur_parts;
TY_API ty_schur_parts ty_schur(ty_tensor *a, ty_eigen_order order);
/* a = q h q^H: q unitary, h 0 below the first diagonal under the main one.  Asking for a gradient is an error. */
typedef struct ty_hessenberg_parts {
    ty_tensor *h, *q;
} ty_hessenberg_parts;
TY_API ty_hessenberg_parts ty_hessenberg(ty_tensor *a);
/* a = q s z^H and b = q t z^H: s as t of ty_schur, t upper triangular; eigenvalues are those of a x = lambda b x.
   Asking for a gradient is an error. */
typedef struct ty_qz_parts {
    ty_tensor *s, *t, *q, *z;
} ty_qz_parts;
TY_API ty_qz_parts ty_qz(ty_tensor *a, ty_tensor *b, ty_eigen_order order);

/* ---- numbers of a matrix ---- */

/* i64 [..]: singular values above rcond times the greatest (negative: eps times the greater size).  Of a matrix that is not
   finite an error, of promises -1. */
TY_API ty_tensor *ty_matrix_rank(ty_tensor *a, double rcond);
typedef enum ty_matrix_order {
    TY_FROBENIUS,         /* the root of the sum of squares */
    TY_NUCLEAR,           /* the sum of singular values */
    TY_GREATEST_COLUMN,   /* the greatest sum of moduli of a column: the 1-norm */
    TY_LEAST_COLUMN,      /* order -1 */
    TY_GREATEST_SINGULAR, /* the 2-norm */
    TY_LEAST_SINGULAR,    /* order -2 */
    TY_GREATEST_ROW,      /* the infinity-norm */
    TY_LEAST_ROW,         /* order -infinity */
    TY_MATRIX_ORDERS
} ty_matrix_order;
/* What NumPy calls "fro", "nuc", "1", "-1", "2", "-2", "inf" or "-inf"; TY_MATRIX_ORDERS for anything else. */
TY_API ty_matrix_order ty_matrix_order_named(const char *name);
/* [..], real. */
TY_API ty_tensor *ty_matrix_norm(ty_tensor *a, ty_matrix_order order);
/* The norm of a times that of its inverse; by singular values their quotient, which is infinite of a singular matrix. */
TY_API ty_tensor *ty_condition_number(ty_tensor *a, ty_matrix_order order);
/* Orthonormal columns that span what a maps to 0, and what a's columns span, of one matrix.  How many there are depends
   on values, so promises are evaluated and asking for a gradient is an error; so is a matrix that is not finite. */
TY_API ty_tensor *ty_null_space(ty_tensor *a, double rcond);
TY_API ty_tensor *ty_range_space(ty_tensor *a, double rcond);

/* ---- functions of a matrix ---- */

/* The product of n times a; n negative: of its inverse. */
TY_API ty_tensor *ty_matrix_power(ty_tensor *a, int64_t n);
/* By scaling and squaring.  (A. Al-Mohy and N. Higham, "A new scaling and squaring algorithm", 2009.) */
TY_API ty_tensor *ty_expm(ty_tensor *a);
/* The principal logarithm and square root, complex also of real matrices.  (N. Higham, "Functions of Matrices", 2008,
   algorithms 11.9 and 6.3.)  A matrix that is singular, to rounding, has no logarithm: an error. */
TY_API ty_tensor *ty_logm(ty_tensor *a);
TY_API ty_tensor *ty_sqrtm(ty_tensor *a);
/* Of real matrices real. */
TY_API ty_tensor *ty_sinm(ty_tensor *a);
TY_API ty_tensor *ty_cosm(ty_tensor *a);

/* ---- matrix equations ---- */

/* x of a x + x b = c.  An eigenvalue of a that is minus one of b is an error, and so is one within rounding of that: (m + k)
   eps |u|^H |a| |u| of its Schur vector u and the same of b. */
TY_API ty_tensor *ty_sylvester(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* x of a x + x a^H = q, and of a x a^H - x + q = 0 (by the bilinear map: no eigenvalue of a may be -1). */
TY_API ty_tensor *ty_lyapunov(ty_tensor *a, ty_tensor *q);
TY_API ty_tensor *ty_discrete_lyapunov(ty_tensor *a, ty_tensor *q);
/* The stabilising x of the Riccati equations a^H x + x a - x b r^-1 b^H x + q = 0, and
   x = a^H x a - a^H x b (r + b^H x b)^-1 b^H x a + q: q and r are Hermitian, a [n, n], b [n, k].  By an ordered Schur (QZ)
   form and two steps of Newton's method, through which the gradient flows.  (A. Laub, "A Schur method for solving algebraic
   Riccati equations", 1979; T. Pappas et al., 1980.)  Where there is none, an error of values and NaN of promises. */
TY_API ty_tensor *ty_care(ty_tensor *a, ty_tensor *b, ty_tensor *q, ty_tensor *r);
TY_API ty_tensor *ty_dare(ty_tensor *a, ty_tensor *b, ty_tensor *q, ty_tensor *r);

/* ---- data: rows of x are observations ---- */

/* y as near as can be to x coefficients + intercept: x [n, p], y [n] or [n, t]; without `intercept` that is 0.
   determination: 1 - the sum of squared residuals by that of distances from the mean, for each of t. */
typedef struct ty_regression_parts {
    ty_tensor *coefficients, *intercept, *determination;
} ty_regression_parts;
TY_API ty_regression_parts ty_linear_regression(ty_tensor *x, ty_tensor *y, bool intercept);
/* Principal components: the `count` directions [count, p] of the greatest variance, these variances (over n - 1), the mean
   [p], and x in these directions [n, count]. */
typedef struct ty_pca_parts {
    ty_tensor *components, *variances, *mean, *scores;
} ty_pca_parts;
TY_API ty_pca_parts ty_pca(ty_tensor *x, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
