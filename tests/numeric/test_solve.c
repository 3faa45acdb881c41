/*
 * Roots, least squares, differential equations: against closed forms, SciPy's values and orders of convergence;
 * gradients against differences; promises, batches; errors.
 */
#include <math.h>
#include <string.h>

#include "tests/numeric/solve_values.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *vector(int64_t n, const double *values) { return ty_from(TY_F64, 1, &n, values); }
static ty_tensor *item_of(ty_tensor *x, int64_t i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

/* ---- elementwise roots ---- */

static ty_tensor *cubic(void *context, ty_tensor *const *x) { /* x^3 = a */
    (void)context;
    return ty_sub(ty_mul(x[0], ty_square(x[0])), x[1]);
}
static ty_tensor *hard(void *context, ty_tensor *const *x) {
    switch (*(const int *)context) {
    case 0:
        return ty_sub(ty_cos(x[0]), x[0]);
    case 1: /* flat at the root */
        return ty_pow(ty_sub(x[0], ty_num(1.1)), ty_num(9));
    case 2:
        return ty_sub(ty_exp(ty_mul(x[0], ty_num(20))), ty_num(7));
    case 3: /* steep */
        return ty_tanh(ty_mul(ty_sub(x[0], ty_num(0.3)), ty_num(1e6)));
    default:
        return ty_sub(ty_div(ty_num(1), ty_sub(x[0], ty_num(2.9))), ty_num(6));
    }
}
static const double hard_roots[] = {0.73908513321516064166, 1.1, 0.097295507452765665, 0.3,
                                    3.0666666666666667};

static void brackets(void) {
    ty_tensor *a = vector(4, (double[]){1, -8, 2, 1e-9});
    ty_tensor *x = ty_find_root(cubic, NULL, ty_num(-3), ty_broadcast(ty_scalar(TY_F64, 4), TY_SHAPE(4)), 1,
                                &a, (ty_root_options){0});
    compare_near(CHECK_OK(x), ty_cbrt(a), 1e-14, 1e-15, "cube roots");
    ty_tensor *lazy = ty_var(a, "a");
    ty_tensor *promised = ty_find_root(cubic, NULL, ty_num(-3), ty_lazy(ty_full(TY_F64, TY_SHAPE(4), 4)), 1,
                                       &lazy, (ty_root_options){0});
    CHECK(ty_is_promise(CHECK_OK(promised)), "of promises a promise");
    compare_bits(ty_eval(promised), x, "a promise");
    static const double ends[][2] = {{0, 1}, {0, 3}, {-2, 3}, {-5, 7}, {2.95, 10}};
    for (int i = 0; i < 5 && !(test_starving() && i); i++) {
        ty_tensor *root =
            ty_find_root(hard, &i, ty_num(ends[i][0]), ty_num(ends[i][1]), 0, NULL, (ty_root_options){0});
        CHECK(fabs(ty_item(CHECK_OK(root)) - hard_roots[i]) < (i == 1 ? 1e-2 : 2e-15 * (1 + hard_roots[i])),
              "root %d is %.17g", i, ty_item(root));
    }
    ty_tensor *single = ty_from(TY_F32, TY_SHAPE(2), (float[]){2, 3});
    x = ty_find_root(cubic, NULL, ty_zeros_like(single), single, 1, &single, (ty_root_options){0});
    CHECK(ty_dtype_of(CHECK_OK(x)) == TY_F32, "f32 stays f32");
    compare_near(x, ty_cbrt(single), 1e-6, 0, "cube roots in f32");
    CHECK(ty_item(CHECK_OK(ty_find_root(cubic, NULL, ty_num(0), ty_num(1), 1, (ty_tensor *[]){ty_num(0)},
                                        (ty_root_options){0}))) == 0,
          "a root at an end");
}

static void newton_steps(void) {
    ty_tensor *a = vector(4, (double[]){1, -8, 2, 1e-3});
    ty_tensor *x = ty_newton(cubic, NULL, vector(4, (double[]){2, -1, 9, 0.5}), 1, &a, (ty_root_options){0});
    compare_near(CHECK_OK(x), ty_cbrt(a), 1e-14, 0, "cube roots");
    for (int i = 0; i < 3 && !test_starving(); i += 2) {
        x = ty_newton(hard, &i, ty_num(0.5), 0, NULL, (ty_root_options){0});
        CHECK(fabs(ty_item(CHECK_OK(x)) - hard_roots[i]) < 1e-14, "root %d is %.17g", i, ty_item(x));
    }
}

/* ---- systems ---- */

/* Return the residuals of x^2 + y^2 = a, x y = b. */
static ty_tensor *circle(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *p = x[0];
    ty_tensor *both[] = {ty_sub(ty_sum(ty_square(p), TY_ALL), item_of(x[1], 0)),
                         ty_sub(ty_mul(item_of(p, 0), item_of(p, 1)), item_of(x[1], 1))};
    return ty_stack(2, both, 0);
}
/* Return the residuals of Broyden's tridiagonal system. */
static ty_tensor *broyden(void *context, ty_tensor *const *x) {
    (void)context;
    ty_padding before = {.low = 1, .high = -1}, behind = {.low = -1, .high = 1};
    ty_tensor *v = x[0], *zero = ty_scalar(TY_F64, 0);
    ty_tensor *own = ty_mul(ty_sub(ty_num(3), ty_mul(v, ty_num(2))), v);
    ty_tensor *others = ty_add(ty_pad(v, &before, zero), ty_mul(ty_pad(v, &behind, zero), ty_num(2)));
    return ty_add(ty_sub(own, others), ty_num(1));
}
static ty_tensor *no_root(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(ty_square(x[0]), ty_num(1));
}

static void systems(void) {
    ty_tensor *a = vector(2, (double[]){5, 2});
    ty_tensor *x = ty_fsolve(circle, NULL, vector(2, (double[]){3, 0.5}), 1, &a, (ty_root_options){0});
    compare_near(CHECK_OK(x), vector(2, (double[]){2, 1}), 0, 1e-10, "a circle and a hyperbola");
    ty_tensor *lazy = ty_lazy(a);
    compare_bits(
        ty_eval(ty_fsolve(circle, NULL, vector(2, (double[]){3, 0.5}), 1, &lazy, (ty_root_options){0})), x,
        "a promise");
    if (test_starving()) return;
    x = ty_fsolve(broyden, NULL, ty_full(TY_F64, TY_SHAPE(30), -1), 0, NULL, (ty_root_options){0});
    ty_tensor *left = broyden(NULL, &x);
    CHECK(ty_item(ty_amax(ty_abs(CHECK_OK(left)), TY_ALL)) < 1e-9, "Broyden's system");
}

/* ---- least squares ---- */

enum { POINTS = 20 };
static ty_tensor *times(void) { return ty_linspace(TY_F64, 0, 4, POINTS); }
static ty_tensor *decay(void *context, ty_tensor *const *x) { /* p0 exp(-p1 t) + p2 */
    (void)context;
    ty_tensor *p = x[0];
    ty_tensor *e = ty_exp(ty_neg(ty_mul(item_of(p, 1), x[1])));
    return ty_add(ty_mul(item_of(p, 0), e), item_of(p, 2));
}
static ty_tensor *noisy(void) {
    double noise[POINTS];
    for (int i = 0; i < POINTS; i++) noise[i] = 0.05 * sin(3.7 * i * i);
    ty_tensor *x[] = {vector(3, (double[]){2.5, 1.3, 0.5}), times()};
    return ty_add(decay(NULL, x), vector(POINTS, noise));
}
static ty_tensor *rosenbrock(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = item_of(x[0], 0), *b = item_of(x[0], 1);
    return ty_stack(2, ((ty_tensor *[]){ty_mul(ty_sub(b, ty_square(a)), ty_num(10)), ty_sub(ty_num(1), a)}),
                    0);
}
/* Powell's singular function: the Jacobian is rank-deficient at the minimum. */
static ty_tensor *powell(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = item_of(x[0], 0), *b = item_of(x[0], 1), *c = item_of(x[0], 2), *d = item_of(x[0], 3);
    ty_tensor *all[] = {ty_add(a, ty_mul(b, ty_num(10))), ty_mul(ty_sub(c, d), ty_num(sqrt(5))),
                        ty_square(ty_sub(b, ty_mul(c, ty_num(2)))),
                        ty_mul(ty_square(ty_sub(a, d)), ty_num(sqrt(10)))};
    return ty_stack(4, all, 0);
}

static void squares(void) {
    ty_least_squares_options o = {0};
    ty_least_squares_parts parts =
        ty_least_squares(rosenbrock, NULL, vector(2, (double[]){-1.2, 1}), 0, NULL, o);
    compare_near(CHECK_OK(parts.x), ty_ones(TY_F64, TY_SHAPE(2)), 0, 1e-9, "rosenbrock");
    CHECK(ty_item(parts.steps) < 40 && ty_item(parts.cost) < 1e-18, "%d steps, cost %g",
          (int)ty_item(parts.steps), ty_item(parts.cost));
    if (test_verbose()) printf("rosenbrock: %d steps\n", (int)ty_item(parts.steps));
    if (test_starving()) return;
    for (int i = 0; i < 3; i++) {
        static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32};
        ty_tensor *near = ty_cast(vector(2, (double[]){-1.2, 1}), dtypes[i]);
        parts = ty_least_squares(rosenbrock, NULL, near, 0, NULL, o);
        CHECK(ty_dtype_of(CHECK_OK(parts.x)) == dtypes[i], "it is %s", ty_dtype_name(ty_dtype_of(parts.x)));
        compare_near(parts.x, ty_ones(dtypes[i], TY_SHAPE(2)), 1e-3, 0, "of %s", ty_dtype_name(dtypes[i]));
    }
    parts = ty_least_squares(powell, NULL, vector(4, (double[]){3, -1, 0, 1}), 0, NULL, o);
    CHECK(ty_item(CHECK_OK(parts.cost)) < 1e-12, "powell: cost %g", ty_item(parts.cost));
    /* values of SciPy's curve_fit */
    ty_tensor *start = ty_ones(TY_F64, TY_SHAPE(3)), *t = times(), *y = noisy();
    ty_curve_fit_parts fit = ty_curve_fit(decay, NULL, t, y, NULL, start, o);
    compare_near(CHECK_OK(fit.parameters), vector(3, (double[]){SCIPY_FIT}), 1e-7, 0, "a decay");
    compare_near(CHECK_OK(fit.covariance),
                 ty_reshape(vector(9, (double[]){SCIPY_COVARIANCE}), TY_SHAPE(3, 3)), 1e-5, 0,
                 "its covariance");
    ty_tensor *sigma = ty_add(ty_mul(t, ty_num(0.1)), ty_num(0.1));
    fit = ty_curve_fit(decay, NULL, t, y, sigma, start, o);
    compare_near(CHECK_OK(fit.parameters), vector(3, (double[]){SCIPY_FIT_SIGMA}), 1e-7, 0, "by sigma");
    compare_near(CHECK_OK(fit.covariance),
                 ty_reshape(vector(9, (double[]){SCIPY_COVARIANCE_SIGMA}), TY_SHAPE(3, 3)), 1e-5, 0,
                 "its covariance");
}

/* ---- differential equations ---- */

static ty_tensor *oscillator(void *context, ty_tensor *const *x) { /* t, y, [w]: y'' = -w^2 y */
    (void)context;
    ty_tensor *both[] = {item_of(x[1], 1), ty_neg(ty_mul(ty_square(x[2]), item_of(x[1], 0)))};
    return ty_stack(2, both, 0);
}
static ty_tensor *driven(void *context, ty_tensor *const *x) { /* y' = -y + sin t */
    (void)context;
    return ty_sub(ty_sin(x[0]), x[1]);
}
static ty_tensor *lotka(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = item_of(x[1], 0), *b = item_of(x[1], 1), *p = x[2], *ab = ty_mul(a, b);
    ty_tensor *both[] = {ty_sub(ty_mul(item_of(p, 0), a), ty_mul(item_of(p, 1), ab)),
                         ty_sub(ty_mul(item_of(p, 2), ab), ty_mul(item_of(p, 3), b))};
    return ty_stack(2, both, 0);
}
static ty_tensor *robertson(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = item_of(x[1], 0), *b = item_of(x[1], 1), *c = item_of(x[1], 2);
    ty_tensor *one = ty_sub(ty_mul(ty_mul(b, c), ty_num(1e4)), ty_mul(a, ty_num(0.04)));
    ty_tensor *three = ty_mul(ty_square(b), ty_num(3e7));
    return ty_stack(3, ((ty_tensor *[]){one, ty_neg(ty_add(one, three)), three}), 0);
}
static ty_tensor *van_der_pol(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = item_of(x[1], 0), *b = item_of(x[1], 1);
    ty_tensor *bend = ty_mul(ty_mul(ty_sub(ty_num(1), ty_square(a)), b), x[2]);
    return ty_stack(2, ((ty_tensor *[]){b, ty_sub(bend, a)}), 0);
}
static ty_tensor *explodes(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_square(x[1]);
}

static ty_tensor *drains(void *context, ty_tensor *const *x) { /* Torricelli's law: undefined below 0 */
    (void)context;
    return ty_neg(ty_mul(x[2], ty_sqrt(x[1])));
}

static double error_of(ty_ode_method method, double tolerance, int64_t steps) {
    ty_tensor *t = ty_linspace(TY_F64, 0, 6, 13), *w = ty_scalar(TY_F64, 1.5);
    ty_ode_options o = {.method = method, .relative = tolerance, .absolute = tolerance, .steps = steps};
    ty_tensor *y = ty_odeint(oscillator, NULL, vector(2, (double[]){1, 0}), t, 1, &w, o);
    ty_tensor *want = ty_cos(ty_mul(t, w)), *got = ty_slice(CHECK_OK(y), 1, 0, 1, 1);
    return ty_item(ty_amax(ty_abs(ty_sub(ty_squeeze(got, 1), want)), TY_ALL));
}

static void oscillations(void) {
    static const struct {
        ty_ode_method method;
        double tolerance, most;
        int64_t steps;
    } tasks[] = {{TY_ODE_RK45, 1e-6, 2e-5, 0},  {TY_ODE_RK45, 1e-10, 2e-9, 0},
                 {TY_ODE_STIFF, 1e-6, 5e-5, 0}, {TY_ODE_STIFF, 1e-9, 1e-7, 4000},
                 {TY_ODE_RK4, 0, 2e-3, 2},      {TY_ODE_RK4, 0, 1e-7, 30},
                 {TY_ODE_BDF, 1e-6, 1e-3, 0},   {TY_ODE_BDF, 1e-9, 2e-6, 4000}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks && !(test_starving() && i); i++) {
        struct test_round round = test_round();
        double error = error_of(tasks[i].method, tasks[i].tolerance, tasks[i].steps);
        if (test_verbose()) printf("method %d, %g: %g\n", tasks[i].method, tasks[i].tolerance, error);
        CHECK(error < tasks[i].most, "method %d, tolerance %g: error %g", tasks[i].method, tasks[i].tolerance,
              error);
        test_round_end(round);
    }
    if (test_starving()) return;
    double ratio = error_of(TY_ODE_RK4, 0, 10) / error_of(TY_ODE_RK4, 0, 20);
    CHECK(ratio > 14 && ratio < 18, "half the step: error by %g", ratio);
    /* a time-dependent equation, forwards and backwards, in f32 */
    for (int method = 0; method < TY_ODE_METHODS; method++) {
        if (method == TY_ODE_RK4) continue;
        struct test_round round = test_round();
        ty_ode_options o = {.method = (ty_ode_method)method, .relative = 1e-8, .absolute = 1e-10};
        ty_tensor *t = ty_linspace(TY_F64, 0, 5, 6), *y0 = ty_scalar(TY_F64, 0.5);
        ty_tensor *y = ty_odeint(driven, NULL, y0, t, 0, NULL, o);
        ty_tensor *want =
            ty_mul(ty_add(ty_sub(ty_sin(t), ty_cos(t)), ty_mul(ty_exp(ty_neg(t)), ty_num(2))), ty_num(0.5));
        compare_near(CHECK_OK(y), want, 0, 1e-6, "driven, method %d", method);
        ty_tensor *back = ty_odeint(driven, NULL, item_of(y, 5), ty_flip(t, 0), 0, NULL, o);
        compare_near(CHECK_OK(back), ty_flip(y, 0), 0, 1e-4, "and back");
        compare_bits(ty_eval(ty_odeint(driven, NULL, ty_lazy(y0), t, 0, NULL, o)), y, "a promise");
        ty_tensor *single =
            ty_odeint(driven, NULL, ty_cast(y0, TY_F32), t, 0, NULL,
                      (ty_ode_options){.method = (ty_ode_method)method, .relative = 1e-4, .absolute = 1e-5});
        CHECK(ty_dtype_of(CHECK_OK(single)) == TY_F32, "f32 stays f32");
        compare_near(ty_cast(single, TY_F64), want, 0, 1e-3, "in f32");
        test_round_end(round);
    }
}

static void stiff(void) {
    ty_tensor *far = vector(4, (double[]){0, 0.4, 400, 4e6}), *t = vector(4, (double[]){0, 500, 1000, 2000});
    ty_tensor *start = vector(2, (double[]){2, 0}), *mu = ty_scalar(TY_F64, 1000);
    for (int i = 0; i < (test_starving() ? 0 : 2); i++) {
        struct test_round round = test_round();
        ty_ode_options o = {.method = i ? TY_ODE_BDF : TY_ODE_STIFF, .relative = 1e-7, .absolute = 1e-10};
        ty_tensor *y = ty_odeint(robertson, NULL, vector(3, (double[]){1, 0, 0}), far, 0, NULL, o);
        ty_tensor *want = ty_reshape(vector(9, (double[]){SCIPY_ROBERTSON}), TY_SHAPE(3, 3));
        compare_near(ty_slice(CHECK_OK(y), 0, 1, 4, 1), want, 5e-5, 1e-10, "Robertson's reaction, %d", i);
        CHECK(!ty_is_promise(y), "of values a value");
        if (!i)
            CHECK_POISON(ty_odeint(van_der_pol, NULL, start, t, 1, &mu, o),
                         "1000 steps between neighbouring times: at 807");
        o.steps = 5000;
        y = ty_odeint(van_der_pol, NULL, start, t, 1, &mu, o);
        want = ty_reshape(vector(6, (double[]){SCIPY_VAN_DER_POL}), TY_SHAPE(3, 2));
        compare_near(ty_slice(CHECK_OK(y), 0, 1, 4, 1), want, 1e-3, 1e-7, "van der Pol's oscillator, %d", i);
        test_round_end(round);
    }
}

/* ---- gradients ---- */

static ty_tensor *gradient_task(void *context, ty_tensor *const *x) {
    ty_root_options o = {0};
    ty_tensor *t = ty_linspace(TY_F64, 0, 1, 4);
    int which = *(const int *)context;
    ty_ode_options ode = {.relative = 1e-11, .absolute = 1e-13, .steps = 300};
    ty_least_squares_options tight = {.gradient = 1e-13, .change = 1e-30, .step = 1e-15};
    switch (which) {
    case 0:
        return ty_find_root(cubic, NULL, ty_num(-3), ty_full(TY_F64, TY_SHAPE(4), 4), 1, x, o);
    case 1:
        return ty_newton(cubic, NULL, ty_full(TY_F64, TY_SHAPE(4), 2), 1, x, o);
    case 2:
        return ty_fsolve(circle, NULL, vector(2, (double[]){3, 0.5}), 1,
                         (ty_tensor *[]){ty_mul(ty_slice(x[0], 0, 0, 2, 1), vector(2, (double[]){5, 2}))}, o);
    case 3: /* curve_fit to a quarter of the values */
        return ty_curve_fit(decay, NULL, times(), ty_add(noisy(), ty_repeat(ty_sin(x[0]), POINTS / 4, 0)),
                            NULL, vector(3, (double[]){2, 1, 1}), tight)
            .parameters;
    case 4:
    case 5:
    case 6:
    case 7:
        ode.method = (ty_ode_method)(which - 4);
        if (which == 5) ode.relative = 1e-7, ode.absolute = 1e-9;
        if (which == 6) ode = (ty_ode_options){.method = TY_ODE_RK4, .steps = 5};
        if (which == 7) ode.relative = 1e-8, ode.absolute = 1e-10;
        return ty_odeint(lotka, NULL, ty_slice(x[0], 0, 0, 2, 1), t, 1, x, ode);
    default: /* by times */
        return ty_odeint(driven, NULL, ty_scalar(TY_F64, 0.5), ty_cumsum(x[0], 0, (ty_running){0}), 0, NULL,
                         ode);
    }
}

/* Derivatives of the implicit function theorem consist of operators, so they can be differentiated again. */
static void second_derivatives(void) {
    for (int which = 0; which < (test_starving() ? 1 : 4); which++) {
        struct test_round round = test_round();
        ty_tensor *x = vector(4, (double[]){1.2, 0.9, 0.7, 1.1});
        ty_check_report report;
        ty_check_options o = {.order = 2, .absolute = 1e-4, .relative = 1e-4};
        CHECK(ty_check_gradient(gradient_task, &which, 1, &x, o, &report, NULL), "task %d: %s", which,
              report.message);
        test_round_end(round);
    }
}

/* A first step that leads to undefined f is rejected. */
static void rejected_steps(void) {
    for (int method = 0; method < TY_ODE_METHODS; method++) {
        if (method == TY_ODE_RK4) continue;
        ty_tensor *a = ty_track(ty_scalar(TY_F64, 1), "a"), *t = vector(2, (double[]){0, 1.5}), *g;
        ty_ode_options o = {
            .method = (ty_ode_method)method, .first = 1.5, .relative = 1e-9, .absolute = 1e-11};
        ty_tensor *y = ty_odeint(drains, NULL, ty_ones(TY_F64, TY_SCALAR), t, 1, &a, o),
                  *last = item_of(y, 1);
        CHECK(fabs(ty_item(CHECK_OK(last)) - 0.0625) < 1e-7, "a tank: %.15g", ty_item(last));
        ty_grad(last, 1, &a, &g); /* (1 - a t / 2)^2 */
        CHECK(fabs(ty_item(CHECK_OK(g)) + 0.375) < 1e-6, "its gradient: %.15g", ty_item(g));
        o.no_gradient = true;
        compare_bits(ty_detach(ty_odeint(drains, NULL, ty_ones(TY_F64, TY_SCALAR), t, 1, &a, o)),
                     ty_detach(y), "once");
    }
}

static void gradients(void) {
    for (int which = 0; which < (test_starving() ? 1 : 9); which++) {
        struct test_round round = test_round();
        ty_tensor *x = vector(4, (double[]){1.2, 0.9, 0.7, 1.1});
        ty_check_report report;
        ty_check_options o = {.absolute = 1e-6, .relative = 1e-5};
        if (which == 5 || which == 7) o.absolute = 1e-4;
        CHECK(ty_check_gradient(gradient_task, &which, 1, &x, o, &report, NULL), "task %d: %s", which,
              report.message);
        test_round_end(round);
    }
}

/* ---- batches ---- */

static void one_root(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_find_root(cubic, NULL, ty_num(-3), ty_num(4), 1, x, (ty_root_options){0});
}
static void one_ode(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    ty_tensor *y = ty_odeint(oscillator, NULL, vector(2, (double[]){1, 0}), ty_linspace(TY_F64, 0, 2, 3), 1,
                             x, (ty_ode_options){0});
    results[0] = ty_slice(y, 1, 0, 1, 1);
}
static void batches(void) {
    ty_tensor *a = vector(3, (double[]){0.5, 1, 2}), *y;
    CHECK(ty_vmap(one_root, NULL, 1, &a, NULL, 1, &y, NULL), "%s", ty_error(y));
    compare_near(y, ty_cbrt(a), 1e-14, 0, "roots of a batch");
    if (test_starving()) return;
    CHECK(ty_vmap(one_ode, NULL, 1, &a, NULL, 1, &y, NULL), "%s", ty_error(y));
    ty_tensor *t = ty_linspace(TY_F64, 0, 2, 3);
    compare_near(ty_squeeze(y, 2), ty_cos(ty_mul(ty_expand(a, 1), t)), 0, 1e-5, "oscillators of a batch");
}

/* ---- errors ---- */

static ty_tensor *three(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return ty_ones(TY_F64, TY_SHAPE(3));
}

static void refusals(void) {
    ty_tensor *a = vector(2, (double[]){1, 2}), *whole = ty_ones(TY_I32, TY_SHAPE(2)),
              *c = ty_cast(a, TY_C128);
    ty_root_options o = {0};
    ty_least_squares_options l = {0};
    ty_ode_options ode = {0};
    int which = 1;
    CHECK_POISON(ty_find_root(NULL, NULL, a, a, 0, NULL, o), "find_root: the function is NULL");
    CHECK_POISON(ty_find_root(cubic, NULL, ty_num(2), a, 1, &a, o),
                 "no bracket at element 1: f is 6 at 2 and 6 at 2");
    CHECK_POISON(ty_find_root(three, NULL, a, a, 0, NULL, o), "it must be real and of the same shape");
    CHECK_POISON(ty_find_root(cubic, NULL, c, a, 1, &a, o), "operands must be real");
    CHECK_POISON(ty_find_root(hard, &which, ty_num(0), ty_num(3), 0, NULL, (ty_root_options){.steps = 5}),
                 "5 steps: element 0 is at");
    CHECK_POISON(ty_newton(no_root, NULL, a, 0, NULL, o), "|f| has a minimum near there");
    CHECK_POISON(ty_newton(cubic, NULL, a, 1, &a, (ty_root_options){.tolerance = -1}),
                 "expected 0 or more of each");
    CHECK_POISON(ty_fsolve(no_root, NULL, a, 0, NULL, o), "no root was found in");
    CHECK_POISON(ty_fsolve(three, NULL, a, 0, NULL, o), "fsolve");
    CHECK_POISON(ty_fsolve(no_root, NULL, c, 0, NULL, o), "the start must be real");
    CHECK_POISON(ty_least_squares(rosenbrock, NULL, vector(2, (double[]){-1.2, 1}), 0, NULL,
                                  (ty_least_squares_options){.steps = 3})
                     .x,
                 "not converged after 3 steps: half the sum of squares is");
    CHECK_POISON(ty_least_squares(NULL, NULL, a, 0, NULL, l).cost, "least_squares: the function is NULL");
    ty_tensor *none = vector(2, (double[]){NAN, 1});
    CHECK_POISON(ty_least_squares(rosenbrock, NULL, none, 0, NULL, l).x, "not finite at the start");
    CHECK_POISON(
        ty_curve_fit(decay, NULL, a, vector(3, (double[]){1, 2, 3}), NULL, vector(3, (double[]){1, 1, 1}), l)
            .parameters,
        "f returned the first, y is the second");
    CHECK_POISON(ty_odeint(NULL, NULL, a, a, 0, NULL, ode), "odeint: the function is NULL");
    CHECK_POISON(ty_odeint(driven, NULL, whole, a, 0, NULL, ode), "y0 must be floating and real");
    CHECK_POISON(ty_odeint(driven, NULL, a, vector(3, (double[]){0, 2, 1}), 0, NULL, ode),
                 "odeint of f64[3]: times must be ascending: number 1 is 2, and the next one ");
    CHECK_POISON(ty_odeint(driven, NULL, a, vector(3, (double[]){0, -2, -1}), 0, NULL, ode),
                 "times, reversed, must be ascending");
    CHECK_POISON(ty_odeint(three, NULL, a, a, 0, NULL, ode), "f returned the first for the second");
    CHECK_POISON(ty_odeint(driven, NULL, a, a, 0, NULL, (ty_ode_options){.method = TY_ODE_METHODS}),
                 "unknown method 4");
    CHECK_POISON(ty_odeint(driven, NULL, a, a, 0, NULL, (ty_ode_options){.relative = -1}),
                 "an option is negative");
    CHECK_POISON(ty_odeint(driven, NULL, ty_ones(TY_F64, TY_SCALAR), vector(2, (double[]){0, 100}), 0, NULL,
                           (ty_ode_options){.steps = 5}),
                 "not finished after 5 steps between neighbouring times: at");
    CHECK_POISON(
        ty_odeint(explodes, NULL, ty_ones(TY_F64, TY_SCALAR), vector(2, (double[]){0, 2}), 0, NULL, ode),
        "odeint");
    CHECK(ty_size(CHECK_OK(ty_odeint(driven, NULL, a, vector(1, (double[]){3}), 0, NULL, ode))) == 2,
          "one time");
    CHECK(ty_ode_method_named("stiff") == TY_ODE_STIFF && ty_ode_method_named(NULL) == TY_ODE_METHODS,
          "names");
}

/* Promises cannot report an error and give NaN. */
static void promises(void) {
    ty_tensor *a = vector(2, (double[]){1, 2});
    ty_tensor *lazy = ty_lazy(a), *far = ty_lazy(vector(2, (double[]){-1.2, 1})), *nothing[3];
    nothing[0] = ty_find_root(cubic, NULL, ty_num(2), lazy, 1, &a, (ty_root_options){0});
    nothing[1] = ty_least_squares(rosenbrock, NULL, far, 0, NULL, (ty_least_squares_options){.steps = 3}).x;
    nothing[2] = ty_odeint(driven, NULL, ty_lazy(ty_ones(TY_F64, TY_SHAPE(2))), vector(2, (double[]){0, 100}),
                           0, NULL, (ty_ode_options){.steps = 5});
    nothing[2] = item_of(nothing[2], 1);
    for (int i = 0; i < 3; i++) {
        CHECK(ty_is_promise(CHECK_OK(nothing[i])), "search %d: no promise", i);
        double nan = ty_item(ty_any(ty_is_nan(nothing[i]), TY_ALL));
        CHECK(nan == 1 || test_starving(), "search %d: NaN: %g", i, nan);
    }
}

TESTS_MAIN(TEST(brackets), TEST(newton_steps), TEST(systems), TEST(squares), TEST(oscillations), TEST(stiff),
           TEST(gradients), TEST(second_derivatives), TEST(rejected_steps), TEST(batches), TEST(refusals),
           TEST(promises))
