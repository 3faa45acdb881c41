/*
 * Two-dimensional convolution as a contraction over windows: windows of x are a view with overlapping
 * strides, so y[n,h,w,k] = sum over r,s,c of x[n, h*sh + r*dh, w*sw + s*dw, c] * f[r,s,c,k] copies nothing
 * but what padding needs.  Its gradients are the contraction's and the window's.
 */
#include "base/checked.h"
#include "ops/contract.h"
#include "ops/window2d.h"

/* The options made explicit. */
struct geometry {
    int64_t stride[2], dilation[2], low[2], high[2];
};

static struct geometry geometry_of(ty_tensor *x, ty_tensor *w, const ty_conv *options) {
    struct geometry g;
    for (int k = 0; k < 2; k++) {
        g.stride[k] = options->stride[k] ? options->stride[k] : 1;
        g.dilation[k] = options->dilation[k] ? options->dilation[k] : 1;
        g.low[k] = options->low[k];
        g.high[k] = options->high[k];
        int64_t reach = 0;
        bool well = g.stride[k] > 0 && g.dilation[k] > 0 && ty_shape(w)[k] > 0 &&
                    checked_mul(ty_shape(w)[k] - 1, g.dilation[k], &reach);
        if (options->same && well)
            same_padding(ty_shape(x)[k + 1], reach + 1, g.stride[k], &g.low[k], &g.high[k]);
    }
    return g;
}

/* What is wrong with the sizes along one of the two axes: a poisoned tensor, or NULL. */
static ty_tensor *refuse_axis_sizes(ty_tensor **operands, const struct geometry *g, int k) {
    int64_t n = ty_shape(operands[0])[k + 1], size = ty_shape(operands[1])[k], reach, padded;
    if (g->stride[k] < 1 || g->dilation[k] < 1)
        return refuse("conv2d", 2, operands, "stride %lld and dilation %lld of axis %d must be positive",
                      (long long)g->stride[k], (long long)g->dilation[k], k + 1);
    if (g->low[k] < 0 || g->high[k] < 0)
        return refuse("conv2d", 2, operands,
                      "padding %lld and %lld of axis %d must not be negative; ty_slice cuts",
                      (long long)g->low[k], (long long)g->high[k], k + 1);
    bool fits = size > 0 && checked_mul(size - 1, g->dilation[k], &reach) &&
                checked_add(n, g->low[k], &padded) && checked_add(padded, g->high[k], &padded) &&
                reach < padded;
    if (fits) return NULL;
    return refuse("conv2d", 2, operands,
                  "a kernel of %lld with dilation %lld does not fit in axis %d of x, which is %lld and %lld "
                  "+ %lld of padding",
                  (long long)size, (long long)g->dilation[k], k + 1, (long long)n, (long long)g->low[k],
                  (long long)g->high[k]);
}

static ty_tensor *refuse_shapes(ty_tensor **operands) {
    ty_tensor *x = operands[0], *w = operands[1];
    if (ty_rank(x) != 4 || ty_rank(w) != 4)
        return refuse("conv2d", 2, operands,
                      "x must be (N,H,W,C) and w (R,S,C,K), of rank 4 both, not %d and %d", ty_rank(x),
                      ty_rank(w));
    if (ty_shape(x)[3] != ty_shape(w)[2])
        return refuse("conv2d", 2, operands,
                      "x (N,H,W,C) has %lld channels in axis 3 and w (R,S,C,K) takes %lld in axis 2",
                      (long long)ty_shape(x)[3], (long long)ty_shape(w)[2]);
    return NULL;
}

/* x (N,H,W,C) -> (N,H',W',C,R,S), contracted with w (R,S,C,K). */
static ty_tensor *convolve(ty_tensor *x, ty_tensor *w, const struct geometry *g) {
    enum { N, H, W, C, R, S, K };
    ty_tensor *padded = pad_axes(x, (int32_t[]){1, 2}, g->low, g->high, ty_scalar(ty_dtype_of(x), 0));
    ty_tensor *rows = ty_window(padded, 1, ty_shape(w)[0], g->stride[0], g->dilation[0]);
    ty_tensor *windows = ty_window(rows, 2, ty_shape(w)[1], g->stride[1], g->dilation[1]);
    return contract((struct labelled){windows, {N, H, W, C, R, S}}, (struct labelled){w, {R, S, C, K}}, 4,
                    (uint8_t[]){N, H, W, K});
}

ty_tensor *ty_conv2d(ty_tensor *x, ty_tensor *w, ty_conv options) {
    ty_tensor *operands[] = {x, w}, *bad = first_poison(2, operands);
    if (!bad) bad = refuse_shapes(operands);
    if (bad) return bad;
    struct geometry g = geometry_of(x, w, &options);
    for (int k = 0; k < 2 && !bad; k++) bad = refuse_axis_sizes(operands, &g, k);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *cast[2];
    cast_to_common(2, operands, true, cast);
    bad = first_poison(2, cast);
    return leave(scope, bad ? bad : convolve(cast[0], cast[1], &g));
}
