/* Nonzero: indices of the elements that are not 0.  Their count is a sum of values, so a promise is evaluated
   first, and the operator is never part of a graph.  The kernel fails if it finds another count. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/batch.h"
#include "ops/index/index.h"

struct nonzero_attr {
    int64_t count;
};

/* Set the result of nonzero in *in: i64 [rank of x, count], with the count of the attributes. False, with the
   fault set, if it is too large. */
static bool infer(struct infer *in) {
    const struct nonzero_attr *attr = in->attr;
    in->dtype = TY_I64;
    in->rank = 2;
    in->shape[0] = in->inputs[0]->layout.rank;
    in->shape[1] = attr->count;
    return infer_fits(in);
}

ATTRIBUTES(attributes, sizeof(struct nonzero_attr), FIELD(struct nonzero_attr, count, LONG));

static ty_tensor *refuse_batch(const struct batch *b) {
    return batch_refused(b, "the number of nonzero elements would differ between examples; use ty_where");
}

const struct op op_nonzero = {.name = "nonzero",
                              .kind = KERNEL_NONZERO,
                              .arity = 1,
                              .infer = infer,
                              .batch = refuse_batch,
                              .no_gradient = {"piecewise constant"},
                              .attributes = &attributes,
                              .row = -1,
                              .onnx = "NonZero",
                              .doc = "the indices, axis by axis, of the elements that are not 0"};

enum { FEW = 4 << 10 }; /* elements that are counted in less time than a sum is launched */

/* Return the number of true elements of a value of bools; -1 where that takes the sum of them. */
static int64_t count_few(const ty_tensor *x) {
    int64_t n = tensor_size(x), count = 0;
    if (n > FEW || x->promise || x->tracked || op_watch || !x->buffer || !x->buffer->data ||
        !layout_is_contiguous(&x->layout))
        return -1;
    const char *truth = tensor_data(x);
    for (int64_t i = 0; i < n; i++) count += truth[i];
    return count;
}

ty_tensor *ty_nonzero(ty_tensor *x) {
    struct nonzero_attr attr = {0};
    ty_scope *scope = ty_open();
    x = value_now("nonzero", x);
    ty_tensor *bad = ty_ok(x) ? refuse_stored("nonzero", 1, &x) : x;
    if (bad) return leave(scope, bad);
    if (ty_dtype_of(x) != TY_BOOL) x = ty_ne(x, ty_scalar(ty_dtype_of(x), 0));
    attr.count = ty_ok(x) ? count_few(tensor_resolve(x)) : -1;
    ty_tensor *sum = attr.count < 0 ? ty_sum(x, TY_ALL) : NULL;
    if (sum && !ty_read(sum, TY_I64, &attr.count))
        return leave(scope, ty_ok(sum) ? tensor_out_of_memory() : sum);
    /* result of an engine that does not compute */
    if (attr.count < 0 || attr.count > ty_size(x)) attr.count = 0;
    return leave(scope, record(&op_nonzero, &attr, sizeof attr, 1, &x));
}

ty_tensor *ty_argwhere(ty_tensor *x) {
    ty_scope *scope = ty_open();
    return leave(scope, ty_transpose(ty_nonzero(x)));
}

ty_tensor *ty_flat_nonzero(ty_tensor *x) {
    ty_scope *scope = ty_open();
    return leave(scope, ty_squeeze(ty_nonzero(index_flat(x)), 0));
}
