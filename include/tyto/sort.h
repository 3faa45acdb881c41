/* Ordering: sorting, searching, sets, quantiles, histograms.  Part of <tyto/tyto.h>, which says what holds
 * everywhere. */
#ifndef TYTO_SORT_H
#define TYTO_SORT_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sorting: stable; NaN is greater than any number; complex numbers by magnitude, then phase ---- */

/* The elements of each line along `axis` in ascending (or descending: exactly the other) order. */
TY_API ty_tensor *ty_sort(ty_tensor *x, int axis, bool descending);
/* i64: the places that they come from, equals in the order in which they stand. */
TY_API ty_tensor *ty_argsort(ty_tensor *x, int axis, bool descending);
/* The k largest (or smallest) along `axis`, the best first; k on that axis. */
TY_API ty_tensor *ty_top_k(ty_tensor *x, int64_t k, int axis, bool largest);
/* i64: the places of those, the first of equals first. */
TY_API ty_tensor *ty_top_k_index(ty_tensor *x, int64_t k, int axis, bool largest);

/* Sorted at least so far that `kth` (negative from the end) is in its place, less before it, greater behind.
 */
TY_API ty_tensor *ty_partition(ty_tensor *x, int64_t kth, int axis);
TY_API ty_tensor *ty_argpartition(ty_tensor *x, int64_t kth, int axis);
/* i64: the places along `axis` in the order of keys[n-1], among its equals of keys[n-2], ...; one shape for
 * all. */
TY_API ty_tensor *ty_lexsort(int n, ty_tensor *const *keys, int axis);
/* i64: how many elements of its line come before each; equals count in the order in which they stand. */
TY_API ty_tensor *ty_ordinal(ty_tensor *x, int axis);
/* bool: whether no element of a line is less than the one before it; not for complex numbers. */
TY_API ty_tensor *ty_is_sorted(ty_tensor *x, int axis);

/* ---- searching ---- */

/* i64: before (or, right, behind) which element of ascending `sorted` each x belongs: how many come before.
   sorted is a vector, or [.., n] whose leading axes are those of x; dtypes meet as in arithmetic. */
TY_API ty_tensor *ty_searchsorted(ty_tensor *sorted, ty_tensor *x, bool right);
/* i64: i such that bins[i-1] <= x < bins[i] (right: < and <=), as NumPy; bins may also fall. */
TY_API ty_tensor *ty_digitize(ty_tensor *x, ty_tensor *bins, bool right);

/* ---- sets: ascending vectors of different elements; they evaluate promises, as their sizes are data ---- */

TY_API ty_tensor *ty_unique(ty_tensor *x); /* of all elements; all NaN are one */
typedef struct ty_unique_parts {
    ty_tensor *values;  /* as ty_unique */
    ty_tensor *index;   /* i64: where each stands first, row-major */
    ty_tensor *inverse; /* i64 of x's shape: which of them each element is */
    ty_tensor *counts;  /* i64: how often each occurs */
} ty_unique_parts;
TY_API ty_unique_parts ty_unique_all(ty_tensor *x);
/* The different slices of x at one place of `axis`, in the order of their elements. */
TY_API ty_tensor *ty_unique_slices(ty_tensor *x, int axis);
TY_API ty_tensor *ty_union1d(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_intersect1d(ty_tensor *a, ty_tensor *b);
TY_API ty_tensor *ty_setdiff1d(ty_tensor *a, ty_tensor *b); /* those of a that are not in b */
TY_API ty_tensor *ty_setxor1d(ty_tensor *a, ty_tensor *b);
/* bool of x's shape: whether each is one of `among`.  Evaluates nothing; NaN is in no set. */
TY_API ty_tensor *ty_isin(ty_tensor *x, ty_tensor *among);

/* ---- quantiles: integers as floating numbers, as ty_mean; an empty line is an error ---- */

/* The quantiles q (0..1; evaluated when a promise) over a set of axes: [q's axes.., the others..].  A line
   with a NaN has the quantile NaN.  method, as NumPy: "linear" (NULL), "inverted_cdf",
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
/* The most frequent element of each line, the least of several; the axis is gone. */
TY_API ty_tensor *ty_mode(ty_tensor *x, int axis);

/* ---- histograms: of all elements; i64 counts, or sums of weights (x's shape; NULL: none) ---- */

/* `bins` of equal width from low to high, where low equals high from the least to the greatest element; the
   last one includes its end.  density: such that the sum of value times width is 1.  Others and NaN do not
   count. */
TY_API ty_tensor *ty_histogram(ty_tensor *x, int64_t bins, double low, double high, ty_tensor *weights,
                               bool density);
/* The bins + 1 edges of those. */
TY_API ty_tensor *ty_histogram_bin_edges(ty_tensor *x, int64_t bins, double low, double high);
/* Bins between ascending `edges`. */
TY_API ty_tensor *ty_histogram_edges(ty_tensor *x, ty_tensor *edges, ty_tensor *weights, bool density);
TY_API ty_tensor *ty_histogram2d(ty_tensor *x, ty_tensor *y, ty_tensor *x_edges, ty_tensor *y_edges,
                                 ty_tensor *weights, bool density);
/* How often 0, 1, ... occur in an integer vector without negatives (or the sums of weights, f64), at least
   `least` of them.  Evaluates a promise. */
TY_API ty_tensor *ty_bincount(ty_tensor *x, ty_tensor *weights, int64_t least);

/* ---- random orders and choices; keys as in create.h ---- */

TY_API ty_tensor *ty_permutation(int64_t n, ty_tensor *key);          /* i64: 0..n-1 in random order */
TY_API ty_tensor *ty_shuffle(ty_tensor *x, int axis, ty_tensor *key); /* whole slices change places */
/* i64[count]: random places of 0..n-1, with or without repetition, by probabilities p (real [n], need not sum
   to 1, evaluated; NULL: all the same). */
TY_API ty_tensor *ty_choice(int64_t n, int64_t count, bool replace, ty_tensor *p, ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
