/* What a function of the caller's uses of the graph around it. */
#ifndef GRAD_USES_H
#define GRAD_USES_H
#include "array/tensor.h"

/* Promises and tracked values with a gradient, each once; of these a reference each. */
struct uses {
    int n;
    ty_tensor **tensors;
};

/* What y, made at `level`, uses of lesser levels beside its n operands x, and of what is known to be used, which may have
   been made at any level.  False after a fault; uses_drop in any case. */
bool uses_find(struct uses *u, uint16_t level, ty_tensor *y, int n, ty_tensor *const *x,
               const struct uses *known, struct fault *fault);
void uses_drop(struct uses *u);
#endif
