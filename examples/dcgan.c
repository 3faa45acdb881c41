/*
 * Two networks that learn from each other (Goodfellow et al. 2014; Radford et al. 2016): one generates digits from
 * noise, the other distinguishes them from those of the data.  Each has its own trainer, whose step is one program: it
 * reads the parameters of both and changes those of one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/data.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

enum { BATCH = 32, NOISE = 16 };

static const ty_init drawn = {ty_init_normal, 0, 0.05};

/* Generator: noise to 7x7, 14x14, 28x28 pixels. */
static ty_model *generator(ty_model_options options) {
    const ty_layer_value layers[] = {
        TY_LAYER(linear, .units = 7 * 7 * 32, .no_bias = true),
        TY_LAYER(reshape, .shape = {7, 7, 32}, .rank = 3),
        TY_LAYER(batch_norm, 0),
        TY_LAYER(activation, .function = ty_relu),
        TY_LAYER(conv_transpose2d, .size = {4, 4}, .channels = 16, .stride = {2, 2}, .low = {1, 1},
                 .high = {1, 1}, .no_bias = true, .weight = drawn),
        TY_LAYER(batch_norm, 0),
        TY_LAYER(activation, .function = ty_relu),
        TY_LAYER(conv_transpose2d, .size = {4, 4}, .channels = 1, .stride = {2, 2}, .low = {1, 1},
                 .high = {1, 1}, .weight = drawn, .activation = ty_tanh)};
    return ty_model_sequence(sizeof layers / sizeof *layers, layers, options);
}

static ty_tensor *leaky(ty_tensor *x) { return ty_leaky_relu(x, 0.2); }

/* Discriminator: one logit for each image, positive if it seems real. */
static ty_model *discriminator(ty_model_options options) {
    const ty_layer_value layers[] = {
        TY_LAYER(conv2d, .size = {4, 4}, .channels = 16, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1},
                 .weight = drawn, .activation = leaky),
        TY_LAYER(conv2d, .size = {4, 4}, .channels = 32, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1},
                 .no_bias = true, .weight = drawn),
        TY_LAYER(batch_norm, 0), TY_LAYER(activation, .function = leaky),
        TY_LAYER(fully_connected, .units = 1)};
    return ty_model_sequence(sizeof layers / sizeof *layers, layers, options);
}

/* Return the mean cross entropy of the discriminator's logits, all of which should be `target`. */
static ty_tensor *wrong(ty_tensor *logits, double target) {
    return ty_loss_bce_logits(logits, ty_num(target), (ty_loss_options){0});
}

static ty_tensor *draw(ty_model *artist, ty_tensor *key) {
    ty_tensor *noise = ty_normal(TY_F32, TY_SHAPE(BATCH, NOISE), ty_fold(key, 1));
    return ty_model_forward(artist, noise, ty_fold(key, 2));
}

/* Discriminator loss: real images should give 1, generated ones 0. */
static ty_tensor *judged(ty_model *judge, ty_tensor *key, int n, ty_tensor *const *batch, void *artist) {
    (void)n;
    ty_tensor *real = ty_sub(ty_mul(ty_cast(batch[0], TY_F32), ty_num(2.0 / 255)), ty_num(1));
    ty_tensor *made = ty_detach(draw(artist, key));
    return ty_add(wrong(ty_model_forward(judge, real, key), 0.9),
                  wrong(ty_model_forward(judge, made, key), 0));
}

/* Generator loss: its images should give 1.  It needs no data, so its batches have no parts. */
static ty_tensor *admired(ty_model *artist, ty_tensor *key, int n, ty_tensor *const *batch, void *judge) {
    (void)n, (void)batch;
    return wrong(ty_model_forward(judge, draw(artist, key), key), 1);
}

/* Print a generated image, every second row of pixels as a line. */
static void show(ty_model *artist) {
    enum { SHOWN = 3 };
    static float pixels[SHOWN][28][28];
    ty_tensor *noise = ty_normal(TY_F32, TY_SHAPE(SHOWN, NOISE), ty_key(4)), *images;
    if (!ty_model_predict(artist, 1, &noise, &images) || !ty_read(images, TY_F32, pixels))
        printf("%s\n", ty_error(images));
    for (int i = 0; i < 28; i += 2, printf("\n"))
        for (int k = 0; k < SHOWN * 28; k++) putchar(" .:*#"[(int)(2.49f * (1 + pixels[k / 28][i][k % 28]))]);
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 60;
    ty_scope *scope = ty_open();
    ty_dataset *set = ty_dataset_digits(1, 0, 2000);
    ty_tensor *digits;
    ty_dataset_get_all(set, 1, &digits);
    ty_dataset_free(set);

    ty_model *artist = generator((ty_model_options){.seed = 1, .lazy = true});
    ty_model *judge = discriminator((ty_model_options){.seed = 2, .lazy = true});
    ty_optimiser adam = {.rule = &ty_adam, .rate = 1e-3, .momentum = 0.5};
    ty_trainer *judging = ty_trainer_new(
        judge,
        (ty_trainer_options){
            .inputs = digits, .batch = BATCH, .objective = judged, .context = artist, .optimiser = adam});
    ty_trainer *drawing = ty_trainer_new(
        artist, (ty_trainer_options){.objective = admired, .context = judge, .seed = 3, .optimiser = adam});
    for (int i = 1; i <= steps; i++) {
        double told = ty_trainer_step(judging), passed = ty_trainer_step(drawing);
        if (i % (steps / 6 + 1) == 0) printf("step %4d  judge %.3f  artist %.3f\n", i, told, passed);
    }
    const char *errors[] = {ty_trainer_error(judging), ty_trainer_error(drawing)};
    for (int i = 0; i < 2; i++)
        if (*errors[i]) printf("%s\n", errors[i]);
    bool well = !*errors[0] && !*errors[1];
    if (well) show(artist);
    ty_trainer_free(drawing);
    ty_trainer_free(judging);
    ty_model_free(judge);
    ty_model_free(artist);
    ty_close(scope);
    return !well;
}
