/* Conversion between dtypes, and dense copies, for views that strides cannot express. */
#include <string.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "ops/core/identity.h"
#include "ops/core/reach.h"
#include "ops/core/storage.h"
#include "ops/core/batch.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"

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
    return infer_computed(in, (ty_dtype)((const struct cast_attr *)in->attr)->dtype);
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

/* Convert x as ty_cast_by. */
static ty_tensor *cast_by(ty_tensor *x, ty_dtype dtype, const ty_cast_options *options) {
    x = tensor_resolve(x);
    if (ty_ok(x) && x->dtype == dtype && !x->weak) return tensor_share(x);
    if (ty_ok(x) && (dtype_stored(dtype) || (dtype_stored(x->dtype) && dtype_valid(dtype))))
        return storage.cast(x, dtype, options);
    return record(&op_cast, &(struct cast_attr){(int32_t)dtype}, sizeof(struct cast_attr), 1, &x);
}

ty_tensor *ty_cast(ty_tensor *x, ty_dtype dtype) { return cast_by(x, dtype, &(ty_cast_options){0}); }

ty_tensor *ty_cast_by_sized(ty_tensor *x, ty_dtype dtype, const ty_cast_options *given, size_t size) {
    OPTIONS(ty_cast_options, options, given, size);
    if ((unsigned)options.scale > TY_SCALE_NEAREST)
        return refuse("cast_by", 1, &x, E_ARGUMENT, "unknown rounding %d", (int)options.scale);
    return cast_by(x, dtype, &options);
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
