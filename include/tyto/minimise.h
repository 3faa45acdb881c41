/*
 * Minimisers of a function whose value is the same whenever its operands are: least squares, likelihoods, small networks on all
 * of their data.  Part of <tyto/nn.h>.
 *
 *   ty_minimum report;
 *   ty_minimise(rosenbrock, NULL, 1, &x, (ty_minimise_options){.method = TY_MINIMISE_newton}, &best, &report);
 *
 * The function is recorded and compiled once, with its gradient (and products with its Hessian where they are wanted); each
 * evaluation runs that program.  Vectors between evaluations are doubles of the host.
 */
#ifndef TYTO_MINIMISE_H
#define TYTO_MINIMISE_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ty_minimiser {
#define MINIMISER(name, doc) TY_MINIMISE_##name,
#include <tyto/minimisers.def>
    TY_MINIMISERS
} ty_minimiser;
/* By name ("lbfgs"); TY_MINIMISERS: there is none. */
TY_API ty_minimiser ty_minimiser_named(const char *name);

/* Where a search stands, or ended. */
typedef struct ty_minimum {
    bool converged;
    double value, gradient; /* there: f, and the greatest magnitude in its gradient (nelder_mead: NaN) */
    int64_t iterations;
    int64_t evaluations; /* of f, with its gradient or without */
    int64_t products;    /* with the Hessian, or whole Hessians */
    char message[256];   /* why it ended */
} ty_minimum;

/* Zeros are the defaults in brackets. */
typedef struct ty_minimise_options {
    ty_minimiser method;
    int64_t iterations; /* at most [1000] */
    double gradient;    /* it has converged where no element of the gradient is larger [1e-5] */
    double
        change; /* or where an iteration lowers f by no more than this, relative to the larger of |f| and 1 [0: never].
                           nelder_mead: where f and all x of the simplex are as close to each other [1e-8] */
    int memory;       /* lbfgs: how many steps are remembered [10] */
    double armijo;    /* a step lowers f by at least this share of what its slope promises [1e-4] */
    double curvature; /* and leaves at most this share of the slope [0.9; conjugate gradients 0.4] */
    bool (*each)(void *context, ty_minimum now); /* after each iteration, false ends it; NULL: none */
    void *each_context;
} ty_minimise_options;

/*
 * Looks for the least value of f(context, x), a 0-d real tensor, from the n tensors x on: floating, real, of any shapes.
 * best[0 .. n): the lowest place that was found, of the forms of x, also where it has not converged: *report (NULL: not wanted)
 * tells.  Where f is not finite it counts as too large, except at the start.  False when f or its gradient failed: best are
 * poisoned then.
 */
TY_API bool ty_minimise(ty_body f, void *context, int n, ty_tensor *const *x, ty_minimise_options options,
                        ty_tensor **best, ty_minimum *report);

#ifdef __cplusplus
}
#endif
#endif
