/*
 * Resampling: along one axis, each element of the result is a weighted sum of a few elements of x.  Index and weight
 * are tensors, so this is the product with a sparse matrix with T entries a row, one matrix per index of the batch
 * axes.  All interpolation, grid sampling and RoiAlign compute index and weight.
 *
 * READ is the gradient by g of the trilinear form
 *   F(g, x, w) = sum over b, o, t, i, c of g[b,o,i,c] * w[b,t,i] * x[b,o,index[b,t,i],c];
 * ADD is its gradient by x, DOT by w.  So the gradients of each are the other two, to any order.  A READ along several
 * axes does one axis after the other in a single pass; its gradients are those of single axes.
 */
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/image/resample.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"

ty_dtype resample_dtype(ty_dtype dtype) { return dtype_table[dtype].computed; }

/* ---- dtypes and shapes ---- */

/* Check that an index tensor of resample is i32 [batch axes.., taps, elements], with the batch axes that the
   attributes say. False, with the fault set, if not. */
static bool infer_index(struct infer *in, const ty_tensor *index) {
    const struct resample_attr *attr = in->attr;
    if (index->dtype != TY_I32)
        return infer_fault(in, E_DTYPE, "the index must be i32, not %s", ty_dtype_name(index->dtype));
    if (index->layout.rank != attr->batch + 2)
        return infer_fault(in, E_SHAPE, "the index has rank %d; it must be %d", index->layout.rank,
                           attr->batch + 2);
    return true;
}

/* Check x and its first index: dtype, the resampled axes, and the batch axes. False, with the fault set, if
   they are invalid. */
static bool infer_operands(struct infer *in, const ty_tensor *x, const ty_tensor *index) {
    const struct resample_attr *attr = in->attr;
    if (!dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX) || resample_dtype(x->dtype) != x->dtype)
        return infer_fault(in, E_DTYPE, "elements must be f32, f64, c64 or c128, not %s; use ty_cast",
                           ty_dtype_name(x->dtype));
    if (!infer_axis(in, attr->axis, x->layout.rank) ||
        !infer_axis(in, attr->axis + attr->further, x->layout.rank))
        return false;
    if (attr->batch < 0 || attr->batch > attr->axis)
        return infer_fault(in, E_SHAPE, "%d batch axes before axis %d", attr->batch, attr->axis);
    if (!infer_index(in, index)) return false;
    for (int i = 0; i < attr->batch; i++)
        if (index->layout.shape[i] != 1 && index->layout.shape[i] != x->layout.shape[i])
            return infer_fault(in, E_SHAPE, "axis %d has %lld elements where the index has %lld", i,
                               (long long)x->layout.shape[i], (long long)index->layout.shape[i]);
    return true;
}

/* Check that the weights have x's real dtype and the index's shape. False, with the fault set, if not. */
static bool infer_weight(struct infer *in, const ty_tensor *index, const ty_tensor *weight) {
    ty_dtype real = dtype_table[in->inputs[0]->dtype].real;
    if (weight->dtype != real)
        return infer_fault(in, E_DTYPE, "the weights must be %s, not %s", ty_dtype_name(real),
                           ty_dtype_name(weight->dtype));
    if (!shape_equal(index->layout.rank, index->layout.shape, weight->layout.rank, weight->layout.shape))
        return infer_fault(in, E_SHAPE, "index and weights must have the same shape");
    return true;
}

/* Infer the result of READ or ADD: x's shape except for the resampled axes. False, with the fault set, if the
   operands are invalid. */
static bool infer_sum(struct infer *in) {
    const struct resample_attr *attr = in->attr;
    bool add = attr->kind == RESAMPLE_ADD;
    if (attr->further < 0 || attr->further >= RESAMPLE_AXES || (attr->further && (add || attr->batch)))
        return infer_fault(in, E_SHAPE, "%d axes behind the first cannot be resampled with it",
                           attr->further);
    if (in->ninputs != 3 + 2 * attr->further)
        return infer_fault(in, E_SHAPE, "%d operands for %d axes; it must be 1 and 2 for each", in->ninputs,
                           1 + attr->further);
    if (!infer_operands(in, in->inputs[0], in->inputs[1])) return false;
    infer_like(in, in->inputs[0]);
    for (int k = 0; k <= attr->further; k++) {
        const ty_tensor *index = in->inputs[1 + 2 * k];
        if (!infer_index(in, index) || !infer_weight(in, index, in->inputs[2 + 2 * k])) return false;
        int64_t places = index->layout.shape[attr->batch + 1], *size = &in->shape[attr->axis + k];
        if (add && *size != places)
            return infer_fault(in, E_SHAPE, "axis %d has %lld elements for %lld places", attr->axis,
                               (long long)*size, (long long)places);
        *size = add ? attr->size : places;
    }
    return infer_fits(in);
}

/* Infer the result of DOT, the gradient of the weights: the index's shape. False, with the fault set, if the
   operands are invalid. */
static bool infer_dot(struct infer *in) {
    const struct resample_attr *attr = in->attr;
    const ty_tensor *g = in->inputs[0], *x = in->inputs[1], *index = in->inputs[2];
    if (attr->further)
        return infer_fault(in, E_SHAPE, "%d axes after the first; expected none", attr->further);
    if (!infer_operands(in, x, index)) return false;
    infer_like(in, x);
    in->shape[attr->axis] = index->layout.shape[attr->batch + 1];
    if (g->dtype != x->dtype || !shape_equal(g->layout.rank, g->layout.shape, in->rank, in->shape))
        return infer_fault(in, E_DTYPE, "the operands must have the same dtype and agree on all axes but %d",
                           attr->axis);
    infer_like(in, index);
    in->dtype = dtype_table[x->dtype].real;
    return true;
}

/* ---- gradients ---- */

/* Return the weighted sum of x's elements at `index` along attr.axis alone, by recording READ. `index` and
   `weight` have the shape [.., taps, elements]. Poison on failure. */
static ty_tensor *read_at(ty_tensor *x, ty_tensor *index, ty_tensor *weight, struct resample_attr attr) {
    attr = (struct resample_attr){RESAMPLE_READ, attr.axis, attr.batch, 0, 0};
    return record(&op_resample, &attr, sizeof attr, 3, (ty_tensor *[]){x, index, weight});
}

static ty_tensor *add_at(ty_tensor *g, ty_tensor *index, ty_tensor *weight, struct resample_attr attr, int k,
                         const ty_tensor *like) {
    int axis = attr.axis + k;
    attr = (struct resample_attr){RESAMPLE_ADD, axis, attr.batch, 0, ty_shape(like)[axis]};
    return record(&op_resample_add, &attr, sizeof attr, 3, (ty_tensor *[]){g, index, weight});
}

static ty_tensor *dot_at(ty_tensor *g, ty_tensor *x, ty_tensor *index, struct resample_attr attr, int k) {
    attr = (struct resample_attr){RESAMPLE_DOT, attr.axis + k, attr.batch, 0, 0};
    return record(&op_resample_dot, &attr, sizeof attr, 3, (ty_tensor *[]){g, x, index});
}

static const struct resample_attr *attr_of(const ty_tensor *y) { return y->attr; }

/* Gradient rule of READ: return the gradient of operand i of y, given g, that of y: x (0), index (odd: NULL)
   or weight (even). ADD transposes the read along each axis; the axis of the requested weight gets DOT. */
static ty_tensor *read_vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct resample_attr *attr = attr_of(y);
    ty_tensor *x = y->inputs[0];
    int axis = i ? (i - 2) / 2 : -1;
    if (i % 2) return NULL;
    for (int k = attr->further; k >= 0; k--)
        if (k != axis) g = add_at(g, y->inputs[1 + 2 * k], y->inputs[2 + 2 * k], *attr, k, x);
    return i ? dot_at(g, x, y->inputs[1 + 2 * axis], *attr, axis) : g;
}

static ty_tensor *add_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *index = y->inputs[1];
    if (i == 0) return read_at(g, index, y->inputs[2], *attr_of(y));
    return i == 2 ? dot_at(y->inputs[0], g, index, *attr_of(y), 0) : NULL;
}

static ty_tensor *dot_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *x = y->inputs[1], *index = y->inputs[2];
    if (i == 0) return read_at(x, index, g, *attr_of(y));
    return i == 1 ? add_at(y->inputs[0], index, g, *attr_of(y), 0, x) : NULL;
}

/* ---- reach: lines are independent ---- */

/* Reach rule of resample for operand i of y, sets *r: along resampled axes of x every element may reach every
   other, along others each only itself. Indices and weights keep *r. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct resample_attr *attr = attr_of(y);
    if (i || attr->kind == RESAMPLE_DOT) return;
    reach_beside(y, 0, attr->axis, r);
    for (int k = 0; k <= attr->further; k++) r->axis[attr->axis + k].axis = -1;
}

/* ---- batch rule: one more batch axis if index or weights differ between examples ---- */

/* Batch rule for READ along several axes: return the result of one axis after the other, since reading
   several at once has no batch axes. */
static ty_tensor *read_each(const struct batch *b, struct resample_attr attr) {
    ty_tensor *x = batch_operand(b, 0);
    for (int k = 0; k <= attr.further; k++) {
        bool any = b->batched[1 + 2 * k] || b->batched[2 + 2 * k];
        ty_tensor *index = any ? batch_operand(b, 1 + 2 * k) : b->x[1 + 2 * k];
        ty_tensor *weight = any ? batch_operand(b, 2 + 2 * k) : b->x[2 + 2 * k];
        x = read_at(x, index, weight, (struct resample_attr){.axis = attr.axis + 1 + k, .batch = any});
    }
    return x;
}

/* Batch rule of resample: a leading batch axis of x, or of all operands if an index or weight differs
   between examples. */
static ty_tensor *batch(const struct batch *b) {
    struct resample_attr attr = *attr_of(b->y);
    ty_tensor *x[1 + 2 * RESAMPLE_AXES];
    int n = b->y->ninputs;
    bool differ = attr.kind == RESAMPLE_DOT;
    for (int i = 1; i < n; i++) differ = differ || b->batched[i];
    if (differ && attr.further) return read_each(b, attr);
    for (int i = 0; i < n; i++) {
        bool element = i == 0 || (i == 1 && attr.kind == RESAMPLE_DOT);
        x[i] = differ || element ? batch_operand(b, i) : attr.batch ? batch_leading(b, i) : b->x[i];
    }
    attr.axis++;
    attr.batch += differ || attr.batch;
    return record(b->y->op, &attr, sizeof attr, n, x);
}

/* ---- the operators ---- */

ATTRIBUTES(attributes, sizeof(struct resample_attr), FIELD(struct resample_attr, kind, VARIANT),
           FIELD(struct resample_attr, axis, INT), FIELD(struct resample_attr, batch, INT),
           FIELD(struct resample_attr, further, INT), FIELD(struct resample_attr, size, LONG));

#define RESAMPLE(symbol, which, inputs, infer_function, vjp_function, jvp_function, onnx_name, reason, text) \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_RESAMPLE,                                                  \
                                   .arity = inputs,                                                          \
                                   .infer = infer_function,                                                  \
                                   .vjp = vjp_function,                                                      \
                                   .jvp = jvp_function,                                                      \
                                   .batch = batch,                                                           \
                                   .reach = reach,                                                           \
                                   .no_gradient = reason,                                                    \
                                   .attributes = &attributes,                                                \
                                   .variant = which,                                                         \
                                   .row = -1,                                                                \
                                   .onnx = onnx_name,                                                        \
                                   .doc = text};
#define SECOND                                                                                               \
    { NULL, "integer", NULL }
#define THIRD                                                                                                \
    { NULL, NULL, "integer" }
RESAMPLE(resample, RESAMPLE_READ, -1, infer_sum, read_vjp, jvp_multilinear, "Resize", SECOND,
         "weighted sums of elements at places along an axis or several")
RESAMPLE(resample_add, RESAMPLE_ADD, 3, infer_sum, add_vjp, jvp_multilinear, "", SECOND,
         "weighted elements added up at places along an axis")
RESAMPLE(resample_dot, RESAMPLE_DOT, 3, infer_dot, dot_vjp, jvp_multilinear, "", THIRD,
         "products of elements with those at places, summed for each weight")

ty_tensor *resample_read(ty_tensor *x, ty_tensor *index, ty_tensor *weight, int axis, int batch) {
    return read_at(x, index, weight, (struct resample_attr){.axis = axis, .batch = batch});
}

ty_tensor *resample_read_axes(ty_tensor *x, int n, ty_tensor *const *index, ty_tensor *const *weight,
                              int axis) {
    ty_tensor *inputs[1 + 2 * RESAMPLE_AXES] = {x};
    for (int k = 0; k < n && k < RESAMPLE_AXES; k++) {
        inputs[1 + 2 * k] = index[k];
        inputs[2 + 2 * k] = weight[k];
    }
    struct resample_attr attr = {.axis = axis, .further = n - 1};
    return record(&op_resample, &attr, sizeof attr, 1 + 2 * (n < RESAMPLE_AXES ? n : RESAMPLE_AXES), inputs);
}
