/* Linear algebra of the reference: each matrix by the plainest algorithm, in long doubles, real ones as complex. */
#ifndef ENGINE_REF_MATRIX_H
#define ENGINE_REF_MATRIX_H
#include <complex.h>
#include "engine/ref/ref.h"
#include "ops/linalg/matrix.h"

typedef long double _Complex ref_z;

/* One matrix, or what belongs together: operands and result row-major, `room` for `REF_ROOMS` squares of the greatest size
   of all. */
struct ref_matrix {
    const struct matrix_attr *attr;
    bool real;       /* operands are */
    long double eps; /* what of their dtype counts as nothing beside 1, in long doubles */
    int64_t m, n, k; /* of the first operand, columns of the last */
    ref_z *in[MATRIX_OPERANDS];
    ref_z *out, *room;
    int64_t square; /* elements of one room */
    int64_t at;     /* what a fault is about */
};
enum { REF_ROOMS = 8 };

typedef enum matrix_fault ref_matrix_run(struct ref_matrix *job);
ref_matrix_run ref_lu, ref_cholesky, ref_solve, ref_triangular, ref_inverse, ref_qr, ref_eigh, ref_svd,
    ref_eig, ref_schur, ref_hessenberg, ref_qz, ref_sylvester, ref_expm, ref_logm, ref_sqrtm;

/* ---- pieces ---- */

static inline long double ref_square(ref_z x) { return creall(x) * creall(x) + cimagl(x) * cimagl(x); }
/* c = a b, of m by n and n by k. */
void ref_product(int64_t m, int64_t n, int64_t k, const ref_z *a, const ref_z *b, ref_z *c);
void ref_adjoint(int64_t m, int64_t n, const ref_z *a, ref_z *out);
void ref_identity(int64_t m, int64_t n, ref_z *out);
/* LU of m by n in place; order, and its sign; the first column whose pivot is 0, else -1. */
int64_t ref_lu_of(int64_t m, int64_t n, ref_z *a, ref_z *order, long double *sign);
/* b becomes a^-1 b; a is spoiled.  The column whose pivot is 0, else -1. */
int64_t ref_solve_of(int64_t n, int64_t k, ref_z *a, ref_z *b, ref_z *room);
/* Columns `from` on of m by k become orthonormal ones beside those before. */
void ref_complete(int64_t m, int64_t k, int64_t from, ref_z *u);
/* a becomes h, q has n by n. */
void ref_hessenberg_of(int64_t n, ref_z *a, ref_z *q);
/* a becomes t; false: no convergence. */
bool ref_schur_of(int64_t n, ref_z *a, ref_z *z);
/* Turns the column so that the element of the greatest modulus is positive; returns the factor. */
ref_z ref_turn(int64_t m, int64_t step, ref_z *column);
#endif
