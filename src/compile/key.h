/*
 * The structure of a graph as bytes: graphs of equal bytes compute the same function of their arguments.
 * Arguments are the leaves that may differ from one evaluation to the next: variables and large
 * constants.  Small constants are part of the structure, so that they fold, unless `general`.
 */
#ifndef COMPILE_KEY_H
#define COMPILE_KEY_H
#include "graph/walk.h"

struct key {
    struct text bytes;
    uint64_t hash;
    int narguments;
    ty_tensor **arguments; /* borrowed from the graph */
};

/* False: no memory. */
bool key_make(struct key *key, const struct walk *w, int n, ty_tensor *const *roots, bool general,
              struct fault *fault);
void key_drop(struct key *key);
#endif
