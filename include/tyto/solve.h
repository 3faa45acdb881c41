/*
 * Roots, least squares, ordinary differential equations.  Part of <tyto/tyto.h>, which states the rules that hold for
 * all functions.  docs/numeric.md has examples.
 *
 * Functions are of type ty_body: f(context, {x, parameters[0 .. n)}).  They are recorded once, as steps of a loop are
 * (control.h), so they cannot read elements.  For values results are values; for promises they are promises, which
 * compile with the graph around them.  Gradients flow to the parameters and to operands named below.  For ty_odeint
 * they also flow to other tensors that f uses; for the other functions asking for that is an error.  If gradients are
 * taken later, the context must live until then.
 *
 * A search on values that does not converge gives poison, which names the element, the reason and the residual.  For
 * promises the elements that did not converge are NaN.
 */
#ifndef TYTO_SOLVE_H
#define TYTO_SOLVE_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- roots ---- */

/* Options of root finding; zeros are the defaults. */
typedef struct ty_root_options {
    int64_t steps; /* greatest number of steps; 0 means 100 */
    /* accuracy of x, relative to the larger of |x| and 1; 0 means 4 units in the last place, for fsolve 1e-10 in f64
       and 1e-5 in narrower dtypes */
    double tolerance;
    /* fsolve: greatest modulus of an element of f at a root; 0 means 1e-8 in f64, 1e-3 in narrower dtypes */
    double residual;
} ty_root_options;

TY_API ty_tensor *ty_find_root_sized(ty_body f, void *context, ty_tensor *low, ty_tensor *high, int n,
                                     ty_tensor *const *parameters, const ty_root_options *options,
                                     size_t size);
/*
 * Solve f(context, {x, parameters[0 .. n)}) = 0 element by element between low and high, which broadcast with each
 * other and with the result of f; the roots have that shape.  n is at most 64.
 *
 * f is elementwise in x and has different signs at low and high; otherwise poison names the element (promises: NaN
 * there).  A NaN in between is an error too, and so is a change of sign where |f| is among the largest values seen: a
 * pole or a jump.  All brackets are searched at once, by inverse quadratic interpolation where that is safe, else by
 * bisection (T. Chandrupatla 1997).
 *
 * The gradient by parameters is that of the implicit function, - (df/dp) / (df/dx); none flows to low and high.
 */
TY_INLINE ty_tensor *ty_find_root(ty_body f, void *context, ty_tensor *low, ty_tensor *high, int n,
                                  ty_tensor *const *parameters, ty_root_options options) {
    return ty_find_root_sized(f, context, low, high, n, parameters, &options, sizeof options);
}
TY_API ty_tensor *ty_newton_sized(ty_body f, void *context, ty_tensor *start, int n,
                                  ty_tensor *const *parameters, const ty_root_options *options, size_t size);
/*
 * Solve f(context, {x, parameters[0 .. n)}) = 0 element by element from `start`, which broadcasts with the result
 * of f, by Newton's method, with df/dx from the graph; a step that does not lower |f| is shortened.  The roots have
 * the broadcast shape.  n is at most 64.
 *
 * A root is found where f is 0 or the full step is within the tolerance.  At the rounding level of f, a change of sign
 * within half of the digits counts too.  Errors (poison that names the element; NaN for promises): df/dx is 0, f or
 * df/dx is not finite, |f| has a minimum that is not 0, too many steps.
 */
TY_INLINE ty_tensor *ty_newton(ty_body f, void *context, ty_tensor *start, int n,
                               ty_tensor *const *parameters, ty_root_options options) {
    return ty_newton_sized(f, context, start, n, parameters, &options, sizeof options);
}
TY_API ty_tensor *ty_fsolve_sized(ty_body f, void *context, ty_tensor *start, int n,
                                  ty_tensor *const *parameters, const ty_root_options *options, size_t size);
/* Solve the system f(context, {x, parameters[0 .. n)}) = 0 for x of start's shape, with as many equations as
   unknowns; n is at most 64.  By the Levenberg-Marquardt method on |f|^2 with the graph's Jacobian; it ends as
   Newton's method.  Without convergence, or for refused operands: poison, for promises NaN.  The gradient by
   parameters is that of the implicit function, for which the Jacobian at the root must not be singular. */
TY_INLINE ty_tensor *ty_fsolve(ty_body f, void *context, ty_tensor *start, int n,
                               ty_tensor *const *parameters, ty_root_options options) {
    return ty_fsolve_sized(f, context, start, n, parameters, &options, sizeof options);
}

/* ---- least squares ---- */

/* Options of least squares; zeros are the defaults.  The search converges if one of the last three
   holds. */
typedef struct ty_least_squares_options {
    int64_t steps;   /* greatest number of steps; 0 means 200 */
    double gradient; /* no element of the gradient exceeds this [1e-10; f32 1e-6] */
    /* a step promises and brings a decrease below this share of the sum of squares [1e-12; f32 1e-6] */
    double change;
    double step; /* a step moves x by less than this share [1e-12; f32 1e-6] */
} ty_least_squares_options;
/* Result of ty_least_squares: x of start's shape; residual, f there, flattened; jacobian [residual's elements, x's
   elements]; cost, half the sum of squares; steps i64[], the number tried.  Half floats are computed in f32 and
   rounded at the end. */
typedef struct ty_least_squares_parts {
    ty_tensor *x, *residual, *jacobian, *cost, *steps;
} ty_least_squares_parts;
TY_API ty_least_squares_parts ty_least_squares_sized(ty_body f, void *context, ty_tensor *start, int n,
                                                     ty_tensor *const *parameters,
                                                     const ty_least_squares_options *options, size_t size);
/*
 * Minimise half the sum of squares of f(context, {x, parameters[0 .. n)}), a real tensor of at least one element,
 * from x = `start`, by the Levenberg-Marquardt method.  x has start's shape; also residual, jacobian, cost and
 * number of steps.  n is at most 64.  (J. More, "The Levenberg-Marquardt algorithm", 1978.)
 *
 * Steps solve (J'J + l D) s = -J'f by QR; D holds the largest squares of columns so far, l follows H. Nielsen's rule
 * (1999).  The gradient by parameters is that of the implicit function "gradient of the cost = 0"; it flows through x
 * and takes second derivatives.
 *
 * If steps become short though residuals are not orthogonal to the Jacobian's columns, that is an error: a kink, or f
 * is not finite nearby.  All parts are then poisoned.
 */
TY_INLINE ty_least_squares_parts ty_least_squares(ty_body f, void *context, ty_tensor *start, int n,
                                                  ty_tensor *const *parameters,
                                                  ty_least_squares_options options) {
    return ty_least_squares_sized(f, context, start, n, parameters, &options, sizeof options);
}

/* Result of ty_curve_fit. */
typedef struct ty_curve_fit_parts {
    ty_tensor *parameters; /* start's shape */
    /* [size, size]: with sigma the inverse of J'J, else that times the residuals' variance; infinite if J lacks
       full rank */
    ty_tensor *covariance;
    ty_tensor *residual; /* (f - y) / sigma */
} ty_curve_fit_parts;
TY_API ty_curve_fit_parts ty_curve_fit_sized(ty_body f, void *context, ty_tensor *x, ty_tensor *y,
                                             ty_tensor *sigma, ty_tensor *start,
                                             const ty_least_squares_options *options, size_t size);
/* Fit parameters p, of start's shape, such that f(context, {p, x}) of y's shape is nearest to y in units of sigma
   (y's shape; NULL: all equal), by least squares from `start`.  Returns p, its covariance [size, size] of start's
   elements, and the residual (f - y) / sigma.  On failure, or if the search does not converge, all parts are
   poisoned. */
TY_INLINE ty_curve_fit_parts ty_curve_fit(ty_body f, void *context, ty_tensor *x, ty_tensor *y,
                                          ty_tensor *sigma, ty_tensor *start,
                                          ty_least_squares_options options) {
    return ty_curve_fit_sized(f, context, x, y, sigma, start, &options, sizeof options);
}

/* ---- ordinary differential equations ---- */

/* Method of integration. */
typedef enum ty_ode_method {
    TY_ODE_RK45, /* explicit, order 5, with the error by order 4 (J. Dormand and P. Prince 1980) */
    /* linearly implicit, order 4, L-stable, with the graph's Jacobian: RODAS (E. Hairer and G. Wanner 1996) */
    TY_ODE_STIFF,
    TY_ODE_RK4, /* `steps` equal steps between neighbouring times, without error estimate */
    /* backward differentiation of orders 1 to 5 (L. Shampine and M. Reichelt 1997), also for stiff equations */
    TY_ODE_BDF,
    TY_ODE_METHODS
} ty_ode_method;
/* Return the method of integration by its name: "rk45", "stiff", "rk4" or "bdf".  TY_ODE_METHODS, which
   ty_odeint refuses, if there is none. */
TY_API ty_ode_method ty_ode_method_named(const char *name);

/* Options of ty_odeint; zeros are the defaults. */
typedef struct ty_ode_options {
    ty_ode_method method;
    double relative, absolute; /* tolerances of a step's error (root mean square); both 0 means 1e-6, 1e-9 */
    int64_t steps;  /* limit between neighbouring times; 0 means 1000; TY_ODE_RK4: their number, 0 means 1 */
    double first;   /* length of the first step [from the slopes at the start] */
    double longest; /* greatest length of a step [no limit] */
    /* no gradient will be taken: for promises and tracked values steps are computed once, not twice */
    bool no_gradient;
    bool unused[7];
} ty_ode_options;
TY_API ty_tensor *ty_odeint_sized(ty_body f, void *context, ty_tensor *y0, ty_tensor *times, int n,
                                  ty_tensor *const *parameters, const ty_ode_options *options, size_t size);
/*
 * Solve dy/dt = f(context, {t, y, parameters...}) with y = y0 at times[0]; returns y at each of `times`: [times,
 * ...]; poison on failure.  n is at most 63.
 *
 * `times` is a real vector, strictly ascending or descending (not checked in a promise).  y0 is real and floating; f
 * returns its dtype and shape; t is 0-d and of its dtype.  Half floats are computed in f32 and rounded once.  Steps are
 * as long as the tolerance allows. Values at times between steps come from the step's own polynomial (TY_ODE_RK45: of
 * degree 4, TY_ODE_BDF: of the step's order); steps of TY_ODE_STIFF end at each of `times`.
 *
 * Gradients flow to y0, times, parameters and other tensors that f uses.  They are those of the steps taken, with
 * fixed lengths, run backwards.  The states at `times` are kept; the steps between two of them are computed again and
 * need memory for `steps` states.  So give more `times` over a long interval.
 *
 * If an operand is a promise or tracked, an accepted step is computed twice: once to judge it, once for gradients.  So
 * values of f in rejected steps (the root of a negative number) do not matter.
 */
TY_INLINE ty_tensor *ty_odeint(ty_body f, void *context, ty_tensor *y0, ty_tensor *times, int n,
                               ty_tensor *const *parameters, ty_ode_options options) {
    return ty_odeint_sized(f, context, y0, times, n, parameters, &options, sizeof options);
}

#ifdef __cplusplus
}
#endif
#endif
