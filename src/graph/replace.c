/* New graphs from old ones, for the caller: substitution of nodes, and passes of the caller's. */
#include <tyto/graph.h>
#include <tyto/walk.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "graph/rewrite.h"
#include "ops/core/structure.h"

/* State of one rebuilding. */
struct rebuilding {
    const char *name; /* of the public function */
    ty_scope *scope;  /* owns new nodes until the results are known */
    struct walk walk;
    int nroots;
    ty_tensor **roots; /* resolved once and retained: a pass may assign to variables, and release tensors */
    ty_tensor **made;  /* made[k] takes the place of walk.nodes[k] */
    ty_tensor *bad;    /* the reason of a failure, retained; NULL: none so far */
};

/* Keep the reason of a failure, a poisoned tensor. Always return false. */
static bool failed(struct rebuilding *r, ty_tensor *bad) {
    if (!r->bad) r->bad = ty_retain(bad);
    return false;
}

/* Return what takes the place of node k, for a replacement y: a promise if the node is one. */
static ty_tensor *placed(const struct rebuilding *r, int64_t k, ty_tensor *y) {
    y = tensor_resolve(y);
    return r->walk.nodes[k]->promise && !y->promise ? ty_lazy(y) : y;
}

static bool has_changed(const struct rebuilding *r, int64_t k) {
    const ty_tensor *x = r->walk.nodes[k];
    bool changed = false;
    for (int i = 0; walk_enters(&r->walk, x) && i < x->ninputs && !changed; i++)
        changed = r->made[walk_operand(&r->walk, k, i)] != x->inputs[i];
    return changed;
}

/* Return node k on what takes the place of its operands: itself if none has changed. Poison on failure. */
static ty_tensor *rebuilt(const struct rebuilding *r, int64_t k) {
    ty_tensor *x = r->walk.nodes[k];
    if (!has_changed(r, k)) return x;
    ty_tensor *operand = r->made[walk_operand(&r->walk, k, 0)];
    if (x->op == &op_constant && operand->promise) return operand;
    if (!x->promise)
        return refuse(
            r->name, 1, &x, E_UNSUPPORTED,
            "a value that depends on a replaced one cannot be computed anew: its history is for "
            "gradients, without what was detached or read; record promises (ty_var), or replace this "
            "value, too");
    ty_tensor *y = rewrite_node(&r->walk, r->made, k);
    return ty_ok(y) && x->name && *x->name ? ty_named(y, x->name) : y;
}

/* Set made[k]. New nodes get the line of source of the old one. False on failure. */
typedef bool (*make_node)(struct rebuilding *r, const void *how, int64_t k);

/* Make all nodes of the graph of n roots by `make`. False on failure. */
static bool make_all(struct rebuilding *r, make_node make, const void *how) {
    struct location here = location_now;
    bool done = true;
    for (int64_t k = 0; k < r->walk.count && done; k++) {
        location_now = location_known(&r->walk.nodes[k]->location) ? r->walk.nodes[k]->location : here;
        done = make(r, how, k) && (ty_ok(r->made[k]) || failed(r, r->made[k]));
    }
    location_now = here;
    return done;
}

/* List the graph of n roots. False on failure; end_rebuilding frees *r in any case. */
static bool begin_rebuilding(struct rebuilding *r, const char *name, int n, ty_tensor *const *roots) {
    struct fault fault = {0};
    *r = (struct rebuilding){.name = name, .scope = ty_open(), .walk.history = true};
    ty_tensor *bad = first_poison_in(name, n, roots);
    if (bad) return failed(r, bad);
    r->roots = mem_array((size_t)n, sizeof *r->roots);
    if (!r->roots) return failed(r, tensor_out_of_memory());
    for (int i = 0; i < n; i++) r->roots[r->nroots++] = ty_retain(tensor_resolve(roots[i]));
    if (!walk_order(&r->walk, n, r->roots, &fault)) return failed(r, tensor_fault(&fault));
    r->made = mem_array((size_t)r->walk.count, sizeof *r->made);
    return r->made || failed(r, tensor_out_of_memory());
}

/* Write the new roots to results[n] if `done`, else poison, and free *r. Return true if none is poisoned. */
static bool end_rebuilding(struct rebuilding *r, bool done, int n, ty_tensor **results) {
    for (int i = 0; i < n; i++)
        results[i] = ty_retain(done ? r->made[walk_place(&r->walk, r->roots[i])] : r->bad);
    if (r->bad) ty_release(r->bad);
    for (int i = 0; i < r->nroots; i++) ty_release(r->roots[i]);
    mem_free(r->roots);
    mem_free(r->made);
    walk_drop(&r->walk);
    ty_close(r->scope);
    for (int i = 0; i < n; i++) results[i] = tensor_return(results[i]);
    return results_settled(n, results) && done;
}

/* ---- substitution ---- */

/* Nodes to replace. */
struct replacing {
    struct map index; /* original -> index of its replacement */
    ty_tensor *const *replacements;
    bool *needed; /* by node: a new root may depend on what takes its place */
};

/* Fill the index with the n originals. False on failure, also if one is not in the walk. */
static bool find_originals(struct rebuilding *r, struct replacing *by, int n, ty_tensor *const *originals) {
    char words[WORDS];
    for (int i = 0; i < n; i++) {
        ty_tensor *x = tensor_resolve(originals[i]);
        if (walk_place(&r->walk, x) < 0)
            return failed(r, ty_poison_code(E_ARGUMENT,
                                            "replace: original %d, %s, is not in the graph of the roots; a "
                                            "computed value does not remember its operands",
                                            i + 1, tensor_describe_into(words, sizeof words, x)));
        int64_t *at = map_put(&by->index, map_key(x), i, NULL);
        if (!at) return failed(r, tensor_out_of_memory());
        *at = i; /* of an original that is given twice the last one counts */
    }
    return true;
}

/* Return the address of the index of node k's replacement; NULL if the node is no original. */
static const int64_t *replacement_of(const struct rebuilding *r, const struct replacing *by, int64_t k) {
    return map_find(&by->index, map_key(r->walk.nodes[k]));
}

/* Mark the nodes that the roots depend on without passing an original. False on failure. */
static bool mark_needed(struct rebuilding *r, struct replacing *by) {
    by->needed = mem_array((size_t)r->walk.count, sizeof *by->needed);
    if (!by->needed) return failed(r, tensor_out_of_memory());
    for (int i = 0; i < r->nroots; i++) by->needed[walk_place(&r->walk, r->roots[i])] = true;
    for (int64_t k = r->walk.count - 1; k >= 0; k--) {
        const ty_tensor *x = r->walk.nodes[k];
        bool enters = by->needed[k] && walk_enters(&r->walk, x) && !replacement_of(r, by, k);
        for (int i = 0; i < x->ninputs && enters; i++) by->needed[walk_operand(&r->walk, k, i)] = true;
    }
    return true;
}

static bool make_replaced(struct rebuilding *r, const void *how, int64_t k) {
    const struct replacing *by = how;
    const int64_t *found = replacement_of(r, by, k);
    if (!by->needed[k])
        r->made[k] = r->walk.nodes[k];
    else
        r->made[k] = found ? placed(r, k, by->replacements[*found]) : rebuilt(r, k);
    return true;
}

bool ty_replace(int n, ty_tensor *const *originals, ty_tensor *const *replacements, int nroots,
                ty_tensor *const *roots, ty_tensor **results) {
    if (!results_given(nroots, roots, results)) return false;
    struct rebuilding r;
    struct replacing by = {.replacements = replacements};
    bool done = begin_rebuilding(&r, "replace", nroots, roots);
    ty_tensor *bad = first_poison(n, originals);
    if (!bad) bad = first_poison(n, replacements);
    done = done && (bad ? failed(&r, bad) : find_originals(&r, &by, n, originals));
    done = done && mark_needed(&r, &by) && make_all(&r, make_replaced, &by);
    map_drop(&by.index);
    mem_free(by.needed);
    return end_rebuilding(&r, done, nroots, results);
}

/* ---- passes of the caller's ---- */

/* A pass and its context. */
struct passing {
    ty_pass pass;
    void *context;
};

static bool make_passed(struct rebuilding *r, const void *how, int64_t k) {
    const struct passing *by = how;
    struct fault fault = {0};
    ty_tensor *y = r->made[k] = rebuilt(r, k);
    if (!ty_ok(y)) return true;
    struct scope_fence fence = scope_fence();
    ty_tensor *z = by->pass(by->context, r->walk.nodes[k], y);
    if (!scope_fence_join(fence, "the pass of ty_transform", &fault)) return failed(r, tensor_fault(&fault));
    if (z) r->made[k] = placed(r, k, z);
    return true;
}

bool ty_transform(ty_pass pass, void *context, int n, ty_tensor *const *roots, ty_tensor **results) {
    if (!results_given(n, roots, results)) return false;
    struct rebuilding r;
    struct passing by = {pass, context};
    bool done = begin_rebuilding(&r, "transform", n, roots);
    if (done && !pass) done = failed(&r, ty_poison_code(E_ARGUMENT, "transform: the function is NULL"));
    done = done && make_all(&r, make_passed, &by);
    return end_rebuilding(&r, done, n, results);
}
