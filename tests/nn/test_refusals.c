/* Errors of models, layers, trainers and evaluations, each with a message that names the cause. */
#include <math.h>
#include <string.h>
#include "tests/support/nn_help.h"

/* ---- models and layers ---- */

static ty_tensor *another_shape(const ty_place *place, double a, double b) {
    (void)a, (void)b;
    return ty_zeros(place->dtype, 1, (int64_t[]){7});
}
static ty_tensor *another_dtype(const ty_place *place, double a, double b) {
    (void)a, (void)b;
    return ty_zeros(TY_I32, place->rank, place->shape);
}
static ty_tensor *poisoned(const ty_place *place, double a, double b) {
    (void)place, (void)a, (void)b;
    return ty_poison("no values today");
}
static ty_tensor *failing(ty_tensor *x, void *context) {
    (void)context;
    return ty_slice(x, 9, 0, 1, 1);
}
static ty_tensor *nothing(ty_tensor *x, void *context) {
    (void)x, (void)context;
    return NULL;
}

/* A layer, its operand's shape, and the words of the message. */
static const struct {
    int rank;
    int64_t shape[5];
    ty_layer_value step;
    const char *words;
} wrong_layers[] = {
    {2, {2, 4}, TY_LAYER(linear, .units = 0), "linear1: 0 units, expected at least 1"},
    {2, {2, 4}, TY_LAYER(fully_connected, .units = -3), "full1: -3 units, expected at least 1"},
    {1, {2}, TY_LAYER(linear, .units = 3), "linear1: the input has no axis but the batch, expected one"},
    {0, {0}, TY_LAYER(fully_connected, .units = 3), "full1: the input has no axes, expected a batch"},
    {0, {0}, TY_LAYER(flatten, .none = 0), "flatten1: the input has no axes, expected a batch"},
    {2,
     {2, 4},
     TY_LAYER(linear, .units = 3, .weight = {another_shape, 0, 0}),
     "linear1: weight: the initialiser returned another shape or dtype"},
    {2,
     {2, 4},
     TY_LAYER(linear, .units = 3, .bias = {another_dtype, 0, 0}),
     "linear1: bias: the initialiser returned another shape or dtype"},
    {2, {2, 4}, TY_LAYER(linear, .units = 3, .weight = {poisoned, 0, 0}), "linear1: weight: no values today"},
    {4,
     {2, 8, 8, 3},
     TY_LAYER(conv2d, .size = {3, 3}),
     "conv1: size 3x3 and 0 channels, expected at least 1 of each"},
    {4, {2, 8, 8, 3}, TY_LAYER(conv2d, .size = {3, 0}, .channels = 2), "conv1: size 3x0 and 2 channels"},
    {4, {2, 8, 8, 3}, TY_LAYER(conv2d, .channels = 2), "conv1: size 0x0"},
    {4,
     {2, 8, 8, 3},
     TY_LAYER(conv2d, .size = {1, 1}, .channels = 4, .groups = 3),
     "conv1: 3 channels of the input and 4 of the output are not divisible by 3 groups"},
    {4,
     {2, 8, 8, 3},
     TY_LAYER(conv2d, .size = {1, 1}, .channels = 4, .groups = -1),
     "conv1: 3 channels of the input and 4 of the output are not divisible by -1 groups"},
    {4,
     {2, 8, 8, 3},
     TY_LAYER(conv1d, .size = {3}, .channels = 2),
     "conv1: the input has 3 axes after the batch, expected 2: width, channels"},
    {3,
     {2, 8, 8},
     TY_LAYER(conv2d, .size = {3, 3}, .channels = 2, .nchw = true),
     "conv1: the input has 2 axes after the batch, expected 3: channels, height, width"},
    {4,
     {2, 8, 8, 3},
     TY_LAYER(conv3d, .size = {3, 3, 3}, .channels = 4, .nchw = true),
     "conv1: the input has 3 axes after the batch, expected 4: channels, depth, height, width"},
    {4,
     {2, 8, 8, 3},
     TY_LAYER(conv_transpose3d, .size = {3, 3, 3}, .channels = 2),
     "convtranspose1: the input has 3 axes after the batch, expected 4: depth, height, width, channels"},
    {4, {2, 8, 8, 3}, TY_LAYER(conv2d, .size = {9, 9}, .channels = 2), "conv1: conv2d of f32[2,8,8,3]"},
    {4, {2, 8, 8, 3}, TY_LAYER(max_pool2d, .size = {9, 9}), "maxpool1: "},
    {4, {2, 8, 8, 3}, TY_LAYER(avg_pool2d, .size = {0, 2}), "avgpool1: "},
    {2, {2, 4}, TY_LAYER(dropout, .p = 1), "dropout1: probability 1 is outside [0, 1)"},
    {2, {2, 4}, TY_LAYER(dropout, .p = -0.5), "dropout1: probability -0.5"},
    {2, {2, 4}, TY_LAYER(dropout, .p = NAN), "dropout1: probability nan"},
    {2, {2, 4}, TY_LAYER(lambda, .function = failing), "lambda1: slice of f32[2,4]"},
    {2, {2, 4}, TY_LAYER(lambda, .function = NULL), "lambda1: the function is NULL"},
    {2, {2, 4}, TY_LAYER(lambda, .function = nothing), "lambda1: "},
};

/* Return a model with wrong layer i after a valid one. */
static ty_model *refusing(size_t i, bool lazy) {
    const ty_layer_value steps[] = {TY_LAYER_AS("first", scale, .factor = 2), wrong_layers[i].step};
    return nn_own_model(ty_model_sequence(2, steps, (ty_model_options){.seed = 1, .lazy = lazy}));
}

/* A refused call poisons its results, makes nothing and does not train; the model is unchanged. */
static void layers(void) {
    for (size_t i = 0; i < sizeof wrong_layers / sizeof *wrong_layers; i++) {
        struct test_round round = test_round();
        ty_model *m = refusing(i, i % 2);
        CHECK(!*ty_model_error(m), "row %d: %s", (int)i, ty_model_error(m));
        ty_tensor *x = ty_ones(TY_F32, wrong_layers[i].rank, wrong_layers[i].shape), *error = NULL;
        ty_tensor *y = CHECK_POISON(ty_model_forward(m, x, NULL), wrong_layers[i].words);
        CHECK(strstr(ty_error(y), wrong_layers[i].words) == ty_error(y) || *wrong_layers[i].words == 'd' ||
                  test_starving(),
              "row %d: \"%s\" does not begin with the layer", (int)i, ty_error(y));
        CHECK(!ty_model_build(m, 1, &x, &error), "row %d is built", (int)i);
        CHECK_POISON(error, wrong_layers[i].words);
        CHECK(!*ty_model_error(m), "row %d: the error stays: %s", (int)i, ty_model_error(m));
        CHECK(ty_model_parameters(m) == 0 && ty_model_states(m) == 0, "row %d: %d parameters are left",
              (int)i, ty_model_parameters(m));
        CHECK(!ty_model_load(m, nn_file("none"), (ty_weights_options){0}, NULL), "row %d is loaded", (int)i);
        ty_tensor *labels = ty_zeros(TY_I32, TY_SHAPE(2));
        ty_trainer *t = nn_own_trainer(
            ty_trainer_new(m, (ty_trainer_options){.inputs = x, .targets = labels, .batch = 2}));
        CHECK(*ty_trainer_error(t) && isnan(ty_trainer_step(t)), "row %d is trained", (int)i);
        test_round_end(round);
    }
}

/* Models that cannot be made keep their message, and everything refuses with it. */
static void models(void) {
    static const struct {
        ty_model_options options;
        const char *words;
    } options[] = {{{.dtype = TY_I32}, "model: parameters of i32; expected a floating-point dtype"},
                   {{.compute = TY_I8}, "model: parameters of i8"},
                   {{.inputs = -1}, "model: -1 inputs and 1 results, expected 1 to"},
                   {{.results = TY_MAX_RANK + 1}, "results, expected 1 to"},
                   {{.inputs = 2}, "model: a sequence has one operand and one result"},
                   {{.results = 2}, "model: a sequence has one operand and one result"}};
    const ty_layer_value step = TY_LAYER(linear, .units = 2);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ty_model *m = nn_own_model(ty_model_sequence(1, &step, options[i].options));
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 4)), *error = NULL;
        const char *words = options[i].words;
        CHECK(strstr(ty_model_error(m), words) || test_starving(), "\"%s\"", ty_model_error(m));
        CHECK_POISON(ty_model_forward(m, x, NULL), words);
        CHECK(!ty_model_build(m, 1, &x, &error), "row %d is built", (int)i);
        CHECK_POISON(error, words);
        CHECK(!ty_model_save(m, nn_file("none"), (ty_weights_options){0}, &error), "row %d is saved", (int)i);
        CHECK_POISON(error, words);
        CHECK_POISON(ty_layer_linear(ty_model_root(m), NULL, x, (ty_linear_layer){.units = 1}), words);
        char *summary = test_text(ty_model_summary(m));
        CHECK(!summary || strstr(summary, words), "%s", summary);
        CHECK(ty_model_parameters(m) == 0, "it has parameters");
    }
}

static void models_that_run(void) {
    ty_model *m = nn_built_model(false);
    int n = ty_model_parameters(m);
    CHECK_POISON(ty_model_parameter(m, -1), "model: parameter -1 is out of bounds for 6 parameters");
    CHECK_POISON(ty_model_parameter(m, n), "model: parameter 6 is out of bounds for 6 parameters");
    CHECK_POISON(ty_model_state(m, 0), "model: state 0 is out of bounds for 0 states");
    CHECK_POISON(ty_model_find(m, "conv2.weight"), "unknown name conv2.weight");
    CHECK_POISON(ty_model_find(m, NULL), "NULL");
    CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 8, 8, 2)), NULL),
                 "conv1: weight has the shape [3,3,1,4], but [3,3,2,4]");
    CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 10, 10, 1)), NULL),
                 "full1: weight has the shape [64,16], but [100,16]");
    CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 8, 8)), NULL),
                 "conv1: the input has 2 axes after the batch");
    CHECK_POISON(ty_model_forward(m, ty_poison("no picture"), NULL), "no picture");
    CHECK_POISON(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(2, 8, 8, 1)), ty_poison("no key")),
                 "model: key: no key");
    CHECK(ty_model_parameters(m) == n && !*ty_model_error(m), "a refused call changed the model");
    CHECK_OK(ty_model_forward(m, ty_ones(TY_F32, TY_SHAPE(3, 8, 8, 1)), NULL));
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
    } wrong[] = {{{.inputs = x, .batch = 4}, "trainer: targets are missing"},
                 {{.targets = labels, .batch = 4}, "trainer: inputs are missing"},
                 {{.inputs = ty_poison("lost"), .targets = labels, .batch = 4}, "trainer: inputs: lost"},
                 {{.inputs = x, .targets = ty_poison("gone"), .batch = 4}, "trainer: targets: gone"},
                 {{.inputs = ty_scalar(TY_F32, 1), .targets = labels, .batch = 4},
                  "trainer: inputs have rank 0; expected a first axis of examples"},
                 {{.inputs = x, .targets = ty_scalar(TY_I32, 1), .batch = 4},
                  "trainer: targets have rank 0; expected a first axis"},
                 {{.inputs = x, .targets = few, .batch = 4}, "trainer: 12 inputs but 5 targets"},
                 {{.inputs = x, .targets = labels, .batch = 13},
                  "trainer: a batch of 13 from 12 examples; expected 1 to 12"},
                 {{.inputs = x, .targets = labels, .batch = -2}, "trainer: a batch of -2 from 12"},
                 {{.inputs = x, .targets = labels, .batch = 4, .loss = per_example},
                  "trainer: the loss is not one number"},
                 {{.inputs = ty_cast(ty_reshape(x, TY_SHAPE(12, 64)), TY_F32), .targets = labels, .batch = 4},
                  "conv1: the input has 1 axes after the batch, expected 3: height, width, channels"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int lazy = 0; lazy < 2; lazy++) {
            struct test_round round = test_round();
            ty_trainer *t = nn_own_trainer(ty_trainer_new(nn_small_model(lazy), wrong[i].options));
            CHECK(isnan(ty_trainer_step(t)) && ty_trainer_steps(t) == 0, "row %d takes a step", (int)i);
            CHECK(strstr(ty_trainer_error(t), wrong[i].words) || test_starving(), "row %d: \"%s\"", (int)i,
                  ty_trainer_error(t));
            CHECK(!ty_trainer_run(t, 2, NULL, NULL), "row %d runs", (int)i);
            CHECK(!ty_trainer_save(t, nn_file("none"), NULL), "row %d is saved", (int)i);
            test_round_end(round);
        }
}

/* ---- evaluation: errors go to the caller, and training continues ---- */

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
        } rows[] = {
            {NULL, labels, "NULL"},
            {x, NULL, "NULL"},
            {ty_poison("blind"), labels, "evaluation: blind"},
            {x, ty_poison("mute"), "evaluation: mute"},
            {x, ty_cast(labels, TY_F32), "these are f32 of 1 axes"},
            {x, ty_expand(labels, 1), "of 2 axes"},
            {x, ty_zeros(TY_I32, TY_SHAPE(6)), "evaluation: 7 inputs but 6 labels"},
            {ty_scalar(TY_F32, 1), labels, "evaluation: 0 inputs but 7 labels"},
            {none, nothing, "evaluation: there are no inputs"},
            {ty_ones(TY_U8, TY_SHAPE(7, 8, 8, 2)), labels, "evaluation: conv1: weight has the shape"}};
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

/* One output per example is no choice among classes. */
static void one_class(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        const ty_layer_value step = TY_LAYER(linear, .units = 1, .no_bias = true);
        ty_model *m = nn_own_model(ty_model_sequence(1, &step, (ty_model_options){.seed = 1, .lazy = lazy}));
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(6, 4)), *y = ty_zeros(TY_F32, TY_SHAPE(6, 1)), *error = NULL;
        ty_trainer_options options = {.inputs = x, .targets = y, .batch = 3, .loss = ty_mse};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, options));
        if (*ty_trainer_error(t)) return;
        CHECK(isnan(ty_trainer_accuracy(t, x, ty_zeros(TY_I32, TY_SHAPE(6)), &error)),
              "one class has a share");
        if (error && !test_starving()) CHECK_POISON(error, "the model returns 3 numbers for 3 inputs");
    }
}

TESTS_MAIN(TEST(layers), TEST(models), TEST(models_that_run), TEST(trainers), TEST(evaluations),
           TEST(one_class))
