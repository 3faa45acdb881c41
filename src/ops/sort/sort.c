/* Sorting of each line along an axis, by value or by index (argsort).  One operator serves whole lines and any
   range of ranks: the k largest are ranks 0..k-1 in descending order, a median is a rank in the middle.  The engine
   sorts no more than necessary. */
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/sort/sort.h"
#include "ops/core/operators.h"

/* Set the result of a sort in *in: ranks first .. first+count-1 of each line, as values or i64 indices.
   False, with the fault set, if the ranks are outside of the axis. */
static bool infer(struct infer *in) {
    const struct sort_attr *attr = in->attr;
    infer_like(in, in->inputs[0]);
    if (!infer_axis(in, attr->axis, in->rank)) return false;
    int64_t n = in->shape[attr->axis];
    if (attr->first < 0 || attr->count < 0 || attr->first > n || attr->count > n - attr->first)
        return infer_fault(in, E_INDEX,
                           "%lld ranks from %lld are out of bounds for the %lld elements of axis %d",
                           (long long)attr->count, (long long)attr->first, (long long)n, attr->axis);
    in->shape[attr->axis] = attr->count;
    if (attr->kind == SORT_PLACES) in->dtype = TY_I64;
    return true;
}

/* Gradient rule of sorting: return the gradient of operand i, given g, that of y: g at each value's original
   index; elements not among the ranks get 0. */
static ty_tensor *vjp_sort(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *x = y->inputs[i];
    struct sort_attr attr = *(const struct sort_attr *)y->attr;
    attr.kind = SORT_PLACES;
    ty_tensor *zeros = ty_broadcast(ty_scalar(ty_dtype_of(g), 0), ty_rank(x), ty_shape(x));
    return ty_scatter(zeros, record(&op_argsort, &attr, sizeof attr, 1, &x), g, attr.axis, TY_SCATTER_ADD);
}

/* Append axis, direction and wanted ranks of a sort to t. */
static void describe(const struct infer *in, struct text *t) {
    const struct sort_attr *attr = in->attr;
    text_add(t, "axis=%d%s", attr->axis, attr->descending ? " descending" : "");
    if (attr->first != 0 || attr->count != in->inputs[0]->layout.shape[attr->axis])
        text_add(t, " ranks=%lld..%lld", (long long)attr->first, (long long)(attr->first + attr->count - 1));
}

static void reach(ty_tensor *y, int i, struct reach *r) {
    if (!y->op->vjp) r->kind = REACH_NOTHING;
    reach_beside(y, i, ((const struct sort_attr *)y->attr)->axis, r);
}

ATTRIBUTES(attributes, sizeof(struct sort_attr), FIELD(struct sort_attr, kind, VARIANT),
           FIELD(struct sort_attr, axis, INT, .axis = true), FIELD(struct sort_attr, descending, FLAG),
           FIELD(struct sort_attr, first, LONG), FIELD(struct sort_attr, count, LONG));

const struct op op_sort = {.name = "sort",
                           .kind = KERNEL_SORT,
                           .arity = 1,
                           .infer = infer,
                           .vjp = vjp_sort,
                           .attributes = &attributes,
                           .batch = batch_shifted,
                           .reach = reach,
                           .describe = describe,
                           .row = -1,
                           .onnx = "",
                           .doc = "the values of some or all ranks of each line along one axis, in order"};
const struct op op_argsort = {.name = "argsort",
                              .kind = KERNEL_SORT,
                              .arity = 1,
                              .infer = infer,
                              .variant = SORT_PLACES,
                              .no_gradient = {"piecewise constant"},
                              .attributes = &attributes,
                              .batch = batch_shifted,
                              .reach = reach,
                              .describe = describe,
                              .row = -1,
                              .onnx = "TopK",
                              .doc = "the places of the values of each line along one axis, in their order"};

ty_tensor *sort_ranks(ty_tensor *x, int axis, enum sort_kind kind, bool descending, int64_t first,
                      int64_t count) {
    struct sort_attr attr = {axis_normal(axis, ty_rank(x)), kind, descending, 0, first, count};
    return record(kind == SORT_PLACES ? &op_argsort : &op_sort, &attr, sizeof attr, 1, &x);
}

int64_t axis_size(ty_tensor *x, int axis) {
    axis = axis_normal(axis, ty_rank(x));
    return axis >= 0 && axis < ty_rank(x) ? ty_shape(x)[axis] : 0;
}

ty_tensor *ty_sort(ty_tensor *x, int axis, bool descending) {
    return sort_ranks(x, axis, SORT_VALUES, descending, 0, axis_size(x, axis));
}

ty_tensor *ty_argsort(ty_tensor *x, int axis, bool descending) {
    return sort_ranks(x, axis, SORT_PLACES, descending, 0, axis_size(x, axis));
}

/* Return the k largest or smallest of each line of x along `axis`, best first, as values or indices by
   `kind`. Poison, in the name of function `name`, on failure. */
static ty_tensor *top(const char *name, ty_tensor *x, int64_t k, int axis, enum sort_kind kind,
                      bool largest) {
    int64_t n = axis_size(x, axis);
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (k < 0 || (k > n && axis_normal(axis, ty_rank(x)) < ty_rank(x)))
        return refuse(name, 1, &x, E_ARGUMENT, "k is %lld; expected 0..%lld, the size of axis %d",
                      (long long)k, (long long)n, axis);
    return sort_ranks(x, axis, kind, largest, 0, k);
}

ty_tensor *ty_top_k(ty_tensor *x, int64_t k, int axis, bool largest) {
    return top("top_k", x, k, axis, SORT_VALUES, largest);
}

ty_tensor *ty_top_k_index(ty_tensor *x, int64_t k, int axis, bool largest) {
    return top("top_k_index", x, k, axis, SORT_PLACES, largest);
}
