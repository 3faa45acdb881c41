/* Gradient rules of the matrix operators (gradient*.c), with the signatures of op.h. */
#ifndef OPS_LINALG_GRADIENT_H
#define OPS_LINALG_GRADIENT_H
#include "ops/linalg/matrix.h"

/* Reason of vjp_lacking. */
#define NO_RULE "the derivative of this factorisation is not implemented"
/* Gradient rule that returns poison: the derivative is not 0, but its rule is not implemented. */
ty_tensor *vjp_lacking(ty_tensor *y, ty_tensor *g, int i);
/* Gradient rules of operators with one operand: return its gradient, given the gradient g of y; i is 0. */
ty_tensor *vjp_lu(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_cholesky(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_inverse(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_qr(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_eigh(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_svd(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_eig(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_function(ty_tensor *y, ty_tensor *g, int i);
/* Tangent rule of functions of a matrix: return the tangent of y for the tangent t[0]. */
ty_tensor *jvp_function(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
/* Gradient rules of several operands: set out[i] for each needed[i], given the gradient g of y. */
void vjp_solve(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
void vjp_triangular(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
void vjp_sylvester(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
#endif
