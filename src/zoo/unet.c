/* U-Net (Ronneberger et al. 2015) with padded convolutions and batch norms: classifies each pixel. */
#include <stdio.h>
#include "zoo/parts.h"

enum { DEPTH = 4, FIRST = 64 };

static ty_tensor *twice(ty_layer *at, ty_tensor *x, int64_t channels) {
    ty_conv_layer window = zoo_window(3, channels, 1);
    x = zoo_conv_norm(at, "conv1", "norm1", x, window, ty_relu);
    return zoo_conv_norm(at, "conv2", "norm2", x, window, ty_relu);
}

static ty_layer *level(ty_layer *at, const char *side, int i) {
    char name[16];
    snprintf(name, sizeof name, "%s%d", side, i);
    return ty_layer_in(at, name);
}

/* Set y[0] [N, H, W, classes] to the scores of all pixels of x[0] [N, H, W, C]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    ty_tensor *skips[DEPTH], *h = x[0];
    (void)n;
    for (int i = 0; i < DEPTH; i++) {
        skips[i] = twice(level(self, "down", i), h, (int64_t)FIRST << i);
        h = ty_max_pool2d(skips[i], (ty_pool){.size = {2, 2}});
    }
    h = twice(ty_layer_in(self, "middle"), h, (int64_t)FIRST << DEPTH);
    for (int i = DEPTH - 1; i >= 0; i--) {
        ty_layer *at = level(self, "up", i);
        int64_t channels = (int64_t)FIRST << i;
        ty_tensor *up = ty_layer_conv_transpose2d(
            at, "transpose", h, (ty_conv_layer){.size = {2, 2}, .stride = {2, 2}, .channels = channels});
        h = twice(at, ty_concat(2, (ty_tensor *[]){skips[i], up}, -1), channels);
    }
    y[0] = ty_layer_conv2d(self, "out", h, (ty_conv_layer){.size = {1, 1}, .channels = o->classes});
}

const ty_network ty_network_unet = {.name = "unet",
                                    .doc = "Ronneberger et al. 2015: a class for each pixel",
                                    .forward = forward,
                                    .classes = 2,
                                    .dtype = TY_F32,
                                    .rank = 3,
                                    .shape = {256, 256, 3},
                                    .any_size = true,
                                    .images = true};
