/* The gradients of the rows of linear algebra (gradient*.c), as op.h has them. */
#ifndef OPS_LINALG_GRADIENT_H
#define OPS_LINALG_GRADIENT_H
#include "ops/linalg/matrix.h"

/* Refuses: the derivative is not 0, and its rule is not implemented. */
#define NO_RULE "the derivative of this factorisation is not implemented"
ty_tensor *vjp_lacking(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_lu(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_cholesky(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_inverse(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_qr(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_eigh(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_svd(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_eig(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *vjp_function(ty_tensor *y, ty_tensor *g, int i);
ty_tensor *jvp_function(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
void vjp_solve(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
void vjp_triangular(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
void vjp_sylvester(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
#endif
