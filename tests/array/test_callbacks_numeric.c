/* Solvers and samplers call functions that leave scopes open, close too many, or return NULL. */
#include "array/scope.h"
#include "tests/support/harness.h"
#include "tests/support/misbehave.h"

/* Functions to integrate or to find roots of; in an equation x[1] is the unknown. */
static ty_tensor *line(void *context, ty_tensor *const *x) {
    return misbehave(ty_sub(x[context != NULL], ty_num(0.5)));
}
static ty_tensor *call_solver(int which, ty_tensor *low, ty_tensor *high) {
    double ends[] = {0, 1};
    if (which == 0) return ty_quad(line, NULL, 0, 1, 0, NULL, (ty_quad_options){0}, NULL);
    if (which == 1) return ty_fixed_quad(line, NULL, 1, ends, ends + 1, 3, 0, NULL);
    if (which == 2) return ty_find_root(line, NULL, low, high, 0, NULL, (ty_root_options){0});
    if (which == 3) return ty_newton(line, NULL, low, 0, NULL, (ty_root_options){0});
    if (which == 4) return ty_fsolve(line, NULL, low, 0, NULL, (ty_root_options){0});
    if (which == 5) return ty_least_squares(line, NULL, low, 0, NULL, (ty_least_squares_options){0}).x;
    return ty_odeint(line, &which, low, ty_arange(TY_F64, 0, 2, 1), 0, NULL, (ty_ode_options){0});
}
static void solvers(void) {
    for (way = 0; way < WAYS; way++)
        for (int which = 0; which < 7; which++) {
            around = ty_open();
            int depth = scope_depth();
            ty_tensor *y = call_solver(which, ty_zeros(TY_F64, TY_SHAPE(3)), ty_ones(TY_F64, TY_SHAPE(3)));
            bool well = way == WELL || way == LEAVES_OPEN;
            CHECK(ty_ok(y) == well || test_starving(), "solver %d, way %d: %s", which, way, ty_error(y));
            CHECK(scope_depth() == depth, "solver %d, way %d: %d scopes", which, way, scope_depth());
            ty_close(around);
        }
}

static ty_tensor *density(void *context, ty_tensor *x) {
    (void)context;
    return misbehave(ty_neg(ty_sum(ty_square(x), TY_ALL)));
}
static ty_tensor *statistic(void *context, ty_tensor *const *x) {
    (void)context;
    return misbehave(ty_mean(x[0], ty_axis(0)));
}
static ty_tensor *conditional(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context, (void)key;
    return misbehave(ty_mul(x[0], ty_num(0.5)));
}

static void samplers(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(3, 2)), *key = ty_key(1);
    ty_sampler_options few = {.draws = 2, .warmup = -1, .step_size = 0.1};
    for (way = 0; way < WAYS; way++)
        for (int which = 0; which < 4; which++) {
            around = ty_open();
            ty_tensor *y = NULL;
            int depth = scope_depth();
            if (which == 0) y = ty_nuts(density, NULL, x, key, few).draws;
            if (which == 1) y = ty_metropolis(density, NULL, x, key, few).draws;
            if (which == 2)
                y = ty_bootstrap(statistic, NULL, 1, &x, key, (ty_bootstrap_options){.resamples = 5}).low;
            if (which == 3) ty_gibbs(1, (ty_conditional[]){conditional}, NULL, &x, key, few, &y);
            CHECK(misbehave_expected(y), "function %d, way %d: %s", which, way, ty_error(y));
            CHECK(scope_depth() == depth, "function %d, way %d: %d scopes", which, way, scope_depth());
            ty_close(around);
        }
}

TESTS_MAIN(TEST(solvers), TEST(samplers))
