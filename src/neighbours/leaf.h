/* Distances of one point from those of a leaf: a table for each instruction set, whose bits are the same. */
#ifndef NEIGHBOURS_LEAF_H
#define NEIGHBOURS_LEAF_H
#include "neighbours/distance.h"

enum { LEAF = 32 };

/* From q[d] to x [d, LEAF], 64-byte aligned: what is measured, summed from the first feature to the last. */
typedef void (*leaf_measure)(double p, int64_t d, const double *q, const double *x, double *y);
struct leaf_kernels {
    leaf_measure by[MEASURE_POWERS + 1]; /* [MEASURE_SQUARES] .. */
};
extern const struct leaf_kernels leaf_base, leaf_avx2, leaf_avx512;
#endif
