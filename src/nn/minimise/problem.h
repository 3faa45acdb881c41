/*
 * A problem as minimisers see it: a function of one vector of doubles, its gradient, and products with its
 * Hessian. problem.c converts to tensors and runs compiled functions.
 */
#ifndef NN_MINIMISE_PROBLEM_H
#define NN_MINIMISE_PROBLEM_H
#include <tyto/nn.h>
#include "base/text.h"

/* State of one minimisation. */
struct problem {
    ty_body f;
    void *context;
    int n;
    ty_tensor *const *x; /* values that give dtypes and shapes of the operands */
    int64_t size;        /* total number of elements */
    ty_minimise_options o;
    ty_function *value, *gradient, *product, *hessian; /* compiled on first use; NULL before */
    ty_tensor **operands, **results;                   /* scratch for calls */
    ty_tensor *uses; /* value of f that depends on other tracked tensors, retained; NULL: none */
    double unit;     /* rounding error of f relative to its value */
    ty_minimum now;
    double *best; /* position that `now` describes */
    struct fault fault;
};

/* Return f at x[size]; NaN after a fault. */
double problem_value(struct problem *p, const double *x);
/* Return f at x[size] and store its gradient in g[size]; NaN after a fault. */
double problem_gradient(struct problem *p, const double *x, double *g);
/* Compute `product`, the Hessian at x times v, all vectors of the problem's size; false after a fault. */
bool problem_product(struct problem *p, const double *x, const double *v, double *product);
/* Compute the Hessian at x[size], row-major [size, size]; false after a fault. */
bool problem_hessian(struct problem *p, const double *x, double *hessian);
/* Allocate `count` zeroed vectors of the problem's size, which the caller frees with mem_free; NULL sets the
   fault. */
double *problem_room(struct problem *p, int64_t count);

/* Record an iteration that reached x, with its value and gradient g (NULL: unknown). Return true to
   continue; false after a fault, if converged, at a limit, or if ended by the caller. */
bool problem_goes_on(struct problem *p, const double *x, double value, const double *g);
/* Record the end of the search, with its message; always return false. */
bool problem_ends(struct problem *p, bool converged, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- vectors of n doubles ---- */

/* Return the dot product of a[n] and b[n], in four partial sums of a fixed order (bitwise reproducible). */
double vector_dot(int64_t n, const double *a, const double *b);
void vector_add(int64_t n, double *y, double factor, const double *x); /* y += factor x */
/* Scale y[n] in place: y *= factor. */
void vector_scale(int64_t n, double *y, double factor);
double vector_most(int64_t n, const double *x); /* largest magnitude; NaN if any is NaN */

/* ---- line search ---- */

/* Line from x, where f is `value` with gradient g, along d. */
struct line {
    const double *x, *g, *d;
    double value;
    double first;     /* initial step length */
    double curvature; /* constant of the curvature condition, unless the options set it */
    double *next_x, *next_g;
    double next_value, step; /* result: value and step length */
};
/* Find a step that satisfies the strong Wolfe conditions and fill next_x, next_g, next_value and step of
   the line; false after a fault or if there is none. */
bool search_line(struct problem *p, struct line *line);

/* ---- minimisers: start at x, run until problem_goes_on returns false ---- */

#define MINIMISER(name, doc) void minimise_##name(struct problem *p, double *x);
#include <tyto/tables/minimisers.def>
#endif
