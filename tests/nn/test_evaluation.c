/* Measures of a training: a regression has no accuracy, and asking for one is no harm. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "tests/support/nn_help.h"

static ty_tensor *line_inputs(int64_t n) { return ty_reshape(ty_linspace(TY_F32, -1, 1, n), TY_SHAPE(n, 1)); }

/* y = 3 x + 1, learned by one linear layer. */
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
    CHECK(isnan(ty_trainer_accuracy(t, inputs, labels, &error)), "\"%s\" was expected", words);
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
        expect(t, x, ty_reshape(floats, TY_SHAPE(40, 1)), "whose measure is the loss");
        expect(t, x, floats, "these are f32 of 1 axes");
        expect(t, x, ty_zeros(TY_I64, TY_SHAPE(40)), "there are no classes to choose from");
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
        /* another dtype of the same pictures, and back */
        double again = ty_trainer_accuracy(t, ty_cast(images, TY_F32), labels, NULL),
               last = ty_trainer_accuracy(t, images, ty_cast(labels, TY_I32), NULL);
        CHECK((again == first && last == first) || test_starving(), "%g, %g, %g", first, again, last);
        test_round_end(round);
    }
}

/* No allocation that fails here ends the training. */
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

TESTS_MAIN(TEST(a_regression_goes_on), TEST(faults_do_not_stay), TEST(memory_that_is_missing))
