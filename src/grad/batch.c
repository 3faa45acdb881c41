/*
 * The walk: nodes are recorded anew in topological order by their operators' batch rules. Results are
 * released after their last use.
 */
#include "grad/batch.h"
#include <tyto/graph.h>
#include "base/alloc.h"
#include "graph/walk.h"
#include "ops/core/operators.h"
#include "ops/core/result.h"
#include "ops/shape/batch.h"

/* State of one walk; lists are indexed by node. */
struct batching {
    const struct batch_job *job;
    struct walk walk;
    ty_tensor **made; /* the replacement, retained; NULL: not made yet, or released */
    bool *differs;    /* the replacement has the batch axis */
    bool *anew;       /* the node is recorded anew */
    int64_t *uses;    /* remaining uses of the replacement, by nodes and outputs */
    /* linked list of an operator's results: head at the operator, next at each result; -1: end */
    int64_t *sibling;
    struct fault *fault;
};

/* ---- planning ---- */

/* Allocate the tables of nodes. False, with the fault set, on failure. */
static bool make_room(struct batching *b) {
    size_t n = (size_t)b->walk.count + 1;
    b->made = mem_array(n, sizeof *b->made);
    b->differs = mem_array(n, sizeof *b->differs);
    b->anew = mem_array(n, sizeof *b->anew);
    b->uses = mem_array(n, sizeof *b->uses);
    b->sibling = mem_array(n, sizeof *b->sibling);
    return (b->made && b->differs && b->anew && b->uses && b->sibling) ||
           fault_memory(b->fault, n * sizeof *b->made);
}

/* Store x, retained, as the replacement of node k. It counts as having the batch axis if its rank differs from
   the node's. */
static void put(struct batching *b, int64_t k, ty_tensor *x) {
    b->made[k] = ty_retain(x);
    b->differs[k] = ty_rank(x) != ty_rank(b->walk.nodes[k]);
}

/* Store the caller's replacements of the tensors job->x[i] that are nodes of the walk; the first one of a
   node counts. */
static void replace(struct batching *b) {
    const struct batch_job *job = b->job;
    for (int i = 0; i < job->nx; i++) {
        int64_t k = walk_place(&b->walk, tensor_resolve(job->x[i]));
        if (k < 0 || b->made[k]) continue;
        b->made[k] = ty_retain(tensor_resolve(job->replacements[i]));
        b->differs[k] = job->batched[i];
        b->anew[k] = true; /* forces users of it to be recorded anew */
    }
}

/* True if node k must be recorded again: one of its operands is, or job->values is set and it is a promise of
   this level. */
static bool is_anew(const struct batching *b, int64_t k) {
    const ty_tensor *x = b->walk.nodes[k];
    if (b->job->values && x->promise && x->level >= b->walk.level &&
        (x->ninputs || x->op->kind != KERNEL_NONE))
        return true;
    if (!walk_enters(&b->walk, x)) return false;
    for (int i = 0; i < x->ninputs; i++)
        if (b->anew[walk_operand(&b->walk, k, i)]) return true;
    return false;
}

/* Set b->anew[] for the nodes to record again, from the outputs down to replaced nodes. Set b->uses[] to the
   number of their users, and link the results of one node in b->sibling[]. */
static void plan(struct batching *b) {
    const struct walk *w = &b->walk;
    for (int64_t k = 0; k < w->count; k++) {
        b->sibling[k] = -1;
        b->anew[k] = b->anew[k] || is_anew(b, k);
    }
    for (int i = 0; i < b->job->ny; i++) b->uses[walk_place(w, tensor_resolve(b->job->y[i]))]++;
    for (int64_t k = w->count - 1; k >= 0; k--) {
        const ty_tensor *x = w->nodes[k];
        b->anew[k] = b->anew[k] && b->uses[k] && !b->made[k];
        if (!b->anew[k] || !walk_enters(w, x)) continue;
        for (int i = 0; i < x->ninputs; i++) b->uses[walk_operand(w, k, i)]++;
        if (x->op != &op_result) continue;
        int64_t of = walk_operand(w, k, 0);
        b->sibling[k] = b->sibling[of];
        b->sibling[of] = k;
    }
}

/* ---- one node ---- */

/* Return the replacement of node k, or the node itself if it has none. The caller gets no reference of its
   own. */
static ty_tensor *became(const struct batching *b, int64_t k) {
    return b->made[k] ? b->made[k] : b->walk.nodes[k];
}

/* Set x[i] to the replacement of operand i of node k, and batched[i] to true if it has the batch axis. Return
   true if one has. */
static bool operands(const struct batching *b, int64_t k, ty_tensor **x, bool *batched) {
    bool any = false;
    for (int i = 0; i < b->walk.nodes[k]->ninputs && walk_enters(&b->walk, b->walk.nodes[k]); i++) {
        int64_t of = walk_operand(&b->walk, k, i);
        x[i] = became(b, of);
        batched[i] = b->differs[of];
        any = any || batched[i];
    }
    return any;
}

/* Return y's operator recorded on x[], without the batch axis. With `values`, nothing becomes a promise, and
   a constant becomes its value x[0]. Poison on failure. */
static ty_tensor *record_again(ty_tensor *y, ty_tensor *const *x, bool values) {
    if (values && y->op == &op_constant) return x[0];
    bool lazily = record_lazily(false);
    ty_tensor *again = record(y->op, y->attr, y->attr_bytes, y->ninputs, x);
    record_lazily(lazily);
    if (ty_ok(again)) again->weak = y->weak;
    return again;
}

/* Return the replacement of a node with one result: its batch rule's result if `any` (an operand has the
   batch axis), else the operator recorded again. Poison on failure. */
static ty_tensor *make(const struct batching *b, const struct batch *node, bool any) {
    ty_tensor *y = node->y;
    if (!any) return record_again(y, node->x, b->job->values);
    if (y->layout.rank == TY_MAX_RANK)
        return batch_refused(node, "the result has the maximum number of axes and needs one more");
    return y->op->batch ? y->op->batch(node) : batch_fallback.one_by_one(node);
}

/* Make the replacements of all results of node k, an operator with several, at once. False, with the fault
   set, on failure. */
static bool make_results(struct batching *b, int64_t k, const struct batch *node) {
    int n = 0;
    for (int64_t r = b->sibling[k]; r >= 0; r = b->sibling[r]) n++;
    int *which = mem_array((size_t)n, sizeof *which);
    ty_tensor **out = mem_array((size_t)n, sizeof *out);
    bool done = (which && out) || fault_memory(b->fault, (size_t)n * sizeof *out);
    n = 0;
    for (int64_t r = b->sibling[k]; done && r >= 0; r = b->sibling[r])
        which[n++] = (int)((const struct result_attr *)b->walk.nodes[r]->attr)->index;
    const struct op *op = node->y->op;
    if (done)
        (op->batch_results ? op->batch_results : batch_fallback.results_one_by_one)(node, n, which, out);
    for (int i = 0; done && i < n; i++)
        if (!ty_ok(out[i])) done = fault_tensor(b->fault, out[i]);
    n = 0;
    for (int64_t r = b->sibling[k]; done && r >= 0; r = b->sibling[r]) put(b, r, out[n++]);
    mem_free(which);
    mem_free(out);
    return done;
}

/* Make the replacement of node k, or of all its results. False, with the fault set, on failure. */
static bool make_node(struct batching *b, int64_t k) {
    enum { USUAL = 8 };
    ty_tensor *y = b->walk.nodes[k], *room[USUAL] = {0}, **x = room;
    bool flags[USUAL] = {0}, *batched = flags;
    size_t n = (size_t)y->ninputs;
    if (n > USUAL) {
        x = mem_array(n, sizeof *x);
        batched = mem_array(n, sizeof *batched);
    }
    bool done = (x && batched) || fault_memory(b->fault, n * sizeof *x);
    if (done) {
        bool any = operands(b, k, x, batched);
        struct batch node = {y, x, batched, b->job->n};
        ty_scope *scope = ty_open();
        if (y->op->results) {
            done = make_results(b, k, &node);
        } else {
            ty_tensor *made = make(b, &node, any);
            done = ty_ok(made) || fault_tensor(b->fault, made);
            if (done) put(b, k, made);
        }
        ty_close(scope);
    }
    if (x != room) mem_free(x);
    if (batched != flags) mem_free(batched);
    return done;
}

/* Count down the uses of k's operands, and release replacements after their last use. */
static void forget_operands(struct batching *b, int64_t k) {
    const ty_tensor *x = b->walk.nodes[k];
    for (int i = 0; i < x->ninputs && walk_enters(&b->walk, x); i++) {
        int64_t of = walk_operand(&b->walk, k, i);
        if (--b->uses[of] || !b->made[of]) continue;
        ty_release(b->made[of]);
        b->made[of] = NULL;
    }
}

/* Make the replacements of all nodes to record again, in order, and release those no longer used. False, with
   the fault set, on failure. */
static bool make_all(struct batching *b) {
    for (int64_t k = 0; k < b->walk.count; k++) {
        if (!b->anew[k]) continue;
        if (!b->made[k] && !make_node(b, k)) return false; /* results are made with their operator */
        forget_operands(b, k);
    }
    return true;
}

/* Release all replacements and free the tables. */
static void end(struct batching *b) {
    for (int64_t k = 0; b->made && k < b->walk.count; k++)
        if (b->made[k]) ty_release(b->made[k]);
    mem_free(b->made);
    mem_free(b->differs);
    mem_free(b->anew);
    mem_free(b->uses);
    mem_free(b->sibling);
    walk_drop(&b->walk);
}

bool batch_graph(const struct batch_job *job, ty_tensor **out, bool *differ, struct fault *fault) {
    struct batching b = {.job = job, .walk = {.history = job->history, .level = job->level}, .fault = fault};
    bool done = walk_order(&b.walk, job->ny, job->y, fault) && make_room(&b);
    if (done) {
        replace(&b);
        plan(&b);
        done = make_all(&b);
    }
    for (int i = 0; i < job->ny && done; i++) {
        int64_t k = walk_place(&b.walk, tensor_resolve(job->y[i]));
        out[i] = tensor_share(became(&b, k));
        differ[i] = b.differs[k];
        done = ty_ok(out[i]) || fault_tensor(fault, out[i]);
    }
    end(&b);
    return done;
}

/* ---- public ---- */

/* Check that y[ny], x[nx] and batched[nx] are valid and that batched[i] has the dtype of x[i] and the shape
   [n, shape of x[i]]. False, with the fault set, if not. */
static bool check(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *batched,
                  int64_t n, struct fault *fault) {
    char given[160], expected[160];
    for (int i = 0; i < ny; i++)
        if (!ty_ok(y[i])) return fault_tensor(fault, tensor_of(y[i]));
    for (int i = 0; i < nx; i++) {
        if (!ty_ok(x[i])) return fault_tensor(fault, tensor_of(x[i]));
        if (!ty_ok(batched[i])) return fault_tensor(fault, tensor_of(batched[i]));
        const ty_tensor *one = tensor_resolve(x[i]), *all = tensor_resolve(batched[i]);
        int rank = one->layout.rank;
        if (all->dtype == one->dtype && all->layout.rank == rank + 1 && all->layout.shape[0] == n &&
            shape_equal(rank, one->layout.shape, rank, all->layout.shape + 1))
            continue;
        return fault_set(fault, E_UNSUPPORTED, "batch: the results of %lld examples of %s cannot be %s",
                         (long long)n, tensor_describe_into(expected, sizeof expected, one),
                         tensor_describe_into(given, sizeof given, all));
    }
    return true;
}

bool batch_all(int ny, ty_tensor *const *y, int nx, ty_tensor *const *x, ty_tensor *const *batched, int64_t n,
               ty_tensor **out, struct fault *fault) {
    bool *flags = mem_array((size_t)nx + (size_t)ny, sizeof *flags), *differ = flags + nx;
    struct batch_job job = {.n = n,
                            .ny = ny,
                            .nx = nx,
                            .y = y,
                            .x = x,
                            .replacements = batched,
                            .batched = flags,
                            .history = true};
    if (!flags) return fault_memory(fault, (size_t)nx + (size_t)ny);
    for (int i = 0; i < nx; i++) flags[i] = true;
    bool done = check(ny, y, nx, x, batched, n, fault) && batch_graph(&job, out, differ, fault);
    for (int i = 0; i < ny && done; i++) {
        if (!differ[i]) out[i] = batch_repeat(out[i], n);
        done = ty_ok(out[i]) || fault_tensor(fault, out[i]);
    }
    mem_free(flags);
    return done;
}
