/* Statistics: composites of maps and reductions that avoid overflow and cancellation.  For large values each is one
   or two fused passes (composite.c). */
#include "base/machine/floating.h"
#include "ops/reduce/statistics.h"
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/math/numbers.h"

int64_t count_reduced(ty_tensor *x, ty_axes axes) {
    uint64_t reduced = axes_bits(axes, ty_rank(x));
    int64_t n = 1;
    for (int i = 0; i < ty_rank(x); i++)
        if (reduced >> i & 1) n *= ty_shape(x)[i];
    return n;
}

ty_tensor *averaged(ty_tensor *x) {
    return ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_BOOL | CLASS_INTEGER) ? ty_cast(x, TY_F64) : x;
}

ty_axes kept(ty_axes axes) {
    axes.keep = true;
    return axes;
}

/* Return x without the axes of the set, which have size 1 in it; x itself if axes.keep. */
static ty_tensor *without_axes(ty_tensor *x, ty_axes axes) {
    uint64_t gone = axes_bits(axes, ty_rank(x));
    int64_t shape[TY_MAX_RANK];
    int n = 0;
    if (axes.keep) return x;
    for (int i = 0; i < ty_rank(x); i++)
        if (!(gone >> i & 1)) shape[n++] = ty_shape(x)[i];
    return ty_reshape(x, n, shape);
}

/* x / scale, so that powers of it neither overflow nor underflow.  scale is a power of two near the largest
   magnitude along the axes (1 if that is 0 or not finite), which makes scaling exact. */
struct scaled {
    ty_tensor *x, *scale; /* scale NULL: x is not scaled, but in a dtype that holds its squares */
};

/* Return x divided by a power of two near its greatest magnitude over the axes, and that power, with kept
   axes; 1 if the magnitude is 0 or not finite. */
static struct scaled scaled_by_greatest(ty_tensor *x, ty_axes axes) {
    ty_tensor *greatest = ty_detach(ty_amax(ty_abs(x), kept(axes)));
    ty_tensor *usual = ty_logical_and(ty_gt(greatest, ty_num(0)), ty_is_finite(greatest));
    ty_tensor *power = ty_floor(ty_log2(ty_where(usual, greatest, ty_num(1))));
    ty_tensor *scale =
        ty_ldexp(ty_ones_like(power), ty_min(power, ty_num(ty_dtype_of(power) == TY_F64 ? 1023 : 127)));
    return (struct scaled){ty_div(x, scale), scale};
}

/* Return x scaled so that squares do not overflow: f32 and c64 cast to wider dtypes, with scale NULL; others
   divided by a power of two near their greatest magnitude over the axes. */
static struct scaled scaled(ty_tensor *x, ty_axes axes) {
    ty_dtype dtype = ty_dtype_of(x);
    if (!ty_ok(x) || ty_size(x) == 0) return (struct scaled){x, NULL};
    if (dtype == TY_F32) return (struct scaled){ty_cast(x, TY_F64), NULL};
    if (dtype == TY_C64) return (struct scaled){ty_cast(x, TY_C128), NULL};
    return scaled_by_greatest(x, axes);
}
static ty_dtype real_of(ty_tensor *x) { return ty_ok(x) ? dtype_table[ty_dtype_of(x)].real : TY_F64; }

/* Return the squared magnitude of x, elementwise, in the real dtype. */
static ty_tensor *squared(ty_tensor *x) {
    return ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ? ty_real(ty_mul(x, ty_conj(x)))
                                                               : ty_square(x);
}

/* Return `result`, computed from s.x and reduced over the axes, multiplied by s.scale; if that is NULL, cast
   to the dtype `real`. */
static ty_tensor *unscaled(ty_tensor *result, ty_dtype real, struct scaled s, ty_axes axes) {
    return s.scale ? ty_mul(result, without_axes(s.scale, axes)) : ty_cast(result, real);
}

/* ---- moments ---- */

static ty_tensor *mean(ty_tensor *x, ty_axes axes) {
    return ty_div(ty_sum(x, axes), ty_num((double)count_reduced(x, axes)));
}

ty_tensor *ty_mean(ty_tensor *x, ty_axes axes) {
    struct composite c = composite_open("mean", 1, &x);
    return composite_close(c, mean(averaged(x), axes));
}

/* Return the variance over the axes, the sum of squared deviations divided by n - ddof. Two passes, first the
   mean: one pass would suffer from cancellation. */
static ty_tensor *variance(ty_tensor *x, ty_axes axes, double ddof) {
    double n = (double)count_reduced(x, axes) - ddof;
    ty_tensor *sum = ty_sum(squared(ty_sub(x, mean(x, kept(axes)))), axes);
    return ty_div(sum, ty_num(n > 0 ? n : 0));
}

ty_tensor *ty_variance_ddof(ty_tensor *x, ty_axes axes, double ddof) {
    struct composite c = composite_open("variance", 1, &x);
    return composite_close(c, variance(averaged(x), axes, ddof));
}

ty_tensor *ty_variance(ty_tensor *x, ty_axes axes) { return ty_variance_ddof(x, axes, 0); }

/* Return the square root of x, with gradient 0 at 0, where the derivative is infinite: constants and zero
   distances have gradient 0 (graph.h). */
ty_tensor *root(ty_tensor *x) {
    ty_tensor *zero = ty_eq(x, ty_num(0));
    return ty_where(zero, ty_num(0), ty_sqrt(ty_where(zero, ty_num(1), x)));
}

/* Return the standard deviation over the axes, with divisor n - ddof. Deviations are scaled by a power of two
   near the largest, since squares overflow long before their root. Poison on failure. */
ty_tensor *ty_std(ty_tensor *x, ty_axes axes, double ddof) {
    struct composite c = composite_open("std", 1, &x);
    ty_tensor *values = averaged(x), *apart = ty_sub(values, mean(values, kept(axes)));
    double n = (double)count_reduced(x, axes) - ddof;
    struct scaled s = scaled(apart, axes);
    ty_tensor *square = ty_div(ty_sum(squared(s.x), axes), ty_num(n > 0 ? n : 0));
    return composite_close(c, unscaled(root(square), real_of(apart), s, axes));
}

ty_tensor *ty_average(ty_tensor *x, ty_tensor *weights, ty_axes axes) {
    ty_tensor *operands[] = {x, weights}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if ((bad = refuse_axes("average", x, axes))) return bad;
    uint64_t bits = axes_bits(axes, ty_rank(x));
    bool line = ty_rank(weights) == 1 && ty_rank(x) > 1 && bits && !(bits & (bits - 1));
    int rank = 0, clash, axis = bits ? __builtin_ctzll(bits) : 0;
    int64_t shape[TY_MAX_RANK];
    if (!line && !shape_equal(ty_rank(x), ty_shape(x), ty_rank(weights), ty_shape(weights)))
        return refuse("average", 2, operands, E_SHAPE,
                      "the weights must have the shape of the first, or one axis, the averaged one");
    shape_broadcast(&rank, shape, ty_rank(x), ty_shape(x), &clash);
    if (line && ty_shape(weights)[0] != shape[axis])
        return refuse("average", 2, operands, E_SHAPE,
                      "axis %d has %lld elements, but there are %lld weights", axis, (long long)shape[axis],
                      (long long)ty_shape(weights)[0]);
    operands[0] = averaged(operands[0]);
    struct composite c =
        composite_open_met("average", 2, operands, FLOATING); /* weights are summed in the result's dtype */
    ty_tensor *values = operands[0], *w = operands[1];
    for (int i = axis + 1; line && i < rank; i++) w = ty_expand(w, -1);
    w = ty_broadcast(w, rank, shape);
    return composite_close(c, ty_div(ty_sum(ty_mul(values, w), axes), ty_sum(w, axes)));
}

/* ---- norms ---- */

/* Return size^order, elementwise, for size >= 0. At 0, where the derivative is infinite, the result is
   constant: 0, or infinity for a negative order. */
static ty_tensor *powers(ty_tensor *size, double order) {
    ty_tensor *zero = ty_eq(size, ty_num(0));
    ty_tensor *power = ty_pow(ty_where(zero, ty_num(1), size), ty_num(order));
    return ty_where(zero, ty_num(order > 0 ? 0 : INFINITY), power);
}

static ty_tensor *root_of_powers(ty_tensor *sum, double order) {
    ty_tensor *zero = order > 0 ? ty_eq(sum, ty_num(0)) : ty_is_inf(sum);
    return ty_where(zero, ty_num(0), ty_pow(ty_where(zero, ty_num(1), sum), ty_num(1 / order)));
}

/* Return the vector norm of x of this order over the axes, scaled against overflow. Order 0 counts non-zeros;
   order infinity is the largest magnitude, -infinity the smallest. */
static ty_tensor *norm(ty_tensor *x, double order, ty_axes axes) {
    if (order == 0) return ty_cast(ty_sum(ty_ne(x, ty_num(0)), axes), real_of(x));
    if (isinf(order)) return order > 0 ? ty_amax(ty_abs(x), axes) : ty_amin(ty_abs(x), axes);
    if (order == 1) return ty_sum(ty_abs(x), axes);
    struct scaled s = order == 2 ? scaled(x, axes) : scaled_by_greatest(x, axes);
    if (order == 2) return unscaled(root(ty_sum(squared(s.x), axes)), real_of(x), s, axes);
    ty_tensor *sum = ty_sum(powers(ty_abs(s.x), order), axes);
    return unscaled(root_of_powers(sum, order), real_of(x), s, axes);
}

ty_tensor *ty_norm(ty_tensor *x, double order, ty_axes axes) {
    FLOATING_DEFAULT;
    if (!ty_ok(x)) return tensor_share(x);
    ty_tensor *bad = refuse_axes("norm", x, axes);
    if (bad) return bad;
    if (isnan(order)) return refuse("norm", 1, &x, E_ARGUMENT, "the order is NaN");
    struct composite c = composite_open("norm", 1, &x);
    ty_tensor *real = as_floating(x);
    return composite_close(c, ty_ok(real) ? norm(real, order, axes) : real);
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
    c.half = TY_DTYPES; /* the caller chooses the dtype that the result is rounded to */
    return composite_close(c, ty_cast(ty_sum(ty_cast(x, dtype), axes), dtype));
}

ty_tensor *ty_prod_as(ty_tensor *x, ty_axes axes, ty_dtype dtype) {
    struct composite c = composite_open("prod_as", 1, &x);
    c.half = TY_DTYPES; /* the caller chooses the dtype that the result is rounded to */
    return composite_close(c, ty_cast(ty_prod(ty_cast(x, dtype), axes), dtype));
}

/* ---- logsumexp ---- */

ty_tensor *log_or_greatest(ty_tensor *sum, ty_tensor *greatest) {
    ty_tensor *finite = ty_is_finite(greatest), *shift = ty_detach(greatest);
    ty_tensor *end = ty_where(ty_is_neg_inf(greatest), ty_num(-INFINITY), greatest);
    return ty_where(finite, ty_add(ty_log(ty_where(finite, sum, ty_num(1))), shift), end);
}

/* Return the logarithm of the sum of exp(x) over the axes. The maximum is subtracted first, so that nothing
   overflows. */
static ty_tensor *logsumexp(ty_tensor *x, ty_axes axes) {
    ty_tensor *greatest = ty_amax(x, kept(axes));
    ty_tensor *below = ty_where(ty_is_finite(greatest), ty_sub(x, ty_detach(greatest)), ty_num(0));
    return without_axes(log_or_greatest(ty_sum(ty_exp(below), kept(axes)), greatest), axes);
}

ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes) {
    bool nothing = ty_ok(x) && !refuse_axes("logsumexp", x, axes) && count_reduced(x, axes) == 0;
    struct composite c = composite_open("logsumexp", 1, &x);
    if (nothing) return composite_close(c, ty_log(ty_sum(as_floating(x), axes))); /* log(0) */
    return composite_close(c, logsumexp(as_floating(x), axes));
}
