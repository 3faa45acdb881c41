/*
 * Pooling over windows along one, two or three axes.  Part of <tyto/tyto.h>, which states the rules that hold for all
 * functions.
 *
 * x has a batch axis, a channel axis and 1, 2 or 3 spatial axes, as the function's name says: (N,H,W,C), or with
 * `nchw` (N,C,H,W).  The result has the same order of axes.  Options have one entry for each spatial axis; further
 * entries are ignored.  Poison if the rank or an option does not fit.
 */
#ifndef TYTO_POOL_H
#define TYTO_POOL_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of pooling. */
typedef struct ty_pool {
    int64_t size[3];         /* of a window; adaptive: of the result, 0 means the size of x */
    int64_t stride[3];       /* 0 means size */
    int64_t dilation[3];     /* distance between the elements of a window; 0 means 1 */
    int64_t low[3], high[3]; /* padding before and after */
    /* padding such that the result has ceil(x / stride) elements; an odd amount has one more at the end */
    bool same;
    /* as `same`, with the odd element at the start */
    bool same_lower;
    /* an incomplete last window counts too, if it starts inside x or the low padding */
    bool ceil;
    /* spatial axes are 2 and following instead of 1 and following */
    bool nchw;
    /* average: padding counts as zeros; otherwise only elements of x are averaged */
    bool count_padding;
    /* average: the divisor of the sum; 0 means the number of elements */
    double divisor;
    /* lp_pool: p, at least 1; 0 means 2; infinity: the greatest modulus */
    double power;
} ty_pool;

TY_API ty_tensor *ty_max_pool1d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Maximum of each window along the spatial axis of x, (N,W,C) or with nchw (N,C,W).  The result has x's dtype and
   order of axes.  Padding counts as the least value of the dtype; NaN wins.  Poison for complex numbers, or if the
   rank or an option does not fit. */
TY_INLINE ty_tensor *ty_max_pool1d(ty_tensor *x, ty_pool options) {
    return ty_max_pool1d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_max_pool2d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Maximum of each window along the two spatial axes of x, (N,H,W,C) or with nchw (N,C,H,W).  The result has x's
   dtype and order of axes.  Padding counts as the least value of the dtype; NaN wins.  Poison for complex numbers,
   or if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_max_pool2d(ty_tensor *x, ty_pool options) {
    return ty_max_pool2d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_max_pool3d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Maximum of each window along the three spatial axes of x, (N,D,H,W,C) or with nchw (N,C,D,H,W).  The result has
   x's dtype and order of axes.  Padding counts as the least value of the dtype; NaN wins.  Poison for complex
   numbers, or if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_max_pool3d(ty_tensor *x, ty_pool options) {
    return ty_max_pool3d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_max_pool1d_index_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Index of each window's maximum along the spatial axis of x, (N,W,C) or with nchw (N,C,W): i64, counted from
   0: the first of equal ones, or the first NaN; -1 for a window entirely outside x.  Poison for complex x or if
   the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_max_pool1d_index(ty_tensor *x, ty_pool options) {
    return ty_max_pool1d_index_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_max_pool2d_index_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Flat row-major index of each window's maximum in the two spatial axes (H,W) of x, (N,H,W,C) or with nchw
   (N,C,H,W): i64, counted from 0: the first of equal ones, or the first NaN; -1 for a window entirely outside
   x.  Poison for complex x or if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_max_pool2d_index(ty_tensor *x, ty_pool options) {
    return ty_max_pool2d_index_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_max_pool3d_index_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Flat row-major index of each window's maximum in the three spatial axes (D,H,W) of x, (N,D,H,W,C) or with
   nchw (N,C,D,H,W): i64, counted from 0: the first of equal ones, or the first NaN; -1 for a window entirely
   outside x.  Poison for complex x or if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_max_pool3d_index(ty_tensor *x, ty_pool options) {
    return ty_max_pool3d_index_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_avg_pool1d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Mean of each window along the spatial axis of x, (N,W,C) or with nchw (N,C,W); floating for integers, in x's
   order of axes.  f16 and bf16 are summed in f32.  Poison if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_avg_pool1d(ty_tensor *x, ty_pool options) {
    return ty_avg_pool1d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_avg_pool2d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Mean of each window along the two spatial axes of x, (N,H,W,C) or with nchw (N,C,H,W); floating for integers, in
   x's order of axes.  f16 and bf16 are summed in f32.  Poison if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_avg_pool2d(ty_tensor *x, ty_pool options) {
    return ty_avg_pool2d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_avg_pool3d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Mean of each window along the three spatial axes of x, (N,D,H,W,C) or with nchw (N,C,D,H,W); floating for
   integers, in x's order of axes.  f16 and bf16 are summed in f32.  Poison if the rank or an option does not fit. */
TY_INLINE ty_tensor *ty_avg_pool3d(ty_tensor *x, ty_pool options) {
    return ty_avg_pool3d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_lp_pool1d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* p-norm of each window along the spatial axis of x, (N,W,C) or with nchw (N,C,W): (sum of |x|^p)^(1/p), real
   and floating, with p = options.power.  Not scaled as ty_norm is: in f32 with p = 2, norms above 1e19 give
   infinity and those below 1e-19 lose digits.  Poison if p is below 1 (0 means 2), or if the rank or another
   option does not fit. */
TY_INLINE ty_tensor *ty_lp_pool1d(ty_tensor *x, ty_pool options) {
    return ty_lp_pool1d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_lp_pool2d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* p-norm of each window along the two spatial axes of x, (N,H,W,C) or with nchw (N,C,H,W): (sum of |x|^p)^(1/p),
   real and floating, with p = options.power.  Not scaled against overflow: in f32 with p = 2, norms above 1e19 give
   infinity.  Poison if p is below 1 (0 means 2), or if the rank or another option does not fit. */
TY_INLINE ty_tensor *ty_lp_pool2d(ty_tensor *x, ty_pool options) {
    return ty_lp_pool2d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_lp_pool3d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* p-norm of each window along the three spatial axes of x, (N,D,H,W,C) or with nchw (N,C,D,H,W): (sum of
   |x|^p)^(1/p), real and floating, with p = options.power.  Not scaled against overflow: in f32 with p = 2, norms
   above 1e19 give infinity.  Poison if p is below 1 (0 means 2), or if the rank or another option does not fit. */
TY_INLINE ty_tensor *ty_lp_pool3d(ty_tensor *x, ty_pool options) {
    return ty_lp_pool3d_sized(x, &options, sizeof options);
}

/* Adaptive pooling: `size` gives the number of windows.  Window i of o along an axis of n reaches from floor(i n /
   o) up to but excluding ceil((i+1) n / o).  Options other than size and nchw give poison. */

TY_API ty_tensor *ty_adaptive_max_pool1d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the maximum of each of options.size[0] adaptive windows along the spatial axis of x, (N,W,C) or with
   nchw (N,C,W), in x's dtype.  Size 0 means that of x; complex x and options other than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_max_pool1d(ty_tensor *x, ty_pool options) {
    return ty_adaptive_max_pool1d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_max_pool2d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the maximum of each of options.size[0] by size[1] adaptive windows along the spatial axes of x,
   (N,H,W,C) or with nchw (N,C,H,W), in x's dtype.  Size 0 means that of x; complex x and options other than size
   and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_max_pool2d(ty_tensor *x, ty_pool options) {
    return ty_adaptive_max_pool2d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_max_pool3d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the maximum of each of options.size[0] by size[1] by size[2] adaptive windows along the spatial axes
   of x, (N,D,H,W,C) or with nchw (N,C,D,H,W), in x's dtype.  Size 0 means that of x; complex x and options other
   than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_max_pool3d(ty_tensor *x, ty_pool options) {
    return ty_adaptive_max_pool3d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_max_pool1d_index_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the index along the spatial axis of the maximum of each of options.size[0] adaptive windows of x,
   (N,W,C) or with nchw (N,C,W): i64, counted from 0, the first of equal ones.  Size 0 means that of x.  Complex
   x and options other than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_max_pool1d_index(ty_tensor *x, ty_pool options) {
    return ty_adaptive_max_pool1d_index_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_max_pool2d_index_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the flat row-major index in the spatial axes (H,W) of the maximum of each of options.size[0] by
   size[1] adaptive windows of x, (N,H,W,C) or with nchw (N,C,H,W): i64, counted from 0, the first of equal
   ones.  Size 0 means that of x.  Complex x and options other than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_max_pool2d_index(ty_tensor *x, ty_pool options) {
    return ty_adaptive_max_pool2d_index_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_max_pool3d_index_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the flat row-major index in the spatial axes (D,H,W) of the maximum of each of options.size[0] by
   size[1] by size[2] adaptive windows of x, (N,D,H,W,C) or with nchw (N,C,D,H,W): i64, counted from 0, the
   first of equal ones.  Size 0 means that of x.  Complex x and options other than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_max_pool3d_index(ty_tensor *x, ty_pool options) {
    return ty_adaptive_max_pool3d_index_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_avg_pool1d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the mean, floating for integers, of each of options.size[0] adaptive windows along the spatial axis of
   x, (N,W,C) or with nchw (N,C,W).  Size 0 means that of x; options other than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_avg_pool1d(ty_tensor *x, ty_pool options) {
    return ty_adaptive_avg_pool1d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_avg_pool2d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the mean, floating for integers, of each of options.size[0] by size[1] adaptive windows along the
   spatial axes of x, (N,H,W,C) or with nchw (N,C,H,W).  Size 0 means that of x; options other than size and
   nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_avg_pool2d(ty_tensor *x, ty_pool options) {
    return ty_adaptive_avg_pool2d_sized(x, &options, sizeof options);
}
TY_API ty_tensor *ty_adaptive_avg_pool3d_sized(ty_tensor *x, const ty_pool *options, size_t size);
/* Return the mean, floating for integers, of each of options.size[0] by size[1] by size[2] adaptive windows
   along the spatial axes of x, (N,D,H,W,C) or with nchw (N,C,D,H,W).  Size 0 means that of x; options other
   than size and nchw give poison. */
TY_INLINE ty_tensor *ty_adaptive_avg_pool3d(ty_tensor *x, ty_pool options) {
    return ty_adaptive_avg_pool3d_sized(x, &options, sizeof options);
}

/* Maximum over all spatial axes of x, (N,..,C) or with nchw (N,C,..), which stay with size 1; of x's dtype.  Poison
   for complex x or a rank below 3. */
TY_API ty_tensor *ty_global_max_pool(ty_tensor *x, bool nchw);
/* Mean over all spatial axes of x, (N,..,C) or with nchw (N,C,..), which stay with size 1; floating for
   integers.  Poison unless x has rank 3 or more. */
TY_API ty_tensor *ty_global_avg_pool(ty_tensor *x, bool nchw);
/* Norm of order `power` (1 or more; 0: 2) over all spatial axes of x, (N,..,C) or with nchw (N,C,..), which stay
   with size 1: real and floating.  Poison unless x has rank 3 or more. */
TY_API ty_tensor *ty_global_lp_pool(ty_tensor *x, double power, bool nchw);

/* Unpooling: zeros with the elements of x written at the indices that ty_max_pool..d_index found; an index of -1 is
   skipped, and of duplicates the last one counts.  An index outside the result is an error when it is evaluated.
   `plane` has the spatial sizes of the result; NULL: (n - 1) * stride - low - high + the extent of a window. */

TY_API ty_tensor *ty_max_unpool1d_sized(ty_tensor *x, ty_tensor *index, const ty_pool *options, size_t size,
                                        const int64_t *plane);
/* Invert ty_max_pool1d: write the elements of x into zeros of its dtype at `index`, an integer tensor of x's shape,
   as ty_max_pool1d_index gives with the same options.  -1 is skipped; of equal indices the last counts; one outside
   the result gives poison, for a promise when it is evaluated.  plane[0]: the spatial size of the result; NULL: (n
   - 1) * stride - low - high + the extent of a window, for axis size n of x. */
TY_INLINE ty_tensor *ty_max_unpool1d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane) {
    return ty_max_unpool1d_sized(x, index, &options, sizeof options, plane);
}
TY_API ty_tensor *ty_max_unpool2d_sized(ty_tensor *x, ty_tensor *index, const ty_pool *options, size_t size,
                                        const int64_t *plane);
/* Invert ty_max_pool2d: write the elements of x into zeros of its dtype at `index`, an integer tensor of x's shape,
   as ty_max_pool2d_index gives with the same options.  -1 is skipped; of equal indices the last counts; one outside
   the result gives poison, for a promise when it is evaluated.  plane[0..1]: the spatial sizes of the result; NULL:
   (n - 1) * stride - low - high + the extent of a window, for axis size n of x. */
TY_INLINE ty_tensor *ty_max_unpool2d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane) {
    return ty_max_unpool2d_sized(x, index, &options, sizeof options, plane);
}
TY_API ty_tensor *ty_max_unpool3d_sized(ty_tensor *x, ty_tensor *index, const ty_pool *options, size_t size,
                                        const int64_t *plane);
/* Invert ty_max_pool3d: write the elements of x into zeros of its dtype at `index`, an integer tensor of x's shape,
   as ty_max_pool3d_index gives with the same options.  -1 is skipped; of equal indices the last counts; one outside
   the result gives poison, for a promise when it is evaluated.  plane[0..2]: the spatial sizes of the result; NULL:
   (n - 1) * stride - low - high + the extent of a window, for axis size n of x. */
TY_INLINE ty_tensor *ty_max_unpool3d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane) {
    return ty_max_unpool3d_sized(x, index, &options, sizeof options, plane);
}

#ifdef __cplusplus
}
#endif
#endif
