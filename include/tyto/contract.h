/* Einstein summation, matrix products and convolutions.  Part of <tyto/tyto.h>, which states the rules that hold
   for all functions.  Shapes that do not fit give poison. */
#ifndef TYTO_CONTRACT_H
#define TYTO_CONTRACT_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- contraction ---- */

/*
 * Einstein summation of one (b NULL) or two operands: ty_einsum("ij,jk->ik", a, b) sums products over the letters that
 * are not in the output.
 *
 * NumPy's grammar: letters a-z A-Z; '...' stands for further axes, which broadcast; a letter twice in one operand
 * takes its diagonal; blanks are allowed.  Without "->" the output has the letters that occur once, in alphabetical
 * order.  Sizes of equal letters must agree or be 1; poison if they do not, or if the equation is malformed.
 * Operands are promoted to one dtype (ty_promote_all); integers stay exact, and bool gives "or" of "and".
 */
TY_API ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b);

/* Quantity that the order of contractions minimises. */
typedef enum ty_einsum_objective {
    TY_EINSUM_TIME,  /* predicted time by a fixed model of one core: the same path on every machine */
    TY_EINSUM_FLOPS, /* multiplications and additions, counted as opt_einsum does */
    TY_EINSUM_MEMORY /* peak bytes of intermediates */
} ty_einsum_objective;
/* Search for the order of contractions. */
typedef enum ty_einsum_strategy {
    TY_EINSUM_AUTO,    /* exact search for up to 12 operands, greedy with restarts for more */
    TY_EINSUM_OPTIMAL, /* as AUTO, with the largest number of restarts */
    TY_EINSUM_GREEDY,
    TY_EINSUM_LEFT_TO_RIGHT
} ty_einsum_strategy;
/* Options of an einsum; all zero: least time, AUTO, no limit. */
typedef struct ty_einsum_options {
    ty_einsum_objective objective;
    ty_einsum_strategy strategy;
    int64_t memory; /* limit in bytes for the peak of intermediates; 0 means none.  Poison if no path fits */
} ty_einsum_options;

TY_API ty_tensor *ty_einsum_of_sized(const char *equation, int n, ty_tensor *const *operands,
                                     const ty_einsum_options *options, size_t size);
/*
 * Einstein summation of n operands, 1 to 1024, promoted to one dtype, contracted two at a time in the best order
 * found.  The order is cached by equation and shapes.  Poison if the equation does not fit the operands or no order
 * fits options.memory.
 *
 * Besides NumPy's grammar it reads trees, which prescribe the order: "[[[a,b],[b,c]->[a,c]],[c,d]->[a,d]]".  Names are
 * letters, digits and '_'; leaves are the operands in order.
 */
TY_INLINE ty_tensor *ty_einsum_of(const char *equation, int n, ty_tensor *const *operands,
                                  ty_einsum_options options) {
    return ty_einsum_of_sized(equation, n, operands, &options, sizeof options);
}

/* A prepared einsum: the path is found, constant operands are packed and contracted with each other once, and the
   rest is a compiled program. */
typedef struct ty_einsum_plan ty_einsum_plan;
/* Operand of a plan. */
typedef struct ty_einsum_operand {
    int rank;
    const int64_t *shape; /* rank sizes; not read if `constant` is given */
    ty_tensor *constant;  /* the value if it is the same in every run (its shape counts), or NULL */
} ty_einsum_operand;
/* Costs of a plan. */
typedef struct ty_einsum_report {
    int steps;        /* contractions of two operands */
    double flops;     /* multiplications and additions of a run; complex ones count as 4 */
    double bytes;     /* bytes read and written by the steps */
    double largest;   /* bytes of the largest intermediate */
    double peak;      /* largest sum of bytes of intermediates alive at once */
    double seconds;   /* predicted time on one AVX-512 core */
    double workspace; /* scratch bytes of the steps of a plan; 0 in other reports */
} ty_einsum_report;
TY_API ty_einsum_plan *ty_einsum_plan_new_sized(const char *equation, ty_dtype dtype, int n,
                                                const ty_einsum_operand *operands,
                                                const ty_einsum_options *options, size_t size);
/* Prepare an einsum of n operands, all of `dtype`; constant ones are cast to it and retained.  Never NULL:
   ty_einsum_plan_error returns the reason of a failure.  The caller frees the plan with ty_einsum_plan_free. */
TY_INLINE ty_einsum_plan *ty_einsum_plan_new(const char *equation, ty_dtype dtype, int n,
                                             const ty_einsum_operand *operands, ty_einsum_options options) {
    return ty_einsum_plan_new_sized(equation, dtype, n, operands, &options, sizeof options);
}
/* Free a plan.  NULL is allowed. */
TY_API void ty_einsum_plan_free(ty_einsum_plan *plan);
/* Return the error message of a plan, "" if it is valid.  The text lives as long as the plan. */
TY_API const char *ty_einsum_plan_error(const ty_einsum_plan *plan);
/* Return the error of a plan as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_einsum_plan_failure(const ty_einsum_plan *plan);
/* Run a plan on n tensors of its shapes and dtype and return the result, poison on failure or if shapes or
   dtypes differ from the plan's.  The plan holds references to the operands until its next run.  Entries of
   constant operands are ignored and may be NULL. With promises or tracked tensors it records the contractions
   in the plan's order instead. */
TY_API ty_tensor *ty_einsum_plan_run(ty_einsum_plan *plan, int n, ty_tensor *const *operands);
TY_API void ty_einsum_plan_report_sized(const ty_einsum_plan *plan, ty_einsum_report *report, size_t size);
/* Write the costs of a plan to *report; zeros if it has failed. */
TY_INLINE void ty_einsum_plan_report(const ty_einsum_plan *plan, ty_einsum_report *report) {
    ty_einsum_plan_report_sized(plan, report, sizeof *report);
}
/* Format the path of a plan as a table of contractions, operations, bytes and predicted times.  The caller frees
   the text with ty_free; NULL: out of memory. */
TY_API char *ty_einsum_plan_text(const ty_einsum_plan *plan);

/* Matrix product a b by NumPy's rules: a [.., n, k], b [.., k, m] give [.., n, m]; the other axes broadcast.  A
   vector is a row on the left and a column on the right; that axis is missing in the result.  dtypes are promoted;
   integers are summed in their dtype and wrap; bool gives "or" of "and".  Poison if the summed sizes differ or an
   operand is 0-d. */
TY_API ty_tensor *ty_matmul(ty_tensor *a, ty_tensor *b);
/* Sum of products over the last axis of both operands; the other axes broadcast.  Nothing is conjugated.  The
   result has no last axis; dtypes are promoted.  Poison if the last axes differ in size. */
TY_API ty_tensor *ty_dot_product(ty_tensor *a, ty_tensor *b);

/* Outer product of both operands flattened: [size of a, size of b].  dtypes are promoted; poison if one is
   poisoned. */
TY_API ty_tensor *ty_outer(ty_tensor *a, ty_tensor *b);
/* Sum of products over the last axes, for all pairs of the other axes: a's, then b's in the result.  dtypes are
   promoted.  If one operand is 0-d, the elementwise product.  Nothing is conjugated.  Poison if the last axes
   differ in size. */
TY_API ty_tensor *ty_inner(ty_tensor *a, ty_tensor *b);
/* Sum of products of both operands flattened, the first one conjugated: 0-d, of the promoted dtype.  Poison if they
   differ in size. */
TY_API ty_tensor *ty_vdot(ty_tensor *a, ty_tensor *b);
/* Sum products over n pairs of axes: axes_a[i] of a with axes_b[i] of b, of equal sizes.  The result has a's other
   axes, then b's, and the promoted dtype; n = 0 gives the outer product.  Negative axes count from the end.  Poison
   if sizes differ or an axis is outside or repeated. */
TY_API ty_tensor *ty_tensordot(ty_tensor *a, ty_tensor *b, int n, const int64_t *axes_a,
                               const int64_t *axes_b);
/* Cross product of vectors of 2 or 3 elements along `axis` of both; the other axes broadcast.  The result has 3
   elements on that axis; a vector of 2 next to one of 3 has a third component of 0.  Two vectors of 2 elements give
   the third component alone, without the axis.  dtypes are promoted.  A negative axis counts from the end.  Poison
   for other sizes or an axis outside. */
TY_API ty_tensor *ty_cross(ty_tensor *a, ty_tensor *b, int axis);
/* Kronecker product: axis i of the result has a's size times b's.  Missing axes of the operand with fewer are added
   in front.  dtypes are promoted; poison if one is poisoned or has more than 32 axes. */
TY_API ty_tensor *ty_kron(ty_tensor *a, ty_tensor *b);
/* Sum of the diagonal of two axes of x on which index2 - index1 = `offset`; both axes are removed.  The result is
   [..] of the other axes.  Negative axes count from the end; integers are summed in i64 or u64.  Poison if axes are
   equal or outside. */
TY_API ty_tensor *ty_trace(ty_tensor *x, int64_t offset, int axis1, int axis2);

/* Options of convolutions, with one entry for each spatial axis in order.  Zero stands for the usual choice in
   every field. */
typedef struct ty_conv {
    int64_t stride[3];       /* 0 means 1 */
    int64_t dilation[3];     /* 0 means 1 */
    int64_t low[3], high[3]; /* zeros before and after, unless `same`; negative values crop */
    /* output size = ceil(input / stride); an odd amount of padding has one more at the end */
    bool same;
    /* as `same`, with the odd element at the beginning */
    bool same_lower;
    bool nchw;                 /* channels come before the spatial axes */
    int64_t groups;            /* number of independent groups of channels; 0 means 1 */
    int64_t output_padding[3]; /* transposed only: additional elements at the end of the result */
    /* 2 or 4: use Winograd's F(m x m, 3 x 3); 0 means sum products directly.  It applies to kernels of size 3 along
       each axis with stride and dilation 1, not transposed, in f32, f64 and complex dtypes.  m = 4 pays if weights
       are constants of a program, which transforms them once, and the image has at least a dozen tiles.  Its
       largest error in f32 is near 1e-5 of the largest value, ten times that of direct summation.  m = 2 is as
       exact as direct summation and gains less.  Temporaries take ((m + 2) / m)^n times the memory of x and of the
       result, for n spatial axes. */
    int winograd;
    int unused;
} ty_conv;
TY_API ty_tensor *ty_conv1d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *options, size_t size);
/*
 * Convolve (cross-correlate) x with w along one spatial axis.  dtypes are promoted; integers wrap, complex numbers
 * are not conjugated.  Poison if ranks, channels or sizes do not fit.
 *
 *   x (N,W,C), w (S,C/groups,K), result (N,W',K); with nchw (N,C,W), (K,C/groups,S), (N,K,W')
 *
 * Depthwise: groups = C, and K is C times the multiplier.  Add bias and activation with ty_add and the like: compiled
 * together, they run while the result is in the cache.  If w has infinities or NaN, it is unspecified whether padding
 * times those gives NaN.
 */
TY_INLINE ty_tensor *ty_conv1d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    return ty_conv1d_sized(x, w, &options, sizeof options);
}
TY_API ty_tensor *ty_conv2d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *options, size_t size);
/*
 * Convolve (cross-correlate) x with w along two spatial axes; poison if shapes do not fit.  dtypes are promoted;
 * integers wrap, complex numbers are not conjugated.
 *
 *   x (N,H,W,C), w (R,S,C/groups,K), result (N,H',W',K); with nchw (N,C,H,W), (K,C/groups,R,S), (N,K,H',W')
 */
TY_INLINE ty_tensor *ty_conv2d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    return ty_conv2d_sized(x, w, &options, sizeof options);
}
TY_API ty_tensor *ty_conv3d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *options, size_t size);
/*
 * Convolve (cross-correlate) x with w along three spatial axes; poison if shapes do not fit.  dtypes are promoted;
 * integers wrap, complex numbers are not conjugated.
 *
 *   x (N,D,H,W,C), w (Q,R,S,C/groups,K), result (N,D',H',W',K)
 *   with nchw (N,C,D,H,W), (K,C/groups,Q,R,S), (N,K,D',H',W')
 */
TY_INLINE ty_tensor *ty_conv3d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    return ty_conv3d_sized(x, w, &options, sizeof options);
}
TY_API ty_tensor *ty_conv_transpose1d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *options, size_t size);
/* Transposed convolution along one spatial axis, the adjoint of ty_conv1d by x: each element of x adds itself times
   the kernel to the result, at positions `stride` apart.  x is (N,W,C), w (S,C,K/groups), result (N,W',K); with
   nchw (N,C,W), (C,K/groups,S), (N,K,W').  Poison if shapes do not fit.  `low` and `high` are cropped from the
   result; with `same` it is stride times as long as x.  dtypes are promoted. */
TY_INLINE ty_tensor *ty_conv_transpose1d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    return ty_conv_transpose1d_sized(x, w, &options, sizeof options);
}
TY_API ty_tensor *ty_conv_transpose2d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *options, size_t size);
/* Transposed convolution along two spatial axes, the adjoint of ty_conv2d by x.  x is (N,H,W,C), w
   (R,S,C,K/groups), result (N,H',W',K); with nchw (N,C,H,W), (C,K/groups,R,S), (N,K,H',W').  Poison if shapes do
   not fit.  `low` and `high` are cropped from the result; with `same` it is stride times as long as x.  dtypes are
   promoted. */
TY_INLINE ty_tensor *ty_conv_transpose2d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    return ty_conv_transpose2d_sized(x, w, &options, sizeof options);
}
TY_API ty_tensor *ty_conv_transpose3d_sized(ty_tensor *x, ty_tensor *w, const ty_conv *options, size_t size);
/* Transposed convolution along three spatial axes, the adjoint of ty_conv3d by x.  x is (N,D,H,W,C), w
   (Q,R,S,C,K/groups), result (N,D',H',W',K); with nchw (N,C,D,H,W), (C,K/groups,Q,R,S), (N,K,D',H',W').  Poison if
   shapes do not fit.  `low` and `high` are cropped from the result; with `same` it is stride times as long as x.
   dtypes are promoted. */
TY_INLINE ty_tensor *ty_conv_transpose3d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    return ty_conv_transpose3d_sized(x, w, &options, sizeof options);
}

/* Product of matrices a [.., M, K] and b [.., K, N] of 8-bit integers, signed or unsigned, minus their zero points:
   [.., M, N] of i32, modulo 2^32; vectors as for ty_matmul.  a_zero is 0-d or one for each row (M), b_zero 0-d or
   one for each column (N), or broadcasts to those; NULL: 0.  Poison for other dtypes or shapes. */
TY_API ty_tensor *ty_matmul_integer(ty_tensor *a, ty_tensor *b, ty_tensor *a_zero, ty_tensor *b_zero);
TY_API ty_tensor *ty_conv_integer_sized(ty_tensor *x, ty_tensor *w, ty_tensor *x_zero, ty_tensor *w_zero,
                                        const ty_conv *options, size_t size);
/* Convolution of 8-bit integers minus their zero points, over the 1 to 3 spatial axes that x has, in shapes of
   ty_conv1d to ty_conv3d: i32, modulo 2^32.  Padding counts as x_zero (0-d); w_zero is 0-d or one for each output
   channel (K); NULL: 0.  Poison for other dtypes, or if shapes do not fit. */
TY_INLINE ty_tensor *ty_conv_integer(ty_tensor *x, ty_tensor *w, ty_tensor *x_zero, ty_tensor *w_zero,
                                     ty_conv options) {
    return ty_conv_integer_sized(x, w, x_zero, w_zero, &options, sizeof options);
}

TY_API ty_tensor *ty_unfold_sized(ty_tensor *x, const int64_t size[2], const ty_conv *options,
                                  size_t options_size);
/* Return the windows of x (N,C,H,W) as columns (im2col): (N,C*R*S,L), for L = H'*W' windows of size (R,S).  `size`
   is {R, S}; of the options stride, dilation and padding count.  Axis 1 is ordered by C, R, S; x's dtype stays.
   Poison if x has another rank or no window fits. */
TY_INLINE ty_tensor *ty_unfold(ty_tensor *x, const int64_t size[2], ty_conv options) {
    return ty_unfold_sized(x, size, &options, sizeof options);
}
TY_API ty_tensor *ty_unfold_add_sized(ty_tensor *columns, const int64_t plane[2], const int64_t size[2],
                                      const ty_conv *options, size_t options_size);
/* Add up columns (N,C*R*S,L) to planes (N,C,plane[0],plane[1]), each at the elements of its window: the adjoint of
   ty_unfold with the same size {R, S} and options.  Poison unless L is the number of windows and R*S divides axis
   1. */
TY_INLINE ty_tensor *ty_unfold_add(ty_tensor *columns, const int64_t plane[2], const int64_t size[2],
                                   ty_conv options) {
    return ty_unfold_add_sized(columns, plane, size, &options, sizeof options);
}

#ifdef __cplusplus
}
#endif
#endif
