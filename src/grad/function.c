/*
 * Derivatives of a caller's function. It is called on fresh placeholders of its operands, so that only
 * dependence through operands counts. These are views of promises and tracked values, through which outer
 * derivatives flow, and eager variables for plain values.
 */
#include <tyto/derivative.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "grad/asked.h"
#include "grad/unused.h"
#include "ops/core/operators.h"

/* Return a placeholder for x, by which f is differentiated: a tracked copy of a plain value, else a reshape
   to its own shape. Poison on failure. */
static ty_tensor *stand_in(ty_tensor *x) {
    x = tensor_resolve(x);
    if (!ty_ok(x)) return x;
    if (!x->promise && !x->tracked) return tensor_resolve(ty_track(x, x->name ? x->name : ""));
    ty_tensor *y =
        record(&op_reshape, x->layout.shape, sizeof(int64_t) * (size_t)x->layout.rank, 1, (ty_tensor *[]){x});
    return ty_ok(y) && x->name ? ty_named(y, x->name) : y;
}

/* One call of the caller's function. */
struct derivative_work {
    struct asked asked;
    int n;
    ty_tensor **x; /* placeholders of the operands; NULL after a fault */
    ty_tensor *y;  /* the function's value */
};

/* Return the state of a call of the public function `name`, with placeholders of the n operands x[].
   `function` is false if the caller's function is NULL, which is a fault. Faults are in work.asked. */
static struct derivative_work begin(const char *name, bool function, int n, ty_tensor *const *x) {
    struct derivative_work w = {.asked = asked_open(name), .n = n > 0 ? n : 0};
    struct fault *fault = &w.asked.fault;
    const ty_tensor *bad = first_poison_in(name, n, x);
    if (!function) fault_set(fault, E_ARGUMENT, "%s: the function is NULL", name);
    if (bad) fault_tensor(fault, bad);
    if (fault->set) return w;
    w.x = mem_array((size_t)n, sizeof *w.x);
    if (!w.x) fault_memory(fault, (size_t)n * sizeof *w.x);
    for (int i = 0; i < n && !fault->set; i++) {
        w.x[i] = stand_in(x[i]);
        asked_well(&w.asked, w.x[i]);
    }
    return w;
}

/* Call f on the placeholders and store its value in w->y. False, with the fault set, on failure. */
static bool call(struct derivative_work *w, ty_body f, void *context) {
    struct asked *a = &w->asked;
    if (a->fault.set) return false;
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    w->y = tensor_resolve(scope_fence_result(fence, a->name, f(context, w->x)));
    unused_allow(unused);
    if (ty_ok(w->y) && w->y->weak) w->y = ty_cast(w->y, w->y->dtype);
    return asked_well(a, w->y);
}

/* Return the state of a call of the public function `name` on n operands x[], after f was called on
   placeholders; its value is work.y. Faults are in work.asked. */
static struct derivative_work evaluate(const char *name, ty_body f, void *context, int n,
                                       ty_tensor *const *x) {
    struct derivative_work w = begin(name, f, n, x);
    call(&w, f, context);
    return w;
}

/* End a call after its result arrays were given to the caller, and free its memory. Write f's value to
   *value, unless value is NULL; poison on failure. `done` is false if something has failed before. False if
   anything failed. */
static bool finish(struct derivative_work *w, bool done, ty_tensor **value) {
    if (value) *value = w->y;
    done = asked_give(&w->asked, 1, value) && done && !w->asked.fault.set;
    asked_close(&w->asked);
    mem_free(w->x);
    return done;
}

/* Set the fault of w to the message of the first poisoned tensor among results[n], if there is one. */
static void look(struct derivative_work *w, int n, ty_tensor *const *results) {
    for (int i = 0; i < n; i++)
        if (!ty_ok(results[i])) fault_tensor_from(&w->asked.fault, w->asked.name, results[i]);
}

static bool well(const struct derivative_work *w) { return !w->asked.fault.set; }

bool ty_value_and_grad(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor **value,
                       ty_tensor **gradients) {
    if (!results_given(n, x, gradients)) return false;
    struct derivative_work w = evaluate("value_and_grad", f, context, n, x);
    if (well(&w) && !ty_grad(w.y, n, w.x, gradients)) look(&w, n, gradients);
    return finish(&w, asked_give(&w.asked, n, gradients), value);
}

/* Call f, which has n results, on the placeholders, into results[n], and store the first in w->y to be
   differentiated. False, with the fault set, on failure. */
static bool call_several(struct derivative_work *w, ty_branch f, void *context, int n, ty_tensor **results) {
    struct asked *a = &w->asked;
    if (a->fault.set) return false;
    if (n < 1) return fault_set(&a->fault, E_ARGUMENT, "%s: %d results; expected at least one", a->name, n);
    for (int i = 0; i < n; i++) results[i] = NULL;
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    f(context, w->x, results);
    unused_allow(unused);
    if (!scope_fence_join(fence, a->name, &a->fault)) return false;
    for (int i = 0; i < n; i++) {
        if (!results[i])
            return fault_set(&a->fault, E_USER, "%s: the function did not set result %d", a->name, i);
        results[i] = tensor_resolve(results[i]);
        if (!asked_well(a, results[i])) return false;
        if (results[i]->weak) results[i] = ty_cast(results[i], results[i]->dtype);
    }
    w->y = results[0];
    return true;
}

bool ty_results_and_grad(ty_branch f, void *context, int n, ty_tensor *const *x, ty_tensor **gradients,
                         int nresults, ty_tensor **results) {
    if (!results_given(n, x, gradients) || (nresults > 0 && !results)) return false;
    struct derivative_work w = begin("results_and_grad", f, n, x);
    if (call_several(&w, f, context, nresults, results) && !ty_grad(w.y, n, w.x, gradients))
        look(&w, n, gradients);
    bool done = asked_give(&w.asked, n, gradients);
    done = asked_give(&w.asked, nresults, results) && done;
    return finish(&w, done, NULL);
}

bool ty_value_and_jvp(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor *const *tangents,
                      ty_tensor **value, ty_tensor **tangent) {
    if (!tangent) return false;
    struct derivative_work w = evaluate("value_and_jvp", f, context, n, x);
    if (well(&w) && !ty_jvp(1, &w.y, n, w.x, tangents, tangent)) look(&w, 1, tangent);
    return finish(&w, asked_give(&w.asked, 1, tangent), value);
}

bool ty_value_and_vjp(ty_body f, void *context, ty_tensor *g, int n, ty_tensor *const *x, ty_tensor **value,
                      ty_tensor **gradients) {
    if (!results_given(n, x, gradients)) return false;
    struct derivative_work w = evaluate("value_and_vjp", f, context, n, x);
    if (well(&w)) asked_well(&w.asked, g);
    if (well(&w) && !ty_vjp(w.y, g, n, w.x, gradients)) look(&w, n, gradients);
    return finish(&w, asked_give(&w.asked, n, gradients), value);
}

bool ty_value_and_jacobian(ty_body f, void *context, int n, ty_tensor *const *x, int64_t max_bytes,
                           ty_tensor **value, ty_tensor **jacobians) {
    if (!results_given(n, x, jacobians)) return false;
    struct derivative_work w = evaluate("value_and_jacobian", f, context, n, x);
    if (well(&w) && !ty_jacobian(w.y, n, w.x, max_bytes, jacobians)) look(&w, n, jacobians);
    return finish(&w, asked_give(&w.asked, n, jacobians), value);
}

/* Compute the gradients of w->y by the operands into gradients[w->n], unless that is NULL or the call has
   failed. On failure the fault is set. */
static void give_gradients(struct derivative_work *w, ty_tensor **gradients) {
    if (gradients && well(w) && !ty_grad(w->y, w->n, w->x, gradients)) look(w, w->n, gradients);
}

bool ty_value_grad_and_hessian(ty_body f, void *context, int n, ty_tensor *const *x, int64_t max_bytes,
                               ty_tensor **value, ty_tensor **gradients, ty_tensor **hessians) {
    if (!results_given(n, x, hessians)) return false;
    struct derivative_work w = evaluate("value_grad_and_hessian", f, context, n, x);
    give_gradients(&w, gradients);
    if (well(&w) && !ty_hessian(w.y, n, w.x, max_bytes, hessians)) look(&w, n * n, hessians);
    bool done = asked_give(&w.asked, n * n, hessians);
    done = asked_give(&w.asked, n, gradients) && done;
    return finish(&w, done, value);
}

bool ty_value_grad_and_hvp(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor *const *v,
                           ty_tensor **value, ty_tensor **gradients, ty_tensor **results) {
    if (!results_given(n, x, results)) return false;
    struct derivative_work w = evaluate("value_grad_and_hvp", f, context, n, x);
    give_gradients(&w, gradients);
    if (well(&w) && !ty_hvp(w.y, n, w.x, v, results)) look(&w, n, results);
    bool done = asked_give(&w.asked, n, results);
    done = asked_give(&w.asked, n, gradients) && done;
    return finish(&w, done, value);
}

bool ty_value_and_laplacian(ty_body f, void *context, int n, ty_tensor *const *x, ty_tensor **value,
                            ty_tensor **laplacian) {
    if (!laplacian) return false;
    struct derivative_work w = evaluate("value_and_laplacian", f, context, n, x);
    *laplacian = well(&w) ? ty_laplacian(w.y, n, w.x) : NULL;
    if (well(&w)) look(&w, 1, laplacian);
    return finish(&w, asked_give(&w.asked, 1, laplacian), value);
}

bool ty_value_and_derivative(ty_body f, void *context, ty_tensor *x, int order, ty_tensor **value,
                             ty_tensor **derivative) {
    if (!derivative) return false;
    struct derivative_work w = evaluate("value_and_derivative", f, context, 1, &x);
    *derivative = well(&w) ? ty_derivative(w.y, w.x[0], order) : NULL;
    if (well(&w)) look(&w, 1, derivative);
    return finish(&w, asked_give(&w.asked, 1, derivative), value);
}
