/*
 * Rows: kernels that work row by row and hand rows to each other become one kernel, which takes a few rows through all
 * of them while these are in the cache.  Softmax, layer norm, variance: what lies in memory is read once.
 *
 * Groups have levels, as in fuse.h, so that no cycle can arise.
 */
#ifndef COMPILE_PASSES_ROWS_H
#define COMPILE_PASSES_ROWS_H
#include "compile/flow/flow.h"

struct rows_group {
    int first, last; /* kernels, linked through rows.next in ascending order */
    int newest;
    int count;
    int axes;             /* first ones of all its kernels that are its rows; 0: nothing joins it */
    const int64_t *shape; /* of these */
    int64_t row_bytes;    /* what its kernels read and write of a row, one after the other */
};

struct rows {
    struct flow *flow;
    struct edges edges;
    int *producers_start, *producers; /* the edges turned round */
    struct rows_group *groups;        /* one per kernel */
    int *next, *parent, *level;
    int *others_before; /* how many kernels before k have no rows */
    int current;
    int64_t cache; /* bytes that a row may take */
    struct fault *fault;
};

/* The group that kernel k ended up in. */
int rows_group(struct rows *r, int k);
/* Bytes of a row, of the first `axes` axes, that lie in x. */
int64_t rows_bytes(const struct operand *x, int axes);
/* Replaces the kernels of each group that is worth it by one; *made: how many are gone (rows_emit.c). */
bool rows_emit(struct rows *r, int64_t *gone);
#endif
