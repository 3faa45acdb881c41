/* Results of loops and branches. */
#ifndef CONTROL_RESULTS_H
#define CONTROL_RESULTS_H
#include "ops/core/result.h"

/* Write result which[i] of a loop or branch to results[i], i < n. They are promises if an operand is one;
   else they are computed now, and tracked if an operand is. False if one is poison; then all are. */
bool results_of(ty_tensor *node, int n, const int *which, ty_tensor **results);
#endif
