/* Entries of networks: trainings of a few steps, eager and compiled, and the rules of optimisers. */
#include <math.h>
#include <string.h>

#include <tyto/nn.h>

#include "tests/bits/bits.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"
#include "tests/support/samples/sample.h"

enum { STEPS = 20, BATCH = 6, EXAMPLES = 24, SIDE = 28, PLACES = 24, TOKENS = 96, UNITS = 32 };

/* ---- networks ---- */

/* Set y[0] to the scores of the next tokens by two LSTM layers. */
static void small_lstm(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_tensor *h =
        ty_layer_embedding(self, "embedding", x[0], (ty_embedding_layer){.rows = TOKENS, .units = 16});
    h = ty_layer_lstm(self, "lstm", h, (ty_lstm_layer){.units = UNITS, .layers = 2});
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = TOKENS});
}

/* Set y[0] to the scores of the next tokens by the network gpt of the zoo, smaller. */
static void small_gpt(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_embedding_layer tokens = {.rows = TOKENS, .units = UNITS};
    const ty_transformer_block_layer block = {.attention = {.heads = 4, .causal = true}};
    (void)context, (void)n;
    ty_tensor *h = ty_layer_embedding(self, "wte", x[0], tokens);
    h = ty_layer_position_embedding(self, "wpe", h, (ty_position_embedding_layer){.rows = PLACES});
    for (int i = 0; i < 2; i++) h = ty_layer_transformer_block(self, i ? "h1" : "h0", h, block);
    h = ty_layer_layer_norm(self, "ln_f", h, (ty_layer_norm_layer){0});
    y[0] = ty_layer_embedding(self, "wte", h, tokens);
}

/* Set y[0] to the class scores of images by the network lenet of the zoo, with fewer units. */
static void small_lenet(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    const ty_layer_value layers[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {5, 5}, .channels = 8, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.1),
        TY_LAYER(fully_connected, .units = 64, .activation = ty_relu),
        TY_LAYER(linear, .units = 10)};
    y[0] = ty_layer_sequence(self, sizeof layers / sizeof *layers, layers, x[0]);
}

/* Set y[0] to the class scores of images by convolutions with batch norms. */
static void small_cnn(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    const ty_layer_value layers[] = {TY_LAYER(scale, .factor = 1.0 / 256),
                                     TY_LAYER(conv2d, .size = {3, 3}, .channels = 8, .same = true),
                                     TY_LAYER(batch_norm, .momentum = 0.1),
                                     TY_LAYER(max_pool2d, .size = {2, 2}),
                                     TY_LAYER(conv2d, .size = {3, 3}, .channels = 12, .stride = {2, 2}),
                                     TY_LAYER(dropout, .p = 0.2),
                                     TY_LAYER(fully_connected, .units = 32, .activation = ty_relu),
                                     TY_LAYER(linear, .units = 10)};
    y[0] = ty_layer_sequence(self, sizeof layers / sizeof *layers, layers, x[0]);
}

static ty_tensor *token_loss(ty_tensor *logits, ty_tensor *next) {
    return ty_loss_cross_entropy(logits, next, (ty_loss_options){0});
}

static const struct training {
    const char *name;
    ty_forward forward;
    bool tokens;
    ty_optimiser optimiser;
} trainings[] = {
    {"lenet", small_lenet, false, {.rule = &ty_adam, .rate = 1e-3}},
    {"batch norms", small_cnn, false, {.rule = &ty_momentum, .rate = 0.02, .nesterov = true, .decay = 1e-3}},
    {"lstm", small_lstm, true, {.rule = &ty_rmsprop, .rate = 1e-3}},
    {"gpt", small_gpt, true, {.rule = &ty_adamw, .rate = 3e-3}},
};

/* ---- trainings ---- */

static ty_trainer *trainer_of(const struct training *training, bool lazy) {
    ty_model_options how = {.seed = 1, .lazy = lazy};
    ty_model *model = ty_model_new(training->forward, NULL, how);
    ty_trainer_options o = {
        .batch = BATCH, .seed = 1, .optimiser = training->optimiser, .clip_global_norm = 1};
    if (training->tokens) {
        ty_tensor *text = sample_shape(TY_I32, TY_SHAPE(EXAMPLES, PLACES + 1), 0, TOKENS - 1);
        o.inputs = ty_slice(text, 1, 0, PLACES, 1);
        o.targets = ty_slice(text, 1, 1, PLACES + 1, 1);
        o.loss = token_loss;
    } else {
        o.inputs = sample_shape(TY_U8, TY_SHAPE(EXAMPLES, SIDE, SIDE, 1), 0, 255);
        o.targets = sample_shape(TY_U8, TY_SHAPE(EXAMPLES), 0, 9);
    }
    return nn_own_trainer(ty_trainer_new(nn_own_model(model), o));
}

/* Make the entry of the losses of all steps and the parameters after them. */
static void training_entry(const struct training *training, bool lazy) {
    char name[BITS_NAME];
    uint64_t hash = bits_start();
    struct test_round round = test_round();
    bits_begin();
    ty_trainer *t = trainer_of(training, lazy);
    for (int i = 0; i < STEPS && !*ty_trainer_error(t); i++)
        hash = bits_add(hash, ty_scalar(TY_F64, ty_trainer_step(t)));
    if (*ty_trainer_error(t)) bits_fail(ty_trainer_error(t));
    const ty_model *model = ty_trainer_model(t);
    for (int i = 0; i < ty_model_parameters(model); i++)
        hash = bits_add(hash, ty_add(ty_model_parameter(model, i), ty_num(0)));
    snprintf(name, sizeof name, "training of %s, %s", training->name, lazy ? "compiled" : "eager");
    bits_entry(name, "f32", hash);
    test_round_end(round);
}

/* ---- optimisers ---- */

enum { ELEMENTS = 1001, RULE_STEPS = 8 };

static void rule_entry(const ty_rule *rule, ty_dtype dtype) {
    char name[BITS_NAME];
    ty_optimiser o = {.rule = rule};
    ty_tensor *states[TY_RULE_STATES];
    uint64_t hash = bits_start();
    struct test_round round = test_round();
    bits_begin();
    ty_tensor *x = sample_shape(dtype, TY_SHAPE(ELEMENTS), -1, 1);
    for (int i = 0; i < rule->nstates; i++) states[i] = ty_optimiser_state(&o, i, x);
    for (int step = 1; step <= RULE_STEPS; step++)
        x = ty_optimise(&o, x, sample_shape(dtype, TY_SHAPE(ELEMENTS), -1, 1), states,
                        ty_scalar(TY_F64, step), NULL);
    hash = bits_add(hash, x);
    for (int i = 0; i < rule->nstates; i++) hash = bits_add(hash, states[i]);
    snprintf(name, sizeof name, "optimiser %s", rule->name);
    bits_entry(name, ty_dtype_name(dtype), hash);
    test_round_end(round);
}

void bits_networks(void) {
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++)
        for (int lazy = 0; lazy < 2; lazy++) training_entry(&trainings[i], lazy);
    for (int i = 0; ty_rules[i]; i++)
        for (int dtype = TY_F16; dtype <= TY_F64; dtype++) rule_entry(ty_rules[i], (ty_dtype)dtype);
}
