/*
 * ty_fuse: calls the body on promises of the operands and evaluates the recorded graph at once. Tensors that
 * the body captures count as operands: tracked values keep their history, and a captured promise makes the
 * result a promise.
 */
#include <tyto/graph.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "control/recorder.h"
#include "ops/core/bound.h"
#include "ops/core/structure.h"

static ty_tensor *call(ty_body body, void *context, ty_tensor *const *x) {
    struct scope_fence fence = scope_fence();
    return scope_fence_result(fence, "fuse", body(context, x));
}

/* Return the evaluated result of the function `body` on promises of x[n], which are values. If it reads a
   promise from outside, return the result as a promise. x[] is overwritten by promises. Poison on failure. */
static ty_tensor *fuse(ty_body body, void *context, int n, ty_tensor **x) {
    struct fault fault = {0};
    bool outside = false;
    uint16_t level = bound_open();
    for (int i = 0; i < n; i++) x[i] = ty_lazy(x[i]);
    ty_tensor *y = tensor_resolve(call(body, context, x));
    bound_close();
    if (!ty_ok(y)) return y;
    if (!reads_promises(level, 0, NULL, 1, &y, &outside, &fault)) return tensor_fault(&fault);
    return outside ? y : ty_eval(y);
}

ty_tensor *ty_fuse(ty_body body, void *context, int n, ty_tensor *const *x) {
    ty_tensor *bad = body ? first_poison(n, x) : ty_poison_code(E_ARGUMENT, "fuse: the body is NULL");
    if (bad) return bad;
    if (!all_plain(n, x)) return call(body, context, x);
    ty_scope *scope = ty_open();
    ty_tensor **promises = mem_array((size_t)n, sizeof *promises);
    if (!promises) return leave(scope, tensor_out_of_memory());
    for (int i = 0; i < n; i++) promises[i] = x[i];
    ty_tensor *y = fuse(body, context, n, promises);
    mem_free(promises);
    return leave(scope, y);
}
