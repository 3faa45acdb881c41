/* Small networks and data for the tests of src/nn. */
#include "tests/support/nn_help.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void free_model(void *model) { ty_model_free(model); }
static void free_trainer(void *trainer) { ty_trainer_free(trainer); }
ty_model *nn_own_model(ty_model *model) { return test_own(model, free_model); }
ty_trainer *nn_own_trainer(ty_trainer *trainer) { return test_own(trainer, free_trainer); }

ty_model *nn_small_model(bool lazy) {
    const ty_layer_value steps[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {3, 3}, .channels = 4, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.1),
        TY_LAYER(fully_connected, .units = 16, .activation = ty_relu),
        TY_LAYER(linear, .units = 4)};
    ty_model_options options = {.seed = 3, .lazy = lazy};
    return nn_own_model(ty_model_sequence(sizeof steps / sizeof *steps, steps, options));
}

void nn_build(ty_model *model, int rank, const int64_t *shape) {
    ty_tensor *x = ty_zeros(TY_F32, rank, shape), *error = NULL;
    CHECK(ty_model_build(model, 1, &x, &error), "%s", error ? ty_error(error) : "no sentence");
}

ty_model *nn_built_model(bool lazy) {
    ty_model *m = nn_small_model(lazy);
    nn_build(m, TY_SHAPE(1, 8, 8, 1));
    return m;
}

/* Return noise in low..high that depends on i only, not on the test's random state. */
static int noise(uint64_t i, int low, int high) {
    i = (i + 1) * 0x9E3779B97F4A7C15;
    i = (i ^ i >> 32) * 0xD6E8FEB86659FD93;
    return low + (int)((i >> 33) % (uint64_t)(high - low + 1));
}

void nn_small_data(int64_t n, ty_tensor **images, ty_tensor **labels) {
    unsigned char *pixels = test_room((size_t)n * 64), *classes = test_room((size_t)n);
    for (int64_t i = 0; i < n * 64; i++) {
        int64_t image = i / 64, row = i / 8 % 8, column = i % 8;
        classes[image] = (unsigned char)(image % 4);
        bool lit = (row >= 4) == (image % 4 >= 2) && (column >= 4) == (image % 2);
        pixels[i] = (unsigned char)noise((uint64_t)i, lit ? 90 : 0, lit ? 255 : 120);
    }
    *images = ty_from(TY_U8, TY_SHAPE(n, 8, 8, 1), pixels);
    *labels = ty_from(TY_U8, TY_SHAPE(n), classes);
}

ty_trainer *nn_small_trainer(bool lazy, ty_optimiser optimiser) {
    ty_tensor *images, *labels;
    nn_small_data(60, &images, &labels);
    ty_trainer_options options = {
        .inputs = images, .targets = labels, .batch = 12, .seed = 5, .optimiser = optimiser};
    return nn_own_trainer(ty_trainer_new(nn_small_model(lazy), options));
}

void nn_steps(ty_trainer *trainer, int n, double *losses) {
    for (int i = 0; i < n; i++) {
        losses[i] = ty_trainer_step(trainer);
        CHECK(isfinite(losses[i]), "step %d: loss %g, %s", i + 1, losses[i], ty_trainer_error(trainer));
    }
}

static void remove_file(void *path) {
    unlink(path);
    free(path);
}

const char *nn_file(const char *name) {
    char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tyto-test-%d-%s", folder ? folder : "/tmp", (int)getpid(), name);
    unlink(path);
    char *own = malloc(strlen(path) + 1);
    CHECK(own, "no memory of the test's own");
    return test_own(strcpy(own, path), remove_file);
}
