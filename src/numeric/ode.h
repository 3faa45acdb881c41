/* Steps of solvers of ordinary differential equations. */
#ifndef NUMERIC_ODE_H
#define NUMERIC_ODE_H
#include <tyto/linalg.h>
#include <tyto/solve.h>
#include "numeric/numeric.h"

/* A differential equation dy/dt = f(t, y, parameters), and the options of its solver. */
struct ode {
    ty_body f;
    void *context;
    int n;
    ty_tensor *const *parameters;
    ty_ode_options o;
    ty_dtype dtype;
    int rank; /* rank and shape of y */
    int64_t shape[TY_MAX_RANK];
};
/* Return f at time t (f64 []) and y, in y's shape and dtype; poison if the caller's function fails. */
ty_tensor *ode_slope(const struct ode *e, ty_tensor *t, ty_tensor *y);

/* Result of a step of length h (f64 []) from time t, value y and slope k. */
struct ode_step {
    ty_tensor *y, *slope; /* value and slope at the end of the step */
    ty_tensor *error;
    ty_tensor *dense; /* [5, ...]: coefficients by powers of the fraction of the step, lowest first */
};
/* Do one step, of length h from time t, value y and slope k, of Dormand and Prince's method of order 5. */
struct ode_step ode_rk45(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k, ty_tensor *h);
/* Do one step, of length h from time t, value y and slope k, of the Rosenbrock method RODAS for stiff
   equations. */
struct ode_step ode_stiff(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k, ty_tensor *h);
/* Return the root mean square of x divided by the tolerance at the larger of |a| and |b|; f64 []. */
ty_tensor *ode_size(const struct ode *e, ty_tensor *x, ty_tensor *a, ty_tensor *b);

/* State of adaptive methods: y, its slope (TY_ODE_BDF: differences [8, ...] for steps of `length`) and the
   next step length (f64 []). For TY_ODE_BDF also the order and the number of steps of that length (i64 []).
   After a trial step also its polynomial and if it is accepted. */
struct ode_state {
    ty_tensor *y, *slope, *length, *order, *equal;
    ty_tensor *dense, *accepted;
};
/* Return the initial differences [8, ...] from y, slope k and step length h: y, h k, and zeros. */
ty_tensor *ode_bdf_start(const struct ode *e, ty_tensor *y, ty_tensor *k, ty_tensor *h);
/* Try a step of length h from t by the BDF method and return the state after it. `twice`: compute it first
   without gradients, and again for gradients if it is accepted. */
struct ode_state ode_bdf(const struct ode *e, bool twice, ty_tensor *t, struct ode_state now, ty_tensor *h);

/* Return the value after one step, of length h from time t and value y, of the classical Runge-Kutta method
   of order 4. */
ty_tensor *ode_rk4(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *h);
/* Return y plus the sum of factors[i] slopes[i], i < n. Factors of 0 are skipped; a NULL y counts as 0, and
   is returned if all factors are 0. */
ty_tensor *ode_sum(ty_tensor *y, int n, const double *factors, ty_tensor *const *slopes);

/* A time t and value y of a differential equation, at which its slope is differentiated. */
struct ode_moment {
    const struct ode *e;
    ty_tensor *t, *y;
};
/* Return the slope at x[0] in place of y; context: the struct ode_moment. */
ty_tensor *ode_by_y(void *context, ty_tensor *const *x);
/* Return the solution, in y's shape, of the equations with the factors lu and the right side b. */
ty_tensor *ode_solved(const ty_lu_parts *lu, const struct ode *e, ty_tensor *b);
#endif
