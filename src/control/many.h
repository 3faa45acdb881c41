/* Rules of loops and branches: of many examples (ops/core/batch.h), and of what their results reach
   (grad/sparse_pattern.h). */
#ifndef CONTROL_MANY_H
#define CONTROL_MANY_H
#include "ops/core/batch.h"

void loop_batch(const struct batch *b, int n, const int *which, ty_tensor **out);
void branch_batch(const struct batch *b, int n, const int *which, ty_tensor **out);

bool loop_reach(const struct reach_results *job, ty_tensor **out);
bool branch_reach(const struct reach_results *job, ty_tensor **out);
#endif
