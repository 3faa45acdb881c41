/* Loops and branches of many examples at once: the rules of their operators (ops/core/batch.h). */
#ifndef CONTROL_MANY_H
#define CONTROL_MANY_H
#include "ops/core/batch.h"

void loop_batch(const struct batch *b, int n, const int *which, ty_tensor **out);
void branch_batch(const struct batch *b, int n, const int *which, ty_tensor **out);
#endif
