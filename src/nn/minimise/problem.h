/*
 * A problem as minimisers see it: a function of one vector of doubles, its gradient, products with its Hessian.  problem.c makes
 * tensors of the vector and runs what was compiled.
 */
#ifndef NN_MINIMISE_PROBLEM_H
#define NN_MINIMISE_PROBLEM_H
#include <tyto/nn.h>
#include "base/text.h"

struct problem {
    ty_body f;
    void *context;
    int n;
    ty_tensor *const *x; /* values: dtypes and shapes of the operands */
    int64_t size;        /* numbers in all of them */
    ty_minimise_options o;
    ty_function *value, *gradient, *product, *hessian; /* NULL: not wanted so far */
    ty_tensor **operands, **results;                   /* room for a call */
    ty_tensor *uses; /* a value of f that hangs on tracked tensors beside x, retained; NULL: none does */
    double unit;     /* about the unit in the last place of f relative to 1 */
    ty_minimum now;
    double *best; /* the place that `now` is about */
    struct fault fault;
};

/* f at x, NaN after a fault. */
double problem_value(struct problem *p, const double *x);
/* The same with its gradient. */
double problem_gradient(struct problem *p, const double *x, double *g);
/* The Hessian at x times v; the whole Hessian, row by row.  False after a fault. */
bool problem_product(struct problem *p, const double *x, const double *v, double *product);
bool problem_hessian(struct problem *p, const double *x, double *hessian);
/* `count` vectors of the problem's size, zeroed, to be freed with mem_free; NULL after a fault. */
double *problem_room(struct problem *p, int64_t count);

/* After an iteration that led to x, with value and gradient (NULL: unknown): counts, and whether to go on. */
bool problem_goes_on(struct problem *p, const double *x, double value, const double *g);
/* Ends it with a sentence; false. */
bool problem_ends(struct problem *p, bool converged, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- vectors; dot adds up in four sums, in an order that never changes ---- */

double vector_dot(int64_t n, const double *a, const double *b);
void vector_add(int64_t n, double *y, double factor, const double *x); /* y += factor x */
void vector_scale(int64_t n, double *y, double factor);
double vector_most(int64_t n, const double *x); /* the greatest magnitude; NaN wins */

/* ---- a step along a direction ---- */

/* From x, where f is value and its gradient g, along d. */
struct line {
    const double *x, *g, *d;
    double value;
    double first;     /* the step to try first */
    double curvature; /* where the options say none */
    double *next_x, *next_g;
    double next_value, step; /* what was found */
};
/* A step by the strong conditions of Wolfe; false after a fault, or where none was found. */
bool search_line(struct problem *p, struct line *line);

/* ---- minimisers: from x with room of their own, until problem_goes_on says no ---- */

#define MINIMISER(name, doc) void minimise_##name(struct problem *p, double *x);
#include <tyto/minimisers.def>
#endif
