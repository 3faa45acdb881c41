/*
 * The structure of a graph as bytes: graphs of equal bytes compute the same function of what their leaves are given.
 */
#ifndef GRAPH_STRUCTURE_H
#define GRAPH_STRUCTURE_H
#include "graph/walk.h"

void structure_add_number(struct text *t, int64_t n);
/* A leaf by its dtype and layout; with `content` by the bytes of its elements too. */
void structure_add_leaf(struct text *t, const ty_tensor *x, bool content);
/* A node by operator, dtype, attributes and the places of its operands. */
void structure_add_node(struct text *t, const struct walk *w, const ty_tensor *x);
uint64_t structure_hash(const char *bytes, size_t n);
/* The bytes that a value touches, from the first to the last; *low: elements to the first, from its offset. */
size_t structure_extent(const ty_tensor *x, int64_t *low);
#endif
