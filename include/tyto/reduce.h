/* Reductions, scans and differences.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.  A
   reduction removes its axes, or keeps them with size 1 if the set says so.  An axis outside the rank of x gives
   poison. */
#ifndef TYTO_REDUCE_H
#define TYTO_REDUCE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reductions: over a set of axes ---- */

/* Sum over axes of x, which are removed or kept with size 1; integers and bool are summed in i64 or u64, as in
   NumPy.  0 if there are no elements; poison if an axis is outside. */
TY_API ty_tensor *ty_sum(ty_tensor *x, ty_axes axes);
/* Product over axes of x, which are removed or kept with size 1; integers and bool are multiplied in i64 or
   u64.  1 if there are no elements; poison if an axis is outside. */
TY_API ty_tensor *ty_prod(ty_tensor *x, ty_axes axes);
/* Maximum over axes of x, which are removed or kept with size 1; NaN if there is one.  Complex numbers are ordered
   by magnitude, then phase.  The dtype stays.  Poison if there are no elements or an axis is outside. */
TY_API ty_tensor *ty_amax(ty_tensor *x, ty_axes axes);
/* Minimum over axes of x, which are removed or kept with size 1; NaN if there is one.  Complex numbers are ordered
   by magnitude, then phase.  The dtype stays.  Poison if there are no elements or an axis is outside. */
TY_API ty_tensor *ty_amin(ty_tensor *x, ty_axes axes);
/* Index of the maximum over axes of x, which are removed or kept with size 1: i64, counted from 0 in row-major
   order over these axes.  Of equal elements the first, or the first NaN; complex numbers are ordered by magnitude,
   then phase.  Poison if there are no elements or an axis is outside. */
TY_API ty_tensor *ty_argmax(ty_tensor *x, ty_axes axes);
/* Index of the minimum over axes of x, which are removed or kept with size 1: i64, counted from 0 in row-major
   order over these axes.  Of equal elements the first, or the first NaN; complex numbers are ordered by magnitude,
   then phase.  Poison if there are no elements or an axis is outside. */
TY_API ty_tensor *ty_argmin(ty_tensor *x, ty_axes axes);
/* Return a bool tensor, reduced over axes of x, which are removed or kept with size 1: true if any element is not
   0, false if there are none.  Any dtype; poison if an axis is outside. */
TY_API ty_tensor *ty_any(ty_tensor *x, ty_axes axes);
/* Return a bool tensor, reduced over axes of x, which are removed or kept with size 1: true if all elements are not
   0, also if there are none.  Any dtype; poison if an axis is outside. */
TY_API ty_tensor *ty_all(ty_tensor *x, ty_axes axes);
/* Arithmetic mean over axes of x, which are removed or kept with size 1.  Integers give f64, other dtypes stay; NaN
   for no elements.  Poison if an axis is outside. */
TY_API ty_tensor *ty_mean(ty_tensor *x, ty_axes axes);
/* Population variance over axes of x, which are removed or kept with size 1: the mean of squared distances from the
   mean, ty_variance_ddof with ddof 0.  Real; f64 for integers.  NaN for no elements; poison if an axis is outside. */
TY_API ty_tensor *ty_variance(ty_tensor *x, ty_axes axes);
/* Variance over axes of x, which are removed or kept with size 1: the sum of squared distances from the mean,
   divided by n - ddof.  Real also for complex numbers; f64 for integers.  NaN or infinity if n - ddof is not
   positive.  Poison if an axis is outside. */
TY_API ty_tensor *ty_variance_ddof(ty_tensor *x, ty_axes axes, double ddof);
/* Standard deviation over axes of x, which are removed or kept with size 1: the square root of the variance with
   divisor n - ddof.  Real also for complex numbers; f64 for integers.  NaN or infinity if n - ddof is not positive;
   poison if an axis is outside. */
TY_API ty_tensor *ty_std(ty_tensor *x, ty_axes axes, double ddof);
/* Weighted mean over axes of x, which are removed or kept with size 1: sum(x * weights) / sum(weights).  `weights`
   has x's shape, or is a vector along the only axis of the set.  Integers give f64.  NaN or infinity if the weights
   sum to 0; poison if their shape does not fit or an axis is outside. */
TY_API ty_tensor *ty_average(ty_tensor *x, ty_tensor *weights, ty_axes axes);
/* Logarithm of the sum of exp(x) over axes, which are removed or kept with size 1, without overflow; minus infinity
   for no elements.  Integers give a floating result.  Poison for complex numbers or an axis outside. */
TY_API ty_tensor *ty_logsumexp(ty_tensor *x, ty_axes axes);
/* Vector norm of the given order over axes, which are removed or kept with size 1; real, floating for integers.
   Order 2 is Euclidean (over several axes Frobenius), 0 counts nonzero elements, infinity gives the greatest and
   -infinity the least magnitude.  Squares do not overflow.  Poison for an order of NaN, an infinite order of no
   elements, or an axis outside. */
TY_API ty_tensor *ty_norm(ty_tensor *x, double order, ty_axes axes);
/* Maximum minus minimum over axes of x, which are removed or kept with size 1; NaN if there is one.  The dtype
   stays (bool: i8).  Poison if there are no elements or an axis is outside. */
TY_API ty_tensor *ty_ptp(ty_tensor *x, ty_axes axes);
/* Number of nonzero elements over axes of x, which are removed or kept with size 1: i64.  Any dtype; NaN counts.
   Poison if an axis is outside. */
TY_API ty_tensor *ty_count_nonzero(ty_tensor *x, ty_axes axes);
/* Sum over axes, which are removed or kept with size 1, of x cast to `dtype`, which is also the result's dtype.
   Half floats are summed in a wider dtype and rounded once.  Poison if an axis is outside or the dtype is invalid. */
TY_API ty_tensor *ty_sum_as(ty_tensor *x, ty_axes axes, ty_dtype dtype);
/* Product over axes, which are removed or kept with size 1, of x cast to `dtype`, which is also the result's dtype.
   Half floats are multiplied in a wider dtype and rounded once.  Poison if an axis is outside or the dtype is
   invalid. */
TY_API ty_tensor *ty_prod_as(ty_tensor *x, ty_axes axes, ty_dtype dtype);

/* Sum over axes of the elements where `where` is true (bool, broadcasts to x's shape; NULL: all), plus `initial`
   (0-d; NULL: nothing).  Axes are removed or kept with size 1; integers and bool become i64 or u64.  Poison if
   `where` or an axis does not fit. */
TY_API ty_tensor *ty_sum_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
/* Product over axes of the elements where `where` is true (bool, broadcasts to x's shape; NULL: all), times
   `initial` (0-d; NULL: nothing).  Axes are removed or kept with size 1; integers and bool become i64 or u64.
   Poison if `where` or an axis does not fit. */
TY_API ty_tensor *ty_prod_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
/* Maximum over axes of `initial` (0-d) and the elements where `where` is true (bool, broadcasts to x's shape; NULL:
   all).  Axes are removed or kept with size 1; the dtype stays.  Poison if `initial` is NULL and there is a mask or
   no element, or if `where`, `initial` or an axis does not fit. */
TY_API ty_tensor *ty_amax_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
/* Minimum over axes of `initial` (0-d) and the elements where `where` is true (bool, broadcasts to x's shape; NULL:
   all).  Axes are removed or kept with size 1; the dtype stays.  Poison if `initial` is NULL and there is a mask or
   no element, or if `where`, `initial` or an axis does not fit. */
TY_API ty_tensor *ty_amin_where(ty_tensor *x, ty_axes axes, ty_tensor *where, ty_tensor *initial);
/* Mean over axes of the elements where `where` is true (bool, broadcasts to x's shape; NULL: all); NaN if there are
   none.  Axes are removed or kept with size 1; integers give f64.  Poison if `where` or an axis does not fit. */
TY_API ty_tensor *ty_mean_where(ty_tensor *x, ty_axes axes, ty_tensor *where);
/* Return a bool tensor, reduced over axes of x, which are removed or kept with size 1: true if any element where
   `where` is true is not 0, false if there are none.  `where` is bool and broadcasts to x's shape; NULL: all.
   Poison if `where` or an axis does not fit. */
TY_API ty_tensor *ty_any_where(ty_tensor *x, ty_axes axes, ty_tensor *where);
/* Return a bool tensor, reduced over axes of x, which are removed or kept with size 1: true if all elements where
   `where` is true are not 0, also if there are none.  `where` is bool and broadcasts to x's shape; NULL: all.
   Poison if `where` or an axis does not fit. */
TY_API ty_tensor *ty_all_where(ty_tensor *x, ty_axes axes, ty_tensor *where);

/* Sum over axes of x, which are removed or kept with size 1, ignoring NaN; 0 if nothing remains.  Integers and bool
   are summed in i64 or u64.  Poison if an axis is outside. */
TY_API ty_tensor *ty_nansum(ty_tensor *x, ty_axes axes);
/* Product over axes of x, which are removed or kept with size 1, ignoring NaN; 1 if nothing remains.  Integers and
   bool are multiplied in i64 or u64.  Poison if an axis is outside. */
TY_API ty_tensor *ty_nanprod(ty_tensor *x, ty_axes axes);
/* Maximum over axes of x, which are removed or kept with size 1, ignoring NaN; NaN if all are NaN, poison if there
   are no elements.  The dtype stays.  Poison also if an axis is outside. */
TY_API ty_tensor *ty_nanmax(ty_tensor *x, ty_axes axes);
/* Minimum over axes of x, which are removed or kept with size 1, ignoring NaN; NaN if all are NaN, poison if there
   are no elements.  The dtype stays.  Poison also if an axis is outside. */
TY_API ty_tensor *ty_nanmin(ty_tensor *x, ty_axes axes);
/* Index of the maximum over axes of x, which are removed or kept with size 1, ignoring NaN: i64, counted from 0 in
   row-major order over these axes.  The first of equal elements; 0 if all are NaN.  Poison if there are no elements
   or an axis is outside. */
TY_API ty_tensor *ty_nanargmax(ty_tensor *x, ty_axes axes);
/* Index of the minimum over axes of x, which are removed or kept with size 1, ignoring NaN: i64, counted from 0 in
   row-major order over these axes.  The first of equal elements; 0 if all are NaN.  Poison if there are no elements
   or an axis is outside. */
TY_API ty_tensor *ty_nanargmin(ty_tensor *x, ty_axes axes);
/* Mean over axes of x, which are removed or kept with size 1, ignoring NaN; NaN if nothing remains.  Integers give
   f64.  Poison if an axis is outside. */
TY_API ty_tensor *ty_nanmean(ty_tensor *x, ty_axes axes);
/* Variance over axes of x, which are removed or kept with size 1, ignoring NaN, with divisor n - ddof for n
   remaining elements.  Real; f64 for integers.  NaN if n - ddof is not positive.  Poison if an axis is outside. */
TY_API ty_tensor *ty_nanvar(ty_tensor *x, ty_axes axes, double ddof);
/* Standard deviation over axes of x, which are removed or kept with size 1, ignoring NaN, with divisor n - ddof for
   n remaining elements.  Real; f64 for integers.  NaN if n - ddof is not positive.  Poison if an axis is outside. */
TY_API ty_tensor *ty_nanstd(ty_tensor *x, ty_axes axes, double ddof);

/* Covariance matrix [v, v] of v variables, which are the rows of x, or without `rows` its columns.  The other axis
   counts the n observations.  Sums are divided by n - ddof (0 if that is negative).  Integers give f64, complex
   numbers a Hermitian matrix.  One variable, such as a vector or a single row, gives a 0-d result.  Poison unless x
   has one or two axes. */
TY_API ty_tensor *ty_cov(ty_tensor *x, bool rows, double ddof);
/* Correlation matrix [v, v] of v variables, which are the rows of x, or without `rows` its columns; real values are
   clipped to -1..1.  Integers give f64.  One variable, such as a vector or a single row, gives a 0-d result.  NaN
   for a constant variable; poison unless x has one or two axes. */
TY_API ty_tensor *ty_corrcoef(ty_tensor *x, bool rows);

/* ---- scans: cumulative reductions along one axis (negative: from the end); results have x's shape ---- */

/* Direction of a scan.  reverse: from the end to the start.  exclusive: result i combines the elements before i;
   the first one is the identity: 0, 1, the least or the greatest number.  (ty_running){0} is neither. */
typedef struct ty_running {
    bool reverse, exclusive;
} ty_running;

/* Cumulative sum along an axis, of x's shape; integers and bool are summed in i64 or u64, as in NumPy.  `way` makes
   it reverse or exclusive; {0} is neither.  Poison if the axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_cumsum(ty_tensor *x, int axis, ty_running way);
/* Cumulative product along an axis, of x's shape; integers and bool are multiplied in i64 or u64.  `way` makes it
   reverse or exclusive; {0} is neither.  Poison if the axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_cumprod(ty_tensor *x, int axis, ty_running way);
/* Cumulative sum along an axis, with NaN counted as 0; of x's shape, i64 or u64 for integers and bool.  `way` makes
   it reverse or exclusive; {0} is neither.  Poison if the axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_nancumsum(ty_tensor *x, int axis, ty_running way);
/* Cumulative product along an axis, with NaN counted as 1; of x's shape, i64 or u64 for integers and bool.  `way`
   makes it reverse or exclusive; {0} is neither.  Poison if the axis is outside.  A negative axis counts from the
   end. */
TY_API ty_tensor *ty_nancumprod(ty_tensor *x, int axis, ty_running way);
/* Cumulative maximum along an axis, of x's shape and dtype; NaN from the first NaN on.  `way` makes it reverse or
   exclusive; {0} is neither.  Poison for complex numbers or an axis outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_cummax(ty_tensor *x, int axis, ty_running way);
/* Cumulative minimum along an axis, of x's shape and dtype; NaN from the first NaN on.  `way` makes it reverse or
   exclusive; {0} is neither.  Poison for complex numbers or an axis outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_cummin(ty_tensor *x, int axis, ty_running way);
/* Index along the axis of the cumulative maximum: i64 of x's shape, counted from 0, the first of equal ones in the
   direction of the scan.  `way` makes it reverse; {0} is forward, `exclusive` gives poison.  A negative axis counts
   from the end.  Poison for complex numbers or an axis outside. */
TY_API ty_tensor *ty_cumargmax(ty_tensor *x, int axis, ty_running way);
/* Index along the axis of the cumulative minimum: i64 of x's shape, counted from 0, the first of equal ones in the
   direction of the scan.  `way` makes it reverse; {0} is forward, `exclusive` gives poison.  A negative axis counts
   from the end.  Poison for complex numbers or an axis outside. */
TY_API ty_tensor *ty_cumargmin(ty_tensor *x, int axis, ty_running way);
/* Solve y[i] = a[i] * y[i-1] + b[i] along an axis, with 0 before the first element; with `reverse`, y[i+1] replaces
   y[i-1].  Operands broadcast and are promoted; the result has their common shape.  Poison if they do not broadcast
   or the axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_linear_recurrence(ty_tensor *a, ty_tensor *b, int axis, bool reverse);

/* Return the logarithm of the cumulative sum of exp(x) along an axis, of x's shape, without overflow; minus
   infinity contributes nothing.  Integers give a floating result.  A negative axis counts from the end.  Poison for
   complex numbers or an axis outside. */
TY_API ty_tensor *ty_logcumsumexp(ty_tensor *x, int axis);

/* ---- along an axis ---- */

/* Differences of neighbours along an axis, later minus earlier, taken n times; the axis loses n elements.  n = 0
   gives x itself.  dtypes are promoted; bools give inequality, unsigned integers wrap.  `prepend` and `append`
   (NULL: none) are joined to the ends first; a 0-d tensor adds one element to each line.  Poison if n is negative
   or the axis is outside (negative: from the end). */
TY_API ty_tensor *ty_diff(ty_tensor *x, int n, int axis, ty_tensor *prepend, ty_tensor *append);
/* Differences of neighbours of x, flattened: a vector with one element less than x.  The elements of `begin` are
   put in front and those of `end` behind (flattened; NULL: none); dtypes are promoted.  Poison if one is poisoned. */
TY_API ty_tensor *ty_ediff1d(ty_tensor *x, ty_tensor *begin, ty_tensor *end);
/* Add multiples of `period` (0-d; NULL: 2 pi) to x, whose shape stays, so that neighbours along the axis differ by
   at most half a period.  Differences below `jump` are kept.  Integers with an integer period stay integers;
   unsigned ones become signed (u8: i16).  The multiples have no gradient.  Poison for complex numbers.  A negative
   axis counts from the end. */
TY_API ty_tensor *ty_unwrap(ty_tensor *x, ty_tensor *period, double jump, int axis);
/* Integrate y along an axis by the trapezoidal rule, at the positions `at`, a vector or of y's shape (NULL:
   `spacing` apart).  The axis is removed; fewer than two elements give 0.  Integers give f64.  Poison if the axis
   is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis);
/* Derivative of values `spacing` apart along an axis, of x's shape, as NumPy's gradient: central differences,
   one-sided at the ends.  Integers give a floating result.  Poison if the axis has fewer than two elements.  A
   negative axis counts from the end. */
TY_API ty_tensor *ty_central_difference(ty_tensor *x, double spacing, int axis);

#ifdef __cplusplus
}
#endif
#endif
