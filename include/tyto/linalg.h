/*
 * Linear algebra on the last two axes; axes before them are batches, which broadcast.  Part of <tyto/tyto.h>, which
 * states the rules that hold for all functions.
 *
 * Matrices are of f32, f64, c64 or c128.  Integers and bool are computed in f64, half floats in f32 and rounded at the
 * end.  Sizes may be 0.  NaN and infinities propagate: results that depend on them are NaN.  x^H is the conjugate
 * transpose, for real numbers the transpose; eps is the distance from 1 to the next number.  "[..]" stands for the
 * batch axes.
 *
 * No other library is needed.  With TY_LAPACK=1 in the environment LAPACK computes eigenvalues, Schur forms and
 * singular values of matrices with sides from 128 on (docs/linalg.md).  If it cannot be opened the result is poison
 * that says why.
 *
 * If eigenvalues or singular values are equal, their vectors are any basis of a space.  Gradients of quantities that
 * do not depend on the choice are right; the gradient between such vectors counts as 0.
 *
 * A function with several parts poisons all of them on failure.
 */
#ifndef TYTO_LINALG_H
#define TYTO_LINALG_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- systems of equations ---- */

/* Solve a x = b by LU with partial pivoting: a is [.., n, n], b [.., n, k] or a vector [n], and x has b's shape
   with broadcast batch axes.  The result is floating or complex.  Poison if shapes do not fit, or, naming the
   pivot, if one is exactly 0.  (LAPACK's gesv.) */
TY_API ty_tensor *ty_solve(ty_tensor *a, ty_tensor *b);
/* Solve a x = b for a lower or, with `upper`, upper triangular a [.., n, n] and b [.., n, k] or [n].  The other
   half is not read; x has b's shape with broadcast batch axes.  `unit`: the diagonal is not read either and counts
   as ones.  Poison if shapes do not fit or the diagonal has a 0. */
TY_API ty_tensor *ty_triangular_solve(ty_tensor *a, ty_tensor *b, bool upper, bool unit);
/* Solve l l^H x = b, for lower triangular l [.., n, n] as returned by ty_cholesky and b [.., n, k] or [n]; x has
   b's shape with broadcast batch axes.  Poison if shapes do not fit or the diagonal of l has a 0. */
TY_API ty_tensor *ty_cholesky_solve(ty_tensor *l, ty_tensor *b);
/* Inverse of a [.., n, n], of the same shape; integers give f64.  Poison if a matrix is singular (a pivot is
   exactly 0) or not square.  ty_solve is faster and more exact for a^-1 b. */
TY_API ty_tensor *ty_inv(ty_tensor *a);

/* Determinant of a [.., n, n]: [..], f64 for integers; 1 for a matrix of size 0.  Poison if a is not square. */
TY_API ty_tensor *ty_det(ty_tensor *a);
/* Result of ty_slogdet: the sign of the determinant (a complex number of modulus 1; 0 if singular) and the
   logarithm of its modulus (real; minus infinity if singular), both [..]. */
typedef struct ty_slogdet_parts {
    ty_tensor *sign, *logabs;
} ty_slogdet_parts;
/* Sign and logarithm of the modulus of the determinant of a [.., n, n], which do not overflow; det = sign
   exp(logabs).  Both are [..]; sign 0 and minus infinity for a singular a; poisoned if a is not square. */
TY_API ty_slogdet_parts ty_slogdet(ty_tensor *a);

/* Result of ty_lstsq: x [.., n, k]; residuals [.., k], the squared lengths of a x - b; rank [..] i64, -1 if a is
   not finite; the singular values.  For a vector b the axis k is missing. */
typedef struct ty_lstsq_parts {
    ty_tensor *x, *residuals, *rank, *values;
} ty_lstsq_parts;
/* Minimum-norm least-squares solution x [.., n, k] of a x = b, for a [.., m, n] and b [.., m, k]; b [m] gives x
   [n].  Also residuals |a x - b|^2, the rank and singular values.  Singular values up to rcond times the greatest
   count as 0; a negative rcond stands for eps times the greater of m and n.  All parts are poisoned if shapes do
   not fit. */
TY_API ty_lstsq_parts ty_lstsq(ty_tensor *a, ty_tensor *b, double rcond);
/* Moore-Penrose inverse [.., n, m] of a [.., m, n].  Singular values up to rcond times the greatest count as 0; a
   negative rcond stands for eps times the greater of m and n.  f64 for integers.  NaN if a is not finite; poison if
   a has fewer than two axes. */
TY_API ty_tensor *ty_pinv(ty_tensor *a, double rcond);

/* ---- factorisations ---- */

/* Result of ty_lu: l [.., m, min(m, n)] with ones on its diagonal, u [.., min(m, n), n], and order i64 [.., m],
   counted from 0. */
typedef struct ty_lu_parts {
    ty_tensor *l, *u, *order;
} ty_lu_parts;
/* Factorise a [.., m, n] with partial pivoting: a[order] = l u.  With k = min(m, n), l is [.., m, k] with ones
   on its diagonal, u [.., k, n], and `order` i64 [.., m], counted from 0.  A singular a is no failure.  All
   parts are poisoned if a has fewer than two axes. */
TY_API ty_lu_parts ty_lu(ty_tensor *a);
/* Return the lower triangular l [.., n, n] with a = l l^H for a Hermitian positive definite a [.., n, n].  Only the
   lower triangle of a is read; its diagonal counts as real.  Poison, which names the first leading minor that is
   not positive, if a is not positive definite; poison also if a is not square.  The gradient is Hermitian. */
TY_API ty_tensor *ty_cholesky(ty_tensor *a);

/* Result of ty_qr: q with q^H q = 1, and an upper triangular r. */
typedef struct ty_qr_parts {
    ty_tensor *q, *r;
} ty_qr_parts;
/* Factorise a [.., m, n] by Householder reflections: a = q r.  q is [.., m, k] with orthonormal columns, r [.., k,
   n] upper triangular; k is min(m, n), with `full` m.  Both are poisoned if a has fewer than two axes. */
TY_API ty_qr_parts ty_qr(ty_tensor *a, bool full);
/* Result of ty_qr_pivoted: q, r and the order of columns, i64 [.., n], counted from 0. */
typedef struct ty_qr_pivoted_parts {
    ty_tensor *q, *r, *order;
} ty_qr_pivoted_parts;
/* Factorise a [.., m, n] with column pivoting: a[:, order] = q r.  Each step takes the column of the greatest
   remaining norm, so the diagonal of r descends.  q is [.., m, k] and r [.., k, n], for k = min(m, n), with `full`
   m.  `order` is i64 [.., n], counted from 0.  All parts are poisoned if a has fewer than two axes. */
TY_API ty_qr_pivoted_parts ty_qr_pivoted(ty_tensor *a, bool full);

/* Result of ty_svd: a = u diag(s) vh, with real s in descending order.  In each column of u the element of greatest
   modulus is real and positive. */
typedef struct ty_svd_parts {
    ty_tensor *u, *s, *vh;
} ty_svd_parts;
/* Singular value decomposition of a [.., m, n]: a = u diag(s) vh, with s [.., min(m, n)] descending.  u is [.., m,
   k] and vh [.., k, n] for k = min(m, n); with `full` both are square.  s is real.  All parts are poisoned if a has
   fewer than two axes, NaN if it is not finite. */
TY_API ty_svd_parts ty_svd(ty_tensor *a, bool full);
/* Return the singular values of a [.., m, n] in descending order: [.., min(m, n)], real.  NaN if a is not
   finite; poison if a has fewer than two axes. */
TY_API ty_tensor *ty_svdvals(ty_tensor *a);
/* Approximate the `rank` greatest singular values of a large matrix a [.., m, n], with their vectors: u [.., m,
   rank], s [.., rank], vh [.., rank, n].  Projects a to a random space of rank + oversample directions (10 is
   usual), refined by `iterations` (2) of a a^H.  `key` is that of ty_key.  All parts are poisoned if `rank` is
   outside 0 to the smaller of m and n, a count is negative, or the key does not fit.  (N. Halko et al.,
   "Finding structure with randomness", 2011, algorithms 4.4 and 5.1.) */
TY_API ty_svd_parts ty_randomised_svd(ty_tensor *a, int64_t rank, int64_t oversample, int64_t iterations,
                                      ty_tensor *key);

/* Eigenvalues [.., n] and eigenvectors [.., n, n] in columns: a v = v diag(values).  In each column the element of
   greatest modulus is real and positive. */
typedef struct ty_eigen_parts {
    ty_tensor *values, *vectors;
} ty_eigen_parts;
/* Eigenvalues [.., n], real and ascending, and orthonormal eigenvectors, the columns of [.., n, n], of a Hermitian
   a [.., n, n].  Only the lower triangle is read.  Both are poisoned if a is not square, NaN if it is not finite. */
TY_API ty_eigen_parts ty_eigh(ty_tensor *a);
/* Eigenvalues of a Hermitian a [.., n, n], real and ascending: [.., n].  Only the lower triangle is read.
   Poison if a is not square; NaN if it is not finite. */
TY_API ty_tensor *ty_eigvalsh(ty_tensor *a);
/* Eigenvalues [.., n] and eigenvectors, the columns of [.., n, n], of any square a [.., n, n], both complex, in no
   particular order.  Columns have length 1.  Both are poisoned if a is not square, NaN if it is not finite. */
TY_API ty_eigen_parts ty_eig(ty_tensor *a);
/* Eigenvalues of any square a [.., n, n]: [.., n], complex, in no particular order.  Poison if a is not square;
   NaN if it is not finite. */
TY_API ty_tensor *ty_eigvals(ty_tensor *a);

/* Eigenvalues that come first: those left or right of the imaginary axis, or inside or outside the unit circle. */
typedef enum ty_eigen_order {
    TY_UNORDERED,
    TY_EIGEN_LEFT,
    TY_EIGEN_RIGHT,
    TY_EIGEN_INSIDE,
    TY_EIGEN_OUTSIDE,
    TY_EIGEN_ORDERS
} ty_eigen_order;
/* Return the order of eigenvalues by its name: "none", "left", "right", "inside" or "outside".
   TY_EIGEN_ORDERS, which the functions refuse, if there is none. */
TY_API ty_eigen_order ty_eigen_order_named(const char *name);
/* Result of ty_schur: t is upper triangular, for a real matrix with 2 by 2 blocks for pairs of complex eigenvalues;
   z is unitary. */
typedef struct ty_schur_parts {
    ty_tensor *t, *z;
} ty_schur_parts;
/* Schur decomposition a = z t z^H of a [.., n, n], with the eigenvalues that `order` names first on t's diagonal.
   Both are [.., n, n]: t is upper triangular, or for real a has 2 by 2 blocks; z is unitary.  Has no gradient:
   asking for one is an error.  Both are poisoned if a is not square, NaN if it is not finite. */
TY_API ty_schur_parts ty_schur(ty_tensor *a, ty_eigen_order order);
/* Result of ty_hessenberg: h is 0 below the first subdiagonal; q is unitary. */
typedef struct ty_hessenberg_parts {
    ty_tensor *h, *q;
} ty_hessenberg_parts;
/* Reduce a [.., n, n] to Hessenberg form: a = q h q^H, with h 0 below the first subdiagonal and q unitary, both
   [.., n, n].  Has no gradient: asking for one is an error.  Both are poisoned if a is not square. */
TY_API ty_hessenberg_parts ty_hessenberg(ty_tensor *a);
/* Result of ty_qz: t is upper triangular, and so is s, for real matrices with 2 by 2 blocks for pairs of complex
   eigenvalues; q and z are unitary. */
typedef struct ty_qz_parts {
    ty_tensor *s, *t, *q, *z;
} ty_qz_parts;
/* Generalised Schur decomposition a = q s z^H and b = q t z^H of two matrices [.., n, n], as all parts are.  The
   eigenvalues are those of a x = lambda b x, with those that `order` names first.  Has no gradient: asking for one
   is an error.  All parts are poisoned if shapes do not fit. */
TY_API ty_qz_parts ty_qz(ty_tensor *a, ty_tensor *b, ty_eigen_order order);

/* ---- rank, norms, condition ---- */

/* Number of singular values of a [.., m, n] above rcond times the greatest, i64 [..]; a negative rcond stands
   for eps times the greater size.  Poison if a has fewer than two axes.  For a matrix that is not finite:
   poison for values, -1 for promises. */
TY_API ty_tensor *ty_matrix_rank(ty_tensor *a, double rcond);
/* Kind of matrix norm. */
typedef enum ty_matrix_order {
    TY_FROBENIUS,         /* root of the sum of squares */
    TY_NUCLEAR,           /* sum of singular values */
    TY_GREATEST_COLUMN,   /* 1-norm: the greatest sum of moduli of a column */
    TY_LEAST_COLUMN,      /* order -1: the least sum of moduli of a column */
    TY_GREATEST_SINGULAR, /* 2-norm: the greatest singular value */
    TY_LEAST_SINGULAR,    /* order -2: the least singular value */
    TY_GREATEST_ROW,      /* infinity-norm: the greatest sum of moduli of a row */
    TY_LEAST_ROW,         /* order -infinity: the least sum of moduli of a row */
    TY_MATRIX_ORDERS
} ty_matrix_order;
/* Return the norm of NumPy's name: "fro", "nuc", "1", "-1", "2", "-2", "inf" or "-inf".  TY_MATRIX_ORDERS, which
   the functions refuse, if there is none. */
TY_API ty_matrix_order ty_matrix_order_named(const char *name);
/* Norm of each matrix of a [.., m, n]: [..], real.  `order` is the kind of norm.  Poison if it is invalid or a
   has fewer than two axes. */
TY_API ty_tensor *ty_matrix_norm(ty_tensor *a, ty_matrix_order order);
/* Norm of a [.., m, n] times the norm of its inverse: [..], real.  `order` is the kind of norm.  The 2-norm gives
   greatest / least singular value, infinite for a singular matrix; TY_LEAST_SINGULAR the reciprocal.  Other norms
   need a square a, and a singular matrix gives poison. */
TY_API ty_tensor *ty_condition_number(ty_tensor *a, ty_matrix_order order);
/* Return orthonormal columns [n, k] that span the null space of one matrix a [m, n].  Singular values up to rcond
   times the greatest count as 0; a negative rcond means eps times the greater of m and n.  The size depends on
   values, so promises are evaluated, and asking for a gradient is an error.  Floating or complex, f64 for integers.
   Poison if a is not finite. */
TY_API ty_tensor *ty_null_space(ty_tensor *a, double rcond);
/* Return orthonormal columns [m, k] that span the column space of one matrix a [m, n].  Singular values up to rcond
   times the greatest count as 0; a negative rcond means eps times the greater of m and n.  The size depends on
   values, so promises are evaluated, and asking for a gradient is an error.  Floating or complex, f64 for integers.
   Poison if a is not finite. */
TY_API ty_tensor *ty_range_space(ty_tensor *a, double rcond);

/* ---- functions of a square matrix [.., n, n] ---- */

/* Matrix power a^n of a [.., m, m], of the same shape; a negative n stands for powers of the inverse (poison if a
   is singular), 0 gives the identity.  Poison if a is not square. */
TY_API ty_tensor *ty_matrix_power(ty_tensor *a, int64_t n);
/* Matrix exponential of a [.., n, n] by scaling and squaring, of the same shape; f64 for integers.  NaN if a is not
   finite, poison if it is not square.  (A. Al-Mohy and N. Higham, "A new scaling and squaring algorithm", 2009.) */
TY_API ty_tensor *ty_expm(ty_tensor *a);
/* Principal logarithm of a [.., n, n], of the same shape, complex also for real matrices.  Poison if a is singular
   to rounding or not square.  (N. Higham, "Functions of Matrices", 2008, algorithm 11.9.) */
TY_API ty_tensor *ty_logm(ty_tensor *a);
/* Principal square root of a [.., n, n], of the same shape, complex also for real matrices.  Poison if a is
   singular and has no square root, or not square.  (N. Higham, "Functions of Matrices", 2008, algorithm 6.3.) */
TY_API ty_tensor *ty_sqrtm(ty_tensor *a);
/* Matrix sine of a [.., n, n], of the same shape; real for real matrices.  Poison if a is not square. */
TY_API ty_tensor *ty_sinm(ty_tensor *a);
/* Matrix cosine of a [.., n, n], of the same shape; real for real matrices.  Poison if a is not square. */
TY_API ty_tensor *ty_cosm(ty_tensor *a);

/* ---- matrix equations ---- */

/* Solve a x + x b = c for x, with a [m, m], b [k, k], c and x [m, k].  Poison if shapes do not fit, or an
   eigenvalue of a is the negative of one of b, to within rounding: (m + k) eps (|u|^H |a| |u| + |v|^H |b| |v|)
   for their Schur vectors u and v. */
TY_API ty_tensor *ty_sylvester(ty_tensor *a, ty_tensor *b, ty_tensor *c);
/* Solve a x + x a^H = q for x, all [.., n, n].  Poison if an eigenvalue of a is the negative conjugate of one
   of a.  Poison also if shapes do not fit. */
TY_API ty_tensor *ty_lyapunov(ty_tensor *a, ty_tensor *q);
/* Solve a x a^H - x + q = 0 for x, all [.., n, n], by the bilinear map: no eigenvalue of a may be -1.  Poison
   if it is singular or shapes do not fit. */
TY_API ty_tensor *ty_discrete_lyapunov(ty_tensor *a, ty_tensor *q);
/*
 * Solve the continuous Riccati equation; returns its stabilising solution x.
 *
 *   a^H x + x a - x b r^-1 b^H x + q = 0
 *
 * a is [n, n], b [n, k]; q [n, n] and r [k, k] are Hermitian, x is [n, n].  Poison if shapes do not fit.  If there is
 * no solution: poison for values, NaN for promises.  By an ordered Schur form and two Newton steps, through which the
 * gradient flows.  (A. Laub, "A Schur method for solving algebraic Riccati equations", 1979.)
 */
TY_API ty_tensor *ty_care(ty_tensor *a, ty_tensor *b, ty_tensor *q, ty_tensor *r);
/*
 * Solve the discrete Riccati equation; returns its stabilising solution x.
 *
 *   x = a^H x a - a^H x b (r + b^H x b)^-1 b^H x a + q
 *
 * a is [n, n], b [n, k]; q [n, n] and r [k, k] are Hermitian, x is [n, n].  Poison if shapes do not fit.  If there is
 * no solution: poison for values, NaN for promises.  By an ordered QZ form and two Newton steps, through which the
 * gradient flows.  (T. Pappas et al., 1980.)
 */
TY_API ty_tensor *ty_dare(ty_tensor *a, ty_tensor *b, ty_tensor *q, ty_tensor *r);

/* ---- data: the rows of x are observations ---- */

/* Result of ty_linear_regression: coefficients [p] or [p, t], intercept [] or [t], and the coefficient of
   determination [] or [t]: 1 - sum of squared residuals / sum of squared deviations from the mean. */
typedef struct ty_regression_parts {
    ty_tensor *coefficients, *intercept, *determination;
} ty_regression_parts;
/* Least-squares fit of y to x coefficients + intercept, for x [n, p], whose rows are observations, and y [n] or [n,
   t]; without `intercept` it is 0.  coefficients are [p] or [p, t], intercept and determination (1 - squared
   residuals / squared deviations) [] or [t].  All parts are poisoned if shapes do not fit. */
TY_API ty_regression_parts ty_linear_regression(ty_tensor *x, ty_tensor *y, bool intercept);
/* Result of ty_pca: components [count, p], variances [count] (with divisor n - 1), mean [p], and scores [n, count],
   the data in these directions. */
typedef struct ty_pca_parts {
    ty_tensor *components, *variances, *mean, *scores;
} ty_pca_parts;
/* Principal components of x [n, p], whose rows are observations: the `count` orthonormal directions of the greatest
   variance.  components are [count, p], variances [count] (divisor n - 1), mean [p], scores [n, count].  All parts
   are poisoned unless n is at least 2 and `count` 0 to the smaller of n and p. */
TY_API ty_pca_parts ty_pca(ty_tensor *x, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
