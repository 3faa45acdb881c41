/* The order of a graph: every walk in the tree is this one or a loop over its result. */
#ifndef GRAPH_WALK_H
#define GRAPH_WALK_H
#include "array/tensor.h"
#include "base/map.h"
#include "ops/core/op.h"

struct walk {
    bool history;      /* set before: also through the history of tracked values, not only promises */
    uint16_t level;    /* set before: what was made at a lesser level is a leaf */
    ty_tensor **nodes; /* operands before what uses them */
    int64_t count, edges;
    int64_t *first, *operands; /* places of the operands of nodes[k]: from operands[first[k]] on */
    struct map index;          /* map_key(tensor) -> its number */
    int64_t *place_of;         /* number -> place in nodes */
};

/* Everything that n roots are computed from, roots included, in an order that depends on the graph alone.
   Iterative: any depth.  False: no memory.  End with walk_drop in either case. */
bool walk_order(struct walk *w, int n, ty_tensor *const *roots, struct fault *fault);
void walk_drop(struct walk *w);
/* The place of operand i of nodes[k], which the walk entered. */
static inline int64_t walk_operand(const struct walk *w, int64_t k, int i) {
    return w->operands[w->first[k] + i];
}
/* The place of a tensor that is in the walk, else -1. */
int64_t walk_place(const struct walk *w, const ty_tensor *x);
/* Whether the walk went on to x's operands. */
static inline bool walk_enters(const struct walk *w, const ty_tensor *x) {
    return x->op && x->ninputs > 0 && (x->promise || w->history) && x->level >= w->level;
}

/* Checks every node of a walk: operand count, and that inference again gives the recorded dtype and shape.
   False with a sentence and the node's neighbourhood. */
bool graph_verify(const struct walk *w, struct fault *fault);
#endif
