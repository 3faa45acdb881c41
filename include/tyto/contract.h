/* Contractions and convolution.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_CONTRACT_H
#define TYTO_CONTRACT_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- contraction ---- */

/* The sum over letters that are not in the output: ty_einsum("ij,jk->ik", a, b).  Letters a-z A-Z;
   sizes of equal letters agree, or one is 1.  Integers stay exact in their dtype. */
TY_API ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b);
/* NumPy's matmul: vectors, matrices, broadcast batches. */
TY_API ty_tensor *ty_matmul(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_dot_product(ty_tensor *a, ty_tensor *b); /* over the last axis of both */

TY_API ty_tensor *ty_outer(ty_tensor *a, ty_tensor *b); /* of all elements, each a vector */
TY_API ty_tensor *ty_inner(ty_tensor *a, ty_tensor *b); /* over the last axes, for all pairs of the others */
TY_API ty_tensor *ty_vdot(ty_tensor *a, ty_tensor *b);  /* of all elements, the first conjugated */
/* Over n pairs of axes; left are a's other axes, then b's. */
TY_API ty_tensor *ty_tensordot(ty_tensor *a, ty_tensor *b, int n, const int64_t *axes_a,
                               const int64_t *axes_b);
/* of vectors of 2 or 3 along an axis of both */
TY_API ty_tensor *ty_cross(ty_tensor *a, ty_tensor *b, int axis);
TY_API ty_tensor *ty_kron(ty_tensor *a, ty_tensor *b);
/* The sum of the diagonal on which place along axis2 - place along axis1 is `offset`. */
TY_API ty_tensor *ty_trace(ty_tensor *x, int64_t offset, int axis1, int axis2);

typedef struct ty_conv {
    int64_t stride[2];   /* 0 means 1 */
    int64_t dilation[2]; /* 0 means 1 */
    int64_t low[2], high[2]; /* explicit padding, when not `same` */
    bool same;           /* output size = ceil(input / stride), padding split, the odd one at the end */
} ty_conv;
/* x (N,H,W,C), w (R,S,C,K) -> (N,H',W',K): cross-correlation, as all frameworks mean it. */
TY_API ty_tensor *ty_conv2d(ty_tensor *x, ty_tensor *w, ty_conv options);

/* x (N,C,H,W) -> (N,C*R*S,L): each of the L = H'*W' windows of size (R,S) as a column (im2col). */
TY_API ty_tensor *ty_unfold(ty_tensor *x, const int64_t size[2], ty_conv options);
/* The adjoint: columns (N,C*R*S,L) added up to (N,C,plane[0],plane[1]). */
TY_API ty_tensor *ty_unfold_add(ty_tensor *columns, const int64_t plane[2], const int64_t size[2],
                                ty_conv options);

#ifdef __cplusplus
}
#endif
#endif
