/* Place: a strided box of x replaced by v, as x[1:-1:2] = v without changing x. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/index/index.h"

/* Set the result of place in *in: shape and dtype of x. False, with the fault set, if v has another dtype or
   rank, or the box is not inside x. */
static bool infer(struct infer *in) {
    const struct place_axis *box = in->attr;
    const struct layout *v = &in->inputs[1]->layout;
    infer_like(in, in->inputs[0]);
    if (in->inputs[1]->dtype != in->dtype)
        return infer_fault(in, E_DTYPE, "the value must be %s, not %s", ty_dtype_name(in->dtype),
                           ty_dtype_name(in->inputs[1]->dtype));
    if (v->rank != in->rank)
        return infer_fault(in, E_SHAPE, "the value must have rank %d, not %d", in->rank, v->rank);
    for (int i = 0; i < in->rank; i++) {
        int64_t last = 0;
        if (box[i].start < 0 || box[i].step < 1)
            return infer_fault(
                in, E_ARGUMENT,
                "the box starts at %lld of axis %d with step %lld; expected 0 or more, and 1 or more",
                (long long)box[i].start, i, (long long)box[i].step);
        if (v->shape[i] > 0 && (!checked_mul(v->shape[i] - 1, box[i].step, &last) ||
                                !checked_add(last, box[i].start, &last) || last >= in->shape[i]))
            return infer_fault(in, E_INDEX,
                               "the box ends at %lld of axis %d, out of bounds for its size %lld",
                               (long long)last, i, (long long)in->shape[i]);
    }
    return true;
}

/* Return the elements of g, which has the shape of y, in the box of x that operator y replaces. Poison stays
   poison. */
static ty_tensor *box_of(ty_tensor *y, ty_tensor *g) {
    const struct place_axis *box = y->attr;
    const int64_t *size = ty_shape(y->inputs[1]);
    for (int i = 0; i < ty_rank(y); i++) {
        int64_t stop = size[i] ? box[i].start + (size[i] - 1) * box[i].step + 1 : box[i].start;
        g = ty_slice(g, i, box[i].start, stop, box[i].step);
    }
    return g;
}

/* Gradient rule of place: return the gradient of operand i of y, given g, that of y: for v (1) the box of g,
   for x (0) g with zeros in the box. Poison on failure. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *v = y->inputs[1];
    if (i) return box_of(y, g);
    ty_tensor *zeros = ty_broadcast(ty_scalar(ty_dtype_of(g), 0), ty_rank(v), ty_shape(v));
    return record(&op_place, y->attr, y->attr_bytes, 2, (ty_tensor *[]){g, zeros});
}

static const struct place_axis whole = {0, 1};

ATTRIBUTES(steps, sizeof(struct place_axis), FIELD(struct place_axis, start, LONG),
           FIELD(struct place_axis, step, LONG));
ATTRIBUTES(attributes, 0,
           FIELD_LIST(struct place_axis, "box", FIELD_RECORD, .many = FIELD_RANK, .parts = &steps,
                      .front = FIELD_FRONT_ENTRY, .entry = &whole));

const struct op op_place = {.name = "place",
                            .kind = KERNEL_PLACE,
                            .arity = 2,
                            .infer = infer,
                            .vjp = vjp,
                            .jvp = jvp_linear,
                            .attributes = &attributes,
                            .batch = batch_shifted,
                            .reach = reach_moves,
                            .row = -1,
                            .onnx = "",
                            .doc = "a tensor with a box of it, which may step, replaced by another"};

ty_tensor *place_at(ty_tensor *x, ty_tensor *v, const struct place_attr *attr) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, v});
    if (bad) return bad;
    return record(&op_place, attr->axis, sizeof *attr->axis * (size_t)ty_rank(x), 2, (ty_tensor *[]){x, v});
}
