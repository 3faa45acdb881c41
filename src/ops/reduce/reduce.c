/* Reductions: one operator per reduce_kind, with common code.  Axes are a bit set; sums of integers and bool are 64
   bits wide, as in NumPy. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/operators.h"
#include "ops/shape/arrange.h"
#include "ops/sort/sort.h"

static bool is_reduced(const struct reduce_attr *attr, int axis) { return attr->axes >> axis & 1; }
static bool needs_element(int kind) {
    return kind == REDUCE_MAX || kind == REDUCE_MIN || kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN;
}

/* ---- dtype and shape ---- */

/* Set the shape of a reduction in *in: reduced axes are dropped, or get size 1. False, with the fault set, if
   an axis is invalid, or empty while the kind needs an element. */
static bool infer_axes(struct infer *in) {
    const struct reduce_attr *attr = in->attr;
    const struct layout *x = &in->inputs[0]->layout;
    if (x->rank < 64 && attr->axes >> x->rank)
        return infer_fault(in, E_INDEX, "an axis to be reduced is out of bounds; expected 0..%d",
                           x->rank - 1);
    in->rank = 0;
    for (int i = 0; i < x->rank; i++) {
        if (is_reduced(attr, i) && x->shape[i] == 0 && needs_element(attr->kind))
            return infer_fault(in, E_SHAPE, "axis %d is empty and has no minimum or maximum", i);
        if (!is_reduced(attr, i))
            in->shape[in->rank++] = x->shape[i];
        else if (attr->keep)
            in->shape[in->rank++] = 1;
    }
    return true;
}

static bool infer_wide(struct infer *in) {
    in->dtype = dtype_table[in->inputs[0]->dtype].sums;
    return infer_axes(in);
}

/* Set the result of an extreme (x's dtype) or its index (i64) in *in. False, with the fault set, for complex
   x, an invalid axis, or no elements. */
static bool infer_ordered(struct infer *in) {
    const struct reduce_attr *attr = in->attr;
    ty_dtype dtype = in->inputs[0]->dtype;
    if (dtype_is(dtype, CLASS_COMPLEX))
        return infer_fault(in, E_DTYPE, "complex numbers have no order; use ty_abs or ty_real first");
    bool place = attr->kind == REDUCE_ARGMAX || attr->kind == REDUCE_ARGMIN;
    in->dtype = place ? TY_I64 : dtype;
    return infer_axes(in);
}

static bool infer_truth(struct infer *in) {
    in->dtype = TY_BOOL;
    return infer_axes(in);
}

/* ---- gradients ---- */

/* Return `result`, of y's shape, reshaped to broadcast against the operand of the reduction y: reduced axes
   have size 1. */
static ty_tensor *with_axes(ty_tensor *result, ty_tensor *y) {
    const struct reduce_attr *attr = y->attr;
    ty_tensor *x = y->inputs[0];
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(x); i++) shape[i] = is_reduced(attr, i) ? 1 : ty_shape(x)[i];
    return reshape_like(result, ty_rank(x), shape);
}

static ty_tensor *sum_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *x = y->inputs[i];
    return ty_broadcast(with_axes(g, y), ty_rank(x), ty_shape(x));
}

/* Return the row-major index, i64, of each element of x within the reduced axes (bit i: axis i), as argmax
   counts; other axes have size 1. */
static ty_tensor *place_numbers(ty_tensor *x, uint64_t axes) {
    int64_t shape[TY_MAX_RANK], n = 1;
    for (int i = 0; i < ty_rank(x); i++) {
        shape[i] = axes >> i & 1 ? ty_shape(x)[i] : 1;
        n *= shape[i];
    }
    return ty_reshape(ty_iota(TY_I64, 1, &n, 0), ty_rank(x), shape);
}

/* Gradient rule of amax and amin: return the gradient of the operand (i is 0), given g, that of y: all of g
   goes to the element that argmax or argmin selects, the first of equals or the first NaN. */
static ty_tensor *extreme_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *x = y->inputs[i];
    struct reduce_attr attr = *(const struct reduce_attr *)y->attr;
    bool most = attr.kind == REDUCE_MAX;
    attr.kind = most ? REDUCE_ARGMAX : REDUCE_ARGMIN;
    attr.keep = true;
    ty_tensor *place = record(most ? &op_argmax : &op_argmin, &attr, sizeof attr, 1, &x);
    return ty_where(ty_eq(place_numbers(x, attr.axes), place), with_axes(g, y), ty_num(0));
}

/* Return, for each element of x, the product of the elements before it along the last axis; 1 for the first.
   Takes log2(n) multiplications with shifted copies (Hillis and Steele, Data Parallel Algorithms, 1986). */
static ty_tensor *product_before(ty_tensor *x) {
    int last = ty_rank(x) - 1;
    int64_t n = ty_rank(x) ? ty_shape(x)[last] : 0;
    ty_padding padding[TY_MAX_RANK] = {{0}};
    ty_tensor *one = ty_scalar(ty_dtype_of(x), 1), *product = x;
    for (int64_t shift = 0; shift < n; shift = shift ? 2 * shift : 1) {
        padding[last].low = shift ? shift : 1;
        padding[last].high = -padding[last].low;
        ty_tensor *shifted = ty_pad(product, padding, one);
        product = shift ? ty_mul(product, shifted) : shifted;
    }
    return product;
}

/* Return, for each element of x, the product of all others along the axes given as bits. Uses no division, so
   that zeros are right and the result can be differentiated again. */
static ty_tensor *product_of_others(ty_tensor *x, uint64_t axes) {
    int order[TY_MAX_RANK], back[TY_MAX_RANK], rank = ty_rank(x), n = 0;
    int64_t shape[TY_MAX_RANK], length = 1;
    for (int i = 0; i < rank; i++)
        if (!(axes >> i & 1)) shape[n] = ty_shape(x)[i], order[n++] = i;
    int kept = n;
    for (int i = 0; i < rank; i++)
        if (axes >> i & 1) length *= ty_shape(x)[i], order[n++] = i;
    for (int i = 0; i < rank; i++) back[order[i]] = i;
    if (kept == rank) return ty_broadcast(ty_scalar(ty_dtype_of(x), 1), rank, ty_shape(x));
    ty_tensor *moved = ty_permute(x, order);
    shape[kept] = length;
    ty_tensor *flat = reshape_like(moved, kept + 1, shape);
    ty_tensor *others = ty_mul(product_before(flat), ty_flip(product_before(ty_flip(flat, -1)), -1));
    return ty_permute(reshape_like(others, rank, ty_shape(moved)), back);
}

static ty_tensor *prod_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct reduce_attr *attr = y->attr;
    ty_tensor *x = y->inputs[i];
    return ty_mul(with_axes(g, y), ty_conj(product_of_others(x, attr->axes)));
}

/* Reach rule of reductions for operand i of y, sets *r: index by index along kept axes, all of a reduced
   axis; nothing if there is no gradient. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct reduce_attr *attr = y->attr;
    if (!y->op->vjp) r->kind = REACH_NOTHING;
    for (int axis = 0, kept = 0; axis < y->inputs[i]->layout.rank; axis++) {
        if (!is_reduced(attr, axis)) r->axis[axis] = reach_same(kept);
        kept += attr->keep || !is_reduced(attr, axis);
    }
}

/* ---- the operators ---- */

ATTRIBUTES(attributes, sizeof(struct reduce_attr), FIELD(struct reduce_attr, kind, VARIANT),
           FIELD(struct reduce_attr, axes, AXES, .axis = true), FIELD(struct reduce_attr, keep, FLAG));

#define REDUCTION(symbol, which, infer_function, vjp_function, jvp_function, reason, onnx_name, text)        \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_REDUCE,                                                    \
                                   .arity = 1,                                                               \
                                   .infer = infer_function,                                                  \
                                   .vjp = vjp_function,                                                      \
                                   .jvp = jvp_function,                                                      \
                                   .no_gradient = {reason},                                                  \
                                   .attributes = &attributes,                                                \
                                   .batch = batch_shifted,                                                   \
                                   .reach = reach,                                                           \
                                   .variant = which,                                                         \
                                   .row = -1,                                                                \
                                   .onnx = onnx_name,                                                        \
                                   .doc = text};
REDUCTION(sum, REDUCE_SUM, infer_wide, sum_vjp, jvp_linear, NULL, "ReduceSum",
          "sum over a set of axes; integers and bool become 64 bits wide")
REDUCTION(prod, REDUCE_PROD, infer_wide, prod_vjp, NULL, NULL, "ReduceProd",
          "product over a set of axes; integers become 64 bits wide")
REDUCTION(amax, REDUCE_MAX, infer_ordered, extreme_vjp, NULL, NULL, "ReduceMax",
          "greatest over a set of axes; NaN wins")
REDUCTION(amin, REDUCE_MIN, infer_ordered, extreme_vjp, NULL, NULL, "ReduceMin",
          "least over a set of axes; NaN wins")
REDUCTION(argmax, REDUCE_ARGMAX, infer_ordered, NULL, NULL, "piecewise constant", "ArgMax",
          "i64 place of the greatest, the first of equals")
REDUCTION(argmin, REDUCE_ARGMIN, infer_ordered, NULL, NULL, "piecewise constant", "ArgMin",
          "i64 place of the least, the first of equals")
REDUCTION(any, REDUCE_ANY, infer_truth, NULL, NULL, "piecewise constant", "", "whether one element is not 0")
REDUCTION(all, REDUCE_ALL, infer_truth, NULL, NULL, "piecewise constant", "", "whether no element is 0")

/* ---- sets of axes ---- */

ty_axes ty_axis(int axis) { return ty_axes_of(1, &axis, false); }

/* Return the set of axes[n], which may be negative, with the flag `keep`. Axes outside of -64 .. 62 become
   the highest bit, which is invalid unless the rank is 64. axes NULL with n > 0 gives such an invalid axis,
   too. */
ty_axes ty_axes_of(int n, const int *axes, bool keep) {
    ty_axes set = {0, 0, keep};
    if (!axes && n > 0) return ty_axis(INT32_MAX);
    for (int i = 0; i < n; i++) {
        int axis = axes[i];
        if (axis >= 0)
            set.mask |= (uint64_t)1 << (axis < 63 ? axis : 63);
        else
            set.last |= (uint64_t)1 << (axis >= -64 ? -1 - axis : 63);
    }
    return set;
}

/* Return the reduction `kind` of x over the axes, by operator `op`. Poison, in op's name, if the axes are
   invalid or an extreme has no elements. */
static ty_tensor *reduce(const struct op *op, enum reduce_kind kind, ty_tensor *x, ty_axes axes) {
    struct reduce_attr attr = {.kind = (int32_t)kind, .keep = axes.keep};
    int rank = ty_rank(x);
    ty_tensor *bad = refuse_axes(op->name, x, axes);
    if (bad) return bad;
    bool ordered = kind == REDUCE_MAX || kind == REDUCE_MIN || kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN;
    if (ordered && ty_ok(x) && dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return complex_extreme(op->name, x, axes, kind == REDUCE_MAX || kind == REDUCE_ARGMAX,
                               kind == REDUCE_ARGMAX || kind == REDUCE_ARGMIN);
    attr.axes = axes_bits(axes, rank);
    return record(op, &attr, sizeof attr, 1, &x);
}

ty_tensor *ty_sum(ty_tensor *x, ty_axes axes) { return reduce(&op_sum, REDUCE_SUM, x, axes); }
ty_tensor *ty_prod(ty_tensor *x, ty_axes axes) { return reduce(&op_prod, REDUCE_PROD, x, axes); }
ty_tensor *ty_amax(ty_tensor *x, ty_axes axes) { return reduce(&op_amax, REDUCE_MAX, x, axes); }
ty_tensor *ty_amin(ty_tensor *x, ty_axes axes) { return reduce(&op_amin, REDUCE_MIN, x, axes); }
ty_tensor *ty_argmax(ty_tensor *x, ty_axes axes) { return reduce(&op_argmax, REDUCE_ARGMAX, x, axes); }
ty_tensor *ty_argmin(ty_tensor *x, ty_axes axes) { return reduce(&op_argmin, REDUCE_ARGMIN, x, axes); }
ty_tensor *ty_any(ty_tensor *x, ty_axes axes) { return reduce(&op_any, REDUCE_ANY, x, axes); }
ty_tensor *ty_all(ty_tensor *x, ty_axes axes) { return reduce(&op_all, REDUCE_ALL, x, axes); }
