/* Contractions, convolution and pooling.  Part of <tyto/tyto.h>, which says what holds everywhere. */
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

/* Options by spatial axis, the first one first.  Zero is the usual choice everywhere. */
typedef struct ty_conv {
    int64_t stride[3];       /* 0 means 1 */
    int64_t dilation[3];     /* 0 means 1 */
    int64_t low[3], high[3]; /* padding with zeros before and after, when not `same`; negative cuts */
    bool same;               /* output size = ceil(input / stride), padding split, the odd one at the end */
    bool same_lower;         /* the same, the odd one at the beginning */
    bool nchw;               /* channels come before the spatial axes */
    int64_t groups;          /* channels of x and of y fall into so many parts that do not meet; 0 means 1 */
    int64_t output_padding[3]; /* transposed only: elements that the result has more, at the end */
} ty_conv;
/*
 * Cross-correlation, as all frameworks mean it; x and w meet in one dtype, complex numbers are not
 * conjugated.
 *
 *           x -> y             w                       with nchw: x -> y    w
 *   1d      (N,W,C)            (S,C/groups,K)                     (N,C,W)        (K,C/groups,S)
 *   2d      (N,H,W,C)          (R,S,C/groups,K)                   (N,C,H,W)      (K,C/groups,R,S)
 *   3d      (N,D,H,W,C)        (Q,R,S,C/groups,K)                 (N,C,D,H,W)    (K,C/groups,Q,R,S)
 *
 * Depthwise: groups = C, so that K is C times the multiplier.  Bias and activation are ty_add and the like:
 * compiled together they run while the result is in the cache.
 */
TY_API ty_tensor *ty_conv1d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv2d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv3d(ty_tensor *x, ty_tensor *w, ty_conv options);
/* The adjoint of the above in x: each element of x adds the kernel times itself to the result, `stride`
   apart; `low` and `high` are cut from the result, which with `same` is stride times as long as x.
   w (R,S,C,K/groups), with nchw (C,K/groups,R,S), where C are the channels of x. */
TY_API ty_tensor *ty_conv_transpose1d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv_transpose2d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv_transpose3d(ty_tensor *x, ty_tensor *w, ty_conv options);

/* Products of 8-bit integers of any sign, summed in i32 (modulo 2^32), after zero points are taken away.
   a_zero: 0-d, one of each row (M), or what broadcasts to one of each row; b_zero: 0-d, one of each column
   (N), or what broadcasts to that; NULL: zero. */
TY_API ty_tensor *ty_matmul_integer(ty_tensor *a, ty_tensor *b, ty_tensor *a_zero, ty_tensor *b_zero);
/* The plain convolution, over as many axes as x has besides batch and channels; padding counts as x_zero
   (0-d).  w_zero: 0-d or one of each output channel (K). */
TY_API ty_tensor *ty_conv_integer(ty_tensor *x, ty_tensor *w, ty_tensor *x_zero, ty_tensor *w_zero,
                                  ty_conv options);

/* x (N,C,H,W) -> (N,C*R*S,L): each of the L = H'*W' windows of size (R,S) as a column (im2col). */
TY_API ty_tensor *ty_unfold(ty_tensor *x, const int64_t size[2], ty_conv options);
/* The adjoint: columns (N,C*R*S,L) added up to (N,C,plane[0],plane[1]). */
TY_API ty_tensor *ty_unfold_add(ty_tensor *columns, const int64_t plane[2], const int64_t size[2],
                                ty_conv options);

typedef struct ty_pool {
    int64_t size[2];
    int64_t stride[2]; /* 0 means size */
    int64_t low[2], high[2];
    bool same;
    bool nchw;         /* windows run over axes 2,3 instead of 1,2 */
    bool count_padding; /* average: divide by the whole window also at the border */
} ty_pool;
/* Padding is minus infinity (the dtype's least value); NaN wins. */
TY_API ty_tensor *ty_max_pool2d(ty_tensor *x, ty_pool options);
/* i64: row-major place of the maximum inside the plane H*W; the first of equals. */
TY_API ty_tensor *ty_max_pool2d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_avg_pool2d(ty_tensor *x, ty_pool options);

#ifdef __cplusplus
}
#endif
#endif
