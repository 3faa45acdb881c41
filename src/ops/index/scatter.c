/*
 * Scatter: a target with updates written at indices known only at run time, one operator per mode of combining old and
 * new elements.  The attribute is gather's; the space is the axes of the updates.
 *
 * Gradients, where g[o] is g at the element that update o addresses:
 *   set       target: g, but 0 at written elements;  updates: g[o] for the last update of its element, else 0
 *   add       target: g;  updates: g[o]
 *   mul       target: g times the updates;  updates: g[o] times everything else at the element
 *   min, max  elements equal to the result, NaN included, share g equally
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/math/slopes.h"
#include "ops/index/index.h"

/* Set the result of scatter in *in: shape and dtype of the target. False, with the fault set, if updates or
   indices do not fit. */
static bool infer(struct infer *in) {
    const struct gather_attr *attr = in->attr;
    if (!infer_places(in, attr, 2)) return false;
    const ty_tensor *target = in->inputs[0], *updates = in->inputs[1];
    infer_like(in, target);
    if (updates->dtype != in->dtype)
        return infer_fault(in, E_DTYPE, "target and updates must have the same dtype, not %s and %s",
                           ty_dtype_name(in->dtype), ty_dtype_name(updates->dtype));
    if (updates->layout.rank != attr->rank)
        return infer_fault(in, E_SHAPE, "the updates have rank %d; it must be %d", updates->layout.rank,
                           attr->rank);
    for (int t = 2; t < in->ninputs; t++) {
        const struct layout *index = &in->inputs[t]->layout;
        if (!dtype_is(in->inputs[t]->dtype, CLASS_INTEGER))
            return infer_fault(in, E_DTYPE, "an index must be of an integer dtype, not %s",
                               ty_dtype_name(in->inputs[t]->dtype));
        for (int i = 0; i < index->rank; i++) {
            int64_t size = updates->layout.shape[attr->end - index->rank + i];
            if (index->shape[i] != 1 && index->shape[i] != size)
                return infer_fault(in, E_SHAPE, "an index of %lld does not broadcast to %lld updates",
                                   (long long)index->shape[i], (long long)size);
        }
    }
    for (int i = 0; i < in->rank; i++) {
        int64_t size = attr->axis[i] < GATHER_INDEXED ? updates->layout.shape[attr->axis[i]] : 0;
        if (attr->axis[i] >= GATHER_INDEXED && in->shape[i] == 0 && tensor_size(updates))
            return infer_fault(in, E_INDEX, "axis %d is empty: every index is out of bounds", i);
        if (in->shape[i] != 1 && size > in->shape[i])
            return infer_fault(in, E_SHAPE, "%lld updates do not fit axis %d of size %lld", (long long)size,
                               i, (long long)in->shape[i]);
    }
    return true;
}

static bool infer_number(struct infer *in) {
    return !in->ninputs || !dtype_is(in->inputs[0]->dtype, CLASS_BOOL)
               ? infer(in)
               : infer_fault(in, E_DTYPE, "bool cannot be added; use ty_cast");
}

static bool infer_ordered(struct infer *in) {
    return !in->ninputs || !dtype_is(in->inputs[0]->dtype, CLASS_COMPLEX)
               ? infer(in)
               : infer_fault(in, E_DTYPE, "complex numbers have no order; use ty_real or ty_abs first");
}

/* ---- gradients ---- */

/* Return `target` with `updates` scattered into it at the indices of the scatter y, by `mode`. Poison on
   failure. */
static ty_tensor *into(ty_tensor *y, ty_tensor *target, ty_tensor *updates, ty_scatter_mode mode) {
    return scatter_at(target, updates, mode, y->attr, y->ninputs - 2, y->inputs + 2);
}

/* Return the elements of x, of y's shape, at the indices of the scatter y, with the shape of y's updates. If
   an axis that is not indexed has fewer updates than elements, the rest is cut off. */
static ty_tensor *out_of(ty_tensor *y, ty_tensor *x) {
    const struct gather_attr *attr = y->attr;
    const int64_t *space = ty_shape(y->inputs[1]);
    for (int i = 0; i < ty_rank(y); i++)
        if (attr->axis[i] < GATHER_INDEXED && ty_shape(y)[i] > space[attr->axis[i]])
            x = ty_slice(x, i, 0, space[attr->axis[i]], 1);
    x = gather_at(x, attr, y->ninputs - 2, y->inputs + 2);
    return ty_broadcast(x, attr->rank, space);
}

static ty_tensor *filled(ty_tensor *like, ty_dtype dtype, double value) {
    return ty_broadcast(ty_scalar(dtype, value), ty_rank(like), ty_shape(like));
}

/* Return a bool mask, of the shape of y's updates, of the updates that are the last of their element. They
   are found by scattering and gathering their ids. */
static ty_tensor *winners(ty_tensor *y) {
    ty_tensor *updates = y->inputs[1];
    int64_t size = ty_size(updates);
    ty_tensor *number = ty_reshape(ty_iota(TY_I64, 1, &size, 0), ty_rank(updates), ty_shape(updates));
    return ty_eq(out_of(y, into(y, filled(y, TY_I64, -1), number, TY_SCATTER_SET)), number);
}

static ty_tensor *set_vjp(ty_tensor *y, ty_tensor *g, int i) {
    if (i == 0) return into(y, g, filled(y->inputs[1], ty_dtype_of(g), 0), TY_SCATTER_SET);
    return i == 1 ? ty_where(winners(y), out_of(y, g), ty_num(0)) : NULL;
}

static ty_tensor *add_vjp(ty_tensor *y, ty_tensor *g, int i) {
    return i == 0 ? g : i == 1 ? out_of(y, g) : NULL;
}

/* Return the vector x shifted by `by` elements (positive: to higher indices). An element is 1 instead if its
   source is outside or has another value in the vector `place`, that is, belongs to another element. */
static ty_tensor *moved(ty_tensor *x, ty_tensor *place, int64_t by) {
    ty_padding padding = {by, -by, 0};
    ty_tensor *same = ty_eq(place, ty_pad(place, &padding, ty_scalar(TY_I64, -1)));
    return ty_where(same, ty_pad(x, &padding, ty_scalar(ty_dtype_of(x), 1)), ty_num(1));
}

/* Return, for each element of the vector x, the product of the elements before it (way 1) or after it (way
   -1) with equal `place`, which must be sorted. Takes log2(n) products of copies shifted by powers of two. */
static ty_tensor *product_beside(ty_tensor *x, ty_tensor *place, int way) {
    int64_t n = ty_size(x);
    ty_tensor *product = moved(x, place, way);
    for (int64_t by = 1; by < n; by *= 2) product = ty_mul(product, moved(product, place, way * by));
    return product;
}

/* Return, for each update of the scatter y, the product of the target's element and all other updates of it.
   It uses no division, so zeros are right and it can be differentiated again. Updates are sorted by element,
   and products before and after each are multiplied. */
static ty_tensor *product_of_others(ty_tensor *y) {
    ty_tensor *u = y->inputs[1];
    int64_t places = ty_size(y), n = ty_size(u);
    ty_tensor *number = ty_reshape(ty_iota(TY_I64, 1, &places, 0), ty_rank(y), ty_shape(y));
    ty_tensor *place = ty_reshape(out_of(y, number), 1, &n), *order = ty_argsort(place, 0, false);
    ty_tensor *sorted = ty_gather(ty_reshape(u, 1, &n), order, 0);
    place = ty_gather(place, order, 0);
    ty_tensor *others = ty_mul(product_beside(sorted, place, 1), product_beside(sorted, place, -1));
    others = ty_gather(others, ty_argsort(order, 0, false), 0);
    return ty_mul(ty_reshape(others, ty_rank(u), ty_shape(u)), out_of(y, y->inputs[0]));
}

static ty_tensor *mul_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *updates = y->inputs[1];
    if (i == 0) return ty_mul(g, ty_conj(into(y, filled(y, ty_dtype_of(y), 1), updates, TY_SCATTER_MUL)));
    return i == 1 ? ty_mul(out_of(y, g), ty_conj(product_of_others(y))) : NULL;
}

/* Gradient rule of scatter by maximum or minimum: return the gradient of target (i = 0) or updates (1), given
   g, that of y: g is shared equally among all that attain the result. NULL for an index (i > 1). */
static ty_tensor *extreme_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *kept = same_value(y, y->inputs[0]), *hits = same_value(y->inputs[1], out_of(y, y));
    ty_tensor *count = into(y, ty_cast(kept, TY_I64), ty_cast(hits, TY_I64), TY_SCATTER_ADD);
    ty_tensor *share = ty_div(g, ty_cast(ty_max(count, ty_int(1)), ty_dtype_of(g)));
    if (i == 0) return ty_where(kept, share, ty_num(0));
    return i == 1 ? ty_where(hits, out_of(y, share), ty_num(0)) : NULL;
}

/* ---- batch rule: target and updates both get the axis ---- */

/* Batch rule of scatter: return the result with a leading axis for target, updates and space. */
static ty_tensor *batch(const struct batch *b) {
    const struct gather_attr *attr = b->y->attr;
    struct gather_attr many = index_batch(attr, b->y->layout.rank, true);
    ty_tensor *index[INDEX_MAX_INPUTS];
    for (int i = 2; i < b->y->ninputs; i++) index[i - 2] = index_many(b, i, attr->end);
    return scatter_at(batch_operand(b, 0), batch_operand(b, 1), (ty_scatter_mode)attr->mode, &many,
                      b->y->ninputs - 2, index);
}

/* ---- reach: updates flow to the elements that the index addresses ---- */

/* Reach rule of scatter for operand i of y, sets *r: the target's elements stay, and updates move to their
   elements if the index is known, else along whole axes. Indices have no derivative. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct gather_attr *attr = y->attr;
    if (i > 1) r->kind = REACH_NOTHING;
    if (i == 0) reach_beside(y, 0, -1, r);
    if (i != 1) return;
    if (index_known(y, 2)) {
        int64_t size = tensor_size(y);
        r->kind = REACH_GOES;
        r->to = out_of(y, ty_reshape(ty_iota(TY_I64, 1, &size, 0), y->layout.rank, y->layout.shape));
        return;
    }
    for (int k = 0; k < y->layout.rank; k++)
        if (attr->axis[k] < GATHER_INDEXED && y->inputs[1]->layout.shape[attr->axis[k]] == y->layout.shape[k])
            r->axis[attr->axis[k]] = reach_same(k);
}

/* ---- the operators ---- */

#define SCATTER(symbol, mode, infer_function, vjp_function, jvp_function, text)                              \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_SCATTER,                                                   \
                                   .arity = -1,                                                              \
                                   .infer = infer_function,                                                  \
                                   .vjp = vjp_function,                                                      \
                                   .jvp = jvp_function,                                                      \
                                   .batch = batch,                                                           \
                                   .reach = reach,                                                           \
                                   .no_gradient = {NULL, NULL, "integer"},                                   \
                                   .attributes = &gather_attributes,                                         \
                                   .variant = mode,                                                          \
                                   .row = -1,                                                                \
                                   .onnx = "ScatterElements",                                                \
                                   .doc = text};
SCATTER(scatter, TY_SCATTER_SET, infer, set_vjp, jvp_linear,
        "a target with elements replaced at indices; the last of duplicates wins")
SCATTER(scatter_add, TY_SCATTER_ADD, infer_number, add_vjp, jvp_linear,
        "a target with updates added at indices")
SCATTER(scatter_mul, TY_SCATTER_MUL, infer_number, mul_vjp, NULL, "a target multiplied by updates at indices")
SCATTER(scatter_min, TY_SCATTER_MIN, infer_ordered, extreme_vjp, NULL,
        "the least of a target and the updates at indices; NaN wins")
SCATTER(scatter_max, TY_SCATTER_MAX, infer_ordered, extreme_vjp, NULL,
        "the greatest of a target and the updates at indices; NaN wins")

static const struct scatter {
    const struct op *op;
    ty_tensor *(*combine)(ty_tensor *old, ty_tensor *v); /* NULL: the new value */
    const char *name;
} modes[TY_SCATTER_MODES] = {[TY_SCATTER_SET] = {&op_scatter, NULL, "set"},
                             [TY_SCATTER_ADD] = {&op_scatter_add, ty_add, "add"},
                             [TY_SCATTER_MUL] = {&op_scatter_mul, ty_mul, "mul"},
                             [TY_SCATTER_MIN] = {&op_scatter_min, ty_min, "min"},
                             [TY_SCATTER_MAX] = {&op_scatter_max, ty_max, "max"}};

ty_scatter_mode ty_scatter_mode_named(const char *name) {
    if (!name) name = "";
    int mode = 0;
    while (mode < TY_SCATTER_MODES && strcmp(modes[mode].name, name)) mode++;
    return (ty_scatter_mode)mode;
}

const char *scatter_name(ty_scatter_mode mode) {
    return (unsigned)mode < TY_SCATTER_MODES ? modes[mode].op->name : NULL;
}

ty_tensor *scatter_combine(ty_scatter_mode mode, ty_tensor *old, ty_tensor *v) {
    ty_tensor *operands[] = {old, v}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (ty_dtype_of(old) == TY_BOOL && (mode == TY_SCATTER_ADD || mode == TY_SCATTER_MUL))
        return refuse(scatter_name(mode), 2, operands, E_DTYPE, "bool cannot be added; use ty_cast");
    return modes[mode].combine ? modes[mode].combine(old, v) : v;
}

ty_tensor *scatter_at(ty_tensor *target, ty_tensor *updates, ty_scatter_mode mode,
                      const struct gather_attr *attr, int n, ty_tensor *const *index) {
    ty_tensor *inputs[INDEX_MAX_INPUTS] = {target, updates};
    struct gather_attr own = *attr;
    own.mode = (int32_t)mode;
    memcpy(inputs + 2, index, sizeof *index * (size_t)n);
    return record(modes[mode].op, &own, sizeof own, n + 2, inputs);
}
