/*
 * Batched branches. If all examples choose the same branch, the result is a branch with batched bodies. If
 * the index differs between examples, all bodies are computed for all examples, and each example selects its
 * result.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "base/alloc.h"
#include "base/arena.h"
#include "control/branch.h"
#include "control/many.h"
#include "control/results.h"
#include "grad/batch.h"
#include "ops/shape/batch.h"

/* A branch being batched; lists are in `arena`. */
struct many {
    const struct batch *b;
    const struct branch_attr *attr;
    struct arena arena;
    struct fault fault;
    int nroots;
    ty_tensor **made; /* nbodies x nroots outputs of the batched bodies, body by body */
    bool *differs;    /* the output has the batch axis; indexed like made */
    bool *any;        /* by output: it has the batch axis in at least one body */
};

/* True if x is not poison. Else copy its message to m->fault and return false. */
static bool well(struct many *m, ty_tensor *x) { return ty_ok(x) || fault_tensor(&m->fault, x); }

/* Allocate the tables of outputs of all branches. False, with the fault set, on failure. */
static bool make_room(struct many *m) {
    m->nroots = m->attr->bodies[0].body->nroots;
    size_t n = (size_t)m->nroots * (size_t)m->attr->nbodies + 1;
    m->made = arena_array(&m->arena, n, sizeof *m->made);
    m->differs = arena_array(&m->arena, n, sizeof *m->differs);
    m->any = arena_array(&m->arena, (size_t)m->nroots + 1, sizeof *m->any);
    return (m->made && m->differs && m->any) || fault_memory(&m->fault, n * sizeof *m->made);
}

/* Return the array of m->nroots batched outputs of the branch with index `body`. */
static ty_tensor **made_of(const struct many *m, int body) { return m->made + (ptrdiff_t)body * m->nroots; }

/* Batch the outputs of the subgraph of each branch, into made_of(m, i). x[i] replaces parameter i of each,
   for operand i + 1. False, with the fault set, on failure. */
static bool make_roots(struct many *m, ty_tensor *const *x) {
    for (int i = 0; i < m->attr->nbodies; i++) {
        const struct body *f = m->attr->bodies[i].body;
        struct batch_job job = {.n = m->b->n,
                                .ny = f->nroots,
                                .nx = f->nparameters,
                                .y = f->roots,
                                .x = f->parameters,
                                .replacements = x,
                                .batched = m->b->batched + 1};
        bool *differs = m->differs + (ptrdiff_t)i * m->nroots;
        if (!batch_graph(&job, made_of(m, i), differs, &m->fault)) return false;
        for (int k = 0; k < f->nroots; k++) m->any[k] = m->any[k] || differs[k];
    }
    return true;
}

/* ---- one branch for all examples ---- */

/* Set x[i] to a new parameter for operand i + 1 of the batched branch, for each i. False, with the fault set,
   on failure. */
static bool make_parameters(struct many *m, ty_tensor **x) {
    for (int i = 1; i < m->b->y->ninputs; i++) {
        const ty_tensor *like = m->b->x[i];
        x[i - 1] = parameter_new(i - 1, like->dtype, like->layout.rank, like->layout.shape);
        if (!well(m, x[i - 1])) return false;
    }
    return true;
}

/* Make the batched subgraphs bodies[] of all branches, with parameters that are stored in x[]; outputs that
   have the batch axis in one branch get it in all. False, with the fault set, on failure. The caller releases
   those made, also then. */
static bool make_bodies(struct many *m, ty_tensor **x, struct body **bodies) {
    bool done = make_parameters(m, x) && make_roots(m, x);
    for (int i = 0; i < m->attr->nbodies && done; i++) {
        ty_tensor **roots = made_of(m, i);
        for (int k = 0; k < m->nroots && done; k++) {
            bool repeat = m->any[k] && !m->differs[i * m->nroots + k];
            if (repeat) roots[k] = batch_repeat(roots[k], m->b->n);
            done = well(m, roots[k]);
        }
        if (done) bodies[i] = body_make(m->b->y->ninputs - 1, x, m->nroots, roots, NULL, &m->fault);
        done = done && bodies[i];
    }
    return done;
}

/* Record one branch operator for all examples, whose branch index is the same, and write its results
   which[0..n) to out[]. False, with the fault set, on failure. */
static bool branch_together(struct many *m, int n, const int *which, ty_tensor **out) {
    int nbodies = m->attr->nbodies, noperands = m->b->y->ninputs - 1;
    ty_tensor **x = arena_array(&m->arena, (size_t)noperands + 1, sizeof *x);
    struct body **bodies = arena_array(&m->arena, (size_t)nbodies, sizeof *bodies);
    if (!x || !bodies) return fault_memory(&m->fault, (size_t)noperands * sizeof *x);
    ++tensor_level;
    bool done = make_bodies(m, x, bodies);
    --tensor_level;
    ty_tensor *node = done ? branch_node(m->b->x[0], nbodies, bodies, noperands, m->b->x + 1) : NULL;
    for (int i = 0; i < nbodies; i++)
        if (bodies[i]) body_release(bodies[i]);
    if (!done || !well(m, node)) return false;
    results_of(node, n, which, out);
    return true;
}

/* ---- a branch per example ---- */

/* Return output number `root`, selected for each example by its own branch index. An index out of range
   selects the last branch. Poison on failure. */
static ty_tensor *choose(const struct many *m, int root) {
    int last = m->attr->nbodies - 1, rank = ty_rank(m->attr->bodies[0].body->roots[root]);
    ty_tensor *y = made_of(m, last)[root];
    for (int i = last - 1; i >= 0; i--)
        y = ty_where(batch_align(ty_eq(m->b->x[0], ty_int(i)), rank), made_of(m, i)[root], y);
    return y;
}

/* Compute all branches for all examples and select by each example's index; write results which[0..n) to
   out[]. False, with the fault set, on failure. */
static bool branch_apart(struct many *m, int n, const int *which, ty_tensor **out) {
    if (!make_roots(m, m->b->x + 1)) return false;
    for (int i = 0; i < n; i++) {
        out[i] = choose(m, which[i]);
        if (!well(m, out[i])) return false;
    }
    return true;
}

void branch_batch(const struct batch *b, int n, const int *which, ty_tensor **out) {
    struct many m = {.b = b, .attr = b->y->attr};
    bool done = make_room(&m) &&
                (b->batched[0] ? branch_apart(&m, n, which, out) : branch_together(&m, n, which, out));
    for (int i = 0; i < n && !done; i++) out[i] = tensor_fault(&m.fault);
    arena_drop(&m.arena);
}
