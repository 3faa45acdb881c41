/* Concat: tensors one after the other along one axis; stack: along a new one. */
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "ops/core/structure.h"

static bool infer(struct infer *in) {
    int axis = *(const int32_t *)in->attr;
    if (in->ninputs < 1) return infer_fault(in, "there are no tensors to put together");
    infer_like(in, in->inputs[0]);
    if (!infer_axis(in, axis, in->rank)) return false;
    for (int i = 1; i < in->ninputs; i++) {
        const struct layout *x = &in->inputs[i]->layout;
        if (in->inputs[i]->dtype != in->dtype)
            return infer_fault(in, "operand %d is of another dtype than operand 0", i);
        if (x->rank != in->rank)
            return infer_fault(in, "operand %d has rank %d where operand 0 has %d", i, x->rank, in->rank);
        for (int k = 0; k < in->rank; k++)
            if (k != axis && x->shape[k] != in->shape[k])
                return infer_fault(
                    in, "axis %d of operand %d is %lld where operand 0 has %lld; only axis %d may differ", k,
                    i, (long long)x->shape[k], (long long)in->shape[k], axis);
        if (!checked_add(in->shape[axis], x->shape[axis], &in->shape[axis]))
            return infer_fault(in, "axis %d becomes too long", axis);
    }
    return true;
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    int axis = *(const int32_t *)y->attr;
    int64_t start = 0;
    for (int k = 0; k < i; k++) start += ty_shape(y->inputs[k])[axis];
    return ty_slice(g, axis, start, start + ty_shape(y->inputs[i])[axis], 1);
}

ATTRIBUTES(attributes, sizeof(int32_t), {.name = "axis", .type = FIELD_INT, .size = sizeof(int32_t)});

const struct op op_concat = {.name = "concat",
                             .kind = KERNEL_CONCAT,
                             .arity = -1,
                             .infer = infer,
                             .vjp = vjp,
                             .attributes = &attributes,
                             .row = -1,
                             .onnx = "Concat",
                             .doc = "tensors one after the other along one axis"};

/* Records over a copy of the handles, cast to one dtype and, for stack, with the new axis. */
static ty_tensor *join(const char *name, int n, ty_tensor *const *x, int axis, bool stack) {
    if (n < 1) return refuse(name, 0, x, "there are no tensors to put together");
    ty_tensor *bad = first_poison_in(name, n, x);
    if (bad) return bad;
    for (int i = 1; stack && i < n; i++)
        if (!shape_equal(ty_rank(x[i]), ty_shape(x[i]), ty_rank(x[0]), ty_shape(x[0])))
            return refuse(name, n, x, "operand %d has another shape than operand 0", i);
    ty_tensor **inputs = mem_array((size_t)n, sizeof *inputs);
    if (!inputs) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    cast_to_common(n, x, false, inputs);
    for (int i = 0; stack && i < n; i++) inputs[i] = ty_expand(inputs[i], axis);
    int32_t joined = axis_normal(axis, ty_rank(inputs[0]));
    ty_tensor *y = leave(scope, record(&op_concat, &joined, sizeof joined, n, inputs));
    mem_free(inputs);
    return y;
}

ty_tensor *ty_concat(int n, ty_tensor *const *x, int axis) { return join("concat", n, x, axis, false); }

ty_tensor *ty_stack(int n, ty_tensor *const *x, int axis) {
    int rank = n > 0 && x && ty_ok(x[0]) ? ty_rank(x[0]) : TY_MAX_RANK;
    if (n > 0 && x && rank < TY_MAX_RANK && (axis < -rank - 1 || axis > rank))
        return refuse("stack", n, x, "the new axis can be put at %d..%d, not at %d", -rank - 1, rank, axis);
    return join("stack", n, x, axis, true);
}
