/* Permute: reorders the axes.  The attribute is int32_t order[rank]. */
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/structure.h"

/* Set the result of a permutation in *in. False, with the fault set, if an axis is invalid or occurs twice. */
static bool infer(struct infer *in) {
    const ty_tensor *x = in->inputs[0];
    const int32_t *order = in->attr;
    uint64_t seen = 0;
    in->dtype = x->dtype;
    in->rank = x->layout.rank;
    for (int i = 0; i < in->rank; i++) {
        if (!infer_axis(in, order[i], in->rank)) return false;
        if (seen >> order[i] & 1)
            return infer_fault(in, E_ARGUMENT, "axis %d is repeated in the order", order[i]);
        seen |= (uint64_t)1 << order[i];
        in->shape[i] = x->layout.shape[order[i]];
    }
    return true;
}

/* View rule of a permutation: set *out to the layout x with shape and strides permuted. Always true. */
static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    const int32_t *order = in->attr;
    out->rank = x->rank;
    out->offset = x->offset;
    for (int i = 0; i < x->rank; i++) {
        out->shape[i] = x->shape[order[i]];
        out->strides[i] = x->strides[order[i]];
    }
    return true;
}

/* Gradient rule of a permutation: return the gradient of the operand (i is 0), given g, that of y: g by the
   inverse permutation. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const int32_t *order = y->attr;
    int back[TY_MAX_RANK];
    (void)i;
    for (int axis = 0; axis < ty_rank(y); axis++) back[order[axis]] = axis;
    return ty_permute(g, back);
}

ATTRIBUTES(attributes, 0,
           FIELD_LIST(int32_t, "order", FIELD_INT, .many = FIELD_RANK, .axis = true,
                      .front = FIELD_FRONT_ENTRY));

const struct op op_permute = {.name = "permute",
                              .kind = KERNEL_NONE,
                              .arity = 1,
                              .infer = infer,
                              .view = view,
                              .vjp = vjp,
                              .jvp = jvp_linear,
                              .batch = batch_shifted,
                              .reach = reach_moves,
                              .attributes = &attributes,
                              .row = -1,
                              .onnx = "Transpose",
                              .doc = "the axes in another order"};

ty_tensor *ty_permute(ty_tensor *x, const int *order) {
    int32_t axes[TY_MAX_RANK];
    int rank = ty_rank(x);
    bool same = true;
    for (int i = 0; i < rank; i++) {
        axes[i] = order ? axis_normal(order[i], rank) : rank - 1 - i;
        same = same && axes[i] == i;
    }
    if (same) return tensor_share(tensor_resolve(x));
    return record(&op_permute, axes, sizeof *axes * (size_t)rank, 1, &x);
}

ty_tensor *ty_transpose(ty_tensor *x) {
    int order[TY_MAX_RANK], rank = ty_rank(x);
    if (!ty_ok(x)) return tensor_share(x);
    if (rank < 2)
        return refuse("transpose", 1, &x, E_SHAPE,
                      "expected at least two axes; use ty_expand to make a vector a row or column");
    for (int i = 0; i < rank; i++) order[i] = i;
    order[rank - 2] = rank - 1;
    order[rank - 1] = rank - 2;
    return ty_permute(x, order);
}
