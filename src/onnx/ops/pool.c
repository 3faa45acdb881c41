/* Pooling over windows, over all spatial axes, and over regions. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/pool.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"
#include "onnx/ops/windows.h"

typedef ty_tensor *pooling(ty_tensor *x, const ty_pool *options, size_t size);

/* Read the options of pooling of x (N,C,..). */
static bool pool_options(struct onnx_call *call, ty_tensor *x, ty_pool *o) {
    struct ints kernel = ints_attribute(call, "kernel_shape");
    struct window w;
    if (!ty_ok(x)) return onnx_output(call, 0, x);
    if (!onnx_window(call, ty_rank(x) - 2, &w)) return false;
    if (kernel.n != w.n)
        return onnx_refuse(call, E_SHAPE, "kernel_shape has %d entries for %d spatial axes", kernel.n, w.n);
    *o = (ty_pool){.nchw = true,
                   .same = w.same,
                   .same_lower = w.same_lower,
                   .ceil = onnx_int(call, "ceil_mode", 0),
                   .count_padding = onnx_int(call, "count_include_pad", 0)};
    for (int i = 0; i < w.n; i++) {
        o->size[i] = kernel.items[i];
        o->stride[i] = w.stride[i];
        o->dilation[i] = w.dilation[i];
        o->low[i] = w.low[i];
        o->high[i] = w.high[i];
    }
    return true;
}

static const struct {
    pooling *max, *index, *mean, *lp;
} pools[WINDOW_AXES] = {
    {ty_max_pool1d_sized, ty_max_pool1d_index_sized, ty_avg_pool1d_sized, ty_lp_pool1d_sized},
    {ty_max_pool2d_sized, ty_max_pool2d_index_sized, ty_avg_pool2d_sized, ty_lp_pool2d_sized},
    {ty_max_pool3d_sized, ty_max_pool3d_index_sized, ty_avg_pool3d_sized, ty_lp_pool3d_sized},
};

ty_tensor *onnx_average_pool_of(struct onnx_call *call, ty_tensor *x) {
    ty_pool o;
    return pool_options(call, x, &o) ? pools[ty_rank(x) - 3].mean(x, &o, sizeof o) : onnx_failed(call);
}
ty_tensor *onnx_max_pool_of(struct onnx_call *call, ty_tensor *x) {
    ty_pool o;
    return pool_options(call, x, &o) ? pools[ty_rank(x) - 3].max(x, &o, sizeof o) : onnx_failed(call);
}
bool onnx_op_average_pool(struct onnx_call *call) {
    return onnx_output(call, 0, onnx_average_pool_of(call, onnx_input(call, 0)));
}
/* Return the attribute p, a float in opset 1. */
static double power_of(struct onnx_call *call) {
    return call->opset < 2 ? onnx_float(call, "p", 2) : (double)onnx_int(call, "p", 2);
}
bool onnx_op_lp_pool(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    ty_pool o;
    if (!pool_options(call, x, &o)) return false;
    o.power = power_of(call);
    return onnx_output(call, 0, pools[ty_rank(x) - 3].lp(x, &o, sizeof o));
}

/* Make indices in a plane into indices in all of x; columns first: the first spatial axis varies fastest. */
static ty_tensor *whole_index(ty_tensor *x, ty_tensor *index, bool columns) {
    int rank = ty_rank(x);
    int64_t plane = product(x, 2, rank), shape[TY_MAX_RANK];
    if (columns) {
        ty_tensor *rest = index, *at = ty_int(0);
        int64_t step[TY_MAX_RANK], run = 1;
        for (int i = 2; i < rank; i++, run *= ty_shape(x)[i - 1]) step[i] = run;
        for (int i = rank - 1; i > 1; i--) {
            at = ty_add(at, ty_mul(ty_mod(rest, ty_int(ty_shape(x)[i])), ty_int(step[i])));
            rest = ty_floor_div(rest, ty_int(ty_shape(x)[i]));
        }
        index = at;
    }
    for (int i = 0; i < rank; i++) shape[i] = i < 2 ? ty_shape(x)[i] : 1;
    ty_tensor *first = ty_mul(
        ty_reshape(ty_iota(TY_I64, 1, (int64_t[]){shape[0] * shape[1]}, 0), rank, shape), ty_int(plane));
    return ty_add(index, first);
}
bool onnx_op_max_pool(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    ty_pool o;
    if (!onnx_output(call, 0, onnx_max_pool_of(call, x))) return false;
    if (!onnx_wants(call, 1)) return true;
    if (!pool_options(call, x, &o)) return false;
    ty_tensor *index = pools[ty_rank(x) - 3].index(x, &o, sizeof o);
    return onnx_output(call, 1, whole_index(x, index, onnx_int(call, "storage_order", 0)));
}

/* Write x at flat indices into zeros of the shape that pooling made smaller, then pad or crop the end of each axis to
   output_shape. */
bool onnx_op_max_unpool(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *index = onnx_input(call, 1);
    int64_t shape[TY_MAX_RANK], size;
    ty_pool o;
    if (!pool_options(call, x, &o)) return false;
    int rank = ty_rank(x);
    for (int i = 0; i < rank; i++) {
        int64_t *to = &shape[i], extent = *to = ty_shape(x)[i];
        if (i >= 2 && !(window_extent(extent, o.stride[i - 2], to) && checked_add(*to, -1, to) &&
                        checked_add(*to, o.size[i - 2], to) && checked_add(*to, -o.low[i - 2], to) &&
                        checked_add(*to, -o.high[i - 2], to)))
            return onnx_refuse(call, E_LIMIT, "the size of axis %d of the result is out of range", i);
    }
    ty_tensor *y = ty_zeros(ty_dtype_of(x), rank, shape);
    if (!ty_ok(y)) return onnx_output(call, 0, y);
    y = ty_reshape(y, 1, (size = ty_size(y), &size));
    y = ty_reshape(ty_scatter(y, ty_ravel(index), ty_ravel(x), 0, TY_SCATTER_SET), rank, shape);
    struct ints given = ints_input_or_none(call, 2);
    if (!given.items) return onnx_output(call, 0, y);
    ty_padding padding[TY_MAX_RANK] = {{0, 0, 0}};
    if (given.n != rank)
        return onnx_refuse(call, E_SHAPE, "output_shape has %d entries for %d axes", given.n, rank);
    for (int i = 0; i < rank; i++)
        if (!checked_add(given.items[i], -shape[i], &padding[i].high))
            return onnx_refuse(call, E_SHAPE, "output_shape has %lld", (long long)given.items[i]);
    return onnx_output(call, 0, ty_pad(y, padding, ty_scalar(ty_dtype_of(x), 0)));
}

bool onnx_op_global_average_pool(struct onnx_call *call) {
    return onnx_output(call, 0, ty_global_avg_pool(onnx_input(call, 0), true));
}
bool onnx_op_global_max_pool(struct onnx_call *call) {
    return onnx_output(call, 0, ty_global_max_pool(onnx_input(call, 0), true));
}
bool onnx_op_global_lp_pool(struct onnx_call *call) {
    return onnx_output(call, 0, ty_global_lp_pool(onnx_input(call, 0), power_of(call), true));
}

/* Most bins of all regions: each is a slice of its own. */
enum { MOST_BINS = 1 << 20 };

/* Maximum of one bin of a region of x (C,H,W); 0 if it has no elements. */
static ty_tensor *bin(ty_tensor *x, const double *box, const int64_t *bins, int64_t i, int64_t j) {
    const int64_t *s = ty_shape(x);
    int64_t height = (int64_t)fmax(box[3] - box[1] + 1, 1), width = (int64_t)fmax(box[2] - box[0] + 1, 1);
    double h = (double)height / (double)bins[0], w = (double)width / (double)bins[1];
    int64_t top = clamped((int64_t)floor((double)i * h) + (int64_t)box[1], 0, s[1]);
    int64_t bottom = clamped((int64_t)ceil((double)(i + 1) * h) + (int64_t)box[1], top, s[1]);
    int64_t left = clamped((int64_t)floor((double)j * w) + (int64_t)box[0], 0, s[2]);
    int64_t right = clamped((int64_t)ceil((double)(j + 1) * w) + (int64_t)box[0], left, s[2]);
    if (top == bottom || left == right) return ty_zeros(ty_dtype_of(x), 1, s);
    x = ty_slice(ty_slice(x, 1, top, bottom, 1), 2, left, right, 1);
    return ty_amax(x, ty_axes_of(2, (int[]){1, 2}, false));
}
/* Maxima over bins of regions (batch, x1, y1, x2, y2), whose values decide the bins. */
bool onnx_op_max_roi_pool(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct reals rois = reals_input(call, 1);
    struct ints bins = ints_attribute(call, "pooled_shape");
    double scale = onnx_float(call, "spatial_scale", 1);
    if (!rois.items) return false;
    if (ty_rank(x) != 4 || bins.n != 2 || bins.items[0] < 1 || bins.items[1] < 1 || rois.n % 5)
        return onnx_refuse(call, E_SHAPE, "expected an operand (N,C,H,W), regions (R,5) and two sizes");
    int64_t count = rois.n / 5, c = ty_shape(x)[1];
    if (bins.items[0] > MOST_BINS || bins.items[1] > MOST_BINS / bins.items[0] ||
        count > MOST_BINS / (bins.items[0] * bins.items[1]))
        return onnx_refuse(call, E_LIMIT, "%lld regions of %lld times %lld bins are too many",
                           (long long)count, (long long)bins.items[0], (long long)bins.items[1]);
    int64_t each = bins.items[0] * bins.items[1];
    int64_t shape[] = {count, bins.items[0], bins.items[1], c};
    ty_tensor **parts = onnx_memory(call, count * each, sizeof *parts);
    for (int64_t r = 0; r < count && parts; r++) {
        const double *roi = rois.items + 5 * r;
        double box[4];
        if (!(roi[0] >= 0 && roi[0] < (double)ty_shape(x)[0]))
            return onnx_refuse(call, E_INDEX, "region %lld is of image %g; expected 0..%lld", (long long)r,
                               roi[0], (long long)ty_shape(x)[0] - 1);
        for (int i = 0; i < 4; i++)
            if (!(fabs(box[i] = round(roi[1 + i] * scale)) < 1e9))
                return onnx_refuse(call, E_DOMAIN, "region %lld has the coordinate %g", (long long)r,
                                   roi[1 + i]);
        ty_tensor *image = ty_squeeze(ty_slice(x, 0, (int64_t)roi[0], (int64_t)roi[0] + 1, 1), 0);
        for (int64_t i = 0; i < each; i++)
            parts[r * each + i] = bin(image, box, bins.items, i / bins.items[1], i % bins.items[1]);
    }
    if (!count)
        return onnx_output(call, 0,
                           ty_zeros(ty_dtype_of(x), 4, (int64_t[]){0, c, bins.items[0], bins.items[1]}));
    ty_tensor *y = parts ? ty_reshape(ty_stack((int)(count * each), parts, 0), 4, shape) : NULL;
    return parts && onnx_output(call, 0, ty_permute(y, (int[]){0, 3, 1, 2}));
}
