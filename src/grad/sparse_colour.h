/*
 * Colours for the compression of sparse derivatives: members of one colour are computed together.
 *
 *   Jacobians   no two columns with an element in one row have one colour (Curtis, Powell, Reid: On the estimation of sparse
 *               Jacobian matrices, 1974), or the same of rows; greedily, those with the most neighbours first.
 *   Hessians    a star colouring: neighbours differ, and every path of four has three colours, so that each element is
 *               found in the column of one of its two colours, by symmetry (Gebremedhin, Manne, Pothen: What color is your
 *               Jacobian? Graph coloring for computing derivatives, 2005).
 */
#ifndef GRAD_SPARSE_COLOUR_H
#define GRAD_SPARSE_COLOUR_H
#include <stdbool.h>
#include <stdint.h>

/* n lists of numbers below `limit`, rising: list i is item[start[i]] up to item[start[i + 1]]. */
struct lists {
    int64_t n, limit;
    int64_t *start;
    int32_t *item;
};
bool lists_make(struct lists *l, int64_t n, int64_t limit,
                int64_t items); /* room, start is all 0; false: no memory */
/* For each number the lists that it is in. */
bool lists_transpose(const struct lists *l, struct lists *out);
void lists_end(struct lists *l);
int64_t lists_longest(const struct lists *l);

/* Colours the numbers in the lists so that those in one list differ: colour[] of each number (-1: it is in no list), of
   which there is room for limit.  How many colours; -1: no memory. */
int64_t colour_apart(const struct lists *groups, int32_t *colour);
/* A star colouring of the graph of a symmetric pattern, list i being row i; the same. */
int64_t colour_stars(const struct lists *rows, int32_t *colour);
#endif
