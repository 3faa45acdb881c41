/* Helpers of pooling: reading of options into attributes, and element counts of windows. */
#ifndef OPS_WINDOW_POOL_H
#define OPS_WINDOW_POOL_H
#include <tyto/pool.h>
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* Bound of a window's span, so that indices of windows in padding on both sides fit in 64 bits. */
#define POOL_MOST_SPAN (INT64_C(1) << 61)

/* Read and check the options of windows along `axes` axes of x into *attr (kind excepted). False, with a
   fault that begins with `name`, if they are invalid. */
bool pool_windows(const char *name, ty_tensor *x, const ty_pool *options, int axes, struct pool_attr *attr,
                  struct fault *fault);
/* Read and check the options of adaptive windows, which divide an axis evenly, along `axes` axes of x into
   *attr (kind excepted). False, with a fault that begins with `name`, if they are invalid. */
bool pool_adaptive(const char *name, ty_tensor *x, const ty_pool *options, int axes, struct pool_attr *attr,
                   struct fault *fault);
/* Return the index of the first element of window i of an adaptive axis. */
static inline int64_t pool_adaptive_start(const struct pool_window *w, int64_t i) {
    return i * w->length / w->windows;
}
/* Return the index of the last element of window i of an adaptive axis, plus 1. */
static inline int64_t pool_adaptive_end(const struct pool_window *w, int64_t i) {
    return ((i + 1) * w->length + w->windows - 1) / w->windows;
}
/* Return window w without the first and last taps that lie outside of x in all positions. */
struct pool_window pool_trimmed(struct pool_window w);
/* Return the number of elements of window i along one axis that count for a mean; `padding`: including
   padding. */
int64_t pool_count(const struct pool_window *w, bool padding, int64_t i);
/* Return the divisors of MEAN, in the floating dtype `dtype`, shaped to broadcast against the result of this
   rank. Poison if memory runs out. */
ty_tensor *pool_counts(const struct pool_attr *attr, int rank, ty_dtype dtype);
#endif
