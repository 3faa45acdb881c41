/* The box of pass split: interface between split_box.c, split_product.c, split_search.c and pass_split.c. */
#ifndef CONTRACT_SPLIT_H
#define CONTRACT_SPLIT_H
#include "base/number.h"
#include "contract/passes.h"
#include "contract/sums.h"

/* Limits of a box. most: elements by type; room: elements of a product's box in all, 0: no limit. A row of
   left counts `row` elements, a column of right `column`, or `sliver` if right is read in micro-panels.
   reach: a separate limit for right, or 0. */
struct limits {
    int64_t most[4], room, reach, row, column, sliver;
    int64_t depth, held; /* depth: extent of K; held: elements of right's copy per column */
};

/* The order of sums that a box must keep, and the extents that it may then have along each dimension of K. */
struct split_sums {
    struct sum_order order;
    int64_t least[TY_CONTRACTION_DIMS], most[TY_CONTRACTION_DIMS];
    int64_t given[TY_CONTRACTION_DIMS]; /* the box of the reference machine, for which the order was chosen */
};

/* A box under construction: its extent along each dimension. */
struct splitting {
    ty_contraction *c;
    const struct contract_machine *m;
    const struct split_sums *sums;           /* NULL: any order of sums */
    int64_t step[TY_CONTRACTION_DIMS], line; /* extents; elements of out in a cache line */
    bool needs_line[TY_CONTRACTION_DIMS];    /* the dimension is innermost on a side and no batch */
    bool streams;                            /* right comes from memory, box after box */
    bool roomy;                              /* right may fill more of L2 if it streams */
    struct limits room;                      /* limits for which a product's box was chosen */
    double bytes[3];                         /* bytes of each whole operand (split_measure) */
};

/* ---- split_sums.c ---- */

/* Write the order of the sums of c, which has loops, and the extents of boxes that keep it, into *sums. */
void split_sums_of(const ty_contraction *c, struct split_sums *sums);
/* Return the least and the largest extent of the box along dimension `dim`. */
int64_t split_least(const struct splitting *s, int dim);
int64_t split_most(const struct splitting *s, int dim);
/* Return the largest extent of the box along all dimensions of K, at most 1e15. */
int64_t split_deepest(const struct splitting *s);
/* True if the box keeps the order of sums: it has digits of K from the innermost outwards, all but the last one
   whole. */
bool split_keeps(const struct splitting *s);
/* Write the dimensions of K whose extent the box may choose into list[], the innermost digit first, and return
   their number; -1: any order of sums. */
int split_digits(const struct splitting *s, int *list);
/* Append the loops of kind `exec` over K that keep the order of sums. False with the fault set on error. */
bool split_add_digits(const struct splitting *s, ty_exec exec, struct fault *fault);

/* ---- split_box.c ---- */

/* Return the product of the box's extents along dimensions of a type; INT64_MAX on overflow. */
int64_t split_size(const struct splitting *s, ty_dim_type type);
/* Return the product of the sizes of all dimensions of a type, at most 1e15. */
int64_t split_total(const struct splitting *s, ty_dim_type type);
/* Divide `size` into even steps of at most about `most` and return the step: a multiple of `unit` if it
   fits. Partial cache lines, tiles and panels cost as much as whole ones. */
int64_t split_evenly(int64_t size, int64_t most, int64_t unit);
/* Return the length in bytes of the contiguous runs of the box on a side. *next: the dimension along
   which they would continue; -1: none. */
double split_run_bytes(const struct splitting *s, int side, int *next);
/* True if right's columns are contiguous in whole micro-panels, so that the kernel of the first rows packs
   them as it multiplies. */
bool split_in_slivers(const struct splitting *s);
/* True if the box fits the limits of elements that L2 may hold. */
bool split_fits(const struct splitting *s, const struct limits *limits);
/* Compute s->bytes, those of each operand; call it again if the sides are swapped. */
void split_measure(struct splitting *s);
/* Return the predicted seconds of reading or storing a side once, in boxes of the present extents. */
double split_bring(const struct splitting *s, ty_side side);
/* Return the predicted seconds of arithmetic, of moving each side once, and of packing right if it
   streams and kernels do not pack it. */
double split_predict(const struct splitting *s);
/* Lengthen contiguous runs of the box: double the dimension that saves most time, repeatedly, while the
   limits allow it. */
void split_lengthen(struct splitting *s, const struct limits *limits);
/* Grow the box along dimensions of a type to about `target` elements, and to their whole size up to `slack`
   times that. unit: preferred unit of the step, such as the rows of a tile. Return the box's new size along
   the type. */
int64_t split_grow(struct splitting *s, ty_dim_type type, int64_t target, double slack, int64_t unit);
/* Change the box's extent along dimension `dim` by about the factor `times`. */
void split_rescale(struct splitting *s, int dim, double times);
/* Return the side that overlapping windows of K step over, or -1. */
int split_window(const ty_contraction *c);

/* ---- pass_split.c ---- */

/* Return the predicted seconds of loops over this box in their best order. It assumes one thread, the
   default workspace and no epilogue. INFINITY on failure. */
double split_cost(const struct splitting *s);

/* ---- split_search.c ---- */

/* Exchange extents of the box between dimensions of one type while that lengthens short runs and saves time. */
void split_exchange_runs(struct splitting *s, ty_dim_type type);
/* Move to better neighbouring boxes of a large product that fit its limits. deep: may change K too. */
void split_refine(struct splitting *s, bool deep);
/* Exchange extents of the box between columns and depth, whatever they save, after a change of the box. */
void split_refine_columns(struct splitting *s);

/* ---- split_product.c ---- */

/* Choose the box of a matrix product: s->step[] by dimension. */
void split_product(struct splitting *s);
#endif
