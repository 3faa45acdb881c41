/*
 * Serialisation of a graph's structure. Graphs with equal bytes compute the same function of their leaves.
 */
#ifndef GRAPH_STRUCTURE_H
#define GRAPH_STRUCTURE_H
#include "graph/walk.h"

/* Append the 8 bytes of n to t, a text that describes a graph's structure. */
void structure_add_number(struct text *t, int64_t n);
/* Append dtype, shape and strides of leaf x; with `content` also the bytes of its elements. */
void structure_add_leaf(struct text *t, const ty_tensor *x, bool content);
/* Append operator, dtype, attributes and the indices of x's operands in the walk w. */
void structure_add_node(struct text *t, const struct walk *w, const ty_tensor *x);
/* Return the number of bytes from the lowest to the highest element of x, inclusive. *low is the index of the
   lowest element in the buffer of x. */
size_t structure_extent(const ty_tensor *x, int64_t *low);
#endif
