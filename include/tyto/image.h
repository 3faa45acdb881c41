/* Interpolation, sampling at arbitrary points, regions of interest and non-maximum suppression.  Part of
   <tyto/tyto.h>, which states the rules that hold for all functions.  f16 and bf16 are computed in f32 and rounded
   once. */
#ifndef TYTO_IMAGE_H
#define TYTO_IMAGE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interpolation ---- */

/* Interpolation between elements. */
typedef enum ty_sampling { TY_NEAREST, TY_LINEAR, TY_CUBIC, TY_SAMPLINGS } ty_sampling;
/* Return the interpolation of pixels by its name: "nearest", "linear" (also "bilinear", "trilinear") or
   "cubic" ("bicubic").  TY_SAMPLINGS, which the functions refuse, if there is none. */
TY_API ty_sampling ty_sampling_named(const char *name);

/* Position in x of element i of the result, for an axis of n elements, m in the result, and scale s (ONNX Resize). */
typedef enum ty_coordinates {
    TY_HALF_PIXEL,             /* (i + 0.5) / s - 0.5 */
    TY_HALF_PIXEL_SYMMETRIC,   /* as TY_HALF_PIXEL, about the centre if n * s is no whole number */
    TY_PYTORCH_HALF_PIXEL,     /* as TY_HALF_PIXEL; 0 if m is 1 */
    TY_ALIGN_CORNERS,          /* i * (n - 1) / (n * s - 1) */
    TY_ASYMMETRIC,             /* i / s */
    TY_HALF_PIXEL_FOR_NEAREST, /* (i + 0.5) / s: tf_half_pixel_for_nn */
    TY_CROP_AND_RESIZE,        /* (start + i * (end - start) / (n * s - 1)) * (n - 1): tf_crop_and_resize */
    TY_COORDINATES
} ty_coordinates;
/* Return the rule of ONNX's name: "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
   "asymmetric", "tf_half_pixel_for_nn" or "tf_crop_and_resize".  TY_COORDINATES, which is refused, if there is none. */
TY_API ty_coordinates ty_coordinates_named(const char *name);

/* Rounding of a position to the nearest element. */
typedef enum ty_nearest {
    TY_ROUND_PREFER_FLOOR,
    TY_ROUND_PREFER_CEIL,
    TY_FLOOR,
    TY_CEIL,
    TY_NEAREST_RULES
} ty_nearest;
/* Return the rounding to a pixel by its name: "round_prefer_floor", "round_prefer_ceil", "floor" or "ceil".
   TY_NEAREST_RULES, which the functions refuse, if there is none. */
TY_API ty_nearest ty_nearest_named(const char *name);

/* Meaning of `sizes`: exact sizes, or the largest (smallest) sizes in x's proportions that exceed none (fall below
   none). */
typedef enum ty_aspect { TY_STRETCH, TY_NOT_LARGER, TY_NOT_SMALLER, TY_ASPECTS } ty_aspect;
/* Return the rule for proportions by its name: "stretch", "not_larger" or "not_smaller".  TY_ASPECTS, which
   the functions refuse, if there is none. */
TY_API ty_aspect ty_aspect_named(const char *name);

/* Options of ty_interpolate.  Exactly one of `scales` and `sizes` is given; both have one entry for each axis. */
typedef struct ty_interpolation {
    ty_sampling sampling;
    ty_coordinates coordinates;
    ty_nearest nearest;
    ty_aspect aspect;
    double cubic;         /* coefficient a of the cubic filter; 0 means -0.75 */
    double extrapolation; /* TY_CROP_AND_RESIZE: value outside x */
    bool antialias;       /* linear, cubic: when shrinking, widen the filter to cover all elements averaged */
    bool exclude_outside; /* elements outside x weigh nothing, instead of repeating the edge */
    const double *scales; /* scale s of each axis: m = floor(n * s) */
    const int64_t *sizes; /* size m of each axis: s = m / n */
    /* TY_CROP_AND_RESIZE: the starts of all axes, then the ends; 1 is the last element */
    const double *roi;
} ty_interpolation;

TY_API ty_tensor *ty_interpolate_sized(ty_tensor *x, int n, const int *axes, const ty_interpolation *options,
                                       size_t size);
/*
 * Resize x by interpolation along n axes (axes NULL: the last n; negative ones count from the end), as ONNX's
 * Resize.  Axis axes[i] gets options.sizes[i] elements, or floor(size * options.scales[i]); the other axes and the
 * dtype stay.  Nearest works on every dtype, the others on floating and complex ones.  Poison for other dtypes, an
 * axis outside or repeated, or options that do not fit.  Gradients flow to x.
 *
 * PyTorch's F.interpolate(x, size or scale_factor) is
 *   nearest                  {TY_NEAREST, TY_ASYMMETRIC, TY_FLOOR};
 *   nearest-exact            {TY_NEAREST, TY_HALF_PIXEL, TY_ROUND_PREFER_CEIL};
 *   linear, bicubic          {TY_LINEAR, TY_HALF_PIXEL} {TY_CUBIC, TY_HALF_PIXEL};
 *   align_corners=True       the same with TY_ALIGN_CORNERS and sizes;
 *   antialias=True           the same with antialias, exclude_outside, and for bicubic cubic = -0.5;
 *   recompute_scale_factor   sizes instead of scales;
 */
TY_INLINE ty_tensor *ty_interpolate(ty_tensor *x, int n, const int *axes, ty_interpolation options) {
    return ty_interpolate_sized(x, n, axes, &options, sizeof options);
}
/* Enlarge the spatial axes of x (N,C,..), with channels_last (N,..,C), by a factor of 1 or more; the dtype stays.
   TY_NEAREST repeats elements; the other samplings interpolate by half pixels.  Poison if the factor is below 1, x
   has no spatial axis, or integers are interpolated. */
TY_API ty_tensor *ty_upsample(ty_tensor *x, int64_t factor, ty_sampling sampling, bool channels_last);

/* ---- sampling at arbitrary points ---- */

/* Values outside x. */
typedef enum ty_outside {
    TY_OUTSIDE_ZEROS,
    TY_OUTSIDE_BORDER,
    TY_OUTSIDE_REFLECTION,
    TY_OUTSIDES
} ty_outside;
/* Return the rule for points outside of an image by its name: "zeros", "border" or "reflection".
   TY_OUTSIDES, which the functions refuse, if there is none. */
TY_API ty_outside ty_outside_named(const char *name);

/* Options of ty_grid_sample. */
typedef struct ty_grid_options {
    ty_sampling sampling; /* nearest: halves go to the even element */
    ty_outside outside;   /* values outside x */
    bool align_corners;   /* -1 and 1 are the centres of the first and last element, not their outer edges */
    bool channels_last;   /* x is (N,..,C), and so is the result */
    bool unused[2];
} ty_grid_options;
TY_API ty_tensor *ty_grid_sample_sized(ty_tensor *x, ty_tensor *grid, const ty_grid_options *options,
                                       size_t size);
/*
 * Sample x (N,C,W), (N,C,H,W) or (N,C,D,H,W) at the points of grid (N,..,1), (N,..,2) or (N,..,3), whose last axis
 * is x, y(, z) between -1 and 1.  Poison if shapes do not fit, x is not floating or complex, or grid is not
 * floating.  The result is (N,C,..), with channels_last (N,..,C), of x's dtype.
 *
 * Gradients flow to x and grid (nearest: to x).  A point at infinity is outside x.  At NaN, or if mirrored at
 * infinity, the result is NaN, but 0 if zeros lie outside.
 */
TY_INLINE ty_tensor *ty_grid_sample(ty_tensor *x, ty_tensor *grid, ty_grid_options options) {
    return ty_grid_sample_sized(x, grid, &options, sizeof options);
}
/* Return the grid (N,..,n), of theta's dtype, for ty_grid_sample that theta (N,2,3) or (N,3,4) maps to: theta times
   (x, y(, z), 1), from -1 to 1. sizes has the n = 2 or 3 sizes of the grid, (H,W) or (D,H,W).  align_corners: -1
   and 1 are the centres of the first and last element, not their outer edges.  Poison unless theta has such a shape
   and is floating. */
TY_API ty_tensor *ty_affine_grid(ty_tensor *theta, int n, const int64_t *sizes, bool align_corners);

/* ---- regions and boxes ---- */

/* Options of ty_roi_align. */
typedef struct ty_roi_options {
    int64_t size[2]; /* bins of the result along H and W */
    /* samples along each axis of a bin; 0 means the number of elements in the bin, rounded up */
    int64_t samples;
    double scale; /* factor from the regions' coordinates to x's; 0 means 1 */
    bool max;     /* take the maximum of a bin's samples instead of their mean */
    /* max: over the four weighted neighbours of each sample, not over their sum: ONNX's reference */
    bool corners;
    bool half_pixel; /* coordinates are those of outer edges: torchvision's aligned=True, ONNX's half_pixel */
    bool unused[5];
} ty_roi_options;
TY_API ty_tensor *ty_roi_align_sized(ty_tensor *x, ty_tensor *regions, ty_tensor *batch,
                                     const ty_roi_options *options, size_t size);
/*
 * Pool regions of x (N,C,H,W) into bins, as ONNX's RoiAlign: (R,C,size[0],size[1]), of x's dtype.  regions is (R,4)
 * of x1, y1, x2, y2.  batch, i64 (R), is the index of each region's image in 0..N-1, negative ones from the end;
 * one outside gives poison.  x and regions are floating, else poison.
 *
 * With `samples` 0 the values of regions must be known, so promises are evaluated.  Gradients flow to x; asking for
 * one by the regions is an error.  If regions depend on a variable (ty_var), detach them (ty_detach) first, to state
 * that no gradient is wanted.
 */
TY_INLINE ty_tensor *ty_roi_align(ty_tensor *x, ty_tensor *regions, ty_tensor *batch,
                                  ty_roi_options options) {
    return ty_roi_align_sized(x, regions, batch, &options, sizeof options);
}

/* Options of non-maximum suppression. */
typedef struct ty_nms_options {
    int64_t most;   /* greatest number of boxes kept for each class of each image; 0 means all; -1: none */
    double overlap; /* a box is dropped if its intersection over union with a kept one is greater */
    double score;   /* with use_score: only boxes of a greater score are kept */
    bool use_score;
    bool centre; /* boxes are centre and size (x, y, width, height) instead of two opposite corners */
    bool unused[6];
} ty_nms_options;
TY_API ty_tensor *ty_nms_sized(ty_tensor *boxes, ty_tensor *scores, const ty_nms_options *options,
                               size_t size);
/* Non-maximum suppression of boxes (B,N,4) with scores (B,C,N), as ONNX's NonMaxSuppression.  Returns i64 (n,3):
   image, class and box, counted from 0, sorted by image, class and descending score.  Of equal scores the first box
   comes first; a NaN score is never kept.  Promises are evaluated, since the size depends on values.  Poison if
   shapes do not fit, or options.overlap is outside 0..1. */
TY_INLINE ty_tensor *ty_nms(ty_tensor *boxes, ty_tensor *scores, ty_nms_options options) {
    return ty_nms_sized(boxes, scores, &options, sizeof options);
}
TY_API ty_tensor *ty_nms_padded_sized(ty_tensor *boxes, ty_tensor *scores, const ty_nms_options *options,
                                      size_t size);
/* Non-maximum suppression of boxes (B,N,4) with scores (B,C,N) and a result of fixed size: i64
   (B,C,min(options.most, N)).  It holds the indices, from 0, of the kept boxes of each class by descending score,
   padded with -1.  Promises stay promises.  Poison if shapes do not fit, or options.overlap is outside 0..1. */
TY_INLINE ty_tensor *ty_nms_padded(ty_tensor *boxes, ty_tensor *scores, ty_nms_options options) {
    return ty_nms_padded_sized(boxes, scores, &options, sizeof options);
}
/* Non-maximum suppression of boxes (N,4), two opposite corners each, with scores (N), as torchvision.ops.nms.
   Returns i64 (n), the indices, from 0, of the kept boxes by descending score.  A box is dropped if its
   intersection over union with a kept one exceeds `overlap`.  Promises are evaluated.  Poison if shapes do not fit,
   or `overlap` is outside 0..1. */
TY_API ty_tensor *ty_nms_indices(ty_tensor *boxes, ty_tensor *scores, double overlap);

#ifdef __cplusplus
}
#endif
#endif
