/* Ordering: sorting, searching, sets, quantiles, histograms.  Part of <tyto/tyto.h>, which says what holds
 * everywhere. */
#ifndef TYTO_SORT_H
#define TYTO_SORT_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sorting: stable; NaN is greater than any number; complex numbers by magnitude, then phase ---- */

/* The elements of each line along `axis` in ascending or descending order.  Zeros of both signs are equal. */
TY_API ty_tensor *ty_sort(ty_tensor *x, int axis, bool descending);
/* i64: the indices that would sort each line; equal elements keep their order, also descending. */
TY_API ty_tensor *ty_argsort(ty_tensor *x, int axis, bool descending);
/* The k largest (or smallest) along `axis`, the best first; k on that axis. */
TY_API ty_tensor *ty_top_k(ty_tensor *x, int64_t k, int axis, bool largest);
/* i64: the indices of those; of equal elements the first one first. */
TY_API ty_tensor *ty_top_k_index(ty_tensor *x, int64_t k, int axis, bool largest);

/* Reordered so that element `kth` (negative: from the end) is where sorting would put it, no greater ones before it and
   no smaller ones behind it. */
TY_API ty_tensor *ty_partition(ty_tensor *x, int64_t kth, int axis);
TY_API ty_tensor *ty_argpartition(ty_tensor *x, int64_t kth, int axis);
/* i64: the indices along `axis` sorted by keys[n-1], ties by keys[n-2], and so on; all keys have one shape. */
TY_API ty_tensor *ty_lexsort(int n, ty_tensor *const *keys, int axis);
/* i64: the rank of each element in its sorted line, counted from 0; equal elements are ranked in their order. */
TY_API ty_tensor *ty_ordinal(ty_tensor *x, int axis);
/* bool: whether no element of a line is less than the one before it; not for complex numbers. */
TY_API ty_tensor *ty_is_sorted(ty_tensor *x, int axis);

/* ---- searching ---- */

/* i64: the index at which each x would be inserted into ascending `sorted`, before elements equal to it, or with
   `right` behind them.  sorted is a vector, or [.., n] with the leading axes of x; dtypes are promoted. */
TY_API ty_tensor *ty_searchsorted(ty_tensor *sorted, ty_tensor *x, bool right);
/* i64: i such that bins[i-1] <= x < bins[i] (right: < and <=), as NumPy; bins may also fall. */
TY_API ty_tensor *ty_digitize(ty_tensor *x, ty_tensor *bins, bool right);

/* ---- sets: sorted vectors without duplicates ---- */
/* Promises are evaluated, because sizes depend on values, and a gradient through that is an error; through tracked
   values it flows. */

TY_API ty_tensor *ty_unique(ty_tensor *x); /* of all elements; all NaN are one */
typedef struct ty_unique_parts {
    ty_tensor *values;  /* as ty_unique */
    ty_tensor *index;   /* i64: flat index of the first occurrence of each */
    ty_tensor *inverse; /* i64 of x's shape: index into `values` of each element */
    ty_tensor *counts;  /* i64: how often each occurs */
} ty_unique_parts;
TY_API ty_unique_parts ty_unique_all(ty_tensor *x);
/* The distinct slices of x along `axis`, sorted by their elements. */
TY_API ty_tensor *ty_unique_slices(ty_tensor *x, int axis);
TY_API ty_tensor *ty_union1d(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_intersect1d(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_setdiff1d(ty_tensor *a, ty_tensor *b); /* those of a that are not in b */
TY_API ty_tensor *ty_setxor1d(ty_tensor *a, ty_tensor *b);
/* bool of x's shape: whether each element is one of `among`.  Promises stay promises; NaN is never found. */
TY_API ty_tensor *ty_isin(ty_tensor *x, ty_tensor *among);

/* ---- quantiles: integers as floating numbers, as ty_mean; an empty line is an error ---- */

/* The quantiles q (0..1; a promise is evaluated, no gradient by q is known) over a set of axes; the result has q's
   axes, then the remaining ones.
   A line with a NaN gives NaN.  method, as in NumPy: "linear" (NULL), "inverted_cdf",
   "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
   "median_unbiased", "normal_unbiased", "lower", "higher", "nearest", "midpoint". */
TY_API ty_tensor *ty_quantile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
TY_API ty_tensor *ty_percentile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method); /* q 0..100 */
/* The same without the NaN of each line; NaN where a line has nothing else. */
TY_API ty_tensor *ty_nanquantile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
TY_API ty_tensor *ty_nanpercentile(ty_tensor *x, ty_tensor *q, ty_axes axes, const char *method);
TY_API ty_tensor *ty_median(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_nanmedian(ty_tensor *x, ty_axes axes);
TY_API ty_tensor *ty_iqr(ty_tensor *x, ty_axes axes); /* from the lower to the upper quartile */
/* The most frequent element of each line, the smallest if there are several; the axis is removed. */
TY_API ty_tensor *ty_mode(ty_tensor *x, int axis);

/* ---- histograms: of all elements; i64 counts, or sums of weights (x's shape; NULL: none) ---- */

/* Counts in `bins` of equal width from low to high; low equal to high means from the least to the greatest element,
   which must be finite.  The last bin includes its end; elements outside and NaN are not counted.  density: scaled so
   that the sum of value times width is 1. */
TY_API ty_tensor *ty_histogram(ty_tensor *x, int64_t bins, double low, double high, ty_tensor *weights,
                               bool density);
/* The bins + 1 edges of these bins. */
TY_API ty_tensor *ty_histogram_bin_edges(ty_tensor *x, int64_t bins, double low, double high);
/* Bins between `edges`, a vector that never falls (a promise is evaluated to check that). */
TY_API ty_tensor *ty_histogram_edges(ty_tensor *x, ty_tensor *edges, ty_tensor *weights, bool density);
TY_API ty_tensor *ty_histogram2d(ty_tensor *x, ty_tensor *y, ty_tensor *x_edges, ty_tensor *y_edges,
                                 ty_tensor *weights, bool density);
/* How often 0, 1, 2, ... occur in a vector of integers that are not negative, or with weights their sums in f64.  The
   result has at least `least` elements.  A promise is evaluated. */
TY_API ty_tensor *ty_bincount(ty_tensor *x, ty_tensor *weights, int64_t least);

/* ---- random orders and choices; keys as in create.h ---- */

/* Of up to 65,536 elements all orders are equally likely.  Beyond, an order is one of 2^128 that a key may mean, of which
   every place is computed by itself: shuffle and choice without replacement take no memory beside their result then. */
TY_API ty_tensor *ty_permutation(int64_t n, ty_tensor *key);          /* i64: 0..n-1 in random order */
TY_API ty_tensor *ty_shuffle(ty_tensor *x, int axis, ty_tensor *key); /* slices along the axis are permuted */
/* i64[count]: random indices of 0..n-1, with or without replacement, by probabilities p: real [n], scaled to sum 1,
   evaluated if a promise; NULL: uniform. */
TY_API ty_tensor *ty_choice(int64_t n, int64_t count, bool replace, ty_tensor *p, ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
