/* Graphs for the caller: the list of a walk with the readers of each node, its names, and visits of parts of it. */
#include <string.h>
#include <tyto/walk.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "graph/walk.h"
#include "ops/core/structure.h"

/* A use of a node: operand `operand` of node `reader`. */
struct use {
    int64_t reader;
    int operand;
};
/* A node that has a name; `next` is the following one whose name has the same hash, an index in the list, or -1. */
struct named {
    int64_t node, next;
};

/* A walk of the caller's. It never changes after ty_walk_new. */
struct ty_walk {
    struct walk walk;
    struct fault broken;
    int nroots;
    ty_tensor **roots; /* resolved, retained; they keep all nodes */
    int64_t *first;    /* uses[first[k] .. first[k+1]) are those of node k */
    struct use *uses;
    int64_t nnamed, named_room;
    struct named *named;
    struct map names; /* hash of a name -> index in named of the first node */
};

static struct ty_walk null_walk = {.broken = {true, E_ARGUMENT, "walk: the walk is NULL"}};
static struct ty_walk no_memory = {
    .broken = {true, E_MEMORY, "out of memory: a walk could not be allocated"}};
static const struct ty_walk *walk_of(const struct ty_walk *w) { return w ? w : &null_walk; }

/* ---- construction ---- */

/* Resolve and retain the roots. False, with the fault set, if one is poisoned or memory runs out. */
static bool take_roots(struct ty_walk *w, int n, ty_tensor *const *roots) {
    ty_scope *scope = ty_open();
    ty_tensor *bad = first_poison_in("walk_new", n, roots);
    if (bad) fault_tensor(&w->broken, bad);
    ty_close(scope);
    if (bad) return false;
    w->roots = mem_array((size_t)n, sizeof(ty_tensor *));
    if (!w->roots) return fault_memory(&w->broken, (size_t)n * sizeof(ty_tensor *));
    for (int i = 0; i < n; i++) w->roots[w->nroots++] = ty_retain(tensor_resolve(roots[i]));
    return true;
}

/* Fill first[] and uses[] from the operands of the walk, by counting. False without memory, with no fault set. */
static bool take_uses(struct ty_walk *w) {
    const struct walk *of = &w->walk;
    w->first = mem_array((size_t)of->count + 2, sizeof *w->first);
    w->uses = mem_array((size_t)of->edges, sizeof *w->uses);
    if (!w->first || !w->uses) return false;
    for (int64_t e = 0; e < of->edges; e++) w->first[of->operands[e] + 2]++;
    for (int64_t k = 0; k < of->count; k++) w->first[k + 1] += w->first[k];
    for (int64_t k = 0; k < of->count; k++)
        for (int i = 0; i < of->nodes[k]->ninputs && walk_enters(of, of->nodes[k]); i++)
            w->uses[w->first[walk_operand(of, k, i) + 1]++] = (struct use){k, i};
    return true;
}

static uint64_t hash_of(const char *name) { return hash_bytes(name, strlen(name)); }

/* Fill the index of names, from the last node to the first, so that chains ascend. False without memory, with no fault
   set. */
static bool take_names(struct ty_walk *w) {
    bool is_new;
    for (int64_t k = w->walk.count - 1; k >= 0; k--) {
        const char *name = w->walk.nodes[k]->name;
        if (!name || !*name) continue;
        int64_t *first = map_put(&w->names, hash_of(name), -1, &is_new);
        if (!first || !list_append(w->named, w->nnamed, w->named_room, (struct named){k, *first}))
            return false;
        *first = w->nnamed - 1;
    }
    return true;
}

/* Free the contents of *w but not its fault. */
static void drop(struct ty_walk *w) {
    for (int i = 0; i < w->nroots; i++) ty_release(w->roots[i]);
    mem_free(w->roots);
    mem_free(w->first);
    mem_free(w->uses);
    mem_free(w->named);
    map_drop(&w->names);
    walk_drop(&w->walk);
    *w = (struct ty_walk){.broken = w->broken};
}

ty_walk *ty_walk_new(int n, ty_tensor *const *roots) {
    struct ty_walk *w = mem_alloc(sizeof *w);
    if (!w) return &no_memory;
    w->walk.history = true;
    bool done = take_roots(w, n, roots) && walk_order(&w->walk, n, w->roots, &w->broken);
    if (done && !(take_uses(w) && take_names(w)))
        done = fault_memory(&w->broken, (size_t)(w->walk.count + w->walk.edges) * sizeof *w->uses);
    if (!done) drop(w);
    return w;
}

void ty_walk_free(ty_walk *w) {
    if (!w || w == &no_memory) return;
    drop(w);
    mem_free(w);
}

const char *ty_walk_error(const ty_walk *w) { return walk_of(w)->broken.text; }
ty_tensor *ty_walk_failure(const ty_walk *w) { return tensor_failure(&walk_of(w)->broken); }

/* ---- nodes ---- */

static bool has_node(const struct ty_walk *w, int64_t node) { return node >= 0 && node < w->walk.count; }

/* Set the fault that the walk has no such node, or the fault of the walk. Always return false. */
static bool no_node(const struct ty_walk *w, const char *name, int64_t node, struct fault *fault) {
    if (w->broken.set) return fault_copy(fault, &w->broken);
    return fault_set(fault, E_INDEX, "%s: node %lld is out of bounds for a walk of %lld nodes", name,
                     (long long)node, (long long)w->walk.count);
}

int64_t ty_walk_nodes(const ty_walk *walk) { return walk_of(walk)->walk.count; }

ty_tensor *ty_walk_node(const ty_walk *walk, int64_t node) {
    const struct ty_walk *w = walk_of(walk);
    struct fault fault = {0};
    if (has_node(w, node)) return w->walk.nodes[node];
    no_node(w, "walk_node", node, &fault);
    return tensor_fault(&fault);
}

int64_t ty_walk_index(const ty_walk *walk, const ty_tensor *x) {
    return walk_place(&walk_of(walk)->walk, tensor_resolve(x));
}

int64_t ty_walk_operand(const ty_walk *walk, int64_t node, int i) {
    const struct ty_walk *w = walk_of(walk);
    bool has = has_node(w, node) && walk_enters(&w->walk, w->walk.nodes[node]) && i >= 0 &&
               i < w->walk.nodes[node]->ninputs;
    return has ? walk_operand(&w->walk, node, i) : -1;
}

int64_t ty_walk_consumers(const ty_walk *walk, int64_t node) {
    const struct ty_walk *w = walk_of(walk);
    return has_node(w, node) ? w->first[node + 1] - w->first[node] : 0;
}

int64_t ty_walk_consumer(const ty_walk *walk, int64_t node, int64_t i, int *operand) {
    const struct ty_walk *w = walk_of(walk);
    struct use none = {-1, -1}, use = none;
    if (i >= 0 && i < ty_walk_consumers(walk, node)) use = w->uses[w->first[node] + i];
    if (operand) *operand = use.operand;
    return use.reader;
}

int64_t ty_walk_find(const ty_walk *walk, const char *name, int64_t from) {
    const struct ty_walk *w = walk_of(walk);
    const int64_t *first = name && *name ? map_find(&w->names, hash_of(name)) : NULL;
    for (int64_t at = first ? *first : -1; at >= 0; at = w->named[at].next) {
        const char *mine = w->walk.nodes[w->named[at].node]->name;
        if (w->named[at].node >= from && mine && !strcmp(mine, name)) return w->named[at].node;
    }
    return -1;
}

/* ---- visits ---- */

/* Arguments of a visit. */
struct visit {
    const struct ty_walk *walk;
    int64_t node;
    bool down; /* to the operands, else to the readers */
    ty_walk_order order;
    ty_node_visitor visit;
    void *context;
};

/* Mark the node of *v and all that it is computed from. */
static void mark_ancestors(const struct visit *v, bool *marks) {
    const struct walk *w = &v->walk->walk;
    for (int64_t k = v->node; k >= 0; k--)
        for (int i = 0; marks[k] && walk_enters(w, w->nodes[k]) && i < w->nodes[k]->ninputs; i++)
            marks[walk_operand(w, k, i)] = true;
}

/* Mark the node of *v and all that is computed from it. */
static void mark_descendants(const struct visit *v, bool *marks) {
    const struct ty_walk *w = v->walk;
    for (int64_t k = v->node; k < w->walk.count; k++)
        for (int64_t i = w->first[k]; marks[k] && i < w->first[k + 1]; i++) marks[w->uses[i].reader] = true;
}

/* Call the function of *v on the marked nodes first .. last, in its order. Return the number of calls. */
static int64_t call_on_marked(const struct visit *v, const bool *marks, int64_t first, int64_t last) {
    int64_t step = v->order == TY_OPERANDS_FIRST ? 1 : -1, calls = 0;
    bool more = true;
    for (int64_t k = step > 0 ? first : last; k >= first && k <= last && more; k += step) {
        if (!marks[k]) continue;
        struct scope_fence fence = scope_fence();
        more = v->visit(v->context, k, v->walk->walk.nodes[k]);
        scope_fence_end(fence);
        calls++;
    }
    return calls;
}

/* Return true if the arguments of *v are valid; else set the fault in the name of a function. */
static bool check_visit(const struct visit *v, const char *name, struct fault *fault) {
    if (!has_node(v->walk, v->node)) return no_node(v->walk, name, v->node, fault);
    if (!v->visit) return fault_set(fault, E_ARGUMENT, "%s: the function is NULL", name);
    return v->order == TY_OPERANDS_FIRST || v->order == TY_CONSUMERS_FIRST ||
           fault_set(fault, E_ARGUMENT,
                     "%s: unknown order %d; expected TY_OPERANDS_FIRST or TY_CONSUMERS_FIRST", name,
                     (int)v->order);
}

/* Do the visit of *v, in the name of a function. Return the number of visited nodes; -1 on failure, with the reason in
   *error unless that is NULL. */
static int64_t visit(const struct visit *v, const char *name, ty_tensor **error) {
    struct fault fault = {0};
    int64_t calls = -1;
    size_t count = (size_t)v->walk->walk.count;
    bool *marks = check_visit(v, name, &fault) ? mem_array(count, sizeof *marks) : NULL;
    if (marks) {
        marks[v->node] = true;
        (v->down ? mark_ancestors : mark_descendants)(v, marks);
        int64_t first = v->down ? 0 : v->node, last = v->down ? v->node : v->walk->walk.count - 1;
        calls = call_on_marked(v, marks, first, last);
        mem_free(marks);
    } else if (!fault.set) {
        fault_memory(&fault, count);
    }
    if (error) *error = fault.set ? tensor_fault(&fault) : NULL;
    return calls;
}

int64_t ty_walk_ancestors(const ty_walk *walk, int64_t node, ty_walk_order order, ty_node_visitor function,
                          void *context, ty_tensor **error) {
    struct visit v = {walk_of(walk), node, true, order, function, context};
    return visit(&v, "walk_ancestors", error);
}

int64_t ty_walk_descendants(const ty_walk *walk, int64_t node, ty_walk_order order, ty_node_visitor function,
                            void *context, ty_tensor **error) {
    struct visit v = {walk_of(walk), node, false, order, function, context};
    return visit(&v, "walk_descendants", error);
}
