/* Reinterpretation of bits as another dtype.  Equal sizes keep the layout; otherwise the last axis, which must be
   dense, is scaled by the ratio.  Gradients pass between complex numbers and their parts, and through no other
   pair. */
#include <tyto/arithmetic.h>
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/math/slopes.h"
#include "ops/shape/batch.h"
#include "ops/shape/arrange.h"

struct view_as_attr {
    int32_t dtype;
};

/* Set the result of a view as another dtype in *in: the last axis is rescaled by the ratio of their bytes.
   False, with the fault set, if sizes do not fit or anything but bool is viewed as bool. */
static bool infer(struct infer *in) {
    const struct view_as_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    ty_dtype from = in->dtype;
    if (!infer_computed(in, (ty_dtype)attr->dtype)) return false;
    if (in->dtype == TY_BOOL && from != TY_BOOL)
        return infer_fault(in, E_DTYPE, "bytes other than 0 and 1 are not valid bools; use ty_ne");
    int64_t old = (int64_t)dtype_table[from].size, new = (int64_t)dtype_table[in->dtype].size;
    if (old == new) return true;
    if (!in->rank)
        return infer_fault(in, E_SHAPE,
                           "a 0-d tensor has no axis for elements of another size; use ty_expand");
    int64_t *last = &in->shape[in->rank - 1];
    if (old > new) {
        if (__builtin_mul_overflow(*last, old / new, last))
            return infer_fault(in, E_LIMIT, "the last axis becomes too long");
    } else if (*last % (new / old) == 0) {
        *last /= new / old;
    } else {
        return infer_fault(in, E_SHAPE, "the last axis of %lld elements cannot be divided into %s",
                           (long long)*last, ty_dtype_name(in->dtype));
    }
    return true;
}

/* Convert *n, in place, from elements of `old` bytes to elements of `new` bytes. False, with *n rounded, if
   it is not a whole number. */
static bool scale(int64_t *n, int64_t old, int64_t new) {
    int64_t bytes = *n * old;
    *n = bytes / new;
    return bytes % new == 0;
}

/* View rule of view_as: set *out to the layout x with strides and offset rescaled to the new dtype's bytes.
   False if they are no whole numbers or the last axis is not dense: x must then be copied. */
static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    int64_t old = (int64_t)dtype_table[in->inputs[0]->dtype].size, new = (int64_t)dtype_table[in->dtype].size;
    int last = x->rank - 1;
    out->rank = x->rank;
    out->offset = x->offset;
    memcpy(out->shape, in->shape, sizeof(int64_t) * (size_t)x->rank);
    memcpy(out->strides, x->strides, sizeof(int64_t) * (size_t)x->rank);
    if (old == new) return true;
    if (shape_size(in->rank, in->shape) == 0) { /* an empty tensor has arbitrary strides, which may not
                                                   divide */
        out->offset = 0;
        shape_row_major(in->rank, in->shape, out->strides);
        return true;
    }
    if (x->strides[last] != 1 && x->shape[last] != 1) return false;
    bool fits = scale(&out->offset, old, new);
    for (int i = 0; i < last; i++) fits = scale(&out->strides[i], old, new) && fits;
    out->strides[last] = 1;
    return fits;
}

/* True if y's view is between complex numbers and their real parts, or between equal dtypes, so that
   gradients flow through it. */
static bool carries(const ty_tensor *y) {
    ty_dtype from = y->inputs[0]->dtype;
    return dtype_is(from, CLASS_FLOAT | CLASS_COMPLEX) &&
           dtype_table[from].real == dtype_table[y->dtype].real;
}

static const char no_numbers[] = "bits of one dtype are no numbers of another";
/* True if y's view is between floating or complex dtypes. Unless gradients flow through it (carries), its
   bits jump, and the derivative is not 0 but unknown; integers have none. */
static bool jumps(const ty_tensor *y) {
    int smooth = CLASS_FLOAT | CLASS_COMPLEX;
    return dtype_is(y->dtype, smooth) && dtype_is(y->inputs[0]->dtype, smooth);
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    if (carries(y)) return ty_view_as(g, y->inputs[i]->dtype);
    return jumps(y) ? lacking(y, i, no_numbers) : NULL;
}

static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)wanted;
    if (carries(y)) return ty_view_as(t[0], y->dtype);
    return jumps(y) ? lacking(y, 0, no_numbers) : NULL;
}

/* Reach rule of view_as for operand i of y, sets *r: along the last axis, an element of the wider dtype is as
   many adjacent elements of the other; index by index along other axes. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const ty_tensor *x = y->inputs[i];
    int last = x->layout.rank - 1;
    int64_t old = (int64_t)dtype_table[x->dtype].size, new = (int64_t)dtype_table[y->dtype].size;
    reach_beside(y, i, -1, r);
    if (old == new || last < 0) return;
    int64_t parts = old > new ? old / new : new / old;
    r->axis[last] = (struct reach_axis){last, old > new, parts, parts, 1, 0};
}

ATTRIBUTES(attributes, sizeof(struct view_as_attr), FIELD(struct view_as_attr, dtype, DTYPE));

const struct op op_view_as = {.name = "view_as",
                              .kind = KERNEL_NONE,
                              .arity = 1,
                              .infer = infer,
                              .view = view,
                              .vjp = vjp,
                              .jvp = jvp,
                              .batch = batch_shifted,
                              .reach = reach,
                              .no_gradient = {no_numbers},
                              .attributes = &attributes,
                              .row = -1,
                              .onnx = "",
                              .doc = "the same bits read as another dtype"};

ty_tensor *ty_view_as(ty_tensor *x, ty_dtype dtype) {
    if (ty_ok(x) && ty_dtype_of(x) == dtype) return tensor_share(tensor_resolve(x));
    struct view_as_attr attr = {(int32_t)dtype};
    if (ty_ok(x) && (dtype_stored(dtype) || (dtype_stored(ty_dtype_of(x)) && dtype_valid(dtype))))
        return view_stored(x, dtype);
    return record(&op_view_as, &attr, sizeof attr, 1, &x);
}
