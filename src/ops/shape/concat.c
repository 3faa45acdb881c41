/* Concat: tensors joined along an axis; stack: along a new axis.  For the gradient of slices, the operator's parts
   may start anywhere on the axis. */
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/structure.h"
#include "ops/shape/concat.h"

static size_t attr_bytes(int n) { return sizeof(struct concat_attr) + (size_t)n * sizeof(int64_t); }

/* Check that operand i, of `size` elements along the axis, lies inside the result's axis at its start. False,
   with the fault set, if not. */
static bool part_fits(struct infer *in, int i, int64_t size) {
    const struct concat_attr *attr = in->attr;
    int64_t start = attr->start[i];
    if (start >= 0 && start <= attr->length && size <= attr->length - start) return true;
    return infer_fault(in, E_SHAPE, "operand %d of size %lld does not fit at place %lld of an axis of %lld",
                       i, (long long)size, (long long)start, (long long)attr->length);
}

/* Set the result of a concatenation, whose parts may overlap or leave gaps, in *in. False, with the fault
   set, if operands or starts do not fit. */
static bool infer(struct infer *in) {
    const struct concat_attr *attr = in->attr;
    int axis = attr->axis;
    if (in->ninputs < 1) return infer_fault(in, E_ARGUMENT, "expected at least one tensor");
    if (in->attr_bytes != attr_bytes(in->ninputs))
        return infer_fault(in, E_ARGUMENT, "there are %zu places for %d operands",
                           (in->attr_bytes - sizeof *attr) / sizeof *attr->start, in->ninputs);
    infer_like(in, in->inputs[0]);
    if (!infer_axis(in, axis, in->rank)) return false;
    for (int i = 1; i < in->ninputs; i++) {
        const struct layout *x = &in->inputs[i]->layout;
        if (in->inputs[i]->dtype != in->dtype)
            return infer_fault(in, E_DTYPE, "operand %d has another dtype than operand 0", i);
        if (x->rank != in->rank)
            return infer_fault(in, E_SHAPE, "operand %d has rank %d, but operand 0 has rank %d", i, x->rank,
                               in->rank);
        for (int k = 0; k < in->rank; k++)
            if (k != axis && x->shape[k] != in->shape[k])
                return infer_fault(
                    in, E_SHAPE,
                    "axis %d of operand %d is %lld, but %lld in operand 0; only axis %d may differ", k, i,
                    (long long)x->shape[k], (long long)in->shape[k], axis);
    }
    if (attr->length < 0) return infer_fault(in, E_LIMIT, "axis %d becomes too long", axis);
    for (int i = 0; i < in->ninputs; i++)
        if (!part_fits(in, i, in->inputs[i]->layout.shape[axis])) return false;
    in->shape[axis] = attr->length;
    return true;
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct concat_attr *attr = y->attr;
    int64_t start = attr->start[i], size = ty_shape(y->inputs[i])[attr->axis];
    return ty_slice(g, attr->axis, start, start + size, 1);
}

/* True if the parts cover the axis one after the other in their order, without gaps or overlaps. */
static bool side_by_side(const struct infer *in) {
    const struct concat_attr *attr = in->attr;
    int64_t end = 0;
    for (int i = 0; i < in->ninputs; i++)
        if (!concat_goes_on(attr, i, in->inputs[i]->layout.shape[attr->axis], &end)) return false;
    return end == attr->length;
}

static void reach(ty_tensor *y, int i, struct reach *r) {
    struct infer in = {.attr = y->attr, .ninputs = y->ninputs, .inputs = y->inputs};
    (void)i;
    r->kind = side_by_side(&in) ? REACH_MOVES : REACH_ALONE;
}

ATTRIBUTES(attributes, sizeof(struct concat_attr), FIELD(struct concat_attr, axis, INT, .axis = true),
           FIELD(struct concat_attr, length, LONG),
           FIELD_TAIL(struct concat_attr, start, LONG, .many = FIELD_REST));

/* Append to t the axis and, unless the parts are adjacent, the axis's length and the starts of the parts. */
static void describe(const struct infer *in, struct text *t) {
    const struct concat_attr *attr = in->attr;
    text_add(t, "axis=%d", attr->axis);
    if (side_by_side(in)) return;
    text_add(t, " of %lld at", (long long)attr->length);
    for (int i = 0; i < in->ninputs; i++) text_add(t, " %lld", (long long)attr->start[i]);
}

const struct op op_concat = {.name = "concat",
                             .kind = KERNEL_CONCAT,
                             .arity = -1,
                             .infer = infer,
                             .vjp = vjp,
                             .jvp = jvp_linear,
                             .attributes = &attributes,
                             .batch = batch_shifted,
                             .reach = reach,
                             .describe = describe,
                             .row = -1,
                             .onnx = "Concat",
                             .doc =
                                 "tensors at their places along one axis: one after the other, or added up"};

ty_tensor *concat_at(int n, ty_tensor *const *parts, int axis, int64_t length, const int64_t *start) {
    ty_tensor *bad = first_poison_in("concat", n, parts);
    if (bad) return bad;
    struct concat_attr *attr = mem_alloc(attr_bytes(n));
    if (!attr) return tensor_out_of_memory();
    attr->axis = axis;
    attr->length = length;
    memcpy(attr->start, start, (size_t)n * sizeof *start);
    ty_tensor *y = record(&op_concat, attr, attr_bytes(n), n, parts);
    mem_free(attr);
    return y;
}

/* Return the concatenation of n adjacent parts x[] along `axis`, not negative. Poison if the axis is invalid
   or too long. */
static ty_tensor *record_joined(int n, ty_tensor *const *x, int axis) {
    struct concat_attr *attr = mem_alloc(attr_bytes(n));
    if (!attr) return tensor_out_of_memory();
    attr->axis = axis;
    for (int i = 0; i < n; i++) {
        attr->start[i] = attr->length < 0 ? 0 : attr->length;
        int64_t size = axis >= 0 && axis < ty_rank(x[i]) ? ty_shape(x[i])[axis] : 0;
        if (attr->length >= 0 && !checked_add(attr->length, size, &attr->length)) attr->length = -1;
    }
    ty_tensor *y = record(&op_concat, attr, attr_bytes(n), n, x);
    mem_free(attr);
    return y;
}

/* Return n tensors x[] concatenated along `axis`, or if `stack` along a new axis, cast to one dtype; `axis`
   may be negative. Poison, in the name of function `name`, on failure. */
static ty_tensor *join(const char *name, int n, ty_tensor *const *x, int axis, bool stack) {
    if (n < 1) return refuse(name, 0, x, E_ARGUMENT, "expected at least one tensor");
    ty_tensor *bad = first_poison_in(name, n, x);
    if (bad) return bad;
    for (int i = 1; stack && i < n; i++)
        if (!shape_equal(ty_rank(x[i]), ty_shape(x[i]), ty_rank(x[0]), ty_shape(x[0])))
            return refuse(name, n, x, E_SHAPE, "operand %d has another shape than operand 0", i);
    ty_tensor **inputs = mem_array((size_t)n, sizeof *inputs);
    if (!inputs) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    cast_to_common(name, n, x, COMPUTED, inputs);
    for (int i = 0; stack && i < n; i++) inputs[i] = ty_expand(inputs[i], axis);
    bad = first_poison_in(name, n, inputs);
    ty_tensor *y = leave(scope, bad ? bad : record_joined(n, inputs, axis_normal(axis, ty_rank(inputs[0]))));
    mem_free(inputs);
    return y;
}

ty_tensor *ty_concat(int n, ty_tensor *const *x, int axis) { return join("concat", n, x, axis, false); }

ty_tensor *ty_stack(int n, ty_tensor *const *x, int axis) {
    int rank = n > 0 && x && ty_ok(x[0]) ? ty_rank(x[0]) : TY_MAX_RANK;
    if (n > 0 && x && rank < TY_MAX_RANK && (axis < -rank - 1 || axis > rank))
        return refuse("stack", n, x, E_INDEX, "the new axis must be in %d..%d, not %d", -rank - 1, rank,
                      axis);
    return join("stack", n, x, axis, true);
}
