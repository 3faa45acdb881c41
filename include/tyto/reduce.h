/* Reductions, scans and statistics.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_REDUCE_H
#define TYTO_REDUCE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reductions: over a set of axes ---- */

TY_API ty_tensor *ty_sum(ty_tensor *x, ty_axes axes); /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_prod(ty_tensor *x, ty_axes axes);
/* Complex numbers are ordered by magnitude, then phase.  NaN wins; an empty axis is an error. */
TY_API ty_tensor *ty_amax(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_amin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_argmax(ty_tensor *x, ty_axes axes); /* i64, first of equals, row-major over the axes */
TY_API ty_tensor *ty_argmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_any(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_all(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_mean(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_variance(ty_tensor *x, ty_axes axes); /* population: ty_variance_ddof with 0 */
/* The sum of squared distances from the mean over n - ddof, and its square root; real also for complex numbers.  NaN or
   infinity when n - ddof is not positive. */
TY_API ty_tensor *ty_variance_ddof(ty_tensor *x, ty_axes axes, double ddof);
TY_API ty_tensor *ty_std(ty_tensor *x, ty_axes axes, double ddof);
/* sum(x * weights) / sum(weights).  weights has x's shape, or is a vector along the one axis of the set. */
TY_API ty_tensor *ty_average(ty_tensor *x, ty_tensor *weights, ty_axes axes);
/* log(sum(exp(x))) without overflow; of nothing minus infinity. */
TY_API ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes);
/* The vector p-norm, floating.  Order 2 is Euclidean (over several axes: Frobenius), 0 counts elements that are not 0,
   infinity gives the greatest magnitude, -infinity the least.  Squares do not overflow on the way. */
TY_API ty_tensor *ty_norm(ty_tensor *x, double order, ty_axes axes);
TY_API ty_tensor *ty_ptp(ty_tensor *x, ty_axes axes);           /* greatest minus least */
TY_API ty_tensor *ty_count_nonzero(ty_tensor *x, ty_axes axes); /* i64 */
/* Sum and product of x after a cast to `dtype`, in that dtype. */
TY_API ty_tensor *ty_sum_as(ty_tensor *x, ty_axes axes, ty_dtype dtype);
TY_API ty_tensor *ty_prod_as(ty_tensor *x, ty_axes axes, ty_dtype dtype);

/* The same over the elements where `where` is true (bool, broadcasts to x's shape; NULL: everywhere), folded with `initial`
   (0-d, becomes the dtype of the result; NULL: nothing).  An extreme under a mask needs an initial value, with which it is
   defined of nothing too; the mean of nothing is NaN. */
TY_API ty_tensor *ty_sum_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
TY_API ty_tensor *ty_prod_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
TY_API ty_tensor *ty_amax_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
TY_API ty_tensor *ty_amin_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
TY_API ty_tensor *ty_mean_where(ty_tensor *x, ty_axes axes, ty_tensor *where);
TY_API ty_tensor *ty_any_where(ty_tensor *x, ty_axes axes, ty_tensor *where);
TY_API ty_tensor *ty_all_where(ty_tensor *x, ty_axes axes, ty_tensor *where);

/* The same, ignoring NaN.  Where nothing remains: 0 for sums, 1 for products, NaN for extremes and moments, and 0 for
   indices. */
TY_API ty_tensor *ty_nansum(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanprod(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmax(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanargmax(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanargmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmean(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanvar(ty_tensor *x, ty_axes axes, double ddof);
TY_API ty_tensor *ty_nanstd(ty_tensor *x, ty_axes axes, double ddof);

/* The covariance matrix of variables, which are the rows of x (without `rows` its columns); a vector is one variable,
   and its result is 0-d.  Divides by n - ddof, n the number of observations. */
TY_API ty_tensor *ty_cov(ty_tensor *x, bool rows, double ddof);
/* The correlation matrix: covariances divided by both standard deviations. */
TY_API ty_tensor *ty_corrcoef(ty_tensor *x, bool rows);

/* ---- scans: running folds along one axis (negative: from the end); results have x's shape ---- */

/* reverse: from the end to the start.  exclusive: result i folds the elements before i; the first one is the identity of
   the fold: 0, 1, the least or the greatest number.  (ty_running){0} is neither. */
typedef struct ty_running {
    bool reverse, exclusive;
} ty_running;

TY_API ty_tensor *ty_cumsum(ty_tensor *x, int axis, ty_running way); /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_cumprod(ty_tensor *x, int axis, ty_running way);
/* The same with NaN as 0 and as 1. */
TY_API ty_tensor *ty_nancumsum(ty_tensor *x, int axis, ty_running way);
TY_API ty_tensor *ty_nancumprod(ty_tensor *x, int axis, ty_running way);
TY_API ty_tensor *ty_cummax(ty_tensor *x, int axis, ty_running way); /* NaN wins from where it stands on */
TY_API ty_tensor *ty_cummin(ty_tensor *x, int axis, ty_running way);
/* i64: the index along the axis of the running extreme, the first of equal ones in the direction of the scan.
   exclusive is an error. */
TY_API ty_tensor *ty_cumargmax(ty_tensor *x, int axis, ty_running way);
TY_API ty_tensor *ty_cumargmin(ty_tensor *x, int axis, ty_running way);
/* y[i] = a[i] * y[i-1] + b[i] along the axis, from 0; reverse: y[i+1] instead.  Operands broadcast. */
TY_API ty_tensor *ty_linear_recurrence(ty_tensor *a, ty_tensor *b, int axis, bool reverse);

/* log(cumsum(exp(x))) without overflow; minus infinity counts as nothing. */
TY_API ty_tensor *ty_logcumsumexp(ty_tensor *x, int axis);

/* ---- along an axis ---- */

/* Differences of neighbours, taken n times; of bools: whether they differ.  prepend and append (NULL: none) are joined
   to the ends first; a 0-d tensor becomes one element of each line. */
TY_API ty_tensor *ty_diff(ty_tensor *x, int n, int axis, ty_tensor *prepend, ty_tensor *append);
/* Differences of x flattened, with `begin` and `end` (flattened; NULL: none) put before and after them. */
TY_API ty_tensor *ty_ediff1d(ty_tensor *x, ty_tensor *begin, ty_tensor *end);
/* x with multiples of `period` (0-d; NULL: 2 pi) added, so that neighbours along the axis differ by no more than half of it,
   but where they differ by less than `jump`.  Integers stay integers with an integer period; unsigned ones become signed
   (u8 i16).  The gradient is that of x: the multiples are constants. */
TY_API ty_tensor *ty_unwrap(ty_tensor *x, ty_tensor *period, double jump, int axis);
/* The area under y by the trapezoidal rule, of integers in f64; `at`: where the points are (NULL: `spacing` apart). */
TY_API ty_tensor *ty_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis);
/* NumPy's gradient: central differences of evenly spaced values along an axis, one-sided at the ends.  The axis needs
   two elements. */
TY_API ty_tensor *ty_central_difference(ty_tensor *x, double spacing, int axis);

#ifdef __cplusplus
}
#endif
#endif
