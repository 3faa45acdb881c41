/*
 * Identities of shapes and dtypes: views of views, lossless casts, operators on axes of size 1, empty
 * padding, slices of parts, redundant broadcasts.
 */
#include <tyto/shape.h>
#include "compile/passes/algebra.h"
#include "compile/passes/rewrite.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"
#include "ops/shape/arrange.h"
#include "ops/shape/concat.h"

static ty_tensor *operand(ty_tensor *y) { return y->inputs[0]; }
/* True if x and y have the same shape. */
static bool same_shape(const ty_tensor *x, const ty_tensor *y) {
    return shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape);
}

/* ---- views ---- */

/* Rewrite rule: a permutation y of a permutation becomes one permutation. NULL if it does not apply. */
static ty_tensor *permute_twice(ty_tensor *y) {
    if (!of_op(operand(y), &op_permute)) return NULL;
    const int32_t *outer = y->attr, *inner = operand(y)->attr;
    int order[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(y); i++) order[i] = inner[outer[i]];
    return ty_permute(operand(operand(y)), order);
}
static ty_tensor *same_view(ty_tensor *y) { return same_shape(operand(y), y) ? operand(y) : NULL; }
static ty_tensor *reshape_twice(ty_tensor *y) {
    return of_op(operand(y), &op_reshape) ? ty_reshape(operand(operand(y)), ty_rank(y), ty_shape(y)) : NULL;
}
static ty_tensor *broadcast_twice(ty_tensor *y) {
    return of_op(operand(y), &op_broadcast) ? ty_broadcast(operand(operand(y)), ty_rank(y), ty_shape(y))
                                            : NULL;
}
static ty_tensor *pass_through(ty_tensor *y) { return operand(y); }

/* ---- casts ---- */

/* True if every value of dtype `from` is representable in dtype `to`; integers must fit the mantissa. */
static bool holds(ty_dtype to, ty_dtype from) {
    bool whole = dtype_is(from, CLASS_BOOL | CLASS_INTEGER),
         floating = dtype_is(to, CLASS_FLOAT | CLASS_COMPLEX);
    if (whole && floating) return dtype_table[from].digits <= dtype_table[to].digits;
    return ty_promote(to, from) == to;
}
/* Rewrite rule for casts y: remove an inner lossless cast. Out-of-range conversions depend on the source
   dtype, so casts to integers through floats stay. NULL if it does not apply. */
static ty_tensor *cast_twice(ty_tensor *y) {
    ty_tensor *x = operand(y);
    if (x->dtype == y->dtype) return x;
    if (!of_op(x, &op_cast) || !holds(x->dtype, operand(x)->dtype)) return NULL;
    bool to_whole = dtype_is(y->dtype, CLASS_INTEGER),
         through_floats = dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX);
    if (to_whole && through_floats && !holds(y->dtype, operand(x)->dtype)) return NULL;
    return ty_cast(operand(x), y->dtype);
}

/* ---- operators without effect ---- */

/* Rewrite rule: return the operand of a padding by nothing; NULL if it pads. */
static ty_tensor *pad_nothing(ty_tensor *y) {
    const ty_padding *p = y->attr;
    for (int i = 0; i < ty_rank(y); i++)
        if (p[i].low || p[i].high || p[i].inner) return NULL;
    return operand(y);
}
/* Rewrite rule: a slice y within one part of a concatenation becomes a slice of that part. NULL if it does
   not apply. */
static ty_tensor *slice_of_part(ty_tensor *y) {
    const ty_tensor *x = operand(y);
    struct slice_attr attr = *(const struct slice_attr *)y->attr;
    if (!of_op(x, &op_concat)) return NULL;
    const struct concat_attr *concat = x->attr;
    int64_t last = attr.start + (attr.size - 1) * attr.step, end = 0;
    int part = -1;
    if (attr.axis != concat->axis || attr.size == 0) return NULL;
    for (int i = 0; i < x->ninputs; i++) {
        int64_t begin = end;
        if (!concat_goes_on(concat, i, x->inputs[i]->layout.shape[concat->axis], &end)) return NULL;
        if (attr.start >= begin && attr.start < end && last >= begin && last < end) part = i;
    }
    if (part < 0) return NULL;
    attr.start -= concat->start[part];
    return record(&op_slice, &attr, sizeof attr, 1, &x->inputs[part]);
}
static ty_tensor *concat_one(ty_tensor *y) { return y->ninputs == 1 ? same_view(y) : NULL; }

/* Rewrite rule: a reduction y over axes of size 1 becomes a reshape. This is exact for integers and extremes;
   a float sum turns -0 into 0, so it stays. NULL if it does not apply. */
static ty_tensor *reduce_nothing(ty_tensor *y) {
    const struct reduce_attr *attr = y->attr;
    const ty_tensor *x = operand(y);
    for (int i = 0; i < x->layout.rank; i++)
        if ((attr->axes >> i & 1) && x->layout.shape[i] != 1) return NULL;
    bool exact = !dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX) || attr->kind == REDUCE_MAX ||
                 attr->kind == REDUCE_MIN;
    return exact ? reshape_like(ty_cast(operand(y), y->dtype), ty_rank(y), ty_shape(y)) : NULL;
}

const struct algebra_row algebra_shapes[] = {
    ROW(&op_permute, permute_twice), ROW(&op_reshape, same_view),         ROW(&op_reshape, reshape_twice),
    ROW(&op_broadcast, same_view),   ROW(&op_broadcast, broadcast_twice), ROW(&op_detach, pass_through),
    ROW(&op_cast, cast_twice),       ROW(&op_pad, pad_nothing),           ROW(&op_concat, concat_one),
    ROW(&op_slice, slice_of_part),   ROW(&op_sum, reduce_nothing),        ROW(&op_prod, reduce_nothing),
    ROW(&op_amax, reduce_nothing),   ROW(&op_amin, reduce_nothing),       {NULL, NULL, NULL},
};
