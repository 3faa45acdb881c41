/* Options of interpolation, quadrature and equations: limits keep loops short, everything else may be
   extreme. */
#include "tests/support/calls/take.h"

TAKE(ty_interp_options, ty_interp_options) {
    (void)name;
    return (ty_interp_options){.kind = (ty_interp_kind)take_enumerator(c, TY_INTERP_KINDS),
                               .axis = (int)take_option(c, 0),
                               .extrapolate = (ty_extrapolation)take_enumerator(c, TY_EXTRAPOLATIONS),
                               .fill = take_real_option(c, 0),
                               .end = (ty_spline_end)take_enumerator(c, TY_SPLINE_ENDS),
                               .first = take_real_option(c, 0),
                               .last = take_real_option(c, 0)};
}

/* Choose a valid polynomial in most cases. */
TAKE(ty_piecewise, ty_piecewise) {
    ty_piecewise p = {.axis = (int)take_option(c, 0),
                      .extrapolate = (ty_extrapolation)take_enumerator(c, TY_EXTRAPOLATIONS),
                      .fill = take_real_option(c, 0)};
    if (calls_choose(c, 4) == 3) {
        p.x = calls_tensor(c, name), p.coefficients = calls_tensor(c, name);
    } else {
        p.x = ty_arange(TY_F64, 0, 4, 1);
        p.coefficients = ty_ones(TY_F64, TY_SHAPE(3, 3, 2));
    }
    return p;
}

TAKE(ty_quad_options, ty_quad_options) {
    static const double points[] = {0.25, 0.5, -1};
    (void)name;
    return (ty_quad_options){.absolute = take_real_option(c, 1e-3),
                             .relative = take_real_option(c, 1e-3),
                             .intervals = calls_choose(c, 4) < 3 ? 5 : -1,
                             .npoints = calls_choose(c, 4) == 3 ? 3 : 0,
                             .points = points};
}
TAKE(ty_quad_report_p, ty_quad_report *) {
    (void)name;
    return calls_room(c, sizeof(ty_quad_report));
}

static int64_t few_steps(struct calls *c) { return calls_choose(c, 4) < 3 ? 4 : -1; }

TAKE(ty_root_options, ty_root_options) {
    (void)name;
    return (ty_root_options){few_steps(c), take_real_option(c, 0), take_real_option(c, 1e6)};
}
TAKE(ty_least_squares_options, ty_least_squares_options) {
    (void)name;
    return (ty_least_squares_options){few_steps(c), take_real_option(c, 0), take_real_option(c, 1),
                                      take_real_option(c, 1)};
}
TAKE(ty_ode_options, ty_ode_options) {
    (void)name;
    return (ty_ode_options){.method = (ty_ode_method)take_enumerator(c, TY_ODE_METHODS),
                            .relative = take_real_option(c, 1),
                            .absolute = take_real_option(c, 1),
                            .steps = few_steps(c),
                            .first = take_real_option(c, 0),
                            .longest = take_real_option(c, 0),
                            .no_gradient = calls_choose(c, 2)};
}
