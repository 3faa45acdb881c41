/* Distances of one point to those of a leaf: a table for each instruction set, with identical bits. */
#ifndef NEIGHBOURS_LEAF_H
#define NEIGHBOURS_LEAF_H
#include <stdint.h>

/* Measures of a tree: sum of squares, of magnitudes, of powers of them, or their maximum. */
enum measure { MEASURE_NONE, MEASURE_SQUARES, MEASURE_SUM, MEASURE_GREATEST, MEASURE_POWERS };

enum { LEAF = 32 };

/* Measure q [d] against x [d, LEAF], 64-byte aligned, into y [LEAF]; summed from the first feature to the
   last. */
typedef void (*leaf_measure)(double p, int64_t d, const double *q, const double *x, double *y);
/* Table of the functions of one instruction set. */
struct leaf_kernels {
    leaf_measure by[MEASURE_POWERS + 1]; /* functions by measure, from MEASURE_SQUARES on */
};
extern const struct leaf_kernels leaf_base, leaf_avx2, leaf_avx512;
#endif
