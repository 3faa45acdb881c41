/*
 * What a loop saves for its gradient.  The step's gradient is a graph over the step's own values; those that it reads
 * are followed down: what one pass over memory makes (elementwise operators, views, copies) is computed again from its
 * operands, parameters of the body are at hand, the rest is saved.  A frugal loop saves nothing.
 */
#include "base/alloc.h"
#include "control/loop_gradient.h"
#include "graph/walk.h"

struct choice {
    struct walk walk;
    bool *seeded;   /* it hangs on what flows in */
    bool *varies;   /* it differs from step to step */
    bool *demanded; /* the gradient reads it */
};

static bool is_cheap(const struct loop_attr *a, const ty_tensor *x) {
    enum kernel_kind kind = x->op->kind;
    if (a->frugal) return true;
    return !is_result(x) && (kind == KERNEL_MAP || kind == KERNEL_NONE || kind == KERNEL_COPY ||
                             kind == KERNEL_PAD || kind == KERNEL_CONCAT || kind == KERNEL_IOTA);
}

/* Parameters of the body count up from 0, seeds down from -1. */
static void mark(struct choice *c, const struct loop_attr *a) {
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

static void demand_operands(struct choice *c, const ty_tensor *x) {
    for (int j = 0; j < x->ninputs && walk_enters(&c->walk, x); j++)
        c->demanded[walk_place(&c->walk, x->inputs[j])] = true;
}

static void choose(struct choice *c, const struct loop_attr *a, struct save *save) {
    for (int64_t i = c->walk.count - 1; i >= 0; i--) {
        ty_tensor *x = c->walk.nodes[i];
        if (!c->demanded[i]) continue;
        if (c->seeded[i]) {
            demand_operands(c, x);
        } else if (is_parameter(x)) {
            if (parameter_number(x) < loop_index_parameter(a)) save->parameters[parameter_number(x)] = true;
        } else if (c->varies[i]) {
            if (is_cheap(a, x))
                demand_operands(c, x);
            else
                save->nodes[save->count++] = x;
        }
    }
}

bool save_choose(struct save *save, const struct loop_attr *a, int n, ty_tensor *const *gradients,
                 struct arena *arena, struct fault *fault) {
    struct choice c = {0};
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
        save->nodes = arena_array(arena, count, sizeof *save->nodes);
        done = c.seeded && c.varies && c.demanded && save->parameters && save->nodes;
        if (!done) fault_memory(fault, count * sizeof *save->nodes);
    }
    if (done) {
        mark(&c, a);
        for (int i = 0; i < nroots; i++) c.demanded[walk_place(&c.walk, roots[i])] = true;
        choose(&c, a, save);
    }
    mem_free(c.seeded);
    mem_free(c.varies);
    mem_free(c.demanded);
    walk_drop(&c.walk);
    return done;
}
