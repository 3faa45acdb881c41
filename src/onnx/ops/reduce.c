/* Reductions, indices of extremes, sorting and sets. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "onnx/ops/rows.h"

/* ---- reductions ---- */

typedef ty_tensor *reduction(ty_tensor *x, ty_axes axes);

static ty_tensor *sum(ty_tensor *x, ty_axes axes) { return ty_sum_as(x, axes, ty_dtype_of(x)); }
static ty_tensor *prod(ty_tensor *x, ty_axes axes) { return ty_prod_as(x, axes, ty_dtype_of(x)); }
static ty_tensor *l1(ty_tensor *x, ty_axes axes) { return sum(ty_abs(x), axes); }
static ty_tensor *l2(ty_tensor *x, ty_axes axes) { return ty_norm(x, 2, axes); }
static ty_tensor *sum_square(ty_tensor *x, ty_axes axes) { return sum(ty_square(x), axes); }
static ty_tensor *log_sum(ty_tensor *x, ty_axes axes) { return ty_log(sum(x, axes)); }

/* Reduce no elements to the least (below) or greatest number of the dtype: bool has false and true. */
static ty_tensor *extreme(ty_tensor *x, ty_axes axes, bool below) {
    ty_dtype dtype = ty_dtype_of(x);
    ty_tensor *start;
    if (dtype == TY_BOOL) return below ? ty_any(x, axes) : ty_all(x, axes);
    if (ty_size(x)) return below ? ty_amax(x, axes) : ty_amin(x, axes);
    if (is_floating(dtype))
        start = ty_scalar(dtype, below ? -INFINITY : INFINITY);
    else /* a floating number saturates as it is converted */
        start = ty_cast(ty_scalar(TY_F64, below ? -INFINITY : INFINITY), dtype);
    return below ? ty_amax_where(x, axes, NULL, start) : ty_amin_where(x, axes, NULL, start);
}
static ty_tensor *greatest(ty_tensor *x, ty_axes axes) { return extreme(x, axes, true); }
static ty_tensor *least(ty_tensor *x, ty_axes axes) { return extreme(x, axes, false); }

/* Reduce x over the axes; without axes over all, or over none if `idle`.  The result has x's dtype. */
static bool reduce(struct onnx_call *call, reduction *f, struct ints axes, bool idle) {
    ty_tensor *x = onnx_input(call, 0);
    int at[TY_MAX_RANK];
    bool keep = onnx_int(call, "keepdims", 1);
    if (axes.n > TY_MAX_RANK)
        return onnx_refuse(call, E_INDEX, "%d axes; expected at most %d", axes.n, ty_rank(x));
    uint64_t seen = 0; /* bit i: axis i is reduced */
    for (int i = 0; i < axes.n; i++) {
        if ((at[i] = axis_at(call, axes.items[i], ty_rank(x))) < 0) return false;
        if (seen >> at[i] & 1) return onnx_refuse(call, E_INDEX, "axis %d is given twice", at[i]);
        seen |= UINT64_C(1) << at[i];
    }
    ty_axes set = ty_axes_of(axes.n, at, keep);
    if (!axes.n && !idle) {
        set = TY_ALL;
        set.keep = keep;
    }
    return onnx_output(call, 0, ty_cast(f(x, set), ty_dtype_of(x)));
}

/* Define a reduction with axes as an attribute, and one with axes as an operand. */
#define REDUCTION(name, f)                                                                                   \
    bool onnx_op_reduce_##name##_1(struct onnx_call *call) {                                                 \
        return reduce(call, f, ints_attribute(call, "axes"), false);                                         \
    }                                                                                                        \
    bool onnx_op_reduce_##name(struct onnx_call *call) {                                                     \
        struct ints axes = {0};                                                                              \
        if (onnx_has(call, 1) && !(axes = ints_input(call, 1)).items) return false;                          \
        return reduce(call, f, axes, onnx_int(call, "noop_with_empty_axes", 0));                             \
    }
REDUCTION(sum, sum)
REDUCTION(prod, prod)
REDUCTION(mean, ty_mean)
REDUCTION(max, greatest)
REDUCTION(min, least)
REDUCTION(l1, l1)
REDUCTION(l2, l2)
REDUCTION(sum_square, sum_square)
REDUCTION(log_sum, log_sum)
REDUCTION(log_sum_exp, ty_logsumexp)

/* Index of the extreme along an axis; of equal ones the first, or the last with select_last_index. */
static bool extreme_index(struct onnx_call *call, reduction *f) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x));
    if (axis < 0) return false;
    ty_axes axes = ty_axes_of(1, &axis, onnx_int(call, "keepdims", 1));
    if (!onnx_int(call, "select_last_index", 0)) return onnx_output(call, 0, f(x, axes));
    return onnx_output(call, 0, ty_sub(ty_int(ty_shape(x)[axis] - 1), f(ty_flip(x, axis), axes)));
}
bool onnx_op_arg_max(struct onnx_call *call) { return extreme_index(call, ty_argmax); }
bool onnx_op_arg_min(struct onnx_call *call) { return extreme_index(call, ty_argmin); }

/* ---- order ---- */

static bool top(struct onnx_call *call, int64_t k, bool largest) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "axis", -1), ty_rank(x));
    if (axis < 0) return false;
    ty_tensor *index = ty_top_k_index(x, k, axis, largest);
    return onnx_output(call, 0, ty_take_along_axis(x, index, axis)) && onnx_output(call, 1, index);
}
bool onnx_op_top_k_attribute(struct onnx_call *call) { return top(call, onnx_int(call, "k", 0), true); }
bool onnx_op_top_k(struct onnx_call *call) {
    struct ints k = ints_input(call, 1);
    if (!k.items || k.n != 1)
        return k.items && onnx_refuse(call, E_SHAPE, "K has %d elements; expected 1", k.n);
    return top(call, k.items[0], onnx_int(call, "largest", 1));
}

/* ---- sets ---- */

/* Distinct slices of x along axis 0, sorted: as indices into the order of slices. */
struct distinct {
    ty_tensor *first, *inverse,
        *counts; /* i64 vectors: places of first occurrences; of each slice its number */
};

/* Compare slices by their elements: order them, mark those that differ from the slice before, and number them. */
static struct distinct distinct_slices(ty_tensor *x) {
    int64_t n = ty_shape(x)[0];
    int64_t width = ty_size(x) / (n ? n : 1);
    ty_tensor *flat = ty_reshape(x, 2, (int64_t[]){n, width}), *order = ty_iota(TY_I64, 1, &n, 0);
    struct distinct d;
    for (int64_t i = width; i-- > 0;) { /* stable sorts, from the last element to the first */
        ty_tensor *key = ty_gather(ty_squeeze(ty_slice(flat, 1, i, i + 1, 1), 1), order, 0);
        order = ty_gather(order, ty_argsort(key, 0, false), 0);
    }
    ty_tensor *sorted = ty_gather(flat, order, 0);
    ty_tensor *differ = ty_any(
        ty_ne(ty_slice(sorted, 0, 1, TY_END, 1), ty_slice(sorted, 0, 0, n ? n - 1 : 0, 1)), ty_axis(1));
    ty_tensor *begins = ty_concat(2, (ty_tensor *[]){ty_ones(TY_BOOL, 1, (int64_t[]){n ? 1 : 0}), differ}, 0);
    ty_tensor *number = ty_sub(ty_cumsum(begins, 0, (ty_running){0}), ty_int(1));
    ty_tensor *starts = ty_flat_nonzero(begins);
    d.first = ty_gather(order, starts, 0);
    d.inverse = ty_put(ty_zeros(TY_I64, 1, &n), order, number);
    d.counts = ty_diff(starts, 1, 0, NULL, ty_from(TY_I64, 1, (int64_t[]){1}, &n));
    return d;
}

/* Order distinct slices by their first occurrence. */
static struct distinct by_occurrence(struct distinct d) {
    ty_tensor *order = ty_argsort(d.first, 0, false);
    d.inverse = ty_gather(ty_argsort(order, 0, false), d.inverse, 0);
    d.first = ty_gather(d.first, order, 0);
    d.counts = ty_gather(d.counts, order, 0);
    return d;
}

/* Give the distinct elements or slices, indices of first occurrences, numbers of all, and counts. */
bool onnx_op_unique(struct onnx_call *call) {
    ty_tensor *x = onnx_known(call, onnx_input(call, 0));
    int axis = 0;
    if (!onnx_attribute(call, "axis"))
        x = ty_ravel(x);
    else if ((axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x))) < 0)
        return false;
    if (!ty_ok(x)) return onnx_output(call, 0, x);
    struct distinct d = distinct_slices(ty_moveaxis(x, 1, (int64_t[]){axis}, (int64_t[]){0}));
    if (!onnx_int(call, "sorted", 1)) d = by_occurrence(d);
    return onnx_output(call, 0, ty_gather(x, d.first, axis)) && onnx_output(call, 1, d.first) &&
           onnx_output(call, 2, d.inverse) && onnx_output(call, 3, d.counts);
}
/* Give the distinct elements of a vector in the order of first occurrences, numbers of all, and counts. */
bool onnx_op_unique_ms(struct onnx_call *call) {
    ty_tensor *x = onnx_known(call, onnx_input(call, 0));
    if (!ty_ok(x)) return onnx_output(call, 0, x);
    if (ty_rank(x) != 1) return onnx_refuse(call, E_SHAPE, "expected a vector, not %d axes", ty_rank(x));
    struct distinct d = by_occurrence(distinct_slices(x));
    return onnx_output(call, 0, ty_gather(x, d.first, 0)) && onnx_output(call, 1, d.inverse) &&
           onnx_output(call, 2, d.counts);
}
