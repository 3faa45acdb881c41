/*
 * RoiAlign (He et al., "Mask R-CNN", 2017, section 3).  Each region is divided into bins; in each bin a few points are
 * sampled linearly, and the result is their mean or maximum.  A region's taps on each axis are elementwise functions
 * of its edges.  The taps of both axes are combined by broadcasting.  One product with the sparse matrix (resample.c)
 * reads x, channels last, with all images concatenated.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/index/index.h"
#include "ops/math/slopes.h"
#include "ops/image/resample.h"
#include "base/options.h"

/* maximum samples on one axis of a bin */
enum { MOST_SAMPLES = 1 << 15 };

/* Axes of the tensors of taps: samples and their two neighbours on H and W, then regions and bins. */
enum { SAMPLE_H, TAP_H, SAMPLE_W, TAP_W, REGION, BIN_H, BIN_W, AXES };

/* Check images x, regions, their image indices `batch`, and options. Return poison, or NULL if they are
   valid. */
static ty_tensor *refuse_regions(ty_tensor *x, ty_tensor *regions, ty_tensor *batch,
                                 const ty_roi_options *o) {
    ty_tensor *operands[] = {x, regions, batch}, *bad = first_poison_in("roi_align", 3, operands);
    if (bad) return bad;
    if (ty_rank(x) != 4) return refuse("roi_align", 3, operands, E_SHAPE, "x must have the shape [N,C,H,W]");
    if (ty_rank(regions) != 2 || ty_shape(regions)[1] != 4)
        return refuse("roi_align", 3, operands, E_SHAPE, "regions must have the shape [R,4]");
    if (ty_rank(batch) != 1 || ty_shape(batch)[0] != ty_shape(regions)[0] ||
        !dtype_is(ty_dtype_of(batch), CLASS_INTEGER))
        return refuse("roi_align", 3, operands, E_DTYPE, "batch must be %lld integers, one for each region",
                      (long long)ty_shape(regions)[0]);
    if (!dtype_is(ty_dtype_of(x), CLASS_FLOAT) || !dtype_is(ty_dtype_of(regions), CLASS_FLOAT))
        return refuse("roi_align", 3, operands, E_DTYPE, "x and the regions must be floating; use ty_cast");
    for (int k = 0; k < 2; k++)
        if (o->size[k] < 1 || o->size[k] > INT32_MAX)
            return refuse("roi_align", 3, operands, E_ARGUMENT,
                          "a result of %lld bins is out of range; expected 1..%d", (long long)o->size[k],
                          INT32_MAX);
    if (o->samples < 0 || o->samples > MOST_SAMPLES)
        return refuse("roi_align", 3, operands, E_ARGUMENT, "%lld samples are out of range; expected 0..%d",
                      (long long)o->samples, MOST_SAMPLES);
    if (!isfinite(o->scale) || o->scale < 0)
        return refuse("roi_align", 3, operands, E_ARGUMENT, "scale %g must be positive and finite", o->scale);
    const int64_t *shape = ty_shape(x);
    if (ty_size(x) / (shape[1] ? shape[1] : 1) > INT32_MAX)
        return refuse("roi_align", 3, operands, E_LIMIT,
                      "images of more than %d elements a channel are too large", INT32_MAX);
    return NULL;
}

/* Return a tensor of AXES axes, in `dtype`, with 0, 1, .. n-1 along `axis`; the other sizes are 1. */
static ty_tensor *counted(ty_dtype dtype, int64_t n, int axis) {
    int64_t shape[AXES] = {1, 1, 1, 1, 1, 1, 1};
    shape[axis] = n;
    return ty_iota(dtype, AXES, shape, axis);
}

/* One axis of the regions: start, length of a bin, samples per bin. */
struct sides {
    ty_tensor *start, *bin, *samples;
    int64_t most; /* largest number of samples of any bin */
};

/* Compute start, bin size and samples of `count` regions [count, 4] along axis k, 0 for H, 1 for W, into *s.
   False, with poison in s->start, if the regions cannot be evaluated or take too many samples. */
static bool sides_of(ty_tensor *regions, int64_t count, int k, const ty_roi_options *o, struct sides *s) {
    int64_t shape[AXES] = {1, 1, 1, 1, count, 1, 1};
    double scale = o->scale != 0 ? o->scale : 1, most = 0;
    ty_tensor *edges[2];
    for (int i = 0; i < 2; i++) {
        ty_tensor *column = ty_reshape(ty_slice(regions, 1, 2 * i + 1 - k, 2 * i + 2 - k, 1), AXES, shape);
        edges[i] = ty_sub(ty_mul(column, ty_num(scale)), ty_num(o->half_pixel ? 0.5 : 0));
    }
    ty_tensor *length = ty_sub(edges[1], edges[0]);
    if (!o->half_pixel) length = ty_max(length, ty_num(1));
    s->start = edges[0];
    s->bin = ty_div(length, ty_num((double)o->size[k]));
    s->samples = ty_num((double)o->samples);
    s->most = o->samples;
    if (!ty_ok(s->bin)) s->start = s->bin;
    if (o->samples || !ty_ok(s->bin)) return ty_ok(s->bin);
    s->samples = ty_max(ty_ceil(s->bin), ty_num(0));
    ty_tensor *greatest = value_now("roi_align", count ? ty_amax(s->samples, TY_ALL) : ty_num(0));
    ty_tensor *fixed = refuse_fixed("roi_align", greatest, 1, &s->bin);
    if (fixed) s->start = fixed;
    if (fixed) return false;
    if (!ty_ok(greatest) || !ty_read(greatest, TY_F64, &most)) {
        s->start = ty_ok(greatest) ? tensor_out_of_memory() : greatest;
        return false;
    }
    s->most = most >= 1 && most <= MOST_SAMPLES ? (int64_t)most : 1;
    if (most > MOST_SAMPLES)
        s->start = ty_poison_code(
            E_LIMIT,
            "the bins of a region take %.0f samples on an axis, more than %d; set the number of samples",
            most, MOST_SAMPLES);
    return ty_ok(s->start);
}

/* Set *index (i32) and *weight to the taps along axis k (0: H, 1: W), of n elements, with the AXES axes of
   this file. Points more than one element outside have weight 0, others are clamped. For the mean, missing
   samples of a region have weight 0; for the maximum, they repeat its last one, but 0 stands for no samples. */
static void axis_taps(const struct sides *s, int k, int64_t n, const ty_roi_options *o, ty_tensor **index,
                      ty_tensor **weight) {
    ty_dtype dtype = ty_dtype_of(s->start);
    ty_tensor *number = counted(dtype, s->most, k ? SAMPLE_W : SAMPLE_H),
              *bin = counted(dtype, o->size[k], k ? BIN_W : BIN_H);
    ty_tensor *next = counted(dtype, 2, k ? TAP_W : TAP_H), *last = ty_num((double)(n - 1));
    ty_tensor *there = ty_lt(number, s->samples);
    if (o->max) number = ty_min(number, ty_max(ty_sub(s->samples, ty_num(1)), ty_num(0)));
    ty_tensor *way = ty_div(ty_add(number, ty_num(0.5)), ty_max(s->samples, ty_num(1)));
    ty_tensor *place = ty_add(s->start, ty_mul(ty_add(bin, way), s->bin));
    ty_tensor *inside = ty_logical_and(ty_ge(place, ty_num(-1)), ty_le(place, ty_num((double)n)));
    ty_tensor *moved = ty_min(ty_max(place, ty_num(0)), last), *before = ty_floor(moved);
    ty_tensor *part = ty_sub(moved, before); /* 0 on the last element, which has no successor */
    ty_tensor *w = ty_where(ty_gt(next, ty_num(0)), part, ty_sub(ty_num(1), part));
    if (o->max && !o->samples) inside = ty_logical_and(inside, ty_gt(s->samples, ty_num(0)));
    if (!o->max) {
        inside = ty_logical_and(inside, there);
        w = ty_div(w, ty_max(s->samples, ty_num(1)));
    }
    *weight = ty_where(inside, w, ty_num(0));
    *index = ty_cast(ty_where(inside, ty_min(ty_add(before, next), last), ty_num(0)), TY_I32);
}

/* Return t, indices or weights, broadcast and reshaped to [taps, elements]. For the mean an element is one
   bin, with four taps per sample. For the maximum it is one sample, with four taps, or with o->corners one
   corner of a sample, with one tap. */
static ty_tensor *arranged(ty_tensor *t, const struct sides *s, const ty_roi_options *o, int64_t regions) {
    int64_t shape[AXES] = {s[0].most, 2, s[1].most, 2, regions, o->size[0], o->size[1]};
    t = ty_broadcast(t, AXES, shape);
    if (!ty_ok(t)) return t; /* too many elements: the products below would overflow */
    int64_t places = regions * o->size[0] * o->size[1], samples = s[0].most * s[1].most;
    if (!o->max) return ty_reshape(t, 2, (int64_t[]){4 * samples, places});
    if (o->corners) return ty_reshape(t, 2, (int64_t[]){1, 4 * samples * places});
    t = ty_permute(t, (int[]){TAP_H, TAP_W, SAMPLE_H, SAMPLE_W, REGION, BIN_H, BIN_W});
    return ty_reshape(t, 2, (int64_t[]){4, samples * places});
}

/* Return the aligned regions of images x [N, C, H, W], regions [R, 4] of images batch [R], as [R, C, bins,
   bins], in x's dtype. Poison on failure. */
static ty_tensor *aligned(ty_tensor *x, ty_tensor *regions, ty_tensor *batch, const ty_roi_options *o) {
    const int64_t *shape = ty_shape(x);
    ty_dtype dtype = ty_dtype_of(x), wide = resample_dtype(dtype);
    int64_t n = shape[0], channels = shape[1], height = shape[2], width = shape[3],
            count = ty_shape(regions)[0];
    struct sides sides[2];
    ty_tensor *index[2], *weight[2];
    regions = ty_detach(ty_cast(regions, resample_dtype(ty_dtype_of(regions))));
    for (int k = 0; k < 2; k++) {
        if (!sides_of(regions, count, k, o, &sides[k])) return sides[k].start;
        axis_taps(&sides[k], k, k ? width : height, o, &index[k], &weight[k]);
    }
    ty_tensor *image =
        ty_reshape(ty_cast(index_checked(batch, n), TY_I32), AXES, (int64_t[]){1, 1, 1, 1, count, 1, 1});
    ty_tensor *at = ty_add(ty_mul(image, ty_int(height)), index[0]);
    at = arranged(ty_add(ty_mul(at, ty_int(width)), index[1]), sides, o, count);
    ty_tensor *w = arranged(ty_mul(weight[0], weight[1]), sides, o, count);
    ty_tensor *pixels = ty_reshape(ty_permute(ty_cast(x, wide), (int[]){0, 2, 3, 1}), 2,
                                   (int64_t[]){n * height * width, channels});
    ty_tensor *y = resample_read(pixels, at, ty_cast(w, wide), 0, 0);
    if (!ty_ok(y)) return y;
    int64_t samples = sides[0].most * sides[1].most * (o->corners ? 4 : 1);
    if (o->max)
        y = ty_amax(ty_reshape(y, 3, (int64_t[]){samples, count * o->size[0] * o->size[1], channels}),
                    ty_axis(0));
    y = ty_reshape(y, 4, (int64_t[]){count, o->size[0], o->size[1], channels});
    return ty_contiguous(ty_permute(ty_cast(y, dtype), (int[]){0, 3, 1, 2}));
}

ty_tensor *ty_roi_align_sized(ty_tensor *x, ty_tensor *regions, ty_tensor *batch, const ty_roi_options *given,
                              size_t given_size) {
    OPTIONS(ty_roi_options, options, given, given_size);
    ty_tensor *operands[] = {x, regions, batch}, *bad = refuse_regions(x, regions, batch, &options);
    if (bad) return bad;
    struct composite c = composite_open("roi_align", 3, operands);
    bad = first_poison(3, operands); /* poison, if memory ran out */
    if (!bad) bad = aligned(operands[0], operands[1], operands[2], &options);
    return composite_close(c, result_without("roi_align", bad, regions));
}
