/* Contractions and convolution.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_CONTRACT_H
#define TYTO_CONTRACT_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- contraction ---- */

/* The sum of products over letters that are not in the output: ty_einsum("ij,jk->ik", a, b); b is NULL for
   one operand.  NumPy's grammar: letters a-z A-Z, '...' for any further axes (they broadcast), a letter twice
   in one operand for its diagonal, blanks; without "->" the letters that stand once, in the order of the
   alphabet.  Sizes of equal letters agree, or are 1.  Operands meet in one dtype (ty_promote_all): integers
   stay exact in it, bool is "or" of "and". */
TY_API ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b);

/* What the order of contractions is to be best in. */
typedef enum ty_einsum_objective {
    TY_EINSUM_TIME,  /* what our kernels take, by a model of one core: the same path on every machine */
    TY_EINSUM_FLOPS, /* multiplications and additions, as opt_einsum counts them */
    TY_EINSUM_MEMORY /* bytes that intermediates take at once */
} ty_einsum_objective;
typedef enum ty_einsum_strategy {
    TY_EINSUM_AUTO,    /* the best order of all up to 12 operands; greedy with restarts beyond */
    TY_EINSUM_OPTIMAL, /* the same, with as many restarts as there may be */
    TY_EINSUM_GREEDY,
    TY_EINSUM_LEFT_TO_RIGHT
} ty_einsum_strategy;
typedef struct ty_einsum_options {
    ty_einsum_objective objective;
    ty_einsum_strategy strategy;
    int64_t memory; /* bytes that intermediates may take at once; 0: any.  Needing more is an error */
} ty_einsum_options;

/* 1 to 1024 operands, contracted two at a time in the best order; the order of an equation with the same
   shapes is remembered.  Besides NumPy's grammar the notation of trees, which says the order:
   "[[[a,b],[b,c]->[a,c]],[c,d]->[a,d]]"; names are letters, digits and '_', leaves are the operands in order. */
TY_API ty_tensor *ty_einsum_of(const char *equation, int n, ty_tensor *const *operands,
                               ty_einsum_options options);

/* An einsum made ready: its path is found, its constant operands are arranged and contracted with each other
   once, the rest is a compiled program. */
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
    double workspace; /* bytes that a run's steps take besides, of a plan; 0 before there is one */
} ty_einsum_report;
/* Operands of `dtype`.  Never NULL: ty_einsum_plan_error tells what went wrong, "" for nothing.  The caller
   ends it with ty_einsum_plan_free. */
TY_API ty_einsum_plan *ty_einsum_plan_new(const char *equation, ty_dtype dtype, int n,
                                          const ty_einsum_operand *operands, ty_einsum_options options);
TY_API void ty_einsum_plan_free(ty_einsum_plan *plan);
TY_API const char *ty_einsum_plan_error(const ty_einsum_plan *plan);
/* The einsum of n tensors of the plan's shapes and dtype (the plan holds them until the next run); those of
   constant operands are not looked at and may be NULL.  Of promises and tracked tensors: what ty_einsum_of
   would give, in the plan's order. */
TY_API ty_tensor *ty_einsum_plan_run(ty_einsum_plan *plan, int n, ty_tensor *const *operands);
TY_API ty_einsum_report ty_einsum_plan_report(const ty_einsum_plan *plan);
/* The path as a table: contractions, flops, bytes, predicted time.  Freed with ty_free; NULL: no memory. */
TY_API char *ty_einsum_plan_text(const ty_einsum_plan *plan);

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
    /* 2 or 4: Winograd's F(m x m, 3 x 3) where it applies, which is kernels of 3 along each axis with stride and
       dilation 1, not transposed, of f32, f64 and complex numbers; elsewhere, and with 0, the plain sum.  m = 4
       pays where weights are constants of a program, which transforms them once, and an image has a dozen tiles
       or more (docs/measured.md); its largest error is near 1e-5 of the largest value in f32, ten times that
       of the plain sum.  m = 2 is as exact as that and gains less.  Either takes ((m + 2) / m)^n times the
       memory of x and of the result more. */
    int winograd;
} ty_conv;
/*
 * Cross-correlation, as all frameworks mean it; x and w meet in one dtype, complex numbers are not
 * conjugated.  Whether padding times an infinity or NaN of w makes NaN is open: engines and layouts differ.
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

#ifdef __cplusplus
}
#endif
#endif
