/*
 * Pooling over windows along one, two or three axes.  Part of <tyto/tyto.h>, which says what holds
 * everywhere.
 *
 * x has a batch axis, a channel axis and the 1, 2 or 3 windowed ones that the function's name tells:
 * (N,H,W,C), or (N,C,H,W) with `nchw`.  Only as many entries of the options as there are windowed axes count.
 */
#ifndef TYTO_POOL_H
#define TYTO_POOL_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_pool {
    int64_t size[3];         /* of a window; adaptive: of the result, 0 for as many as x has */
    int64_t stride[3];       /* 0 means size */
    int64_t dilation[3];     /* 0 means 1: between the places of a window */
    int64_t low[3], high[3]; /* padding, less than what a window spans */
    bool same;               /* a result of ceil(x / stride) instead; of odd padding the rest at the end */
    bool same_lower;         /* the same with the rest at the start */
    bool ceil;               /* a last window that is not whole counts, if it starts in x or before it */
    bool nchw;               /* windows run along axes 2.. instead of 1.. */
    bool count_padding;      /* average: padding counts as zeros, otherwise only what is in x is averaged */
    double divisor;          /* average: divides the sum instead of the count; 0: the count */
    double power;            /* lp_pool: p, 1 or more; 0 means 2; infinity is the greatest modulus */
} ty_pool;

/* The greatest.  Padding is minus infinity (the dtype's least value); NaN wins.  Complex numbers are refused.
 */
TY_API ty_tensor *ty_max_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool3d(ty_tensor *x, ty_pool options);
/* i64: row-major place of the greatest within the windowed axes; the first of equals, the first NaN; -1 for a
   window of which nothing is in x. */
TY_API ty_tensor *ty_max_pool1d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool2d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool3d_index(ty_tensor *x, ty_pool options);
/* The mean; of integers floating, and f16 and bf16 are summed as f32. */
TY_API ty_tensor *ty_avg_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_avg_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_avg_pool3d(ty_tensor *x, ty_pool options);
/* The p-norm of each window: (sum of |x|^p)^(1/p), floating. */
TY_API ty_tensor *ty_lp_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_lp_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_lp_pool3d(ty_tensor *x, ty_pool options);

/* As many windows as `size` says, window i of o along an axis of n from floor(i n / o) to before ceil((i+1) n
   / o). Besides size and nchw no option may be given. */
TY_API ty_tensor *ty_adaptive_max_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_max_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_max_pool3d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_max_pool1d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_max_pool2d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_max_pool3d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_avg_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_avg_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_adaptive_avg_pool3d(ty_tensor *x, ty_pool options);

/* One window over all of every axis but the batch and the channels; x of rank 3 or more, the axes stay as 1.
 */
TY_API ty_tensor *ty_global_max_pool(ty_tensor *x, bool nchw);
TY_API ty_tensor *ty_global_avg_pool(ty_tensor *x, bool nchw);
TY_API ty_tensor *ty_global_lp_pool(ty_tensor *x, double power, bool nchw);

/* Zeros with x's elements at the places that ty_max_pool..d_index found, but for those of place -1; of several
   at one place the last stays.  A place beyond the plane fails when it is evaluated; the sentence counts from
   the place -1.  plane: sizes of the windowed axes of the result; NULL: (n - 1) stride - low - high + what a
   window spans. */
TY_API ty_tensor *ty_max_unpool1d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane);
TY_API ty_tensor *ty_max_unpool2d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane);
TY_API ty_tensor *ty_max_unpool3d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane);

#ifdef __cplusplus
}
#endif
#endif
