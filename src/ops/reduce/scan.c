/*
 * Scans: running folds along an axis in both directions, and the linear recurrence y[i] = a[i] * y[i-1] + b[i], also a
 * scan (Blelloch, "Prefix sums and their applications", 1990).  All gradients are made of it, exactly and without
 * division:
 *
 *   cumprod  x[i] gets p[i-1] * s[i]: p is the running product, s[i] = x[i+1] * s[i+1] + g[i] runs backwards;
 *            zeros do no harm;
 *   cummax   results that select one element are adjacent, so its gradient is the sum over a segment: the
 *            recurrence backwards, with a = 1 inside a segment and 0 at its end;
 *   linear   its own adjoint, backwards (Martin & Cundy, "Parallelizing linear recurrent neural nets over
 *            sequence length", 2018)
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"

/* ---- dtype and shape ---- */

/* Set the result of a scan in *in: the shape of x; in->dtype, its dtype, must be set. False, with the fault
   set, if the axis is invalid. */
static bool infer_along(struct infer *in) {
    const struct scan_attr *attr = in->attr;
    ty_dtype dtype = in->dtype;
    infer_like(in, in->inputs[0]);
    in->dtype = dtype;
    return infer_axis(in, attr->axis, in->rank);
}

static bool infer_wide(struct infer *in) {
    in->dtype = dtype_table[in->inputs[0]->dtype].sums;
    return infer_along(in);
}

/* Set the result of a running extreme (x's dtype), or of its index (i64), in *in. False, with the fault set,
   for complex x, an exclusive index or an invalid axis. */
static bool infer_ordered(struct infer *in) {
    const struct scan_attr *attr = in->attr;
    bool place = attr->kind == SCAN_ARGMAX || attr->kind == SCAN_ARGMIN;
    in->dtype = in->inputs[0]->dtype;
    if (dtype_is(in->dtype, CLASS_COMPLEX))
        return infer_fault(in, E_DTYPE, "complex numbers have no order; use ty_abs or ty_real first");
    if (place && attr->exclusive)
        return infer_fault(
            in, E_LIMIT,
            "the index of the maximum or minimum of no elements is undefined; do not use exclusive");
    if (place) in->dtype = TY_I64;
    return infer_along(in);
}

/* Set the result of a linear recurrence in *in: dtype and shape of both operands. False, with the fault set,
   if they differ or are bool. */
static bool infer_linear(struct infer *in) {
    const ty_tensor *a = in->inputs[0], *b = in->inputs[1];
    in->dtype = a->dtype;
    if (a->dtype != b->dtype || dtype_is(a->dtype, CLASS_BOOL))
        return infer_fault(in, E_DTYPE, "the operands must have the same dtype, not bool");
    if (!shape_equal(a->layout.rank, a->layout.shape, b->layout.rank, b->layout.shape))
        return infer_fault(in, E_SHAPE, "the operands must have the same shape");
    return infer_along(in);
}

/* ---- recording ---- */

static ty_tensor *record_scan(const struct op *op, struct scan_attr attr, int n, ty_tensor *const *x) {
    if (ty_ok(x[0])) attr.axis = axis_normal(attr.axis, ty_rank(x[0]));
    return record(op, &attr, sizeof attr, n, x);
}

static ty_tensor *linear(ty_tensor *a, ty_tensor *b, struct scan_attr attr) {
    attr.kind = SCAN_LINEAR;
    return record_scan(&op_linear_recurrence, attr, 2, (ty_tensor *[]){a, b});
}

/* Return x shifted by one step along the scan's axis, later (by 1) or earlier (by -1) in the scan's
   direction; the free element gets `fill`. */
static ty_tensor *shifted(ty_tensor *x, const struct scan_attr *attr, int by, double fill) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    if (attr->reverse) by = -by;
    padding[attr->axis] = (ty_padding){by, -by, 0};
    return ty_pad(x, padding, ty_scalar(ty_dtype_of(x), fill));
}

static struct scan_attr backwards(const struct scan_attr *attr) {
    struct scan_attr back = {.axis = attr->axis, .reverse = !attr->reverse};
    return back;
}

/* ---- gradients ---- */

/* Gradient rule of cumsum: return the gradient of the operand (i is 0), given g, that of y: the running sum
   of g in the other direction. */
static ty_tensor *cumsum_vjp(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    const struct scan_attr *attr = y->attr;
    struct scan_attr back = backwards(attr);
    back.exclusive = attr->exclusive;
    return record_scan(y->op, back, 1, &g);
}

/* Gradient rule of cumprod: return the gradient of the operand (i is 0), given g, that of y, without
   division: the product of earlier elements times a backward linear recurrence of g. */
static ty_tensor *cumprod_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct scan_attr *attr = y->attr;
    struct scan_attr before = *attr;
    ty_tensor *x = y->inputs[i];
    before.exclusive = true;
    if (attr->exclusive) g = shifted(g, attr, -1, 0);
    ty_tensor *flow = linear(ty_conj(shifted(x, attr, -1, 0)), g, backwards(attr));
    return ty_mul(ty_conj(record_scan(y->op, before, 1, &x)), flow);
}

/* Gradient rule of running extremes: return the gradient of the operand (i is 0), given g, that of y: each
   element gets the sum of g over the indices where it is the extreme. */
static ty_tensor *extreme_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct scan_attr *attr = y->attr;
    ty_tensor *x = y->inputs[i];
    bool most = attr->kind == SCAN_MAX;
    struct scan_attr place = {most ? SCAN_ARGMAX : SCAN_ARGMIN, attr->axis, attr->reverse, 0};
    if (attr->exclusive) g = shifted(g, attr, -1, 0);
    ty_tensor *from = record_scan(most ? &op_cumargmax : &op_cumargmin, place, 1, &x);
    ty_tensor *goes_on = ty_cast(ty_eq(from, shifted(from, attr, -1, -1)), ty_dtype_of(g));
    ty_tensor *segment = linear(goes_on, g, backwards(attr));
    ty_tensor *here = ty_eq(from, ty_iota(TY_I64, ty_rank(x), ty_shape(x), attr->axis));
    return ty_where(here, segment, ty_num(0));
}

static ty_tensor *linear_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct scan_attr *attr = y->attr;
    ty_tensor *flow = linear(ty_conj(shifted(y->inputs[0], attr, -1, 0)), g, backwards(attr));
    return i == 1 ? flow : ty_mul(flow, ty_conj(shifted(y, attr, 1, 0)));
}

/* Reach rule of scans for operand i of y, sets *r: y depends on all elements up to its index, without its own
   if exclusive; in reverse, from it on. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct scan_attr *attr = y->attr;
    int64_t n = y->layout.shape[attr->axis], before = attr->exclusive ? 1 : 0;
    if (!y->op->vjp) r->kind = REACH_NOTHING;
    reach_beside(y, i, attr->axis, r);
    r->axis[attr->axis] =
        (struct reach_axis){attr->axis, false, n, 1, 1, attr->reverse ? -before : n - 1 + before};
}

/* ---- the operators ---- */

ATTRIBUTES(attributes, sizeof(struct scan_attr), FIELD(struct scan_attr, kind, VARIANT),
           FIELD(struct scan_attr, axis, INT, .axis = true), FIELD(struct scan_attr, reverse, FLAG),
           FIELD(struct scan_attr, exclusive, FLAG));

#define SCAN(symbol, which, operands, infer_function, vjp_function, jvp_function, reason, onnx_name, text)   \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_SCAN,                                                      \
                                   .arity = operands,                                                        \
                                   .infer = infer_function,                                                  \
                                   .vjp = vjp_function,                                                      \
                                   .jvp = jvp_function,                                                      \
                                   .no_gradient = {reason},                                                  \
                                   .attributes = &attributes,                                                \
                                   .batch = batch_shifted,                                                   \
                                   .reach = reach,                                                           \
                                   .variant = which,                                                         \
                                   .row = -1,                                                                \
                                   .onnx = onnx_name,                                                        \
                                   .doc = text};
SCAN(cumsum, SCAN_SUM, 1, infer_wide, cumsum_vjp, jvp_linear, NULL, "CumSum",
     "running sum along an axis; integers and bool become 64 bits wide")
SCAN(cumprod, SCAN_PROD, 1, infer_wide, cumprod_vjp, NULL, NULL, "",
     "running product along an axis; integers and bool become 64 bits wide")
SCAN(cummax, SCAN_MAX, 1, infer_ordered, extreme_vjp, NULL, NULL, "",
     "running maximum along an axis; NaN wins from there on")
SCAN(cummin, SCAN_MIN, 1, infer_ordered, extreme_vjp, NULL, NULL, "",
     "running minimum along an axis; NaN wins from there on")
SCAN(cumargmax, SCAN_ARGMAX, 1, infer_ordered, NULL, NULL, "piecewise constant", "",
     "i64 place of the running maximum, the first of equals")
SCAN(cumargmin, SCAN_ARGMIN, 1, infer_ordered, NULL, NULL, "piecewise constant", "",
     "i64 place of the running minimum, the first of equals")
SCAN(linear_recurrence, SCAN_LINEAR, 2, infer_linear, linear_vjp, NULL, NULL, "",
     "y[i] = a[i] * y[i-1] + b[i] along an axis, from 0")

/* ---- public ---- */

static const struct op *const scan_ops[] = {
    [SCAN_SUM] = &op_cumsum, [SCAN_PROD] = &op_cumprod,     [SCAN_MAX] = &op_cummax,
    [SCAN_MIN] = &op_cummin, [SCAN_ARGMAX] = &op_cumargmax, [SCAN_ARGMIN] = &op_cumargmin};

static ty_tensor *scan(enum scan_kind kind, ty_tensor *x, int axis, ty_running way) {
    struct scan_attr attr = {(int32_t)kind, axis, way.reverse, way.exclusive};
    return record_scan(scan_ops[kind], attr, 1, &x);
}

ty_tensor *ty_cumsum(ty_tensor *x, int axis, ty_running way) { return scan(SCAN_SUM, x, axis, way); }
ty_tensor *ty_cumprod(ty_tensor *x, int axis, ty_running way) { return scan(SCAN_PROD, x, axis, way); }
ty_tensor *ty_cummax(ty_tensor *x, int axis, ty_running way) { return scan(SCAN_MAX, x, axis, way); }
ty_tensor *ty_cummin(ty_tensor *x, int axis, ty_running way) { return scan(SCAN_MIN, x, axis, way); }
ty_tensor *ty_cumargmax(ty_tensor *x, int axis, ty_running way) { return scan(SCAN_ARGMAX, x, axis, way); }
ty_tensor *ty_cumargmin(ty_tensor *x, int axis, ty_running way) { return scan(SCAN_ARGMIN, x, axis, way); }

ty_tensor *ty_linear_recurrence(ty_tensor *a, ty_tensor *b, int axis, bool reverse) {
    ty_tensor *x[] = {a, b}, *bad = first_poison(2, x);
    int rank = 0, clash;
    int64_t shape[TY_MAX_RANK];
    if (bad) return bad;
    if (!shape_broadcast(&rank, shape, ty_rank(a), ty_shape(a), &clash) ||
        !shape_broadcast(&rank, shape, ty_rank(b), ty_shape(b), &clash))
        return refuse("linear_recurrence", 2, x, E_SHAPE, "operands do not broadcast (axis %d)",
                      rank - clash);
    ty_scope *scope = ty_open();
    cast_to_common("linear_recurrence", 2, x, COUNTED, x);
    for (int i = 0; i < 2; i++) x[i] = ty_broadcast(x[i], rank, shape);
    return leave(scope, linear(x[0], x[1], (struct scan_attr){.axis = axis, .reverse = reverse}));
}
