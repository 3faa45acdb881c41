/* Entries of searches whose number of steps depends on values: minima, roots, differential equations, samplers. */
#include <tyto/nn.h>
#include <tyto/solve.h>

#include "tests/bits/bits.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { POINTS = 21, CHAINS = 3, DRAWS = 60 };

/* ---- functions ---- */

/* Return the two residuals of Rosenbrock's function. */
static ty_tensor *residuals(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = ty_at(x[0], "0"), *b = ty_at(x[0], "1");
    return ty_stack(2, (ty_tensor *[]){ty_mul(ty_sub(b, ty_square(a)), ty_num(10)), ty_sub(ty_num(1), a)}, 0);
}
static ty_tensor *rosenbrock(void *context, ty_tensor *const *x) {
    return ty_sum(ty_square(residuals(context, x)), TY_ALL);
}
/* Return the slopes of van der Pol's oscillator. */
static ty_tensor *oscillator(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *y = ty_at(x[1], "0"), *v = ty_at(x[1], "1");
    ty_tensor *slope = ty_sub(ty_mul(ty_mul(ty_sub(ty_num(1), ty_square(y)), v), ty_num(3)), y);
    return ty_stack(2, (ty_tensor *[]){v, slope}, 0);
}
/* Return exp(x) - p. */
static ty_tensor *exponential(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sub(ty_exp(x[0]), x[1]);
}
/* Return p[0] exp(-p[1] x). */
static ty_tensor *decay(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(ty_at(x[0], "0"), ty_exp(ty_neg(ty_mul(ty_at(x[0], "1"), x[1]))));
}
/* Return the logarithm of a density with a curved ridge. */
static ty_tensor *ridge(void *context, ty_tensor *x) {
    return ty_mul(rosenbrock(context, &x), ty_num(-0.05));
}
static ty_tensor *mean(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mean(x[0], TY_ALL);
}

static ty_tensor *pair(ty_dtype dtype, double a, double b) {
    return ty_cast(ty_from(TY_F64, TY_SHAPE(2), (double[]){a, b}), dtype);
}

/* ---- entries ---- */

static const char *const minimiser_names[] = {
#define MINIMISER(name, doc) #name,
#include <tyto/tables/minimisers.def>
};

static uint64_t minimum(uint64_t hash, ty_dtype dtype, int method) {
    ty_tensor *x = pair(dtype, -1.2, 1), *best = NULL;
    ty_minimum found;
    ty_minimise_options o = {
        .method = (ty_minimiser)method, .gradient = 1e-3, .change = 1e-6, .iterations = 200};
    if (!ty_minimise(rosenbrock, NULL, 1, &x, o, &best, &found)) bits_fail(found.message);
    return best ? bits_add(hash, best) : hash;
}

static uint64_t trajectory(uint64_t hash, ty_dtype dtype, int method) {
    ty_ode_options o = {.method = (ty_ode_method)method, .steps = 2000};
    if (method == TY_ODE_RK4) o.steps = 10;
    ty_tensor *times = ty_linspace(dtype, 0, 4, 9);
    return bits_add(hash, ty_odeint(oscillator, NULL, pair(dtype, 2, 0), times, 0, NULL, o));
}

static uint64_t roots(uint64_t hash, ty_dtype dtype, int unused) {
    (void)unused;
    ty_tensor *p = sample_shape(dtype, TY_SHAPE(POINTS), 0.25, 4), *low = ty_cast(ty_num(-3), dtype);
    ty_tensor *high = ty_cast(ty_num(3), dtype), *start = ty_cast(ty_num(0.5), dtype);
    hash = bits_add(hash, ty_find_root(exponential, NULL, low, high, 1, &p, (ty_root_options){0}));
    hash = bits_add(hash, ty_newton(exponential, NULL, start, 1, &p, (ty_root_options){0}));
    return bits_add(hash, ty_fsolve(residuals, NULL, pair(dtype, 0.5, 0.25), 0, NULL, (ty_root_options){0}));
}

static uint64_t fits(uint64_t hash, ty_dtype dtype, int unused) {
    (void)unused;
    ty_least_squares_options o = {0};
    ty_tensor *x = ty_linspace(dtype, 0, 2, POINTS), *p = pair(dtype, 2, 0.75), *start = pair(dtype, 1, 1);
    ty_tensor *noise = sample_shape(dtype, TY_SHAPE(POINTS), -0.01, 0.01);
    ty_tensor *y = ty_add(decay(NULL, (ty_tensor *[]){p, x}), noise);
    ty_least_squares_parts found = ty_least_squares(residuals, NULL, pair(dtype, -1.2, 1), 0, NULL, o);
    ty_curve_fit_parts fit = ty_curve_fit(decay, NULL, x, y, NULL, start, o);
    hash = bits_add(bits_add(bits_add(hash, found.x), found.jacobian), found.steps);
    return bits_add(bits_add(bits_add(hash, fit.parameters), fit.covariance), fit.residual);
}

static uint64_t chains(uint64_t hash, ty_dtype dtype, int sampler) {
    ty_sampler_options o = {.draws = DRAWS, .warmup = DRAWS, .leaps = 8, .depth = 5};
    ty_tensor *start = sample_shape(dtype, TY_SHAPE(CHAINS, 2), -1, 1), *key = ty_key(3);
    ty_samples s = sampler == 0   ? ty_metropolis(ridge, NULL, start, key, o)
                   : sampler == 1 ? ty_hmc(ridge, NULL, start, key, o)
                                  : ty_nuts(ridge, NULL, start, key, o);
    return bits_add(bits_add(bits_add(hash, s.draws), s.logp), s.step_size);
}

static uint64_t intervals(uint64_t hash, ty_dtype dtype, int method) {
    ty_tensor *x = sample_shape(dtype, TY_SHAPE(POINTS), -1, 1);
    ty_bootstrap_options o = {.resamples = 199, .method = (ty_bootstrap_method)method};
    ty_bootstrap_parts b = ty_bootstrap(mean, NULL, 1, &x, ty_key(5), o);
    return bits_add(bits_add(bits_add(hash, b.low), b.high), b.error);
}

static void entry(const char *name, const char *kind, uint64_t (*add)(uint64_t, ty_dtype, int), int choice) {
    char whole[BITS_NAME];
    snprintf(whole, sizeof whole, *kind ? "%s %s" : "%s", name, kind);
    for (int dtype = TY_F32; dtype <= TY_F64; dtype++) {
        struct test_round round = test_round();
        bits_begin();
        uint64_t hash = add(bits_start(), (ty_dtype)dtype, choice);
        bits_entry(whole, ty_dtype_name((ty_dtype)dtype), hash);
        test_round_end(round);
    }
}

void bits_solvers(void) {
    static const char *const methods[TY_ODE_METHODS] = {
        [TY_ODE_RK45] = "rk45", [TY_ODE_STIFF] = "stiff", [TY_ODE_RK4] = "rk4", [TY_ODE_BDF] = "bdf"};
    static const char *const samplers[] = {"metropolis", "hmc", "nuts"};
    static const char *const bootstraps[TY_BOOTSTRAPS] = {"bca", "percentile", "basic"};
    for (int i = 0; i < TY_MINIMISERS; i++) entry("minimum by", minimiser_names[i], minimum, i);
    for (int i = 0; i < TY_ODE_METHODS; i++) entry("differential equation by", methods[i], trajectory, i);
    for (int i = 0; i < 3; i++) entry("Markov chain by", samplers[i], chains, i);
    for (int i = 0; i < TY_BOOTSTRAPS; i++) entry("bootstrap by", bootstraps[i], intervals, i);
    entry("roots", "", roots, 0);
    entry("fits", "", fits, 0);
}
