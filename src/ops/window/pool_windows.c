/*
 * Reads and checks the options of pooling.
 *
 * Number of windows on an axis: those inside of the padded axis; with `ceil` one more if elements remain, unless it
 * would start behind x (PyTorch's rule, and ONNX's since version 19 of its operators).
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "ops/window/pool.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "ops/window/window2d.h"

/* State of reading one set of options. */
struct window_reading {
    struct infer in; /* for faults */
    const ty_pool *options;
    struct pool_attr *attr;
};

/* Begin reading r->options for x, of `axes` windowed axes, for operator `op`: set r->in and the axes of
   r->attr. False, with the fault set, if the rank of x is wrong. */
static bool start(struct window_reading *r, const struct op *op, ty_tensor **x, int axes) {
    static const char *const orders[] = {"(N,W,C) or (N,C,W)", "(N,H,W,C) or (N,C,H,W)",
                                         "(N,D,H,W,C) or (N,C,D,H,W)"};
    r->in.op = op;
    r->in.ninputs = 1;
    r->in.inputs = x;
    *r->attr = (struct pool_attr){.axis = r->options->nchw ? 2 : 1, .axes = axes};
    if (ty_rank(*x) == axes + 2) return true;
    return infer_fault(&r->in, E_SHAPE, "x must have rank %d, %s with nchw, not %d", axes + 2,
                       orders[axes - 1], ty_rank(*x));
}

/* Read size, stride and dilation of windowed axis k, from 0, into r->attr->window[k]. *span is set to the
   number of elements from a window's first to its last. False, with the fault set, if they are invalid. */
static bool read_window(struct window_reading *r, int k, int64_t *span) {
    const ty_pool *o = r->options;
    struct pool_window *w = &r->attr->window[k];
    w->size = o->size[k];
    w->stride = o->stride[k] ? o->stride[k] : o->size[k];
    w->dilation = o->dilation[k] ? o->dilation[k] : 1;
    int axis = r->attr->axis + k;
    if (w->size < 1 || w->stride < 1)
        return infer_fault(&r->in, E_ARGUMENT, "size %lld and stride %lld of axis %d must be positive",
                           (long long)w->size, (long long)w->stride, axis);
    if (w->dilation < 1)
        return infer_fault(&r->in, E_ARGUMENT, "dilation %lld of axis %d must be positive",
                           (long long)w->dilation, axis);
    if (!checked_mul(w->size - 1, w->dilation, span) || *span >= POOL_MOST_SPAN)
        return infer_fault(&r->in, E_LIMIT, "a window of %lld, %lld apart, spans more than 2^61 elements",
                           (long long)w->size, (long long)w->dilation);
    ++*span;
    return true;
}

/* Read or compute the padding of windowed axis k into low and high of r->attr->window[k]. False, with the
   fault set, if one is negative or not below the span of a window. */
static bool read_padding(struct window_reading *r, int k, int64_t span) {
    const ty_pool *o = r->options;
    struct pool_window *w = &r->attr->window[k];
    w->low = o->low[k];
    w->high = o->high[k];
    if (o->same || o->same_lower) same_padding(w->length, span, w->stride, &w->low, &w->high);
    if (o->same_lower) {
        int64_t low = w->low;
        w->low = w->high;
        w->high = low;
    }
    if (w->low >= 0 && w->high >= 0 && w->low < span && w->high < span) return true;
    return infer_fault(&r->in, E_ARGUMENT,
                       "padding %lld and %lld of axis %d must be 0 or more and less than the window's %lld",
                       (long long)w->low, (long long)w->high, r->attr->axis + k, (long long)span);
}

/* Compute the number of windows along axis k into r->attr->window[k].windows, rounded up if the options say
   so; 0 for an empty axis. False, with the fault set, if no window fits or the size overflows. */
static bool count_windows(struct window_reading *r, int k, int64_t span) {
    struct pool_window *w = &r->attr->window[k];
    bool ceil = r->options->ceil;
    int64_t padded, begin;
    if (w->length == 0) return true;
    bool fits = checked_add(w->length, w->low, &padded) && checked_add(padded, w->high, &padded);
    int64_t rest = fits ? padded - span : 0;
    if (!fits || (rest < 0 && (!ceil || rest <= -w->stride)))
        return infer_fault(
            &r->in, E_SHAPE,
            "a window of %lld does not fit in axis %d, which is %lld and %lld + %lld of padding",
            (long long)span, r->attr->axis + k, (long long)w->length, (long long)w->low, (long long)w->high);
    w->windows = 1 + (rest > 0 ? rest / w->stride + (ceil && rest % w->stride) : 0);
    bool counted = checked_mul(w->windows - 1, w->stride, &begin);
    if (ceil && (!counted || begin >= w->length + w->low)) w->windows--;
    return true;
}

bool pool_windows(const char *name, ty_tensor *x, const ty_pool *options, int axes, struct pool_attr *attr,
                  struct fault *fault) {
    struct op op = {.name = name, .row = -1};
    struct window_reading r = {.in = {.fault = fault}, .options = options, .attr = attr};
    if (!start(&r, &op, &x, axes)) return false;
    for (int k = 0; k < axes; k++) {
        int64_t span = 0;
        attr->window[k].length = ty_shape(x)[attr->axis + k];
        if (!read_window(&r, k, &span) || !read_padding(&r, k, span) || !count_windows(&r, k, span))
            return false;
        struct pool_window *w = &attr->window[k]; /* steps that are never taken are normalised to 1 */
        if (w->windows <= 1) w->stride = 1;
        if (w->size == 1) w->dilation = 1;
    }
    return true;
}

/* True if options other than size and nchw are set (not 0), which adaptive windows do not accept; arrays have
   `axes` entries. */
static bool is_more_than_size(const ty_pool *o, int axes) {
    bool more = o->same || o->same_lower || o->ceil || o->count_padding || o->divisor != 0 || o->power != 0;
    for (int k = 0; k < axes; k++) more = more || o->stride[k] || o->dilation[k] || o->low[k] || o->high[k];
    return more;
}

bool pool_adaptive(const char *name, ty_tensor *x, const ty_pool *options, int axes, struct pool_attr *attr,
                   struct fault *fault) {
    struct op op = {.name = name, .row = -1};
    struct window_reading r = {.in = {.fault = fault}, .options = options, .attr = attr};
    if (!start(&r, &op, &x, axes)) return false;
    if (is_more_than_size(options, axes))
        return infer_fault(&r.in, E_ARGUMENT, "adaptive windows accept only the options size and nchw");
    for (int k = 0; k < axes; k++) {
        struct pool_window *w = &attr->window[k];
        int64_t length = ty_shape(x)[attr->axis + k], windows = options->size[k] ? options->size[k] : length,
                product;
        if (windows < 0 || (length == 0 && windows > 0))
            return infer_fault(&r.in, E_SHAPE, "%lld windows cannot share the %lld elements of axis %d",
                               (long long)windows, (long long)length, attr->axis + k);
        if (windows >= INT64_MAX / 16 || !checked_mul(windows + 1, length, &product))
            return infer_fault(&r.in, E_LIMIT, "%lld windows are too many", (long long)windows);
        int64_t even = windows && length % windows == 0 ? length / windows : 0;
        *w = (struct pool_window){even, even ? even : 1, 1, 0, 0, length, windows};
    }
    return true;
}

struct pool_window pool_trimmed(struct pool_window w) {
    if (!w.size || w.windows < 1 || w.length < 1) return w;
    int64_t reach = w.low - (w.windows - 1) * w.stride; /* distance of the last window's start from x,
                                                           into the padding */
    int64_t before = reach > 0 ? (reach - 1) / w.dilation + 1 : 0, last = (w.low + w.length - 1) / w.dilation;
    if (last > w.size - 1) last = w.size - 1;
    if (before > last) before = last;
    w.high -= (w.size - 1 - last) * w.dilation;
    w.low -= before * w.dilation;
    w.size = last - before + 1;
    return w;
}

/* ---- counts ---- */

int64_t pool_count(const struct pool_window *w, bool padding, int64_t i) {
    if (!w->size) return pool_adaptive_end(w, i) - pool_adaptive_start(w, i);
    int64_t from = i * w->stride - w->low, limit = padding ? w->length + w->high : w->length;
    int64_t before = from < 0 && !padding ? (-from + w->dilation - 1) / w->dilation : 0;
    int64_t end = limit > from ? (limit - from - 1) / w->dilation + 1 : 0;
    if (end > w->size) end = w->size;
    return end > before ? end - before : 0;
}

/* Return the numbers of elements of the windows along windowed axis k, from 0, at least 1, as f64 of `rank`
   axes with size 1 except for that axis. Poison if memory runs out. */
static ty_tensor *counts_along(const struct pool_attr *attr, int k, int rank) {
    const struct pool_window *w = &attr->window[k];
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = 1;
    shape[attr->axis + k] = w->windows;
    double *values = mem_array((size_t)w->windows, sizeof *values);
    if (!values) return tensor_out_of_memory();
    for (int64_t i = 0; i < w->windows; i++) {
        int64_t count = pool_count(w, attr->count_padding, i);
        values[i] = count ? (double)count : 1;
    }
    ty_tensor *counts = ty_from(TY_F64, rank, shape, values);
    mem_free(values);
    return counts;
}

ty_tensor *pool_counts(const struct pool_attr *attr, int rank, ty_dtype dtype) {
    if (attr->divisor != 0) return ty_scalar(dtype, attr->divisor);
    ty_tensor *counts = counts_along(attr, 0, rank);
    for (int k = 1; k < attr->axes; k++) counts = ty_mul(counts, counts_along(attr, k, rank));
    return ty_cast(counts, dtype);
}
