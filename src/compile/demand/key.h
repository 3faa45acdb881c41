/*
 * Keys of the program cache: the structure of a graph as bytes. Graphs with equal keys compute the same
 * function of their arguments. Arguments are leaves that may differ between evaluations: variables and large
 * constants. Small constants are part of the key, so that they can be folded, unless `general`.
 */
#ifndef COMPILE_DEMAND_KEY_H
#define COMPILE_DEMAND_KEY_H
#include "graph/walk.h"

/* A key; free by key_drop. */
struct key {
    struct text bytes;
    uint64_t hash;
    int narguments;
    ty_tensor **arguments; /* borrowed from the graph */
};

/* Make the key of the graph with the n outputs `roots`; w is the walk over them. general: values of leaves
   are arguments, not part of the key. False after a fault (no memory). Call key_drop in either case. */
bool key_make(struct key *key, const struct walk *w, int n, ty_tensor *const *roots, bool general,
              struct fault *fault);
/* Free the contents of *key and set it to 0. */
void key_drop(struct key *key);
#endif
