/* Optimisers against PyTorch's steps (tests/goldens/rules.def, written by rules.py), on values and as
   updates of a compiled program. */
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include <math.h>
#include <string.h>
#include <tyto/nn.h>

enum { N = 5, MARKS = 4, STEPS = 24 };
static const int marks[MARKS] = {1, 2, 6, STEPS}; /* steps in the table */

static const struct row {
    ty_optimiser o;
    double x[MARKS * N];
} rows[] = {
#define UNPACK(...) __VA_ARGS__
#define RULE_CASE(name, options, numbers) {{UNPACK options}, {UNPACK numbers}},
#include "tests/goldens/rules.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static ty_tensor *start(void) { return ty_from(TY_F64, TY_SHAPE(N), (double[]){-2, -0.5, 0.25, 1, 3}); }

/* Return the gradient of the loss sum(sin(x) + x^2 / 4). */
static ty_tensor *gradient(ty_tensor *x) {
    ty_tensor *loss = ty_sum(ty_add(ty_sin(x), ty_mul(ty_square(x), ty_num(0.25))), TY_ALL), *g;
    ty_grad(loss, 1, &x, &g);
    return g;
}

static void check(const struct row *row, ty_tensor *x, int t) {
    for (int i = 0; i < MARKS; i++)
        if (marks[i] == t)
            compare_near(x, ty_from(TY_F64, TY_SHAPE(N), row->x + i * N), 1e-12, 1e-13, "%s, row %d, step %d",
                         row->o.rule->name, (int)(row - rows), t);
}

/* Compute the parameter after each step, in xs[1 .. STEPS]. */
static void eager_steps(const struct row *row, ty_dtype dtype, ty_tensor **xs) {
    ty_tensor *x = ty_cast(start(), dtype), *states[TY_RULE_STATES];
    for (int k = 0; k < row->o.rule->nstates; k++) states[k] = ty_optimiser_state(&row->o, k, x);
    for (int t = 1; t <= STEPS; t++) {
        ty_tensor *g = ty_detach(gradient(ty_track(x, "x")));
        x = xs[t] = ty_optimise(&row->o, x, g, states, ty_scalar(TY_F64, t), NULL);
        if (dtype == TY_F64) check(row, x, t);
    }
}

/* Compare with one program, whose step count is a variable that it increments itself. */
static void compiled_steps(const struct row *row, ty_dtype dtype, ty_tensor *const *xs) {
    int nstates = row->o.rule->nstates;
    ty_tensor *x = ty_var(ty_cast(start(), dtype), "x"), *step = ty_var(ty_scalar(TY_F64, 0), "step");
    ty_tensor *states[TY_RULE_STATES] = {NULL}, *now = ty_add(step, ty_num(1));
    ty_update updates[2 + TY_RULE_STATES] = {{.variable = x}, {.variable = step, .value = now}};
    for (int k = 0; k < nstates; k++)
        states[k] = updates[2 + k].variable = ty_var(ty_optimiser_state(&row->o, k, x), "state");
    ty_tensor *next = updates[0].value = ty_optimise(&row->o, x, gradient(x), states, now, NULL);
    for (int k = 0; k < nstates; k++) updates[2 + k].value = states[k];
    ty_program *program =
        test_program(ty_compile(1, &next, (ty_compile_options){.updates = updates, .nupdates = 2 + nstates}));
    for (int t = 1; t <= STEPS; t++) {
        CHECK(ty_run(program), "%s: %s", row->o.rule->name, ty_program_error(program));
        compare_bits(ty_output(program, 0), xs[t], "%s, row %d, compiled step %d", row->o.rule->name,
                     (int)(row - rows), t);
    }
    compare_bits(ty_add(x, ty_scalar(dtype, 0)), xs[STEPS], "the variable");
}

static void optimisers(void) {
    for (int i = 0; i < ROWS; i++)
        for (int dtype = TY_F16; dtype <= TY_F64; dtype++) {
            struct test_round round = test_round();
            ty_tensor *xs[STEPS + 1];
            eager_steps(&rows[i], (ty_dtype)dtype, xs);
            compiled_steps(&rows[i], (ty_dtype)dtype, xs);
            test_round_end(round);
        }
}

/* The learning rate may be an input of the program. */
static void rates(void) {
    for (int i = 0; ty_rules[i]; i++) {
        struct test_round round = test_round();
        ty_optimiser o = {.rule = ty_rules[i], .rate = 0.05}, other = {.rule = ty_rules[i], .rate = 7};
        ty_tensor *states[TY_RULE_STATES], *again[TY_RULE_STATES], *x = start();
        for (int k = 0; k < o.rule->nstates; k++) states[k] = again[k] = ty_optimiser_state(&o, k, x);
        ty_tensor *g = gradient(ty_track(x, "x")), *step = ty_scalar(TY_F64, 1);
        ty_tensor *want = ty_optimise(&o, x, g, states, step, NULL);
        compare_bits(ty_optimise(&other, x, g, again, step, ty_scalar(TY_F64, 0.05)), want, "%s",
                     o.rule->name);
        test_round_end(round);
    }
}

static void every_rule_is_tested(void) {
    for (int i = 0; ty_rules[i]; i++) {
        bool found = false;
        for (int k = 0; k < ROWS; k++) found |= rows[k].o.rule == ty_rules[i];
        CHECK(found, "%s has no row in this test", ty_rules[i]->name);
        CHECK(ty_rule_named(ty_rules[i]->name) == ty_rules[i], "%s is not found by its name",
              ty_rules[i]->name);
    }
    CHECK(!ty_rule_named("no such rule"), "a rule without a row is found");
}

/* f32 parameters keep their dtype although step and learning rate are f64. */
static void keeps_dtype(void) {
    for (int i = 0; ty_rules[i]; i++) {
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3)), *states[TY_RULE_STATES];
        for (int k = 0; k < TY_RULE_STATES; k++) states[k] = ty_zeros(TY_F32, TY_SHAPE(3));
        ty_optimiser o = {.rule = ty_rules[i], .decay = 0.1};
        ty_tensor *y = ty_optimise(&o, x, x, states, ty_scalar(TY_F64, 1), ty_scalar(TY_F64, 0.1));
        CHECK_OK(y);
        CHECK(ty_dtype_of(y) == TY_F32, "%s: %s", ty_rules[i]->name, ty_dtype_name(ty_dtype_of(y)));
        for (int k = 0; k < ty_rules[i]->nstates; k++)
            CHECK(ty_dtype_of(states[k]) == TY_F32, "%s: state %d is %s", ty_rules[i]->name, k,
                  ty_dtype_name(ty_dtype_of(states[k])));
    }
}

/* Steps of half-precision parameters are those of f32, rounded at the end; states are f32. A gradient of 0
   changes nothing. */
static void halves_step_in_single(void) {
    for (int half = TY_F16; half <= TY_BF16; half++)
        for (int i = 0; ty_rules[i]; i++) {
            struct test_round round = test_round();
            ty_optimiser o = {.rule = ty_rules[i], .rate = 0.01};
            ty_tensor *x = ty_cast(ty_linspace(TY_F32, -2, 2, 9), (ty_dtype)half);
            ty_tensor *g =
                ty_cast(ty_mul(x, ty_num(1e-3)), (ty_dtype)half); /* 0 in the middle; squares underflow in
                                                                     f16 */
            ty_tensor *states[TY_RULE_STATES], *singles[TY_RULE_STATES], *single = ty_cast(x, TY_F32);
            for (int k = 0; k < TY_RULE_STATES; k++) states[k] = singles[k] = ty_zeros(TY_F32, TY_SHAPE(9));
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

/* Adam without a mean of gradients is RMSprop with bias correction. */
static void zero_can_be_said(void) {
    ty_optimiser o = {.rule = &ty_adam, .rate = 0.1, .momentum = TY_ZERO};
    ty_tensor *x = ty_full(TY_F64, TY_SHAPE(2), 1), *g = ty_from(TY_F64, TY_SHAPE(2), (double[]){3, -4}),
              *states[TY_RULE_STATES];
    for (int k = 0; k < TY_RULE_STATES; k++) states[k] = ty_zeros(TY_F64, TY_SHAPE(2));
    x = ty_optimise(&o, x, g, states, ty_scalar(TY_F64, 1), NULL);
    x = ty_optimise(&o, x, ty_neg(g), states, ty_scalar(TY_F64, 2),
                    NULL); /* a mean would remember the first gradient */
    compare_near(CHECK_OK(x), ty_ones(TY_F64, TY_SHAPE(2)), 1e-7, 0, "there and back");
    o = (ty_optimiser){.rule = &ty_sgd, .rate = TY_ZERO};
    compare_bits(ty_optimise(&o, x, g, states, ty_scalar(TY_F64, 1), NULL), x, "a rate of 0");
}

/* Parameters without axes, without elements, or with negative strides step like their elements. */
static void forms(void) {
    ty_tensor *wide = ty_linspace(TY_F64, -2, 3, 12), *slope = ty_linspace(TY_F64, 1, -1, 12);
    for (int i = 0; ty_rules[i]; i++)
        for (int dtype = TY_F16; dtype <= TY_F64; dtype++)
            for (int form = 0; form < 3; form++) {
                struct test_round round = test_round();
                ty_optimiser o = {.rule = ty_rules[i], .decay = 0.1};
                ty_tensor *x = ty_cast(wide, (ty_dtype)dtype), *g = ty_cast(slope, (ty_dtype)dtype),
                          *a[TY_RULE_STATES], *b[TY_RULE_STATES];
                if (form == 0) x = ty_at(x, "3"), g = ty_at(g, "3");
                if (form == 1) x = ty_slice(x, 0, 0, 0, 1), g = ty_slice(g, 0, 0, 0, 1);
                if (form == 2) x = ty_slice(x, 0, 10, 2, -3), g = ty_slice(g, 0, 10, 2, -3);
                for (int k = 0; k < o.rule->nstates; k++) a[k] = b[k] = ty_optimiser_state(&o, k, x);
                ty_tensor *y = CHECK_OK(ty_optimise(&o, x, g, a, ty_scalar(TY_F64, 1), NULL));
                compare_bits(
                    ty_optimise(&o, ty_contiguous(x), ty_contiguous(g), b, ty_scalar(TY_F64, 1), NULL), y,
                    "%s of %s, form %d", o.rule->name, ty_dtype_name((ty_dtype)dtype), form);
                CHECK(ty_rank(y) == ty_rank(x) && ty_size(y) == ty_size(x) &&
                          ty_dtype_of(y) == (ty_dtype)dtype,
                      "another form");
                CHECK(test_starving() || ty_size(y) == 0 || ty_item(ty_all(ty_is_finite(y), TY_ALL)),
                      "%s is not finite", o.rule->name);
                test_round_end(round);
            }
}

static void numbers_by_name(void) {
    ty_optimiser o = {.rule = &ty_adam};
    CHECK(ty_optimiser_number(&o, "beta1") == 0.9 && ty_optimiser_number(&o, "eps") == 1e-8, "adam's own");
    CHECK(ty_optimiser_set(&o, "lr", 0.25, NULL) && o.rate == 0.25, "lr");
    CHECK(ty_optimiser_set(&o, "momentum", 0, NULL) && ty_optimiser_number(&o, "momentum") == 0,
          "a momentum of 0");
    CHECK(!ty_optimiser_set(&o, "beta1", 1, NULL) && !ty_optimiser_set(&o, "beta2", -1, NULL) &&
              !ty_optimiser_set(&o, "eps", NAN, NULL),
          "numbers outside of their domains");
    CHECK(!ty_optimiser_set(&o, "lrs", 1, NULL) && !ty_optimiser_set(&o, "l", 1, NULL) &&
              !ty_optimiser_set(&o, "", 1, NULL),
          "no such numbers");
    ty_tensor *why = NULL;
    CHECK(!ty_optimiser_set(&o, "beta3", 1, &why), "no such number");
    CHECK_POISON(why, "optimiser_set: unknown number \"beta3\"");
    CHECK(!ty_optimiser_set(&o, "beta2", 2, &why), "2");
    CHECK_POISON(why, "optimiser_set: beta2 is 2; expected ");
    CHECK(ty_optimiser_set(&o, "lr", 0.25, &why) && !why, "no error");
    CHECK(isnan(ty_optimiser_number(&o, "gamma")) && o.momentum == 0 && signbit(o.momentum),
          "what is refused changes nothing");
    o.rule = &ty_momentum;
    CHECK(ty_optimiser_set(&o, "momentum", 1, NULL), "a velocity may remember all");
    CHECK(ty_optimiser_number(&(ty_optimiser){.rule = &ty_adamw}, "weight_decay") == 0.01, "adamw's decay");
}

static void states(void) {
    ty_tensor *x = ty_ones(TY_F16, TY_SHAPE(2, 3));
    compare_bits(ty_optimiser_state(&(ty_optimiser){.rule = &ty_nadam}, 1, x),
                 ty_zeros(TY_F32, TY_SHAPE(2, 3)), "squares");
    compare_bits(ty_optimiser_state(&(ty_optimiser){.rule = &ty_nadam}, 2, x), ty_scalar(TY_F32, 0),
                 "momenta");
    CHECK_POISON(ty_optimiser_state(&(ty_optimiser){.rule = &ty_sgd}, 0, x),
                 "optimiser_state: sgd has no state 0; it has 0");
}

static void clipping(void) {
    ty_tensor *g[] = {ty_from(TY_F64, TY_SHAPE(2), (double[]){3, -4}), ty_scalar(TY_F32, 12),
                      ty_zeros(TY_F16, TY_SHAPE(0))},
              *c[3], *norm;
    CHECK(ty_clip_by_value(3, g, 3.5, c), "value"), compare_numbers(c[0], NUMBERS(3, -3.5), "value");
    compare_numbers(c[1], NUMBERS(3.5), "value");
    CHECK(ty_clip_by_norm(3, g, 6, c), "norm"),
        compare_numbers(c[0], NUMBERS(3, -4), "a norm that is small enough");
    compare_numbers(c[1], NUMBERS(6), "norm");
    CHECK(ty_clip_by_global_norm(3, g, 6.5, c, &norm), "global"),
        compare_numbers(norm, NUMBERS(13), "global norm");
    compare_numbers(c[0], NUMBERS(1.5, -2), "global"), compare_numbers(c[1], NUMBERS(6), "global");
    CHECK(ty_dtype_of(c[0]) == TY_F64 && ty_dtype_of(c[1]) == TY_F32 && ty_dtype_of(c[2]) == TY_F16,
          "dtypes");
    CHECK(ty_clip_by_global_norm(2, g, 13, c, NULL), "global"), compare_bits(c[0], g[0], "nothing to clip");
    ty_tensor *half[] = {ty_full(TY_F16, TY_SHAPE(4), 300)};
    CHECK(ty_clip_by_norm(1, half, 60, c), "halves"),
        compare_numbers(c[0], NUMBERS(30, 30, 30, 30), "squares that f16 has not");
    CHECK(!ty_clip_by_norm(1, half, -1, c), "a negative bound"),
        CHECK_POISON(c[0], "clip_by_norm: the bound is -1; expected a number of at least 0");
    half[0] = ty_ones(TY_I32, TY_SHAPE(2));
    CHECK(!ty_clip_by_global_norm(1, half, 1, c, &norm), "integers"),
        CHECK_POISON(norm, "gradients must be floating-point and real");
}

static ty_tensor *distance(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mse(ty_add(ty_matmul(x[2], x[0]), x[1]), x[3]);
}

/* The gradient of a batch in pieces equals that of the whole batch, eagerly and compiled. */
static void pieces(void) {
    ty_tensor *x[] = {ty_normal(TY_F64, TY_SHAPE(3, 2), ty_key(1)), ty_normal(TY_F64, TY_SHAPE(2), ty_key(2)),
                      ty_normal(TY_F64, TY_SHAPE(12, 3), ty_key(3)),
                      ty_normal(TY_F64, TY_SHAPE(12, 2), ty_key(4))};
    ty_tensor *whole, *value, *want[4], *got[3], *v[4];
    ty_value_and_grad(distance, NULL, 4, x, &whole, want);
    for (int64_t n = 1; n <= 12; n++) {
        if (12 % n) continue;
        CHECK(ty_accumulate(distance, NULL, 2, x, 2, x + 2, n, &value, got), "%d pieces: %s", (int)n,
              ty_error(value));
        compare_near(value, whole, 1e-14, 0, "%d pieces", (int)n);
        for (int i = 0; i < 2; i++)
            compare_near(got[i], want[i], 1e-13, 1e-15, "%d pieces, gradient %d", (int)n, i);
        for (int i = 0; i < 4; i++) v[i] = ty_var(x[i], "x");
        ty_tensor *lazy[3];
        CHECK(ty_accumulate(distance, NULL, 2, v, 2, v + 2, n, &lazy[2], lazy) && ty_eval_all(3, lazy, lazy),
              "promises");
        for (int i = 0; i < 2; i++) compare_bits(lazy[i], got[i], "%d pieces, compiled", (int)n);
        compare_bits(lazy[2], value, "%d pieces, compiled", (int)n);
    }
    CHECK(!ty_accumulate(distance, NULL, 2, x, 2, x + 2, 5, &value, got), "5 pieces");
    CHECK_POISON(value, "its first axis must be a multiple of the 5 pieces");
    ty_tensor *none[] = {x[0], x[1], ty_zeros(TY_F64, TY_SHAPE(0, 3)), ty_zeros(TY_F64, TY_SHAPE(0, 2))};
    CHECK(!ty_accumulate(distance, NULL, 2, none, 2, none + 2, 1000000000, &value, got), "of nothing");
    CHECK_POISON(value, "no examples for 1000000000 pieces; expected at least one a piece");
    CHECK(!ty_accumulate(NULL, NULL, 2, x, 2, x + 2, 3, &value, got), "no loss");
    CHECK_POISON(got[1], "accumulate: the loss is NULL");
}

TESTS_MAIN(TEST(optimisers), TEST(rates), TEST(forms), TEST(numbers_by_name), TEST(states), TEST(clipping),
           TEST(pieces), TEST(every_rule_is_tested), TEST(keeps_dtype), TEST(halves_step_in_single),
           TEST(zero_can_be_said))
