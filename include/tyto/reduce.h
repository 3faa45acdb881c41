/* Reductions, scans and statistics.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_REDUCE_H
#define TYTO_REDUCE_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reductions: axes are a set ---- */

typedef struct ty_axes {
    uint64_t mask; /* bit i: axis i */
    uint64_t last; /* bit i: axis rank-1-i */
    bool keep;     /* keep reduced axes with size 1 */
} ty_axes;

#define TY_ALL ((ty_axes){UINT64_MAX, 0, false})
/* One axis, negative from the end, as an axes set. */
TY_API ty_axes ty_axis(int axis);
/* Several: ty_axes_of(2, (int[]){0, -1}, keep). */
TY_API ty_axes ty_axes_of(int n, const int *axes, bool keep);

TY_API ty_tensor *ty_sum(ty_tensor *x, ty_axes axes);  /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_prod(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_amax(ty_tensor *x, ty_axes axes); /* NaN wins; an empty axis is an error */
TY_API ty_tensor *ty_amin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_argmax(ty_tensor *x, ty_axes axes); /* i64, first of equals, row-major over the axes */
TY_API ty_tensor *ty_argmin(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_any(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_all(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_mean(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_variance(ty_tensor *x, ty_axes axes); /* population: divides by n */
TY_API ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes);

/* ---- scans: the running fold along one axis, negative from the end; x's shape ---- */

/* reverse: from the end to the start.  exclusive: element i does not count itself; the first is what an empty fold
   is: 0, 1, the least or greatest number.  (ty_scan){0} is neither. */
typedef struct ty_scan {
    bool reverse, exclusive;
} ty_scan;

TY_API ty_tensor *ty_cumsum(ty_tensor *x, int axis, ty_scan way); /* ints and bool: i64/u64, as NumPy */
TY_API ty_tensor *ty_cumprod(ty_tensor *x, int axis, ty_scan way);
TY_API ty_tensor *ty_cummax(ty_tensor *x, int axis, ty_scan way); /* NaN wins from where it stands on */
TY_API ty_tensor *ty_cummin(ty_tensor *x, int axis, ty_scan way);
/* i64: where on the axis the running extreme stands, the first of equals in the direction of the scan; exclusive
   is an error. */
TY_API ty_tensor *ty_cumargmax(ty_tensor *x, int axis, ty_scan way);
TY_API ty_tensor *ty_cumargmin(ty_tensor *x, int axis, ty_scan way);
/* y[i] = a[i] * y[i-1] + b[i] along the axis, from 0; reverse: y[i+1] instead.  Operands broadcast. */
TY_API ty_tensor *ty_linear_recurrence(ty_tensor *a, ty_tensor *b, int axis, bool reverse);

/* log(cumsum(exp(x))) without overflow; minus infinity counts as nothing. */
TY_API ty_tensor *ty_logcumsumexp(ty_tensor *x, int axis);

/* ---- along an axis ---- */

/* Neighbours' differences, n times over; of bools: whether they differ.  prepend, append (NULL: nothing) are joined
   to the ends first; they broadcast to one step of the axis or bring an axis of their own. */
TY_API ty_tensor *ty_diff(ty_tensor *x, int n, int axis, ty_tensor *prepend, ty_tensor *append);
/* The same of x row-major, between `begin` and `end` (NULL: nothing; else flattened). */
TY_API ty_tensor *ty_ediff1d(ty_tensor *x, ty_tensor *begin, ty_tensor *end);
/* The area under y by the trapezoidal rule; `at`: where the points are (NULL: `spacing` apart). */
TY_API ty_tensor *ty_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis);
/* The slope along an axis of evenly spaced values: central differences, one-sided at the ends; two values at least.
   NumPy's gradient. */
TY_API ty_tensor *ty_central_difference(ty_tensor *x, double spacing, int axis);

#ifdef __cplusplus
}
#endif
#endif
