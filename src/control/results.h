/* What loops and branches give. */
#ifndef CONTROL_RESULTS_H
#define CONTROL_RESULTS_H
#include "ops/core/result.h"

/* Fills results[i] with result which[i] of a loop or branch: promises, or, where no operand is one, values (with a
   history, where operands are tracked).  False when one is poisoned. */
bool results_of(ty_tensor *node, int n, const int *which, ty_tensor **results);
#endif
