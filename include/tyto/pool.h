/*
 * Pooling over windows along one, two or three axes.  Part of <tyto/tyto.h>, which says what holds
 * everywhere.
 *
 * x has a batch axis, a channel axis and 1, 2 or 3 spatial axes, as the function's name says: (N,H,W,C), or with
 * `nchw` (N,C,H,W).  Options have one entry for each spatial axis; further entries are ignored.
 */
#ifndef TYTO_POOL_H
#define TYTO_POOL_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_pool {
    int64_t size[3];         /* of a window; adaptive: of the result, 0 means the size of x */
    int64_t stride[3];       /* 0 means size */
    int64_t dilation[3];     /* distance between the elements of a window; 0 means 1 */
    int64_t low[3], high[3]; /* padding before and after, less than the extent of a window */
    bool same; /* padding such that the result has ceil(x / stride); an odd one has one more at the end */
    bool same_lower;    /* the same, with one more at the start */
    bool ceil;          /* an incomplete last window counts too, if it starts inside x or the low padding */
    bool nchw;          /* spatial axes are 2 and following instead of 1 and following */
    bool count_padding; /* average: padding counts as zeros; otherwise only elements of x are averaged */
    double divisor;     /* average: divide the sum by this; 0: by the number of elements */
    double power;       /* lp_pool: p, 1 or more; 0 means 2; infinity is the greatest modulus */
} ty_pool;

/* The greatest element.  Padding counts as the least value of the dtype; NaN wins.  Complex numbers are refused. */
TY_API ty_tensor *ty_max_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool3d(ty_tensor *x, ty_pool options);
/* i64: flat index of the greatest element in the spatial axes; the first of equal ones, or the first NaN; -1 for a
   window that lies entirely outside x. */
TY_API ty_tensor *ty_max_pool1d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool2d_index(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_max_pool3d_index(ty_tensor *x, ty_pool options);
/* The mean, floating for integers; f16 and bf16 are summed in f32. */
TY_API ty_tensor *ty_avg_pool1d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_avg_pool2d(ty_tensor *x, ty_pool options);
TY_API ty_tensor *ty_avg_pool3d(ty_tensor *x, ty_pool options);
/* The p-norm of each window: (sum of |x|^p)^(1/p), floating.  Unlike ty_norm it does not scale: of f32 and power 2, windows
   beyond 1e19 are infinity and below 1e-19 lose digits; ty_norm over the axes of ty_slide has neither. */
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

/* One window over all spatial axes, which stay with size 1; x has rank 3 or more. */
TY_API ty_tensor *ty_global_max_pool(ty_tensor *x, bool nchw);
TY_API ty_tensor *ty_global_avg_pool(ty_tensor *x, bool nchw);
TY_API ty_tensor *ty_global_lp_pool(ty_tensor *x, double power, bool nchw);

/* Zeros with the elements of x written at the indices that ty_max_pool..d_index found; index -1 is skipped, of
   duplicates the last one stays.  An index outside the result is an error when it is evaluated.  plane: spatial sizes of
   the result; NULL: (n - 1) * stride - low - high + the extent of a window. */
TY_API ty_tensor *ty_max_unpool1d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane);
TY_API ty_tensor *ty_max_unpool2d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane);
TY_API ty_tensor *ty_max_unpool3d(ty_tensor *x, ty_tensor *index, ty_pool options, const int64_t *plane);

#ifdef __cplusplus
}
#endif
#endif
