#include "grad/asked.h"
#include <tyto/graph.h>
#include "grad/reverse.h"
#include "grad/unused.h"
#include "ops/core/op.h"

struct asked asked_open(const char *name) {
    return (struct asked){
        .name = name, .scope = ty_open(), .remembers = ty_set_history(true), .unused = unused_allowed()};
}

bool asked_give(struct asked *a, int n, ty_tensor **results) {
    ty_tensor *bad = a->fault.set ? tensor_fault(&a->fault) : NULL;
    if (bad) results_poisoned(n, results, bad);
    for (int i = 0; results && i < n; i++) {
        bool cut = !a->remembers && ty_ok(results[i]) && !ty_is_promise(results[i]);
        if (cut) results[i] = ty_detach(results[i]);
    }
    bool done = !bad && (!results || results_settled(n, results));
    for (int i = 0; results && a->scope && i < n; i++) results[i] = ty_keep(results[i]);
    return done;
}

void asked_close(struct asked *a) {
    ty_set_history(a->remembers);
    unused_allow(a->unused);
    ty_close(a->scope);
}

bool asked_well(struct asked *a, const ty_tensor *x) {
    return ty_ok(x) || fault_tensor_from(&a->fault, a->name, x);
}

bool asked_check(struct asked *a, const ty_tensor *y, int n, ty_tensor *const *x, bool real) {
    char words[160];
    int classes = CLASS_FLOAT | (real ? 0 : CLASS_COMPLEX);
    const ty_tensor *bad = first_poison_in(a->name, n, x);
    if (bad) return fault_tensor(&a->fault, bad);
    if (!asked_well(a, y)) return false;
    for (int i = -1; i < n; i++) {
        const ty_tensor *one = tensor_resolve(i < 0 ? y : x[i]);
        if (dtype_is(one->dtype, classes)) continue;
        tensor_describe_into(words, sizeof words, tensor_of(i < 0 ? y : x[i]));
        if (has_gradient(one) && i < 0)
            return fault_set(&a->fault, E_DTYPE, "%s: y is %s; differentiate ty_real or ty_imag of y",
                             a->name, words);
        if (has_gradient(one))
            return fault_set(&a->fault, E_DTYPE, "%s: x[%d] is %s; make it from two real tensors, its parts",
                             a->name, i, words);
        if (i < 0)
            return fault_set(&a->fault, E_DTYPE,
                             "%s: y is %s; only floating and complex tensors have derivatives", a->name,
                             words);
        return fault_set(&a->fault, E_DTYPE,
                         "%s: x[%d] is %s; only floating and complex tensors have derivatives", a->name, i,
                         words);
    }
    if (!unused_check_of(a->name, (ty_tensor *)(uintptr_t)y, n, x, &a->fault)) return false;
    unused_allow(true);
    return true;
}
