/*
 * Minimisers of deterministic functions: least squares, likelihoods, small networks on all of their data.  Part of
 * <tyto/nn.h>.
 *
 *   ty_minimum report;
 *   ty_minimise(rosenbrock, NULL, 1, &x, (ty_minimise_options){.method = TY_MINIMISE_newton}, &best, &report);
 *
 * The function is recorded and compiled once, with its gradient (and products with its Hessian if needed); each
 * evaluation runs that program.  Vectors between evaluations are doubles of the host.
 */
#ifndef TYTO_MINIMISE_H
#define TYTO_MINIMISE_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of minimisers.def. */
typedef enum ty_minimiser {
#define MINIMISER(name, doc) TY_MINIMISE_##name,
#include <tyto/tables/minimisers.def>
    TY_MINIMISERS
} ty_minimiser;
/* Return the minimiser of a name, such as "lbfgs"; TY_MINIMISERS, which ty_minimise refuses, if there is none. */
TY_API ty_minimiser ty_minimiser_named(const char *name);

/* State of a search, or its end. */
typedef struct ty_minimum {
    bool converged;
    double value, gradient; /* f, and the greatest magnitude in its gradient (nelder_mead: NaN) */
    int64_t iterations;
    int64_t evaluations; /* of f, with or without gradient */
    int64_t products;    /* with the Hessian, or whole Hessians */
    char message[256];   /* reason for the end */
} ty_minimum;

/* Options of ty_minimise; zeros are the defaults. */
typedef struct ty_minimise_options {
    ty_minimiser method;
    int64_t iterations; /* greatest number; 0 means 1000 */
    double gradient;    /* convergence: no element of the gradient is larger; 0 means 1e-5 */
    /* or an iteration lowers f by no more than this, relative to the larger of |f| and 1 [0: never].  nelder_mead:
       f and all x of the simplex are this close to each other; 0 means 1e-8 */
    double change;
    int memory;       /* lbfgs: number of stored steps; 0 means 10 */
    double armijo;    /* a step lowers f by at least this share of the slope's prediction; 0 means 1e-4 */
    double curvature; /* and leaves at most this share of the slope [0.9; conjugate gradients 0.4] */
    bool (*each)(void *context,
                 const ty_minimum *now); /* called after each iteration; false stops; NULL: none */
    void *each_context;
} ty_minimise_options;

TY_API bool ty_minimise_sized(ty_body f, void *context, int n, ty_tensor *const *x,
                              const ty_minimise_options *options, size_t size, ty_tensor **best,
                              ty_minimum *report, size_t report_size);
/* Minimise f(context, x), a 0-d real tensor, from the n tensors x, floating, real, of any shapes.  best[0 .. n)
   receives the lowest point found, of the dtypes and shapes of x, also without convergence: *report (NULL: not
   wanted) tells.  Where f is not finite it counts as too large, except at the start.  False on any failure: a
   refused argument, or f or its gradient failed.  best[] are then poisoned. */
TY_INLINE bool ty_minimise(ty_body f, void *context, int n, ty_tensor *const *x, ty_minimise_options options,
                           ty_tensor **best, ty_minimum *report) {
    return ty_minimise_sized(f, context, n, x, &options, sizeof options, best, report, sizeof *report);
}

#ifdef __cplusplus
}
#endif
#endif
