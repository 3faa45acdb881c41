/*
 * Networks that learn on small machines: writes steps of training as C.  examples/on_device/ has the programs that call
 * them, which need neither the library nor memory beside their state.
 *
 * example_on_device FOLDER writes xor_net.c and digits_net.c, their headers, and digits_data.h.  Then it trains both
 * networks itself and prints the losses: the programs print the same lines.
 */
#include <stdint.h>
#include <string.h>
#include <tyto/data.h>
#include <tyto/export_c.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

enum { UPDATES = 32, BATCH = 16, SIDE = 8, TRAIN = 320, TEST = 160 };

/* A network and its step: the loss of a batch, and the next values of all variables. */
struct learning {
    ty_model *model;
    ty_tensor *inputs[2], *one; /* examples and labels; a single example */
    ty_tensor *loss, *prediction;
    ty_update updates[UPDATES];
    int n;
};

/* ---- recording a step ---- */

static void add_update(struct learning *l, ty_tensor *variable, ty_tensor *value) {
    l->updates[l->n++] = (ty_update){variable, value};
}
/* Record the updates of all parameters, of the optimiser's states and of its count of steps. */
static bool record_updates(struct learning *l, const ty_optimiser *o) {
    ty_tensor *count = ty_var(ty_scalar(TY_F64, 1), "step"), *parameters[UPDATES], *gradients[UPDATES];
    int n = ty_model_parameters(l->model);
    for (int i = 0; i < n; i++) parameters[i] = ty_model_parameter(l->model, i);
    if (!ty_grad(l->loss, n, parameters, gradients)) return false;
    for (int i = 0; i < n; i++) {
        ty_tensor *states[TY_RULE_STATES] = {NULL}, *before[TY_RULE_STATES];
        for (int k = 0; k < o->rule->nstates; k++)
            before[k] = states[k] = ty_var(ty_optimiser_state(o, k, parameters[i]), o->rule->states[k]);
        add_update(l, parameters[i], ty_optimise(o, parameters[i], gradients[i], states, count, NULL));
        for (int k = 0; k < o->rule->nstates; k++) add_update(l, before[k], states[k]);
    }
    add_update(l, count, ty_add(count, ty_num(1)));
    return true;
}

/* Write the step and the prediction of one example as C, and print their sizes. */
static bool write_c(const struct learning *l, const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    const ty_export_function functions[] = {
        {.name = "step",
         .ninputs = 2,
         .inputs = l->inputs,
         .noutputs = 1,
         .outputs = &l->loss,
         .output_names = (const char *const[]){"loss"},
         .nupdates = l->n,
         .updates = l->updates},
        {.name = "predict", .ninputs = 1, .inputs = &l->one, .noutputs = 1, .outputs = &l->prediction}};
    ty_export_report r;
    ty_tensor *error;
    bool done = ty_export_c(path, 2, functions, (ty_export_options){0}, &r, &error);
    if (!done) fprintf(stderr, "%s\n", ty_error(error));
    if (done)
        fprintf(stderr, "%s: variables %lld bytes, arena %lld bytes, %lld lines\n", path,
                (long long)r.state_bytes, (long long)r.arena_bytes, (long long)r.lines);
    return done;
}

/* Print the bits of a loss, as the programs on the device do. */
static void print_loss(int step, ty_tensor *loss) {
    float value = (float)ty_item(loss);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("step %d loss %08lx\n", step, (unsigned long)bits);
}

/* ---- XOR ---- */

static bool xor_network(const char *folder) {
    const ty_layer_value layers[] = {TY_LAYER(linear, .units = 8, .activation = ty_tanh),
                                     TY_LAYER(linear, .units = 1)};
    struct learning l = {.model = ty_model_sequence(2, layers, (ty_model_options){.seed = 1, .lazy = true})};
    const float x[] = {0, 0, 0, 1, 1, 0, 1, 1}, y[] = {0, 1, 1, 0};
    l.inputs[0] = ty_var(ty_from(TY_F32, TY_SHAPE(4, 2), x), "x");
    l.inputs[1] = ty_var(ty_from(TY_F32, TY_SHAPE(4, 1), y), "y");
    l.one = ty_var(ty_zeros(TY_F32, TY_SHAPE(1, 2)), "x");
    l.loss =
        ty_loss_bce_logits(ty_model_forward(l.model, l.inputs[0], NULL), l.inputs[1], (ty_loss_options){0});
    l.prediction = ty_sigmoid(ty_model_forward(l.model, l.one, NULL));
    const ty_optimiser o = {.rule = &ty_momentum, .rate = 0.5, .momentum = 0.9};
    if (!record_updates(&l, &o) || !write_c(&l, folder, "xor_net")) return false;

    ty_program *step = ty_compile(1, &l.loss, (ty_compile_options){.updates = l.updates, .nupdates = l.n});
    for (int i = 1; i <= 200; i++) {
        ty_run(step);
        if (i % 50 == 0) print_loss(i, ty_output(step, 0));
    }
    bool learned = !*ty_program_error(step) && ty_item(ty_output(step, 0)) < 0.05;
    ty_program_free(step);
    ty_model_free(l.model);
    return learned;
}

/* ---- digits ---- */

/* Return images of 28 x 28 as u8[n, 8 * 8]: means of 3 x 3 pixels, without the border. */
static ty_tensor *small_images(ty_tensor *images) {
    ty_tensor *x = ty_slice(ty_slice(ty_cast(images, TY_F32), 1, 2, 26, 1), 2, 2, 26, 1);
    x = ty_avg_pool2d(x, (ty_pool){.size = {3, 3}});
    return ty_eval(ty_reshape(ty_cast(x, TY_U8), TY_SHAPE(-1, SIDE * SIDE)));
}
static void write_bytes(FILE *out, const char *name, ty_tensor *x) {
    const uint8_t *data = ty_data(x);
    fprintf(out, "static const uint8_t %s[] = {", name);
    for (int64_t i = 0; i < ty_size(x); i++) fprintf(out, "%s%d,", i % 32 ? "" : "\n", data[i]);
    fprintf(out, "\n};\n");
}
/* Write images and labels as C. */
static bool write_data(const char *folder, ty_tensor *const train[2], ty_tensor *const test[2]) {
    char path[1024];
    snprintf(path, sizeof path, "%s/digits_data.h", folder);
    FILE *out = fopen(path, "w");
    if (!out) return fprintf(stderr, "%s: not written\n", path), false;
    fprintf(out, "/* Images of 8 x 8 pixels, and their digits. */\n#include <stdint.h>\n");
    fprintf(out, "enum { BATCH = %d, TRAIN = %d, TEST = %d };\n", BATCH, TRAIN, TEST);
    write_bytes(out, "train_images", train[0]);
    write_bytes(out, "train_labels", train[1]);
    write_bytes(out, "test_images", test[0]);
    write_bytes(out, "test_labels", test[1]);
    return fclose(out) == 0;
}
static void draw(int64_t first, int64_t n, ty_tensor *out[2]) {
    ty_dataset *digits = ty_dataset_digits(1, first, n);
    ty_dataset_get_all(digits, 2, out);
    out[0] = small_images(out[0]);
    out[1] = ty_eval(ty_contiguous(out[1]));
    ty_dataset_free(digits);
}

static bool digits_network(const char *folder) {
    const ty_layer_value layers[] = {TY_LAYER(scale, .factor = 1.0 / 256),
                                     TY_LAYER(fully_connected, .units = 24, .activation = ty_relu),
                                     TY_LAYER(linear, .units = 10)};
    struct learning l = {.model = ty_model_sequence(3, layers, (ty_model_options){.seed = 1, .lazy = true})};
    ty_tensor *train[2], *test[2];
    draw(0, TRAIN, train);
    draw(1 << 20, TEST, test);
    l.inputs[0] = ty_var(ty_zeros(TY_U8, TY_SHAPE(BATCH, SIDE * SIDE)), "images");
    l.inputs[1] = ty_var(ty_zeros(TY_U8, TY_SHAPE(BATCH)), "labels");
    l.one = ty_var(ty_zeros(TY_U8, TY_SHAPE(1, SIDE * SIDE)), "image");
    l.loss = ty_loss_cross_entropy(ty_model_forward(l.model, l.inputs[0], NULL), l.inputs[1],
                                   (ty_loss_options){0});
    l.prediction = ty_softmax(ty_model_forward(l.model, l.one, NULL), -1);
    const ty_optimiser o = {.rule = &ty_adam, .rate = 1e-2};
    if (!record_updates(&l, &o) || !write_c(&l, folder, "digits_net") || !write_data(folder, train, test))
        return false;

    ty_program *step = ty_compile(1, &l.loss, (ty_compile_options){.updates = l.updates, .nupdates = l.n});
    for (int i = 1; i <= 400; i++) {
        int64_t at = (i - 1) * BATCH % TRAIN;
        ty_tensor *batch[2] = {ty_slice(train[0], 0, at, at + BATCH, 1),
                               ty_slice(train[1], 0, at, at + BATCH, 1)};
        ty_assign_all(2, l.inputs, batch, NULL);
        ty_run(step);
        if (i % 100 == 0) print_loss(i, ty_output(step, 0));
    }
    bool learned = !*ty_program_error(step) && ty_item(ty_output(step, 0)) < 1;
    ty_program_free(step);
    ty_model_free(l.model);
    return learned;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : ".";
    ty_scope *scope = ty_open();
    bool done = xor_network(folder) && digits_network(folder);
    ty_close(scope);
    return !done;
}
