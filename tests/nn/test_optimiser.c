/* Optimisers against plain loops over doubles, on values and as updates of a compiled program. */
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include <math.h>
#include <string.h>
#include <tyto/nn.h>

enum { N = 5, STEPS = 8 };

struct plain {
    double x[N], a[N], b[N]; /* parameter and states */
};

/* The loss is sum(sin(x) + x^2 / 4): this is its gradient. */
static double slope(double x) { return cos(x) + x / 2; }

static void plain_sgd(const ty_optimiser *o, struct plain *p, int i, double g, int t) {
    (void)t;
    p->x[i] -= o->rate * g;
}

static void plain_momentum(const ty_optimiser *o, struct plain *p, int i, double g, int t) {
    (void)t;
    double mu = o->momentum != 0 ? o->momentum : 0.9;
    p->a[i] = mu * p->a[i] + g;
    p->x[i] -= o->rate * (o->nesterov ? g + mu * p->a[i] : p->a[i]);
}

static void plain_adagrad(const ty_optimiser *o, struct plain *p, int i, double g, int t) {
    (void)t;
    p->a[i] += g * g;
    p->x[i] -= o->rate * g / (sqrt(p->a[i]) + 1e-10);
}

static void plain_adam(const ty_optimiser *o, struct plain *p, int i, double g, int t) {
    double beta1 = o->momentum != 0 ? o->momentum : 0.9;
    p->a[i] = beta1 * p->a[i] + (1 - beta1) * g;
    p->b[i] = 0.999 * p->b[i] + 0.001 * g * g;
    double mean = p->a[i] / (1 - pow(beta1, t)), squares = p->b[i] / (1 - pow(0.999, t));
    p->x[i] -= o->rate * mean / (sqrt(squares) + 1e-8);
}

static const struct row {
    ty_optimiser o;
    void (*step)(const ty_optimiser *o, struct plain *p, int i, double g, int t);
} rows[] = {{{.rule = &ty_sgd, .rate = 0.1}, plain_sgd},
            {{.rule = &ty_sgd, .rate = 0.1, .decay = 0.05}, plain_sgd},
            {{.rule = &ty_momentum, .rate = 0.05}, plain_momentum},
            {{.rule = &ty_momentum, .rate = 0.05, .momentum = 0.5, .nesterov = true}, plain_momentum},
            {{.rule = &ty_adagrad, .rate = 0.3}, plain_adagrad},
            {{.rule = &ty_adagrad, .rate = 0.3, .decay = 0.1}, plain_adagrad},
            {{.rule = &ty_adam, .rate = 0.1}, plain_adam},
            {{.rule = &ty_adam, .rate = 0.1, .momentum = 0.8, .decay = 0.1, .decoupled = true}, plain_adam}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void plain_step(const struct row *row, struct plain *p, int t) {
    for (int i = 0; i < N; i++) {
        double g = slope(p->x[i]);
        if (row->o.decoupled)
            p->x[i] -= row->o.rate * row->o.decay * p->x[i];
        else
            g += row->o.decay * p->x[i];
        row->step(&row->o, p, i, g, t);
    }
}

static struct plain start(void) { return (struct plain){.x = {-2, -0.5, 0.25, 1, 3}}; }

static ty_tensor *gradient(ty_tensor *x) {
    ty_tensor *loss = ty_sum(ty_add(ty_sin(x), ty_mul(ty_square(x), ty_num(0.25))), TY_ALL), *g;
    ty_grad(loss, 1, &x, &g);
    return g;
}

static void check(const struct row *row, const struct plain *p, ty_tensor *x, int t, const char *how) {
    double found[N];
    CHECK_OK(x);
    CHECK(ty_read(x, TY_F64, found), "%s: not readable", row->o.rule->name);
    for (int i = 0; i < N; i++)
        CHECK(fabs(found[i] - p->x[i]) <= 1e-12, "%s %s, step %d: x[%d] = %.15g, expected %.15g",
              row->o.rule->name, how, t, i, found[i], p->x[i]);
}

static void eager_steps(const struct row *row) {
    struct plain p = start();
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(N), p.x), *states[2];
    for (int k = 0; k < 2; k++) states[k] = ty_zeros(TY_F64, TY_SHAPE(N));
    for (int t = 1; t <= STEPS; t++) {
        ty_tensor *g = ty_detach(gradient(ty_track(x, "x")));
        x = ty_optimise(&row->o, x, g, states, ty_scalar(TY_F64, t), NULL);
        plain_step(row, &p, t);
        check(row, &p, x, t, "eager");
    }
}

static void compiled_steps(const struct row *row) {
    struct plain p = start();
    int nstates = row->o.rule->nstates;
    ty_tensor *x = ty_var(ty_from(TY_F64, TY_SHAPE(N), p.x), "x");
    ty_tensor *step = ty_var(ty_scalar(TY_F64, 0), "step"), *rate = ty_var(ty_scalar(TY_F64, 0), "rate");
    ty_tensor *states[2] = {NULL, NULL};
    ty_update updates[3] = {{.variable = x}};
    for (int k = 0; k < nstates; k++)
        states[k] = updates[1 + k].variable = ty_var(ty_zeros(TY_F64, TY_SHAPE(N)), "state");
    ty_tensor *next = updates[0].value = ty_optimise(&row->o, x, gradient(x), states, step, rate);
    for (int k = 0; k < nstates; k++) updates[1 + k].value = states[k];
    ty_program *program =
        test_program(ty_compile(1, &next, (ty_compile_options){.updates = updates, .nupdates = 1 + nstates}));
    for (int t = 1; t <= STEPS; t++) {
        struct row now = *row;
        now.o.rate = row->o.rate / t; /* a schedule: the rate is an input of the program */
        CHECK(ty_assign(step, ty_scalar(TY_F64, t), NULL) &&
                  ty_assign(rate, ty_scalar(TY_F64, now.o.rate), NULL),
              "assign");
        CHECK(ty_run(program), "%s: %s", row->o.rule->name, ty_program_error(program));
        plain_step(&now, &p, t);
        check(row, &p, ty_output(program, 0), t, "compiled");
        check(row, &p, x, t, "variable");
    }
}

static void optimisers(void) {
    for (int i = 0; i < ROWS; i++) {
        struct test_round round = test_round();
        eager_steps(&rows[i]);
        compiled_steps(&rows[i]);
        test_round_end(round);
    }
}

static void every_rule_is_tested(void) {
    for (int i = 0; ty_rules[i]; i++) {
        bool found = false;
        for (int k = 0; k < ROWS; k++) found |= rows[k].o.rule == ty_rules[i];
        CHECK(found, "%s has no row in this test", ty_rules[i]->name);
        CHECK(ty_rule_find(ty_rules[i]->name) == ty_rules[i], "%s is not found by its name",
              ty_rules[i]->name);
    }
    CHECK(!ty_rule_find("no such rule"), "a rule without a row is found");
}

/* f32 parameters keep their dtype although step and rate are f64. */
static void keeps_dtype(void) {
    for (int i = 0; ty_rules[i]; i++) {
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3)), *states[2];
        for (int k = 0; k < 2; k++) states[k] = ty_zeros(TY_F32, TY_SHAPE(3));
        ty_optimiser o = {.rule = ty_rules[i], .decay = 0.1};
        ty_tensor *y = ty_optimise(&o, x, x, states, ty_scalar(TY_F64, 1), ty_scalar(TY_F64, 0.1));
        CHECK_OK(y);
        CHECK(ty_dtype_of(y) == TY_F32, "%s: %s", ty_rules[i]->name, ty_dtype_name(ty_dtype_of(y)));
        for (int k = 0; k < ty_rules[i]->nstates; k++)
            CHECK(ty_dtype_of(states[k]) == TY_F32, "%s: state %d is %s", ty_rules[i]->name, k,
                  ty_dtype_name(ty_dtype_of(states[k])));
    }
}

/* Steps of half parameters are those of f32, rounded at the end; states are f32.  A gradient of 0 moves nothing. */
static void halves_step_in_single(void) {
    for (int half = TY_F16; half <= TY_BF16; half++)
        for (int i = 0; ty_rules[i]; i++) {
            struct test_round round = test_round();
            ty_optimiser o = {.rule = ty_rules[i], .rate = 0.01};
            ty_tensor *x = ty_cast(ty_linspace(TY_F32, -2, 2, 9), (ty_dtype)half);
            ty_tensor *g =
                ty_cast(ty_mul(x, ty_num(1e-3)), (ty_dtype)half); /* 0 in the middle; squares vanish in f16 */
            ty_tensor *states[2], *singles[2], *single = ty_cast(x, TY_F32);
            for (int k = 0; k < 2; k++) states[k] = singles[k] = ty_zeros(TY_F32, TY_SHAPE(9));
            for (int t = 1; t <= 3; t++) {
                x = CHECK_OK(ty_optimise(&o, x, g, states, ty_scalar(TY_F64, t), NULL));
                single = ty_cast(single, (ty_dtype)half);
                single = ty_optimise(&o, ty_cast(single, TY_F32), ty_cast(g, TY_F32), singles,
                                     ty_scalar(TY_F64, t), NULL);
                compare_bits(x, ty_cast(single, (ty_dtype)half), "%s, step %d", ty_rules[i]->name, t);
                for (int k = 0; k < ty_rules[i]->nstates; k++)
                    compare_bits(states[k], singles[k], "%s: state %d", ty_rules[i]->name, k);
            }
            CHECK(ty_item(ty_at(x, "4")) == 0 || test_starving(), "%s: a gradient of 0 moved a parameter",
                  ty_rules[i]->name);
            test_round_end(round);
        }
}

/* Without a mean of gradients Adam is RMSprop with its correction. */
static void zero_can_be_said(void) {
    ty_optimiser o = {.rule = &ty_adam, .rate = 0.1, .momentum = TY_ZERO};
    ty_tensor *x = ty_full(TY_F64, TY_SHAPE(2), 1), *g = ty_from(TY_F64, TY_SHAPE(2), (double[]){3, -4}),
              *states[2];
    for (int k = 0; k < 2; k++) states[k] = ty_zeros(TY_F64, TY_SHAPE(2));
    x = ty_optimise(&o, x, g, states, ty_scalar(TY_F64, 1), NULL);
    x = ty_optimise(&o, x, ty_neg(g), states, ty_scalar(TY_F64, 2),
                    NULL); /* a mean would remember the first */
    compare_near(CHECK_OK(x), ty_ones(TY_F64, TY_SHAPE(2)), 1e-7, 0, "there and back");
    o = (ty_optimiser){.rule = &ty_sgd, .rate = TY_ZERO};
    compare_bits(ty_optimise(&o, x, g, states, ty_scalar(TY_F64, 1), NULL), x, "a rate of 0");
}

TESTS_MAIN(TEST(optimisers), TEST(every_rule_is_tested), TEST(keeps_dtype), TEST(halves_step_in_single),
           TEST(zero_can_be_said))
