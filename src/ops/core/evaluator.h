/* Interface to the compiler, which evaluates promises.  Declared here for composites and for functions that read
   values; src/compile/demand/eval.c defines the table. */
#ifndef OPS_CORE_EVALUATOR_H
#define OPS_CORE_EVALUATOR_H
#include "array/tensor.h"

struct evaluator {
    /* Compute the values of n >= 1 promises in one program; none is an eager variable or poisoned.  values[i] gets
       a reference owned by the caller.  False and fault set: no value is returned. */
    bool (*evaluate)(int n, ty_tensor *const *promises, ty_tensor **values, struct fault *fault);
    /* Compute them into destinations[n] (destination.h), which were checked.  False and fault set on failure. */
    bool (*evaluate_into)(int n, ty_tensor *const *promises, ty_tensor *const *destinations,
                          struct fault *fault);
    /* Wait for programs on device d whose kernels may have refused values.  False and fault set if one has. */
    bool (*settle)(const struct device *d, struct fault *fault);
};
extern const struct evaluator evaluator;

/* Return the value of `promise` such that taking its gradient is an error of the function `name` with
   `reason` (both string literals). The caller owns the reference. NULL if memory runs out. */
ty_tensor *value_without_gradient(const char *name, const char *reason, ty_tensor *promise, ty_tensor *value);
#endif
