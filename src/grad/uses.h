/* Captures of a caller's function: tensors from outside through which gradients may flow. */
#ifndef GRAD_USES_H
#define GRAD_USES_H
#include "array/tensor.h"

/* Captured promises and tracked values with a gradient, without duplicates, retained. */
struct uses {
    int n;
    ty_tensor **tensors;
};

/* Find the captures of y, made at `level` by a function of n operands x[]: tensors of lower levels, except
   the operands, and those in `known` of any level. False after a fault; call uses_drop in either case. */
bool uses_find(struct uses *u, uint16_t level, ty_tensor *y, int n, ty_tensor *const *x,
               const struct uses *known, struct fault *fault);
/* Release the captures in *u and free the list. */
void uses_drop(struct uses *u);
/* True if x is one of n tensors. */
bool uses_among(int n, ty_tensor *const *all, const ty_tensor *x);
#endif
