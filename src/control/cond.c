/* ty_cond and ty_switch. Each branch becomes a body; all bodies have the same parameters. */
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "control/branch.h"
#include "control/loop.h"
#include "control/recorder.h"
#include "control/results.h"
#include "ops/core/operators.h"

/* State of one call; lists are in `arena`. */
struct choosing {
    const char *name;
    int nbranches, n, nresults;
    branch_function branch;
    void *context;
    uint16_t level;
    struct arena arena;
    struct fault *fault;
    struct captures captures;
    ty_tensor **x;           /* operands, resolved */
    ty_tensor **provisional; /* parameters while the branches are recorded */
    ty_tensor **roots;       /* nresults outputs of each branch, branch by branch */
};

/* Call branch `which` on x[] and check its results, which it stores in results[c->nresults]. False, with the
   fault set, on failure. */
static bool call(struct choosing *c, int which, ty_tensor *const *x, ty_tensor **results) {
    for (int i = 0; i < c->nresults; i++) results[i] = NULL;
    struct scope_fence fence = scope_fence();
    c->branch(c->context, which, x, results);
    if (!scope_fence_join(fence, c->name, c->fault)) return false;
    for (int i = 0; i < c->nresults; i++) {
        if (!results[i])
            return fault_set(c->fault, E_USER, "%s: branch %d did not set result %d", c->name, which, i);
        if (!ty_ok(results[i]))
            return fault_set(c->fault, ty_error_code(results[i]), "%s: branch %d: %s", c->name, which,
                             ty_error(results[i]));
        results[i] = tensor_resolve(results[i]);
        if (results[i]->weak) results[i] = ty_cast(results[i], results[i]->dtype);
        if (!ty_ok(results[i])) return fault_tensor_from(c->fault, c->name, results[i]);
    }
    return true;
}

/* Record all branches on new placeholders of the operands, into c->roots[]. False, with the fault set, on
   failure. */
static bool record_branches(struct choosing *c) {
    for (int i = 0; i < c->n; i++) {
        const ty_tensor *x = c->x[i];
        c->provisional[i] = parameter_new(i, x->dtype, x->layout.rank, x->layout.shape);
        if (!ty_ok(c->provisional[i])) return fault_tensor(c->fault, c->provisional[i]);
    }
    for (int i = 0; i < c->nbranches; i++)
        if (!call(c, i, c->provisional, c->roots + (ptrdiff_t)i * c->nresults)) return false;
    return true;
}

/* Make the subgraph of each branch, with n new parameters in place of originals[n], into bodies[]. False,
   with the fault set, on failure. The caller releases those made so far, also then. */
static bool make_bodies(struct choosing *c, int n, ty_tensor *const *originals, struct body **bodies) {
    ty_tensor **parameters = arena_array(&c->arena, (size_t)n + 1, sizeof *parameters);
    if (!parameters) return fault_memory(c->fault, (size_t)n * sizeof *parameters);
    for (int i = 0; i < n; i++) {
        const ty_tensor *x = originals[i];
        parameters[i] = parameter_new(i, x->dtype, x->layout.rank, x->layout.shape);
        if (!ty_ok(parameters[i])) return fault_tensor(c->fault, parameters[i]);
    }
    for (int i = 0; i < c->nbranches; i++) {
        ty_tensor **roots = c->roots + (ptrdiff_t)i * c->nresults;
        if (!substitute(c->level, n, originals, parameters, c->nresults, roots, c->fault)) return false;
        bodies[i] = body_make(n, parameters, c->nresults, roots, NULL, c->fault);
        if (!bodies[i]) return false;
    }
    return true;
}

/* Record all branches as one node, whose branch index is `which` at run time, and return it. NULL, with the
   fault set, on failure. */
static ty_tensor *build(struct choosing *c, ty_tensor *which) {
    for (int i = 0; i < c->nbranches; i++)
        if (!captures_add(&c->captures, c->level, false, c->n, c->provisional, c->nresults,
                          c->roots + (ptrdiff_t)i * c->nresults, c->fault))
            return NULL;
    int n = c->n + c->captures.count;
    ty_tensor **all = arena_array(&c->arena, 2 * (size_t)n + 1, sizeof *all), **operands = all + n;
    struct body **bodies = arena_array(&c->arena, (size_t)c->nbranches, sizeof *bodies);
    if (!all || !bodies) {
        fault_memory(c->fault, (size_t)n * sizeof *all);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        all[i] = i < c->n ? c->provisional[i] : c->captures.tensors[i - c->n];
        operands[i] = i < c->n ? c->x[i] : all[i];
    }
    ty_tensor *node = NULL;
    if (make_bodies(c, n, all, bodies)) node = branch_node(which, c->nbranches, bodies, n, operands);
    for (int i = 0; i < c->nbranches; i++)
        if (bodies[i]) body_release(bodies[i]);
    if (!node || ty_ok(node)) return node;
    fault_tensor_from(c->fault, c->name, node);
    return NULL;
}

/* Record a branch operator whose index `which` is a promise, and write its results to results[c->nresults].
   False, with the fault set, on failure. */
static bool choose_later(struct choosing *c, ty_tensor *which, ty_tensor **results) {
    size_t n = (size_t)c->n, nroots = (size_t)c->nbranches * (size_t)c->nresults;
    c->provisional = arena_array(&c->arena, n + 1, sizeof *c->provisional);
    c->roots = arena_array(&c->arena, nroots + 1, sizeof *c->roots);
    int *all = arena_array(&c->arena, (size_t)c->nresults + 1, sizeof *all);
    if (!c->provisional || !c->roots || !all) return fault_memory(c->fault, (n + nroots) * sizeof *c->roots);
    c->level = ++tensor_level;
    bool done = record_branches(c);
    tensor_level = (uint16_t)(c->level - 1);
    ty_tensor *node = done ? build(c, which) : NULL;
    for (int i = 0; i < c->nresults; i++) all[i] = i;
    if (!node) return false;
    bool well = results_of(node, c->nresults, all, results);
    for (int i = 0; i < c->nresults && !well; i++)
        if (!ty_ok(results[i])) fault_tensor_from(c->fault, c->name, results[i]);
    return well;
}

/* Replace results[], if an operand is tracked, by tensors that depend on all operands, as those of a recorded
   branch operator do. So the gradient by an operand that this branch does not use is 0 and not an error.
   False, with the fault set, on failure. */
static bool hang_on_operands(struct choosing *c, ty_tensor **results) {
    bool tracked = false;
    for (int i = 0; i < c->n; i++) tracked = tracked || (c->x[i]->tracked && record_remembers());
    if (!tracked) return true;
    ty_tensor **all = arena_array(&c->arena, (size_t)c->n + 1, sizeof *all);
    if (!all) return fault_memory(c->fault, (size_t)c->n * sizeof *all);
    for (int i = 0; i < c->n; i++) all[i + 1] = c->x[i];
    for (int i = 0; i < c->nresults; i++) {
        all[0] = results[i];
        results[i] = record(&op_barrier, NULL, 0, c->n + 1, all);
        if (!ty_ok(results[i])) return fault_tensor_from(c->fault, c->name, results[i]);
    }
    return true;
}

/* Run the branch with the index `which`, a value, from 0, into results[]. An index out of range selects the
   last branch. False, with the fault set, on failure. */
static bool choose_now(struct choosing *c, ty_tensor *which, ty_tensor **results) {
    int64_t index = 0;
    if (!ty_read(which, TY_I64, &index))
        return fault_set(c->fault, E_MEMORY, "%s: out of memory while the index of the branch was read",
                         c->name);
    if (index < 0 || index >= c->nbranches) index = c->nbranches - 1;
    return call(c, (int)index, c->x, results) && hang_on_operands(c, results);
}

/* Check the arguments, then run the branch that a value `index` selects, or record all branches for a
   promise, into results[]. False, with the fault set and results[] undefined, on failure. */
static bool run(struct choosing *c, ty_tensor *index, ty_tensor *const *x, ty_tensor **results) {
    char words[128];
    if (c->nbranches < 1 || c->n < 0 || c->nresults < 0)
        return fault_set(
            c->fault, E_ARGUMENT,
            "%s: %d branches, %d operands, %d results; expected at least one branch and no negative numbers",
            c->name, c->nbranches, c->n, c->nresults);
    if (!ty_ok(index)) return fault_tensor_from(c->fault, c->name, index);
    if (c->n && !x)
        return fault_set(c->fault, E_ARGUMENT, "%s: the array of %d tensors is NULL", c->name, c->n);
    index = tensor_resolve(index);
    if (!dtype_is(index->dtype, CLASS_INTEGER | CLASS_BOOL) || index->layout.rank)
        return fault_set(c->fault, E_DTYPE,
                         "%s: the index of the branch must be an integer or bool of shape [], not %s",
                         c->name, tensor_describe_into(words, sizeof words, index));
    c->x = arena_array(&c->arena, (size_t)c->n + 1, sizeof *c->x);
    if (!c->x) return fault_memory(c->fault, (size_t)c->n * sizeof *c->x);
    for (int i = 0; i < c->n; i++) {
        if (!ty_ok(x[i])) return fault_tensor(c->fault, x[i]);
        c->x[i] = tensor_resolve(x[i]);
        if (c->x[i]->weak) c->x[i] = ty_cast(c->x[i], c->x[i]->dtype);
        if (!ty_ok(c->x[i])) return fault_tensor(c->fault, c->x[i]);
    }
    return index->promise ? choose_later(c, ty_cast(index, TY_I64), results) : choose_now(c, index, results);
}

bool choose_by(const char *name, ty_tensor *index, int nbranches, branch_function branch, void *context,
               int n, ty_tensor *const *x, int nresults, ty_tensor **results) {
    struct fault fault = {0};
    struct choosing c = {.name = name,
                         .nbranches = nbranches,
                         .n = n,
                         .nresults = nresults,
                         .branch = branch,
                         .context = context,
                         .fault = &fault};
    if (nresults > 0 && !results) return false;
    ty_scope *scope = ty_open();
    bool done = run(&c, index, x, results);
    if (!done) fault_set(&fault, E_INTERNAL, "%s: failed without a reason", name);
    ty_tensor *bad = done ? NULL : tensor_fault(&fault);
    for (int i = 0; i < nresults; i++) {
        if (!done) results[i] = bad;
        if (scope) results[i] = ty_keep(results[i]);
    }
    captures_drop(&c.captures);
    ty_close(scope);
    arena_drop(&c.arena);
    return done;
}

/* The caller's branch functions and their common context. */
struct branches {
    const ty_branch *all;
    void *context;
};
static void call_one(void *context, int which, ty_tensor *const *x, ty_tensor **results) {
    const struct branches *b = context;
    b->all[which](b->context, x, results);
}

bool ty_cond(ty_tensor *predicate, ty_branch then, ty_branch otherwise, void *context, int n,
             ty_tensor *const *x, int nresults, ty_tensor **results) {
    struct branches both = {(ty_branch[]){then, otherwise}, context};
    char words[128];
    if (nresults > 0 && !results) return false;
    if (!then || !otherwise)
        return results_poisoned(nresults, results, ty_poison_code(E_ARGUMENT, "cond: a branch is NULL"));
    ty_scope *scope = ty_open();
    if (ty_ok(predicate) && (ty_dtype_of(predicate) != TY_BOOL || ty_rank(predicate)))
        predicate = ty_poison_code(E_DTYPE, "cond: the predicate must be bool[], not %s",
                                   tensor_describe_into(words, sizeof words, predicate));
    ty_tensor *index = ty_sub(ty_int(1), ty_cast(predicate, TY_I64));
    bool done = choose_by("cond", index, 2, call_one, &both, n, x, nresults, results);
    for (int i = 0; i < nresults && scope; i++) results[i] = ty_keep(results[i]);
    ty_close(scope);
    return done;
}

bool ty_switch(ty_tensor *index, int nbranches, const ty_branch *branches, void *context, int n,
               ty_tensor *const *x, int nresults, ty_tensor **results) {
    struct branches all = {branches, context};
    bool missing = nbranches > 0 && !branches;
    for (int i = 0; i < nbranches && !missing; i++) missing = !branches[i];
    if (missing)
        return results_poisoned(nresults, results, ty_poison_code(E_ARGUMENT, "switch: a branch is NULL"));
    return choose_by("switch", index, nbranches, call_one, &all, n, x, nresults, results);
}
