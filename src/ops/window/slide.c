/* Windows over several axes; unfold, the columns of which convolution is a matrix product (im2col), and its
   adjoint.  All are views of windows; only the last reshape of unfold copies. */
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "base/checked.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/shape/arrange.h"
#include "ops/window/window2d.h"

ty_tensor *ty_slide(ty_tensor *x, int n, const int64_t *sizes, const int64_t *axes) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), along[TY_MAX_RANK];
    if (n < 0 || n > rank || (!axes && n != rank))
        return refuse("slide", 1, &x, E_SHAPE, "%d windows do not fit the %d axes", n, rank);
    ty_tensor *missing = refuse_missing("slide", n, sizes, "sizes");
    if (missing) return missing;
    ty_tensor *bad = axes ? take_axes("slide", x, rank, n, axes, along) : NULL, *y = tensor_resolve(x);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    for (int i = 0; i < n; i++) y = ty_window(y, axes ? along[i] : i, sizes[i], 1, 1);
    return leave(scope, n ? y : tensor_share(y));
}

/* Windows of size[2] over axes 2 and 3 of (N,C,H,W), with all options explicit. */
struct unfold {
    int64_t size[2], stride[2], dilation[2], low[2], high[2];
    int64_t padded[2], count[2]; /* size of the padded plane; number of windows */
};

/* Compute padded sizes, padding and counts of the windows of ty_unfold into *u, for windows of size[2] on a
   plane of plane[2] elements. Return poison, in the name of function `name` on x, if they are invalid, else
   NULL. */
static ty_tensor *plan_unfold(const char *name, ty_tensor *x, const int64_t plane[2], const int64_t size[2],
                              const ty_conv *options, struct unfold *u) {
    for (int k = 0; k < 2; k++) {
        int64_t stride = options->stride[k] ? options->stride[k] : 1, reach, span;
        int64_t dilation = options->dilation[k] ? options->dilation[k] : 1;
        if (plane[k] < 0)
            return refuse(name, 1, &x, E_ARGUMENT, "the plane has size %lld; expected 1 or more",
                          (long long)plane[k]);
        if (stride < 1 || dilation < 1 || size[k] < 1)
            return refuse(name, 1, &x, E_ARGUMENT,
                          "window %lld, stride %lld and dilation %lld must be positive", (long long)size[k],
                          (long long)stride, (long long)dilation);
        if (!checked_mul(size[k] - 1, dilation, &reach) || !checked_add(reach, 1, &span))
            return refuse(name, 1, &x, E_LIMIT, "a window of %lld with dilation %lld is too long",
                          (long long)size[k], (long long)dilation);
        int64_t low = options->low[k], high = options->high[k];
        if (options->same_lower)
            same_padding(plane[k], span, stride, &high, &low);
        else if (options->same)
            same_padding(plane[k], span, stride, &low, &high);
        bool fits = low >= 0 && high >= 0 && checked_add(plane[k], low, &u->padded[k]) &&
                    checked_add(u->padded[k], high, &u->padded[k]) && span <= u->padded[k];
        if (!fits)
            return refuse(
                name, 1, &x, E_SHAPE,
                "a window of %lld with dilation %lld does not fit in %lld and %lld + %lld of padding",
                (long long)size[k], (long long)dilation, (long long)plane[k], (long long)low,
                (long long)high);
        u->size[k] = size[k];
        u->stride[k] = stride;
        u->dilation[k] = dilation;
        u->low[k] = low;
        u->high[k] = high;
        u->count[k] = (u->padded[k] - span) / stride + 1;
    }
    return NULL;
}

ty_tensor *ty_unfold_sized(ty_tensor *x, const int64_t size[2], const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    if (!ty_ok(x)) return tensor_share(x);
    struct unfold u;
    ty_tensor *missing = refuse_missing("unfold", 2, size, "sizes");
    if (missing) return missing;
    if (ty_rank(x) != 4)
        return refuse("unfold", 1, &x, E_SHAPE, "expected (N,C,H,W), not %d axes", ty_rank(x));
    const int64_t *shape = ty_shape(x);
    ty_tensor *bad = plan_unfold("unfold", x, shape + 2, size, &options, &u);
    if (bad) return bad;
    int64_t columns[] = {shape[0], 0, 0};
    if (!checked_mul(size[0], size[1], &columns[1]) || !checked_mul(columns[1], shape[1], &columns[1]) ||
        !checked_mul(u.count[0], u.count[1], &columns[2]))
        return refuse("unfold", 1, &x, E_LIMIT, "the columns are too long");
    ty_scope *scope = ty_open();
    ty_tensor *padded = pad_axes(x, (int32_t[]){2, 3}, u.low, u.high, ty_scalar(ty_dtype_of(x), 0));
    ty_tensor *rows = ty_window(padded, 2, size[0], u.stride[0], u.dilation[0]);
    ty_tensor *windows = ty_window(rows, 3, size[1], u.stride[1], u.dilation[1]); /* [N, C, H', W', R, S] */
    ty_tensor *y = ty_permute(windows, (int[]){0, 1, 4, 5, 2, 3});
    return leave_as("unfold", scope, x, ty_reshape(y, 3, columns));
}

/* Return the sum of windows: the last axis of x, the elements of windows along `axis`, is added back to that
   axis. k is the number of the axis in *u. Poison on failure. */
static ty_tensor *add_windows(ty_tensor *x, const struct unfold *u, int k, int axis) {
    struct window_attr attr = {.axis = axis,
                               .size = u->size[k],
                               .stride = u->stride[k],
                               .dilation = u->dilation[k],
                               .length = u->padded[k]};
    return record(&op_window_add, &attr, sizeof attr, 1, &x);
}

ty_tensor *ty_unfold_add_sized(ty_tensor *columns, const int64_t plane[2], const int64_t size[2],
                               const ty_conv *given, size_t given_size) {
    OPTIONS(ty_conv, options, given, given_size);
    if (!ty_ok(columns)) return tensor_share(columns);
    struct unfold u;
    ty_tensor *missing = refuse_missing("unfold_add", 2, plane && size ? size : NULL, "sizes");
    if (missing) return missing;
    if (ty_rank(columns) != 3)
        return refuse("unfold_add", 1, &columns, E_SHAPE, "expected (N,C*R*S,L), not %d axes",
                      ty_rank(columns));
    ty_tensor *bad = plan_unfold("unfold_add", columns, plane, size, &options, &u);
    if (bad) return bad;
    const int64_t *shape = ty_shape(columns);
    int64_t window, count;
    if (!checked_mul(size[0], size[1], &window) || shape[1] % window ||
        !checked_mul(u.count[0], u.count[1], &count) || shape[2] != count)
        return refuse("unfold_add", 1, &columns, E_SHAPE,
                      "axis 1 must be a multiple of %lld x %lld, and axis 2 must have %lld x %lld windows",
                      (long long)size[0], (long long)size[1], (long long)u.count[0], (long long)u.count[1]);
    ty_scope *scope = ty_open();
    ty_tensor *windows =
        ty_reshape(columns, TY_SHAPE(shape[0], shape[1] / window, size[0], size[1], u.count[0], u.count[1]));
    ty_tensor *y = ty_permute(windows, (int[]){0, 1, 4, 5, 2, 3});
    y = add_windows(add_windows(y, &u, 1, 3), &u, 0, 2);
    for (int k = 0; k < 2; k++) y = range_of(y, 2 + k, u.low[k], u.padded[k] - u.high[k]);
    return leave_as("unfold_add", scope, columns, y);
}
