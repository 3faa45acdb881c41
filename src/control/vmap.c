/*
 * ty_vmap: calls the body on parameters for one example and batches what it records (grad/batch.h). Plain
 * values are batched as a graph, which is then evaluated. Tracked values are batched operator by operator, so
 * that the results have a history.
 */
#include <tyto/batch.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/scope.h"
#include "base/arena.h"
#include "control/recorder.h"
#include "grad/batch.h"
#include "ops/shape/batch.h"

/* State of one call; lists are in `arena`. */
struct vmap {
    int n, nresults, nbatched;
    ty_tensor *const *given;
    const int *axes, *out_axes;
    int64_t size; /* number of examples; -1: not known yet */
    int which;    /* operand that determined `size` */
    uint16_t level;
    struct arena arena;
    struct fault *fault;
    ty_tensor **x;          /* operands of the body */
    ty_tensor **batched;    /* operands with the batch axis first */
    ty_tensor **parameters; /* parameters for one example */
    ty_tensor **y;          /* results */
    bool *flags, *differ;
};

/* Allocate the tables of operands and results. False, with the fault set, on failure. */
static bool make_room(struct vmap *v) {
    size_t n = (size_t)v->n + 1, results = (size_t)v->nresults + 1;
    v->x = arena_array(&v->arena, n, sizeof *v->x);
    v->batched = arena_array(&v->arena, n, sizeof *v->batched);
    v->parameters = arena_array(&v->arena, n, sizeof *v->parameters);
    v->flags = arena_array(&v->arena, n, sizeof *v->flags);
    v->y = arena_array(&v->arena, results, sizeof *v->y);
    v->differ = arena_array(&v->arena, results, sizeof *v->differ);
    return (v->x && v->batched && v->parameters && v->flags && v->y && v->differ) ||
           fault_memory(v->fault, (n + results) * sizeof *v->x);
}

/* ---- operands ---- */

/* Return x with axis `from` moved to index `to` of the result's axes; both count from 0. */
static ty_tensor *moved(ty_tensor *x, int from, int to) {
    int order[TY_MAX_RANK], n = 0;
    for (int i = 0; i < ty_rank(x); i++) {
        if (n == from) n++;
        order[i] = i == to ? from : n++;
    }
    return from == to ? x : ty_permute(x, order);
}

/* Check that operand i has as many examples, `size`, as the operands before it, and store the number. False,
   with the fault set, if not. */
static bool check_size(struct vmap *v, int i, int64_t size) {
    char words[160], other[160];
    if (v->size >= 0 && v->size != size)
        return fault_set(v->fault, E_SHAPE,
                         "vmap: x[%d], %s, has %lld examples along axis %d, and x[%d], %s, has %lld along "
                         "axis %d; the numbers must match",
                         i, tensor_describe_into(words, sizeof words, tensor_resolve(v->given[i])),
                         (long long)size, v->axes ? v->axes[i] : 0, v->which,
                         tensor_describe_into(other, sizeof other, tensor_resolve(v->given[v->which])),
                         (long long)v->size, v->axes ? v->axes[v->which] : 0);
    if (v->size < 0) v->which = i;
    v->size = size;
    return true;
}

/* Set the argument for operand i of the user's function: a parameter for one example if it has a batch axis,
   else the operand. False, with the fault set, on failure. */
static bool take_operand(struct vmap *v, int i) {
    char words[160];
    ty_tensor *given = v->given[i], *x = tensor_resolve(given);
    int axis = v->axes ? v->axes[i] : 0, rank = ty_rank(x), place = axis < 0 ? axis + rank : axis;
    v->x[i] = given;
    if (!ty_ok(x)) return fault_tensor(v->fault, x);
    if (axis == TY_NO_AXIS) return true;
    if (axis < -rank || axis >= rank)
        return fault_set(v->fault, E_INDEX,
                         "vmap: x[%d] is %s, so axis %d of its examples is out of bounds; use TY_NO_AXIS for "
                         "an operand without examples",
                         i, tensor_describe_into(words, sizeof words, x), axis);
    if (!check_size(v, i, ty_shape(x)[place])) return false;
    ty_tensor *front = moved(x, place, 0);
    if (!ty_ok(front)) return fault_tensor(v->fault, front);
    ty_tensor *p = parameter_new(v->nbatched, x->dtype, rank - 1, ty_shape(front) + 1);
    if (!ty_ok(p)) return fault_tensor(v->fault, p);
    v->batched[v->nbatched] = front;
    v->flags[v->nbatched] = true;
    v->parameters[v->nbatched++] = v->x[i] = p;
    return true;
}

/* Prepare all operands; one at least must have a batch axis. False, with the fault set, on failure. */
static bool take_operands(struct vmap *v) {
    for (int i = 0; i < v->n; i++)
        if (!take_operand(v, i)) return false;
    return v->nbatched ||
           fault_set(v->fault, E_ARGUMENT,
                     "vmap: none of the %d operands has an axis of examples, so their number is unknown",
                     v->n);
}

/* ---- the body ---- */

/* Call the user's function on one example and check its results. False, with the fault set, on failure. */
static bool call(struct vmap *v, ty_branch body, void *context) {
    struct scope_fence fence = scope_fence();
    body(context, v->x, v->y);
    if (!scope_fence_join(fence, "vmap", v->fault)) return false;
    for (int i = 0; i < v->nresults; i++) {
        if (!v->y[i]) return fault_set(v->fault, E_USER, "vmap: the body did not set result %d", i);
        if (!ty_ok(v->y[i]))
            return fault_set(v->fault, ty_error_code(v->y[i]), "vmap: result %d: %s", i, ty_error(v->y[i]));
        v->y[i] = tensor_resolve(v->y[i]);
        if (v->y[i]->weak) v->y[i] = ty_cast(v->y[i], v->y[i]->dtype);
        if (!ty_ok(v->y[i])) return fault_tensor(v->fault, v->y[i]);
    }
    return true;
}

/* ---- the batch ---- */

enum kind { VALUES, REMEMBERED, PROMISES };

/* Set *kind of the results. PROMISES: an operand or a capture is a promise. Else REMEMBERED: an operand
   depends on a variable, or history is recorded and an operand or result is tracked. Else VALUES. False, with
   the fault set, on failure. */
static bool find_kind(struct vmap *v, enum kind *kind) {
    bool promises;
    *kind = VALUES;
    for (int i = 0; i < v->nbatched; i++) {
        const ty_tensor *x = v->batched[i];
        if ((x->tracked && record_remembers()) || x->varies) *kind = REMEMBERED;
    }
    for (int i = 0; i < v->nresults; i++)
        if (v->y[i]->tracked && record_remembers()) *kind = REMEMBERED;
    if (!reads_promises(v->level, v->nbatched, v->parameters, v->nresults, v->y, &promises, v->fault))
        return false;
    for (int i = 0; i < v->nbatched; i++) promises = promises || v->batched[i]->promise;
    if (promises) *kind = PROMISES;
    return true;
}

/* Replace the results v->y[] by those of all examples, with the batch axis first if they differ; `kind` says
   how they are computed. False, with the fault set, on failure. */
static bool batch(struct vmap *v, enum kind kind) {
    struct batch_job job = {.n = v->size,
                            .ny = v->nresults,
                            .nx = v->nbatched,
                            .y = v->y,
                            .x = v->parameters,
                            .replacements = v->batched,
                            .batched = v->flags,
                            .values = kind == REMEMBERED,
                            .level = v->level};
    for (int i = 0; i < v->nbatched && kind == VALUES; i++) {
        v->batched[i] = ty_lazy(v->batched[i]);
        if (!ty_ok(v->batched[i])) return fault_tensor(v->fault, v->batched[i]);
    }
    return batch_graph(&job, v->y, v->differ, v->fault);
}

/* Move the batch axis of result i to out_axes[i], repeating the result if it is the same for all examples.
   False, with the fault set, on failure. */
static bool place_result(struct vmap *v, int i) {
    char words[160];
    int axis = v->out_axes ? v->out_axes[i] : 0, rank = ty_rank(v->y[i]) + !v->differ[i];
    if (axis == TY_NO_AXIS) {
        return !v->differ[i] ||
               fault_set(v->fault, E_SHAPE,
                         "vmap: result %d, %s, depends on the example; its axis cannot be TY_NO_AXIS", i,
                         tensor_describe_into(words, sizeof words, v->y[i]));
    }
    if (axis < -rank || axis >= rank)
        return fault_set(v->fault, E_INDEX, "vmap: the axis of result %d must be in %d..%d, not %d", i, -rank,
                         rank - 1, axis);
    if (!v->differ[i]) v->y[i] = batch_repeat(v->y[i], v->size);
    if (ty_ok(v->y[i])) v->y[i] = moved(v->y[i], 0, axis < 0 ? axis + rank : axis);
    return ty_ok(v->y[i]) || fault_tensor(v->fault, v->y[i]);
}

/* Compute all results as values. False, with the fault set, on failure. */
static bool evaluate(struct vmap *v) {
    if (ty_eval_all(v->nresults, v->y, v->y)) return true;
    for (int i = 0; i < v->nresults; i++)
        if (!ty_ok(v->y[i]))
            return fault_set(v->fault, ty_error_code(v->y[i]), "vmap: %s", ty_error(v->y[i]));
    return true;
}

/* Call the function on one example, batch its results and move their batch axes; values are evaluated. False,
   with the fault set, on failure. */
static bool run(struct vmap *v, ty_branch body, void *context) {
    enum kind kind;
    v->level = ++tensor_level;
    bool done = make_room(v) && take_operands(v) && call(v, body, context);
    --tensor_level;
    if (!done || !find_kind(v, &kind) || !batch(v, kind)) return false;
    for (int i = 0; i < v->nresults; i++)
        if (!place_result(v, i)) return false;
    return kind != VALUES || evaluate(v);
}

bool ty_vmap(ty_branch body, void *context, int n, ty_tensor *const *x, const int *axes, int nresults,
             ty_tensor **results, const int *out_axes) {
    struct fault fault = {0};
    struct vmap v = {.n = n,
                     .nresults = nresults,
                     .given = x,
                     .axes = axes,
                     .out_axes = out_axes,
                     .size = -1,
                     .fault = &fault};
    if (nresults > 0 && !results) return false;
    ty_scope *scope = ty_open();
    if (n < 0 || nresults < 0)
        fault_set(&fault, E_ARGUMENT,
                  "vmap: a negative number of operands (%d) or results (%d); expected 0 or more", n,
                  nresults);
    else if (!body || (n && !x))
        fault_set(&fault, E_ARGUMENT, "vmap: %s is NULL", body ? "the array of operands" : "the body");
    bool done = !fault.set && run(&v, body, context);
    if (!done) fault_set(&fault, E_INTERNAL, "vmap: failed without a reason");
    ty_tensor *bad = done ? NULL : tensor_fault(&fault);
    for (int i = 0; i < nresults; i++) {
        results[i] = done ? v.y[i] : bad;
        if (scope) results[i] = ty_keep(results[i]);
    }
    ty_close(scope);
    arena_drop(&v.arena);
    return done;
}
