/* Means of parameters, losses with options, the search of a rate, and texts that travel with weights. */
#include <math.h>
#include <string.h>
#include <tyto/zoo.h>
#include "tests/support/nn_help.h"

enum { STEPS = 8, ROWS = 12 };

/* Return a trainer of y = w x + b on fixed rows, with means as the options say. */
static ty_trainer *line_trainer(bool lazy, ty_trainer_options o, ty_model **model) {
    const ty_layer_value step = TY_LAYER(linear, .units = 1);
    float x[ROWS], y[ROWS];
    for (int i = 0; i < ROWS; i++) x[i] = (float)i / 4 - 1, y[i] = 3 * x[i] + 1 + (float)(i % 3);
    *model = nn_own_model(ty_model_sequence(1, &step, (ty_model_options){.seed = 4, .lazy = lazy}));
    o.inputs = ty_from(TY_F32, TY_SHAPE(ROWS, 1), x);
    o.targets = ty_from(TY_F32, TY_SHAPE(ROWS, 1), y);
    o.batch = 4;
    o.seed = 3;
    o.optimiser = (ty_optimiser){.rule = &ty_adam, .rate = 0.1};
    if (!o.loss_with) o.loss = ty_mse;
    return nn_own_trainer(ty_trainer_new(*model, o));
}

static double weight(ty_model *m) { return ty_item(ty_detach(ty_model_parameter(m, 0))); }

/* Compare means after each step with the same sums in C. */
static void means_are(bool lazy, double average, int64_t from, int64_t every) {
    ty_model *m;
    ty_trainer *t = line_trainer(
        lazy, (ty_trainer_options){.average = average, .average_from = from, .average_every = every}, &m);
    double mean = weight(m), loss;
    int n = test_starving() ? 2 : STEPS;
    for (int64_t i = 1, k = 0; i <= n; i++) {
        nn_steps(t, 1, &loss);
        double w = weight(m), share;
        if (i < from) {
            mean = w;
        } else if ((i - from) % every == 0) {
            share = fmax(1 - average, 1 / (double)++k);
            mean += share * (w - mean);
        }
        CHECK(ty_trainer_use_means(t, true, NULL), "no means");
        CHECK(fabs(weight(m) - mean) < 1e-5, "step %d: the mean is %g, expected %g", (int)i, weight(m), mean);
        CHECK(ty_trainer_use_means(t, false, NULL) && weight(m) == w, "the parameter did not come back");
    }
}

static void means_of_parameters(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        means_are(lazy, 0.5, 1, 1);
        means_are(lazy, 1, 1, 1);
        means_are(lazy, 1, 4, 2);
        means_are(lazy, 0.999, 3, 1);
        test_round_end(round);
    }
}

/* Training goes on from the parameters, not from the means, also through a file, which has the means for models. */
static void means_do_not_disturb(void) {
    ty_model *a, *b, *c;
    double plain[STEPS], with[STEPS], rest[STEPS];
    const ty_trainer_options o = {.average = 0.9};
    ty_tensor *error = NULL;
    int half = test_starving() ? 1 : 4;
    nn_steps(line_trainer(true, (ty_trainer_options){0}, &a), 2 * half, plain);
    ty_trainer *t = line_trainer(true, o, &b);
    nn_steps(t, half, with);
    CHECK(!ty_trainer_save(t, "/no/such/folder/means", NULL), "a file in no folder");
    ty_trainer_use_means(t, true, NULL);
    double mean = weight(b);
    const char *path = nn_file("means");
    CHECK(ty_trainer_save(t, path, &error), "%s", error ? ty_error(error) : "");
    nn_steps(t, half, with + half);
    CHECK(!memcmp(plain, with, 2 * (size_t)half * sizeof *plain), "means change the losses");
    ty_trainer *again = line_trainer(true, o, &c);
    CHECK(ty_trainer_load(again, path, &error), "%s", error ? ty_error(error) : "");
    nn_steps(again, half, rest);
    CHECK(!memcmp(with + half, rest, (size_t)half * sizeof *rest), "other losses after resuming");
    CHECK(ty_model_load(c, path, (ty_weights_options){0}, &error), "%s", error ? ty_error(error) : "");
    CHECK(weight(c) == mean, "the file has the weight %g; the mean is %g", weight(c), mean);
}

static void fits_with_means(void) {
    ty_model *m;
    ty_trainer *t = line_trainer(true, (ty_trainer_options){.average = 1}, &m);
    ty_tensor *error = NULL;
    double loss;
    CHECK(ty_trainer_fit(t, (ty_fit_options){.epochs = 2}, &error), "%s", error ? ty_error(error) : "");
    double mean = weight(m);
    CHECK(ty_trainer_use_means(t, false, NULL), "no means");
    CHECK(weight(m) != mean || test_starving(), "after fitting, the model has not the means");
    nn_steps(t, 1, &loss);
}

static void refuses_means(void) {
    ty_model *m;
    ty_tensor *error = NULL;
    CHECK(!ty_trainer_use_means(line_trainer(true, (ty_trainer_options){0}, &m), true, &error),
          "it keeps means");
    CHECK_POISON(error, "trainer: it keeps no means of parameters; set `average`");
    const char *words = ty_trainer_error(line_trainer(true, (ty_trainer_options){.average = 2}, &m));
    CHECK(strstr(words, "average 2; expected") || test_starving(), "%s", words);
}

/* ---- losses with options ---- */

static void loss_has_options(void) {
    ty_model *m;
    double loss, plain;
    const ty_loss_options options = {.delta = 0.25};
    ty_trainer_options o = {.loss_with = ty_loss_huber_sized};
    nn_steps(line_trainer(true, o, &m), 1, &plain);
    o.loss_options = &options, o.loss_bytes = sizeof options;
    nn_steps(line_trainer(true, o, &m), 1, &loss);
    CHECK(loss < plain, "a smaller delta gives the loss %g, not below %g", loss, plain);
}

/* A failure releases no tensor of the caller's: its memory would belong to the next one. */
static void loss_refuses_weights(void) {
    const ty_layer_value step = TY_LAYER(linear, .units = 1);
    ty_model *m = nn_own_model(ty_model_sequence(1, &step, (ty_model_options){.seed = 4, .lazy = true}));
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(4, 1)), *one = ty_ones(TY_F32, TY_SHAPE(1));
    const ty_loss_options options = {.weight = ty_poison("no weights"), .positive = one};
    ty_trainer_options o = {.inputs = x, .targets = x, .loss_with = ty_loss_bce_logits_sized};
    o.loss_options = &options, o.loss_bytes = sizeof options;
    ty_trainer *t = ty_trainer_new(m, o);
    CHECK(strstr(ty_trainer_error(t), "no weights") || test_starving(), "%s", ty_trainer_error(t));
    ty_trainer_free(t);
    ty_tensor *next = ty_zeros(TY_F32, TY_SHAPE(1));
    CHECK((next != one && ty_item(one) == 1) || test_starving(), "the caller's tensor is gone");
}

static void classes_have_weights(void) {
    ty_tensor *labels = ty_from(TY_I32, TY_SHAPE(6), (int32_t[]){0, 0, 0, 0, 2, 2});
    float weights[3] = {0};
    ty_read(ty_class_weights(labels, 3), TY_F32, weights);
    CHECK(weights[0] == 0.5f && weights[1] == 1 && weights[2] == 1, "%g %g %g", weights[0], weights[1],
          weights[2]);
    CHECK_POISON(ty_class_weights(labels, 2), "class_weights of i32[6]: a label is 2; expected 0..1");
}

/* ---- the search of a rate ---- */

static void finds_a_rate(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        ty_model *m;
        double before, after, found;
        const ty_schedule schedule = {.at = ty_schedule_constant, .rate = 0.1};
        ty_trainer_options o = {.average = 0.5, .schedule = lazy ? &schedule : NULL};
        ty_tensor *curve = NULL, *error = NULL;
        nn_steps(line_trainer(lazy, o, &m), 1, &before);
        ty_trainer *t = line_trainer(lazy, o, &m);
        double w = weight(m);
        found = ty_trainer_find_rate(t, (ty_rate_options){.steps = test_starving() ? 3 : 60}, &curve, &error);
        CHECK((found > 1e-4 && found < 10) || test_starving(), "the rate %g: %s", found,
              error ? ty_error(error) : "");
        CHECK(test_starving() || (ty_rank(curve) == 2 && ty_shape(curve)[1] == 3 && ty_shape(curve)[0] > 10),
              "the curve has another shape");
        CHECK(weight(m) == w && ty_trainer_steps(t) == 0, "the search has changed the trainer");
        nn_steps(t, 1, &after);
        CHECK(before == after, "the first loss is %g after the search, %g without", after, before);
        test_round_end(round);
    }
}

/* A model that has the means has them again behind a search. */
static void search_keeps_means(void) {
    ty_model *m;
    double losses[2];
    ty_tensor *error = NULL;
    ty_trainer *t = line_trainer(true, (ty_trainer_options){.average = 0.5}, &m);
    nn_steps(t, 2, losses);
    double w = weight(m);
    CHECK(ty_trainer_use_means(t, true, &error), "%s", error ? ty_error(error) : "");
    double mean = weight(m);
    ty_trainer_find_rate(t, (ty_rate_options){.steps = 3}, NULL, NULL);
    CHECK((mean != w && weight(m) == mean) || test_starving(), "the weight is %g, not the mean %g", weight(m),
          mean);
}

static void refuses_rates(void) {
    ty_model *m;
    ty_trainer *t = line_trainer(true, (ty_trainer_options){0}, &m);
    ty_tensor *error = NULL;
    CHECK(isnan(ty_trainer_find_rate(t, (ty_rate_options){.low = 2, .high = 1}, NULL, &error)),
          "2 is below 1");
    CHECK_POISON(error, "trainer_find_rate: rates from 2 to 1; expected 0 < low < high");
    CHECK(isnan(ty_trainer_find_rate(t, (ty_rate_options){.steps = 2}, NULL, &error)), "2 steps are enough");
    CHECK_POISON(error, "trainer_find_rate: 2 steps; expected 3 to 1048576");
}

/* ---- texts beside weights ---- */

static void opens_a_network(void) {
    const ty_network *mlp = ty_network_named("mlp");
    ty_tensor *error = NULL, *x = ty_ones(TY_F32, 2, (int64_t[]){2, 5}), *y[2];
    ty_model *m = nn_own_model(ty_network_model(mlp, (ty_network_options){.classes = 3},
                                                (ty_model_options){.seed = 2, .lazy = true}));
    CHECK(ty_model_build(m, 1, &x, &error), "%s", error ? ty_error(error) : "");
    CHECK(ty_model_set_note(m, TY_NOTE_CLASSES, "a\nb\nc\n"), "the note was not kept");
    const char *path = nn_file("net.safetensors");
    CHECK(ty_model_save(m, path, (ty_weights_options){0}, &error), "%s", error ? ty_error(error) : "");
    ty_model *again = nn_own_model(ty_network_open(path, (ty_model_options){.lazy = true}));
    CHECK(!*ty_model_error(again), "%s", ty_model_error(again));
    if (test_starving()) return;
    ty_model_predict(m, 1, &x, &y[0]);
    ty_model_predict(again, 1, &x, &y[1]);
    CHECK(ty_ok(y[0]) && ty_ok(y[1]) && ty_item(ty_all(ty_eq(y[0], y[1]), TY_ALL)) == 1, "other results");
    CHECK(!strcmp(ty_model_note(again, TY_NOTE_CLASSES), "a\nb\nc\n"), "the note was lost");
    CHECK(!strcmp(ty_model_note(again, TY_NOTE_INPUT), "f32 5"), "%s", ty_model_note(again, TY_NOTE_INPUT));
}

static void opens_a_description(void) {
    static const char text[] = "{\"inputs\":{\"x\":[3]},\"layers\":[{\"layer\":\"linear\",\"units\":2}]}";
    ty_tensor *error = NULL;
    ty_model *m = nn_own_model(ty_model_parse(text, sizeof text - 1, (ty_model_options){.seed = 1}));
    const char *path = nn_file("description.safetensors");
    CHECK(ty_model_save(m, path, (ty_weights_options){0}, &error), "%s", error ? ty_error(error) : "");
    ty_model *again = nn_own_model(ty_network_open(path, (ty_model_options){0}));
    CHECK(!*ty_model_error(again), "%s", ty_model_error(again));
    CHECK(test_starving() || !strcmp(ty_model_note(again, TY_NOTE_NETWORK), text),
          "the description was lost");
}

/* A model keeps its own notes when it loads weights of another training. */
static void keeps_own_notes(void) {
    static const char text[] = "{\"inputs\":{\"x\":[3]},\"layers\":[{\"layer\":\"linear\",\"units\":2}]}";
    ty_tensor *error = NULL;
    ty_model *m = nn_own_model(ty_model_parse(text, sizeof text - 1, (ty_model_options){.seed = 1}));
    const char *path = nn_file("own.safetensors");
    ty_model_set_note(m, TY_NOTE_PREPARATION, "one");
    CHECK(ty_model_save(m, path, (ty_weights_options){0}, &error), "%s", error ? ty_error(error) : "");
    ty_model_set_note(m, TY_NOTE_PREPARATION, "two");
    CHECK(ty_model_load(m, path, (ty_weights_options){0}, &error), "%s", error ? ty_error(error) : "");
    const char *kept = ty_model_note(m, TY_NOTE_PREPARATION);
    CHECK((kept && !strcmp(kept, "two")) || test_starving(), "the note is %s", kept ? kept : "lost");
}

static void refuses_to_open(void) {
    ty_tensor *x = ty_ones(TY_F32, 1, (int64_t[]){2}), *error = NULL;
    const char *path = nn_file("plain.safetensors");
    CHECK(ty_save(path, x, &error), "%s", error ? ty_error(error) : "");
    ty_model *m = nn_own_model(ty_network_open(path, (ty_model_options){0}));
    CHECK(strstr(ty_model_error(m), "does not say which network its weights belong to") || test_starving(),
          "%s", ty_model_error(m));
    CHECK(ty_error_code(ty_model_failure(m)) == TY_ERROR_ARGUMENT || test_starving(), "another code");
    CHECK(!ty_model_set_note(m, TY_NOTE_CLASSES, "a"), "a failed model takes notes");
    const char *key = "network", *note = "{\"network\": \"mlp\"}", *name = "x";
    CHECK(ty_checkpoint_save(path, 1, &name, &x, 1, &key, &note, &error), "%s", error ? ty_error(error) : "");
    m = nn_own_model(ty_network_open(path, (ty_model_options){0}));
    CHECK(strstr(ty_model_error(m), "the input is \"\"; expected a dtype and sizes") || test_starving(), "%s",
          ty_model_error(m));
}

TESTS_MAIN(TEST(means_of_parameters), TEST(means_do_not_disturb), TEST(fits_with_means), TEST(refuses_means),
           TEST(loss_has_options), TEST(loss_refuses_weights), TEST(classes_have_weights), TEST(finds_a_rate),
           TEST(search_keeps_means), TEST(refuses_rates), TEST(opens_a_network), TEST(opens_a_description),
           TEST(keeps_own_notes), TEST(refuses_to_open))
