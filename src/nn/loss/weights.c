/* Weights of classes. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "array/scope.h"
#include "base/machine/floating.h"
#include "nn/loss/loss.h"

ty_tensor *ty_class_weights(ty_tensor *labels, int64_t classes) {
    FLOATING_DEFAULT;
    ty_tensor *bad = first_poison_in("class_weights", 1, &labels);
    if (bad) return bad;
    if (ty_rank(labels) != 1 || !dtype_is(ty_dtype_of(labels), CLASS_INTEGER) || classes < 1)
        return refuse("class_weights", 1, &labels, E_ARGUMENT,
                      "expected labels (n) of an integer dtype, and at least one class, not %lld",
                      (long long)classes);
    ty_scope *scope = ty_open();
    ty_tensor *counts = ty_bincount(labels, NULL, classes);
    if (ty_ok(counts) && ty_size(counts) != classes)
        return leave(scope, refuse("class_weights", 1, &labels, E_INDEX, "a label is %lld; expected 0..%lld",
                                   (long long)ty_size(counts) - 1, (long long)classes - 1));
    ty_tensor *share = ty_num((double)ty_size(labels) / (double)classes);
    ty_tensor *weights = ty_div(share, ty_cast(counts, TY_F64));
    weights = ty_where(ty_eq(counts, ty_int(0)), ty_num(1), weights);
    return leave(scope, ty_cast(weights, TY_F32));
}
