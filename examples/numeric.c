/* The program of docs/numeric.md: curves, polynomials, integrals, roots, fits, a fit through an ODE solver. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

static void show(const char *what, ty_tensor *x) {
    if (!ty_ok(x)) {
        fprintf(stderr, "%s: %s\n", what, ty_error(x));
        exit(1);
    }
    printf("%s: ", what);
    ty_print(stdout, x);
}

static ty_tensor *item(ty_tensor *x, int64_t i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

/* ---- curves ---- */

static void curves(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(5), (double[]){0, 1, 2, 4, 5});
    ty_tensor *y = ty_from(TY_F64, TY_SHAPE(5), (double[]){0, 1, 4, 16, 25});
    ty_tensor *at = ty_linspace(TY_F64, 0.5, 4.5, 5);
    ty_tensor *lines = ty_interp(at, x, y, (ty_interp_options){0});
    ty_tensor *spline = ty_interp(at, x, y, (ty_interp_options){.kind = TY_INTERP_CUBIC}); /* at * at */

    ty_piecewise curve = ty_interpolant(x, y, (ty_interp_options){.kind = TY_INTERP_CUBIC});
    ty_tensor *slope = ty_piecewise_at(ty_piecewise_derivative(curve, 1), at); /* 2 at */
    ty_tensor *area = ty_piecewise_integral(curve, ty_num(0), ty_num(3));      /* 9 */
    show("lines", lines);
    show("spline", spline);
    show("its slope", slope);
    show("its area up to 3", area);
}

static void polynomials(void) {
    ty_tensor *x = ty_linspace(TY_F64, -1, 1, 9), *y = ty_sub(ty_mul(ty_square(x), ty_num(3)), x);
    ty_tensor *p = ty_polyfit(x, y, 2, NULL);      /* {3, -1, 0} */
    ty_tensor *there = ty_polyval(p, ty_num(2));   /* 10 */
    ty_tensor *zeros = ty_roots(ty_polymul(p, p)); /* each of 0 and 1/3 twice, complex */
    show("coefficients", p);
    show("at 2", there);
    show("greatest root", ty_amax(ty_real(zeros), TY_ALL));
}

/* ---- integrals ---- */

/* exp(-a x^2) at many points x; a is a parameter. */
static ty_tensor *bell(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_exp(ty_neg(ty_mul(x[1], ty_square(x[0]))));
}

static void integrals(void) {
    ty_tensor *a = ty_track(ty_scalar(TY_F64, 2), "a"), *gradient;
    ty_quad_report report;
    ty_tensor *whole = ty_quad(bell, NULL, -INFINITY, INFINITY, 1, &a, (ty_quad_options){0}, &report);
    ty_grad(whole, 1, &a, &gradient); /* - sqrt(pi) / 2 a^(-3/2) */
    show("integral", whole);
    show("its gradient", gradient);
    printf("%d places, error at most %.0e\n", (int)report.evaluations, report.error);
}

/* ---- roots ---- */

/* Kepler's equation: the eccentric anomaly E of a mean anomaly m at eccentricity e. */
static ty_tensor *kepler(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sub(ty_sub(x[0], ty_mul(x[2], ty_sin(x[0]))), x[1]);
}

static void roots(void) {
    ty_tensor *m = ty_linspace(TY_F64, 0.1, 3, 1000), *e = ty_track(ty_scalar(TY_F64, 0.6), "e"), *gradient;
    ty_tensor *parameters[] = {m, e};
    ty_tensor *angle = ty_find_root(kepler, NULL, ty_num(0), ty_num(4), 2, parameters, (ty_root_options){0});
    ty_grad(ty_sum(angle, TY_ALL), 1, &e, &gradient); /* by the implicit function, not by the steps */
    show("sum of gradients", gradient);
}

/* ---- fits ---- */

/* p0 exp(-p1 t) + p2 */
static ty_tensor *decay(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *p = x[0], *t = x[1];
    return ty_add(ty_mul(item(p, 0), ty_exp(ty_neg(ty_mul(item(p, 1), t)))), item(p, 2));
}

static void fits(void) {
    ty_tensor *t = ty_linspace(TY_F64, 0, 4, 50), *noise = ty_normal(TY_F64, TY_SHAPE(50), ty_key(3));
    ty_tensor *truth[] = {ty_from(TY_F64, TY_SHAPE(3), (double[]){2.5, 1.3, 0.5}), t};
    ty_tensor *y = ty_add(decay(NULL, truth), ty_mul(noise, ty_num(0.05)));
    ty_tensor *start = ty_ones(TY_F64, TY_SHAPE(3));
    ty_curve_fit_parts fit = ty_curve_fit(decay, NULL, t, y, NULL, start, (ty_least_squares_options){0});
    ty_tensor *error = ty_sqrt(ty_diagonal(fit.covariance, 0, 1)); /* standard deviations */
    show("decay", fit.parameters);
    show("give or take", error);
}

/* ---- differential equations ---- */

/* Hares and lynxes: h' = a h - b h l, l' = c h l - d l. */
static ty_tensor *lotka_volterra(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *h = item(x[1], 0), *l = item(x[1], 1), *p = x[2], *meetings = ty_mul(h, l);
    ty_tensor *born = ty_sub(ty_mul(item(p, 0), h), ty_mul(item(p, 1), meetings));
    ty_tensor *fed = ty_sub(ty_mul(item(p, 2), meetings), ty_mul(item(p, 3), l));
    return ty_stack(2, (ty_tensor *[]){born, fed}, 0);
}

struct observed {
    ty_tensor *start, *times, *counts;
};
/* Return the mean squared difference between the solution for these parameters and the observations. */
static ty_tensor *distance(void *context, ty_tensor *const *p) {
    struct observed *seen = context;
    ty_tensor *y = ty_odeint(lotka_volterra, NULL, seen->start, seen->times, 1, p, (ty_ode_options){0});
    return ty_mean(ty_square(ty_sub(y, seen->counts)), TY_ALL);
}

static void learn(void) {
    ty_tensor *truth = ty_from(TY_F64, TY_SHAPE(4), (double[]){1.1, 0.4, 0.1, 0.4});
    struct observed seen = {ty_from(TY_F64, TY_SHAPE(2), (double[]){10, 5}), ty_linspace(TY_F64, 0, 12, 25),
                            NULL};
    seen.counts = ty_odeint(lotka_volterra, NULL, seen.start, seen.times, 1, &truth, (ty_ode_options){0});

    ty_tensor *guess = ty_from(TY_F64, TY_SHAPE(4), (double[]){0.9, 0.35, 0.12, 0.5}), *found;
    ty_minimum report;
    ty_minimise(distance, &seen, 1, &guess, (ty_minimise_options){.gradient = 1e-6}, &found, &report);
    show("learned", found); /* {1.1, 0.4, 0.1, 0.4} */
    printf("%d iterations, distance %.0e\n", (int)report.iterations, report.value);
}

/* Robertson's reaction, a stiff system: rates differ by nine powers of ten. */
static ty_tensor *reaction(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = item(x[1], 0), *b = item(x[1], 1), *c = item(x[1], 2);
    ty_tensor *slow = ty_sub(ty_mul(ty_mul(b, c), ty_num(1e4)), ty_mul(a, ty_num(0.04)));
    ty_tensor *fast = ty_mul(ty_square(b), ty_num(3e7));
    return ty_stack(3, (ty_tensor *[]){slow, ty_neg(ty_add(slow, fast)), fast}, 0);
}

static void stiff(void) {
    ty_tensor *start = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 0, 0}),
              *times = ty_geomspace(TY_F64, 1e-6, 1e6, 5);
    ty_tensor *y = ty_odeint(reaction, NULL, start, times, 0, NULL, (ty_ode_options){.method = TY_ODE_STIFF});
    show("reaction", y);
}

int main(void) {
    ty_scope *scope = ty_open();
    curves();
    polynomials();
    integrals();
    roots();
    fits();
    learn();
    stiff();
    ty_close(scope);
    return 0;
}
