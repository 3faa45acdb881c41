/* Layers (shapes, gradients by differences), initialisers, losses and optimisers (against plain loops). */
#include "nn/model.h"
#include "tests/support/compare.h"
#include "tests/support/nn_help.h"
#include <math.h>
#include <string.h>

/* ---- gradients of every layer ---------------------------------------------------------------- */

static ty_tensor *cube(ty_tensor *x, void *context) {
    return ty_mul(ty_mul(x, ty_mul(x, x)), ty_num(*(double *)context));
}
static double half = 0.5;

static void add_scale(ty_model *m) { ty_layer_scale(m, 0.25); }
static void add_conv2d(ty_model *m) {
    ty_layer_conv2d(m, (ty_conv2d_layer){.size = {3, 2},
                                         .channels = 2,
                                         .activation = ty_tanh,
                                         .same = true,
                                         .stride = {2, 1},
                                         .bias = {ty_init_normal, 0, 0.1}});
}
/* The images seen with other axes behind the batch. */
struct axes {
    int n;
    int64_t shape[4];
};
static ty_tensor *see_as(ty_tensor *x, void *context) {
    const struct axes *axes = context;
    int64_t shape[5] = {ty_ok(x) ? ty_shape(x)[0] : 0};
    memcpy(shape + 1, axes->shape, sizeof axes->shape);
    return ty_reshape(x, axes->n + 1, shape);
}
static struct axes line = {2, {20, 2}}, room = {4, {2, 2, 5, 2}}, first = {3, {2, 4, 5}};

static void add_conv1d(ty_model *m) {
    ty_layer_lambda(m, see_as, &line);
    ty_layer_conv1d(m, (ty_conv_layer){.size = {3}, .channels = 4, .groups = 2, .dilation = {2}, .low = {1}});
}
static void add_conv3d(ty_model *m) {
    ty_layer_lambda(m, see_as, &room);
    ty_layer_conv3d(m,
                    (ty_conv_layer){.size = {2, 1, 3}, .channels = 3, .no_bias = true, .same_lower = true});
}
static void add_conv_transpose1d(ty_model *m) {
    ty_layer_lambda(m, see_as, &line);
    ty_layer_conv_transpose1d(
        m, (ty_conv_layer){.size = {3}, .channels = 1, .stride = {2}, .output_padding = {1}});
}
static void add_conv_transpose2d(ty_model *m) {
    ty_layer_lambda(m, see_as, &first);
    ty_layer_conv_transpose2d(m, (ty_conv_layer){.size = {2, 2},
                                                 .stride = {2, 2},
                                                 .nchw = true,
                                                 .depthwise = true,
                                                 .bias = {ty_init_normal, 0, 0.1}});
}
static void add_conv_transpose3d(ty_model *m) {
    ty_layer_lambda(m, see_as, &room);
    ty_layer_conv_transpose3d(m, (ty_conv_layer){.size = {1, 2, 2}, .channels = 2, .low = {0, 1, 0}});
}
static void add_linear(ty_model *m) {
    ty_layer_linear(m, (ty_linear_layer){.units = 3, .activation = ty_sigmoid});
}
static void add_fully_connected(ty_model *m) {
    ty_layer_fully_connected(m, (ty_linear_layer){.units = 3, .activation = ty_gelu, .no_bias = true});
}
static void add_max_pool2d(ty_model *m) { ty_layer_max_pool2d(m, (ty_pool){.size = {2, 2}, .low = {1, 0}}); }
static void add_avg_pool2d(ty_model *m) {
    ty_layer_avg_pool2d(m, (ty_pool){.size = {3, 2}, .stride = {1, 1}, .same = true});
}
static void add_dropout(ty_model *m) { ty_layer_dropout(m, 0.3); }
static void add_activation(ty_model *m) { ty_layer_activation(m, ty_softplus); }
static void add_lambda(ty_model *m) { ty_layer_lambda(m, cube, &half); }

#define LAYER(name) extern const struct layer_kind layer_##name;
#include "nn/layers.def"

static const struct {
    const struct layer_kind *kind;
    void (*add)(ty_model *m);
    int64_t out[5]; /* shape for a batch of 2 images (4,5,2), ended by 0 */
} layers[] = {{&layer_scale, add_scale, {2, 4, 5, 2}},
              {&layer_conv2d, add_conv2d, {2, 2, 5, 2}},
              {&layer_conv1d, add_conv1d, {2, 17, 4}},
              {&layer_conv3d, add_conv3d, {2, 2, 2, 5, 3}},
              {&layer_conv_transpose1d, add_conv_transpose1d, {2, 42, 1}},
              {&layer_conv_transpose2d, add_conv_transpose2d, {2, 2, 8, 10}},
              {&layer_conv_transpose3d, add_conv_transpose3d, {2, 2, 2, 6, 2}},
              {&layer_linear, add_linear, {2, 4, 5, 3}},
              {&layer_fully_connected, add_fully_connected, {2, 3}},
              {&layer_max_pool2d, add_max_pool2d, {2, 2, 2, 2}},
              {&layer_avg_pool2d, add_avg_pool2d, {2, 4, 5, 2}},
              {&layer_dropout, add_dropout, {2, 4, 5, 2}},
              {&layer_flatten, ty_layer_flatten, {2, 40}},
              {&layer_activation, add_activation, {2, 4, 5, 2}},
              {&layer_lambda, add_lambda, {2, 4, 5, 2}}};
enum { LAYERS = sizeof layers / sizeof layers[0] };

static ty_tensor *loss_of(const ty_model *m, ty_tensor *x) {
    ty_tensor *y = ty_model_forward(m, x, ty_key(11));
    ty_tensor *weights = ty_normal(TY_F64, ty_rank(y), ty_shape(y), ty_key(12));
    return ty_sum(ty_mul(y, weights), TY_ALL);
}

/* The slope of the loss along one element of a variable, by central differences. */
static double slope(const ty_model *m, ty_tensor *x, ty_tensor *variable, double *values, int64_t i) {
    const double step = 1e-6, middle = values[i];
    double ends[2];
    for (int k = 0; k < 2; k++) {
        struct test_round round = test_round();
        values[i] = middle + (k ? step : -step);
        CHECK(ty_assign(variable, ty_from(TY_F64, ty_rank(variable), ty_shape(variable), values), NULL),
              "assign");
        ty_tensor *loss = loss_of(m, x);
        CHECK_OK(loss);
        ends[k] = ty_item(loss);
        test_round_end(round);
    }
    values[i] = middle;
    CHECK(ty_assign(variable, ty_from(TY_F64, ty_rank(variable), ty_shape(variable), values), NULL),
          "assign");
    return (ends[1] - ends[0]) / (2 * step);
}

static void check_gradient(const ty_model *m, ty_tensor *x, ty_tensor *variable, ty_tensor *gradient,
                           const char *kind) {
    int64_t n = ty_size(variable);
    double *values = test_room((size_t)n * sizeof *values), *found = test_room((size_t)n * sizeof *found);
    CHECK_OK(gradient);
    CHECK(ty_read(variable, TY_F64, values) && ty_read(gradient, TY_F64, found), "%s: not readable", kind);
    for (int64_t i = 0; i < n; i += test_starving() ? n : 1) {
        double expected = slope(m, x, variable, values, i);
        CHECK(fabs(found[i] - expected) <= 1e-6 + 1e-5 * fabs(expected),
              "%s, %s[%lld]: gradient %.9g, difference %.9g", kind, ty_name(variable), (long long)i, found[i],
              expected);
    }
}

static void check_layer(int k, bool lazy) {
    ty_model *m =
        nn_own_model(ty_model_new(TY_SHAPE(4, 5, 2), (ty_model_options){.lazy = lazy, .dtype = TY_F64}));
    layers[k].add(m);
    const char *kind = layers[k].kind->name;
    CHECK(!*ty_model_error(m), "%s: %s", kind, ty_model_error(m));
    ty_tensor *value = ty_normal(TY_F64, TY_SHAPE(2, 4, 5, 2), ty_key(13));
    ty_tensor *all[4] = {lazy ? ty_var(value, "x") : ty_track(value, "x")}, *gradients[4];
    ty_tensor *y = ty_model_forward(m, all[0], ty_key(11));
    CHECK_OK(y);
    for (int i = 0; i < ty_rank(y); i++)
        CHECK(ty_shape(y)[i] == layers[k].out[i], "%s: axis %d has size %lld", kind, i,
              (long long)ty_shape(y)[i]);
    int n = 1 + ty_model_parameters(m);
    for (int i = 1; i < n; i++) all[i] = ty_model_parameter(m, i - 1);
    CHECK(ty_grad(loss_of(m, all[0]), n, all, gradients), "%s: no gradient", kind);
    for (int i = 0; i < n; i++) gradients[i] = ty_detach(gradients[i]);
    for (int i = 0; i < n; i++) check_gradient(m, all[0], all[i], gradients[i], kind);
}

static void layer_gradients(void) {
    for (int k = 0; k < 2 * LAYERS; k++) {
        struct test_round round = test_round();
        check_layer(k / 2, k % 2);
        test_round_end(round);
    }
}

static void every_layer_is_tested(void) {
    for (int i = 0; layer_table[i]; i++) {
        bool found = false;
        for (int k = 0; k < LAYERS; k++) found |= layers[k].kind == layer_table[i];
        CHECK(found, "layer %s has no row in this test", layer_table[i]->name);
    }
}

/* ---- models ---------------------------------------------------------------------------------- */

static void names_and_summary(void) {
    ty_model *m = nn_own_model(ty_lenet((ty_model_options){.lazy = true}));
    CHECK(!*ty_model_error(m), "%s", ty_model_error(m));
    static const char *const names[] = {"conv1.weight", "conv1.bias",     "full1.weight",
                                        "full1.bias",   "linear1.weight", "linear1.bias"};
    CHECK(ty_model_parameters(m) == 6, "%d parameters", ty_model_parameters(m));
    for (int i = 0; i < 6; i++)
        CHECK(!strcmp(ty_name(ty_model_parameter(m, i)), names[i]), "%s", ty_name(ty_model_parameter(m, i)));
    char *text = test_text(ty_model_summary(m));
    static const char *const lines[] = {"conv1     conv2d 5x5 same relu  [batch,28,28,32]         832\n",
                                        "maxpool1  max pool 2x2          [batch,14,14,32]           0\n",
                                        "full1     fully connected relu  [batch,1024]         6423552\n",
                                        "6434634\n"};
    for (int i = 0; i < 4; i++)
        CHECK(text && strstr(text, lines[i]), "no line \"%s\" in\n%s", lines[i], text);
    CHECK_POISON(ty_model_parameter(m, 6), "parameter 6 of 6");
}

static void inference_drops_nothing(void) {
    ty_model *m = nn_own_model(ty_model_new(TY_SHAPE(1000), (ty_model_options){0}));
    ty_layer_dropout(m, 0.25);
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 1000));
    compare_bits(ty_model_forward(m, x, NULL), x, "inference");
    ty_tensor *y = ty_model_forward(m, x, ty_key(1));
    CHECK_OK(y);
    double kept = ty_item(ty_sum(ty_cast(ty_gt(y, ty_num(0)), TY_F64), TY_ALL));
    CHECK(fabs(kept - 1500) < 100, "%g of 2000 survive a dropout of 0.25", kept);
    CHECK(fabs(ty_item(ty_amax(y, TY_ALL)) - 1 / 0.75) < 1e-6, "survivors are not divided by 0.75");
    ty_tensor *again = ty_model_forward(m, x, ty_key(1)), *other = ty_model_forward(m, x, ty_key(2));
    compare_bits(y, again, "the same key");
    CHECK(ty_item(ty_any(ty_ne(y, other), TY_ALL)) == 1, "another key drops the same elements");
}

/* Each wrong layer, and what its sentence must say. */
static void bad_conv_rank(ty_model *m) {
    ty_layer_flatten(m);
    ty_layer_conv2d(m, (ty_conv2d_layer){.size = {3, 3}, .channels = 1});
}
static void bad_conv_groups(ty_model *m) {
    ty_layer_conv2d(m, (ty_conv_layer){.size = {3, 3}, .channels = 4, .groups = 3});
}
static void bad_conv_axes(ty_model *m) {
    ty_layer_conv3d(m, (ty_conv_layer){.size = {3, 3, 3}, .channels = 4, .nchw = true});
}
static void bad_conv_size(ty_model *m) { ty_layer_conv2d(m, (ty_conv2d_layer){.channels = 1}); }
static void bad_units(ty_model *m) { ty_layer_linear(m, (ty_linear_layer){0}); }
static void bad_dropout(ty_model *m) { ty_layer_dropout(m, 1); }
static void bad_pool(ty_model *m) { ty_layer_max_pool2d(m, (ty_pool){.size = {9, 9}}); }
static void bad_lambda(ty_model *m) { ty_layer_lambda(m, NULL, NULL); }
static ty_tensor *lose_batch(ty_tensor *x, void *context) {
    (void)context;
    return ty_sum(x, TY_ALL);
}
static void bad_batch(ty_model *m) { ty_layer_lambda(m, lose_batch, NULL); }
static ty_tensor *draw_wrong(ty_place place, double a, double b) {
    (void)a;
    (void)b;
    return ty_zeros(place.dtype, TY_SHAPE(3));
}
static void bad_draw(ty_model *m) {
    ty_layer_linear(m, (ty_linear_layer){.units = 2, .weight = {draw_wrong, 0, 0}});
}

static void wrong_layers(void) {
    static const struct {
        void (*add)(ty_model *m);
        const char *words;
    } rows[] = {{bad_conv_rank, "conv1: the input has 1 axes after the batch"},
                {bad_conv_size, "conv1: size 0x0"},
                {bad_conv_groups, " channels of the input and 4 of the output do not fall into 3 groups"},
                {bad_conv_axes, "after the batch, expected 4: channels, depth, height, width"},
                {bad_units, "linear1: 0 units"},
                {bad_dropout, "dropout1: probability 1 is outside [0, 1)"},
                {bad_pool, "maxpool1: "},
                {bad_lambda, "lambda1: the function is NULL"},
                {bad_batch, "lambda1: the batch axis was lost"},
                {bad_draw, "linear1.weight: the initialiser"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ty_model *m = nn_own_model(ty_model_new(TY_SHAPE(4, 5, 2), (ty_model_options){0}));
        rows[i].add(m);
        ty_layer_linear(m, (ty_linear_layer){.units = 1}); /* the first failure stays */
        CHECK(strstr(ty_model_error(m), rows[i].words), "\"%s\" does not say \"%s\"", ty_model_error(m),
              rows[i].words);
        CHECK_POISON(ty_model_forward(m, ty_zeros(TY_F32, TY_SHAPE(1, 4, 5, 2)), NULL), rows[i].words);
    }
    ty_model *m = nn_own_model(ty_model_new(TY_SHAPE(4), (ty_model_options){0}));
    CHECK_POISON(ty_model_forward(m, ty_zeros(TY_F32, TY_SHAPE(2, 5)), NULL),
                 "shape [2,5], expected [batch,4]");
    ty_model *empty = nn_own_model(ty_model_new(TY_SHAPE(0, 3), (ty_model_options){0}));
    CHECK(strstr(ty_model_error(empty), "axis 0 of the input has size 0"), "%s", ty_model_error(empty));
}

/* ---- initialisers ---------------------------------------------------------------------------- */

static void initialisers(void) {
    enum { IN = 300, OUT = 200 };
    ty_place place = {TY_F64, TY_SHAPE(IN, OUT), IN, OUT, ty_key(7)};
    const struct {
        const char *name;
        ty_init init;
        double mean, variance, bound;
    } rows[] = {
        {"zeros", {ty_init_zeros, 0, 0}, 0, 0, 0},
        {"ones", {ty_init_ones, 0, 0}, 1, 0, 1},
        {"constant", {ty_init_constant, 0.1, 0}, 0.1, 0, 0.1},
        {"uniform", {ty_init_uniform, -1, 3}, 1, 16 / 12.0, 3},
        {"normal", {ty_init_normal, 2, 0.5}, 2, 0.25, 6},
        {"glorot_uniform", {ty_init_glorot_uniform, 0, 0}, 0, 2.0 / (IN + OUT), sqrt(6.0 / (IN + OUT))},
        {"glorot_normal", {ty_init_glorot_normal, 0, 0}, 0, 2.0 / (IN + OUT), 1},
        {"he_uniform", {ty_init_he_uniform, 0, 0}, 0, 2.0 / IN, sqrt(6.0 / IN)},
        {"he_normal", {ty_init_he_normal, 0, 0}, 0, 2.0 / IN, 1},
        {"lecun_uniform", {ty_init_lecun_uniform, 0, 0}, 0, 1.0 / IN, sqrt(3.0 / IN)},
        {"lecun_normal", {ty_init_lecun_normal, 0, 0}, 0, 1.0 / IN, 1}};
    int known = 0;
#define INIT(name, value, doc) known++;
#include <tyto/initialisers.def>
    CHECK(known == (int)(sizeof rows / sizeof rows[0]), "an initialiser has no row in this test");
    for (int i = 0; i < known; i++) {
        ty_tensor *x = rows[i].init.draw(place, rows[i].init.a, rows[i].init.b);
        CHECK_OK(x);
        double mean = ty_item(ty_mean(x, TY_ALL)), variance = ty_item(ty_variance(x, TY_ALL));
        CHECK(fabs(mean - rows[i].mean) <= 5 * sqrt(rows[i].variance / (IN * OUT)) + 1e-12, "%s: mean %g",
              rows[i].name, mean);
        CHECK(fabs(variance - rows[i].variance) <= 0.03 * rows[i].variance + 1e-12,
              "%s: variance %g, expected %g", rows[i].name, variance, rows[i].variance);
        CHECK(ty_item(ty_amax(ty_abs(x), TY_ALL)) <= rows[i].bound + 1e-12, "%s: outside its bound",
              rows[i].name);
    }
}

static double fans[2];
static ty_tensor *draw_noted(ty_place place, double a, double b) {
    (void)a, (void)b;
    fans[0] = place.fan_in, fans[1] = place.fan_out;
    return ty_zeros(place.dtype, place.rank, place.shape);
}

/* As torch.nn.init._calculate_fan_in_and_fan_out says of weights (out, in / groups, 3, 3) and, transposed, (in, out /
   groups, 3, 3). */
static void fans_are_pytorchs(void) {
    static const struct {
        void (*add)(ty_model *, ty_conv_layer);
        int64_t groups;
        double in, out;
    } rows[] = {{ty_layer_conv2d, 1, 36, 72},
                {ty_layer_conv2d, 4, 9, 72},
                {ty_layer_conv_transpose2d, 1, 72, 36},
                {ty_layer_conv_transpose2d, 4, 18, 36}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_model *m = nn_own_model(ty_model_new(TY_SHAPE(8, 8, 4), (ty_model_options){0}));
        rows[i].add(m, (ty_conv_layer){.size = {3, 3},
                                       .channels = 8,
                                       .groups = rows[i].groups,
                                       .no_bias = true,
                                       .weight = {draw_noted, 0, 0}});
        CHECK(test_starving() || (fans[0] == rows[i].in && fans[1] == rows[i].out), "row %d: fans %g and %g",
              (int)i, fans[0], fans[1]);
    }
}

static void mean_squared_error(void) {
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 2, 3, 4});
    ty_tensor *b = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 4, 0, 4});
    CHECK(ty_item(ty_mse(a, b)) == (4 + 9) / 4.0, "mse");
}

TESTS_MAIN(TEST(layer_gradients), TEST(every_layer_is_tested), TEST(names_and_summary),
           TEST(inference_drops_nothing), TEST(wrong_layers), TEST(initialisers), TEST(fans_are_pytorchs),
           TEST(mean_squared_error))
