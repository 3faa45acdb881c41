/* Which elements of x each element of y depends on, read from the operators between them (ops/core/reach.h). */
#ifndef GRAD_SPARSE_PATTERN_H
#define GRAD_SPARSE_PATTERN_H
#include "array/tensor.h"
#include "grad/sparse_sets.h"

struct pattern {
    struct sets sets;
    ty_tensor *of; /* i64 of y's shape, dense: the set of each element; retained */
};

/* y: a promise, or a value that remembers; x: what it is computed from.  False after a fault; end with pattern_end in either
   case. */
bool pattern_find(struct pattern *p, ty_tensor *y, ty_tensor *x, struct fault *fault);
void pattern_end(struct pattern *p);
#endif
