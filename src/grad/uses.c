#include "grad/uses.h"
#include "base/alloc.h"
#include "grad/reverse.h"
#include "graph/walk.h"

bool uses_among(int n, ty_tensor *const *all, const ty_tensor *x) {
    for (int i = 0; i < n; i++)
        if (all[i] == x) return true;
    return false;
}

/* State of one search. */
struct uses_search {
    struct walk walk;
    bool *reached;
    int n;
    ty_tensor *const *operands;
    const struct uses *known;
};

/* True if x is a capture of the function: made outside of it, with a gradient, and not one of its operands. */
static bool is_use(const struct uses_search *s, const ty_tensor *x) {
    if (uses_among(s->n, s->operands, x)) return false;
    if (uses_among(s->known->n, s->known->tensors, x)) return true;
    return x->level < s->walk.level && (x->promise || x->tracked) && has_gradient(x);
}

/* Mark in s->reached everything that y is computed from. Stop at operands, captures and ty_detach. */
static void mark(struct uses_search *s, const ty_tensor *y) {
    const struct walk *w = &s->walk;
    s->reached[walk_place(w, y)] = true;
    for (int64_t k = w->count - 1; k >= 0; k--) {
        const ty_tensor *x = w->nodes[k];
        bool on = s->reached[k] && walk_enters(w, x) && x->op != &op_detach;
        if (!on || is_use(s, x) || uses_among(s->n, s->operands, x)) continue;
        for (int i = 0; i < x->ninputs; i++) s->reached[walk_operand(w, k, i)] = true;
    }
}

bool uses_find(struct uses *u, uint16_t level, ty_tensor *y, int n, ty_tensor *const *x,
               const struct uses *known, struct fault *fault) {
    struct uses_search s = {.walk = {.history = true, .level = level}, .n = n, .operands = x, .known = known};
    *u = (struct uses){0};
    bool done = walk_order(&s.walk, 1, &y, fault);
    size_t count = (size_t)s.walk.count + 1;
    s.reached = mem_array(count, sizeof *s.reached);
    u->tensors = mem_array(count, sizeof *u->tensors);
    if (done && (!s.reached || !u->tensors)) done = fault_memory(fault, count * sizeof *u->tensors);
    if (done) mark(&s, y);
    for (int64_t k = 0; k < s.walk.count && done; k++)
        if (s.reached[k] && is_use(&s, s.walk.nodes[k])) u->tensors[u->n++] = ty_retain(s.walk.nodes[k]);
    mem_free(s.reached);
    walk_drop(&s.walk);
    return done;
}

void uses_drop(struct uses *u) {
    for (int i = 0; i < u->n; i++) ty_release(u->tensors[i]);
    mem_free(u->tensors);
    *u = (struct uses){0};
}
