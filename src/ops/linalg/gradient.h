/* Gradient rules of the matrix operators (gradient*.c), with the signatures of op.h. */
#ifndef OPS_LINALG_GRADIENT_H
#define OPS_LINALG_GRADIENT_H
#include "ops/linalg/matrix.h"

/* Reason of vjp_lacking. */
#define NO_RULE "the derivative of this factorisation is not implemented"
/* Gradient rule of operands whose derivative is not 0, but not implemented: return poison that says so. */
ty_tensor *vjp_lacking(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_lu, given the gradient g of y, which packs L, U and the order; i is
   0. */
ty_tensor *vjp_lu(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_cholesky, given the gradient g of its result y; i is 0. */
ty_tensor *vjp_cholesky(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_inv, given the gradient g of its result y; i is 0. */
ty_tensor *vjp_inverse(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_qr, given the gradient g of y, which packs Q and R; i is 0. */
ty_tensor *vjp_qr(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_eigh, given the gradient g of y, which packs the eigenvalues and,
   if wanted, the vectors; i is 0. */
ty_tensor *vjp_eigh(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_svd, given the gradient g of y, which packs s and, if wanted, U and
   V^H; i is 0. */
ty_tensor *vjp_svd(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the matrix of ty_eig, given the gradient g of y, which packs the eigenvalues and, if
   wanted, the vectors; i is 0. */
ty_tensor *vjp_eig(ty_tensor *y, ty_tensor *g, int i);
/* Return the gradient of the operand of a function of a matrix, such as ty_expm, given the gradient g of its
   result y; i is 0. */
ty_tensor *vjp_function(ty_tensor *y, ty_tensor *g, int i);
/* Tangent rule of functions of a matrix, such as ty_expm: return the tangent of y for the tangent t[0] of its
   operand. */
ty_tensor *jvp_function(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
/* Gradient rule of ty_solve, given the gradient g of y: set out[i] for each needed[i], 0 the matrix, 1 the
   right-hand side. */
void vjp_solve(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
/* Gradient rule of triangular solutions, given the gradient g of y: set out[i] for each needed[i], 0 the
   matrix, 1 the right-hand side. */
void vjp_triangular(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
/* Gradient rule of A X + X B = C, given the gradient g of y = X: set out[i] for each needed[i]; operands 0 to
   2 are A, B, C. */
void vjp_sylvester(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
#endif
