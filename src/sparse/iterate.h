/* What the iterations share: maps, dot products, what is asked for, what comes out. */
#ifndef SPARSE_ITERATE_H
#define SPARSE_ITERATE_H
#include "sparse/pattern.h"

struct iterating {
    struct sparse_call call;
    ty_linear a, preconditioner;
    ty_tensor *b, *x, *limit; /* limit: of the residual's length */
    double tolerance;
    int64_t n, most, restart;
    void *own; /* the method's */
};

/* m(x), which must have x's form. */
ty_tensor *linear_apply(ty_linear m, ty_tensor *x);
/* The sum of conj(x) y, []. */
ty_tensor *dot(ty_tensor *x, ty_tensor *y);
/* The length of x, of its real dtype, []. */
ty_tensor *length_of(ty_tensor *x);
/* Usual relative errors. */
double usual_tolerance(ty_dtype dtype, double given);

bool iterating_begin(struct iterating *it, const char *name, ty_linear a, ty_tensor *b, ty_iteration options);
/* b - a x */
ty_tensor *residual_of(const struct iterating *it, ty_tensor *x);

/* Why an iteration cannot go on, i64[].  INDEFINITE is noted and goes on. */
enum iteration_end { GOES_ON, INDEFINITE, NO_CURVATURE, NO_RHO, NO_NUMBER, ITERATION_ENDS };
/* reached: |b - a x|; end: NULL where the method never breaks down. */
ty_solution iterating_end(struct iterating *it, ty_tensor *x, ty_tensor *reached, ty_tensor *end,
                          ty_tensor *steps);
#endif
