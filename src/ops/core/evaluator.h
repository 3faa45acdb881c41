/*
 * Who computes promises.  Composites and whatever reads a value ask for it here, above the compiler that
 * finds it: src/compile supplies the table (eval.c).
 */
#ifndef OPS_CORE_EVALUATOR_H
#define OPS_CORE_EVALUATOR_H
#include "array/tensor.h"

struct evaluator {
    /* The values of n promises (one or more, none of them an eager variable or poisoned), computed in one
       program: values[i] gets a reference of the caller's.  False: none of them, and a sentence. */
    bool (*evaluate)(int n, ty_tensor *const *promises, ty_tensor **values, struct fault *fault);
};
extern const struct evaluator evaluator;

/* The value of a promise, through which no gradient flows: asking for one is an error of function `name` with the reason,
   both literals.  The caller's reference; NULL: no memory. */
ty_tensor *value_without_gradient(const char *name, const char *reason, ty_tensor *promise, ty_tensor *value);
#endif
