/* Bounds that the caller declares for sizes of a function's operands (ty_function_bound).  Any thread may set and read
   them at any time. */
#ifndef COMPILE_DEMAND_SIZE_BOUNDS_H
#define COMPILE_DEMAND_SIZE_BOUNDS_H
#include "array/tensor.h"

struct size_bounds {
    int n;                 /* number of operands */
    _Atomic int64_t *most; /* [n][TY_MAX_RANK]; 0: no bound */
    _Atomic bool any;      /* a bound has been declared */
};

/* Begin without bounds for n operands.  False, with the fault set, if memory runs out. */
bool size_bounds_make(struct size_bounds *b, int n, struct fault *fault);
void size_bounds_drop(struct size_bounds *b);
/* Set the bound of an axis of an operand; 0 removes it.  False, with the fault set, if an argument is out of range. */
bool size_bounds_set(struct size_bounds *b, int operand, int axis, int64_t most, struct fault *fault);
/* Return the bound of an axis if it holds for `size`, else `size`. */
int64_t size_bound(const struct size_bounds *b, int operand, int axis, int64_t size);
/* True if the bound of an axis of x[n] holds; larger sizes have none. */
bool size_bounds_hold(const struct size_bounds *b, int n, ty_tensor *const *x);
/* True if no size of x[n] is below its bound. */
bool size_bounds_met(const struct size_bounds *b, int n, ty_tensor *const *x);
/* Give the placeholder of an operand the sizes of its bounds.  False, with the fault set, if they are too large. */
bool size_bounds_enlarge(const struct size_bounds *b, int operand, ty_tensor *placeholder,
                         struct fault *fault);
#endif
