/* Numbers of dtypes for storage as bytes, and bytes as such numbers: a view either way.  Sizes of 8, 4 or 2 bits are one
   case: elements lie in row-major order without gaps, the first in the lowest bits of its byte.  All other operators
   see bytes. */
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/core/operators.h"
#include "ops/shape/arrange.h"

struct packed_attr {
    struct shape_attr of; /* the result's */
};

static const char not_numbers[] = "bits are no numbers that have a derivative";

/* Set the result in *in: bytes of x, or the numbers of attr's form.  False, with the fault set, if both do not have the
   same bytes, or neither or both are for storage. */
static bool infer(struct infer *in) {
    const struct shape_attr *attr = &((const struct packed_attr *)in->attr)->of;
    const ty_tensor *x = in->inputs[0];
    int64_t n;
    in->dtype = (ty_dtype)attr->dtype;
    in->rank = attr->rank;
    if (in->rank > 0 && in->rank <= TY_MAX_RANK)
        memcpy(in->shape, attr->shape, sizeof *in->shape * (size_t)in->rank);
    if (!infer_fits(in)) return false;
    bool takes = dtype_stored(x->dtype) && in->dtype == TY_U8 && in->rank == 1;
    bool gives = x->dtype == TY_U8 && x->layout.rank == 1 && dtype_stored(in->dtype);
    if (!takes && !gives) return infer_fault(in, E_DTYPE, "expected a vector of u8 for a dtype for storage");
    if (!shape_check(in->rank, in->shape, 1, &n))
        return infer_fault(in, E_MEMORY, "the result exceeds the address space");
    int64_t bytes = dtype_bytes(in->dtype, n), have = (int64_t)tensor_bytes(x);
    return bytes == have || infer_fault(in, E_SHAPE, "the result has %lld bytes instead of %lld",
                                        (long long)bytes, (long long)have);
}

static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    ty_dtype from = in->inputs[0]->dtype;
    if (!layout_is_contiguous(x)) return false;
    out->rank = in->rank;
    out->offset = dtype_bytes(from, x->offset) * dtype_share(in->dtype);
    if (in->rank) memcpy(out->shape, in->shape, sizeof *in->shape * (size_t)in->rank);
    shape_row_major(in->rank, in->shape, out->strides);
    return true;
}

ATTRIBUTES(attributes, sizeof(struct packed_attr), FIELD(struct packed_attr, of, FORM, .tail = true));

const struct op op_packed = {.name = "packed",
                             .kind = KERNEL_NONE,
                             .arity = 1,
                             .infer = infer,
                             .view = view,
                             .no_gradient = {not_numbers},
                             .attributes = &attributes,
                             .row = -1,
                             .stores = true,
                             .onnx = "",
                             .doc = "bytes as numbers of 8, 4 or 2 bits, or the reverse"};

static ty_tensor *packed(ty_tensor *x, ty_dtype dtype, int rank, const int64_t *shape) {
    struct packed_attr attr = {0};
    shape_attr_fill(&attr.of, dtype, rank, shape);
    return record(&op_packed, &attr, shape_attr_bytes(&attr.of, 0), 1, &x);
}

ty_tensor *bytes_of_packed(ty_tensor *x) {
    if (!ty_ok(x)) return tensor_share(x);
    int64_t bytes = (int64_t)tensor_bytes(tensor_resolve(x));
    return packed(x, TY_U8, 1, &bytes);
}

ty_tensor *packed_of_bytes(ty_tensor *bytes, ty_dtype dtype, int rank, const int64_t *shape) {
    return packed(bytes, dtype, rank, shape);
}

/* Return the bytes of x, u8 of its shape with a last axis in bytes. */
static ty_tensor *bytes_along(ty_tensor *x) {
    int64_t shape[TY_MAX_RANK], share = dtype_share(ty_dtype_of(x));
    int rank = ty_rank(x);
    if (!dtype_stored(ty_dtype_of(x))) return ty_view_as(x, TY_U8);
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    if (share > 1 && (!rank || shape[rank - 1] % share))
        return refuse("view_as", 1, &x, E_SHAPE,
                      "%lld elements share a byte; the last axis must have whole bytes", (long long)share);
    if (share > 1) shape[rank - 1] /= share;
    return reshape_like(bytes_of_packed(x), rank, shape);
}

ty_tensor *view_stored(ty_tensor *x, ty_dtype dtype) {
    int64_t shape[TY_MAX_RANK], share = dtype_share(dtype), size;
    ty_tensor *bytes = bytes_along(x);
    if (!ty_ok(bytes) || !dtype_stored(dtype)) return ty_ok(bytes) ? ty_view_as(bytes, dtype) : bytes;
    int rank = ty_rank(bytes);
    memcpy(shape, ty_shape(bytes), sizeof *shape * (size_t)rank);
    if (share > 1 && !rank)
        return refuse("view_as", 1, &x, E_SHAPE, "a 0-d tensor has no axis for %lld elements; use ty_expand",
                      (long long)share);
    if (share > 1 && !checked_mul(shape[rank - 1], share, &shape[rank - 1]))
        return refuse("view_as", 1, &x, E_LIMIT, "the last axis becomes too long");
    size = ty_size(bytes);
    return packed_of_bytes(reshape_like(bytes, 1, &size), dtype, rank, shape);
}
