/*
 * Pooling over two axes.  The maximum and its place are kernels; the gradient adds g at the place
 * (unpool) and the gradient of that reads there (pool_take): the two are each other's adjoint.  What
 * padding adds is less than everything, so a maximum of negative numbers stays right at the border.
 * The average is a composite: a sum over windows and a division.
 */
#include "base/checked.h"
#include "ops/window2d.h"

/* ---- dtype and shape ---- */

/* How many windows lie on axis k; -1 after a fault. */
static int64_t count_windows(struct infer *in, const struct pool_attr *attr, int k, int64_t n) {
    int64_t padded;
    if (attr->size[k] < 1 || attr->stride[k] < 1)
        infer_fault(in, "size %lld and stride %lld of axis %d must be positive", (long long)attr->size[k],
                    (long long)attr->stride[k], attr->axis[k]);
    else if (attr->low[k] < 0 || attr->high[k] < 0 || attr->low[k] >= attr->size[k] ||
             attr->high[k] >= attr->size[k])
        infer_fault(in, "padding %lld and %lld of axis %d must be 0 or more and less than the window's %lld",
                    (long long)attr->low[k], (long long)attr->high[k], attr->axis[k],
                    (long long)attr->size[k]);
    else if (n == 0)
        return 0;
    else if (!checked_add(n, attr->low[k] + attr->high[k], &padded) || padded < attr->size[k])
        infer_fault(in, "a window of %lld does not fit in axis %d, which is %lld and %lld + %lld of padding",
                    (long long)attr->size[k], attr->axis[k], (long long)n, (long long)attr->low[k],
                    (long long)attr->high[k]);
    else
        return (padded - attr->size[k]) / attr->stride[k] + 1;
    return -1;
}

/* The result has x's shape, but for the two axes. */
static bool infer_windows(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    if (in->rank != 4)
        return infer_fault(in, "x must have rank 4, (N,H,W,C) or (N,C,H,W) with nchw, not %d", in->rank);
    for (int k = 0; k < 2; k++) {
        int64_t n = count_windows(in, attr, k, in->shape[attr->axis[k]]);
        if (n < 0) return false;
        in->shape[attr->axis[k]] = n;
    }
    return true;
}

static bool infer_pool(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    if (dtype_is(in->inputs[0]->dtype, CLASS_COMPLEX))
        return infer_fault(in, "complex numbers have no order; use ty_abs or ty_real first");
    if (!infer_windows(in)) return false;
    if (attr->kind == POOL_INDEX) in->dtype = TY_I64;
    return true;
}

static bool infer_unpool(struct infer *in) {
    const struct pool_attr *attr = in->attr;
    const ty_tensor *index = in->inputs[1];
    infer_like(in, in->inputs[0]);
    if (index->dtype != TY_I64 || !shape_equal(in->rank, in->shape, index->layout.rank, index->layout.shape))
        return infer_fault(in, "the index must be i64 and of the shape of what it places");
    for (int k = 0; k < 2; k++) in->shape[attr->axis[k]] = attr->plane[k];
    return true;
}

static bool infer_take(struct infer *in) {
    const ty_tensor *index = in->inputs[1];
    if (index->dtype != TY_I64 || index->layout.rank != in->inputs[0]->layout.rank)
        return infer_fault(in, "the index must be i64 and have as many axes as what it reads");
    infer_like(in, index);
    in->dtype = in->inputs[0]->dtype;
    return true;
}

static void describe(const struct infer *in, struct text *t) {
    const struct pool_attr *a = in->attr;
    text_add(t, "axes=(%d, %d) size=%lldx%lld stride=%lldx%lld", a->axis[0], a->axis[1],
             (long long)a->size[0], (long long)a->size[1], (long long)a->stride[0], (long long)a->stride[1]);
    if (a->low[0] || a->low[1] || a->high[0] || a->high[1])
        text_add(t, " padding=%lld:%lld,%lld:%lld", (long long)a->low[0], (long long)a->high[0],
                 (long long)a->low[1], (long long)a->high[1]);
}

/* ---- gradients ---- */

static ty_tensor *vjp_pool(ty_tensor *y, ty_tensor *g, int i) {
    struct pool_attr attr = *(const struct pool_attr *)y->attr;
    attr.kind = POOL_INDEX;
    ty_tensor *index = record(&op_max_pool2d_index, &attr, sizeof attr, 1, &y->inputs[i]);
    return record(&op_unpool, &attr, sizeof attr, 2, (ty_tensor *[]){g, index});
}

static ty_tensor *vjp_unpool(ty_tensor *y, ty_tensor *g, int i) {
    return i ? NULL : record(&op_pool_take, y->attr, y->attr_bytes, 2, (ty_tensor *[]){g, y->inputs[1]});
}

static ty_tensor *vjp_take(ty_tensor *y, ty_tensor *g, int i) {
    return i ? NULL : record(&op_unpool, y->attr, y->attr_bytes, 2, (ty_tensor *[]){g, y->inputs[1]});
}

const struct op op_max_pool2d = {
    .name = "max_pool2d",
    .kind = KERNEL_POOL,
    .arity = 1,
    .infer = infer_pool,
    .vjp = vjp_pool,
    .describe = describe,
    .row = -1,
    .onnx = "MaxPool",
    .doc = "the greatest of each window; padding is less than everything, NaN wins"};
const struct op op_max_pool2d_index = {.name = "max_pool2d_index",
                                       .kind = KERNEL_POOL,
                                       .arity = 1,
                                       .infer = infer_pool,
                                       .no_gradient = {"piecewise constant"},
                                       .describe = describe,
                                       .row = -1,
                                       .onnx = "",
                                       .doc = "the place inside the plane of the greatest of each window"};
const struct op op_unpool = {.name = "unpool",
                             .kind = KERNEL_UNPOOL,
                             .arity = 2,
                             .infer = infer_unpool,
                             .vjp = vjp_unpool,
                             .no_gradient = {NULL, "integer"},
                             .describe = describe,
                             .row = -1,
                             .onnx = "",
                             .doc = "zeros into which each element is added at its place in the plane"};
const struct op op_pool_take = {.name = "pool_take",
                                .kind = KERNEL_POOL_TAKE,
                                .arity = 2,
                                .infer = infer_take,
                                .vjp = vjp_take,
                                .no_gradient = {NULL, "integer"},
                                .describe = describe,
                                .row = -1,
                                .onnx = "",
                                .doc = "the elements at given places in the plane"};

/* ---- public ---- */

/* Options made explicit; of an x that does not have four axes only what needs no shape. */
static struct pool_attr pool_attr_of(ty_tensor *x, const ty_pool *options, enum pool_kind kind) {
    struct pool_attr attr = {.kind = (int32_t)kind};
    for (int k = 0; k < 2; k++) {
        attr.axis[k] = (options->nchw ? 2 : 1) + k;
        attr.size[k] = options->size[k];
        attr.stride[k] = options->stride[k] ? options->stride[k] : options->size[k];
        attr.low[k] = options->low[k];
        attr.high[k] = options->high[k];
        if (ty_rank(x) != 4) continue;
        attr.plane[k] = ty_shape(x)[attr.axis[k]];
        if (options->same && attr.size[k] > 0 && attr.stride[k] > 0)
            same_padding(attr.plane[k], attr.size[k], attr.stride[k], &attr.low[k], &attr.high[k]);
    }
    return attr;
}

ty_tensor *ty_max_pool2d(ty_tensor *x, ty_pool options) {
    struct pool_attr attr = pool_attr_of(x, &options, POOL_MAX);
    return record(&op_max_pool2d, &attr, sizeof attr, 1, &x);
}

ty_tensor *ty_max_pool2d_index(ty_tensor *x, ty_pool options) {
    struct pool_attr attr = pool_attr_of(x, &options, POOL_INDEX);
    return record(&op_max_pool2d_index, &attr, sizeof attr, 1, &x);
}

/* How many elements of the axis, not of the padding, each window has, as f64 along axis k of four. */
static ty_tensor *window_counts(const struct pool_attr *attr, int k, int64_t windows, int axis) {
    int64_t shape[4] = {1, 1, 1, 1};
    shape[axis] = windows;
    ty_tensor *start = ty_sub(ty_mul(ty_iota(TY_F64, 4, shape, axis), ty_num((double)attr->stride[k])),
                              ty_num((double)attr->low[k]));
    ty_tensor *end = ty_min(ty_add(start, ty_num((double)attr->size[k])), ty_num((double)attr->plane[k]));
    return ty_sub(end, ty_max(start, ty_num(0)));
}

static ty_tensor *average(ty_tensor *x, const struct pool_attr *attr, const int64_t *windows,
                          bool count_padding) {
    bool padded = attr->low[0] || attr->low[1] || attr->high[0] || attr->high[1];
    ty_tensor *wide = pad_axes(x, attr->axis, attr->low, attr->high, ty_scalar(ty_dtype_of(x), 0));
    ty_tensor *rows = ty_window(wide, attr->axis[0], attr->size[0], attr->stride[0], 1);
    ty_tensor *sum = ty_sum(ty_window(rows, attr->axis[1], attr->size[1], attr->stride[1], 1),
                            ty_axes_of(2, (int[]){-2, -1}, false));
    if (!padded || count_padding) return ty_div(sum, ty_num((double)attr->size[0] * (double)attr->size[1]));
    ty_tensor *count = ty_mul(window_counts(attr, 0, windows[attr->axis[0]], attr->axis[0]),
                              window_counts(attr, 1, windows[attr->axis[1]], attr->axis[1]));
    return ty_div(sum, ty_cast(count, dtype_table[ty_dtype_of(sum)].floating));
}

ty_tensor *ty_avg_pool2d(ty_tensor *x, ty_pool options) {
    if (!ty_ok(x)) return tensor_share(x);
    struct pool_attr attr = pool_attr_of(x, &options, POOL_MAX);
    struct fault fault = {0};
    struct op op = {.name = "avg_pool2d", .row = -1};
    struct infer in = {
        .op = &op, .attr = &attr, .attr_bytes = sizeof attr, .ninputs = 1, .inputs = &x, .fault = &fault};
    if (!infer_windows(&in)) return tensor_fault(&fault);
    ty_scope *scope = ty_open();
    return leave(scope, average(x, &attr, in.shape, options.count_padding));
}
