/* The program of docs/networks.md: a classifier of points, as a function and as a sequence of layers. */
#include <stdio.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

static ty_tensor *residual(ty_layer *parent, const char *name, ty_tensor *x, int64_t units) {
    ty_layer *self = ty_layer_in(parent, name);
    ty_linear_layer wide = {.units = units, .activation = ty_relu};
    ty_tensor *h = ty_layer_linear(self, "first", x, wide);
    return ty_add(x, ty_layer_linear(self, "second", h, (ty_linear_layer){.units = units}));
}

static ty_tensor *centred(ty_layer *parent, const char *name, ty_tensor *x) {
    ty_layer *self = ty_layer_in(parent, name);
    ty_parameter form = {.rank = 1, .shape = ty_shape(x) + 1};
    ty_tensor *mean = ty_layer_state(self, "mean", form);
    form.init.draw = ty_init_ones;
    ty_tensor *gain = ty_layer_parameter(self, "gain", form);
    if (ty_layer_trains(self))
        ty_layer_set_state(self, "mean", ty_lerp(mean, ty_mean(x, ty_axis(0)), ty_num(0.1)));
    return ty_mul(ty_sub(x, mean), gain);
}

static void net(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_linear_layer wide = {.units = 64, .activation = ty_relu};
    ty_tensor *h = ty_layer_linear(self, "hidden", x[0], wide);
    h = ty_layer_dropout(self, NULL, h, (ty_dropout_layer){.p = 0.1});
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 3});
}

static void deeper(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_tensor *h = ty_layer_linear(self, "in", centred(self, "centre", x[0]), (ty_linear_layer){.units = 16});
    for (int i = 0; i < 2; i++) h = residual(self, i ? "block2" : "block1", h, 16);
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 3});
}

/* Draw points around three centres, labelled by the centre. */
static void make_points(int64_t n, ty_tensor **rows, ty_tensor **labels) {
    *labels = ty_mod(ty_iota(TY_I32, 1, &n, 0), ty_int(3));
    ty_tensor *middles = ty_mul(ty_one_hot(*labels, 4, TY_F32), ty_num(3));
    *rows = ty_add(middles, ty_normal(TY_F32, TY_SHAPE(n, 4), ty_key(1)));
}

static void train(ty_model *model, ty_tensor *rows, ty_tensor *labels) {
    ty_trainer_options options = {.inputs = rows, .targets = labels, .batch = 16, .seed = 1};
    options.clip_global_norm = 1;
    options.optimiser.rule = &ty_adamw;
    ty_trainer *trainer = ty_trainer_new(model, options);
    ty_tensor *error = NULL, *held_out[] = {rows, labels};
    ty_fit_options fit = {.epochs = 40, .validation = held_out, .nvalidation = 2, .patience = 5};
    if (!ty_trainer_fit(trainer, fit, &error)) printf("%s\n", ty_error(error));
    double right = ty_trainer_accuracy(trainer, rows, labels, &error);
    printf("%.0f %% after %lld steps\n", 100 * right, (long long)ty_trainer_steps(trainer));
    ty_trainer_free(trainer);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *rows, *labels, *error = NULL;
    make_points(300, &rows, &labels);
    ty_model_options options = {.seed = 1, .lazy = true};

    ty_model *model = ty_model_new(net, NULL, options);
    train(model, rows, labels);
    char *summary = ty_model_summary(model);
    if (summary) printf("%s", summary);
    ty_free(summary);

    ty_model *own = ty_model_new(deeper, NULL, options);
    train(own, rows, labels);

    const ty_layer_value layers[] = {TY_LAYER(linear, .units = 64, .activation = ty_relu),
                                     TY_LAYER(dropout, .p = 0.1), TY_LAYER(linear, .units = 3)};
    ty_model *sequence = ty_model_sequence(3, layers, options);
    train(sequence, rows, labels);

    ty_weights_options pytorch = {.layout = TY_LAYOUT_PYTORCH};
    if (!ty_model_load(model, "weights.safetensors", pytorch, &error)) printf("%s\n", ty_error(error));

    ty_model *found = ty_network_open("flowers.safetensors", (ty_model_options){.lazy = true});
    if (*ty_model_error(found)) printf("%s\n", ty_model_error(found));
    ty_model_free(found);
    ty_model_free(sequence);
    ty_model_free(own);
    ty_model_free(model);
    ty_close(scope);
    return 0;
}
