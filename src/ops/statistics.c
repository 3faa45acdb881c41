/* Mean, variance, logsumexp: composites of reductions that are careful with rounding and overflow. */
#include "ops/structure.h"

static int64_t count_reduced(ty_tensor *x, ty_axes axes) {
    uint64_t reduced = axes_bits(axes, ty_rank(x));
    int64_t n = 1;
    for (int i = 0; i < ty_rank(x); i++)
        if (reduced >> i & 1) n *= ty_shape(x)[i];
    return n;
}

/* 16-bit floats are summed as f32: their own sum would overflow or stand still. */
static ty_tensor *widened(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    bool half = ty_ok(x) && dtype_is(dtype, CLASS_FLOAT) && dtype_table[dtype].size == 2;
    return half ? ty_cast(x, TY_F32) : x;
}

static ty_axes kept(ty_axes axes) {
    axes.keep = true;
    return axes;
}

static ty_tensor *mean(ty_tensor *x, ty_axes axes) {
    return ty_div(ty_sum(x, axes), ty_num((double)count_reduced(x, axes)));
}

/* Back to the dtype that the caller's x computes in. */
static ty_tensor *narrowed(ty_tensor *result, ty_tensor *x) {
    return widened(x) == x ? result : ty_cast(result, ty_dtype_of(x));
}

ty_tensor *ty_mean(ty_tensor *x, ty_axes axes) {
    ty_scope *scope = ty_open();
    ty_tensor *result = mean(widened(x), axes);
    return leave_as("mean", scope, x, narrowed(result, x));
}

/* Two passes: the mean first, then the squared distances from it, which keeps what one pass would cancel. */
static ty_tensor *variance(ty_tensor *x, ty_axes axes) {
    ty_tensor *distance = ty_sub(x, mean(x, kept(axes)));
    return mean(ty_real(ty_mul(distance, ty_conj(distance))), axes);
}

ty_tensor *ty_variance(ty_tensor *x, ty_axes axes) {
    ty_scope *scope = ty_open();
    ty_tensor *result = variance(widened(x), axes);
    return leave_as("variance", scope, x, narrowed(result, x));
}

/* x without the axes of the set, which all have size 1. */
static ty_tensor *without_axes(ty_tensor *x, ty_axes axes) {
    uint64_t gone = axes_bits(axes, ty_rank(x));
    int64_t shape[TY_MAX_RANK];
    int n = 0;
    for (int i = 0; i < ty_rank(x); i++)
        if (!(gone >> i & 1)) shape[n++] = ty_shape(x)[i];
    return ty_reshape(x, n, shape);
}

/* The greatest is taken out first, so that nothing overflows; an infinite one stays inside, where exp makes
   it 0 or infinity and log brings it back. */
ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes) {
    ty_scope *scope = ty_open();
    ty_tensor *real = as_floating(x), *greatest = ty_detach(ty_amax(real, kept(axes)));
    ty_tensor *shift = ty_where(ty_is_finite(greatest), greatest, ty_num(0));
    ty_tensor *result = ty_add(ty_log(ty_sum(ty_exp(ty_sub(real, shift)), kept(axes))), shift);
    return leave_as("logsumexp", scope, x, axes.keep ? result : without_axes(result, axes));
}
