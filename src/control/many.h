/* Rules of the operators `loop` and `branch` for batches of examples (ops/core/batch.h) and for sparsity
   patterns (grad/sparse_pattern.h). */
#ifndef CONTROL_MANY_H
#define CONTROL_MANY_H
#include "ops/core/batch.h"

/* Batch rule of loops: write results which[0..n) to out[], with the batch axis first where they differ
   between examples. Poison on failure. */
void loop_batch(const struct batch *b, int n, const int *which, ty_tensor **out);
/* Batch rule of branches: write results which[0..n) to out[], with the batch axis first where they differ
   between examples. Poison on failure. */
void branch_batch(const struct batch *b, int n, const int *which, ty_tensor **out);

/* Write the dependency sets of each result of a loop to out[] (pattern of sparse derivatives). False: not
   known (too many steps, or their number is data), or a fault in job->fault. */
bool loop_reach(const struct reach_results *job, ty_tensor **out);
/* Write the dependency sets of each result of a branch to out[]: the union over all branches. False after a
   fault in job->fault. */
bool branch_reach(const struct reach_results *job, ty_tensor **out);
#endif
