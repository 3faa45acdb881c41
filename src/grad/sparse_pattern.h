/* Sparsity patterns: which elements of x each element of y depends on, found from the operators' rules
   (ops/core/reach.h). */
#ifndef GRAD_SPARSE_PATTERN_H
#define GRAD_SPARSE_PATTERN_H
#include "array/tensor.h"
#include "grad/sparse_sets.h"

/* The dependencies of y on x, made by pattern_find; free by pattern_end. */
struct pattern {
    struct sets sets;
    ty_tensor *of; /* by element of y: its set, i64, dense; retained */
};

/* Find the pattern of y, a promise or tracked value, with respect to x. False after a fault; call
   pattern_end in either case. */
bool pattern_find(struct pattern *p, ty_tensor *y, ty_tensor *x, struct fault *fault);
/* Free the contents of *p. */
void pattern_end(struct pattern *p);

/* ---- for operators with bodies ---- */

/* Arguments of op->reach_results. A tensor of sets is an i64 value, dense, with the shape of the tensor it
   describes. NULL stands for empty sets. */
struct reach_results {
    ty_tensor *y;         /* the operator's node */
    ty_tensor *const *of; /* sets of its operands */
    struct sets *sets;
    struct fault *fault;
};

/* Compute the sets of_y[i] of y[i], i < ny, from the sets of_x[i] of x[i], i < nx; of_y[i] belongs to the
   innermost scope, NULL: empty sets. history: also follow the history of tracked values. False after a fault. */
bool pattern_graph(struct sets *sets, bool history, int ny, ty_tensor *const *y, int nx, ty_tensor *const *x,
                   ty_tensor *const *of_x, ty_tensor **of_y, struct fault *fault);
/* Return the elementwise union of a and b, either of which may be NULL, in the innermost scope. Poison if
   an operand is poison or there is no memory. */
ty_tensor *pattern_join(struct sets *sets, ty_tensor *a, ty_tensor *b);
#endif
