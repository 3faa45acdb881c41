/* Values of tensors: promises are computed by the evaluator, all others are returned.  The value of a tracked
   promise keeps the promise's operator and operands as its history, so evaluation does not cut gradients. */
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "ops/core/evaluator.h"
#include "ops/core/op.h"

/* Collect the promises among x[n] into distinct[] (room for n), in their order, and return their number.
   which[i] is the index in distinct[] of x[i], or -1 if x[i] is no promise. */
static int find_promises(int n, ty_tensor *const *x, ty_tensor **distinct, int *which) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        ty_tensor *y = tensor_resolve(x[i]);
        which[i] = -1;
        if (!ty_ok(y) || !y->promise) continue;
        which[i] = count;
        distinct[count++] = y;
    }
    return count;
}

/* Return a new tensor of `value` with operator and operands of `promise`, so that gradients flow through it;
   the caller owns the reference. NULL if memory runs out. If the promise reads a variable (ty_var), which may
   have changed since, taking its gradient is an error. */
static ty_tensor *with_history(ty_tensor *promise, ty_tensor *value) {
    if (promise->varies)
        return value_without_gradient("eval",
                                      "the promise reads a variable (ty_var) that may have changed since it "
                                      "was evaluated; differentiate the promise, or ty_detach the value",
                                      promise, value);
    size_t bytes = promise->attr_bytes;
    ty_tensor *y = value_from(promise->op, value, promise->ninputs, bytes);
    if (!y) return NULL;
    if (bytes) memcpy(y->attr, promise->attr, bytes);
    if (bytes && promise->op->attr_retain) promise->op->attr_retain(y->attr);
    y->attr_release = promise->attr_release;
    for (int i = 0; i < promise->ninputs; i++) tensor_set_input(y, i, promise->inputs[i]);
    y->weak = value->weak;
    y->tracked = true;
    tensor_remembers(y);
    return y;
}

/* Return `value` with the history of `promise` if that is tracked, else `value` itself. Takes over the
   caller's reference to `value`, and returns one that the caller owns. NULL if memory runs out. */
static ty_tensor *remembered(ty_tensor *promise, ty_tensor *value) {
    if (!promise->tracked || !record_remembers()) return value;
    ty_tensor *y = with_history(promise, value);
    ty_release(value);
    return y;
}

bool ty_eval_all(int n, ty_tensor *const *x, ty_tensor **values) {
    if (!results_given(n, x, values)) return false;
    struct fault fault = {0};
    size_t room = n > 0 ? (size_t)n : 0;
    ty_tensor **promises = mem_array(room, sizeof *promises), **results = mem_array(room, sizeof *results);
    int *which = mem_array(room, sizeof *which);
    bool fits = promises && results && which;
    bool lazily = record_lazily(false); /* the evaluator's own operators compute at once */
    int count = fits ? find_promises(n, x, promises, which) : 0;
    bool done = fits ? count == 0 || evaluator.evaluate(count, promises, results, &fault)
                     : fault_memory(&fault, room * sizeof *results);
    if (!done) fault_set(&fault, E_INTERNAL, "eval: failed without a reason");
    record_lazily(lazily);
    for (int i = 0; i < count && done; i++) results[i] = remembered(promises[i], results[i]);
    for (int i = 0; i < n; i++) {
        if (fits && which[i] < 0)
            values[i] = tensor_share(tensor_resolve(x[i]));
        else
            values[i] = done ? tensor_return(results[which[i]]) : tensor_fault(&fault);
    }
    mem_free(promises);
    mem_free(results);
    mem_free(which);
    return results_settled(n, values) && done;
}

ty_tensor *ty_eval(ty_tensor *x) {
    ty_tensor *value;
    x = tensor_resolve(x);
    if (!x->promise) return tensor_share(x);
    ty_eval_all(1, &x, &value);
    return value;
}
