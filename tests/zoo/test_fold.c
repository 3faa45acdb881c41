/* Folding of norms into the weights before them: the number folded, equal results, and no return to
   training. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "tests/support/compare.h"
#include "tests/support/nn_help.h"
#include <tyto/zoo.h>

/* Change every parameter and state from its initial value, with variances within 0.5 .. 1.5. */
static void stir(const ty_model *m) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? ty_model_states(m) : ty_model_parameters(m)); i++) {
            struct test_round round = test_round();
            ty_tensor *x = k ? ty_model_state(m, i) : ty_model_parameter(m, i), *error = NULL;
            ty_tensor *key = ty_fold(ty_key(7), (uint64_t)(2 * i + k));
            ty_tensor *noise = ty_sub(ty_uniform(ty_dtype_of(x), ty_rank(x), ty_shape(x), key), ty_num(0.5));
            if (ty_rank(x) > 1) noise = ty_mul(noise, ty_num(0.02));
            bool done = ty_assign(x, ty_add(ty_detach(ty_eval(x)), noise), &error);
            CHECK(done || test_starving(), "%s", error ? ty_error(error) : "no sentence");
            test_round_end(round);
        }
}

/* Return the greatest difference of the results, relative to the greatest result. */
static double away(ty_tensor *y, ty_tensor *want) {
    double most = ty_item(ty_amax(ty_abs(want), TY_ALL));
    return ty_item(ty_amax(ty_abs(ty_sub(y, want)), TY_ALL)) / (most > 0 ? most : 1);
}

static void check(ty_model *m, ty_tensor *x, int norms, double bound, const char *name) {
    ty_tensor *y[4], *want[4], *error = NULL;
    int results = ty_model_results(m);
    if (!ty_model_build(m, 1, &x, &error)) {
        CHECK(test_starving(), "%s: %s", name, error ? ty_error(error) : "no sentence");
        return;
    }
    stir(m);
    if (!ty_model_predict(m, 1, &x, want)) return CHECK(test_starving(), "%s: %s", name, ty_error(want[0]));
    for (int i = 0; i < results; i++) want[i] = ty_detach(want[i]);
    int folded = ty_model_fold(m, 1, &x, &error);
    CHECK(folded == norms || (folded < 0 && test_starving()), "%s: %d norms, expected %d: %s", name, folded,
          norms, error ? ty_error(error) : "");
    if (!ty_model_predict(m, 1, &x, y)) return CHECK(test_starving(), "%s: %s", name, ty_error(y[0]));
    for (int i = 0; i < results; i++) {
        double off = away(y[i], want[i]);
        CHECK(off <= bound, "%s: off by %g of the largest", name, off);
        if (test_verbose()) printf("%s %g\n", name, off);
    }
    CHECK(ty_model_fold(m, 1, &x, &error) == 0 || test_starving(), "%s: folded twice", name);
}

/* ---- networks ---- */

static const struct row {
    const ty_network *network;
    int64_t side; /* 0: the network's own size */
    int norms;    /* norms after convolutions */
    bool large;
} rows[] = {{&ty_network_resnet18, 64, 20, false},
            {&ty_network_mobilenet_v2, 64, 52, false},
            {&ty_network_dcgan_discriminator, 0, 3, true},
            {&ty_network_dcgan_generator, 0, 4, true},
            {&ty_network_resnet50, 64, 53, true},
            {&ty_network_densenet121, 64, 59, true}, /* its other norms come before convolutions */
            {&ty_network_inception_v3, 96, 94, true},
            {&ty_network_unet, 32, 18, true},
            {&ty_network_squeezenet, 64, 0, true},
            {&ty_network_lenet, 0, 0, true}};
enum { ROWS = sizeof rows / sizeof *rows };

static void networks(void) {
    for (int i = 0; i < ROWS; i++) {
        struct test_round round = test_round();
        const ty_network *net = rows[i].network;
        int64_t shape[5] = {2, net->shape[0], net->shape[1], net->shape[2]};
        if (rows[i].side) shape[1] = shape[2] = rows[i].side;
        if (test_some(1, !rows[i].large, 0)) {
            ty_tensor *x = ty_cast(ty_normal(TY_F32, net->rank + 1, shape, ty_key(1)), net->dtype);
            ty_model *m = nn_own_model(
                ty_network_model(net, (ty_network_options){0}, (ty_model_options){.seed = 1, .lazy = true}));
            check(m, x, rows[i].norms, 2e-5, net->name);
        }
        test_round_end(round);
    }
}

/* ---- layers ---- */

#define NORM TY_LAYER(batch_norm, 0)
#define ONE(name, ...)                                                                                       \
    static ty_model *name(ty_model_options o) {                                                              \
        const ty_layer_value layers[] = {__VA_ARGS__};                                                       \
        return ty_model_sequence(sizeof layers / sizeof *layers, layers, o);                                 \
    }
ONE(plain, TY_LAYER(conv2d, .size = {3, 3}, .channels = 6), NORM)
ONE(without_bias, TY_LAYER(conv2d, .size = {3, 3}, .channels = 6, .no_bias = true),
    TY_LAYER(batch_norm, .no_shift = true, .epsilon = 0.01))
ONE(without_scale, TY_LAYER(conv2d, .size = {3, 3}, .channels = 6), TY_LAYER(batch_norm, .no_scale = true))
ONE(neither, TY_LAYER(conv2d, .size = {3, 3}, .channels = 6),
    TY_LAYER(batch_norm, .no_scale = true, .no_shift = true))
ONE(depthwise, TY_LAYER(conv2d, .size = {3, 3}, .depthwise = true), NORM)
ONE(channels_first, TY_LAYER(conv2d, .size = {3, 3}, .channels = 8, .nchw = true),
    TY_LAYER(batch_norm, .nchw = true))
ONE(transposed, TY_LAYER(conv_transpose2d, .size = {3, 3}, .channels = 6), NORM)
ONE(transposed_first, TY_LAYER(conv_transpose2d, .size = {3, 3}, .channels = 6, .nchw = true),
    TY_LAYER(batch_norm, .nchw = true))
ONE(linear, TY_LAYER(fully_connected, .units = 5), NORM, TY_LAYER(linear, .units = 5, .no_bias = true), NORM)
ONE(other_axis, TY_LAYER(conv2d, .size = {1, 1}, .channels = 8), TY_LAYER(batch_norm, .nchw = true))
ONE(activated, TY_LAYER(conv2d, .size = {3, 3}, .channels = 6, .activation = ty_tanh), NORM)
ONE(grouped, TY_LAYER(conv_transpose2d, .size = {3, 3}, .channels = 8, .groups = 2), NORM)
ONE(norm_first, NORM, TY_LAYER(conv2d, .size = {3, 3}, .channels = 6))

/* A norm whose operand is read elsewhere, or is a result, or whose layer is called twice, is not folded. */
static void read_again(ty_layer *self, const void *which, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_conv_layer o = {.size = {3, 3}, .channels = 8, .same = true};
    int way = *(const int *)which;
    (void)n;
    ty_tensor *h = ty_layer_conv2d(self, "c", x[0], o);
    if (way == 2) h = ty_layer_conv2d(self, "c", h, o);
    y[0] = y[1] = ty_layer_batch_norm(self, "n", h, (ty_batch_norm_layer){0});
    if (way == 0) y[0] = ty_add(y[0], ty_tanh(h));
    if (way == 1) y[1] = h;
    if (way == 3) y[1] = ty_layer_batch_norm(self, "n", y[0], (ty_batch_norm_layer){0});
}

static void layers(void) {
    static const struct {
        const char *name;
        ty_model *(*make)(ty_model_options o);
        int norms;
    } made[] = {{"plain", plain, 1},
                {"without bias and shift", without_bias, 1},
                {"without scale", without_scale, 1},
                {"neither", neither, 1},
                {"depthwise", depthwise, 1},
                {"channels first", channels_first, 1},
                {"transposed", transposed, 1},
                {"transposed, channels first", transposed_first, 1},
                {"linear", linear, 2},
                {"another axis", other_axis, 0},
                {"activated", activated, 0},
                {"transposed groups", grouped, 0},
                {"the norm first", norm_first, 0}};
    ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(2, 8, 8, 8), ty_key(2));
    for (int lazy = 0; lazy < 2; lazy++)
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
            struct test_round round = test_round();
            ty_model_options o = {.seed = 2, .lazy = lazy, .dtype = TY_F64};
            check(nn_own_model(made[i].make(o)), x, made[i].norms, 1e-12, made[i].name);
            test_round_end(round);
        }
    for (int way = 0; way < 4; way++) {
        struct test_round round = test_round();
        ty_model_options o = {.seed = 2, .lazy = true, .dtype = TY_F64, .results = 2};
        check(nn_own_model(ty_model_new(read_again, &way, o)), x, 0, 1e-12, "read again");
        test_round_end(round);
    }
}

/* ---- after folding ---- */

static void refusals(void) {
    ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(2, 6, 6, 3), ty_key(2)), *error = NULL, *y;
    ty_model *m = nn_own_model(plain((ty_model_options){.seed = 1, .lazy = true}));
    ty_tensor *far[] = {x, ty_ones(TY_F32, TY_SHAPE(2, 4, 4, 6))};
    ty_trainer *t = nn_own_trainer(
        ty_trainer_new(m, (ty_trainer_options){.inputs = far[0], .targets = far[1], .loss = ty_mse}));
    const char *file = nn_file("weights"), *trained = nn_file("trained");
    if (isnan(ty_trainer_step(t)) || !ty_trainer_save(t, trained, &error)) return;
    if (ty_model_fold(m, 1, &x, &error) < 0) return CHECK(test_starving(), "%s", ty_error(error));
    y = ty_model_forward(m, x, ty_key(1));
    if (!test_starving()) CHECK_POISON(y, "made it inference-only");
    CHECK(isnan(ty_trainer_step(t)) && strstr(ty_trainer_error(t), "inference-only"), "%s",
          ty_trainer_error(t));
    if (!ty_model_save(m, file, (ty_weights_options){0}, &error)) return;
    CHECK(!ty_model_load(m, file, (ty_weights_options){0}, &error), "loaded");
    if (!test_starving()) CHECK_POISON(error, "inference-only");
    /* a saved model can be loaded like any other */
    ty_model *other = nn_own_model(plain((ty_model_options){.seed = 3, .lazy = true}));
    if (!ty_model_build(other, 1, &x, &error) || !ty_model_load(other, file, (ty_weights_options){0}, &error))
        return CHECK(test_starving(), "%s", error ? ty_error(error) : "");
    ty_tensor *a, *b;
    if (ty_model_predict(m, 1, &x, &a) && ty_model_predict(other, 1, &x, &b))
        CHECK(away(a, b) < 1e-6, "what was saved gives something else");
    CHECK(ty_model_fold(m, 0, NULL, &error) == -1, "folded without operands");
    if (!test_starving()) CHECK_POISON(error, "called on 0 tensors, expected 1");
    CHECK(ty_model_fold(NULL, 1, &x, &error) == -1, "NULL was folded");
}

/* ---- memory ---- */

/* Folding a deep model holds its weights once, and one layer besides. */
/* Memory holds one layer besides the weights, also of a model that computes its layers at once. */
static void check_memory(bool lazy) {
    enum { PAIRS = 8, CHANNELS = 128 };
    ty_layer_value stack[2 * PAIRS];
    const ty_layer_value conv = TY_LAYER(conv2d, .size = {3, 3}, .channels = CHANNELS, .no_bias = true,
                                         .same = true),
                         norm = NORM;
    for (int i = 0; i < PAIRS; i++) stack[2 * i] = conv, stack[2 * i + 1] = norm;
    ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(1, 4, 4, CHANNELS), ty_key(2)), *error = NULL;
    ty_model *m =
        nn_own_model(ty_model_sequence(2 * PAIRS, stack, (ty_model_options){.seed = 1, .lazy = lazy}));
    if (!ty_model_build(m, 1, &x, &error)) return CHECK(test_starving(), "%s", ty_error(error));
    double weights = 0;
    for (int i = 0; i < ty_model_parameters(m); i++)
        weights += 4.0 * (double)ty_size(ty_model_parameter(m, i));
    ty_trim();
    int64_t before = mem_bytes();
    mem_peak_begin();
    int folded = ty_model_fold(m, 1, &x, &error);
    CHECK(folded == PAIRS || test_starving(), "%d folded: %s", folded, error ? ty_error(error) : "");
    double more = (double)(mem_peak() - before);
    CHECK(more <= weights / 3, "lazy %d: %g bytes besides weights of %g", lazy, more, weights);
}

static void memory(void) {
    check_memory(true);
    check_memory(false);
}

TESTS_MAIN(TEST(networks), TEST(layers), TEST(refusals), TEST(memory))
