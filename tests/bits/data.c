/* Entries of data: batches of a loader with augmented images, and numbers as text. */
#include <tyto/data.h>

#include "tests/bits/bits.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { IMAGES = 24, EPOCHS = 2, SIDE = 20 };

static const ty_image_step grey[] = {
    {.apply = ty_step_random_crop, .size = {28, 28}, .pad = 2},
    {.apply = ty_step_flip},
    {.apply = ty_step_affine, .degrees = 10, .shift = {0.1, 0.1}, .scale = {0.9, 1.1}},
    {.apply = ty_step_normalise, .mean = {0.13}, .deviation = {0.31}},
};
static const ty_image_step coloured[] = {
    {.apply = ty_step_resized_crop, .size = {SIDE, SIDE}},
    {.apply = ty_step_flip_rows},
    {.apply = ty_step_jitter, .brightness = 0.3, .contrast = 0.3, .saturation = 0.3, .hue = 0.1},
    {.apply = ty_step_resize, .size = {13, 0}},
    {.apply = ty_step_channels_first},
};

/* Make the entry of all batches of some epochs of a data set, which is freed. */
static void loader_entry(const char *name, ty_dataset *set, int nsteps, const ty_image_step *steps) {
    ty_loader_options o = {.batch = 7, .seed = 5, .nsteps = nsteps, .steps = steps};
    ty_loader *loader = ty_loader_new(set, o);
    uint64_t hash = bits_start();
    if (*ty_loader_error(loader)) bits_fail(ty_loader_error(loader));
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        ty_tensor *batch[2];
        while (ty_loader_next(loader, 2, batch)) hash = bits_add(bits_add(hash, batch[0]), batch[1]);
    }
    ty_loader_free(loader);
    ty_dataset_free(set);
    bits_entry(name, "f32", hash);
}

/* Make the entry of the text of random numbers of many magnitudes. */
static void text_entry(ty_dtype dtype) {
    ty_tensor *bits = sample_shape(dtype == TY_F32 ? TY_I32 : TY_I64, TY_SHAPE(200), -0x7fffffff, 0x7fffffff);
    ty_tensor *x = ty_mul(sample_shape(dtype, TY_SHAPE(200), -1, 1), ty_cast(bits, dtype));
    char *text = ty_format(ty_mul(x, x), (ty_print_options){.mode = TY_UNIQUE});
    uint64_t hash = bits_start();
    if (!text) bits_fail("no text");
    for (const char *c = text; c && *c; c++) hash = bits_word(hash, (uint8_t)*c);
    ty_free(text);
    bits_entry("text of numbers", ty_dtype_name(dtype), hash);
}

void bits_data(void) {
    struct test_round round = test_round();
    bits_begin();
    loader_entry("batches of digits", ty_dataset_digits(1, 0, IMAGES), sizeof grey / sizeof *grey, grey);
    bits_begin();
    ty_tensor *fields[2] = {sample_shape(TY_U8, TY_SHAPE(IMAGES, 25, 31, 3), 0, 255),
                            sample_shape(TY_I64, TY_SHAPE(IMAGES), 0, 9)};
    ty_dataset *images = ty_dataset_arrays(2, fields, (const char *const[]){"image", "label"});
    loader_entry("batches of images", images, sizeof coloured / sizeof *coloured, coloured);
    for (int dtype = TY_F32; dtype <= TY_F64; dtype++) {
        bits_begin();
        text_entry((ty_dtype)dtype);
    }
    test_round_end(round);
}
