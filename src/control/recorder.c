#include "control/recorder.h"
#include "base/alloc.h"
#include "base/list.h"
#include "grad/uses.h"
#include "graph/structure.h"

enum { LITERAL_BYTES = 64 }; /* constants up to a cache line in size are part of a body */

/* Place of a node: outside the body (a capture), a constant inside it, or computed inside it. */
enum place { OUTSIDE, LITERAL, INSIDE };

/* ---- captures ---- */

/* True if x is a small constant value made at `level` or above. */
static bool is_literal(const ty_tensor *x, uint16_t level) {
    int64_t low;
    return x->level >= level && !x->promise && !x->tracked && !tensor_may_change(x) &&
           structure_extent(x, &low) <= LITERAL_BYTES;
}

/* Return where x is computed, from places[] of its operands: INSIDE the subgraph, OUTSIDE, or LITERAL, a
   constant of it. With `hoist`, x goes inside only if an operand is. */
static enum place place_node(const struct walk *w, const enum place *places, const ty_tensor *x, bool hoist) {
    bool literal = x->op == &op_constant, inside = !hoist && !literal;
    for (int i = 0; i < x->ninputs; i++) {
        enum place below = places[walk_place(w, x->inputs[i])];
        literal = literal && below == LITERAL;
        inside = inside || below == INSIDE;
    }
    return inside ? INSIDE : literal ? LITERAL : OUTSIDE;
}

/* Set places[i] for each node of the walk: INSIDE the subgraph, OUTSIDE, or LITERAL. parameters[n] are
   inside. With `hoist`, another node is inside only if an operand is. False, with the fault set, on failure,
   such as a parameter of another subgraph. */
static bool place_all(const struct walk *w, enum place *places, bool hoist, int n,
                      ty_tensor *const *parameters, struct fault *fault) {
    for (int64_t i = 0; i < w->count; i++) {
        const ty_tensor *x = w->nodes[i];
        if (walk_enters(w, x))
            places[i] = place_node(w, places, x, hoist);
        else if (is_parameter(x) && uses_among(n, parameters, x))
            places[i] = INSIDE;
        else if (is_parameter(x) && x->level >= w->level)
            return fault_set(fault, E_STATE,
                             "a tensor of another body is used; tensors made in a body are valid only "
                             "there, except its results");
        else
            places[i] = is_literal(x, w->level) ? LITERAL : OUTSIDE;
    }
    return true;
}

/* Append x, with a reference, to the captures unless they have it already. False if memory runs out. */
static bool add(struct captures *c, ty_tensor *x) {
    bool is_new;
    if (!map_put(&c->index, map_key(x), c->count, &is_new)) return false;
    if (!is_new) return true;
    if (!list_append(c->tensors, c->count, c->room, x)) return false;
    ty_retain(x);
    return true;
}

/* Append to the captures all nodes outside that are read from inside or are among the outputs roots[]. False
   if memory runs out. */
static bool add_used(struct captures *c, const struct walk *w, const enum place *places, int nroots,
                     ty_tensor *const *roots) {
    bool fits = true;
    for (int64_t i = 0; i < w->count && fits; i++)
        for (int j = 0;
             places[i] == INSIDE && fits && walk_enters(w, w->nodes[i]) && j < w->nodes[i]->ninputs; j++)
            if (places[walk_place(w, w->nodes[i]->inputs[j])] == OUTSIDE)
                fits = add(c, w->nodes[i]->inputs[j]);
    for (int i = 0; i < nroots && fits; i++)
        if (places[walk_place(w, roots[i])] == OUTSIDE) fits = add(c, roots[i]);
    return fits;
}

bool captures_add(struct captures *c, uint16_t level, bool hoist, int n, ty_tensor *const *parameters,
                  int nroots, ty_tensor *const *roots, struct fault *fault) {
    struct walk w = {.level = level};
    bool done = walk_order(&w, nroots, roots, fault);
    enum place *places = done ? mem_array((size_t)w.count, sizeof *places) : NULL;
    if (done && !places) done = fault_memory(fault, (size_t)w.count * sizeof *places);
    done = done && place_all(&w, places, hoist, n, parameters, fault) &&
           (add_used(c, &w, places, nroots, roots) || fault_memory(fault, sizeof *c->tensors));
    mem_free(places);
    walk_drop(&w);
    return done;
}

bool reads_promises(uint16_t level, int n, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                    bool *reads, struct fault *fault) {
    struct walk w = {.level = level};
    bool done = walk_order(&w, nroots, roots, fault);
    *reads = false;
    for (int64_t k = 0; k < w.count && done && !*reads; k++) {
        const ty_tensor *x = w.nodes[k];
        bool leaf = x->promise && !walk_enters(&w, x);
        *reads = leaf && (x->level < level || x->op == &op_input || is_parameter(x)) &&
                 !uses_among(n, parameters, x);
    }
    walk_drop(&w);
    return done;
}

void captures_drop(struct captures *c) {
    for (int i = 0; i < c->count; i++) ty_release(c->tensors[i]);
    map_drop(&c->index);
    mem_free(c->tensors);
    *c = (struct captures){0};
}
