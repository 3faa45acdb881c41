/*
 * Statistics: composites of maps and reductions that are careful with rounding and overflow.  Each is one
 * fused pass or two where values are large (composite.c).
 */
#include "ops/reduce/statistics.h"
#include <math.h>

int64_t count_reduced(ty_tensor *x, ty_axes axes) {
    uint64_t reduced = axes_bits(axes, ty_rank(x));
    int64_t n = 1;
    for (int i = 0; i < ty_rank(x); i++)
        if (reduced >> i & 1) n *= ty_shape(x)[i];
    return n;
}

ty_tensor *widened(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    bool half = ty_ok(x) && dtype_is(dtype, CLASS_FLOAT) && dtype_table[dtype].size == 2;
    return half ? ty_cast(x, TY_F32) : x;
}

ty_tensor *narrowed(ty_tensor *result, ty_tensor *x) {
    return widened(x) == x ? result : ty_cast(result, ty_dtype_of(x));
}

ty_axes kept(ty_axes axes) {
    axes.keep = true;
    return axes;
}

ty_tensor *without_axes(ty_tensor *x, ty_axes axes) {
    uint64_t gone = axes_bits(axes, ty_rank(x));
    int64_t shape[TY_MAX_RANK];
    int n = 0;
    if (axes.keep) return x;
    for (int i = 0; i < ty_rank(x); i++)
        if (!(gone >> i & 1)) shape[n++] = ty_shape(x)[i];
    return ty_reshape(x, n, shape);
}

/* The square of the magnitude. */
static ty_tensor *squared(ty_tensor *x) {
    return ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ? ty_real(ty_mul(x, ty_conj(x)))
                                                               : ty_square(x);
}

/* ---- moments ---- */

static ty_tensor *mean(ty_tensor *x, ty_axes axes) {
    return ty_div(ty_sum(x, axes), ty_num((double)count_reduced(x, axes)));
}

ty_tensor *ty_mean(ty_tensor *x, ty_axes axes) {
    struct composite c = composite_open("mean", 1, &x);
    return composite_close(c, narrowed(mean(widened(x), axes), x));
}

/* Two passes: the mean first, then the squared distances from it, which keeps what one pass would cancel. */
static ty_tensor *variance(ty_tensor *x, ty_axes axes, double ddof) {
    double n = (double)count_reduced(x, axes) - ddof;
    ty_tensor *sum = ty_sum(squared(ty_sub(x, mean(x, kept(axes)))), axes);
    return ty_div(sum, ty_num(n > 0 ? n : 0));
}

ty_tensor *ty_variance_ddof(ty_tensor *x, ty_axes axes, double ddof) {
    struct composite c = composite_open("variance", 1, &x);
    return composite_close(c, narrowed(variance(widened(x), axes, ddof), x));
}

ty_tensor *ty_variance(ty_tensor *x, ty_axes axes) { return ty_variance_ddof(x, axes, 0); }

ty_tensor *ty_std(ty_tensor *x, ty_axes axes, double ddof) {
    struct composite c = composite_open("std", 1, &x);
    return composite_close(c, narrowed(ty_sqrt(variance(widened(x), axes, ddof)), x));
}

ty_tensor *ty_average(ty_tensor *x, ty_tensor *weights, ty_axes axes) {
    ty_tensor *operands[] = {x, weights}, *bad = first_poison(2, operands);
    if (bad) return bad;
    uint64_t bits = axes_bits(axes, ty_rank(x));
    bool line = ty_rank(weights) == 1 && ty_rank(x) > 1 && bits && !(bits & (bits - 1));
    int rank = 0, clash, axis = bits ? __builtin_ctzll(bits) : 0;
    int64_t shape[TY_MAX_RANK];
    if (!line && !shape_equal(ty_rank(x), ty_shape(x), ty_rank(weights), ty_shape(weights)))
        return refuse("average", 2, operands,
                      "the weights must have the shape of the first, or one axis for the one that is "
                      "averaged over");
    shape_broadcast(&rank, shape, ty_rank(x), ty_shape(x), &clash);
    if (line && ty_shape(weights)[0] != shape[axis])
        return refuse("average", 2, operands, "axis %d has %lld elements for %lld weights", axis,
                      (long long)shape[axis], (long long)ty_shape(weights)[0]);
    struct composite c = composite_open("average", 2, operands);
    ty_tensor *values = as_floating(operands[0]), *w = operands[1];
    for (int i = axis + 1; line && i < rank; i++) w = ty_expand(w, -1);
    w = ty_broadcast(w, rank, shape);
    return composite_close(c, ty_div(ty_sum(ty_mul(values, w), axes), ty_sum(w, axes)));
}

/* ---- norms ---- */

/* The square root, whose gradient at 0 is taken as 0: a norm's slopes there cancel. */
static ty_tensor *root(ty_tensor *sum) {
    ty_tensor *zero = ty_eq(sum, ty_num(0));
    return ty_where(zero, ty_num(0), ty_sqrt(ty_where(zero, ty_num(1), sum)));
}

static ty_tensor *norm(ty_tensor *x, double order, ty_axes axes) {
    if (order == 2) return root(ty_sum(squared(x), axes));
    if (order == 0) return ty_cast(ty_sum(ty_ne(x, ty_num(0)), axes), dtype_table[ty_dtype_of(x)].real);
    ty_tensor *size = ty_abs(x);
    if (isinf(order)) return order > 0 ? ty_amax(size, axes) : ty_amin(size, axes);
    if (order == 1) return ty_sum(size, axes);
    return ty_pow(ty_sum(ty_pow(size, ty_num(order)), axes), ty_num(1 / order));
}

ty_tensor *ty_norm(ty_tensor *x, double order, ty_axes axes) {
    if (isnan(order)) return ty_ok(x) ? refuse("norm", 1, &x, "the order is not a number") : tensor_share(x);
    struct composite c = composite_open("norm", 1, &x);
    ty_tensor *real = as_floating(x);
    return composite_close(c, ty_ok(real) ? narrowed(norm(widened(real), order, axes), real) : real);
}

/* ---- counts, ranges, sums in another dtype ---- */

ty_tensor *ty_count_nonzero(ty_tensor *x, ty_axes axes) {
    struct composite c = composite_open("count_nonzero", 1, &x);
    return composite_close(c, ty_sum(ty_ne(x, ty_num(0)), axes));
}

ty_tensor *ty_ptp(ty_tensor *x, ty_axes axes) {
    struct composite c = composite_open("ptp", 1, &x);
    return composite_close(c, ty_sub(ty_amax(x, axes), ty_amin(x, axes)));
}

ty_tensor *ty_sum_as(ty_tensor *x, ty_axes axes, ty_dtype dtype) {
    struct composite c = composite_open("sum_as", 1, &x);
    return composite_close(c, ty_cast(ty_sum(ty_cast(x, dtype), axes), dtype));
}

ty_tensor *ty_prod_as(ty_tensor *x, ty_axes axes, ty_dtype dtype) {
    struct composite c = composite_open("prod_as", 1, &x);
    return composite_close(c, ty_cast(ty_prod(ty_cast(x, dtype), axes), dtype));
}

/* ---- logsumexp ---- */

/* The greatest is taken out first, so that nothing overflows; an infinite one stays inside, where exp makes
   it 0 or infinity and log brings it back. */
static ty_tensor *logsumexp(ty_tensor *x, ty_axes axes) {
    ty_tensor *greatest = ty_detach(ty_amax(x, kept(axes)));
    ty_tensor *shift = ty_where(ty_is_finite(greatest), greatest, ty_num(0));
    ty_tensor *result = ty_add(ty_log(ty_sum(ty_exp(ty_sub(x, shift)), kept(axes))), shift);
    return without_axes(result, axes);
}

ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes) {
    struct composite c = composite_open("logsumexp", 1, &x);
    return composite_close(c, logsumexp(as_floating(x), axes));
}
