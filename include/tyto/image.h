/* Sampling between elements, and boxes: interpolation, grids, regions of interest, suppression.  Part of
   <tyto/tyto.h>, which says what holds everywhere.  f16 and bf16 are computed in f32 and rounded once. */
#ifndef TYTO_IMAGE_H
#define TYTO_IMAGE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interpolation ---- */

typedef enum ty_sampling { TY_NEAREST, TY_LINEAR, TY_CUBIC, TY_SAMPLINGS } ty_sampling;
/* "nearest", "linear" (also "bilinear", "trilinear"), "cubic" ("bicubic"); TY_SAMPLINGS for anything else. */
TY_API ty_sampling ty_sampling_named(const char *name);

/* Where element i of an axis of m (n before, scale s) stands among the old ones (ONNX Resize). */
typedef enum ty_coordinates {
    TY_HALF_PIXEL,             /* (i + 0.5) / s - 0.5 */
    TY_HALF_PIXEL_SYMMETRIC,   /* the same about the middle, when n * s is no whole number */
    TY_PYTORCH_HALF_PIXEL,     /* the same as the first; 0 when m is 1 */
    TY_ALIGN_CORNERS,          /* i * (n - 1) / (n * s - 1) */
    TY_ASYMMETRIC,             /* i / s */
    TY_HALF_PIXEL_FOR_NEAREST, /* (i + 0.5) / s: tf_half_pixel_for_nn */
    TY_CROP_AND_RESIZE,        /* (start + i * (end - start) / (n * s - 1)) * (n - 1): tf_crop_and_resize */
    TY_COORDINATES
} ty_coordinates;
/* By ONNX's names, "half_pixel" ... "tf_crop_and_resize"; TY_COORDINATES for anything else. */
TY_API ty_coordinates ty_coordinates_named(const char *name);

/* Which element is nearest. */
typedef enum ty_nearest {
    TY_ROUND_PREFER_FLOOR,
    TY_ROUND_PREFER_CEIL,
    TY_FLOOR,
    TY_CEIL,
    TY_NEAREST_RULES
} ty_nearest;
TY_API ty_nearest ty_nearest_named(const char *name); /* "round_prefer_floor" ... "ceil" */

/* What `sizes` mean: the very sizes, or the largest (least) of x's proportions that is nowhere larger
   (smaller). */
typedef enum ty_aspect { TY_STRETCH, TY_NOT_LARGER, TY_NOT_SMALLER, TY_ASPECTS } ty_aspect;
TY_API ty_aspect ty_aspect_named(const char *name); /* "stretch", "not_larger", "not_smaller" */

typedef struct ty_interpolation {
    ty_sampling sampling;
    ty_coordinates coordinates;
    ty_nearest nearest;
    ty_aspect aspect;
    double cubic;         /* the filter's coefficient a; 0 means -0.75 */
    double extrapolation; /* TY_CROP_AND_RESIZE: what stands outside of x */
    bool antialias;       /* linear, cubic: going down, the filter is as wide as what it averages */
    bool exclude_outside; /* elements outside of x weigh nothing, instead of repeating the edge */
    const double *scales; /* one of each axis: m = floor(n * s) */
    const int64_t *sizes; /* or the sizes m: s = m / n.  One of the two is given. */
    /* TY_CROP_AND_RESIZE: the starts, then the ends, of each axis; 1 is the last element */
    const double *roi;
} ty_interpolation;

/*
 * x interpolated along n axes (axes NULL: the last n): ONNX's Resize.  Nearest works on every dtype; the others on
 * floating and complex ones.  Gradients flow to x.  PyTorch's F.interpolate(x, size or scale_factor) is
 *   nearest                  {TY_NEAREST, TY_ASYMMETRIC, TY_FLOOR}
 *   nearest-exact            {TY_NEAREST, TY_HALF_PIXEL, TY_ROUND_PREFER_CEIL}
 *   linear, bicubic          {TY_LINEAR, TY_HALF_PIXEL} {TY_CUBIC, TY_HALF_PIXEL}
 *   align_corners=True       the same with TY_ALIGN_CORNERS and sizes
 *   antialias=True           the same with antialias, exclude_outside, and of bicubic cubic = -0.5
 *   recompute_scale_factor   sizes instead of scales
 */
TY_API ty_tensor *ty_interpolate(ty_tensor *x, int n, const int *axes, ty_interpolation options);
/* x (N,C,..) or, channels_last, (N,..,C) with its spatial axes `factor` times as long: TY_NEAREST repeats
   elements, the others interpolate by half pixels. */
TY_API ty_tensor *ty_upsample(ty_tensor *x, int64_t factor, ty_sampling sampling, bool channels_last);

/* ---- sampling at any points ---- */

typedef enum ty_outside {
    TY_OUTSIDE_ZEROS,
    TY_OUTSIDE_BORDER,
    TY_OUTSIDE_REFLECTION,
    TY_OUTSIDES
} ty_outside;
TY_API ty_outside ty_outside_named(const char *name); /* "zeros", "border", "reflection" */

typedef struct ty_grid_options {
    ty_sampling sampling; /* nearest: halves go to the even element */
    ty_outside outside;   /* what stands outside of x */
    bool align_corners;   /* -1 and 1 are the middles of the first and last element, not their outer edges */
    bool channels_last;   /* x is (N,..,C) and so is the result */
} ty_grid_options;
/*
 * x (N,C,H,W) or (N,C,D,H,W) at the points of grid (N,..,2) or (N,..,3), whose last axis is x, y(, z) between -1
 * and 1: (N,C,..).  1-D likewise.  Gradients flow to x and grid (of nearest: to x).  A point at infinity is outside;
 * at NaN, and mirrored at infinity, the result is NaN, but 0 where zeros stand outside.
 */
TY_API ty_tensor *ty_grid_sample(ty_tensor *x, ty_tensor *grid, ty_grid_options options);
/* theta (N,2,3) or (N,3,4), and the n = 2 or 3 sizes of a grid (H,W) or (D,H,W): the grid (N,..,n) of theta times
   (x, y(, z), 1). */
TY_API ty_tensor *ty_affine_grid(ty_tensor *theta, int n, const int64_t *sizes, bool align_corners);

/* ---- regions and boxes ---- */

typedef struct ty_roi_options {
    int64_t size[2]; /* bins of the result on H and W */
    int64_t samples; /* on each axis of a bin; 0: as many as the bin has elements, rounded up */
    double scale;    /* of the regions' coordinates to x's; 0 means 1 */
    bool max;        /* the greatest of a bin's samples instead of their mean */
    bool corners;    /* max: of a sample's four weighted neighbours, not of their sum: ONNX's reference */
    bool half_pixel; /* coordinates are of outer edges: torchvision's aligned=True, ONNX's half_pixel */
} ty_roi_options;
/*
 * x (N,C,H,W); regions (R,4) of x1, y1, x2, y2; batch i64 (R), which of the N images each is in, negative ones from
 * the last on: (R,C,size..).
 * RoiAlign of ONNX.  With `samples` 0 the regions' values must be known: promises are evaluated.  Gradients flow to
 * x; one by the regions is not known and an error when asked for.  Regions that depend on a variable (ty_var) are detached
 * (ty_detach) first, which says that none is asked for.
 */
TY_API ty_tensor *ty_roi_align(ty_tensor *x, ty_tensor *regions, ty_tensor *batch, ty_roi_options options);

typedef struct ty_nms_options {
    int64_t most;   /* boxes that each class of each image keeps; 0 keeps none, as ONNX has it */
    double overlap; /* a box is dropped when its intersection over union with a kept one is greater */
    double score;   /* with use_score: boxes must have a greater one */
    bool use_score;
    bool centre; /* boxes are centre and size (x, y, width, height) instead of two opposite corners */
} ty_nms_options;
/*
 * boxes (B,N,4), scores (B,C,N): i64 (n,3) of image, class and box, by image, class and falling score; of equal
 * scores the first box.  A score that is NaN is never kept.  ONNX's NonMaxSuppression.  Promises are evaluated.
 */
TY_API ty_tensor *ty_nms(ty_tensor *boxes, ty_tensor *scores, ty_nms_options options);
/* The same of a size that is known before: i64 (B,C,min(most, N)) of boxes, -1 behind the last. */
TY_API ty_tensor *ty_nms_padded(ty_tensor *boxes, ty_tensor *scores, ty_nms_options options);
/* boxes (N,4), scores (N): i64 (n), the kept ones by falling score: torchvision.ops.nms. */
TY_API ty_tensor *ty_nms_indices(ty_tensor *boxes, ty_tensor *scores, double overlap);

#ifdef __cplusplus
}
#endif
#endif
