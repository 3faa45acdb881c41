/*
 * Gather: slices of x at indices that are known only when it runs; scatter_add: the adjoint, which adds
 * slices up where indices repeat.  Each is the other's gradient.  One-hot is a comparison.
 */
#include "ops/structure.h"

static bool infer_index(struct infer *in) {
    return dtype_is(in->inputs[1]->dtype, CLASS_INTEGER) ||
           infer_fault(in, "an index must be of an integer dtype, not %s",
                       ty_dtype_name(in->inputs[1]->dtype));
}

/* The result: x's sizes before the axis, `middle`, x's sizes from `after` on. */
static bool infer_around(struct infer *in, int axis, int rank, const int64_t *middle, int after) {
    const struct layout *x = &in->inputs[0]->layout;
    in->dtype = in->inputs[0]->dtype;
    in->rank = axis + rank + (x->rank - after);
    if (!infer_fits(in)) return false;
    for (int i = 0; i < axis; i++) in->shape[i] = x->shape[i];
    for (int i = 0; i < rank; i++) in->shape[axis + i] = middle[i];
    for (int i = after; i < x->rank; i++) in->shape[axis + rank + i - after] = x->shape[i];
    return true;
}

static bool infer_gather(struct infer *in) {
    const struct gather_attr *attr = in->attr;
    const struct layout *x = &in->inputs[0]->layout, *index = &in->inputs[1]->layout;
    if (!infer_axis(in, attr->axis, x->rank) || !infer_index(in)) return false;
    if (x->shape[attr->axis] == 0 && tensor_size(in->inputs[1]) > 0)
        return infer_fault(in, "axis %d is empty: no index is inside", attr->axis);
    return infer_around(in, attr->axis, index->rank, index->shape, attr->axis + 1);
}

static bool infer_scatter(struct infer *in) {
    const struct gather_attr *attr = in->attr;
    const struct layout *g = &in->inputs[0]->layout, *index = &in->inputs[1]->layout;
    if (!infer_index(in)) return false;
    if (dtype_is(in->inputs[0]->dtype, CLASS_BOOL))
        return infer_fault(in, "bool elements do not add up; use ty_cast first");
    if (g->rank < index->rank)
        return infer_fault(in, "the slices have rank %d, less than the index's %d", g->rank, index->rank);
    if (!infer_axis(in, attr->axis, g->rank - index->rank + 1)) return false;
    if (!shape_equal(index->rank, g->shape + attr->axis, index->rank, index->shape))
        return infer_fault(in, "the slices' axes from %d on must have the index's sizes", attr->axis);
    if (attr->size < 0) return infer_fault(in, "size %lld is negative", (long long)attr->size);
    return infer_around(in, attr->axis, 1, &attr->size, attr->axis + index->rank);
}

static ty_tensor *vjp_gather(ty_tensor *y, ty_tensor *g, int i) {
    const struct gather_attr *attr = y->attr;
    return i ? NULL : ty_scatter_add(g, y->inputs[1], attr->axis, ty_shape(y->inputs[0])[attr->axis]);
}

static ty_tensor *vjp_scatter(ty_tensor *y, ty_tensor *g, int i) {
    const struct gather_attr *attr = y->attr;
    return i ? NULL : ty_gather(g, y->inputs[1], attr->axis);
}

static void describe(const struct infer *in, struct text *t) {
    const struct gather_attr *attr = in->attr;
    text_add(t, "axis=%d", attr->axis);
    if (in->op->kind == KERNEL_SCATTER) text_add(t, " size=%lld", (long long)attr->size);
}

const struct op op_gather = {.name = "gather",
                             .kind = KERNEL_GATHER,
                             .arity = 2,
                             .infer = infer_gather,
                             .vjp = vjp_gather,
                             .no_gradient = {NULL, "integer"},
                             .describe = describe,
                             .row = -1,
                             .onnx = "Gather",
                             .doc = "slices at indices along one axis"};
const struct op op_scatter_add = {.name = "scatter_add",
                                  .kind = KERNEL_SCATTER,
                                  .arity = 2,
                                  .infer = infer_scatter,
                                  .vjp = vjp_scatter,
                                  .no_gradient = {NULL, "integer"},
                                  .describe = describe,
                                  .row = -1,
                                  .onnx = "ScatterElements",
                                  .doc = "slices added up at indices along one axis"};

ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis) {
    struct gather_attr attr = {.axis = axis_normal(axis, ty_rank(x))};
    return record(&op_gather, &attr, sizeof attr, 2, (ty_tensor *[]){x, index});
}

ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size) {
    struct gather_attr attr = {.axis = axis_normal(axis, ty_rank(g) - ty_rank(index) + 1), .size = size};
    return record(&op_scatter_add, &attr, sizeof attr, 2, (ty_tensor *[]){g, index});
}

ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype) {
    if (!ty_ok(index)) return tensor_share(index);
    if (!dtype_is(ty_dtype_of(index), CLASS_INTEGER))
        return refuse("one_hot", 1, &index, "an index must be of an integer dtype, not %s",
                      ty_dtype_name(ty_dtype_of(index)));
    if (depth < 0) return refuse("one_hot", 1, &index, "depth %lld is negative", (long long)depth);
    if (!dtype_valid(dtype)) return refuse("one_hot", 1, &index, "%d is no dtype", (int)dtype);
    ty_scope *scope = ty_open();
    ty_tensor *places = ty_iota(TY_I64, 1, &depth, 0);
    return leave(scope, ty_cast(ty_eq(ty_expand(ty_cast(index, TY_I64), -1), places), dtype));
}
