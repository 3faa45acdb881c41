/* Images: resizing, sampling, regions. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/image.h>
#include <tyto/math.h>
#include "array/dtype.h"
#include "onnx/ops/rows.h"

/* ---- resizing ---- */

/* Round to the nearest integers, and saturate, as the reference of ONNX does.  ONNX Runtime truncates. */
static ty_tensor *rounded(ty_tensor *y, ty_dtype dtype) {
    if (!dtype_is(dtype, CLASS_INTEGER)) return ty_cast(y, dtype);
    bool sign = !dtype_is(dtype, CLASS_UNSIGNED);
    double end = ldexp(1, ty_dtype_bits(dtype) - sign), most = fmin(end - 1, nextafter(end, 0));
    return ty_cast(ty_clip(ty_round(y), ty_num(sign ? -end : 0), ty_num(most)), dtype);
}

/* Interpolate x; dtypes other than floating ones are computed in f64 unless elements are only copied. */
static ty_tensor *interpolated(ty_tensor *x, int n, const int *axes, ty_interpolation o) {
    ty_dtype dtype = ty_dtype_of(x);
    if (o.sampling == TY_NEAREST || is_floating(dtype)) return ty_interpolate(x, n, axes, o);
    return rounded(ty_interpolate(ty_cast(x, TY_F64), n, axes, o), dtype);
}

/* Set *size to the product of a size and a scale if it is whole in f32, as files store scales. */
static bool whole_size(int64_t before, double scale, int64_t *size) {
    float product = (float)before * (float)scale;
    if (!(product >= 1 && product < 1 << 24 && product == floorf(product))) return false;
    *size = (int64_t)product;
    return true;
}
/* Interpolate x by scales.  If all sizes are whole, they stand for the scales: 5/3 in f32 times 3 is less than 5. */
static ty_tensor *scaled(ty_tensor *x, int n, const int *axes, ty_interpolation o) {
    int64_t sizes[TY_MAX_RANK];
    bool whole = o.coordinates != TY_CROP_AND_RESIZE;
    for (int i = 0; i < n && whole; i++) whole = whole_size(ty_shape(x)[axes[i]], o.scales[i], &sizes[i]);
    if (whole) o.sizes = sizes, o.scales = NULL, o.aspect = TY_STRETCH;
    return interpolated(x, n, axes, o);
}
/* Set the sampling of the attribute mode. */
static bool sampling(struct onnx_call *call, ty_interpolation *o) {
    const char *mode = onnx_text(call, "mode", "nearest");
    o->sampling = ty_sampling_named(mode);
    return o->sampling != TY_SAMPLINGS ||
           onnx_refuse(call, E_ARGUMENT, "mode is '%s'; expected nearest, linear or cubic", mode);
}

/* Upsample, and Resize of opset 10: positions i / scale, rounded down, or up along an axis that shrinks. */
static bool upsample(struct onnx_call *call, int n, const double *scales) {
    ty_interpolation o = {.coordinates = TY_ASYMMETRIC};
    ty_tensor *x = onnx_input(call, 0);
    int axes[TY_MAX_RANK], rank = ty_rank(x);
    double part[TY_MAX_RANK];
    if (!sampling(call, &o)) return false;
    if (n != rank || !scales) return onnx_refuse(call, E_SHAPE, "%d scales for %d axes", n, rank);
    for (int shrinks = 0; shrinks < 2; shrinks++) {
        int count = 0;
        for (int i = 0; i < n; i++)
            if (scales[i] != 1 && (scales[i] < 1) == shrinks) part[count] = scales[i], axes[count++] = i;
        o.nearest = shrinks ? TY_CEIL : TY_FLOOR, o.scales = part;
        if (count) x = scaled(x, count, axes, o);
    }
    return onnx_output(call, 0, x);
}
bool onnx_op_upsample_sizes(struct onnx_call *call) {
    double scales[] = {1, 1, onnx_float(call, "height_scale", 1), onnx_float(call, "width_scale", 1)};
    return upsample(call, 4, scales);
}
bool onnx_op_upsample_attribute(struct onnx_call *call) {
    int n;
    const float *given = onnx_floats(call, "scales", &n);
    double scales[TY_MAX_RANK];
    for (int i = 0; i < n && i < TY_MAX_RANK; i++) scales[i] = (double)given[i];
    return upsample(call, n, given ? scales : NULL);
}
bool onnx_op_upsample(struct onnx_call *call) {
    struct reals scales = reals_input(call, 1);
    return upsample(call, scales.n, scales.items);
}

/* Set the words of attributes. */
static bool resize_words(struct onnx_call *call, ty_interpolation *o) {
    const char *coordinates = onnx_text(call, "coordinate_transformation_mode", "half_pixel");
    const char *nearest = onnx_text(call, "nearest_mode", "round_prefer_floor");
    const char *aspect = onnx_text(call, "keep_aspect_ratio_policy", "stretch");
    o->coordinates = ty_coordinates_named(coordinates);
    o->nearest = ty_nearest_named(nearest);
    o->aspect = ty_aspect_named(aspect);
    if (o->coordinates == TY_COORDINATES || o->nearest == TY_NEAREST_RULES || o->aspect == TY_ASPECTS)
        return onnx_refuse(call, E_ARGUMENT,
                           "unknown coordinate_transformation_mode '%s', nearest_mode '%s' or "
                           "keep_aspect_ratio_policy '%s'",
                           coordinates, nearest, aspect);
    o->cubic = onnx_float(call, "cubic_coeff_a", -0.75);
    o->extrapolation = onnx_float(call, "extrapolation_value", 0);
    o->antialias = onnx_int(call, "antialias", 0);
    o->exclude_outside = onnx_int(call, "exclude_outside", 0);
    return sampling(call, o);
}
bool onnx_op_resize(struct onnx_call *call) {
    ty_interpolation o = {.sampling = TY_NEAREST};
    struct ints given = ints_attribute(call, "axes"), sizes = {0, NULL};
    struct reals roi = {0, NULL}, scales = {0, NULL};
    int rank = ty_rank(onnx_input(call, 0)), n = given.items ? given.n : rank, axes[TY_MAX_RANK];
    if (n > TY_MAX_RANK)
        return onnx_refuse(call, E_INDEX, "%d axes are given for an operand of %d axes", n, rank);
    for (int i = 0; i < n; i++) axes[i] = given.items ? onnx_axis_of(call, given.items[i], rank) : i;
    if (!resize_words(call, &o)) return false;
    if (onnx_has(call, 1)) roi = reals_input(call, 1);
    if (onnx_has(call, 2)) scales = reals_input(call, 2);
    if (onnx_has(call, 3)) sizes = ints_input(call, 3);
    if (call->fault->set) return false;
    if ((scales.n != n) == (sizes.n != n) || (scales.n && sizes.n) ||
        (o.coordinates == TY_CROP_AND_RESIZE && roi.n != 2 * n))
        return onnx_refuse(call, E_SHAPE, "%d scales, %d sizes and %d ends of regions for %d axes", scales.n,
                           sizes.n, roi.n, n);
    o.scales = scales.n ? scales.items : NULL;
    o.sizes = sizes.n ? sizes.items : NULL;
    o.roi = o.coordinates == TY_CROP_AND_RESIZE ? roi.items : NULL;
    ty_tensor *x = onnx_input(call, 0);
    return onnx_output(call, 0, o.scales ? scaled(x, n, axes, o) : interpolated(x, n, axes, o));
}

/* ---- sampling ---- */

bool onnx_op_grid_sample(struct onnx_call *call) {
    const char *mode = onnx_text(call, "mode", "linear"), *outside = onnx_text(call, "padding_mode", "zeros");
    ty_grid_options o = {.sampling = ty_sampling_named(mode),
                         .outside = ty_outside_named(outside),
                         .align_corners = onnx_int(call, "align_corners", 0)};
    if (o.sampling == TY_SAMPLINGS || o.outside == TY_OUTSIDES)
        return onnx_refuse(call, E_ARGUMENT, "unknown mode '%s' or padding_mode '%s'", mode, outside);
    return onnx_output(call, 0, ty_grid_sample(onnx_input(call, 0), onnx_input(call, 1), o));
}
bool onnx_op_affine_grid(struct onnx_call *call) {
    struct ints size = ints_input(call, 1);
    ty_tensor *theta = onnx_input(call, 0);
    if (!size.items || (size.n != 4 && size.n != 5))
        return size.items && onnx_refuse(call, E_SHAPE, "size has %d entries; expected 4 or 5", size.n);
    bool corners = onnx_int(call, "align_corners", 0);
    return onnx_output(call, 0, ty_affine_grid(theta, size.n - 2, size.items + 2, corners));
}

/* ---- regions ---- */

bool onnx_op_roi_align(struct onnx_call *call) {
    const char *mode = onnx_text(call, "mode", "avg");
    const char *pixel = call->opset < 16 ? "output_half_pixel"
                                         : onnx_text(call, "coordinate_transformation_mode", "half_pixel");
    ty_roi_options o = {.size = {onnx_int(call, "output_height", 1), onnx_int(call, "output_width", 1)},
                        .samples = onnx_int(call, "sampling_ratio", 0),
                        .scale = onnx_float(call, "spatial_scale", 1),
                        .half_pixel = !strcmp(pixel, "half_pixel")};
    if ((strcmp(mode, "avg") && strcmp(mode, "max")) || (!o.half_pixel && strcmp(pixel, "output_half_pixel")))
        return onnx_refuse(call, E_ARGUMENT, "unknown mode '%s' or coordinate_transformation_mode '%s'", mode,
                           pixel);
    o.max = o.corners = !strcmp(mode, "max");
    ty_tensor *regions = ty_detach(onnx_input(call, 1)); /* as in PyTorch, no gradient flows to regions */
    if (!o.samples) regions = onnx_known(call, regions);
    return onnx_output(call, 0,
                       ty_roi_align(onnx_input(call, 0), regions, ty_cast(onnx_input(call, 2), TY_I64), o));
}

bool onnx_op_non_max_suppression(struct onnx_call *call) {
    ty_tensor *boxes = onnx_known(call, onnx_input(call, 0)), *scores = onnx_known(call, onnx_input(call, 1));
    int64_t most = onnx_known_int(call, 2, 0);
    ty_nms_options o = {.most = most > 0 ? most : -1,
                        .overlap = onnx_known_real(call, 3, 0),
                        .score = onnx_known_real(call, 4, 0),
                        .use_score = onnx_has(call, 4),
                        .centre = onnx_int(call, "center_point_box", 0)};
    return onnx_output(call, 0, ty_nms(boxes, scores, o));
}
