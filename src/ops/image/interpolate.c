/* Interpolation.  Nearest is one gather over all axes.  Others are a product with a sparse matrix per axis
   (resample.c): neighbouring axes in one pass if an element has few taps in total, else one axis after the other,
   starting with the one that shrinks x most. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "array/form.h"
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "ops/index/index.h"
#include "ops/image/resample.h"
#include "ops/shape/arrange.h"

static const struct {
    const char *name, *other;
} samplings[TY_SAMPLINGS][2] = {[TY_NEAREST] = {{"nearest", "nearest"}},
                                [TY_LINEAR] = {{"linear", "bilinear"}, {"trilinear", "trilinear"}},
                                [TY_CUBIC] = {{"cubic", "bicubic"}}};

ty_sampling ty_sampling_named(const char *name) {
    if (!name) name = "";
    for (int i = 0; i < TY_SAMPLINGS; i++)
        for (int k = 0; k < 2 && samplings[i][k].name; k++)
            if (!strcmp(samplings[i][k].name, name) || !strcmp(samplings[i][k].other, name))
                return (ty_sampling)i;
    return TY_SAMPLINGS;
}

ty_aspect ty_aspect_named(const char *name) {
    if (!name) name = "";
    static const char *const names[TY_ASPECTS] = {"stretch", "not_larger", "not_smaller"};
    int i = 0;
    while (i < TY_ASPECTS && strcmp(names[i], name)) i++;
    return (ty_aspect)i;
}

/* The options resolved for x. */
struct interpolation_axes {
    int n, axes[TY_MAX_RANK];
    struct interpolated_axis by[TY_MAX_RANK];
    ty_interpolation options;
};

/* ---- arguments ---- */

/* Check the options for x. Return poison, or NULL if they are valid. */
static ty_tensor *refuse_options(ty_tensor *x, const ty_interpolation *o) {
    if ((unsigned)o->sampling >= TY_SAMPLINGS)
        return refuse("interpolate", 1, &x, E_ARGUMENT, "unknown kind of sampling %d", (int)o->sampling);
    if ((unsigned)o->coordinates >= TY_COORDINATES)
        return refuse("interpolate", 1, &x, E_ARGUMENT, "unknown coordinate mode %d", (int)o->coordinates);
    if ((unsigned)o->nearest >= TY_NEAREST_RULES)
        return refuse("interpolate", 1, &x, E_ARGUMENT, "unknown nearest mode %d", (int)o->nearest);
    if ((unsigned)o->aspect >= TY_ASPECTS)
        return refuse("interpolate", 1, &x, E_ARGUMENT, "unknown aspect mode %d", (int)o->aspect);
    if (!o->scales == !o->sizes)
        return refuse("interpolate", 1, &x, E_ARGUMENT, "give either scales or sizes, not both");
    if (o->scales && o->aspect != TY_STRETCH)
        return refuse("interpolate", 1, &x, E_STATE,
                      "the aspect mode needs sizes; scales already determine the ratio");
    if (o->coordinates == TY_CROP_AND_RESIZE && !o->roi)
        return refuse("interpolate", 1, &x, E_ARGUMENT, "tf_crop_and_resize needs a roi");
    if (o->sampling != TY_NEAREST && !dtype_is(ty_dtype_of(x), CLASS_FLOAT | CLASS_COMPLEX))
        return refuse("interpolate", 1, &x, E_DTYPE,
                      "dtype %s cannot be interpolated; use ty_cast to a floating dtype, or nearest",
                      ty_dtype_name(ty_dtype_of(x)));
    return NULL;
}

/* Normalise axes[n] (NULL: the last n) of x into p->axes and set p->n. Return poison if an axis is invalid or
   repeated, else NULL. */
static ty_tensor *plan_axes(ty_tensor *x, int n, const int *axes, struct interpolation_axes *p) {
    uint64_t seen = 0;
    int rank = ty_rank(x);
    if (n < 0 || n > rank)
        return refuse("interpolate", 1, &x, E_SHAPE, "%d axes, but the tensor has %d", n, rank);
    p->n = n;
    for (int i = 0; i < n; i++) {
        p->axes[i] = axes ? axis_normal(axes[i], rank) : rank - n + i;
        if (p->axes[i] < 0 || p->axes[i] >= rank) return refuse_axis("interpolate", x, axes[i]);
        if (seen >> p->axes[i] & 1)
            return refuse("interpolate", 1, &x, E_ARGUMENT, "axis %d is repeated", p->axes[i]);
        seen |= (uint64_t)1 << p->axes[i];
    }
    return NULL;
}

/* Return the one scale for all axes that keeps the aspect: the smallest of their scales for TY_NOT_LARGER,
   else the largest. */
static double kept_scale(const struct interpolation_axes *p) {
    double scale = p->by[0].scale;
    for (int i = 1; i < p->n; i++) {
        bool less = p->by[i].scale < scale;
        if (less == (p->options.aspect == TY_NOT_LARGER)) scale = p->by[i].scale;
    }
    return scale;
}

/* Compute sizes, scale and region of each axis of the plan, from x and the options, which
   refuse_options has accepted, into p->by[]. Return poison if one is invalid, else NULL. */
static ty_tensor *plan_sizes(ty_tensor *x, struct interpolation_axes *p) {
    const ty_interpolation *o = &p->options;
    for (int i = 0; i < p->n; i++) {
        struct interpolated_axis *a = &p->by[i];
        a->before = ty_shape(x)[p->axes[i]];
        if (o->roi) {
            a->start = o->roi[i];
            a->end = o->roi[p->n + i];
        }
        if (o->scales && !(o->scales[i] > 0 && o->scales[i] < HUGE_VAL))
            return refuse("interpolate", 1, &x, E_ARGUMENT, "scale %g of axis %d must be positive and finite",
                          o->scales[i], p->axes[i]);
        if (o->sizes && o->sizes[i] < 0)
            return refuse("interpolate", 1, &x, E_ARGUMENT, "size %lld of axis %d is negative",
                          (long long)o->sizes[i], p->axes[i]);
        a->scale = o->scales ? o->scales[i] : a->before > 0 ? (double)o->sizes[i] / (double)a->before : 1;
    }
    double one = p->n && o->aspect != TY_STRETCH ? kept_scale(p) : 0;
    for (int i = 0; i < p->n; i++) {
        struct interpolated_axis *a = &p->by[i];
        if (one > 0) a->scale = one;
        double size = one > 0 ? floor(one * (double)a->before + 0.5) : floor(a->scale * (double)a->before);
        if (o->sizes && !(one > 0)) size = (double)o->sizes[i];
        if (!(size <= (double)INT32_MAX && a->before <= INT32_MAX))
            return refuse("interpolate", 1, &x, E_LIMIT,
                          "axis %d of %lld elements cannot be resized to %.0f; expected at most %d",
                          p->axes[i], (long long)a->before, size, INT32_MAX);
        a->after = (int64_t)size;
        a->by_size = o->sizes && !(one > 0);
        if (a->before == 0 && a->after > 0)
            return refuse("interpolate", 1, &x, E_SHAPE, "axis %d is empty: there is nothing to interpolate",
                          p->axes[i]);
    }
    return NULL;
}

/* ---- computation ---- */

/* True if interpolation leaves axis i of the plan (an index into p->axes) unchanged. */
static bool is_same(const struct interpolation_axes *p, int i) {
    bool moves =
        p->options.coordinates == TY_CROP_AND_RESIZE || p->options.coordinates == TY_HALF_PIXEL_FOR_NEAREST;
    return !moves && p->by[i].after == p->by[i].before && p->by[i].scale == 1;
}

/* Compute the taps of axis i of the plan: *index (i32) and *weight (of dtype `weights`), values [taps,
   after]. With TY_NEAREST *weight is the same tensor as *index and of no use. False if memory runs out. */
static bool taps_of(const struct interpolation_axes *p, int i, ty_dtype weights, ty_tensor **index,
                    ty_tensor **weight) {
    const struct interpolated_axis *a = &p->by[i];
    int64_t taps = interpolation_taps(a, &p->options), shape[2] = {taps, a->after};
    ty_tensor *places = tensor_new_value(TY_I32, 2, shape);
    *index = *weight = form_return(places, TY_I32, 2, shape);
    if (!places) return false;
    if (p->options.sampling == TY_NEAREST) {
        interpolation_fill(a, &p->options, tensor_data(places), NULL);
        return true;
    }
    double *wide = mem_array((size_t)(taps * a->after), sizeof *wide);
    if (wide || taps * a->after == 0) {
        interpolation_fill(a, &p->options, tensor_data(places), wide);
        *weight = ty_cast(ty_from(TY_F64, 2, shape, wide), weights);
    }
    mem_free(wide);
    return *weight != *index;
}

/* Return x gathered at the nearest elements along all axes of the plan at once; the index of each axis is a
   vector with trailing axes of size 1. Poison on failure. */
static ty_tensor *take_nearest(ty_tensor *x, const struct interpolation_axes *p) {
    struct gather_attr attr = {.rank = ty_rank(x)};
    ty_tensor *index[TY_MAX_RANK], *unused;
    int count = 0, plan_of[TY_MAX_RANK] = {0}; /* by axis, from 1; 0: the axis stays */
    for (int i = 0; i < attr.rank; i++) attr.axis[i] = (uint8_t)i;
    for (int i = 0; i < p->n; i++) {
        if (is_same(p, i)) continue;
        plan_of[p->axes[i]] = i + 1;
        if (p->axes[i] >= attr.end) attr.end = p->axes[i] + 1;
    }
    for (int axis = 0; axis < attr.end; axis++) { /* gather_at takes the indices in the order of axes */
        int i = plan_of[axis] - 1;
        if (i < 0) continue;
        int64_t shape[TY_MAX_RANK], behind = attr.end - 1 - axis;
        if (!taps_of(p, i, TY_F64, &index[count], &unused)) return tensor_out_of_memory();
        for (int k = 0; k <= behind; k++) shape[k] = k ? 1 : p->by[i].after;
        index[count] = reshape_like(index[count], (int)behind + 1, shape);
        attr.axis[axis] = (uint8_t)(GATHER_INDEXED + count++);
    }
    return count ? gather_at(x, &attr, count, index) : tensor_share(x);
}

/* Return the index in the plan of the next axis to resample: the one that makes x smallest, or -1 if all are
   in the bit set `done`. Of axes that grow equally the last comes first, so that its elements are gathered
   while there are few. */
static int next_axis(const struct interpolation_axes *p, uint64_t done) {
    int best = -1;
    for (int i = 0; i < p->n; i++) {
        if (done >> i & 1) continue;
        double scale = p->by[i].scale, least = best < 0 ? 0 : p->by[best].scale;
        bool behind = best >= 0 && p->axes[i] > p->axes[best];
        if (best < 0 || scale < least || (scale == least && (scale >= 1) == behind)) best = i;
    }
    return best;
}

/* Return the number of axes of the plan to resample in one pass, and their indices in the plan in list[], in
   ascending order of axes; 0 if axis by axis is better. One pass needs adjacent axes, few taps in total, and
   long contiguous runs after them. */
static int one_pass(const ty_tensor *x, const struct interpolation_axes *p, int *list) {
    enum {
        TAPS_MOST = 8,
        RUN_LEAST = 16
    }; /* 16 taps, cubic on two axes, are 8 if done one after the
          other */
    int64_t taps = 1;
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        if (is_same(p, i)) continue;
        int64_t own = interpolation_taps(&p->by[i], &p->options);
        taps = own <= TAPS_MOST ? taps * own : TAPS_MOST + 1;
        if (n == RESAMPLE_AXES || taps > TAPS_MOST) return 0;
        int k = n++;
        for (; k > 0 && p->axes[list[k - 1]] > p->axes[i]; k--) list[k] = list[k - 1];
        list[k] = i;
    }
    int last = n ? p->axes[list[n - 1]] : 0;
    int64_t run = shape_size(ty_rank(x) - last - 1, ty_shape(x) + last + 1);
    return n > 1 && last - p->axes[list[0]] == n - 1 && run >= RUN_LEAST ? n : 0;
}

/* Return x resampled along the n axes of the plan that list[] names, in one pass. Poison if memory runs
   out. */
static ty_tensor *sum_at_once(ty_tensor *x, const struct interpolation_axes *p, int n, const int *list) {
    ty_tensor *index[RESAMPLE_AXES], *weight[RESAMPLE_AXES];
    ty_dtype real = dtype_table[ty_dtype_of(x)].real;
    for (int k = 0; k < n; k++)
        if (!taps_of(p, list[k], real, &index[k], &weight[k])) return tensor_out_of_memory();
    return resample_read_axes(x, n, index, weight, p->axes[list[0]]);
}

/* Return x resampled axis by axis. Poison if memory runs out. */
static ty_tensor *sum_in_turn(ty_tensor *x, const struct interpolation_axes *p) {
    uint64_t done = 0;
    for (int step = 0; step < p->n; step++) {
        int i = next_axis(p, done);
        ty_tensor *index, *weight;
        done |= (uint64_t)1 << i;
        if (is_same(p, i)) continue;
        if (!taps_of(p, i, dtype_table[ty_dtype_of(x)].real, &index, &weight)) return tensor_out_of_memory();
        x = resample_read(x, index, weight, p->axes[i], 0);
    }
    return x;
}

/* Return x interpolated linearly or cubically along all axes of the plan, in x's dtype. Poison on failure. */
static ty_tensor *sum_neighbours(ty_tensor *x, const struct interpolation_axes *p) {
    ty_dtype dtype = ty_dtype_of(x);
    int list[RESAMPLE_AXES], n = one_pass(x, p, list);
    x = ty_cast(x, resample_dtype(dtype));
    x = n ? sum_at_once(x, p, n, list) : sum_in_turn(x, p);
    return ty_cast(x, dtype);
}

/* Return y with elements that lie outside of x along axis i of the plan replaced by the extrapolation value. */
static ty_tensor *extrapolated(ty_tensor *y, const struct interpolation_axes *p, int i) {
    int64_t shape[TY_MAX_RANK];
    bool any = false;
    for (int k = 0; k < ty_rank(y); k++) shape[k] = k == p->axes[i] ? p->by[i].after : 1;
    ty_tensor *outside = tensor_new_value(TY_BOOL, ty_rank(y), shape);
    bool *is_outside = outside ? tensor_data(outside) : NULL;
    for (int64_t k = 0; is_outside && k < p->by[i].after; k++)
        any |= is_outside[k] = interpolated_outside(&p->by[i], p->options.coordinates, k);
    outside = form_return(outside, TY_BOOL, ty_rank(y), shape);
    if (!any && ty_ok(outside)) return y;
    return ty_where(outside, ty_scalar(ty_dtype_of(y), p->options.extrapolation), y);
}

ty_tensor *ty_interpolate_sized(ty_tensor *x, int n, const int *axes, const ty_interpolation *given,
                                size_t given_size) {
    OPTIONS(ty_interpolation, options, given, given_size);
    FLOATING_DEFAULT;
    struct interpolation_axes p = {.options = options};
    ty_tensor *bad = ty_ok(x) ? refuse_options(x, &options) : tensor_share(x);
    if (!bad) bad = plan_axes(x, n, axes, &p);
    if (!bad) bad = plan_sizes(x, &p);
    if (bad) return bad;
    if (n == 0) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    x = tensor_resolve(x);
    ty_tensor *y = options.sampling == TY_NEAREST ? take_nearest(x, &p) : sum_neighbours(x, &p);
    bool crops = options.coordinates == TY_CROP_AND_RESIZE;
    for (int i = 0; i < n && crops && ty_ok(y); i++) y = extrapolated(y, &p, i);
    return leave_as("interpolate", scope, x, y);
}

ty_tensor *ty_upsample(ty_tensor *x, int64_t factor, ty_sampling sampling, bool channels_last) {
    if (!ty_ok(x)) return tensor_share(x);
    int n = ty_rank(x) - 2, axes[TY_MAX_RANK];
    double scales[TY_MAX_RANK];
    if (n < 1)
        return refuse("upsample", 1, &x, E_SHAPE,
                      "expected a batch axis, a channel axis and at least one more");
    if (factor < 1)
        return refuse("upsample", 1, &x, E_ARGUMENT, "factor %lld must be 1 or more", (long long)factor);
    for (int i = 0; i < n; i++) {
        axes[i] = i + (channels_last ? 1 : 2);
        scales[i] = (double)factor;
    }
    ty_interpolation options = {.sampling = sampling, .nearest = TY_FLOOR, .scales = scales};
    if (sampling == TY_NEAREST) options.coordinates = TY_ASYMMETRIC;
    ty_scope *scope = ty_open();
    return leave_as("upsample", scope, x, ty_interpolate(x, n, axes, options));
}
