/* Reductions that ignore NaN.  Dtypes without NaN (integers, bool) use the plain reductions. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include "ops/reduce/statistics.h"

static bool has_nan(ty_tensor *x) {
    return ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_FLOAT | CLASS_COMPLEX);
}

/* Return x with NaN replaced by `value`, elementwise. */
static ty_tensor *instead(ty_tensor *x, double value) { return ty_where(ty_is_nan(x), ty_num(value), x); }

static ty_tensor *numbers(ty_tensor *x, ty_axes axes) {
    ty_tensor *count = ty_sum(ty_logical_not(ty_is_nan(x)), axes);
    return ty_cast(count, ty_ok(x) ? dtype_table[ty_dtype_of(x)].real : TY_F32);
}

/* ---- sums and products ---- */

ty_tensor *ty_nansum(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_sum(x, axes);
    struct composite c = composite_open("nansum", 1, &x);
    return composite_close(c, ty_sum(instead(x, 0), axes));
}

ty_tensor *ty_nanprod(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_prod(x, axes);
    struct composite c = composite_open("nanprod", 1, &x);
    return composite_close(c, ty_prod(instead(x, 1), axes));
}

static ty_tensor *running(const char *name, ty_tensor *x, int axis, ty_running way, double nothing,
                          ty_tensor *(*scan)(ty_tensor *, int, ty_running)) {
    if (!has_nan(x)) return scan(x, axis, way);
    struct composite c = composite_open(name, 1, &x);
    return composite_close(c, scan(instead(x, nothing), axis, way));
}
ty_tensor *ty_nancumsum(ty_tensor *x, int axis, ty_running way) {
    return running("nancumsum", x, axis, way, 0, ty_cumsum);
}
ty_tensor *ty_nancumprod(ty_tensor *x, int axis, ty_running way) {
    return running("nancumprod", x, axis, way, 1, ty_cumprod);
}

/* ---- extremes ---- */

static ty_tensor *extreme(ty_tensor *x, ty_axes axes, ty_tensor *(*find)(ty_tensor *, ty_axes), double last) {
    return ty_where(ty_all(ty_is_nan(x), axes), ty_num(NAN), find(instead(x, last), axes));
}

ty_tensor *ty_nanmax(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_amax(x, axes);
    struct composite c = composite_open("nanmax", 1, &x);
    return composite_close(c, extreme(x, axes, ty_amax, -(double)INFINITY));
}

ty_tensor *ty_nanmin(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_amin(x, axes);
    struct composite c = composite_open("nanmin", 1, &x);
    return composite_close(c, extreme(x, axes, ty_amin, (double)INFINITY));
}

ty_tensor *ty_nanargmax(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_argmax(x, axes);
    struct composite c = composite_open("nanargmax", 1, &x);
    return composite_close(c, ty_argmax(instead(x, -(double)INFINITY), axes));
}

ty_tensor *ty_nanargmin(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_argmin(x, axes);
    struct composite c = composite_open("nanargmin", 1, &x);
    return composite_close(c, ty_argmin(instead(x, (double)INFINITY), axes));
}

/* ---- moments ---- */

static ty_tensor *nanmean(ty_tensor *x, ty_axes axes) {
    return ty_div(ty_sum(instead(x, 0), axes), numbers(x, axes));
}

ty_tensor *ty_nanmean(ty_tensor *x, ty_axes axes) {
    if (!has_nan(x)) return ty_mean(x, axes);
    struct composite c = composite_open("nanmean", 1, &x);
    return composite_close(c, nanmean(x, axes));
}

/* Return the variance over the axes of the elements that are not NaN, with divisor n - ddof. NaN if there are
   too few (0 / 0) or an infinity is among them. */
static ty_tensor *nanvar(ty_tensor *x, ty_axes axes, double ddof) {
    ty_tensor *distance = ty_where(ty_is_nan(x), ty_num(0), ty_sub(x, nanmean(x, kept(axes))));
    ty_tensor *square = dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ? ty_real(ty_mul(distance, ty_conj(distance)))
                                                                : ty_square(distance);
    ty_tensor *n = ty_sub(numbers(x, axes), ty_num(ddof));
    ty_tensor *some = ty_where(ty_gt(n, ty_num(0)), n, ty_num(NAN));
    return ty_div(ty_sum(square, axes), some);
}

ty_tensor *ty_nanvar(ty_tensor *x, ty_axes axes, double ddof) {
    if (!has_nan(x)) return ty_variance_ddof(x, axes, ddof);
    struct composite c = composite_open("nanvar", 1, &x);
    return composite_close(c, nanvar(x, axes, ddof));
}

ty_tensor *ty_nanstd(ty_tensor *x, ty_axes axes, double ddof) {
    if (!has_nan(x)) return ty_std(x, axes, ddof);
    struct composite c = composite_open("nanstd", 1, &x);
    return composite_close(c, root(nanvar(x, axes, ddof)));
}
