/*
 * Convolutional generative adversarial networks (Radford et al. 2016) for images of 64x64: a generator of
 * images from noise, and a discriminator. They are two models with a trainer each, trained alternately.
 */
#include <stdio.h>
#include "zoo/parts.h"

enum { NOISE = 100, CHANNELS = 64 };

static const ty_init drawn = {ty_init_normal, 0, 0.02};

static ty_tensor *norm(ty_layer *at, int i, ty_tensor *x) {
    char name[16];
    snprintf(name, sizeof name, "norm%d", i);
    return ty_layer_batch_norm(at, name, x, (ty_batch_norm_layer){0});
}

/* Set y[0] to images [N, 64, 64, 3] in -1..1 generated from noise x[0] [N, 100], from 1x1 to 4x4, 8x8, ...
   64x64; poison for another shape. */
static void generate(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    (void)n;
    ty_tensor *h = x[0];
    if (ty_rank(h) != 2 || ty_shape(h)[1] != NOISE) {
        y[0] = ty_poison_code(TY_ERROR_ARGUMENT, "dcgan: expected noise (batch, %d)", NOISE);
        return;
    }
    h = ty_reshape(h, 4, (const int64_t[]){ty_shape(h)[0], 1, 1, NOISE});
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "conv%d", i);
        ty_conv_layer o = {
            .size = {4, 4}, .channels = i < 4 ? CHANNELS * 8 >> i : 3, .no_bias = true, .weight = drawn};
        if (i) o.stride[0] = o.stride[1] = 2, o.low[0] = o.low[1] = o.high[0] = o.high[1] = 1;
        h = ty_layer_conv_transpose2d(self, name, h, o);
        h = i < 4 ? ty_relu(norm(self, i, h)) : ty_tanh(h);
    }
    y[0] = h;
}

/* Set y[0] [N] to the scores (logits) of images x[0] [N, 64, 64, 3]: the discriminator; poison on failure. */
static void tell(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    (void)n;
    ty_tensor *h = x[0];
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "conv%d", i);
        ty_conv_layer o = {
            .size = {4, 4}, .channels = i < 4 ? CHANNELS << i : 1, .no_bias = true, .weight = drawn};
        if (i < 4) o.stride[0] = o.stride[1] = 2, o.low[0] = o.low[1] = o.high[0] = o.high[1] = 1;
        h = ty_layer_conv2d(self, name, h, o);
        if (i && i < 4) h = norm(self, i, h);
        if (i < 4) h = ty_leaky_relu(h, 0.2);
    }
    y[0] = ty_ok(h) ? ty_reshape(h, 1, (const int64_t[]){ty_shape(h)[0]}) : h;
}

const ty_network ty_network_dcgan_generator = {.name = "dcgan_generator",
                                               .doc = "Radford et al. 2016: makes images from noise",
                                               .forward = generate,
                                               .dtype = TY_F32,
                                               .rank = 1,
                                               .shape = {NOISE}};
const ty_network ty_network_dcgan_discriminator = {
    .name = "dcgan_discriminator",
    .doc = "Radford et al. 2016: distinguishes real from generated images",
    .forward = tell,
    .dtype = TY_F32,
    .rank = 3,
    .shape = {64, 64, 3}};
