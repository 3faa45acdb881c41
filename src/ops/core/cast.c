/* Conversion between dtypes, and dense copies, for views that strides cannot express. */
#include <string.h>
#include <tyto/shape.h>
#include "ops/core/identity.h"
#include "ops/core/reach.h"
#include "ops/core/batch.h"
#include "ops/core/op.h"

struct cast_attr {
    int32_t dtype;
};

bool identity_view(const struct infer *in, const struct layout *x, struct layout *out) {
    (void)in;
    size_t bytes = sizeof(int64_t) * (size_t)x->rank;
    out->offset = x->offset;
    if (bytes) memcpy(out->strides, x->strides, bytes);
    return true;
}

bool identity_infer(struct infer *in) {
    const ty_tensor *x = in->inputs[0];
    in->dtype = x->dtype;
    in->rank = x->layout.rank;
    if (in->rank) memcpy(in->shape, x->layout.shape, sizeof(int64_t) * (size_t)in->rank);
    return true;
}

ty_tensor *identity_vjp(ty_tensor *y, ty_tensor *g, int i) {
    (void)y, (void)i;
    return g;
}

ty_tensor *identity_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)y, (void)wanted;
    return t[0];
}

static bool cast_infer(struct infer *in) {
    identity_infer(in);
    in->dtype = (ty_dtype)((const struct cast_attr *)in->attr)->dtype;
    return dtype_valid(in->dtype) || infer_fault(in, E_ARGUMENT, "unknown dtype %d", (int)in->dtype);
}

static ty_tensor *cast_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)wanted;
    return ty_cast(t[0], y->dtype);
}

static ty_tensor *cast_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_dtype from = y->inputs[i]->dtype;
    return dtype_is(from, CLASS_FLOAT | CLASS_COMPLEX) ? ty_cast(g, from) : NULL;
}

ATTRIBUTES(attributes, sizeof(struct cast_attr), FIELD(struct cast_attr, dtype, DTYPE));

const struct op op_cast = {"cast",
                           KERNEL_MAP,
                           1,
                           cast_infer,
                           NULL,
                           cast_vjp,
                           .jvp = cast_jvp,
                           .batch = batch_single,
                           .reach = reach_broadcast,
                           .attributes = &attributes,
                           .row = -1,
                           .inplace = true,
                           .onnx = "Cast",
                           .doc = "elements in another dtype"};

ty_tensor *ty_cast(ty_tensor *x, ty_dtype dtype) {
    x = tensor_resolve(x);
    if (ty_ok(x) && x->dtype == dtype && !x->weak) return tensor_share(x);
    return record(&op_cast, &(struct cast_attr){(int32_t)dtype}, sizeof(struct cast_attr), 1, &x);
}

const struct op op_copy = {"copy",
                           KERNEL_COPY,
                           1,
                           identity_infer,
                           NULL,
                           identity_vjp,
                           .jvp = identity_jvp,
                           .batch = batch_single,
                           .reach = reach_broadcast,
                           .row = -1,
                           .onnx = "Identity",
                           .doc = "the same elements, row-major"};

ty_tensor *ty_contiguous(ty_tensor *x) {
    x = tensor_resolve(x);
    if (!ty_ok(x) || (!x->promise && layout_is_contiguous(&x->layout))) return tensor_share(x);
    return x->promise ? tensor_share(x) : record(&op_copy, NULL, 0, 1, &x);
}
