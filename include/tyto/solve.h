/*
 * Equations: roots, least squares, ordinary differential equations.  Part of <tyto/tyto.h>, which says what holds everywhere.
 * docs/numeric.md has examples.
 *
 * Functions are ty_body: f(context, {x, parameters[0 .. n)}).  They are recorded once, as steps of a loop are (control.h), so
 * they cannot read elements.  Of values results are values, of promises promises, which compile with what is around them.
 * Gradients flow to the parameters, and to what is said; of ty_odeint also to what f uses beside them, of others asking for
 * that is an error.  Where gradients are taken later, context must live until then.
 *
 * A search of values that does not converge is an error, which names the element, the reason and what is left.  Of promises
 * there is no sentence yet: the elements that did not converge are NaN.
 */
#ifndef TYTO_SOLVE_H
#define TYTO_SOLVE_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- roots ---- */

/* Zeros are the defaults in brackets. */
typedef struct ty_root_options {
    int64_t steps; /* at most [100] */
    /* how exact x is, relative to the larger of |x| and 1 [4 units in the last place; fsolve 1e-10] */
    double tolerance;
    double residual; /* fsolve: how large an element of f may be at a root [1e-8] */
} ty_root_options;

/*
 * Elementwise f(x) = 0 between low and high, real tensors that broadcast with each other and with what f makes of low.  f is
 * elementwise in x and has another sign at high than at low, which else is an error that names the place (of promises: NaN
 * there).  NaN between both is one, too, and a change of sign where |f| is among the largest that were seen, which is a pole or a jump.  All brackets at once, by inverse quadratic interpolation where that is safe, else by halving (T. Chandrupatla
 * 1997).  The gradient to parameters is that of the implicit function: - (df/dp) / (df/dx); none flows to low and high.
 */
TY_API ty_tensor *ty_find_root(ty_body f, void *context, ty_tensor *low, ty_tensor *high, int n,
                               ty_tensor *const *parameters, ty_root_options options);
/*
 * The same from one place by Newton's method, with df/dx of the graph; a step that does not lower |f| is shortened.  A root is found
 * where f is 0 or the full step is within the tolerance; at the rounding of f a change of its sign within half of the digits counts,
 * too.  Errors: df/dx is 0, f or df/dx is not finite, |f| has a least value that is not 0, the steps were not enough.
 */
TY_API ty_tensor *ty_newton(ty_body f, void *context, ty_tensor *start, int n, ty_tensor *const *parameters,
                            ty_root_options options);
/* x of start's shape with f(x) = 0, a system of as many equations as unknowns, by Levenberg's and Marquardt's method on |f|^2
   with the graph's Jacobian, which ends like Newton's.  The gradient to parameters is that of the implicit function; the
   Jacobian at the root must not be singular then. */
TY_API ty_tensor *ty_fsolve(ty_body f, void *context, ty_tensor *start, int n, ty_tensor *const *parameters,
                            ty_root_options options);

/* ---- least squares ---- */

typedef struct ty_least_squares_options {
    int64_t steps;   /* at most [200] */
    double gradient; /* it has converged where no element of the gradient is larger [1e-10; f32 1e-6] */
    /* or a step promises and brings less than this share of the sum of squares [1e-12; f32 1e-6] */
    double change;
    double step; /* or moves x by less than this share [1e-12; f32 1e-6] */
} ty_least_squares_options;
/* x is of start's shape; residual is f there, flattened; jacobian [residual's elements, x's elements]; cost is half the sum of
   squares; steps i64[], how many were tried.  Half floats are computed in f32 and rounded at the end. */
typedef struct ty_least_squares_parts {
    ty_tensor *x, *residual, *jacobian, *cost, *steps;
} ty_least_squares_parts;
/*
 * x where half the sum of squares of f, a real tensor of at least one element, is least near start, by Levenberg's and
 * Marquardt's method: steps of (J'J + l D) s = -J'f by QR, D the largest squares of columns so far, l by H. Nielsen's rule (1999).
 * (J. More, "The Levenberg-Marquardt algorithm", 1978.)  The gradient to parameters is that of the implicit function
 * "gradient of the cost = 0" and flows through x, whose second derivatives it takes.  Where steps became short though residuals are
 * not orthogonal to the Jacobian's columns (a kink, or f is not finite just beside), that is an error.
 */
TY_API ty_least_squares_parts ty_least_squares(ty_body f, void *context, ty_tensor *start, int n,
                                               ty_tensor *const *parameters,
                                               ty_least_squares_options options);

typedef struct ty_curve_fit_parts {
    ty_tensor *parameters; /* start's shape */
    /* [size, size]: with sigma the inverse of J'J, else that times the residuals' variance */
    ty_tensor *covariance;
    ty_tensor *residual; /* (f - y) / sigma */
} ty_curve_fit_parts;
/* Parameters p for which f(context, {p, x}) is nearest to y, in units of sigma (NULL: all the same).  Where J has not full rank
   the covariance is infinite. */
TY_API ty_curve_fit_parts ty_curve_fit(ty_body f, void *context, ty_tensor *x, ty_tensor *y, ty_tensor *sigma,
                                       ty_tensor *start, ty_least_squares_options options);

/* ---- ordinary differential equations ---- */

typedef enum ty_ode_method {
    TY_ODE_RK45, /* explicit, order 5, the error by order 4 (J. Dormand and P. Prince 1980) */
    TY_ODE_STIFF, /* linearly implicit, order 4, L-stable, with the graph's Jacobian: RODAS (E. Hairer and G. Wanner 1996) */
    TY_ODE_RK4, /* `steps` equal steps between neighbouring times, without an estimate */
    TY_ODE_BDF, /* backward differentiation of orders 1 to 5 (L. Shampine and M. Reichelt 1997), for stiff equations, too */
    TY_ODE_METHODS
} ty_ode_method;
/* "rk45", "stiff", "rk4", "bdf"; TY_ODE_METHODS for anything else, which ty_odeint refuses. */
TY_API ty_ode_method ty_ode_method_named(const char *name);

typedef struct ty_ode_options {
    ty_ode_method method;
    double relative, absolute; /* the error of a step that is allowed, in the root mean square [1e-6, 1e-9] */
    int64_t steps;             /* at most, between neighbouring times [1000]; TY_ODE_RK4: how many [1] */
    double first;              /* the first step's length [by the slopes at the start] */
    double longest;            /* of a step [no limit] */
    /* none will be taken: of promises and tracked values steps are computed once, not twice */
    bool no_gradient;
} ty_ode_options;
/*
 * [times, ...]: y at each of `times`, a real vector that rises or falls, of dy/dt = f(context, {t, y, parameters...}) with y =
 * y0 at times[0].  y0 is real and floating, f makes its form, t is 0-d and of its dtype; half floats are computed in f32 and
 * rounded once.  Steps are as long as the error allows; values at times between come from the step's own polynomial
 * (TY_ODE_RK45: of degree 4, TY_ODE_BDF: of the step's order), steps of TY_ODE_STIFF end at each of `times`.
 *
 * Gradients flow to y0, times, parameters and what f uses: they are those of the steps that were taken, with their lengths held
 * fixed, run backwards.  Kept are the states at `times`; the steps between two of them are taken again, and need memory for
 * `steps` states then.  Give `times` that divide a long way.  Where an operand is a promise or tracked, a step is computed once to
 * judge it and, where it is taken, once more for gradients, so that what f is behind steps that are not taken (the root of a
 * negative number) does not matter.
 */
TY_API ty_tensor *ty_odeint(ty_body f, void *context, ty_tensor *y0, ty_tensor *times, int n,
                            ty_tensor *const *parameters, ty_ode_options options);

#ifdef __cplusplus
}
#endif
#endif
