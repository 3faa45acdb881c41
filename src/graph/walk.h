/* Topological order of a graph. All walks over graphs use it. */
#ifndef GRAPH_WALK_H
#define GRAPH_WALK_H
#include "array/tensor.h"
#include "base/map.h"
#include "ops/core/op.h"

/* The nodes below a set of outputs, in topological order. Set `history` and `level`, call walk_order, then
   walk_drop. */
struct walk {
    bool history;      /* input: also follow operands of tracked values, not only of promises */
    uint16_t level;    /* input: nodes of a lower level are leaves */
    ty_tensor **nodes; /* topological order: operands come before their users */
    int64_t count, edges;
    int64_t *first, *operands; /* operands[first[k] + i] is the index of operand i of nodes[k] */
    struct map index;          /* map_key(tensor) -> number in order of discovery */
    int64_t *place_of;         /* number -> index in nodes */
    ty_tensor *gone;           /* a node whose memory was given away (ty_give); NULL: none */
};

/* List the n outputs `roots` and everything that they are computed from, operands first. The order depends on
   the graph alone; depth is not limited, as there is no recursion. Each root is first resolved to its current
   value. False after a fault (no memory, roots is NULL, or a value was given away). Call walk_drop in either case. */
bool walk_order(struct walk *w, int n, ty_tensor *const *roots, struct fault *fault);
/* Free the lists of the walk and set *w to 0. */
void walk_drop(struct walk *w);
/* Return the index in w->nodes of operand i of nodes[k]. walk_enters must hold for nodes[k]. */
static inline int64_t walk_operand(const struct walk *w, int64_t k, int i) {
    return w->operands[w->first[k] + i];
}
/* Return the index of x in nodes, or -1 if x is not in the walk. */
int64_t walk_place(const struct walk *w, const ty_tensor *x);
/* True if the walk visits the operands of x. */
static inline bool walk_enters(const struct walk *w, const ty_tensor *x) {
    return x->op && x->ninputs > 0 && (x->promise || w->history) && x->level >= w->level;
}

/* Check the operand count of every node of w, and that inference gives its dtype and shape again, also in
   subgraphs. False with a message that describes the node and its operands. */
bool graph_verify(const struct walk *w, struct fault *fault);
#endif
