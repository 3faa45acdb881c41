/*
 * A contraction as a short list of typed dimensions, the form in which every engine wants it:
 *
 *   C  in left, right and out     batch, group
 *   M  in left and out            rows
 *   N  in right and out           columns; the last axis of the output is one wherever that is possible
 *   K  not in out                 summed
 *
 * out[c, m, n] = sum over k of left[c, m, k] * right[c, k, n], whatever the strides: matmul, einsum and
 * convolution over window views are the same list with other numbers.
 */
#ifndef CONTRACT_DIMS_H
#define CONTRACT_DIMS_H
#include "array/layout.h"
#include "ops/kernel.h"

enum dim_role { DIM_C, DIM_M, DIM_N, DIM_K, DIM_ROLES };
enum dim_side { SIDE_LEFT, SIDE_RIGHT, SIDE_OUT, SIDES };

struct dim {
    int64_t size;
    int64_t stride[SIDES]; /* elements; 0 where the operand does not step */
};

struct contraction {
    bool swapped; /* SIDE_LEFT is the kernel's right operand, and the other way round */
    bool lanes;   /* N steps through left too: out[m, n] = sum over k of left[m, n, k] * right[k, n] */
    int count[DIM_ROLES];
    int64_t size[DIM_ROLES];                     /* products; 1 for an empty list */
    struct dim dims[DIM_ROLES][2 * TY_MAX_RANK]; /* outermost first */
};

/* Types, orders and fuses the dimensions of `attr` over three layouts (kernel.h: sizes of equal labels agree
   or are 1).  Sizes of 1 are dropped; a step that an operand does not make (broadcast) counts as absent. */
void contract_dims(struct contraction *c, const struct contract_attr *attr, const struct layout *left,
                   const struct layout *right, const struct layout *out);

/* Writes the steps of elements first .. first+n-1 of a role (row-major over its dims) on one side to at[]. */
void contract_offsets(const struct contraction *c, enum dim_role role, enum dim_side side, int64_t first,
                      int64_t n, int64_t *at);
#endif
