/* Solvers whose result is an implicit function of parameters, differentiated through the equation that it
   solves. */
#ifndef NUMERIC_IMPLICIT_H
#define NUMERIC_IMPLICIT_H
#include <tyto/solve.h>
#include "numeric/numeric.h"

/*
 * A search for x with equation(x, parameters) = 0. Operands are `start` tensors, which get no gradient, then n
 * parameters. implicit_apply copies it, and the tensors made share the copy.
 */
struct search {
    const char *name;
    ty_body f;
    void *context;
    int start, n; /* numbers of operands: of the search alone, and parameters */
    /* Run the search and return x, or if `extra` is not 0 a vector of x's elements followed by `extra`
       numbers. */
    ty_tensor *(*run)(const struct search *s, ty_tensor *const *operands);
    /* Return the residual of {x, parameters...}, which is 0 at the solution, in x's shape. */
    ty_tensor *(*equation)(const struct search *s, ty_tensor *const *operands);
    bool elementwise; /* element i of the residual depends on element i of x alone */
    int64_t extra;
    /* f is a curve and the residual its distance from points; the parameters are x, y and optionally
       sigma. */
    bool curve;
    ty_root_options root;
    ty_least_squares_options least;
    int rank; /* rank and shape of the solution x */
    int64_t shape[TY_MAX_RANK];
};
/* Run the search as an operator whose gradient follows the implicit function theorem. operands[] are
   s->start starting values, then s->n parameters. Poison without memory or if the search fails. */
ty_tensor *implicit_apply(const struct search *s, ty_tensor *const *operands);

/* Return the row-major index of the first true element of a mask that is a value; -1 if there is none or on
   failure. *bad becomes the poison of a failure, else NULL. */
int64_t first_true(ty_tensor *mask, ty_tensor **bad);
/* Return element i, in row-major order, of the value x, as a double; NaN if x is no value. Allocates
   nothing. */
double element_of(const ty_tensor *x, int64_t i);
/* Return the unit in the last place of 1 in the dtype, f64 or f32; 2^-8 for others. */
double unit_of(ty_dtype dtype);
/* Call f(context, operands) behind a scope fence and cast the result to the dtype of x, the first operand;
   poison unless it is real and of x's shape. */
ty_tensor *call_alike(const struct search *s, ty_tensor *const *operands);
#endif
