/* Reshape: the same elements in row-major order in another shape.  The attribute is the shape. */
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/shape/arrange.h"

static int rank_of(const struct infer *in) { return (int)(in->attr_bytes / sizeof(int64_t)); }

/* Set the result of a reshape in *in: the shape of the attributes. False, with the fault set, if it has
   another number of elements. */
static bool infer(struct infer *in) {
    const ty_tensor *x = in->inputs[0];
    char words[WORDS];
    int64_t n = 1;
    in->dtype = x->dtype;
    in->rank = rank_of(in);
    if (in->rank) memcpy(in->shape, in->attr, in->attr_bytes);
    if (!infer_fits(in)) return false;
    bool fits = true;
    for (int i = 0; i < in->rank; i++) fits = fits && checked_mul(n, in->shape[i], &n);
    if (fits && n == tensor_size(x)) return true;
    shape_words(words, in->rank, in->shape);
    if (!fits) return infer_fault(in, E_LIMIT, "shape %s has too many elements", words);
    return infer_fault(in, E_SHAPE, "shape %s has %lld elements instead of %lld", words, (long long)n,
                       (long long)tensor_size(x));
}

static bool view(const struct infer *in, const struct layout *x, struct layout *out) {
    return layout_reshape(x, in->rank, in->shape, out);
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    return reshape_like(g, ty_rank(y->inputs[i]), ty_shape(y->inputs[i]));
}

ATTRIBUTES(attributes, 0,
           FIELD_LIST(int64_t, "shape", FIELD_LONG, .many = FIELD_REST, .front = FIELD_FRONT_SIZE));

const struct op op_reshape = {.name = "reshape",
                              .kind = KERNEL_NONE,
                              .arity = 1,
                              .infer = infer,
                              .view = view,
                              .vjp = vjp,
                              .jvp = jvp_linear,
                              .batch = batch_shifted,
                              .reach = reach_moves,
                              .stores = true,
                              .attributes = &attributes,
                              .row = -1,
                              .onnx = "Reshape",
                              .doc = "the same elements, row-major, in another shape"};

/* Return the size that -1 stands for in a shape of `elements` elements whose other sizes have the product
   `known`; -1 if none fits. */
static int64_t size_that_fits(int64_t elements, int64_t known) {
    return known > 0 && elements % known == 0 ? elements / known : -1;
}

ty_tensor *ty_reshape(ty_tensor *x, int rank, const int64_t *shape) {
    if (!ty_ok(x)) return tensor_share(x);
    if (rank < 0 || rank > TY_MAX_RANK)
        return refuse("reshape", 1, &x, E_ARGUMENT, "a result of %d axes is out of range; expected 0..%d",
                      rank, TY_MAX_RANK);
    int64_t sizes[TY_MAX_RANK], known = 1;
    char words[WORDS];
    ty_tensor *missing = refuse_missing("reshape", rank, shape, "sizes");
    if (missing) return missing;
    int open = -1, opens = 0;
    bool fits = true;
    for (int i = 0; i < rank; i++) {
        sizes[i] = shape[i];
        if (shape[i] == -1)
            open = i, opens++;
        else
            fits = fits && checked_mul(known, shape[i], &known);
    }
    if (opens > 1)
        return refuse("reshape", 1, &x, E_ARGUMENT, "shape %s has more than one size of -1",
                      shape_words(words, rank, shape));
    if (opens) {
        sizes[open] = fits ? size_that_fits(ty_size(x), known) : -1;
        shape_words(words, rank, shape);
        if (sizes[open] < 0 && fits && known == 0 && ty_size(x) == 0)
            return refuse("reshape", 1, &x, E_SHAPE,
                          "size -1 of axis %d of %s is ambiguous for 0 elements; give the size", open, words);
        if (sizes[open] < 0)
            return refuse("reshape", 1, &x, E_SHAPE, "no size of axis %d of %s gives %lld elements", open,
                          words, (long long)ty_size(x));
    }
    if (shape_equal(rank, sizes, ty_rank(x), ty_shape(x))) return tensor_share(tensor_resolve(x));
    return record(&op_reshape, sizes, sizeof(int64_t) * (size_t)rank, 1, &x);
}

ty_tensor *ty_squeeze(ty_tensor *x, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), dropped = axis_normal(axis, rank);
    int64_t shape[TY_MAX_RANK];
    if (dropped < 0 || dropped >= rank) return refuse_axis("squeeze", x, axis);
    if (ty_shape(x)[dropped] != 1)
        return refuse("squeeze", 1, &x, E_SHAPE,
                      "axis %d has size %lld; only an axis of size 1 can be removed", axis,
                      (long long)ty_shape(x)[dropped]);
    for (int i = 0, n = 0; i < rank; i++)
        if (i != dropped) shape[n++] = ty_shape(x)[i];
    return ty_reshape(x, rank - 1, shape);
}

ty_tensor *ty_expand(ty_tensor *x, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), added = axis_normal(axis, rank + 1);
    int64_t shape[TY_MAX_RANK + 1];
    if (added < 0 || added > rank)
        return refuse("expand", 1, &x, E_INDEX, "the new axis must be in %d..%d, not %d", -rank - 1, rank,
                      axis);
    for (int i = 0, n = 0; i <= rank; i++) shape[i] = i == added ? 1 : ty_shape(x)[n++];
    return ty_reshape(x, rank + 1, shape);
}

ty_tensor *reshape_like(ty_tensor *x, int rank, const int64_t *shape) {
    if (ty_ok(x) && shape_equal(ty_rank(x), ty_shape(x), rank, shape)) return x;
    return ty_reshape(x, rank, shape);
}
