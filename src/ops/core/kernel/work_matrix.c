/*
 * Operations of matrix operators: the leading terms for real numbers from G. H. Golub and C. F. Van Loan, "Matrix
 * Computations", 4th edition (GVL below), and N. J. Higham, "Functions of Matrices", 2008.  Iterations count as
 * often as they usually run.  The engine may use another method; then the counts are those of a usual one.
 */
#include "ops/core/attributes.h"
#include "ops/core/kernel/work.h"

/* One matrix m by n, and the k columns of the last operand. */
struct sizes {
    double m, n, k;
    double least, most; /* of m and n */
};

/* Return the floating-point operations of an LU decomposition with partial pivoting of an m by n matrix (GVL
   3.4): 2/3 n^3 if it is square. */
static double lu(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return s.least * s.least * (s.most - s.least / 3);
}

/* Return the floating-point operations of a Cholesky decomposition, half of those of lu: n^3/3 (GVL 4.2). */
static double cholesky(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return s.n * s.n * s.n / 3;
}

/* Return the floating-point operations to solve a triangular system of n rows for k right sides: n^2 k (GVL
   3.1). */
static double triangular(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return s.n * s.n * s.k;
}

static double solve(const struct matrix_attr *a, struct sizes s) { return lu(a, s) + 2 * triangular(a, s); }

/* Return the floating-point operations to invert an n by n matrix: those of lu, then a solution for the
   identity as right sides, zeros of which are skipped. */
static double inverse(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return 2 * s.n * s.n * s.n;
}

/* Return the floating-point operations of a QR decomposition by Householder's method, and of multiplying its
   reflections to q (GVL 5.2, 5.1.6). */
static double qr(const struct matrix_attr *a, struct sizes s) {
    double r = 2 * s.least * s.least * (s.most - s.least / 3);
    if (a->mode == MATRIX_VALUES) return r;
    if (a->mode == MATRIX_THIN) return r + 2 * s.least * s.least * (s.m - s.least / 3);
    return r + 4 * (s.m * s.m * s.least - s.m * s.least * s.least + s.least * s.least * s.least / 3);
}

/* Return the floating-point operations of a symmetric eigenvalue decomposition: reduction to tridiagonal
   form, and the symmetric QR algorithm (GVL 8.3). */
static double eigh(const struct matrix_attr *a, struct sizes s) {
    return (a->mode == MATRIX_VALUES ? 4.0 / 3 : 9) * s.n * s.n * s.n;
}

/* Return the floating-point operations of a singular value decomposition by Golub and Reinsch's method (GVL
   8.6.4), for the matrix or, if it is wide, its transpose. */
static double svd(const struct matrix_attr *a, struct sizes s) {
    double m = s.most, n = s.least;
    if (a->mode == MATRIX_VALUES) return 4 * m * n * n - 4 * n * n * n / 3;
    if (a->mode == MATRIX_THIN) return 14 * m * n * n + 8 * n * n * n;
    return 4 * m * m * n + 8 * m * n * n + 9 * n * n * n;
}

/* Return the floating-point operations of a reduction to Hessenberg form with its vectors (GVL 7.4): 10/3 n^3
   and 4/3 n^3. */
static double hessenberg(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return 14 * s.n * s.n * s.n / 3;
}

/* Return the floating-point operations of a Schur decomposition: Francis's QR algorithm with vectors, the
   reduction included (GVL 7.5). */
static double schur(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return 25 * s.n * s.n * s.n;
}

/* Return the floating-point operations of an eigenvalue decomposition: the QR algorithm without vectors (GVL
   7.5); or schur, n^3/3 to solve for vectors of the form, and n^3 to multiply them. */
static double eig(const struct matrix_attr *a, struct sizes s) {
    double cube = s.n * s.n * s.n;
    return a->mode == MATRIX_VALUES ? 10 * cube : schur(a, s) + 4 * cube / 3;
}

/* Return the floating-point operations of Moler and Stewart's QZ algorithm (GVL 7.7): 30 n^3, 16 n^3 for q,
   20 n^3 for z. */
static double qz(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return 66 * s.n * s.n * s.n;
}

/* Return the floating-point operations to solve Sylvester's equation by Bartels and Stewart's method (GVL
   7.6): two Schur forms, products, and the solution for triangles. The last operand is m by k. */
static double sylvester(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return 25 * (s.m * s.m * s.m + s.k * s.k * s.k) + 5 * (s.m * s.m * s.k + s.m * s.k * s.k);
}

/* Return the floating-point operations of a matrix exponential: six products and a solution of Padé's
   approximation of degree 13 (Higham 10.3). Squarings depend on the norm and do not count. */
static double exponential(const struct matrix_attr *a, struct sizes s) {
    (void)a;
    return (6 * 2 + 8.0 / 3) * s.n * s.n * s.n;
}

/* Return the floating-point operations of a matrix logarithm: a Schur form, and products to return from it
   (Higham 11.5). Roots and approximation of the triangle depend on the eigenvalues and do not count. */
static double logarithm(const struct matrix_attr *a, struct sizes s) {
    return schur(a, s) + 3 * s.n * s.n * s.n;
}

/* Return the floating-point operations of a matrix square root: a Schur form, the root of its triangle,
   products to return (Higham 6.2), 28 1/3 n^3. */
static double root(const struct matrix_attr *a, struct sizes s) {
    return schur(a, s) + (1.0 / 3 + 3) * s.n * s.n * s.n;
}

static double (*const counts[MATRIX_KINDS])(const struct matrix_attr *a, struct sizes s) = {
    [MATRIX_LU] = lu,
    [MATRIX_CHOLESKY] = cholesky,
    [MATRIX_SOLVE] = solve,
    [MATRIX_TRIANGULAR] = triangular,
    [MATRIX_INVERSE] = inverse,
    [MATRIX_QR] = qr,
    [MATRIX_EIGH] = eigh,
    [MATRIX_SVD] = svd,
    [MATRIX_EIG] = eig,
    [MATRIX_SCHUR] = schur,
    [MATRIX_HESSENBERG] = hessenberg,
    [MATRIX_QZ] = qz,
    [MATRIX_SYLVESTER] = sylvester,
    [MATRIX_EXP] = exponential,
    [MATRIX_LOG] = logarithm,
    [MATRIX_SQRT] = root,
};

double matrix_work(const struct kernel *k) {
    const struct matrix_attr *a = k->attr;
    const struct layout *first = &k->inputs[0].layout, *last = &k->inputs[k->ncore - 1].layout;
    int rank = first->rank;
    struct sizes s = {.m = (double)first->shape[rank - 2],
                      .n = (double)first->shape[rank - 1],
                      .k = (double)last->shape[last->rank - 1]};
    s.least = s.m < s.n ? s.m : s.n;
    s.most = s.m < s.n ? s.n : s.m;
    return (double)shape_size(rank - 2, first->shape) * counts[a->kind](a, s);
}
