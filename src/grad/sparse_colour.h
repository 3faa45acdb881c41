/*
 * Colouring for compressed sparse derivatives: columns or rows of one colour are computed together.
 *
 *   Jacobians   columns of one colour share no row (Curtis, Powell, Reid: On the estimation of sparse Jacobian
 *               matrices, 1974), or the same for rows; greedy, vertices with most neighbours first.
 *   Hessians    star colouring: neighbours differ, and every path of four vertices has three colours, so symmetry
 *               gives each entry (Gebremedhin, Manne, Pothen: What color is your Jacobian? Graph coloring for
 *               computing derivatives, 2005).
 */
#ifndef GRAD_SPARSE_COLOUR_H
#define GRAD_SPARSE_COLOUR_H
#include <stdbool.h>
#include <stdint.h>

/* n ascending lists of integers in 0 .. limit-1: list i is item[start[i]] .. item[start[i + 1] - 1]. */
struct lists {
    int64_t n, limit;
    int64_t *start;
    int32_t *item;
};
/* Allocate n lists of integers below `limit`, with capacity for `items` integers in all; start[0..n] is 0.
   False: no memory. Free by lists_end in either case. */
bool lists_make(struct lists *l, int64_t n, int64_t limit, int64_t items);
/* Compute the transpose: list v of *out has the indices of the lists of l that contain v, ascending. False:
   no memory. Free *out by lists_end in either case. */
bool lists_transpose(const struct lists *l, struct lists *out);
/* Free the lists and set *l to 0. */
void lists_end(struct lists *l);
/* Return the length of the longest list. */
int64_t lists_longest(const struct lists *l);

/* Colour the integers so that those in a common list differ, greedily. colour[limit] gets colours from 0,
   or -1 for integers in no list. Return the number of colours, or -1: no memory. */
int64_t colour_apart(const struct lists *groups, int32_t *colour);
/* Compute a star colouring of the graph of a symmetric pattern; list i is row i. colour[rows->n] gets
   colours from 0, or -1 for empty rows. Return the number of colours, or -1: no memory. */
int64_t colour_stars(const struct lists *rows, int32_t *colour);
#endif
