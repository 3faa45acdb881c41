/* Reductions, scans and statistics.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_REDUCE_H
#define TYTO_REDUCE_H
#include <tyto/tyto.h>

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
/* Divides by n - ddof (NaN or infinity when nothing is left); of complex numbers real; its square root. */
TY_API ty_tensor *ty_variance_ddof(ty_tensor *x, ty_axes axes, double ddof);
TY_API ty_tensor *ty_std(ty_tensor *x, ty_axes axes, double ddof);
/* sum(x * weights) / sum(weights); weights of x's shape, or one axis along the only one of the set. */
TY_API ty_tensor *ty_average(ty_tensor *x, ty_tensor *weights, ty_axes axes);
/* log(sum(exp(x))) without overflow. */
TY_API ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes);
/* The vector norm of an order: 0 counts what is not 0, 1, 2 (Frobenius over several axes), infinity the
   greatest magnitude, -infinity the least, any other p the p-th root of the sum of p-th powers.  Floating. */
TY_API ty_tensor *ty_norm(ty_tensor *x, double order, ty_axes axes);
TY_API ty_tensor *ty_ptp(ty_tensor *x, ty_axes axes);           /* greatest minus least */
TY_API ty_tensor *ty_count_nonzero(ty_tensor *x, ty_axes axes); /* i64 */
/* Sum and product of x cast to `dtype`, in it. */
TY_API ty_tensor *ty_sum_as(ty_tensor *x, ty_axes axes, ty_dtype dtype);
TY_API ty_tensor *ty_prod_as(ty_tensor *x, ty_axes axes, ty_dtype dtype);

/* The same as if NaN were not there.  Where nothing is left: 0, 1, NaN for extremes and moments, and for
   places that of the first. */
TY_API ty_tensor *ty_nansum(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanprod(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmax(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanargmax(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanargmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmean(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanvar(ty_tensor *x, ty_axes axes, double ddof);
TY_API ty_tensor *ty_nanstd(ty_tensor *x, ty_axes axes, double ddof);

/* Covariances of variables over observations: variables in rows of a matrix (or, without `rows`, in columns),
   or one-dimensional x is one variable, whose result is 0-d.  Divides by n - ddof. */
TY_API ty_tensor *ty_cov(ty_tensor *x, bool rows, double ddof);
/* Covariances over the deviations of both: 1 on the diagonal. */
TY_API ty_tensor *ty_corrcoef(ty_tensor *x, bool rows);

/* ---- scans: the running fold along one axis, negative from the end; x's shape ---- */

/* reverse: from the end to the start.  exclusive: element i does not count itself; the first is what an empty
   fold is: 0, 1, the least or greatest number.  (ty_scan){0} is neither. */
typedef struct ty_scan {
    bool reverse, exclusive;
} ty_scan;

TY_API ty_tensor *ty_cumsum(ty_tensor *x, int axis, ty_scan way); /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_cumprod(ty_tensor *x, int axis, ty_scan way);
TY_API ty_tensor *ty_cummax(ty_tensor *x, int axis, ty_scan way); /* NaN wins from where it stands on */
TY_API ty_tensor *ty_cummin(ty_tensor *x, int axis, ty_scan way);
/* i64: where on the axis the running extreme stands, the first of equals in the direction of the scan;
   exclusive is an error. */
TY_API ty_tensor *ty_cumargmax(ty_tensor *x, int axis, ty_scan way);
TY_API ty_tensor *ty_cumargmin(ty_tensor *x, int axis, ty_scan way);
/* y[i] = a[i] * y[i-1] + b[i] along the axis, from 0; reverse: y[i+1] instead.  Operands broadcast. */
TY_API ty_tensor *ty_linear_recurrence(ty_tensor *a, ty_tensor *b, int axis, bool reverse);

/* log(cumsum(exp(x))) without overflow; minus infinity counts as nothing. */
TY_API ty_tensor *ty_logcumsumexp(ty_tensor *x, int axis);

/* ---- along an axis ---- */

/* Neighbours' differences, n times over; of bools: whether they differ.  prepend, append (NULL: nothing) are
   joined to the ends first; they broadcast to one step of the axis or bring an axis of their own. */
TY_API ty_tensor *ty_diff(ty_tensor *x, int n, int axis, ty_tensor *prepend, ty_tensor *append);
/* The same of x row-major, between `begin` and `end` (NULL: nothing; else flattened). */
TY_API ty_tensor *ty_ediff1d(ty_tensor *x, ty_tensor *begin, ty_tensor *end);
/* The area under y by the trapezoidal rule; `at`: where the points are (NULL: `spacing` apart). */
TY_API ty_tensor *ty_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis);
/* The slope along an axis of evenly spaced values: central differences, one-sided at the ends; two values at
   least. NumPy's gradient. */
TY_API ty_tensor *ty_central_difference(ty_tensor *x, double spacing, int axis);

#ifdef __cplusplus
}
#endif
#endif
