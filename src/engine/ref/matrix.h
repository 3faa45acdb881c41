/* Linear algebra of the reference: each matrix by the simplest algorithm, in long double complex. */
#ifndef ENGINE_REF_MATRIX_H
#define ENGINE_REF_MATRIX_H
#include <complex.h>
#include "engine/ref/ref.h"
#include "ops/linalg/matrix.h"

typedef long double _Complex ref_z;

/* One job: row-major operands and result, and `room` for REF_ROOMS squares of the greatest side. */
struct ref_matrix {
    const struct matrix_attr *attr;
    bool real;       /* operands are real */
    long double eps; /* rounding error of the operands' dtype relative to 1 */
    int64_t m, n, k; /* of the first operand, [m, n]; k: columns of the last */
    ref_z *in[MATRIX_OPERANDS];
    ref_z *out, *room;
    int64_t square; /* elements of one room */
    int64_t at;     /* index that a fault reports */
};
enum { REF_ROOMS = 8 };

/* Compute one matrix. Return MATRIX_FINE, or a fault about index job->at. */
typedef enum matrix_fault ref_matrix_run(struct ref_matrix *job);
ref_matrix_run ref_lu, ref_cholesky, ref_solve, ref_triangular, ref_inverse, ref_qr, ref_eigh, ref_svd,
    ref_eig, ref_schur, ref_hessenberg, ref_qz, ref_sylvester, ref_expm, ref_logm, ref_sqrtm;

/* ---- parts ---- */

/* Return |x|^2. */
static inline long double ref_square(ref_z x) { return creall(x) * creall(x) + cimagl(x) * cimagl(x); }
/* Set c [m, k] = a b, a [m, n], b [n, k], all row-major. */
void ref_product(int64_t m, int64_t n, int64_t k, const ref_z *a, const ref_z *b, ref_z *c);
/* Set out [n, m] = a^H, a [m, n], both row-major. */
void ref_adjoint(int64_t m, int64_t n, const ref_z *a, ref_z *out);
/* Set out [m, n] to 1 on the diagonal, 0 elsewhere. */
void ref_identity(int64_t m, int64_t n, ref_z *out);
/* Set b [n, k] = a^-1 b for a [n, n], which is overwritten; room: n (k + 1) elements of scratch. Return the first
   column with pivot 0 (0-based), or -1. */
int64_t ref_solve_of(int64_t n, int64_t k, ref_z *a, ref_z *b, ref_z *room);
/* Reduce a [n, n] in place to Hessenberg form h; q [n, n] is the unitary transformation, a = q h q^H. */
void ref_hessenberg_of(int64_t n, ref_z *a, ref_z *q);
/* Reduce a [n, n] in place to its Schur form t; z [n, n] are its vectors, a = z t z^H. Return false without
   convergence. */
bool ref_schur_of(int64_t n, ref_z *a, ref_z *z);
/* Multiply a column of m elements, `step` apart, by a factor of modulus 1 that makes its element of greatest
   modulus positive; return the factor. */
ref_z ref_turn(int64_t m, int64_t step, ref_z *column);
#endif
