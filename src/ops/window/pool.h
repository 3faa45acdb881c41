/* What the pooling functions share: options made into attributes, and how many places a window has. */
#ifndef OPS_WINDOW_POOL_H
#define OPS_WINDOW_POOL_H
#include <tyto/pool.h>
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* So that places of windows, also those in padding on both sides (a window's span each at most), are within 64 bits. */
#define POOL_MOST_SPAN (INT64_C(1) << 61)

/* Windows along `axes` axes of x, as the options say, checked; false after a fault that begins with `name`.
 */
bool pool_windows(const char *name, ty_tensor *x, const ty_pool *options, int axes, struct pool_attr *attr,
                  struct fault *fault);
/* The same for the adaptive functions. */
bool pool_adaptive(const char *name, ty_tensor *x, const ty_pool *options, int axes, struct pool_attr *attr,
                   struct fault *fault);
/* Where window i of an adaptive axis begins and ends. */
static inline int64_t pool_adaptive_start(const struct pool_window *w, int64_t i) {
    return i * w->length / w->windows;
}
static inline int64_t pool_adaptive_end(const struct pool_window *w, int64_t i) {
    return ((i + 1) * w->length + w->windows - 1) / w->windows;
}
/* The same windows of x without the taps that are outside of x in all of them. */
struct pool_window pool_trimmed(struct pool_window w);
/* How many places of window i count for a mean. */
int64_t pool_count(const struct pool_window *w, bool padding, int64_t i);
/* What MEAN divides by, to broadcast against the result, in the floating dtype `dtype`. */
ty_tensor *pool_counts(const struct pool_attr *attr, int rank, ty_dtype dtype);
#endif
