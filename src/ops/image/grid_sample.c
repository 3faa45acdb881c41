/*
 * Sampling at points given by a tensor.  On each axis a point lies between elements; its weights are polynomials in
 * the fractional part.  So index and weights are elementwise functions of the grid, and gradients reach it
 * automatically.  The axes' taps are combined by broadcasting, and one product with the sparse matrix (resample.c)
 * reads x as if its spatial axes were merged.
 *
 * Padding is by element, as in ONNX's GridSample: an element outside is zero, the edge's, or its mirror image.  For
 * linear sampling this equals PyTorch's padding of the point.
 */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "base/machine/floating.h"
#include "ops/image/resample.h"

#define A CUBIC_COEFFICIENT
/* Weights of the taps, as coefficients of 1, t, t^2, t^3; the first tap is `before` elements before the one in
   front of the point. */
static const struct kernel_of {
    int taps, before, degree;
    double weights[4][4];
} kernels[TY_SAMPLINGS] = {
    [TY_NEAREST] = {1, 0, 0, {{1}}},
    [TY_LINEAR] = {2, 0, 1, {{1, -1}, {0, 1}}},
    [TY_CUBIC] = {
        4, 1, 3, {{0, A, -2 * A, A}, {1, 0, -A - 3, A + 2}, {0, -A, 2 * A + 3, -A - 2}, {0, 0, A, -A}}}};
#undef A

ty_outside ty_outside_named(const char *name) {
    if (!name) name = "";
    static const char *const names[TY_OUTSIDES] = {"zeros", "border", "reflection"};
    int i = 0;
    while (i < TY_OUTSIDES && strcmp(names[i], name)) i++;
    return (ty_outside)i;
}

/* ---- sources of elements outside; i: integers, or positions between them ---- */

static ty_tensor *at_border(ty_tensor *i, int64_t n, bool align) {
    (void)align;
    return ty_min(ty_max(i, ty_num(0)), ty_num((double)(n - 1)));
}

/* Return positions i reflected into 0 .. n-1 of an axis of n elements: at the centres of the first and last
   element if `align`, else at their outer edges, which repeats these elements. */
static ty_tensor *at_reflection(ty_tensor *i, int64_t n, bool align) {
    double period = align ? (double)(2 * n - 2) : (double)(2 * n), top = align ? period : period - 1;
    if (period == 0) return ty_mul(i, ty_num(0));
    ty_tensor *k = ty_sub(i, ty_mul(ty_floor(ty_div(i, ty_num(period))), ty_num(period)));
    return ty_min(k, ty_sub(ty_num(top), k));
}

static ty_tensor *(*const paddings[TY_OUTSIDES])(ty_tensor *i, int64_t n, bool align) = {
    [TY_OUTSIDE_BORDER] = at_border, [TY_OUTSIDE_REFLECTION] = at_reflection};

/* Return positions `place` without gradient where they fall on or beyond the first or last element after
   padding: linear sampling has a kink there, and PyTorch's gradient is 0. Other kinds of sampling and zero
   padding keep `place`. */
static ty_tensor *flat_at_ends(ty_tensor *place, int64_t n, const ty_grid_options *o) {
    if (o->sampling != TY_LINEAR || !paddings[o->outside]) return place;
    ty_tensor *at = paddings[o->outside](place, n, o->align_corners);
    ty_tensor *end = ty_logical_or(ty_le(at, ty_num(0)), ty_ge(at, ty_num((double)(n - 1))));
    return ty_where(end, ty_detach(place), place);
}

/* ---- taps of one axis ---- */

/* Return numbers[taps], cast to `dtype`, as a tensor of `rank` axes with taps along `axis`; the other sizes
   are 1. Poison on failure. */
static ty_tensor *by_tap(ty_dtype dtype, int taps, const double *numbers, int rank, int axis) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = i == axis ? taps : 1;
    return ty_cast(ty_from(TY_F64, rank, shape, numbers), dtype);
}

/* Set *index (i32) and *weight to element index and weight of the taps for an image axis of n elements; taps
   run along `axis` of both. c has coordinates in -1 .. 1, with `rank` axes and size 1 along `axis`. Poisoned
   on failure. */
static void axis_taps(ty_tensor *c, int rank, int64_t n, int axis, const ty_grid_options *o,
                      ty_tensor **index, ty_tensor **weight) {
    const struct kernel_of *kernel = &kernels[o->sampling];
    ty_dtype dtype = ty_dtype_of(c);
    double offsets[4], numbers[4];
    double scale = o->align_corners ? (double)(n - 1) / 2 : (double)n / 2;
    ty_tensor *place = ty_add(ty_mul(c, ty_num(scale)), ty_num((double)(n - 1) / 2));
    /* Points whose taps are all outside are moved nearer, which changes nothing; infinite points have no taps. */
    if (o->outside != TY_OUTSIDE_REFLECTION)
        place = ty_min(ty_max(place, ty_num(-4)), ty_num((double)(n + 3)));
    place = flat_at_ends(place, n, o);
    ty_tensor *before = ty_detach(o->sampling == TY_NEAREST ? ty_round(place) : ty_floor(place));
    ty_tensor *part = ty_sub(place, before), *w = NULL;
    for (int t = 0; t < kernel->taps; t++) offsets[t] = t - kernel->before;
    for (int power = kernel->degree; power >= 0; power--) {
        for (int t = 0; t < kernel->taps; t++) numbers[t] = kernel->weights[t][power];
        ty_tensor *a = by_tap(dtype, kernel->taps, numbers, rank, axis);
        w = w ? ty_add(ty_mul(w, part), a) : a;
    }
    ty_tensor *i = ty_add(before, by_tap(dtype, kernel->taps, offsets, rank, axis));
    if (paddings[o->outside]) i = paddings[o->outside](i, n, o->align_corners);
    ty_tensor *inside = ty_logical_and(ty_ge(i, ty_num(0)), ty_le(i, ty_num((double)(n - 1))));
    *index = ty_cast(ty_where(inside, i, ty_num(0)), TY_I32);
    *weight = o->outside == TY_OUTSIDE_ZEROS ? ty_where(inside, w, ty_num(0)) : w;
}

/* ---- all axes ---- */

/* Check image, grid and options. Return poison, or NULL if they are valid. */
static ty_tensor *refuse_grid(ty_tensor *x, ty_tensor *grid, const ty_grid_options *o) {
    ty_tensor *operands[] = {x, grid}, *bad = first_poison_in("grid_sample", 2, operands);
    if (bad) return bad;
    int n = ty_rank(x) - 2;
    const int64_t *shape = ty_shape(x) + (o->channels_last ? 1 : 2);
    if ((unsigned)o->sampling >= TY_SAMPLINGS)
        return refuse("grid_sample", 2, operands, E_ARGUMENT, "unknown kind of sampling %d",
                      (int)o->sampling);
    if ((unsigned)o->outside >= TY_OUTSIDES)
        return refuse("grid_sample", 2, operands, E_ARGUMENT, "unknown padding mode %d", (int)o->outside);
    if (n < 1 || n > 3)
        return refuse("grid_sample", 2, operands, E_SHAPE, "x must have 3, 4 or 5 axes, such as (N,C,H,W)");
    if (!dtype_is(ty_dtype_of(x), CLASS_FLOAT | CLASS_COMPLEX) || !dtype_is(ty_dtype_of(grid), CLASS_FLOAT))
        return refuse("grid_sample", 2, operands, E_DTYPE,
                      "x must be floating or complex and the grid floating; use ty_cast");
    if (ty_rank(grid) != n + 2 || ty_shape(grid)[n + 1] != n)
        return refuse("grid_sample", 2, operands, E_SHAPE, "the grid must have %d axes, the last of size %d",
                      n + 2, n);
    if (ty_shape(grid)[0] != ty_shape(x)[0] && ty_shape(grid)[0] != 1)
        return refuse("grid_sample", 2, operands, E_ARGUMENT,
                      "%lld grids for %lld images; expected as many, or one", (long long)ty_shape(grid)[0],
                      (long long)ty_shape(x)[0]);
    int64_t size = shape_size(n, shape), points = shape_size(n, ty_shape(grid) + 1);
    if (size == 0 && points)
        return refuse("grid_sample", 2, operands, E_SHAPE, "x is empty: there is nothing to sample");
    if (size > INT32_MAX)
        return refuse("grid_sample", 2, operands, E_LIMIT,
                      "an image of %lld elements is too large: at most %d", (long long)size, INT32_MAX);
    return NULL;
}

/* Return coordinate k of each point of the grid [N, .., n], which has n spatial axes. It is cast to `dtype`
   and reshaped to n + 2 axes [N, 1, .., points]. */
static ty_tensor *coordinate(ty_tensor *grid, int n, int k, ty_dtype dtype) {
    int64_t shape[5] = {ty_shape(grid)[0], 1, 1, 1, 1};
    shape[n + 1] = shape_size(n, ty_shape(grid) + 1);
    return ty_reshape(ty_cast(ty_slice(grid, -1, k, k + 1, 1), dtype), n + 2, shape);
}

/* Return x [N, C, ..], or channels last, sampled at the points of grid [N, .., n]: the grid's spatial axes
   replace those of x. In x's dtype. Poison on failure. */
static ty_tensor *sampled(ty_tensor *x, ty_tensor *grid, const ty_grid_options *o) {
    int n = ty_rank(x) - 2, first = o->channels_last ? 1 : 2, channels = o->channels_last ? n + 1 : 1;
    ty_dtype dtype = ty_dtype_of(x), wide = resample_dtype(dtype),
             of_grid = resample_dtype(ty_promote(ty_dtype_of(grid), dtype_table[wide].real));
    ty_tensor *index = NULL, *weight = NULL;
    int64_t sizes[3], flat[3] = {ty_shape(x)[0]}, points = shape_size(n, ty_shape(grid) + 1);
    memcpy(sizes, ty_shape(x) + first, sizeof *sizes * (size_t)n);
    for (int i = 0; i < n; i++) {
        ty_tensor *on_axis, *weighs;
        axis_taps(coordinate(grid, n, n - 1 - i, of_grid), n + 2, sizes[i], 1 + i, o, &on_axis, &weighs);
        index = index ? ty_add(ty_mul(index, ty_int(sizes[i])), on_axis) : on_axis;
        weight = weight ? ty_mul(weight, weighs) : weighs;
    }
    int64_t taps[3] = {ty_shape(grid)[0], 1, points}, each[5] = {ty_shape(grid)[0]},
            out[5] = {ty_shape(x)[0]};
    for (int i = 0; i < n; i++) taps[1] *= each[1 + i] = kernels[o->sampling].taps;
    each[n + 1] = points;
    weight = ty_broadcast(weight, n + 2, each); /* for nearest it may lack the axis of points */
    index = ty_reshape(index, 3, taps);
    weight = ty_reshape(ty_cast(weight, dtype_table[wide].real), 3, taps);
    flat[o->channels_last ? 2 : 1] = ty_shape(x)[channels];
    flat[first] = shape_size(n, sizes);
    ty_tensor *y = resample_read(ty_reshape(ty_cast(x, wide), 3, flat), index, weight, first, 1);
    out[channels] = ty_shape(x)[channels];
    memcpy(out + first, ty_shape(grid) + 1, sizeof *out * (size_t)n);
    return ty_reshape(ty_cast(y, dtype), n + 2, out);
}

ty_tensor *ty_grid_sample_sized(ty_tensor *x, ty_tensor *grid, const ty_grid_options *given,
                                size_t given_size) {
    OPTIONS(ty_grid_options, options, given, given_size);
    ty_tensor *operands[] = {x, grid}, *bad = refuse_grid(x, grid, &options);
    if (bad) return bad;
    struct composite c = composite_open("grid_sample", 2, operands);
    bad = first_poison(2, operands); /* poison, if memory ran out */
    return composite_close(c, bad ? bad : sampled(operands[0], operands[1], &options));
}

/* ---- grids of affine maps ---- */

/* Return, for every point of a grid of sizes[n] in row-major order, its n coordinates in -1 .. 1, the last
   axis's first, and a 1: [points, n + 1], in `dtype`. */
static ty_tensor *base_grid(ty_dtype dtype, int n, const int64_t *sizes, bool align_corners) {
    ty_tensor *columns[4];
    int64_t shape[3];
    memcpy(shape, sizes, sizeof *sizes * (size_t)n);
    for (int i = 0; i < n; i++) {
        double size = (double)sizes[n - 1 - i], edge = align_corners ? 1 : (size - 1) / size;
        ty_tensor *line = sizes[n - 1 - i] > 1 ? ty_linspace(TY_F64, -edge, edge, sizes[n - 1 - i])
                                               : ty_zeros(TY_F64, 1, &sizes[n - 1 - i]);
        int64_t along[3] = {1, 1, 1};
        along[n - 1 - i] = sizes[n - 1 - i];
        columns[i] = ty_broadcast(ty_reshape(line, n, along), n, shape);
    }
    columns[n] = ty_ones(TY_F64, n, shape);
    return ty_cast(ty_reshape(ty_stack(n + 1, columns, n), 2, (int64_t[]){shape_size(n, shape), n + 1}),
                   dtype);
}

ty_tensor *ty_affine_grid(ty_tensor *theta, int n, const int64_t *sizes, bool align_corners) {
    FLOATING_DEFAULT;
    if (!ty_ok(theta)) return tensor_share(theta);
    if (n != 2 && n != 3)
        return refuse("affine_grid", 1, &theta, E_SHAPE,
                      "a grid of %d sizes must have 2, (H,W), or 3, (D,H,W)", n);
    if (ty_rank(theta) != 3 || ty_shape(theta)[1] != n || ty_shape(theta)[2] != n + 1)
        return refuse("affine_grid", 1, &theta, E_SHAPE, "theta must have the shape [N,%d,%d]", n, n + 1);
    if (!dtype_is(ty_dtype_of(theta), CLASS_FLOAT))
        return refuse("affine_grid", 1, &theta, E_DTYPE, "theta must be floating; use ty_cast");
    ty_tensor *missing = refuse_missing("affine_grid", n, sizes, "sizes");
    if (missing) return missing;
    for (int i = 0; i < n; i++)
        if (sizes[i] < 0 || sizes[i] > INT32_MAX)
            return refuse("affine_grid", 1, &theta, E_ARGUMENT, "size %lld is out of range; expected 0..%d",
                          (long long)sizes[i], INT32_MAX);
    int64_t shape[5] = {ty_shape(theta)[0]};
    memcpy(shape + 1, sizes, sizeof *sizes * (size_t)n);
    shape[n + 1] = n;
    ty_scope *scope = ty_open();
    ty_tensor *base = base_grid(ty_dtype_of(theta), n, sizes, align_corners);
    ty_tensor *grid = ty_matmul(base, ty_transpose(theta));
    return leave_as("affine_grid", scope, theta, ty_reshape(grid, n + 2, shape));
}
