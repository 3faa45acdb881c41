/* Searches whose result is a function of parameters by an equation that it solves. */
#ifndef NUMERIC_IMPLICIT_H
#define NUMERIC_IMPLICIT_H
#include <tyto/solve.h>
#include "numeric/numeric.h"

/*
 * A search for x of equation(x, parameters) = 0.  Its operands are `start` tensors, through which no gradient flows, then
 * the parameters.  Shared by the tensors made of it: implicit_apply copies it.
 */
struct search {
    const char *name;
    ty_body f;
    void *context;
    int start, n; /* operands: of the search alone, parameters */
    /* x, or where `extra` is set a vector of x's elements and so many numbers more. */
    ty_tensor *(*run)(const struct search *s, ty_tensor *const *operands);
    /* What is 0 at x, of {x, parameters...}; of x's shape. */
    ty_tensor *(*equation)(const struct search *s, ty_tensor *const *operands);
    bool elementwise; /* an element of the equation depends on the same element of x alone */
    int64_t extra;
    bool
        curve; /* f is a curve, and what is 0 is how far it is from points: parameters are x, y and perhaps sigma */
    ty_root_options root;
    ty_least_squares_options least;
    int rank; /* of x */
    int64_t shape[TY_MAX_RANK];
};
ty_tensor *implicit_apply(const struct search *s, ty_tensor *const *operands);

/* Of values: the first place where `mask` is true, -1: nowhere, or *bad, NULL else, says why it is not known. */
int64_t first_true(ty_tensor *mask, ty_tensor **bad);
/* Element i of the value x in row-major order, without any allocation. */
double element_of(const ty_tensor *x, int64_t i);
/* Units in the last place of 1. */
double unit_of(ty_dtype dtype);
/* f(context, operands) behind a fence, which must be of x's shape, in x's dtype. */
ty_tensor *call_alike(const struct search *s, ty_tensor *const *operands);
#endif
