/*
 * The recursive filter: a scan in direct form II transposed, a stable sequential recurrence with no rounding errors
 * beyond the filter's own (Oppenheim and Schafer, "Discrete-time signal processing", 6.3 and 6.9).
 *
 * Gradients: x gets g filtered backwards.  Let f be g filtered backwards by 1 / A.  Then b[j] gets the sum of f[i]
 * x[i-j], and a[j] minus the sum of f[i] y[i-1-j].
 */
#include "ops/reduce/filter.h"
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "ops/contract/contract.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"
#include "ops/shape/batch.h"

/* Check the coefficients c, called `name` in messages: of x's dtype, [leading axes of x .., count], where all
   leading axes come before `axis`. False, with the fault set, if they are invalid. */
static bool check_coefficients(struct infer *in, int axis, const ty_tensor *c, const char *name) {
    const ty_tensor *x = in->inputs[0];
    int lead = c->layout.rank - 1;
    if (c->dtype != x->dtype || !dtype_is(c->dtype, CLASS_FLOAT | CLASS_COMPLEX))
        return infer_fault(in, E_DTYPE, "the operands must have the same dtype, floating or complex");
    if (lead < 0 || c->layout.shape[lead] < 1 || c->layout.shape[lead] > FILTER_MOST)
        return infer_fault(in, E_SHAPE, "%s must have 1..%d coefficients along its last axis", name,
                           FILTER_MOST);
    if (lead > axis || !shape_equal(lead, c->layout.shape, lead, x->layout.shape))
        return infer_fault(in, E_SHAPE,
                           "the axes of %s before its last must be leading axes of x before axis %d", name,
                           axis);
    return true;
}

/* Set the result of a filter in *in: dtype and shape of x. False, with the fault set, if axis or coefficients
   are invalid. */
static bool infer_filter(struct infer *in) {
    const struct scan_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    in->dtype = in->inputs[0]->dtype;
    if (attr->exclusive) return infer_fault(in, E_UNSUPPORTED, "a filter has no exclusive form");
    if (!infer_axis(in, attr->axis, in->rank)) return false;
    if (in->inputs[1]->layout.rank != in->inputs[2]->layout.rank)
        return infer_fault(in, E_SHAPE, "b and a must have equally many axes");
    return check_coefficients(in, attr->axis, in->inputs[1], "b") &&
           check_coefficients(in, attr->axis, in->inputs[2], "a");
}

ty_tensor *filter_record(ty_tensor *x, ty_tensor *b, ty_tensor *a, int axis, bool reverse) {
    struct scan_attr attr = {.kind = SCAN_FILTER, .reverse = reverse};
    attr.axis = ty_ok(x) ? axis_normal(axis, ty_rank(x)) : axis;
    return record(&op_filter, &attr, sizeof attr, 3, (ty_tensor *[]){x, b, a});
}

/* ---- derivatives ---- */

/* Return coefficients [.., 1], all 1, with the leading axes and dtype of the coefficients c. */
static ty_tensor *one_like(ty_tensor *c) { return ty_ones_like(ty_slice(c, -1, 0, 1, 1)); }

/* Return, for each lag j, 0 <= j < n, the sum of flow[i] conj(x[i-first-j]) over i along the filtered axis,
   and over all other axes after the first `lead`: [leading axes, n]. Poison stays poison. */
static ty_tensor *lagged_sums(ty_tensor *flow, ty_tensor *x, const struct scan_attr *attr, int lead,
                              int64_t first, int64_t n) {
    if (!ty_ok(flow) || !ty_ok(x)) return ty_ok(x) ? flow : x;
    int rank = ty_rank(x), axis = attr->axis;
    int64_t length = ty_shape(x)[axis];
    if (attr->reverse) flow = ty_flip(flow, axis), x = ty_flip(x, axis);
    struct labelled left = {.x = flow}, right = {.x = ty_conj(x)};
    uint8_t lag = (uint8_t)rank, output[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) left.labels[i] = right.labels[i] = output[i] = (uint8_t)i;
    right.labels[axis] = CONTRACT_WINDOW;
    output[lead] = lag;
    struct contract_rules rules = {.nwindows = 1};
    rules.windows[0] = (struct contract_window){length, n, 1, -1, first, length, (uint8_t)axis, lag, {0}};
    return contract_by(left, right, lead + 1, output, &rules);
}

/* Gradient rule of the filter: return the gradient of operand i of y, given g, that of y. For x (0) it is the
   filter backwards over g; for coefficients b (1) and a (2) lagged sums of that. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct scan_attr *attr = y->attr;
    ty_tensor *x = y->inputs[0], *b = y->inputs[1], *a = y->inputs[2], *c = y->inputs[i];
    ty_tensor *from = i == 0 ? ty_conj(b) : one_like(b);
    ty_tensor *flow = filter_record(g, from, ty_conj(a), attr->axis, !attr->reverse);
    int lead = c->layout.rank - 1;
    int64_t n = c->layout.rank ? c->layout.shape[lead] : 0;
    if (i == 0) return flow;
    if (i == 1) return lagged_sums(flow, x, attr, lead, 0, n);
    return ty_neg(lagged_sums(flow, y, attr, lead, 1, n));
}

/* Tangent rule of the filter: return the tangent of y for tangents t[] of x, b and a (NULL: zero). The filter
   is linear in x and in b. A tangent of a acts like a tangent -t[2] of b on y, delayed by one. `wanted` is
   ignored. */
static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    const struct scan_attr *attr = y->attr;
    ty_tensor *x = y->inputs[0], *b = y->inputs[1], *a = y->inputs[2], *parts[3], *sum = NULL;
    ty_tensor *of[] = {t[0], x, y}, *by[] = {b, t[1], NULL};
    (void)wanted;
    if (t[2]) {
        ty_tensor *zero = ty_zeros_like(ty_slice(a, -1, 0, 1, 1));
        by[2] = ty_concat(2, (ty_tensor *[]){zero, ty_neg(t[2])}, -1);
    }
    for (int i = 0; i < 3; i++) {
        parts[i] = t[i] ? filter_record(of[i], by[i], a, attr->axis, attr->reverse) : NULL;
        if (parts[i]) sum = sum ? ty_add(sum, parts[i]) : parts[i];
    }
    return sum;
}

/* ---- batch rule and reach ---- */

/* Batch rule of the filter: return the result with a leading axis of examples. Vectors of coefficients that
   are equal for all examples stay vectors. */
static ty_tensor *batch(const struct batch *b) {
    bool shared = !b->batched[1] && !b->batched[2] && b->y->inputs[1]->layout.rank == 1;
    ty_tensor *x[] = {batch_operand(b, 0), shared ? b->x[1] : batch_operand(b, 1),
                      shared ? b->x[2] : batch_operand(b, 2)};
    return batch_record(b, x);
}

/* Reach rule of the filter for operand i of y. For x (i = 0) it sets *r: y depends on x up to the element's index
   (from it on if reversed). Coefficients keep *r, preset to everything. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct scan_attr *attr = y->attr;
    int64_t n = y->layout.shape[attr->axis];
    if (i) return;
    reach_beside(y, i, attr->axis, r);
    r->axis[attr->axis] = (struct reach_axis){attr->axis, false, n, 1, 1, attr->reverse ? 0 : n - 1};
}

ATTRIBUTES(attributes, sizeof(struct scan_attr), FIELD(struct scan_attr, kind, VARIANT),
           FIELD(struct scan_attr, axis, INT, .axis = true), FIELD(struct scan_attr, reverse, FLAG),
           FIELD(struct scan_attr, exclusive, FLAG));

const struct op op_filter = {.name = "filter",
                             .kind = KERNEL_SCAN,
                             .arity = 3,
                             .infer = infer_filter,
                             .vjp = vjp,
                             .jvp = jvp,
                             .attributes = &attributes,
                             .batch = batch,
                             .reach = reach,
                             .variant = SCAN_FILTER,
                             .row = -1,
                             .onnx = "",
                             .doc = "recursive linear filter along an axis: x, b, a without its first"};
