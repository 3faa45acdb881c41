/* Common parts of iterative solvers: linear maps, dot products, options and results. */
#ifndef SPARSE_ITERATE_H
#define SPARSE_ITERATE_H
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "sparse/pattern.h"

/* State of an iterative solver of a x = b. */
struct iterating {
    struct sparse_call call;
    ty_linear a, preconditioner;
    ty_tensor *b, *x, *limit; /* limit: bound of the residual's norm */
    double tolerance;
    int64_t n, most, restart;
    void *own; /* data of the method */
};

/* Return m(x), cast to x's dtype; x if m has no function or x is poison. Poison unless the result is a
   vector of x's size. */
ty_tensor *linear_apply(ty_linear m, ty_tensor *x);
/* Return the sum of conj(x) y over all elements, 0-d. */
ty_tensor *dot(ty_tensor *x, ty_tensor *y);
/* Return the Euclidean norm of x in its real dtype, 0-d. */
ty_tensor *length_of(ty_tensor *x);

/* Fill *it: check the operands a, b and the options and fill in defaults. False sets the call's fault. Call
   iterating_end in any case. */
bool iterating_begin(struct iterating *it, const char *name, ty_linear a, ty_tensor *b, ty_iteration options);
/* Return b - a x. */
ty_tensor *residual_of(const struct iterating *it, ty_tensor *x);

/* Reasons to stop, i64 []. INDEFINITE is only recorded. */
enum iteration_end { GOES_ON, INDEFINITE, NO_CURVATURE, NO_RHO, NO_NUMBER, ITERATION_ENDS };
/* Close the call and return the solution x, poison unless it converged, with `last`, steps and residual.
   reached: |b - a x|; end: the reason, NULL for methods that never break down. */
ty_solution iterating_end(struct iterating *it, ty_tensor *x, ty_tensor *reached, ty_tensor *end,
                          ty_tensor *steps);

/* Return the mask [n] that is true at index i. */
static inline ty_tensor *is_row(int64_t n, ty_tensor *i) { return ty_eq(ty_iota(TY_I64, 1, &n, 0), i); }
#endif
