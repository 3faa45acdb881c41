/* Options of trainers, each against a step computed by hand: groups, frozen parameters, accumulation,
   scaled losses, half floats, objectives, sources of batches, orders of examples. */
#include <math.h>
#include <string.h>
#include <tyto/io.h>
#include "base/context/stop.h"
#include "nn/batches.h"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/nn_help.h"

enum { EXAMPLES = 12, MOST = 8 };

static ty_tensor *inputs(void) { return ty_normal(TY_F64, TY_SHAPE(EXAMPLES, 4), ty_key(1)); }
static ty_tensor *targets(void) { return ty_normal(TY_F64, TY_SHAPE(EXAMPLES, 3), ty_key(2)); }

static ty_model *model(bool lazy) {
    const ty_layer_value steps[] = {TY_LAYER_AS("first", linear, .units = 5, .activation = ty_tanh),
                                    TY_LAYER_AS("second", linear, .units = 3)};
    ty_model_options options = {.seed = 9, .lazy = lazy, .dtype = TY_F64};
    return nn_own_model(ty_model_sequence(2, steps, options));
}

static ty_trainer *trainer(ty_model *m, ty_trainer_options o) {
    o.inputs = inputs(), o.targets = targets();
    o.loss = ty_mse;
    if (!o.batch) o.batch = EXAMPLES;
    if (!o.optimiser.rule)
        o.optimiser = (ty_optimiser){.rule = &ty_sgd, .rate = 0.1, .decay = o.optimiser.decay};
    ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
    CHECK(!*ty_trainer_error(t), "%s", ty_trainer_error(t));
    return t;
}

static void copy_parameters(const ty_model *m, ty_tensor **values) {
    for (int i = 0; i < ty_model_parameters(m); i++)
        values[i] = CHECK_OK(ty_add(ty_detach(ty_eval(ty_model_parameter(m, i))), ty_num(0)));
}

/* Compute parameters and gradients of an equal model before the first step; returns their number. */
static int by_hand(ty_tensor **values, ty_tensor **gradients) {
    ty_model *m = model(false);
    ty_tensor *y = CHECK_OK(ty_model_forward(m, inputs(), NULL)), *all[MOST];
    int n = ty_model_parameters(m);
    for (int i = 0; i < n; i++) all[i] = ty_model_parameter(m, i);
    CHECK(ty_grad(ty_mse(y, targets()), n, all, gradients), "%s", ty_error(gradients[0]));
    for (int i = 0; i < n; i++)
        values[i] = ty_detach(all[i]), gradients[i] = CHECK_OK(ty_detach(gradients[i]));
    return n;
}

static void near(ty_tensor *found, ty_tensor *want, double bound, const char *what) {
    double most = ty_item(ty_amax(ty_abs(ty_sub(ty_detach(ty_eval(found)), want)), TY_ALL));
    CHECK(most <= bound, "%s: off by %g", what, most);
}

/* ---- groups and frozen parameters ---- */

static const struct {
    ty_group groups[2];
    int n;
    const char *frozen;
    double decay;
    double rates[4],
        decays[4]; /* of first.weight, first.bias, second.weight, second.bias; rate 0: unchanged */
} groups[] = {
    {{{.prefix = NULL, .rate = 0, .decay = 0}}, 0, NULL, 0, {1, 1, 1, 1}, {0, 0, 0, 0}},
    {{{.prefix = "first.", .rate = 0.5, .decay = 0}}, 1, NULL, 0.2, {0.5, 0.5, 1, 1}, {0.2, 0.2, 0.2, 0.2}},
    {{{.prefix = "first.", .rate = 0, .decay = 0.3}, {.prefix = "", .rate = 2, .decay = 0}},
     2,
     NULL,
     0.1,
     {1, 1, 2, 2},
     {0.3, 0.3, 0.1, 0.1}},
    {{{.prefix = "second.b", .rate = 0, .decay = TY_ZERO}, {.prefix = "second", .rate = TY_ZERO, .decay = 0}},
     2,
     NULL,
     0.1,
     {1, 1, 0, 1},
     {0.1, 0.1, 0.1, 0}},
    {{{.prefix = "first.weight", .rate = 3, .decay = 0}}, 1, "first", 0.1, {0, 0, 1, 1}, {0, 0, 0.1, 0.1}},
    {{{.prefix = "third", .rate = 3, .decay = 0}, {.prefix = NULL, .rate = 0.5, .decay = 0}},
     2,
     "second.bias",
     0,
     {0.5, 0.5, 0.5, 0},
     {0, 0, 0, 0}}};

static void groups_and_frozen_ones(void) {
    for (int k = 0; k < 2 * (int)(sizeof groups / sizeof *groups); k++) {
        struct test_round round = test_round();
        ty_tensor *values[MOST], *gradients[MOST];
        ty_model *m = model(k % 2);
        int i = k / 2, n = by_hand(values, gradients);
        nn_build(m, TY_SHAPE(1, 4));
        if (groups[i].frozen) CHECK(ty_model_freeze(m, groups[i].frozen, true) > 0, "nothing is frozen");
        ty_trainer_options o = {.groups = groups[i].groups, .ngroups = groups[i].n};
        o.optimiser.decay = groups[i].decay;
        double loss;
        nn_steps(trainer(m, o), 1, &loss);
        for (int p = 0; p < n; p++) {
            ty_tensor *slope = ty_add(gradients[p], ty_mul(values[p], ty_num(groups[i].decays[p])));
            ty_tensor *want = ty_sub(values[p], ty_mul(slope, ty_num(0.1 * groups[i].rates[p])));
            near(ty_model_parameter(m, p), CHECK_OK(want), 1e-14, ty_name(ty_model_parameter(m, p)));
        }
        test_round_end(round);
    }
}

/* ---- accumulation ---- */

static void accumulated(void) {
    for (int64_t parts = 2; parts <= 6; parts += 2) {
        struct test_round round = test_round();
        ty_tensor *values[MOST], *gradients[MOST], *eager[MOST], *compiled[MOST];
        double losses[2];
        int n = by_hand(values, gradients);
        for (int lazy = 0; lazy < 2; lazy++) {
            ty_model *m = model(lazy);
            nn_steps(trainer(m, (ty_trainer_options){.accumulate = parts}), 1, &losses[lazy]);
            copy_parameters(m, lazy ? compiled : eager);
        }
        CHECK(losses[0] == losses[1], "losses of %.17g and %.17g", losses[0], losses[1]);
        for (int p = 0; p < n; p++) {
            compare_bits(eager[p], compiled[p], "eager and compiled, parameter %d", p);
            near(eager[p], ty_sub(values[p], ty_mul(gradients[p], ty_num(0.1))), 1e-14, "accumulated");
        }
        test_round_end(round);
    }
    ty_trainer *t = trainer(model(false), (ty_trainer_options){.accumulate = 5});
    CHECK(isnan(ty_trainer_step(t)), "12 fall into 5 parts");
    CHECK(strstr(ty_trainer_error(t), "a batch of 12 cannot be split into 5 equal parts"), "%s",
          ty_trainer_error(t));
}

/* ---- objectives ---- */

static ty_tensor *weighted(ty_model *m, ty_tensor *key, int n, ty_tensor *const *batch, void *context) {
    CHECK(n == 3 && context == &groups, "%d parts", n);
    ty_tensor *away = ty_sub(ty_model_forward(m, batch[0], key), batch[1]);
    return ty_mean(ty_mul(ty_mul(away, away), batch[2]), TY_ALL);
}

static void objectives_of_several_parts(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *ones = ty_ones(TY_F64, TY_SHAPE(EXAMPLES, 1)), *values[MOST], *gradients[MOST];
        ty_model *m = model(lazy);
        ty_trainer_options o = {
            .objective = weighted, .context = (void *)(uintptr_t)&groups, .more = &ones, .nmore = 1};
        int n = by_hand(values, gradients);
        double loss;
        nn_steps(trainer(m, o), 1, &loss);
        for (int p = 0; p < n; p++)
            near(ty_model_parameter(m, p), ty_sub(values[p], ty_mul(gradients[p], ty_num(0.1))), 1e-14,
                 "objective");
    }
}

/* Draw the batch from the key, which differs in each step. */
static ty_tensor *by_key(ty_model *m, ty_tensor *key, int n, ty_tensor *const *batch, void *context) {
    CHECK(n == 0 && batch && !context, "%d parts", n);
    if (!key) return ty_poison("only in training");
    ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(4, 3), key);
    return ty_mean(ty_square(ty_sub(ty_model_forward(m, x, key), ty_num(1))), TY_ALL);
}

static void objectives_without_data(void) {
    double losses[2][3];
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_trainer_options o = {.objective = by_key, .seed = 3, .accumulate = 2};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(model(lazy), o));
        ty_tensor *error = NULL;
        CHECK(ty_trainer_steps_per_epoch(t) == 1, "%lld steps an epoch",
              (long long)ty_trainer_steps_per_epoch(t));
        nn_steps(t, 3, losses[lazy]);
        CHECK(losses[lazy][0] != losses[lazy][1], "the same numbers again");
        const char *file = nn_file("state");
        if (ty_trainer_save(t, file, &error))
            CHECK(ty_trainer_load(t, file, &error) || test_starving(), "load");
    }
    CHECK(!memcmp(losses[0], losses[1], sizeof losses[0]), "eager and compiled losses differ");
}

/* ---- sources of batches ---- */

enum way { WELL, SAYS_WHY, SAYS_NOTHING, NO_PART, POISON, OTHER_FORM, LEAVES_OPEN, CLOSES };
static ty_scope *around;

static bool give(void *context, int64_t step, ty_tensor **parts) {
    enum way way = *(const enum way *)context;
    parts[0] = inputs(), parts[1] = targets();
    if (!step) return true; /* the model is built from this batch */
    if (way == SAYS_WHY) parts[0] = ty_poison("the disk is gone");
    if (way == NO_PART) parts[1] = NULL;
    if (way == POISON) parts[1] = ty_poison("half of it");
    if (way == OTHER_FORM) parts[0] = ty_ones(TY_F64, TY_SHAPE(EXAMPLES, 7));
    if (way == LEAVES_OPEN) ty_open();
    if (way == CLOSES) ty_close(around);
    return way != SAYS_WHY && way != SAYS_NOTHING;
}

static void sources(void) {
    static const char *const words[] = {[SAYS_WHY] = "the disk is gone",
                                        [SAYS_NOTHING] = "the source gave no inputs for step 1",
                                        [NO_PART] = "the source gave no targets for step 1",
                                        [POISON] = "targets: half of it",
                                        [OTHER_FORM] = "7",
                                        [CLOSES] = "closed a scope"};
    for (int k = 0; k < 2 * (CLOSES + 1); k++) {
        struct test_round round = test_round();
        enum way way = k / 2;
        ty_batch_source source = {.context = &way, .n = 2, .steps_per_epoch = 3, .batch = give};
        double loss, after[2];
        around = ty_open();
        ty_model *m = model(k % 2);
        ty_trainer_options o = {
            .source = &source, .loss = ty_mse, .optimiser = {.rule = &ty_sgd, .rate = 0.1}};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
        CHECK(!*ty_trainer_error(t) && ty_trainer_steps_per_epoch(t) == 3, "%s", ty_trainer_error(t));
        nn_steps(t, 1, &loss);
        if (way == WELL || way == LEAVES_OPEN) {
            nn_steps(t, 2, after);
            CHECK(after[1] < loss, "the loss goes from %g to %g", loss, after[1]);
        } else {
            CHECK(isnan(ty_trainer_step(t)), "way %d takes a step", way);
            CHECK(strstr(ty_trainer_error(t), words[way]) || test_starving(), "way %d: %s", way,
                  ty_trainer_error(t));
        }
        ty_close(around);
        test_round_end(round);
    }
}

static void wrong_sources(void) {
    static enum way well = WELL;
    const struct {
        ty_batch_source source;
        const char *words;
    } rows[] = {
        {{.context = &well, .n = 2, .steps_per_epoch = 1, .batch = NULL}, "the source's function is NULL"},
        {{.context = &well, .n = 0, .steps_per_epoch = 1, .batch = give},
         "the source has 0 parts, expected 1 to"},
        {{.context = &well, .n = 99, .steps_per_epoch = 1, .batch = give}, "the source has 99 parts"},
        {{.context = &well, .n = 1, .steps_per_epoch = 1, .batch = give},
         "batches have 1 part; a loss needs 2, prediction and target"},
        {{.context = &well, .n = 2, .steps_per_epoch = 0, .batch = give},
         "the source has 0 steps an epoch, expected at least 1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_trainer_options o = {.source = &rows[i].source, .loss = ty_mse};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(model(i % 2), o));
        CHECK(strstr(ty_trainer_error(t), rows[i].words) || test_starving(), "%s", ty_trainer_error(t));
    }
}

/* ---- orders of examples ---- */

/* Write the indices of the examples of an epoch in batches of 4. */
static void epoch_of(struct batches *b, int64_t epoch, int *out) {
    for (int64_t step = 0; step < 3; step++) {
        struct fault fault = {0};
        ty_tensor *parts[PARTS];
        float found[4];
        CHECK(batches_take(b, 3 * epoch + step, parts, &fault), "%s", fault.text);
        CHECK(ty_read(parts[0], TY_F32, found), "not readable");
        compare_bits(ty_mul(parts[0], ty_num(2)), parts[1], "targets of other examples");
        for (int i = 0; i < 4; i++) out[4 * step + i] = (int)found[i];
    }
}

static void drop_batches(void *b) { batches_drop(b); }

static void orders(void) {
    for (ty_order order = TY_SHUFFLED; order <= TY_SAMPLED; order++) {
        ty_tensor *x = ty_arange(TY_F32, 0, EXAMPLES, 1);
        ty_trainer_options o = {
            .inputs = x, .targets = ty_mul(x, ty_num(2)), .batch = 4, .order = order, .seed = 3};
        struct batches *b = test_room(sizeof *b);
        struct fault fault = {0};
        test_own(b, drop_batches);
        CHECK(batches_open(b, &o, &fault), "%s", fault.text);
        int epochs[4][EXAMPLES], again[EXAMPLES], often = 0;
        for (int e = 0; e < 4; e++) {
            int times[EXAMPLES] = {0};
            epoch_of(b, e, epochs[e]);
            for (int i = 0; i < EXAMPLES; i++) {
                CHECK(epochs[e][i] >= 0 && epochs[e][i] < EXAMPLES, "example %d", epochs[e][i]);
                often += times[epochs[e][i]]++ > 0;
                CHECK(order != TY_IN_ORDER || epochs[e][i] == i, "place %d has example %d", i, epochs[e][i]);
            }
        }
        CHECK((order == TY_SAMPLED) == (often > 0), "order %d: %d come again in an epoch", order, often);
        CHECK((order == TY_IN_ORDER) == !memcmp(epochs[0], epochs[1], sizeof again), "order %d: epochs",
              order);
        epoch_of(b, 1, again); /* a function of the step only */
        CHECK(!memcmp(epochs[1], again, sizeof again), "order %d: another order when it is asked for again",
              order);
    }
}

/* ---- half floats ---- */

static bool large_first(void *context, int64_t step, ty_tensor **parts) {
    (void)context;
    parts[0] = ty_mul(ty_cast(inputs(), TY_F32), ty_num(step == 1 ? 30000 : 1));
    parts[1] = ty_zeros(TY_F32, TY_SHAPE(EXAMPLES, 2));
    return true;
}

static ty_tensor *kept(ty_trainer *t, const char *name) {
    ty_tensor *error = NULL;
    const char *path = nn_file("scale");
    CHECK(ty_trainer_save(t, path, &error), "%s", error ? ty_error(error) : "");
    return CHECK_OK(ty_archive_get(own_archive(ty_checkpoint_load(path)), name));
}

/* Step 1 has gradients that overflow f16: it changes the scale only. */
static void scaled_losses(void) {
    static const char *const names[] = {"linear1.weight", "momentum:linear1.weight.velocity"};
    for (int lazy = 0; lazy < 2; lazy++) {
        const ty_layer_value step = TY_LAYER(linear, .units = 2, .no_bias = true);
        ty_model_options options = {.seed = 2, .lazy = lazy, .compute = TY_F16};
        ty_model *m = nn_own_model(ty_model_sequence(1, &step, options));
        ty_batch_source source = {.n = 2, .steps_per_epoch = 3, .batch = large_first};
        ty_trainer_options o = {.source = &source, .loss = ty_mse};
        o.optimiser = (ty_optimiser){.rule = &ty_momentum, .rate = 0.01};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
        ty_tensor *before[2];
        double loss;
        CHECK(ty_item(kept(t, "trainer:scale.factor")) == 32768, "the first scale");
        nn_steps(t, 1, &loss);
        CHECK(ty_item(kept(t, "trainer:scale.steps")) == 1, "a step is not counted");
        for (int i = 0; i < 2; i++) before[i] = kept(t, names[i]);
        ty_trainer_step(t);
        CHECK(!*ty_trainer_error(t), "%s", ty_trainer_error(t));
        for (int i = 0; i < 2; i++)
            compare_bits(kept(t, names[i]), before[i], "%s after an infinite step", names[i]);
        CHECK(ty_item(kept(t, "trainer:scale.factor")) == 16384, "the scale is not halved");
        CHECK(ty_item(kept(t, "trainer:scale.steps")) == 0, "steps are counted on");
        nn_steps(t, 1, &loss);
        CHECK(ty_item(ty_any(ty_ne(kept(t, names[0]), before[0]), TY_ALL)), "it learns no more");
    }
}

/* Parameters stay f32, layers compute in half floats; the loss decreases as in f32. */
static void half_floats(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_BF16, TY_F16};
    double losses[3];
    for (int k = 0; k < 3; k++) {
        struct test_round round = test_round();
        const ty_layer_value steps[] = {TY_LAYER(scale, .factor = 1), TY_LAYER(linear, .units = 2)};
        ty_model *m =
            nn_own_model(ty_model_sequence(2, steps, (ty_model_options){.lazy = true, .compute = dtypes[k]}));
        ty_tensor *x = ty_cast(inputs(), TY_F32);
        ty_trainer_options o = {.inputs = x,
                                .targets = ty_slice(x, 1, 0, 2, 1),
                                .batch = EXAMPLES,
                                .loss = ty_mse,
                                .optimiser = {.rule = &ty_sgd, .rate = 0.5}};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
        for (int i = 0; i < (test_starving() ? 1 : 30); i++) nn_steps(t, 1, &losses[k]);
        CHECK(ty_dtype_of(ty_model_parameter(m, 0)) == TY_F32, "parameters of another dtype");
        ty_tensor *y = CHECK_OK(ty_model_forward(m, x, NULL));
        CHECK(ty_dtype_of(y) == dtypes[k], "results of %s", ty_dtype_name(ty_dtype_of(y)));
        CHECK(fabs(losses[k] - losses[0]) < 0.01, "%s: a loss of %g, in f32 %g", ty_dtype_name(dtypes[k]),
              losses[k], losses[0]);
        test_round_end(round);
    }
}

/* ---- stops ---- */

/* Interrupt the second step of a trainer at its first, second, ... check, until it succeeds; returns the number of
   kernels launched at the last stop, and their total in *kernels. */
static int64_t launched_at_last_stop(ty_trainer *t, double *loss, int64_t *kernels) {
    int64_t launched = 0;
    ty_trainer_step(t);
    for (int64_t n = 1;; n++) {
        stop_at(n);
        *loss = ty_trainer_step(t);
        stop_at(0);
        ty_resume(NULL);
        ty_report r;
        ty_program_report(ty_trainer_program(t), &r);
        *kernels = r.kernels;
        if (!*ty_trainer_error(t)) return launched;
        launched = r.launched;
    }
}

/* A step can be stopped until its last kernels, which write over parameters; with early_updates it cannot. */
static void early_updates(void) {
    if (test_starving()) return;
    double losses[2];
    int64_t launched[2], kernels[2];
    for (int early = 0; early < 2; early++)
        launched[early] =
            launched_at_last_stop(trainer(model(true), (ty_trainer_options){.early_updates = early}),
                                  &losses[early], &kernels[early]);
    CHECK(losses[0] == losses[1], "losses %.17g and %.17g", losses[0], losses[1]);
    CHECK(2 * launched[0] > kernels[0] && 2 * launched[1] < kernels[1],
          "stopped until %lld of %lld kernels; with early updates until %lld of %lld", (long long)launched[0],
          (long long)kernels[0], (long long)launched[1], (long long)kernels[1]);
}

TESTS_MAIN(TEST(groups_and_frozen_ones), TEST(accumulated), TEST(objectives_of_several_parts),
           TEST(objectives_without_data), TEST(sources), TEST(wrong_sources), TEST(orders),
           TEST(scaled_losses), TEST(half_floats), TEST(early_updates))
