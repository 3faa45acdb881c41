/* Contractions and convolution.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_CONTRACT_H
#define TYTO_CONTRACT_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- contraction ---- */

/* Einstein summation: ty_einsum("ij,jk->ik", a, b) sums products over the letters that are not in the output.  b is
   NULL for one operand.  NumPy's grammar: letters a-z A-Z; '...' stands for further axes, which broadcast; a letter
   twice in one operand takes its diagonal; blanks are allowed; without "->" the output has the letters that occur once,
   in alphabetical order.  Sizes of equal letters must agree or be 1.  Operands are promoted to one dtype
   (ty_promote_all), in which integers stay exact; of bool the result is "or" of "and". */
TY_API ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b);

/* What the order of contractions minimises. */
typedef enum ty_einsum_objective {
    TY_EINSUM_TIME,  /* predicted time, by a fixed model of one core: the same path on every machine */
    TY_EINSUM_FLOPS, /* multiplications and additions, as opt_einsum counts them */
    TY_EINSUM_MEMORY /* peak bytes of intermediates */
} ty_einsum_objective;
typedef enum ty_einsum_strategy {
    TY_EINSUM_AUTO,    /* exact search for up to 12 operands; greedy with restarts for more */
    TY_EINSUM_OPTIMAL, /* the same, with the largest number of restarts */
    TY_EINSUM_GREEDY,
    TY_EINSUM_LEFT_TO_RIGHT
} ty_einsum_strategy;
typedef struct ty_einsum_options {
    ty_einsum_objective objective;
    ty_einsum_strategy strategy;
    int64_t memory; /* limit for the peak bytes of intermediates; 0: none.  No path within it is an error */
} ty_einsum_options;

/* The same for 1 to 1024 operands, contracted two at a time in the best order; the order found for an equation and
   shapes is remembered.  Besides NumPy's grammar it reads trees, which prescribe the order:
   "[[[a,b],[b,c]->[a,c]],[c,d]->[a,d]]"; names are letters, digits and '_', leaves are the operands in order. */
TY_API ty_tensor *ty_einsum_of(const char *equation, int n, ty_tensor *const *operands,
                               ty_einsum_options options);

/* A prepared einsum: the path is found, constant operands are packed and contracted with each other once, and the rest
   is a compiled program. */
typedef struct ty_einsum_plan ty_einsum_plan;
typedef struct ty_einsum_operand {
    int rank;
    const int64_t *shape; /* rank sizes */
    ty_tensor *constant;  /* its value, when it is the same in every run (with a shape of its own), or NULL */
} ty_einsum_operand;
typedef struct ty_einsum_report {
    int steps;        /* contractions of two */
    double flops;     /* a run's multiplications, and additions where it sums; complex ones count as 4 */
    double bytes;     /* read and written by the steps */
    double largest;   /* bytes of the largest intermediate */
    double peak;      /* bytes of intermediates at once */
    double seconds;   /* predicted for one AVX-512 core */
    double workspace; /* of a plan: bytes that its steps take besides; 0 in other reports */
} ty_einsum_report;
/* All operands have `dtype`.  Never NULL: ty_einsum_plan_error tells what went wrong, or "".  The caller frees it with
   ty_einsum_plan_free. */
TY_API ty_einsum_plan *ty_einsum_plan_new(const char *equation, ty_dtype dtype, int n,
                                          const ty_einsum_operand *operands, ty_einsum_options options);
TY_API void ty_einsum_plan_free(ty_einsum_plan *plan);
TY_API const char *ty_einsum_plan_error(const ty_einsum_plan *plan);
/* Runs it on n tensors of the plan's shapes and dtype; the plan holds a reference to them until the next run.  Entries
   of constant operands are ignored and may be NULL.  With promises or tracked tensors it records what ty_einsum_of
   would, in the plan's order. */
TY_API ty_tensor *ty_einsum_plan_run(ty_einsum_plan *plan, int n, ty_tensor *const *operands);
TY_API ty_einsum_report ty_einsum_plan_report(const ty_einsum_plan *plan);
/* The path as a table: contractions, flops, bytes, predicted time.  Freed with ty_free; NULL: no memory. */
TY_API char *ty_einsum_plan_text(const ty_einsum_plan *plan);

/* NumPy's matmul: vectors, matrices, broadcast batches. */
TY_API ty_tensor *ty_matmul(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_dot_product(ty_tensor *a, ty_tensor *b); /* over the last axis of both */

TY_API ty_tensor *ty_outer(ty_tensor *a, ty_tensor *b); /* of both operands flattened */
TY_API ty_tensor *ty_inner(ty_tensor *a,
                           ty_tensor *b); /* sum over the last axes, for all pairs of the others */
TY_API ty_tensor *ty_vdot(ty_tensor *a, ty_tensor *b); /* of both flattened, the first conjugated */
/* Sums over n pairs of axes; the result has a's other axes, then b's. */
TY_API ty_tensor *ty_tensordot(ty_tensor *a, ty_tensor *b, int n, const int64_t *axes_a,
                               const int64_t *axes_b);
/* The cross product of vectors of 2 or 3 elements along `axis` of both. */
TY_API ty_tensor *ty_cross(ty_tensor *a, ty_tensor *b, int axis);
TY_API ty_tensor *ty_kron(ty_tensor *a, ty_tensor *b);
/* The sum of the diagonal on which place along axis2 - place along axis1 is `offset`. */
TY_API ty_tensor *ty_trace(ty_tensor *x, int64_t offset, int axis1, int axis2);

/* Options, one entry for each spatial axis in order.  Zero means the usual choice for every field. */
typedef struct ty_conv {
    int64_t stride[3];       /* 0 means 1 */
    int64_t dilation[3];     /* 0 means 1 */
    int64_t low[3], high[3]; /* zeros before and after, unless `same`; negative values crop */
    bool same; /* output size = ceil(input / stride); an odd amount of padding has one more at the end */
    bool same_lower;           /* the same, with one more at the beginning */
    bool nchw;                 /* channels come before the spatial axes */
    int64_t groups;            /* channels are split into so many independent groups; 0 means 1 */
    int64_t output_padding[3]; /* transposed only: elements that the result has in addition, at the end */
    /* 2 or 4 asks for Winograd's F(m x m, 3 x 3).  It applies to kernels of size 3 along each axis with stride and
       dilation 1, not transposed, in f32, f64 and complex dtypes; elsewhere, and with 0, products are summed directly.
       m = 4 pays where weights are constants of a program, which transforms them once, and the image has at least a
       dozen tiles; in f32 its largest error is near 1e-5 of the largest value, ten times that of direct summation.
       m = 2 is as exact as direct summation and gains less.  The temporaries take ((m + 2) / m)^n times the memory of x
       and of the result, for n spatial axes. */
    int winograd;
} ty_conv;
/*
 * Cross-correlation, which frameworks call convolution.  x and w are promoted to one dtype; complex numbers are not
 * conjugated.  Where w has infinities or NaN, whether padding times those makes NaN is unspecified.
 *
 *           x -> y             w                       with nchw: x -> y    w
 *   1d      (N,W,C)            (S,C/groups,K)                     (N,C,W)        (K,C/groups,S)
 *   2d      (N,H,W,C)          (R,S,C/groups,K)                   (N,C,H,W)      (K,C/groups,R,S)
 *   3d      (N,D,H,W,C)        (Q,R,S,C/groups,K)                 (N,C,D,H,W)    (K,C/groups,Q,R,S)
 *
 * Depthwise: groups = C, so K is C times the multiplier.  Add bias and activation with ty_add and the like: compiled
 * together, they run while the result is in the cache.
 */
TY_API ty_tensor *ty_conv1d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv2d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv3d(ty_tensor *x, ty_tensor *w, ty_conv options);
/* The adjoint of the convolution with respect to x: each element of x adds itself times the kernel to the result, at
   positions `stride` apart.  `low` and `high` are cropped from the result; with `same` it is stride times as long as x.
   w (R,S,C,K/groups), with nchw (C,K/groups,R,S), where C are the channels of x. */
TY_API ty_tensor *ty_conv_transpose1d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv_transpose2d(ty_tensor *x, ty_tensor *w, ty_conv options);
TY_API ty_tensor *ty_conv_transpose3d(ty_tensor *x, ty_tensor *w, ty_conv options);

/* Quantised products: 8-bit integers, signed or unsigned, minus their zero points, summed in i32 (modulo 2^32).
   a_zero: 0-d, or one per row (M); b_zero: 0-d, or one per column (N), or what broadcasts to those; NULL: zero. */
TY_API ty_tensor *ty_matmul_integer(ty_tensor *a, ty_tensor *b, ty_tensor *a_zero, ty_tensor *b_zero);
/* The same for a convolution over the spatial axes that x has; padding counts as x_zero (0-d).  w_zero: 0-d, or one per
   output channel (K). */
TY_API ty_tensor *ty_conv_integer(ty_tensor *x, ty_tensor *w, ty_tensor *x_zero, ty_tensor *w_zero,
                                  ty_conv options);

/* x (N,C,H,W) -> (N,C*R*S,L): each of the L = H'*W' windows of size (R,S) as a column (im2col). */
TY_API ty_tensor *ty_unfold(ty_tensor *x, const int64_t size[2], ty_conv options);
/* The adjoint: columns (N,C*R*S,L) added up to (N,C,plane[0],plane[1]). */
TY_API ty_tensor *ty_unfold_add(ty_tensor *columns, const int64_t plane[2], const int64_t size[2],
                                ty_conv options);

#ifdef __cplusplus
}
#endif
#endif
