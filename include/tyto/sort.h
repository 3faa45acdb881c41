/* Ordering: sorting, searching, sets, quantiles, histograms, random orders.  Part of <tyto/tyto.h>, which states
   the rules that hold for all functions.  Axes are counted from 0, negative ones from the end; indices in results
   are i64 and count from 0. */
#ifndef TYTO_SORT_H
#define TYTO_SORT_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sorting: stable; NaN is greater than any number; complex numbers by magnitude, then phase ---- */

/* Sort each line along `axis` in ascending order, or descending if so; stable, of x's shape and dtype.  NaN is
   greater than any number; zeros of both signs are equal.  Complex numbers are ordered by magnitude, then phase.
   Poison if the axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_sort(ty_tensor *x, int axis, bool descending);
/* Return the indices along `axis` that sort each line in ascending order, or descending if so: i64 of x's shape,
   counted from 0.  NaN is greater than any number; complex numbers are ordered by magnitude, then phase.  Equal
   elements keep their order, also when descending.  Poison if the axis is outside (negative: from the end). */
TY_API ty_tensor *ty_argsort(ty_tensor *x, int axis, bool descending);
/* Return the k largest (else smallest) elements of each line along `axis`, the most extreme first; the axis gets
   size k, the dtype stays.  NaN counts as the largest.  Poison unless k is 0 to the axis's size.  A negative axis
   counts from the end. */
TY_API ty_tensor *ty_top_k(ty_tensor *x, int64_t k, int axis, bool largest);
/* Return the indices along `axis` of the k largest (else smallest) elements, the most extreme first; of equal
   elements the first one; NaN counts as the largest.  The axis gets size k; poison unless k is 0 to its size.  i64,
   counted from 0.  A negative axis counts from the end. */
TY_API ty_tensor *ty_top_k_index(ty_tensor *x, int64_t k, int axis, bool largest);

/* Reorder each line along `axis` to put element `kth` in its sorted position: none greater before it, none smaller
   after it.  The result has x's shape and dtype.  kth and the axis count from 0, negative ones from the end.
   Poison if kth or the axis is outside. */
TY_API ty_tensor *ty_partition(ty_tensor *x, int64_t kth, int axis);
/* Return the indices along `axis` that put element `kth` of each line in its sorted position: none greater before
   it, none smaller after it.  i64 of x's shape, counted from 0.  A negative kth or axis counts from the end; poison
   if one is outside. */
TY_API ty_tensor *ty_argpartition(ty_tensor *x, int64_t kth, int axis);
/* Return the indices along `axis` that sort in ascending order by keys[n-1], with ties sorted by keys[n-2], and so
   on; all n keys have one shape, also the result's.  i64, counted from 0.  Poison if n is 0, shapes differ or the
   axis is outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_lexsort(int n, ty_tensor *const *keys, int axis);
/* Return the position that each element gets when its line along `axis` is sorted, counted from 0; equal
   elements are numbered in their order.  i64 of x's shape.  Poison if the axis is outside.  A negative axis
   counts from the end. */
TY_API ty_tensor *ty_ordinal(ty_tensor *x, int axis);
/* Return a bool for each line along `axis`, which is removed: true if no element is less than the one before it;
   NaN is greater than any number.  A line of at most one element is sorted.  Poison if the axis is outside.  A
   negative axis counts from the end. */
TY_API ty_tensor *ty_is_sorted(ty_tensor *x, int axis);

/* ---- searching ---- */

/* Return the index, 0 to n, at which each element of x would be inserted into ascending `sorted`, before (with
   `right` after) equal ones.  `sorted` is a vector, or [.., n] with the leading axes of x; dtypes are promoted.
   The result is i64 of x's shape.  Poison if shapes do not fit; an unsorted `sorted` is not detected.  NaN sorts
   last. */
TY_API ty_tensor *ty_searchsorted(ty_tensor *sorted, ty_tensor *x, bool right);
/* Return for each x the index i of its bin, as NumPy: bins[i-1] <= x < bins[i], or with `right` bins[i-1] < x <=
   bins[i]; for descending bins with > for < and the reverse.  `bins` is a monotone vector [n]; i is 0 before the
   first and n after the last.  The result is i64 of x's shape.  Poison if `bins` is no vector; its order is not
   checked. */
TY_API ty_tensor *ty_digitize(ty_tensor *x, ty_tensor *bins, bool right);

/* ---- sets: sorted vectors without duplicates ---- */
/* Sizes depend on values, so promises are evaluated and have no gradient through the set: asking for one is an
   error.  Gradients flow through tracked values. */

/* Return the distinct elements of x as a vector of x's dtype in ascending order; all NaN count as one.  A promise
   is evaluated.  Poison if x is poisoned. */
TY_API ty_tensor *ty_unique(ty_tensor *x);
/* Result of ty_unique_all. */
typedef struct ty_unique_parts {
    ty_tensor *values;  /* distinct elements in ascending order */
    ty_tensor *index;   /* i64: flat index of the first occurrence of each */
    ty_tensor *inverse; /* i64 of x's shape: index into `values` of each element */
    ty_tensor *counts;  /* i64: number of occurrences of each */
} ty_unique_parts;
/* Return the n distinct elements of x, ascending; their first flat indices and counts, i64 [n]; and inverse
   indices, i64 of x's shape.  Indices count from 0.  A promise is evaluated.  On failure all parts are poisoned. */
TY_API ty_unique_parts ty_unique_all(ty_tensor *x);
/* Return the distinct slices of x along `axis`, sorted lexicographically by their elements.  A promise is
   evaluated.  Poison if the axis is outside (negative: from the end). */
TY_API ty_tensor *ty_unique_slices(ty_tensor *x, int axis);
/* Return the sorted distinct elements that are in a or in b, as a vector.  Promises are evaluated.  Operands of
   any shape are flattened and promoted; poison if one is poisoned. */
TY_API ty_tensor *ty_union1d(ty_tensor *a, ty_tensor *b);
/* Return the sorted distinct elements that are in both a and b, as a vector.  Promises are evaluated.  Operands
   of any shape are flattened and promoted; poison if one is poisoned. */
TY_API ty_tensor *ty_intersect1d(ty_tensor *a, ty_tensor *b);
/* Return the sorted distinct elements of a that are not in b, as a vector.  Promises are evaluated.  Operands
   of any shape are flattened and promoted; poison if one is poisoned. */
TY_API ty_tensor *ty_setdiff1d(ty_tensor *a, ty_tensor *b);
/* Return the sorted distinct elements that are in exactly one of a and b, as a vector.  Promises are evaluated.
   Operands of any shape are flattened and promoted; poison if one is poisoned. */
TY_API ty_tensor *ty_setxor1d(ty_tensor *a, ty_tensor *b);
/* Return a bool for each element of x: true if it is in `among`; NaN never is.  Promises stay promises.  bool
   of x's shape; poison if one is poisoned. */
TY_API ty_tensor *ty_isin(ty_tensor *x, ty_tensor *among);

/* ---- quantiles: integers are computed in floating point, as by ty_mean; an empty line gives poison ---- */

/*
 * Return the quantiles q in 0..1 over a set of axes; the result has q's axes, then the remaining ones.  A line with
 * a NaN gives NaN.  Poison for complex x, no elements, a q outside 0..1, or more than 1024 of them.  A promise of q
 * is evaluated and has no gradient.
 *
 * `method` is NumPy's: "linear" (also NULL), "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
 * "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "lower", "higher", "nearest"
 * or "midpoint".
 */
TY_API ty_tensor *ty_quantile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
/* Return the percentiles q in 0..100 of x over a set of axes; the result has q's axes, then the remaining ones,
   floating.  `method` is one of ty_quantile's, NULL: "linear".  A line with a NaN gives NaN.  Poison for complex x,
   no elements, a q outside, or more than 1024 of them. */
TY_API ty_tensor *ty_percentile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
/* Return the quantiles q in 0..1 of x over a set of axes, ignoring NaN; NaN if a line has nothing else.  The result
   has q's axes, then the remaining ones, floating; `method` is one of ty_quantile's, NULL: "linear".  Poison for
   complex x, no elements, a q outside, or more than 1024 of them. */
TY_API ty_tensor *ty_nanquantile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
/* Return the percentiles q in 0..100 of x over a set of axes, ignoring NaN; NaN if a line has nothing else.  The
   result has q's axes, then the remaining ones, floating; `method` is one of ty_quantile's, NULL: "linear".  Poison
   for complex x, no elements, a q outside, or more than 1024 of them. */
TY_API ty_tensor *ty_nanpercentile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
/* Median over a set of axes of x (removed, or kept with size 1), the mean of the two middle elements of an even
   number.  Integers give a floating result.  NaN if there is a NaN; poison for no elements or complex x. */
TY_API ty_tensor *ty_median(ty_tensor *x, ty_axes axes);
/* Median over a set of axes of x (removed, or kept with size 1), ignoring NaN; for an even number the mean of the
   two middle elements.  Integers give a floating result.  NaN if nothing remains, poison for no elements or complex
   x. */
TY_API ty_tensor *ty_nanmedian(ty_tensor *x, ty_axes axes);
/* Interquartile range over a set of axes of x (removed, or kept with size 1): upper minus lower quartile, by linear
   interpolation.  Integers give a floating result.  NaN if there is a NaN.  Poison for no elements or complex x. */
TY_API ty_tensor *ty_iqr(ty_tensor *x, ty_axes axes);
/* Return the most frequent element of each line along `axis`, the smallest of several; the axis is removed, the
   dtype stays.  Poison if it is empty or outside.  A negative axis counts from the end. */
TY_API ty_tensor *ty_mode(ty_tensor *x, int axis);

/* ---- histograms of all elements: i64 counts, or sums of weights (x's shape; NULL: none) ---- */

/* Count the elements of x in `bins` intervals of equal width from low to high: [bins].  The last one includes its
   end.  Elements outside and NaN are not counted.  If low equals high: from the least to the greatest element,
   which must be finite.  With `weights` (x's shape; NULL: none) their sums replace the i64 counts.  density:
   floating, scaled so that the sum of value times width is 1.  Poison if bins is below 1, for complex x, or if low
   exceeds high or is not finite. */
TY_API ty_tensor *ty_histogram(ty_tensor *x, int64_t bins, double low, double high, ty_tensor *weights,
                               bool density);
/* Return the bins + 1 edges of the intervals of equal width in which ty_histogram counts the elements of x, for
   the same bins, low and high.  Of floating dtype.  Poison if bins is below 1, low exceeds high, or the range
   is not finite. */
TY_API ty_tensor *ty_histogram_bin_edges(ty_tensor *x, int64_t bins, double low, double high);
/* Count the elements of x in the n - 1 intervals between `edges`, a non-decreasing vector [n] (n at least 2), which
   is evaluated.  The last interval includes its end; elements outside and NaN are not counted.  With `weights` (x's
   shape; NULL: none) their sums replace the i64 counts.  density: floating, scaled so that the sum of value times
   width is 1.  Poison for complex x, or edges that descend or are NaN. */
TY_API ty_tensor *ty_histogram_edges(ty_tensor *x, ty_tensor *edges, ty_tensor *weights, bool density);
/* Count the pairs (x, y) in the rectangles between two non-decreasing vectors of edges: [x intervals, y intervals].
   x and y have one shape; the last intervals include their ends, pairs outside are not counted.  With `weights`
   (x's shape; NULL: none) their sums replace the i64 counts.  density: floating, scaled so that the sum of value
   times area is 1. */
TY_API ty_tensor *ty_histogram2d(ty_tensor *x, ty_tensor *y, ty_tensor *x_edges, ty_tensor *y_edges,
                                 ty_tensor *weights, bool density);
/* Count the occurrences of each number from 0 on in a vector x of non-negative integers, or sum their weights (x's
   shape; NULL: none) in f64.  The result is i64, with weights f64, of max(x) + 1 elements, or `least` if that is
   more.  A promise of x is evaluated.  Poison for other values or dtypes. */
TY_API ty_tensor *ty_bincount(ty_tensor *x, ty_tensor *weights, int64_t least);

/* ---- random orders and choices ---- */

/* A key is that of ty_key (create.h).  Up to 65,536 elements all orders are equally likely; beyond that a key selects
   one of 2^128 orders. */

/* Return i64[n]: the numbers 0..n-1 in a random order that `key` (ty_key) determines.  Poison if n is negative. */
TY_API ty_tensor *ty_permutation(int64_t n, ty_tensor *key);
/* Return x with its slices along `axis` in a random order that `key` (ty_key) determines; whole slices are moved.
   Above 65,536 slices, takes no memory besides the result.  Poison if the axis is outside.  A negative axis counts
   from the end. */
TY_API ty_tensor *ty_shuffle(ty_tensor *x, int axis, ty_tensor *key);
/* Return i64[count]: random indices of 0..n-1, with replacement if `replace`, else distinct.  `p` holds
   probabilities [n], scaled to sum 1, and is evaluated if a promise; NULL: uniform.  Poison for a negative n or
   count, no positive p, or more distinct indices than n (or than positive p). */
TY_API ty_tensor *ty_choice(int64_t n, int64_t count, bool replace, ty_tensor *p, ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
