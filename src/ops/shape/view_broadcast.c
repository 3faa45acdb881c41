/* Broadcast: NumPy's rule as a view with strides of 0.  The attribute is the shape. */
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/structure.h"

/* Infer the result of a broadcast: the shape of the attributes. False, with the fault set, if x does not
   broadcast to it. */
static bool infer(struct infer *in) {
    const struct layout *x = &in->inputs[0]->layout;
    char words[WORDS];
    in->dtype = in->inputs[0]->dtype;
    in->rank = (int)(in->attr_bytes / sizeof(int64_t));
    if (in->rank) memcpy(in->shape, in->attr, in->attr_bytes);
    if (!infer_fits(in)) return false;
    shape_words(words, in->rank, in->shape);
    if (in->rank < x->rank)
        return infer_fault(in, E_SHAPE, "shape %s has rank %d, less than the tensor's %d", words, in->rank,
                           x->rank);
    for (int i = 0; i < x->rank; i++) {
        int axis = in->rank - x->rank + i;
        if (x->shape[i] == 1 || x->shape[i] == in->shape[axis]) continue;
        return infer_fault(in, E_SHAPE,
                           "axis %d of shape %s is %lld, but the tensor has %lld; only size 1 broadcasts",
                           axis, words, (long long)in->shape[axis], (long long)x->shape[i]);
    }
    return true;
}

static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    layout_broadcast(x, in->rank, in->shape, out);
    return true;
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) { return gradient_unbroadcast(g, y->inputs[i]); }

ATTRIBUTES(attributes, 0,
           FIELD_LIST(int64_t, "shape", FIELD_LONG, .many = FIELD_REST, .front = FIELD_FRONT_SIZE));

const struct op op_broadcast = {.name = "broadcast",
                                .kind = KERNEL_NONE,
                                .arity = 1,
                                .infer = infer,
                                .view = view,
                                .vjp = vjp,
                                .jvp = jvp_linear,
                                .batch = batch_aligned,
                                .reach = reach_moves,
                                .attributes = &attributes,
                                .row = -1,
                                .onnx = "Expand",
                                .doc = "axes added in front or stretched from size 1, without copying"};

ty_tensor *ty_broadcast(ty_tensor *x, int rank, const int64_t *shape) {
    if (!ty_ok(x)) return tensor_share(x);
    if (rank < 0 || rank > TY_MAX_RANK)
        return refuse("broadcast", 1, &x, E_ARGUMENT, "a result of %d axes is out of range; expected 0..%d",
                      rank, TY_MAX_RANK);
    ty_tensor *missing = refuse_missing("broadcast", rank, shape, "sizes");
    if (missing) return missing;
    if (shape_equal(rank, shape, ty_rank(x), ty_shape(x))) return tensor_share(tensor_resolve(x));
    return record(&op_broadcast, shape, sizeof(int64_t) * (size_t)rank, 1, &x);
}
