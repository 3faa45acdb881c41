/* One step of a differential equation, by each method. */
#ifndef NUMERIC_ODE_H
#define NUMERIC_ODE_H
#include <tyto/solve.h>
#include "numeric/numeric.h"

struct ode {
    ty_body f;
    void *context;
    int n;
    ty_tensor *const *parameters;
    ty_ode_options o;
    ty_dtype dtype;
    int rank; /* of y */
    int64_t shape[TY_MAX_RANK];
};
/* f at time t (f64[]) and y, of y's form. */
ty_tensor *ode_slope(const struct ode *e, ty_tensor *t, ty_tensor *y);

/* What a step of length h (f64[]) from t, y with slope k makes. */
struct ode_step {
    ty_tensor *y, *slope; /* at its end; the slope where the method wants it */
    ty_tensor *error;
    ty_tensor *dense; /* [5, ...]: coefficients by powers of the share of the step, lowest first */
};
struct ode_step ode_rk45(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k, ty_tensor *h);
struct ode_step ode_stiff(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *k, ty_tensor *h);
/* The root mean square of x by what is allowed where y is a or b; f64[]. */
ty_tensor *ode_size(const struct ode *e, ty_tensor *x, ty_tensor *a, ty_tensor *b);

/* What methods with steps of their own length go on from: y, the slope there (TY_ODE_BDF: differences [8, ...] for steps of
   `length`), the length of the next step (f64[]), and of TY_ODE_BDF the order and how many steps had that length (i64[]); of a
   step that was tried also its polynomial and whether it is taken. */
struct ode_state {
    ty_tensor *y, *slope, *length, *order, *equal;
    ty_tensor *dense, *accepted;
};
ty_tensor *ode_bdf_start(const struct ode *e, ty_tensor *y, ty_tensor *k, ty_tensor *h);
/* `twice`: the step is judged without gradients, and if it is taken computed once more for them. */
struct ode_state ode_bdf(const struct ode *e, bool twice, ty_tensor *t, struct ode_state now, ty_tensor *h);

/* One step of the classical method of order 4. */
ty_tensor *ode_rk4(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *h);
/* y plus the sum of n factors, which are not 0, times slopes. */
ty_tensor *ode_sum(ty_tensor *y, int n, const double *factors, ty_tensor *const *slopes);
#endif
