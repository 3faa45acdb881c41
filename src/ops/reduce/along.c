/* Differences, integrals and derivatives along an axis, and the running logsumexp: composites of slices and scans. */
#include <math.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/math/numbers.h"
#include "ops/reduce/statistics.h"

/* ---- differences ---- */

/* Return the tensor to concatenate with an end of x along `axis`: a 0-d `end` is broadcast to one element of
   the axis, another is returned as it is. */
static ty_tensor *end_of(ty_tensor *end, ty_tensor *x, int axis) {
    int64_t shape[TY_MAX_RANK];
    if (ty_rank(end) || !ty_ok(x) || axis < 0 || axis >= ty_rank(x)) return end;
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)ty_rank(x));
    shape[axis] = 1;
    return ty_broadcast(end, ty_rank(x), shape);
}

/* Return x with `prepend` before it and `append` after it along `axis`, unless they are NULL; each may be
   0-d, for one element. Poison on failure. */
static ty_tensor *with_ends(ty_tensor *x, int axis, ty_tensor *prepend, ty_tensor *append) {
    ty_tensor *parts[3];
    int n = 0;
    if (prepend) parts[n++] = end_of(prepend, x, axis);
    parts[n++] = x;
    if (append) parts[n++] = end_of(append, x, axis);
    return n > 1 ? ty_concat(n, parts, axis) : x;
}

static ty_tensor *later(ty_tensor *x, int axis) { return ty_slice(x, axis, 1, TY_END, 1); }
static ty_tensor *earlier(ty_tensor *x, int axis) { return ty_slice(x, axis, 0, -1, 1); }

static ty_tensor *difference(ty_tensor *x, int axis) {
    ty_tensor *to = later(x, axis), *from = earlier(x, axis);
    return ty_dtype_of(x) == TY_BOOL ? ty_ne(to, from) : ty_sub(to, from);
}

ty_tensor *ty_diff(ty_tensor *x, int n, int axis, ty_tensor *prepend, ty_tensor *append) {
    ty_tensor *operands[] = {x, prepend ? prepend : x, append ? append : x}, *bad = first_poison(3, operands);
    if (bad) return bad;
    int rank = ty_rank(x), along = axis_normal(axis, rank);
    if (along < 0 || along >= rank) return refuse_axis("diff", x, axis);
    if (n < 0)
        return refuse("diff", 1, &x, E_ARGUMENT, "the number of differences is %d; expected 0 or more", n);
    if (n == 0) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    ty_tensor *y = with_ends(x, along, prepend, append);
    for (int i = 0; i < n && ty_ok(y); i++) y = difference(y, along);
    return leave_as("diff", scope, x, y);
}

ty_tensor *ty_ediff1d(ty_tensor *x, ty_tensor *begin, ty_tensor *end) {
    static const int64_t flat = -1;
    ty_tensor *parts[3], *bad;
    int n = 0, middle = begin != NULL;
    if (begin) parts[n++] = begin;
    parts[n++] = x;
    if (end) parts[n++] = end;
    if ((bad = first_poison(n, parts))) return bad;
    ty_scope *scope = ty_open();
    cast_to_common(NULL, n, parts, COMPUTED, parts); /* first, because a difference in a narrower dtype
                                                        would wrap */
    for (int i = 0; i < n; i++) parts[i] = ty_reshape(parts[i], 1, &flat);
    parts[middle] = ty_diff(parts[middle], 1, 0, NULL, NULL);
    return leave_as("ediff1d", scope, x, n > 1 ? ty_concat(n, parts, 0) : parts[0]);
}

/* ---- integrals and derivatives ---- */

/* Return the differences of the coordinates `at` along `axis` of y, shaped to broadcast against y. `at` is a
   vector that belongs to that axis, or has y's shape. */
static ty_tensor *widths_of(ty_tensor *at, ty_tensor *y, int axis) {
    ty_tensor *widths = ty_diff(at, 1, ty_rank(at) == 1 ? 0 : axis, NULL, NULL);
    for (int i = axis + 1; i < ty_rank(y) && ty_rank(at) == 1 && ty_ok(widths); i++)
        widths = ty_expand(widths, -1);
    return widths;
}

ty_tensor *ty_trapezoid(ty_tensor *y, ty_tensor *at, double spacing, int axis) {
    ty_tensor *operands[] = {y, at ? at : y}, *bad = first_poison(2, operands);
    if (bad) return bad;
    int rank = ty_rank(y), along = axis_normal(axis, rank);
    if (along < 0 || along >= rank) return refuse_axis("trapezoid", y, axis);
    struct composite c =
        composite_open_met("trapezoid", at ? 2 : 1, operands, FLOATING); /* sums of integers would wrap */
    y = operands[0];
    ty_tensor *width = at ? widths_of(operands[1], y, along) : ty_num(spacing);
    ty_tensor *twice = ty_add(later(y, along), earlier(y, along));
    return composite_close(c, ty_sum(ty_mul(ty_mul(width, twice), ty_num(0.5)), ty_axis(along)));
}

ty_tensor *ty_central_difference(ty_tensor *x, double spacing, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), along = axis_normal(axis, rank);
    if (along < 0 || along >= rank) return refuse_axis("central_difference", x, axis);
    if (ty_shape(x)[along] < 2)
        return refuse("central_difference", 1, &x, E_SHAPE, "a slope needs two elements on axis %d; there %s",
                      along, ty_shape(x)[along] ? "is one" : "are none");
    struct composite c = composite_open("central_difference", 1, &x);
    ty_tensor *real = as_floating(x), *step = difference(real, along);
    ty_tensor *first = ty_slice(step, along, 0, 1, 1), *last = ty_slice(step, along, -1, TY_END, 1);
    ty_tensor *twice = ty_sub(ty_slice(real, along, 2, TY_END, 1), ty_slice(real, along, 0, -2, 1));
    ty_tensor *parts[] = {ty_div(first, ty_num(spacing)), ty_div(twice, ty_num(2 * spacing)),
                          ty_div(last, ty_num(spacing))};
    return composite_close(c, ty_concat(3, parts, along));
}

/* ---- unwrapping ---- */

/* Return differences `step` reduced to [-period/2, period/2] modulo the period; at the ends, where both signs
   are possible, with the sign of `step`. */
static ty_tensor *into_period(ty_tensor *step, ty_tensor *period) {
    bool whole = ty_ok(step) && dtype_is(ty_dtype_of(step), CLASS_INTEGER);
    ty_tensor *half = whole ? ty_floor_div(period, ty_int(2)) : ty_mul(period, ty_num(0.5)),
              *low = ty_neg(half);
    ty_tensor *inside = ty_add(ty_mod(ty_sub(step, low), period), low);
    ty_tensor *doubtful = ty_eq(ty_add(half, half), period);
    ty_tensor *upper = ty_logical_and(ty_eq(inside, low), ty_gt(step, ty_int(0)));
    return ty_where(ty_logical_and(doubtful, upper), half, inside);
}

/* Return x with multiples of the period added, so that differences along `axis` of at least `jump` and half a
   period become at most half a period. */
static ty_tensor *unwrapped(ty_tensor *x, ty_tensor *period, double jump, int axis) {
    ty_tensor *step = difference(x, axis), *half = ty_mul(period, ty_num(0.5));
    ty_tensor *correction = ty_sub(into_period(step, period), step);
    ty_tensor *small = ty_lt(ty_abs(step), ty_max(half, ty_num(jump)));
    correction = ty_where(small, ty_zeros_like(correction), correction);
    ty_tensor *start = ty_zeros_like(ty_slice(x, axis, 0, 1, 1));
    ty_tensor *shift =
        ty_concat(2, (ty_tensor *[]){start, ty_cumsum(correction, axis, (ty_running){0})}, axis);
    return ty_add(x, ty_detach(shift)); /* the correction is constant between jumps */
}

/* Return the dtype of the unwrapped x: the common dtype of x and the period, made signed, since differences
   may be negative. */
static ty_dtype unwrapped_dtype(ty_tensor *x, ty_tensor *period) {
    bool all_weak;
    ty_dtype dtype = common_dtype(2, (ty_tensor *[]){x, period}, &all_weak);
    return dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL) ? ty_promote(dtype, TY_I8) : dtype;
}

ty_tensor *ty_unwrap(ty_tensor *x, ty_tensor *period, double jump, int axis) {
    if (!period) {
        ty_scope *scope = ty_open();
        return leave(scope, ty_unwrap(x, ty_num(6.28318530717958647693), jump, axis));
    }
    ty_tensor *operands[] = {x, period};
    ty_tensor *bad = first_poison(2, operands);
    if (bad) return bad;
    int rank = ty_rank(x), along = axis_normal(axis, rank);
    if (along < 0 || along >= rank) return refuse_axis("unwrap", x, axis);
    ty_dtype dtype = unwrapped_dtype(x, period);
    if (ty_rank(period)) return refuse("unwrap", 2, operands, E_SHAPE, "the period must be 0-d");
    if (dtype_is(dtype, CLASS_COMPLEX)) return refuse("unwrap", 2, operands, E_DTYPE, "angles must be real");
    if (ty_shape(x)[along] < 2) return ty_cast(x, dtype);
    struct composite c = composite_open("unwrap", 1, operands);
    ty_dtype wide = dtype_is(dtype, CLASS_INTEGER) ? TY_I64 : dtype_table[dtype].computed;
    ty_tensor *y = unwrapped(ty_cast(operands[0], wide), stored_as(NULL, period, wide), jump, along);
    return composite_close(c, ty_cast(y, dtype));
}

/* ---- running logsumexp ---- */

/* Return exp(x - m), elementwise; 0 where the maximum m is not finite. */
static ty_tensor *share_of(ty_tensor *x, ty_tensor *m) {
    return ty_exp(ty_where(ty_is_finite(m), ty_sub(x, m), ty_num(-(double)INFINITY)));
}

/* Return the logarithm of the running sums of exp(x) along `axis`, in x's shape. The sums of exp(x - m), m
   the running maximum, are a linear recurrence with factor exp(m[i-1] - m[i]). */
static ty_tensor *logcumsumexp(ty_tensor *x, int axis) {
    ty_tensor *most = ty_cummax(x, axis, (ty_running){0}), *shift = ty_detach(most);
    ty_tensor *before = ty_detach(ty_cummax(x, axis, (ty_running){.exclusive = true}));
    ty_tensor *sum = ty_linear_recurrence(share_of(before, shift), share_of(x, shift), axis, false);
    return log_or_greatest(sum, most);
}

ty_tensor *ty_logcumsumexp(ty_tensor *x, int axis) {
    struct composite c = composite_open("logcumsumexp", 1, &x);
    return composite_close(c, logcumsumexp(as_floating(x), axis));
}
