/* States of layers: their values in a pass, commits, eager and compiled training, parts of a batch. */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/nn_help.h"

/* Return x minus a running mean, times a weight. Each training call moves the mean half way to the
   batch's. */
static void centre(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    int64_t size = ty_shape(x[0])[1];
    ty_parameter form = {.rank = 1, .shape = &size, .init = {ty_init_ones, 0, 0}};
    ty_tensor *mean = ty_layer_state(self, "mean", (ty_parameter){.rank = 1, .shape = &size});
    ty_tensor *count = ty_layer_state(self, "count", (ty_parameter){.dtype = TY_I64});
    y[0] = ty_mul(ty_sub(x[0], mean), ty_layer_parameter(self, "weight", form));
    ty_layer_set_state(self, "mean", ty_mul(ty_add(mean, ty_mean(ty_detach(x[0]), ty_axis(0))), ty_num(0.5)));
    ty_layer_set_state(self, "count", ty_add(count, ty_int(1)));
}
static const ty_layer_kind kind = {.name = "centre", .forward = centre};

/* Call the layer repeatedly under one name, each time on its last result. */
static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    y[0] = x[0];
    for (int i = 0; i < *(const int *)context; i++) ty_layer_call(self, "c", &kind, NULL, 0, n, x, y);
}

static const int once = 1, twice = 2;
static ty_model *model(const int *times, bool lazy) {
    return nn_own_model(ty_model_new(forward, times, (ty_model_options){.lazy = lazy}));
}
static ty_tensor *input(void) { return ty_normal(TY_F32, TY_SHAPE(6, 3), ty_key(3)); }
static ty_tensor *mean_of(ty_tensor *x) { return ty_mean(x, ty_axis(0)); }
static ty_tensor *half_way(ty_tensor *mean, ty_tensor *x) {
    return ty_mul(ty_add(mean, mean_of(x)), ty_num(0.5));
}

static void expect_mean(const ty_model *m, ty_tensor *want, int64_t count, const char *what) {
    compare_bits(ty_detach(ty_eval(ty_model_find(m, "c.mean"))), CHECK_OK(want), "%s", what);
    double found = ty_item(ty_eval(ty_model_find(m, "c.count")));
    CHECK(found == (double)count, "%s: counted %g, expected %d", what, found, (int)count);
}

/* ---- one call ---- */

static void committed(void) {
    ty_model *m = model(&once, false);
    ty_tensor *x = input(), *zeros = ty_zeros(TY_F32, TY_SHAPE(3)), *error = NULL;
    CHECK_OK(ty_model_forward(m, x, NULL));
    CHECK(ty_model_states(m) == 2 && ty_model_parameters(m) == 1, "%d states", ty_model_states(m));
    CHECK(!strcmp(ty_name(ty_model_state(m, 0)), "c.mean"), "it is named %s", ty_name(ty_model_state(m, 0)));
    CHECK(ty_dtype_of(ty_model_state(m, 1)) == TY_I64, "the count is no integer");
    CHECK(ty_model_updates(m, 0, NULL) == 0, "inference moves states");
    CHECK(ty_model_commit(m, &error), "nothing to commit is no failure");
    CHECK_OK(ty_model_forward(m, x, ty_key(1)));
    ty_update updates[2] = {{NULL, NULL}, {NULL, NULL}};
    CHECK(ty_model_updates(m, 1, updates) == 2 && !updates[1].variable,
          "more is written than there is room for");
    CHECK(ty_model_updates(m, 2, updates) == 2 && updates[0].variable == ty_model_state(m, 0),
          "another state");
    compare_bits(CHECK_OK(updates[0].value), half_way(zeros, x), "what it becomes");
    expect_mean(m, zeros, 0, "before the commit");
    CHECK(ty_model_commit(m, &error), "%s", error ? ty_error(error) : "");
    expect_mean(m, half_way(zeros, x), 1, "after the commit");
    CHECK(ty_model_updates(m, 0, NULL) == 0, "what is committed is still to become");
    CHECK_OK(ty_model_forward(m, x, ty_key(1)));
    CHECK_OK(ty_model_forward(m, x, NULL)); /* the last call counts, and it has no key */
    CHECK(ty_model_updates(m, 0, NULL) == 0 && ty_model_commit(m, NULL),
          "inference keeps what was to become");
    expect_mean(m, half_way(zeros, x), 1, "after inference");
}

/* The second call of a layer in a pass reads the state that the first one set. */
static void two_calls_in_a_pass(void) {
    ty_model *m = model(&twice, false);
    ty_tensor *x = input(), *error = NULL, *first = half_way(ty_zeros(TY_F32, TY_SHAPE(3)), x);
    ty_tensor *y = CHECK_OK(ty_model_forward(m, x, ty_key(1)));
    compare_bits(ty_detach(y), ty_sub(x, first), "the second call");
    CHECK(ty_model_updates(m, 0, NULL) == 2, "%d updates", ty_model_updates(m, 0, NULL));
    CHECK(ty_model_commit(m, &error), "%s", error ? ty_error(error) : "");
    expect_mean(m, half_way(first, x), 2, "both calls");
}

static void free_program(void *p) { ty_program_free(p); }
static void into_a_program(void) {
    ty_model *m = model(&once, true);
    ty_tensor *x = input(), *y = CHECK_OK(ty_model_forward(m, ty_lazy(x), ty_lazy(ty_key(1)))), *zeros;
    ty_update updates[2];
    int n = ty_model_updates(m, 2, updates);
    CHECK(n == 2, "%d updates", n);
    ty_program *p = ty_compile(1, &y, (ty_compile_options){.updates = updates, .nupdates = n});
    test_own(p, free_program);
    bool ran = ty_run(p) && ty_run(p);
    CHECK(ran, "%s", ty_program_error(p));
    zeros = ty_zeros(TY_F32, TY_SHAPE(3));
    expect_mean(m, half_way(half_way(zeros, x), x), 2, "two runs");
}

/* ---- errors ---- */

static ty_tensor *next_value; /* the state that `odd` sets */
static void odd(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *state = ty_layer_state(self, "s", (ty_parameter){.rank = 1, .shape = (int64_t[]){3}});
    ty_layer_set_state(self, "s", next_value);
    y[0] = ty_add(x[0], state);
}
static const ty_layer_kind odd_kind = {.name = "odd", .forward = odd};
static void forward_odd(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_layer_call(self, "o", &odd_kind, NULL, 0, n, x, y);
}

static void wrong_values(void) {
    const struct {
        ty_tensor *value;
        const char *words;
    } rows[] = {{ty_ones(TY_F32, TY_SHAPE(4)), "o: the state s cannot become a tensor of another shape"},
                {ty_poison("lost on the way"), "lost on the way"},
                {NULL, "NULL"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_model *m = nn_own_model(ty_model_new(forward_odd, NULL, (ty_model_options){0}));
        ty_tensor *x = input(), *error = NULL;
        next_value = rows[i].value;
        CHECK_OK(ty_model_forward(m, x, NULL)); /* nothing happens in inference */
        CHECK_OK(ty_model_forward(m, x, ty_key(1)));
        CHECK(!ty_model_commit(m, &error), "row %d is committed", (int)i);
        CHECK_POISON(error, rows[i].words);
        compare_bits(ty_detach(ty_model_state(m, 0)), ty_zeros(TY_F32, TY_SHAPE(3)), "row %d", (int)i);
        ty_trainer_options o = {.inputs = x, .targets = x, .batch = 2, .loss = ty_mse};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
        CHECK(isnan(ty_trainer_step(t)), "row %d trains", (int)i);
        CHECK(strstr(ty_trainer_error(t), rows[i].words) || test_starving(), "row %d: %s", (int)i,
              ty_trainer_error(t));
    }
}

/* ---- training ---- */

static ty_trainer *trainer(ty_model *m, int64_t accumulate) {
    ty_trainer_options o = {.inputs = input(),
                            .targets = ty_zeros(TY_F32, TY_SHAPE(6, 3)),
                            .batch = 6,
                            .order = TY_IN_ORDER,
                            .loss = ty_mse,
                            .accumulate = accumulate,
                            .optimiser = {.rule = &ty_sgd, .rate = 0.1}};
    return nn_own_trainer(ty_trainer_new(m, o));
}

static void trained(void) {
    double losses[2][3];
    ty_tensor *x = input(), *values[2], *want = ty_zeros(TY_F32, TY_SHAPE(3));
    int n = test_starving() ? 1 : 3;
    for (int i = 0; i < n; i++) want = half_way(want, x);
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model(&once, lazy);
        nn_steps(trainer(m, 1), n, losses[lazy]);
        expect_mean(m, want, n, lazy ? "compiled" : "eager");
        values[lazy] = CHECK_OK(ty_detach(ty_eval(ty_model_find(m, "c.weight"))));
    }
    CHECK(!memcmp(losses[0], losses[1], (size_t)n * sizeof(double)), "eager and compiled losses differ");
    compare_bits(values[0], values[1], "eager and compiled weights");
}

/* Each part of a batch updates the states, as separate batches would. */
static void through_the_parts_of_a_batch(void) {
    ty_tensor *x = input(), *want = ty_zeros(TY_F32, TY_SHAPE(3));
    for (int i = 0; i < 3; i++) want = half_way(want, ty_slice(x, 0, 2 * i, 2 * i + 2, 1));
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model(&once, lazy);
        double loss;
        nn_steps(trainer(m, 3), 1, &loss);
        expect_mean(m, want, 3, lazy ? "compiled" : "eager");
    }
}

/* An objective that calls the model three times updates its states three times; another model that it
   calls keeps its own. */
static ty_tensor *three_calls(ty_model *m, ty_tensor *key, int n, ty_tensor *const *batch, void *other) {
    (void)n;
    ty_tensor *sum = ty_mean(ty_model_forward(other, batch[0], key), TY_ALL);
    for (int i = 0; i < 3; i++) {
        ty_tensor *x = ty_slice(batch[0], 0, 2 * i, 2 * i + 2, 1);
        sum = ty_add(sum, ty_mean(ty_square(ty_model_forward(m, x, key)), TY_ALL));
    }
    return sum;
}

static void through_the_calls_of_an_objective(void) {
    ty_tensor *x = input(), *want = ty_zeros(TY_F32, TY_SHAPE(3)), *zeros = want;
    for (int i = 0; i < 6; i++) {
        int64_t first = 2 * (i % 3);
        want = half_way(want, ty_slice(x, 0, first, first + 2, 1));
    }
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model(&once, lazy), *other = model(&once, lazy);
        ty_trainer_options o = {.inputs = x, .batch = 6, .order = TY_IN_ORDER, .objective = three_calls};
        o.context = other;
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
        double losses[2];
        if (!lazy) ty_model_forward(m, x, ty_key(1)); /* a call without commit has no effect */
        nn_steps(t, 2, losses);
        expect_mean(m, want, 6, lazy ? "compiled" : "eager");
        expect_mean(other, zeros, 0, lazy ? "compiled: the other" : "eager: the other");
    }
}

/* Layers that a scope of the model's function surrounds: the model alone owns their next states. */
static void forward_in_a_scope(ty_layer *self, const void *context, int n, ty_tensor *const *x,
                               ty_tensor **y) {
    ty_scope *scope = ty_open();
    forward(self, context, n, x, y);
    ty_tensor *result = ty_own(y[0]);
    ty_close(scope);
    y[0] = ty_disown(result);
}

static void of_a_function_with_a_scope(void) {
    ty_tensor *x = input(), *want = half_way(ty_zeros(TY_F32, TY_SHAPE(3)), x);
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = nn_own_model(ty_model_new(forward_in_a_scope, &once, (ty_model_options){.lazy = lazy}));
        double loss;
        nn_steps(trainer(m, 1), 1, &loss);
        expect_mean(m, want, 1, lazy ? "compiled" : "eager");
    }
}

TESTS_MAIN(TEST(committed), TEST(two_calls_in_a_pass), TEST(into_a_program), TEST(wrong_values),
           TEST(trained), TEST(through_the_parts_of_a_batch), TEST(through_the_calls_of_an_objective),
           TEST(of_a_function_with_a_scope))
