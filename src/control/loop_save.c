/*
 * Chooses the values that a loop stores for its gradient. Starting from the values that the step's gradient
 * reads, the walk descends: one-pass operators (elementwise, views, copies) are computed again from their
 * operands, parameters are available, everything else is stored. A frugal loop stores nothing. Values that
 * the loop stores anyway (stacked results, carries with a history) are read from there.
 */
#include <string.h>
#include "base/alloc.h"
#include "control/loop_gradient.h"
#include "graph/walk.h"

/* Marks by node of the gradient's graph. */
struct save_choice {
    struct walk walk;
    bool *seeded;   /* depends on an incoming gradient */
    bool *varies;   /* differs from step to step */
    bool *demanded; /* read by the gradient */
};

/* True if x is computed again in the gradient instead of stored: all values of a frugal loop, else results of
   one pass over memory. */
static bool is_cheap(const struct loop_attr *a, const ty_tensor *x) {
    return a->frugal || (!is_result(x) && kernel_table[x->op->kind].light);
}

/* Set c->seeded[] for nodes that depend on a seed (an incoming gradient), and c->varies[] for nodes that
   depend on a parameter that varies from step to step. Parameters of the loop body are numbered from 0 up,
   seeds from -1 down. */
static void mark(struct save_choice *c, const struct loop_attr *a) {
    for (int64_t i = 0; i < c->walk.count; i++) {
        const ty_tensor *x = c->walk.nodes[i];
        if (is_parameter(x)) {
            c->seeded[i] = parameter_number(x) < 0;
            c->varies[i] = parameter_number(x) >= 0 && parameter_number(x) <= loop_index_parameter(a);
        }
        for (int j = 0; j < x->ninputs && walk_enters(&c->walk, x); j++) {
            int64_t below = walk_place(&c->walk, x->inputs[j]);
            c->seeded[i] = c->seeded[i] || c->seeded[below];
            c->varies[i] = c->varies[i] || c->varies[below];
        }
    }
}

/* Set c->demanded[] for the operands of x: the gradient reads them. */
static void demand_operands(struct save_choice *c, const ty_tensor *x) {
    for (int j = 0; j < x->ninputs && walk_enters(&c->walk, x); j++)
        c->demanded[walk_place(&c->walk, x->inputs[j])] = true;
}

/* Return the index of the loop body's output that equals x and that the loop stores; -1 if there is none.
   kept[i] is true if carry i has a history. */
static int stored_root(const struct loop_attr *a, const bool *kept, const ty_tensor *x) {
    for (int i = 0; i < a->ncarries + a->nstacked; i++) {
        bool stored = i < a->ncarries ? loop_history_of(a, i) >= 0 || kept[i] : !a->frugal;
        if (stored && a->body->roots[i] == x) return i;
    }
    return -1;
}

/* Decide for each value that the gradient reads if it is stored, computed again or read elsewhere, and add
   the result to *save. kept[i] is true if carry i has a history. */
static void choose(struct save_choice *c, const struct loop_attr *a, const bool *kept, struct save *save) {
    for (int64_t i = c->walk.count - 1; i >= 0; i--) {
        ty_tensor *x = c->walk.nodes[i];
        if (!c->demanded[i]) continue;
        int root = c->seeded[i] || !c->varies[i] || is_parameter(x) ? -1 : stored_root(a, kept, x);
        if (c->seeded[i]) {
            demand_operands(c, x);
        } else if (is_parameter(x)) {
            if (parameter_number(x) < loop_index_parameter(a)) save->parameters[parameter_number(x)] = true;
        } else if (root >= 0) {
            save->roots[root] = true;
        } else if (c->varies[i]) {
            if (is_cheap(a, x))
                demand_operands(c, x);
            else
                save->nodes[save->count++] = x;
        }
    }
}

/* Choose what to store for the gradient's outputs roots[n], into *save, which is cleared first. There are two
   rounds, since the first one finds the carries that have a history. False if memory runs out. */
static bool choose_knowing(struct save_choice *c, const struct loop_attr *a, int n, ty_tensor *const *roots,
                           struct save *save) {
    size_t parameters = (size_t)a->body->nparameters + 1;
    bool *kept = mem_array(parameters, sizeof *kept);
    for (int round = 0; kept && round < 2; round++) {
        memset(save->parameters, 0, parameters * sizeof(bool));
        memset(save->roots, 0, (size_t)a->body->nroots * sizeof(bool));
        memset(c->demanded, 0, (size_t)c->walk.count * sizeof(bool));
        save->count = 0;
        for (int i = 0; i < n; i++) c->demanded[walk_place(&c->walk, roots[i])] = true;
        choose(c, a, kept, save);
        for (int i = 0; i < a->ncarries; i++) kept[i] = kept[i] || save->parameters[i];
    }
    for (int i = 0; kept && i < a->ncarries; i++) /* next carries are read from the history of the carry */
        save->parameters[i] = save->parameters[i] || save->roots[i];
    mem_free(kept);
    return kept;
}

bool save_choose(struct save *save, const struct loop_attr *a, int n, ty_tensor *const *gradients,
                 struct arena *arena, struct fault *fault) {
    struct save_choice c = {0};
    int nroots = 0;
    ty_tensor **roots = arena_array(arena, (size_t)n + 1, sizeof *roots);
    for (int i = 0; roots && i < n; i++)
        if (gradients[i]) roots[nroots++] = gradients[i];
    bool done =
        roots ? walk_order(&c.walk, nroots, roots, fault) : fault_memory(fault, (size_t)n * sizeof *roots);
    size_t count = (size_t)c.walk.count + 1;
    if (done) {
        c.seeded = mem_array(count, sizeof(bool));
        c.varies = mem_array(count, sizeof(bool));
        c.demanded = mem_array(count, sizeof(bool));
        save->parameters = arena_array(arena, (size_t)a->body->nparameters + 1, sizeof(bool));
        save->roots = arena_array(arena, (size_t)a->body->nroots + 1, sizeof(bool));
        save->nodes = arena_array(arena, count, sizeof *save->nodes);
        done = c.seeded && c.varies && c.demanded && save->parameters && save->roots && save->nodes;
        if (!done) fault_memory(fault, count * sizeof *save->nodes);
    }
    if (done) {
        mark(&c, a);
        done = choose_knowing(&c, a, nroots, roots, save) || fault_memory(fault, count);
    }
    mem_free(c.seeded);
    mem_free(c.varies);
    mem_free(c.demanded);
    walk_drop(&c.walk);
    return done;
}
