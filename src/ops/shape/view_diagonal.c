/* Diagonal: elements with equal indices on two axes, as a new last axis. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/structure.h"

struct diagonal_attr {
    int32_t axis[2];
};

/* Set the result of a diagonal in *in: the two axes are dropped, and the diagonal comes last. False, with the
   fault set, if the axes are invalid or equal. */
static bool infer(struct infer *in) {
    const struct diagonal_attr *attr = in->attr;
    const struct layout *x = &in->inputs[0]->layout;
    in->dtype = in->inputs[0]->dtype;
    if (!infer_axis(in, attr->axis[0], x->rank) || !infer_axis(in, attr->axis[1], x->rank)) return false;
    if (attr->axis[0] == attr->axis[1])
        return infer_fault(in, E_SHAPE, "a diagonal needs two different axes, not axis %d twice",
                           attr->axis[0]);
    for (int i = 0; i < x->rank; i++)
        if (i != attr->axis[0] && i != attr->axis[1]) in->shape[in->rank++] = x->shape[i];
    int64_t n = x->shape[attr->axis[0]], m = x->shape[attr->axis[1]];
    in->shape[in->rank++] = n < m ? n : m;
    return true;
}

/* View rule of a diagonal: set *out, the layout over x's memory; the diagonal's stride is the sum of those of
   both axes. Always true. */
static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    const struct diagonal_attr *attr = in->attr;
    int n = 0;
    out->offset = x->offset;
    for (int i = 0; i < x->rank; i++)
        if (i != attr->axis[0] && i != attr->axis[1]) out->strides[n++] = x->strides[i];
    out->strides[n] = x->strides[attr->axis[0]] + x->strides[attr->axis[1]];
    out->rank = in->rank;
    memcpy(out->shape, in->shape, sizeof(int64_t) * (size_t)in->rank);
    return true;
}

/* Gradient rule of a diagonal: return the gradient of the operand (i is 0), given g, that of y: g on the
   diagonal of zeros. In a flattened n by m matrix the diagonal is every (m+1)-th element, so m zeros go
   between neighbours, the rest after the last. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct diagonal_attr *attr = y->attr;
    ty_tensor *x = y->inputs[i];
    ty_padding padding[TY_MAX_RANK] = {{0}};
    int64_t shape[TY_MAX_RANK], n = ty_shape(x)[attr->axis[0]], m = ty_shape(x)[attr->axis[1]];
    int order[TY_MAX_RANK], rank = ty_rank(x), last = rank - 2, kept = 0;
    int64_t d = ty_shape(y)[last];
    padding[last] = d ? (ty_padding){0, n * m - ((d - 1) * (m + 1) + 1), m} : (ty_padding){0, n * m, 0};
    g = ty_pad(g, padding, ty_scalar(ty_dtype_of(g), 0));
    for (int axis = 0; axis < rank; axis++) {
        if (axis == attr->axis[0])
            order[axis] = last;
        else if (axis == attr->axis[1])
            order[axis] = last + 1;
        else
            shape[kept] = ty_shape(x)[axis], order[axis] = kept++;
    }
    shape[last] = n;
    shape[last + 1] = m;
    return ty_permute(ty_reshape(g, rank, shape), order);
}

ATTRIBUTES(attributes, sizeof(struct diagonal_attr),
           FIELD_MANY(struct diagonal_attr, axis, "axes", INT, .many = FIELD_FIXED, .axis = true));

const struct op op_diagonal = {.name = "diagonal",
                               .kind = KERNEL_NONE,
                               .arity = 1,
                               .infer = infer,
                               .view = view,
                               .vjp = vjp,
                               .jvp = jvp_linear,
                               .batch = batch_shifted,
                               .reach = reach_moves,
                               .attributes = &attributes,
                               .row = -1,
                               .onnx = "",
                               .doc = "the diagonal of two axes as a new last axis"};

ty_tensor *ty_diagonal(ty_tensor *x, int axis1, int axis2) {
    struct diagonal_attr attr = {{axis_normal(axis1, ty_rank(x)), axis_normal(axis2, ty_rank(x))}};
    return record(&op_diagonal, &attr, sizeof attr, 1, &x);
}
