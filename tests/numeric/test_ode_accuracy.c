/*
 * Solutions of differential equations at few or many times, forwards and backwards, are as accurate as the tolerance
 * says, against closed forms.
 */
#include <math.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *N(double x) { return ty_num(x); }
static ty_tensor *item_of(ty_tensor *x, int64_t i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

/* ---- equations: context is a number ---- */

static ty_tensor *follows(void *context, ty_tensor *const *x) { /* y' = -k (y - cos t) */
    return ty_mul(N(-*(const double *)context), ty_sub(x[1], ty_cos(x[0])));
}
static double followed(double k, double t, int i) {
    double start = 2 - k * k / (1 + k * k); /* y = 2 at t = 0 */
    (void)i;
    return (k * k * cos(t) + k * sin(t)) / (1 + k * k) + start * exp(-k * t);
}
static ty_tensor *swings(void *context, ty_tensor *const *x) { /* y'' = -w^2 y */
    double w = *(const double *)context;
    ty_tensor *both[] = {item_of(x[1], 1), ty_mul(N(-w * w), item_of(x[1], 0))};
    return ty_stack(2, both, 0);
}
static double swung(double w, double t, int i) { return i ? -2 * w * sin(w * t) : 2 * cos(w * t); }
static ty_tensor *kaps(void *context, ty_tensor *const *x) {
    double e = *(const double *)context;
    ty_tensor *a = item_of(x[1], 0), *b = item_of(x[1], 1), *square = ty_square(b);
    ty_tensor *first = ty_add(ty_mul(N(-(1 / e + 2)), a), ty_mul(N(1 / e), square));
    return ty_stack(2, ((ty_tensor *[]){first, ty_sub(ty_sub(a, b), square)}), 0);
}
static double kaps_is(double e, double t, int i) {
    (void)e;
    return i ? exp(-t) : exp(-2 * t);
}
static ty_tensor *bell(void *context, ty_tensor *const *x) { /* y = c / (1 + t^2) */
    double c = *(const double *)context;
    return ty_mul(ty_mul(N(-2 / c), x[0]), ty_square(x[1]));
}
static double bell_is(double c, double t, int i) {
    (void)i;
    return c / (1 + t * t);
}

static const struct problem {
    const char *name;
    ty_tensor *(*f)(void *context, ty_tensor *const *x);
    double (*exact)(double k, double t, int i);
    double k, from, to;
    int size; /* 0: a scalar */
    bool stiff;
} problems[] = {{"follows 1e6", follows, followed, 1e6, 0, 2, 0, true},
                {"follows 1e6 late", follows, followed, 1e6, 1, 9, 0, true},
                {"follows 1e3", follows, followed, 1e3, 0, 2, 0, true},
                {"follows 3", follows, followed, 3, 0, 5, 0, false},
                {"follows 3 back", follows, followed, 3, 2, 0, 0, false},
                {"swings", swings, swung, 1.5, 0, 6, 2, false},
                {"swings back", swings, swung, 1.5, 6, -1, 2, false},
                {"kaps 1e-5", kaps, kaps_is, 1e-5, 0, 3, 2, true},
                {"kaps 0.1", kaps, kaps_is, 0.1, 0, 3, 2, false},
                {"bell", bell, bell_is, 2, -3, 3, 0, false},
                {"bell back", bell, bell_is, 2, 3, -3, 0, false}};

enum { MOST_TIMES = 40 };

/* Return the largest error at `count` times, relative to the tolerance. */
static double worst_of(const struct problem *p, ty_ode_options o, int64_t count) {
    double t[MOST_TIMES], y[2 * MOST_TIMES], worst = 0;
    for (int64_t i = 0; i < count; i++) {
        double share = (double)i / (double)(count - 1);
        t[i] = p->from + (p->to - p->from) * (count > 3 ? share * (1 + share) / 2 : share);
    }
    double start[2] = {p->exact(p->k, p->from, 0), p->exact(p->k, p->from, 1)}, k = p->k;
    int64_t n = p->size;
    ty_tensor *rows = ty_odeint(p->f, &k, ty_from(TY_F64, p->size ? 1 : 0, &n, start),
                                ty_from(TY_F64, 1, &count, t), 0, NULL, o);
    int64_t width = n ? n : 1;
    if (!ty_read(CHECK_OK(rows), TY_F64, y)) worst = NAN;
    for (int64_t i = 0; i < count * width; i++) {
        double want = p->exact(p->k, t[i / width], (int)(i % width));
        double wrong = fabs(y[i] - want) / (o.absolute + o.relative * fabs(want));
        if (!(wrong <= worst)) worst = wrong;
    }
    return worst;
}

/* Errors of steps accumulate, so they may exceed the tolerance of one step by a factor. The greatest
   factor is 59 for SciPy's RK45, and 313 for its BDF. */
static void accurate_at_all_times(void) {
    static const ty_ode_method methods[] = {TY_ODE_RK45, TY_ODE_STIFF, TY_ODE_BDF};
    static const double most[] = {100, 30, 1000}, tolerances[] = {1e-3, 1e-5, 1e-6, 1e-8, 1e-10};
    static const int64_t counts[] = {3, MOST_TIMES};
    int all = (int)(sizeof problems / sizeof *problems);
    for (int i = 0; i < test_some(all, all, 1); i++)
        for (int m = 0; m < 3; m++)
            for (int k = 0; k < test_some(5, 3, 1); k++) {
                if (problems[i].stiff && methods[m] == TY_ODE_RK45) continue;
                for (int c = 0; c < test_some(2, 2, 1); c++) {
                    struct test_round round = test_round();
                    ty_ode_options o = {.method = methods[m],
                                        .relative = tolerances[k],
                                        .absolute = tolerances[k] / 100,
                                        .steps = 100000};
                    double worst = worst_of(&problems[i], o, counts[c]);
                    if (test_verbose())
                        printf("%s, method %d, %g, %d times: %.3g\n", problems[i].name, (int)methods[m],
                               tolerances[k], (int)counts[c], worst);
                    CHECK(worst <= most[m], "%s, method %d, tolerance %g, %d times: %g times the tolerance",
                          problems[i].name, (int)methods[m], tolerances[k], (int)counts[c], worst);
                    test_round_end(round);
                }
            }
}

TESTS_MAIN(TEST(accurate_at_all_times))
