/* What models, layers, trainers and evaluations refuse, each with a sentence that names what was found. */
#include <math.h>
#include <string.h>
#include "tests/support/nn_help.h"

/* ---- models and layers: the input's shape, what is appended, what it says ---- */

static ty_tensor *another_shape(ty_place place, double a, double b) {
    (void)a, (void)b;
    return ty_zeros(place.dtype, 1, (int64_t[]){7});
}
static ty_tensor *another_dtype(ty_place place, double a, double b) {
    (void)a, (void)b;
    return ty_zeros(TY_I32, place.rank, place.shape);
}
static ty_tensor *poisoned(ty_place place, double a, double b) {
    (void)place, (void)a, (void)b;
    return ty_poison("no values today");
}
static ty_tensor *without_batch(ty_tensor *x, void *context) {
    (void)context;
    return ty_sum(x, TY_ALL);
}
static ty_tensor *transposed(ty_tensor *x, void *context) {
    (void)context;
    return ty_transpose(x);
}
static ty_tensor *failing(ty_tensor *x, void *context) {
    (void)context;
    return ty_slice(x, 9, 0, 1, 1);
}

#define APPENDS(name, statement)                                                                             \
    static void name(ty_model *m) { statement; }
APPENDS(nothing, (void)m)
APPENDS(no_units, ty_layer_linear(m, (ty_linear_layer){.units = 0}))
APPENDS(negative_units, ty_layer_fully_connected(m, (ty_linear_layer){.units = -3}))
APPENDS(some_units, ty_layer_linear(m, (ty_linear_layer){.units = 3}))
APPENDS(flat_units, ty_layer_fully_connected(m, (ty_linear_layer){.units = 3}))
APPENDS(odd_weight, ty_layer_linear(m, (ty_linear_layer){.units = 3, .weight = {another_shape, 0, 0}}))
APPENDS(odd_bias, ty_layer_linear(m, (ty_linear_layer){.units = 3, .bias = {another_dtype, 0, 0}}))
APPENDS(no_values, ty_layer_linear(m, (ty_linear_layer){.units = 3, .weight = {poisoned, 0, 0}}))
APPENDS(no_channels, ty_layer_conv2d(m, (ty_conv_layer){.size = {3, 3}}))
APPENDS(no_size, ty_layer_conv2d(m, (ty_conv_layer){.size = {3, 0}, .channels = 2}))
APPENDS(groups, ty_layer_conv2d(m, (ty_conv_layer){.size = {1, 1}, .channels = 4, .groups = 3}))
APPENDS(no_groups, ty_layer_conv2d(m, (ty_conv_layer){.size = {1, 1}, .channels = 4, .groups = -1}))
APPENDS(line, ty_layer_conv1d(m, (ty_conv_layer){.size = {3}, .channels = 2}))
APPENDS(plane_first, ty_layer_conv2d(m, (ty_conv_layer){.size = {3, 3}, .channels = 2, .nchw = true}))
APPENDS(room, ty_layer_conv_transpose3d(m, (ty_conv_layer){.size = {3, 3, 3}, .channels = 2}))
APPENDS(large_window, ty_layer_conv2d(m, (ty_conv_layer){.size = {9, 9}, .channels = 2}))
APPENDS(large_pool, ty_layer_max_pool2d(m, (ty_pool){.size = {9, 9}}))
APPENDS(no_pool, ty_layer_avg_pool2d(m, (ty_pool){.size = {0, 2}}))
APPENDS(certain_dropout, ty_layer_dropout(m, 1))
APPENDS(negative_dropout, ty_layer_dropout(m, -0.5))
APPENDS(no_dropout, ty_layer_dropout(m, NAN))
APPENDS(lost_batch, ty_layer_lambda(m, without_batch, NULL))
APPENDS(moved_batch, ty_layer_lambda(m, transposed, NULL))
APPENDS(failing_lambda, ty_layer_lambda(m, failing, NULL))

static const struct {
    int rank;
    int64_t shape[4];
    void (*append)(ty_model *m);
    const char *words;
} models[] = {
    {-1, {0}, nothing, "model: inputs of rank -1, expected 0 to"},
    {TY_MAX_RANK, {0}, nothing, "model: inputs of rank"},
    {2, {3, 0}, nothing, "model: axis 1 of the input has size 0, expected at least 1"},
    {1, {-4}, some_units, "model: axis 0 of the input has size -4"},
    {1, {4}, no_units, "linear1: 0 units, expected at least 1"},
    {1, {4}, negative_units, "full1: -3 units, expected at least 1"},
    {0, {0}, some_units, "linear1: the input has no axis but the batch, expected one"},
    {3,
     {INT64_C(1) << 40, INT64_C(1) << 40, 1},
     flat_units,
     "full1: the flattened input has more than 2^63 elements"},
    {1, {4}, odd_weight, "linear1.weight: the initialiser returned another shape or dtype"},
    {1, {4}, odd_bias, "linear1.bias: the initialiser returned another shape or dtype"},
    {1, {4}, no_values, "linear1.weight: no values today"},
    {3, {8, 8, 3}, no_channels, "conv1: size 3x3 and 0 channels, expected at least 1 of each"},
    {3, {8, 8, 3}, no_size, "conv1: size 3x0 and 2 channels"},
    {3, {8, 8, 3}, groups, "conv1: 3 channels of the input and 4 of the output do not fall into 3 groups"},
    {3, {8, 8, 3}, no_groups, "do not fall into -1 groups"},
    {3, {8, 8, 3}, line, "the input has 3 axes after the batch, expected 2: width, channels"},
    {2, {8, 8}, plane_first, "the input has 2 axes after the batch, expected 3: channels, height, width"},
    {3, {8, 8, 3}, room, "the input has 3 axes after the batch, expected 4: depth, height, width, channels"},
    {3, {8, 8, 3}, large_window, "conv1: "},
    {3, {8, 8, 3}, large_pool, "pool1: "},
    {3, {8, 8, 3}, no_pool, "pool1: "},
    {1, {4}, certain_dropout, "dropout1: "},
    {1, {4}, negative_dropout, "dropout1: "},
    {1, {4}, no_dropout, "dropout1: "},
    {1, {4}, lost_batch, "lambda1: the batch axis was lost; a layer keeps axis 0 as it is"},
    {1, {4}, moved_batch, "lambda1: the batch axis was lost"},
    {1, {4}, failing_lambda, "lambda1: "},
};

/* A refusal stays the model's error, whatever is appended after it; nothing runs, is saved or trained. */
static void models_and_layers(void) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct test_round round = test_round();
        ty_model_options options = {.seed = 1, .lazy = i % 2};
        ty_model *m = nn_own_model(ty_model_new(models[i].rank, models[i].shape, options));
        models[i].append(m);
        const char *said = ty_model_error(m);
        char before[200];
        snprintf(before, sizeof before, "%s", said);
        CHECK(*said && (strstr(said, models[i].words) || test_starving()),
              "model %d: \"%s\" does not say \"%s\"", (int)i, said, models[i].words);
        ty_layer_linear(m, (ty_linear_layer){.units = 2});
        CHECK(!strncmp(ty_model_error(m), before, sizeof before - 1), "a later layer changed the error to %s",
              ty_model_error(m));
        ty_tensor *y = ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 4)), NULL), *error = NULL;
        CHECK(!ty_ok(y), "model %d runs", (int)i);
        CHECK(!ty_model_save(m, nn_file("none"), &error), "model %d was saved", (int)i);
        char *summary = test_own(ty_model_summary(m), ty_free);
        CHECK(summary || test_starving() || models[i].rank < 0, "no summary");
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(4, 4)), *labels = ty_zeros(TY_I32, TY_SHAPE(4));
        ty_trainer *t = nn_own_trainer(
            ty_trainer_new(m, (ty_trainer_options){.inputs = x, .targets = labels, .batch = 2}));
        CHECK(*ty_trainer_error(t) && isnan(ty_trainer_step(t)), "model %d is trained", (int)i);
        test_round_end(round);
    }
}

static void models_that_run(void) {
    ty_model *m = nn_small_model(false);
    CHECK(!*ty_model_error(m) || test_starving(), "%s", ty_model_error(m));
    int n = ty_model_parameters(m);
    CHECK_POISON(ty_model_parameter(m, -1), *ty_model_error(m) ? "" : "model: parameter -1 of");
    CHECK_POISON(ty_model_parameter(m, n), "");
    if (*ty_model_error(m)) return;
    CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 8, 8, 2)), NULL),
                 test_starving() ? "" : "model: the input has shape [2,8,8,2], expected [batch,8,8,1]");
    CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 8, 8)), NULL),
                 test_starving() ? "" : "the input has shape [2,8,8], expected");
    CHECK_POISON(ty_model_forward(m, ty_poison("no picture"), NULL), test_starving() ? "" : "no picture");
}

/* ---- trainers ---- */

static ty_tensor *per_example(ty_tensor *prediction, ty_tensor *target) {
    return ty_sub(ty_amax(prediction, ty_axis(1)), ty_cast(target, TY_F32));
}

static void trainers(void) {
    ty_tensor *x, *labels, *few = ty_zeros(TY_U8, TY_SHAPE(5));
    nn_small_data(12, &x, &labels);
    const struct {
        ty_trainer_options options;
        const char *words;
    } rows[] = {{{.inputs = x, .batch = 4}, "trainer: inputs or targets are missing"},
                {{.targets = labels, .batch = 4}, "trainer: inputs or targets are missing"},
                {{.inputs = ty_poison("lost"), .targets = labels, .batch = 4}, "trainer: inputs: lost"},
                {{.inputs = x, .targets = ty_poison("gone"), .batch = 4}, "trainer: targets: gone"},
                {{.inputs = ty_scalar(TY_F32, 1), .targets = labels, .batch = 4},
                 "trainer: inputs of rank 0 and targets"},
                {{.inputs = x, .targets = ty_scalar(TY_I32, 1), .batch = 4},
                 "and targets of rank 0, expected an axis"},
                {{.inputs = x, .targets = few, .batch = 4}, "trainer: 12 inputs but 5 targets"},
                {{.inputs = x, .targets = labels, .batch = 13},
                 "trainer: a batch of 13 from 12 examples; expected 1 to 12"},
                {{.inputs = x, .targets = labels, .batch = -1}, "trainer: a batch of -1 from 12"},
                {{.inputs = x, .targets = labels}, "trainer: a batch of 100 from 12"},
                {{.inputs = x, .targets = labels, .batch = 4, .loss = per_example},
                 "trainer: the loss is not one number"},
                {{.inputs = ty_cast(ty_reshape(x, TY_SHAPE(12, 64)), TY_F32), .targets = labels, .batch = 4},
                 "model: the input has shape [4,64], expected [batch,8,8,1]"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int lazy = 0; lazy < 2; lazy++) {
            struct test_round round = test_round();
            ty_trainer *t = nn_own_trainer(ty_trainer_new(nn_small_model(lazy), rows[i].options));
            CHECK(isnan(ty_trainer_step(t)) && ty_trainer_steps(t) == 0, "row %d takes a step", (int)i);
            CHECK(strstr(ty_trainer_error(t), rows[i].words) || test_starving(), "row %d: \"%s\"", (int)i,
                  ty_trainer_error(t));
            CHECK(!ty_trainer_run(t, 2, NULL, NULL), "row %d runs", (int)i);
            CHECK(!ty_trainer_save(t, nn_file("none"), NULL), "row %d is saved", (int)i);
            test_round_end(round);
        }
}

/* ---- evaluation: the caller hears of it, and the training goes on ---- */

static void evaluations(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_trainer *t = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_sgd});
        if (*ty_trainer_error(t)) return;
        ty_tensor *x, *labels, *none = ty_zeros(TY_U8, TY_SHAPE(0, 8, 8, 1)),
                               *nothing = ty_zeros(TY_I64, TY_SHAPE(0));
        nn_small_data(7, &x, &labels);
        const struct {
            ty_tensor *inputs, *labels;
            const char *words;
        } rows[] = {{NULL, labels, "NULL"},
                    {x, NULL, "NULL"},
                    {ty_poison("blind"), labels, "evaluation: blind"},
                    {x, ty_poison("mute"), "evaluation: mute"},
                    {x, ty_cast(labels, TY_F32), "these are f32 of 1 axes"},
                    {x, ty_expand(labels, 1), "of 2 axes"},
                    {x, ty_zeros(TY_I32, TY_SHAPE(6)), "evaluation: 7 inputs but 6 labels"},
                    {ty_scalar(TY_F32, 1), labels, "evaluation: 0 inputs but 7 labels"},
                    {none, nothing, "evaluation: there are no inputs"},
                    {ty_ones(TY_U8, TY_SHAPE(7, 8, 8, 2)), labels, "evaluation: model: the input has shape"}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct test_round round = test_round();
            ty_tensor *error = NULL;
            CHECK(isnan(ty_trainer_accuracy(t, rows[i].inputs, rows[i].labels, &error)), "row %d is a share",
                  (int)i);
            CHECK(isnan(ty_trainer_accuracy(t, rows[i].inputs, rows[i].labels, NULL)), "row %d is a share",
                  (int)i);
            if (error && !test_starving()) CHECK_POISON(error, rows[i].words);
            CHECK(error || test_starving(), "row %d: nobody says why", (int)i);
            test_round_end(round);
        }
        ty_tensor *error = NULL;
        double share = ty_trainer_accuracy(t, x, labels, &error);
        CHECK((share >= 0 && share <= 1) || test_starving(), "%g: %s", share, error ? ty_error(error) : "");
        double loss = ty_trainer_step(t);
        CHECK(isfinite(loss) || test_starving(), "the training is over: %s", ty_trainer_error(t));
    }
}

/* One number an input is no choice among classes. */
static void one_class(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = nn_own_model(ty_model_new(TY_SHAPE(4), (ty_model_options){.seed = 1, .lazy = lazy}));
        ty_layer_linear(m, (ty_linear_layer){.units = 1, .no_bias = true});
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(6, 4)), *y = ty_zeros(TY_F32, TY_SHAPE(6, 1)), *error = NULL;
        ty_trainer_options options = {.inputs = x, .targets = y, .batch = 3, .loss = ty_mse};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, options));
        if (*ty_trainer_error(t)) return;
        CHECK(isnan(ty_trainer_accuracy(t, x, ty_zeros(TY_I32, TY_SHAPE(6)), &error)),
              "one class has a share");
        if (error && !test_starving()) CHECK_POISON(error, "the model gives 3 numbers for 3 inputs");
    }
}

TESTS_MAIN(TEST(models_and_layers), TEST(models_that_run), TEST(trainers), TEST(evaluations), TEST(one_class))
