/*
 * Merges kernels that process memory row by row into one kernel, which takes a few rows through all of them
 * while these are cached. Softmax, layer norm and variance then read memory once.
 *
 * Groups have levels as in fuse.h, so that no cycle can arise.
 */
#ifndef COMPILE_PASSES_ROWS_H
#define COMPILE_PASSES_ROWS_H
#include "compile/flow/flow.h"

/* A group of kernels. */
struct rows_group {
    int first, last;      /* kernels, linked by rows.next in ascending order */
    int newest;           /* its highest kernel */
    int count;            /* number of kernels */
    int axes;             /* number of leading axes that are rows in all its kernels; 0: nothing joins it */
    const int64_t *shape; /* sizes of these axes */
    int64_t row_bytes;    /* bytes that its kernels read and write per row, in total */
};

/* State of the pass; arrays are indexed by kernel unless said otherwise. */
struct rows {
    struct flow *flow;
    struct edges edges;
    int *producers_start, *producers; /* reversed edges */
    struct rows_group *groups;        /* one per kernel */
    int *next, *parent, *level;       /* list of a group; union-find of groups; level by group */
    int *others_before;               /* number of kernels before k without rows */
    int current;                      /* the kernel being placed */
    int64_t cache;                    /* cache bytes available for a row */
    struct fault *fault;
};

/* Return the number of the group of kernel k; a call may shorten later searches. */
int rows_group(struct rows *r, int k);
/* Return the bytes that one row of x occupies; the first `axes` axes number the rows. */
int64_t rows_bytes(const struct operand *x, int axes);
/* Replace each group that is worth it by one kernel. *gone: the number of kernels that this removes. False
   after a fault. */
bool rows_emit(struct rows *r, int64_t *gone);
#endif
