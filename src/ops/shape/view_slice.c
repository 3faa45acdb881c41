/* Slice: every step-th element of an axis, forwards or backwards.  The attribute is normalised (start, count, step,
   with step 1 if it does not matter), so that equal slices have equal attributes. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/core/attributes.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/index/index.h"
#include "ops/shape/concat.h"

/* True if all elements of the slice are inside an axis of n elements. */
static bool is_inside(const struct slice_attr *attr, int64_t n) {
    int64_t reach, last;
    if (attr->size < 0 || attr->start < 0 || attr->start > n) return false;
    return attr->size == 0 || (attr->start < n && checked_mul(attr->size - 1, attr->step, &reach) &&
                               checked_add(attr->start, reach, &last) && last >= 0 && last < n);
}

/* Set the result of a slice in *in. False, with the fault set, if axis, step or bounds are invalid. */
static bool infer(struct infer *in) {
    const struct slice_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    if (!infer_axis(in, attr->axis, in->rank)) return false;
    if (attr->step == 0)
        return infer_fault(in, E_ARGUMENT, "the step along axis %d must not be 0", attr->axis);
    if (!is_inside(attr, in->shape[attr->axis]))
        return infer_fault(
            in, E_INDEX, "%lld elements from %lld in steps of %lld are out of bounds for the %lld of axis %d",
            (long long)attr->size, (long long)attr->start, (long long)attr->step,
            (long long)in->shape[attr->axis], attr->axis);
    in->shape[attr->axis] = attr->size;
    return true;
}

/* View rule of a slice: set *out to the layout x with another offset, and another size and stride of the
   axis. Always true. */
static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    const struct slice_attr *attr = in->attr;
    size_t bytes = sizeof(int64_t) * (size_t)x->rank;
    out->rank = x->rank;
    out->offset = x->offset + attr->start * x->strides[attr->axis];
    memcpy(out->shape, x->shape, bytes);
    memcpy(out->strides, x->strides, bytes);
    out->shape[attr->axis] = attr->size;
    out->strides[attr->axis] *= attr->step;
    return true;
}

/* Prepare *g, the gradient of the slice y, for a concatenation: set *axis, and *start, the first index of its
   elements; *g is flipped if the step is -1. False, with nothing set, if the step is not 1 or -1. */
static bool places(ty_tensor *y, ty_tensor **g, int *axis, int64_t *start) {
    const struct slice_attr *attr = y->attr;
    if (attr->step != 1 && attr->step != -1) return false;
    *axis = attr->axis;
    *start = attr->step == 1 ? attr->start : attr->start - (attr->size - 1);
    if (attr->step == -1) *g = ty_flip(*g, attr->axis);
    return true;
}

/* Gradient rule of a slice: return the gradient of the operand i, given g, that of y: each element of g at
   its index, with zeros before, after, and step - 1 of them in between. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct slice_attr *attr = y->attr;
    int axis;
    int64_t first;
    if (places(y, &g, &axis, &first)) return concat_at(1, &g, axis, ty_shape(y->inputs[i])[axis], &first);
    ty_padding padding[TY_MAX_RANK] = {{0}}, *p = &padding[attr->axis];
    int64_t n = ty_shape(y->inputs[i])[attr->axis], step = attr->step, start = attr->start;
    if (step < 0) {
        g = ty_flip(g, attr->axis);
        start += (attr->size - 1) * step;
        step = -step;
    }
    *p = (ty_padding){start, n - start - ((attr->size - 1) * step + 1), step - 1};
    return ty_pad(g, padding, ty_scalar(ty_dtype_of(g), 0));
}

ATTRIBUTES(attributes, sizeof(struct slice_attr), FIELD(struct slice_attr, axis, INT, .axis = true),
           FIELD(struct slice_attr, start, LONG), FIELD(struct slice_attr, size, LONG),
           FIELD(struct slice_attr, step, LONG));

const struct op op_slice = {.name = "slice",
                            .kind = KERNEL_NONE,
                            .arity = 1,
                            .infer = infer,
                            .view = view,
                            .vjp = vjp,
                            .jvp = jvp_linear,
                            .attributes = &attributes,
                            .batch = batch_shifted,
                            .reach = reach_moves,
                            .places = places,
                            .row = -1,
                            .onnx = "Slice",
                            .doc = "every step-th element along one axis, backwards too"};

/* Return a bound of a slice of n elements by Python's rule: `at`, plus n if negative, clamped to low .. high;
   TY_END gives `natural`. */
static int64_t place(int64_t at, int64_t n, int64_t natural, int64_t low, int64_t high) {
    if (at == TY_END) return natural;
    if (at < 0) at += n;
    return at < low ? low : at > high ? high : at;
}

void slice_normal(int64_t n, int64_t *start, int64_t stop, int64_t *step, int64_t *size) {
    int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? n : n - 1;
    int64_t from = place(*start, n, *step > 0 ? 0 : n - 1, low, high),
            to = place(stop, n, *step > 0 ? n : -1, low, high);
    *size = 0;
    if (*step > 0 && to > from) *size = (to - from - 1) / *step + 1;
    if (*step < 0 && to < from) *size = (int64_t)((uint64_t)(from - to - 1) / (0 - (uint64_t)*step)) + 1;
    *start = *size ? from : 0;
    if (*size <= 1) *step = 1;
}

ty_tensor *ty_slice(ty_tensor *x, int axis, int64_t start, int64_t stop, int64_t step) {
    struct slice_attr attr = {.axis = axis_normal(axis, ty_rank(x)), .start = start, .step = step};
    bool inside = attr.axis >= 0 && attr.axis < ty_rank(x);
    int64_t n = inside ? ty_shape(x)[attr.axis] : 0;
    if (inside && step != 0) slice_normal(n, &attr.start, stop, &attr.step, &attr.size);
    if (inside && step != 0 && attr.size == n && attr.step == 1) return tensor_share(tensor_resolve(x));
    return record(&op_slice, &attr, sizeof attr, 1, &x);
}

ty_tensor *ty_flip(ty_tensor *x, int axis) { return ty_slice(x, axis, TY_END, TY_END, -1); }
