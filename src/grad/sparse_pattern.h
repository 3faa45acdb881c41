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

/* ---- for operators with bodies ---- */

/* Tensors of sets are i64 values, dense, of the shape of what they are of; NULL: nothing that is asked for is reached. */
struct reach_results {
    ty_tensor *y;         /* the operator */
    ty_tensor *const *of; /* the sets of its operands */
    struct sets *sets;
    struct fault *fault;
};

/* The sets of y[0 .. ny), where x[i] has the sets of_x[i], into of_y, in the innermost scope.  history: also through that of
   tracked values. */
bool pattern_graph(struct sets *sets, bool history, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                   ty_tensor *const *of_x, ty_tensor **of_y, struct fault *fault);
/* The unions of a and b, element by element; either may be NULL.  In the innermost scope. */
ty_tensor *pattern_join(struct sets *sets, ty_tensor *a, ty_tensor *b);
#endif
