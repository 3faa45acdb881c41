/*
 * Operators of pooling over one to three axes.  Maximum and index of the maximum are kernels.  The gradient of the
 * maximum adds g at the index (unpool), whose gradient reads at the index (pool_take); these two are each other's
 * adjoint.  So are the sum over windows and pool_spread.  A mean is a sum divided by counts that do not depend on x.
 */
#include <tyto/arithmetic.h>
#include "base/checked.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/window/pool.h"
#include "ops/core/operators.h"

/* ---- dtype and shape ---- */

/* Check that x, inputs[0], has the windowed axes that the attributes name. False, with the fault set, if not. */
static bool infer_windowed(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    if (attr->axis < 0 || attr->axes < 1 || attr->axes > POOL_AXES ||
        attr->axis > in->inputs[0]->layout.rank - attr->axes)
        return infer_fault(in, E_SHAPE, "windows along %d axes from axis %d on", attr->axes, attr->axis);
    return true;
}

/* Check that *w is a window that pool_windows or pool_adaptive can make (size 0: adaptive windows). False,
   with the fault set, if not. */
static bool infer_window(struct infer *in, const struct pool_window *w) {
    int64_t span = 0, begin = 0, product;
    bool fits = w->length >= 0 && w->windows >= 0 && w->stride >= 1 && w->dilation >= 1 && w->size >= 0;
    if (w->size == 0)
        fits = fits && w->windows < INT64_MAX && checked_mul(w->windows + 1, w->length, &product) &&
               (w->length > 0 || !w->windows) && w->low == 0 && w->high == 0;
    else
        fits =
            fits && checked_mul(w->size - 1, w->dilation, &span) && span < POOL_MOST_SPAN && w->low >= 0 &&
            w->low <= span && w->high >= 0 && w->high <= span &&
            (!w->windows || (checked_mul(w->windows - 1, w->stride, &begin) && begin - w->low < w->length));
    return fits ||
           infer_fault(in, E_SHAPE,
                       "%lld windows of %lld (stride %lld, dilation %lld, padding %lld and %lld) do not lie "
                       "on %lld elements",
                       (long long)w->windows, (long long)w->size, (long long)w->stride,
                       (long long)w->dilation, (long long)w->low, (long long)w->high, (long long)w->length);
}

/* Set the result of pooling in *in: windowed axes get size `windows`, or for SPREAD `length`. False, with the
   fault set, if the operand does not fit. */
static bool infer_windows(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    bool ordered = attr->kind == POOL_MAX || attr->kind == POOL_INDEX;
    if (!infer_windowed(in)) return false;
    infer_like(in, in->inputs[0]);
    if (ordered && dtype_is(in->dtype, CLASS_COMPLEX))
        return infer_fault(in, E_DTYPE, "complex numbers have no order");
    for (int k = 0; k < attr->axes; k++) {
        const struct pool_window *w = &attr->window[k];
        bool spread = attr->kind == POOL_SPREAD;
        if (!infer_window(in, w)) return false;
        int64_t found = in->shape[attr->axis + k], expected = spread ? w->windows : w->length;
        if (found != expected)
            return infer_fault(in, E_SHAPE, "axis %d must have size %lld, not %lld", attr->axis + k,
                               (long long)expected, (long long)found);
        in->shape[attr->axis + k] = spread ? w->length : w->windows;
    }
    return true;
}

static bool infer_place(struct infer *in) {
    if (!infer_windows(in)) return false;
    in->dtype = TY_I64;
    return true;
}

static bool infer_sum(struct infer *in) {
    if (!infer_windows(in)) return false;
    in->dtype = dtype_table[in->dtype].sums;
    return true;
}

static bool infer_mean(struct infer *in) {
    if (!infer_windows(in)) return false;
    in->dtype = dtype_table[dtype_table[in->dtype].sums].floating;
    return true;
}

/* Set the result of unpooling in *in: the windowed axes get size `length`. False, with the fault set, if
   values and indices do not fit. */
static bool infer_unpool(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    const ty_tensor *index = in->inputs[1];
    if (!infer_windowed(in)) return false;
    infer_like(in, in->inputs[0]);
    if (index->dtype != TY_I64 || !shape_equal(in->rank, in->shape, index->layout.rank, index->layout.shape))
        return infer_fault(in, E_DTYPE, "the index must be i64 and of the operand's shape");
    for (int k = 0; k < attr->axes; k++) in->shape[attr->axis + k] = attr->window[k].length;
    return infer_fits(in);
}

/* Set the result of reading x at the indices of pooling in *in: x's dtype, the index's shape. False, with the
   fault set, if they do not fit. */
static bool infer_take(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    const ty_tensor *x = in->inputs[0], *index = in->inputs[1];
    if (!infer_windowed(in)) return false;
    if (index->dtype != TY_I64 || index->layout.rank != in->inputs[0]->layout.rank)
        return infer_fault(in, E_DTYPE, "the index must be i64 and of the operand's rank");
    for (int i = 0; i < x->layout.rank; i++) {
        bool windowed = i >= attr->axis && i < attr->axis + attr->axes;
        int64_t size = windowed ? attr->window[i - attr->axis].length : index->layout.shape[i];
        if (x->layout.shape[i] != size)
            return infer_fault(in, E_SHAPE, "axis %d must have size %lld, not %lld", i, (long long)size,
                               (long long)x->layout.shape[i]);
    }
    infer_like(in, index);
    in->dtype = x->dtype;
    return true;
}

/* ---- text ---- */

/* Append a window to t as size, /stride, *dilation and +padding, where these are not usual, or as the number
   of adaptive windows. */
static void text_window(struct text *t, const struct pool_window *w) {
    if (!w->size) {
        text_add(t, " %lld:adaptive", (long long)w->windows);
        return;
    }
    text_add(t, " %lld", (long long)w->size);
    if (w->stride != 1) text_add(t, "/%lld", (long long)w->stride);
    if (w->dilation != 1) text_add(t, "*%lld", (long long)w->dilation);
    if (w->low || w->high) text_add(t, "+%lld:%lld", (long long)w->low, (long long)w->high);
}

/* Append the first windowed axis, the windows and the options of a mean to t. */
static void describe(const struct infer *in, struct text *t) {
    const struct pool_attr *attr = in->attr;
    text_add(t, "axis=%d windows=", attr->axis);
    for (int k = 0; k < attr->axes; k++) text_window(t, &attr->window[k]);
    if (attr->kind == POOL_MEAN && attr->divisor != 0) text_add(t, " divisor=%g", attr->divisor);
    if (attr->kind == POOL_MEAN && attr->count_padding) text_add(t, " counting padding");
}

/* ---- gradients ---- */

/* Return the result of pooling of `kind` by operator `op` on x, with the windows of y and without the options
   of a mean. Poison on failure. */
static ty_tensor *record_as(enum pool_kind kind, const struct op *op, const ty_tensor *y, ty_tensor *x) {
    struct pool_attr attr = *(const struct pool_attr *)y->attr;
    attr.kind = (int32_t)kind;
    attr.divisor = 0;
    attr.count_padding = 0;
    return record(op, &attr, sizeof attr, 1, &x);
}

static ty_tensor *vjp_max(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *index = record_as(POOL_INDEX, &op_max_pool_index, y, y->inputs[i]);
    return record(&op_unpool, y->attr, y->attr_bytes, 2, (ty_tensor *[]){g, index});
}

static ty_tensor *vjp_sum(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    return record_as(POOL_SPREAD, &op_pool_spread, y, g);
}

static ty_tensor *vjp_spread(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    return record_as(POOL_SUM, &op_sum_pool, y, g);
}

/* Gradient rule of a mean over windows: return the gradient of the operand (i is 0), given g, that of y.
   Computed in f32 if g is a half float, because its sums are. */
static ty_tensor *vjp_mean(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    ty_dtype dtype = ty_dtype_of(g);
    ty_dtype real = dtype_table[dtype_table[dtype].real].computed;
    ty_tensor *share = ty_div(g, pool_counts(y->attr, ty_rank(y), real));
    return ty_cast(record_as(POOL_SPREAD, &op_pool_spread, y, share), dtype);
}

static ty_tensor *vjp_unpool(ty_tensor *y, ty_tensor *g, int i) {
    return i ? NULL : record(&op_pool_take, y->attr, y->attr_bytes, 2, (ty_tensor *[]){g, y->inputs[1]});
}

static ty_tensor *vjp_take(ty_tensor *y, ty_tensor *g, int i) {
    return i ? NULL : record(&op_unpool, y->attr, y->attr_bytes, 2, (ty_tensor *[]){g, y->inputs[1]});
}

/* Reach rule of pooling for operand i of y, sets *r: dependences follow the windows; with indices known only
   at run time, on all elements of the windowed axes. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct pool_attr *attr = y->attr;
    bool placed = y->op == &op_unpool || y->op == &op_pool_take;
    if (!y->op->vjp) r->kind = REACH_NOTHING;
    reach_beside(y, i, -1, r);
    for (int k = 0; k < attr->axes; k++) {
        const struct pool_window *w = &attr->window[k];
        int axis = attr->axis + k;
        if (placed || w->size == 0)
            r->axis[axis].axis = -1;
        else
            r->axis[axis] =
                (struct reach_axis){axis, attr->kind == POOL_SPREAD, w->size, w->stride, w->dilation, w->low};
    }
}

ATTRIBUTES(window_parts, sizeof(struct pool_window), FIELD(struct pool_window, size, LONG),
           FIELD(struct pool_window, stride, LONG), FIELD(struct pool_window, dilation, LONG),
           FIELD(struct pool_window, low, LONG), FIELD(struct pool_window, high, LONG),
           FIELD(struct pool_window, length, LONG), FIELD(struct pool_window, windows, LONG));
ATTRIBUTES(attributes, sizeof(struct pool_attr), FIELD(struct pool_attr, kind, VARIANT),
           FIELD(struct pool_attr, axis, INT, .axis = true),
           FIELD_MANY(struct pool_attr, window, "windows", RECORD, .many = FIELD_COUNTED,
                      .counter = offsetof(struct pool_attr, axes), .parts = &window_parts),
           FIELD(struct pool_attr, divisor, REAL), FIELD(struct pool_attr, count_padding, FLAG));

const struct op op_max_pool = {.name = "max_pool",
                               .kind = KERNEL_POOL,
                               .arity = 1,
                               .infer = infer_windows,
                               .vjp = vjp_max,
                               .attributes = &attributes,
                               .batch = batch_shifted,
                               .reach = reach,
                               .describe = describe,
                               .row = -1,
                               .onnx = "MaxPool",
                               .doc =
                                   "the greatest of each window; padding is less than everything, NaN wins"};
const struct op op_max_pool_index = {.name = "max_pool_index",
                                     .variant = POOL_INDEX,
                                     .kind = KERNEL_POOL,
                                     .arity = 1,
                                     .infer = infer_place,
                                     .no_gradient = {"piecewise constant"},
                                     .attributes = &attributes,
                                     .batch = batch_shifted,
                                     .reach = reach,
                                     .describe = describe,
                                     .row = -1,
                                     .onnx = "",
                                     .doc = "the place inside the plane of the greatest of each window"};
const struct op op_sum_pool = {.name = "sum_pool",
                               .variant = POOL_SUM,
                               .kind = KERNEL_POOL,
                               .arity = 1,
                               .infer = infer_sum,
                               .vjp = vjp_sum,
                               .jvp = jvp_linear,
                               .attributes = &attributes,
                               .batch = batch_shifted,
                               .reach = reach,
                               .describe = describe,
                               .row = -1,
                               .onnx = "",
                               .doc = "the sum of each window"};
const struct op op_avg_pool = {.name = "avg_pool",
                               .variant = POOL_MEAN,
                               .kind = KERNEL_POOL,
                               .arity = 1,
                               .infer = infer_mean,
                               .vjp = vjp_mean,
                               .jvp = jvp_linear,
                               .attributes = &attributes,
                               .batch = batch_shifted,
                               .reach = reach,
                               .describe = describe,
                               .row = -1,
                               .onnx = "AveragePool",
                               .doc = "the mean of each window"};
const struct op op_pool_spread = {.name = "pool_spread",
                                  .variant = POOL_SPREAD,
                                  .kind = KERNEL_POOL,
                                  .arity = 1,
                                  .infer = infer_sum,
                                  .vjp = vjp_spread,
                                  .jvp = jvp_linear,
                                  .attributes = &attributes,
                                  .batch = batch_shifted,
                                  .reach = reach,
                                  .describe = describe,
                                  .row = -1,
                                  .onnx = "",
                                  .doc = "for each place the sum of the windows that it is in"};
const struct op op_unpool = {.name = "unpool",
                             .kind = KERNEL_UNPOOL,
                             .arity = 2,
                             .infer = infer_unpool,
                             .vjp = vjp_unpool,
                             .jvp = jvp_linear,
                             .no_gradient = {NULL, "integer"},
                             .attributes = &attributes,
                             .batch = batch_shifted,
                             .reach = reach,
                             .describe = describe,
                             .row = -1,
                             .onnx = "",
                             .doc = "zeros into which each element is added at its place in the plane"};
const struct op op_pool_take = {.name = "pool_take",
                                .kind = KERNEL_POOL_TAKE,
                                .arity = 2,
                                .infer = infer_take,
                                .vjp = vjp_take,
                                .jvp = jvp_linear,
                                .no_gradient = {NULL, "integer"},
                                .attributes = &attributes,
                                .batch = batch_shifted,
                                .reach = reach,
                                .describe = describe,
                                .row = -1,
                                .onnx = "",
                                .doc = "the elements at given places in the plane"};
