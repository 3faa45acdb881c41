/* Layers (shapes, gradients against differences), initialisers, losses and optimisers (against plain
   loops). */
#include "tests/support/compare.h"
#include "tests/support/nn_help.h"
#include <math.h>
#include <string.h>
#include <tyto/zoo.h>

/* ---- shapes and gradients of layers, in sequence (each kind: test_layers_gradients.c) ------------ */

static ty_tensor *cube(ty_tensor *x, void *context) {
    return ty_mul(ty_mul(x, ty_mul(x, x)), ty_num(*(double *)context));
}
static double half = 0.5;

/* Reshapes the images to other axes after the batch. */
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

#define SEEN(axes) TY_LAYER(lambda, .function = see_as, .context = &axes)
static const struct {
    int n;
    ty_layer_value steps[2]; /* the last one is the layer tested */
    int64_t out[5];          /* shape for a batch of 2 images (4,5,2), terminated by 0 */
} layers[] = {
    {1, {TY_LAYER(scale, .factor = 0.25)}, {2, 4, 5, 2}},
    {1,
     {TY_LAYER(conv2d, .size = {3, 2}, .channels = 2, .activation = ty_tanh, .same = true, .stride = {2, 1},
               .bias = {ty_init_normal, 0, 0.1})},
     {2, 2, 5, 2}},
    {2,
     {SEEN(line), TY_LAYER(conv1d, .size = {3}, .channels = 4, .groups = 2, .dilation = {2}, .low = {1})},
     {2, 17, 4}},
    {2,
     {SEEN(room), TY_LAYER(conv3d, .size = {2, 1, 3}, .channels = 3, .no_bias = true, .same_lower = true)},
     {2, 2, 2, 5, 3}},
    {2,
     {SEEN(line),
      TY_LAYER(conv_transpose1d, .size = {3}, .channels = 1, .stride = {2}, .output_padding = {1})},
     {2, 42, 1}},
    {2,
     {SEEN(first), TY_LAYER(conv_transpose2d, .size = {2, 2}, .stride = {2, 2}, .nchw = true,
                            .depthwise = true, .bias = {ty_init_normal, 0, 0.1})},
     {2, 2, 8, 10}},
    {2,
     {SEEN(room), TY_LAYER(conv_transpose3d, .size = {1, 2, 2}, .channels = 2, .low = {0, 1, 0})},
     {2, 2, 2, 6, 2}},
    {1, {TY_LAYER(linear, .units = 3, .activation = ty_sigmoid)}, {2, 4, 5, 3}},
    {1, {TY_LAYER(fully_connected, .units = 3, .activation = ty_gelu, .no_bias = true)}, {2, 3}},
    {1, {TY_LAYER(max_pool2d, .size = {2, 2}, .low = {1, 0})}, {2, 2, 2, 2}},
    {1, {TY_LAYER(avg_pool2d, .size = {3, 2}, .stride = {1, 1}, .same = true)}, {2, 4, 5, 2}},
    {1, {TY_LAYER(dropout, .p = 0.3)}, {2, 4, 5, 2}},
    {1, {TY_LAYER(flatten, .none = 0)}, {2, 40}},
    {1, {TY_LAYER(activation, .function = ty_softplus)}, {2, 4, 5, 2}},
    {1, {TY_LAYER(lambda, .function = cube, .context = &half)}, {2, 4, 5, 2}}};
enum { LAYERS_TESTED = sizeof layers / sizeof layers[0] };

static ty_tensor *loss_of(ty_model *m, ty_tensor *x) {
    ty_tensor *y = ty_model_forward(m, x, ty_key(11));
    ty_tensor *weights = ty_normal(TY_F64, ty_rank(y), ty_shape(y), ty_key(12));
    return ty_sum(ty_mul(y, weights), TY_ALL);
}

/* Return the slope of the loss along one element of a variable, by central differences. */
static double slope(ty_model *m, ty_tensor *x, ty_tensor *variable, double *values, int64_t i) {
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

static void check_gradient(ty_model *m, ty_tensor *x, ty_tensor *variable, ty_tensor *gradient,
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
    ty_model_options options = {.lazy = lazy, .dtype = TY_F64};
    ty_model *m = nn_own_model(ty_model_sequence(layers[k].n, layers[k].steps, options));
    const char *kind = layers[k].steps[layers[k].n - 1].kind->name;
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
    for (int k = 0; k < 2 * LAYERS_TESTED; k++) {
        struct test_round round = test_round();
        check_layer(k / 2, k % 2);
        test_round_end(round);
    }
}

/* ---- models ---------------------------------------------------------------------------------- */

static void names_and_summary(void) {
    ty_model *m = nn_own_model(
        ty_network_model(&ty_network_lenet, (ty_network_options){0}, (ty_model_options){.lazy = true}));
    CHECK(ty_model_parameters(m) == 0, "parameters before the first call");
    nn_build(m, TY_SHAPE(1, 28, 28, 1));
    static const char *const names[] = {"conv1.weight", "conv1.bias",     "full1.weight",
                                        "full1.bias",   "linear1.weight", "linear1.bias"};
    CHECK(ty_model_parameters(m) == 6, "%d parameters", ty_model_parameters(m));
    for (int i = 0; i < 6; i++)
        CHECK(!strcmp(ty_name(ty_model_parameter(m, i)), names[i]), "%s", ty_name(ty_model_parameter(m, i)));
    char *text = test_text(ty_model_summary(m));
    static const char *const lines[] = {
        "conv1     conv2d 5x5 channels 32 same relu  [batch,28,28,32]         832      1.25 M   100 k\n",
        "maxpool1  max_pool2d 2x2                    [batch,14,14,32]                          25.1 k\n",
        "full1     fully_connected units 1024 relu   [batch,1024]         6423552      12.8 M   4.1 k\n",
        "total                                                            6434634      14.1 M\n"};
    for (int i = 0; i < 4; i++)
        CHECK(text && strstr(text, lines[i]), "no line \"%s\" in\n%s", lines[i], text);
    CHECK_POISON(ty_model_parameter(m, 6), "parameter 6 is out of bounds for 6 parameters");
}

static void inference_drops_nothing(void) {
    const ty_layer_value step = TY_LAYER(dropout, .p = 0.25);
    ty_model *m = nn_own_model(ty_model_sequence(1, &step, (ty_model_options){0}));
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
        {"lecun_normal", {ty_init_lecun_normal, 0, 0}, 0, 1.0 / IN, 1},
        {"standard", {ty_init_standard, 0, 0}, 0, 1.0 / (3 * IN), sqrt(1.0 / IN)},
        {"tanh", {ty_init_tanh, 0, 0}, 0, 2.0 / (IN + OUT), sqrt(6.0 / (IN + OUT))},
        {"kaiming_uniform", {ty_init_kaiming_uniform, 1, 0}, 0, 1.0 / IN, sqrt(3.0 / IN)},
        {"kaiming_normal", {ty_init_kaiming_normal, 1, 0}, 0, 1.0 / IN, 1},
        {"truncated_normal", {ty_init_truncated_normal, 1, 0.5}, 1, 0.25 * 0.773741, 2},
        {"orthogonal", {ty_init_orthogonal, 3, 0}, 0, 9.0 / IN, 3}};
    int known = 0;
#define INIT(name, value, doc) known++;
#include <tyto/tables/initialisers.def>
    CHECK(known == (int)(sizeof rows / sizeof rows[0]), "an initialiser has no row in this test");
    for (int i = 0; i < known; i++) {
        ty_tensor *x = rows[i].init.draw(&place, rows[i].init.a, rows[i].init.b);
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
static ty_tensor *draw_noted(const ty_place *place, double a, double b) {
    (void)a, (void)b;
    fans[0] = place->fan_in, fans[1] = place->fan_out;
    return ty_zeros(place->dtype, place->rank, place->shape);
}

/* Fans equal torch.nn.init._calculate_fan_in_and_fan_out of weights (out, in / groups, 3, 3) and,
   transposed, (in, out / groups, 3, 3). */
static void fans_are_pytorchs(void) {
    static const struct {
        ty_tensor *(*layer)(ty_layer *, const char *, ty_tensor *, ty_conv_layer);
        int64_t groups;
        double in, out;
    } rows[] = {{ty_layer_conv2d, 1, 36, 72},
                {ty_layer_conv2d, 4, 9, 72},
                {ty_layer_conv_transpose2d, 1, 72, 36},
                {ty_layer_conv_transpose2d, 4, 18, 36}};
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 8, 8, 4));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_model *m = nn_own_model(ty_model_new(NULL, NULL, (ty_model_options){0}));
        ty_conv_layer o = {.size = {3, 3},
                           .channels = 8,
                           .groups = rows[i].groups,
                           .no_bias = true,
                           .weight = {draw_noted, 0, 0}};
        CHECK_OK(rows[i].layer(ty_model_root(m), NULL, x, o));
        CHECK(test_starving() || (fans[0] == rows[i].in && fans[1] == rows[i].out), "row %d: fans %g and %g",
              (int)i, fans[0], fans[1]);
    }
}

static void mean_squared_error(void) {
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 2, 3, 4});
    ty_tensor *b = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, 4, 0, 4});
    CHECK(ty_item(ty_mse(a, b)) == (4 + 9) / 4.0, "mse");
}

TESTS_MAIN(TEST(layer_gradients), TEST(names_and_summary), TEST(inference_drops_nothing), TEST(initialisers),
           TEST(fans_are_pytorchs), TEST(mean_squared_error))
