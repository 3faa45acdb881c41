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
/* One step of the classical method of order 4. */
ty_tensor *ode_rk4(const struct ode *e, ty_tensor *t, ty_tensor *y, ty_tensor *h);
/* y plus the sum of n factors, which are not 0, times slopes. */
ty_tensor *ode_sum(ty_tensor *y, int n, const double *factors, ty_tensor *const *slopes);
#endif
