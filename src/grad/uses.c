#include "grad/uses.h"
#include "base/alloc.h"
#include "grad/reverse.h"
#include "graph/walk.h"

static bool is_among(int n, ty_tensor *const *all, const ty_tensor *x) {
    for (int i = 0; i < n; i++)
        if (all[i] == x) return true;
    return false;
}

/* Whether a gradient may flow to what comes from outside. */
static bool is_use(const struct walk *w, const ty_tensor *x, int n, ty_tensor *const *operands) {
    return x->level < w->level && (x->promise || x->tracked) && has_gradient(x) && !is_among(n, operands, x);
}

/* Marks what y is computed from, but for what lies below its operands and below ty_detach. */
static void mark(const struct walk *w, bool *reached, const ty_tensor *y, int n, ty_tensor *const *operands) {
    reached[walk_place(w, y)] = true;
    for (int64_t k = w->count - 1; k >= 0; k--) {
        const ty_tensor *x = w->nodes[k];
        if (!reached[k] || !walk_enters(w, x) || x->op == &op_detach || is_among(n, operands, x)) continue;
        for (int i = 0; i < x->ninputs; i++) reached[walk_operand(w, k, i)] = true;
    }
}

bool uses_find(struct uses *u, uint16_t level, ty_tensor *y, int n, ty_tensor *const *x,
               struct fault *fault) {
    struct walk w = {.history = true, .level = level};
    *u = (struct uses){0};
    bool done = walk_order(&w, 1, &y, fault);
    bool *reached = mem_array((size_t)w.count + 1, sizeof *reached);
    u->tensors = mem_array((size_t)w.count + 1, sizeof *u->tensors);
    if (done && (!reached || !u->tensors)) done = fault_memory(fault, (size_t)w.count * sizeof *u->tensors);
    if (done) mark(&w, reached, y, n, x);
    for (int64_t k = 0; k < w.count && done; k++)
        if (reached[k] && is_use(&w, w.nodes[k], n, x)) u->tensors[u->n++] = w.nodes[k];
    mem_free(reached);
    walk_drop(&w);
    return done;
}

void uses_drop(struct uses *u) {
    mem_free(u->tensors);
    *u = (struct uses){0};
}
