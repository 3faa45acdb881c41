/* Sliding windows along one axis, as a view with overlapping elements, and the adjoint, which adds each window
   back.  Each is the gradient of the other. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"

/* Return the number of windows that fit in the axis; -1, with the fault set, if the sizes are invalid or no
   window fits. */
static int64_t count_windows(struct infer *in, const struct window_attr *attr) {
    int64_t reach;
    if (attr->size < 1 || attr->stride < 1 || attr->dilation < 1)
        infer_fault(in, E_ARGUMENT, "size %lld, stride %lld and dilation %lld must be positive",
                    (long long)attr->size, (long long)attr->stride, (long long)attr->dilation);
    else if (!checked_mul(attr->size - 1, attr->dilation, &reach) || reach >= attr->length)
        infer_fault(
            in, E_SHAPE,
            "a window of %lld elements with dilation %lld does not fit in the %lld of axis %d; use ty_pad",
            (long long)attr->size, (long long)attr->dilation, (long long)attr->length, attr->axis);
    else
        return (attr->length - reach - 1) / attr->stride + 1;
    return -1;
}

/* Set the result of a window view in *in: the axis gets the number of windows, and a new last axis their
   elements. False, with the fault set, if they do not fit. */
static bool infer(struct infer *in) {
    const struct window_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    if (!infer_axis(in, attr->axis, in->rank)) return false;
    if (attr->length != in->shape[attr->axis])
        return infer_fault(in, E_SHAPE, "axis %d has %lld elements, not %lld", attr->axis,
                           (long long)in->shape[attr->axis], (long long)attr->length);
    int64_t n = count_windows(in, attr);
    if (n < 0) return false;
    if (in->rank == TY_MAX_RANK)
        return infer_fault(in, E_LIMIT, "a tensor of %d axes cannot get one more", in->rank);
    in->shape[attr->axis] = n;
    in->shape[in->rank++] = attr->size;
    return true;
}

/* Return the stride, in elements, of an axis of n elements that are `by` elements of an axis of this stride
   apart. For n <= 1 it does not matter, and `by` may be large. */
static int64_t step_of(int64_t stride, int64_t by, int64_t n) {
    int64_t step;
    return n > 1 && checked_mul(stride, by, &step) ? step : stride;
}

/* View rule of windows: set *out, the layout over x's memory: the last axis steps by the dilation, the old
   one by the stride. Always true. */
static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    const struct window_attr *attr = in->attr;
    size_t bytes = sizeof(int64_t) * (size_t)x->rank;
    out->rank = in->rank;
    out->offset = x->offset;
    memcpy(out->strides, x->strides, bytes);
    memcpy(out->shape, in->shape, bytes + sizeof(int64_t));
    out->strides[x->rank] = step_of(x->strides[attr->axis], attr->dilation, attr->size);
    out->strides[attr->axis] = step_of(x->strides[attr->axis], attr->stride, in->shape[attr->axis]);
    return true;
}

/* Set the result of the sum of windows in *in: the last axis is dropped, and the windowed one gets its
   length. False, with the fault set, if sizes do not fit. */
static bool infer_add(struct infer *in) {
    const struct window_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    if (!infer_axis(in, attr->axis, in->rank - 1)) return false;
    if (dtype_is(in->dtype, CLASS_BOOL)) return infer_fault(in, E_DTYPE, "bool cannot be added; use ty_cast");
    int64_t n = count_windows(in, attr);
    if (n < 0) return false;
    if (in->shape[attr->axis] != n || in->shape[in->rank - 1] != attr->size)
        return infer_fault(in, E_SHAPE, "axis %d must count %lld windows and the last axis have size %lld",
                           attr->axis, (long long)n, (long long)attr->size);
    in->rank--;
    in->shape[attr->axis] = attr->length;
    return true;
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    return record(&op_window_add, y->attr, y->attr_bytes, 1, &g);
}

static ty_tensor *vjp_add(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    return record(&op_window, y->attr, y->attr_bytes, 1, &g);
}

/* Reach rule of the sum of windows, sets *r: each element of a window flows to its original index, r->to.
   There is one operand, so i is ignored. */
static void reach_add(ty_tensor *y, int i, struct reach *r) {
    (void)i;
    r->kind = REACH_GOES;
    int64_t size = tensor_size(y);
    ty_tensor *numbers = ty_reshape(ty_iota(TY_I64, 1, &size, 0), y->layout.rank, y->layout.shape);
    r->to = record(&op_window, y->attr, y->attr_bytes, 1, &numbers);
}

ATTRIBUTES(attributes, sizeof(struct window_attr), FIELD(struct window_attr, axis, INT, .axis = true),
           FIELD(struct window_attr, size, LONG), FIELD(struct window_attr, stride, LONG),
           FIELD(struct window_attr, dilation, LONG), FIELD(struct window_attr, length, LONG));

const struct op op_window = {.name = "window",
                             .kind = KERNEL_NONE,
                             .arity = 1,
                             .infer = infer,
                             .view = view,
                             .vjp = vjp,
                             .jvp = jvp_linear,
                             .attributes = &attributes,
                             .batch = batch_shifted,
                             .reach = reach_moves,
                             .row = -1,
                             .onnx = "",
                             .doc = "sliding windows along one axis, the place inside as a new last axis"};
const struct op op_window_add = {.name = "window_add",
                                 .kind = KERNEL_WINDOW_ADD,
                                 .arity = 1,
                                 .infer = infer_add,
                                 .vjp = vjp_add,
                                 .jvp = jvp_linear,
                                 .attributes = &attributes,
                                 .batch = batch_shifted,
                                 .reach = reach_add,
                                 .row = -1,
                                 .onnx = "",
                                 .doc = "windows added back to where they came from"};

ty_tensor *ty_window(ty_tensor *x, int axis, int64_t size, int64_t stride, int64_t dilation) {
    int rank = ty_rank(x);
    struct window_attr attr = {
        .axis = axis_normal(axis, rank), .size = size, .stride = stride, .dilation = dilation};
    if (attr.axis >= 0 && attr.axis < rank) attr.length = ty_shape(x)[attr.axis];
    return record(&op_window, &attr, sizeof attr, 1, &x);
}
