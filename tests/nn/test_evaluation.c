/* Metrics of a training: a regression has no accuracy, and asking for it does no harm. */
#include <math.h>
#include <string.h>
#include <tyto/data.h>
#include "base/alloc.h"
#include "nn/trainer.h"
#include "tests/support/compare.h"
#include "tests/support/nn_help.h"

static ty_tensor *line_inputs(int64_t n) { return ty_reshape(ty_linspace(TY_F32, -1, 1, n), TY_SHAPE(n, 1)); }

/* Return a trainer of one linear layer on y = 3 x + 1. */
static ty_trainer *regression(bool lazy) {
    const ty_layer_value step = TY_LAYER(linear, .units = 1);
    ty_model *m = nn_own_model(ty_model_sequence(1, &step, (ty_model_options){.seed = 1, .lazy = lazy}));
    ty_tensor *x = line_inputs(40), *y = ty_add(ty_mul(x, ty_num(3)), ty_num(1));
    ty_trainer_options options = {
        .inputs = x, .targets = y, .batch = 10, .loss = ty_mse, .optimiser = {.rule = &ty_sgd, .rate = 0.2}};
    return nn_own_trainer(ty_trainer_new(m, options));
}

static void expect(ty_trainer *t, ty_tensor *inputs, ty_tensor *labels, const char *words) {
    ty_tensor *error = NULL;
    CHECK(isnan(ty_trainer_accuracy(t, inputs, labels, &error)), "\"%s\"", words);
    if (!error || test_starving()) return;
    CHECK_POISON(error, words);
    CHECK(!strstr(ty_error(error), "image"), "%s", ty_error(error));
    CHECK(!*ty_trainer_error(t), "the trainer has ended: %s", ty_trainer_error(t));
}

static void a_regression_goes_on(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        ty_trainer *t = regression(lazy);
        double loss;
        nn_steps(t, 1, &loss);
        ty_tensor *x = line_inputs(40), *floats = ty_reshape(x, TY_SHAPE(40));
        expect(t, x, ty_reshape(floats, TY_SHAPE(40, 1)), "use the loss for regression");
        expect(t, x, floats, "these are f32 of 1 axes");
        expect(t, x, ty_zeros(TY_I64, TY_SHAPE(40)), "not a score for each class");
        double first = loss;
        for (int i = 0; i < (test_starving() ? 1 : 100); i++) nn_steps(t, 1, &loss);
        CHECK(loss < 1e-3 * first || test_starving(), "the loss goes from %g to %g", first, loss);
        test_round_end(round);
    }
}

static void faults_do_not_stay(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        ty_trainer *t = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam});
        ty_tensor *images, *labels, *error = NULL;
        nn_small_data(17, &images, &labels);
        expect(t, images, ty_zeros(TY_U8, TY_SHAPE(3)), "17 inputs but 3 labels");
        expect(t, ty_zeros(TY_U8, TY_SHAPE(0, 8, 8, 1)), ty_zeros(TY_U8, TY_SHAPE(0)), "there are no inputs");
        expect(t, ty_zeros(TY_U8, TY_SHAPE(17, 12, 8, 1)), labels, "full1: weight has the shape [64,16]");
        expect(t, NULL, labels, "NULL");
        expect(t, images, NULL, "NULL");
        expect(t, ty_poison("lost"), labels, "lost");
        expect(t, images, ty_poison("lost"), "lost");
        double first = ty_trainer_accuracy(t, images, labels, &error);
        CHECK(!isnan(first) || test_starving(), "%s", error ? ty_error(error) : "no sentence");
        /* another dtype of the same images, and the first again */
        double again = ty_trainer_accuracy(t, ty_cast(images, TY_F32), labels, NULL),
               last = ty_trainer_accuracy(t, images, ty_cast(labels, TY_I32), NULL);
        CHECK((again == first && last == first) || test_starving(), "%g, %g, %g", first, again, last);
        test_round_end(round);
    }
}

/* No failed allocation of an evaluation ends the training. */
static void memory_that_is_missing(void) {
    if (test_starving()) return;
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_trainer *t = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_sgd});
        ty_tensor *images, *labels;
        nn_small_data(17, &images, &labels);
        double loss, want = NAN;
        nn_steps(t, 1, &loss);
        for (int64_t n = 1, failed = 1; failed; n += 1 + n / 8) {
            struct test_round round = test_round();
            mem_fail_at(n);
            double got = ty_trainer_accuracy(t, images, labels, NULL);
            failed = mem_failed();
            mem_fail_at(0);
            CHECK(!*ty_trainer_error(t), "allocation %d: %s", (int)n, ty_trainer_error(t));
            if (!failed) want = got;
            test_round_end(round);
        }
        CHECK(want == ty_trainer_accuracy(t, images, labels, NULL), "the accuracy is not what it was");
        nn_steps(t, 1, &loss);
    }
}

/* The last batch of an evaluation, which is smaller, takes the memory plan of the others. */
static void smaller_last_batches(void) {
    ty_trainer *t = nn_small_trainer(true, (ty_optimiser){.rule = &ty_sgd});
    ty_function_memory of_loss, of_scores;
    ty_tensor *parts[2], *error = NULL;
    nn_small_data(17, &parts[0], &parts[1]);
    double loss = ty_trainer_evaluate(t, 2, parts, NULL, &error),
           share = ty_trainer_accuracy(t, parts[0], parts[1], NULL);
    if (test_starving()) return;
    CHECK(!isnan(loss) && !isnan(share), "%s", error ? ty_error(error) : "no sentence");
    ty_function_report(t->evaluator, &of_loss);
    ty_function_report(t->model->predictor, &of_scores);
    CHECK(of_loss.compiles == 1 && of_loss.resized == 1, "loss: %d compilations, %d resized",
          (int)of_loss.compiles, (int)of_loss.resized);
    CHECK(of_scores.compiles == 1 && of_scores.resized == 1, "scores: %d compilations, %d resized",
          (int)of_scores.compiles, (int)of_scores.resized);
}

/* Inference on ever new sizes within a declared bound compiles once. */
static void predictions_within_a_bound(void) {
    ty_model *m = nn_small_model(true), *eager = nn_small_model(false);
    ty_tensor *images, *labels, *y, *want, *why = NULL;
    nn_small_data(17, &images, &labels);
    bool bound = ty_model_bound(m, 0, 0, 17, &why);
    CHECK(bound || test_starving(), "%s", ty_error(why));
    for (int64_t n = 17; n > 1 && bound; n -= 4) {
        ty_tensor *x = ty_slice(images, 0, 0, n, 1);
        if (!ty_model_predict(m, 1, &x, &y)) return (void)CHECK(test_starving(), "%s", ty_error(y));
        ty_model_call(m, NULL, 1, &x, &want);
        compare_bits(y, ty_eval(want), "%d rows", (int)n);
    }
    ty_function_memory memory;
    ty_function_report(m->predictor, &memory);
    CHECK((memory.compiles == 1 && memory.resized == 3) || test_starving(), "%d compilations, %d resized",
          (int)memory.compiles, (int)memory.resized);
    const struct {
        ty_model *m;
        int operand;
        int64_t most;
        const char *words;
    } cases[] = {{NULL, 0, 5, "the model is NULL"},
                 {eager, 0, 5, "the model is not lazy"},
                 {m, 1, 5, "operand 1 is out of bounds"},
                 {m, 0, -5, "the bound is -5"}};
    if (test_starving()) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!ty_model_bound(cases[i].m, cases[i].operand, 0, cases[i].most, &why), "case %d", (int)i);
        CHECK_POISON(why, cases[i].words);
    }
}

/* ---- sources ---- */

static void end_loader(void *loader) { ty_loader_free(loader); }
static void end_set(void *set) { ty_dataset_free(set); }
static ty_batch_source source_of(ty_tensor *images, ty_tensor *labels, int n) {
    ty_tensor *fields[] = {images, labels};
    ty_dataset *set = test_own(ty_dataset_arrays(2, fields, NULL), end_set);
    ty_loader_options options = {.batch = 5, .order = TY_IN_ORDER, .threads = -1};
    return ty_loader_source(test_own(ty_loader_new(set, options), end_loader), n);
}

static void expect_of(ty_trainer *t, const ty_batch_source *source, const char *words) {
    ty_tensor *error = NULL;
    CHECK(isnan(ty_trainer_accuracy_of(t, source, &error)), "\"%s\"", words);
    if (error && !test_starving()) CHECK_POISON(error, words);
    CHECK(!*ty_trainer_error(t), "the trainer has ended: %s", ty_trainer_error(t));
}

/* An evaluation of a loader, with a smaller last batch, equals one of data in memory. */
static void sources(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        ty_trainer *t = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam});
        ty_tensor *images, *labels, *error = NULL;
        nn_small_data(17, &images, &labels);
        ty_batch_source source = source_of(images, labels, 2), bare = source_of(images, labels, 1),
                        floats = source_of(images, ty_cast(labels, TY_F32), 2);
        double want = ty_trainer_accuracy(t, images, labels, NULL);
        double got = ty_trainer_accuracy_of(t, &source, &error),
               again = ty_trainer_accuracy_of(t, &source, NULL);
        CHECK((got == want && again == want) || test_starving(), "%g and %g, and not %g", got, again, want);
        expect_of(t, NULL, "the source of batches is NULL");
        expect_of(t, &bare, "the source has one part");
        expect_of(t, &floats, "these are f32 of 1 axes");
        test_round_end(round);
    }
}

struct seen {
    int epochs;
    ty_epoch last;
};
static bool see(void *context, const ty_epoch *e) {
    struct seen *seen = context;
    seen->epochs++;
    seen->last = *e;
    return true;
}

static void fit_by_sources(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        ty_trainer *t = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam});
        ty_tensor *images, *labels, *error = NULL, *parts[2];
        nn_small_data(17, &images, &labels);
        parts[0] = images, parts[1] = labels;
        ty_batch_source source = source_of(images, labels, 2);
        struct seen seen = {0};
        ty_fit_options fit = {
            .epochs = 2, .validation_source = &source, .accuracy = true, .epoch = see, .context = &seen};
        CHECK(ty_trainer_fit(t, fit, &error), "%s", error ? ty_error(error) : "no sentence");
        double share = ty_trainer_accuracy(t, images, labels, NULL),
               loss = ty_trainer_evaluate(t, 2, parts, NULL, NULL);
        CHECK((seen.epochs == 2 && seen.last.accuracy == share) || test_starving(),
              "after %d epochs %g, and not %g", seen.epochs, seen.last.accuracy, share);
        CHECK(fabs(seen.last.validation - loss) < 1e-5 || test_starving(), "a loss of %g, and not %g",
              seen.last.validation, loss);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(a_regression_goes_on), TEST(faults_do_not_stay), TEST(memory_that_is_missing),
           TEST(smaller_last_batches), TEST(predictions_within_a_bound), TEST(sources), TEST(fit_by_sources))
