/* DenseNet-121 (Huang et al. 2017). */
#include <stdio.h>
#include "zoo/parts.h"

enum { GROWTH = 32, FIRST = 64 };

static ty_tensor *norm_relu(ty_layer *at, const char *name, ty_tensor *x) {
    return ty_relu(ty_layer_batch_norm(at, name, x, (ty_batch_norm_layer){0}));
}

/* Return x [N, H, W, C] through a convolution of size x size with `channels` channels, without bias; its
   parameters are called `name`. H and W stay. */
static ty_tensor *conv(ty_layer *at, const char *name, ty_tensor *x, int64_t channels, int64_t size) {
    ty_conv_layer o = zoo_window(size, channels, 1);
    o.no_bias = true;
    o.weight.draw = ty_init_he_normal;
    return ty_layer_conv2d(at, name, x, o);
}

/* Return x [N, H, W, C] through a dense block of `layers` layers, [N, H, W, C + layers * GROWTH]. Each
   layer reads the results of all layers before it, and all results are concatenated. Poison is passed
   on. */
static ty_tensor *block(ty_layer *at, ty_tensor *x, int layers) {
    for (int i = 0; i < layers && ty_ok(x); i++) {
        char name[24];
        snprintf(name, sizeof name, "denselayer%d", i + 1);
        ty_layer *layer = ty_layer_in(at, name);
        ty_tensor *y = conv(layer, "conv1", norm_relu(layer, "norm1", x), 4 * GROWTH, 1);
        y = conv(layer, "conv2", norm_relu(layer, "norm2", y), GROWTH, 3);
        x = ty_concat(2, (ty_tensor *[]){x, y}, -1);
    }
    return x;
}

/* Set y[0] [N, classes] to the class scores of images x[0] [N, H, W, 3]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    static const int blocks[] = {6, 12, 24, 16};
    const ty_network_options *o = options;
    ty_layer *at = ty_layer_in(self, "features");
    (void)n;
    ty_tensor *h = zoo_conv_norm(at, "conv0", "norm0", x[0], zoo_window(7, FIRST, 2), ty_relu);
    h = ty_max_pool2d(h, (ty_pool){.size = {3, 3}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}});
    for (int i = 0; i < 4 && ty_ok(h); i++) {
        char name[24];
        snprintf(name, sizeof name, "denseblock%d", i + 1);
        h = block(ty_layer_in(at, name), h, blocks[i]);
        if (i == 3 || !ty_ok(h)) break;
        snprintf(name, sizeof name, "transition%d", i + 1);
        ty_layer *transition = ty_layer_in(at, name);
        h = conv(transition, "conv", norm_relu(transition, "norm", h), ty_shape(h)[3] / 2, 1);
        h = ty_avg_pool2d(h, (ty_pool){.size = {2, 2}});
    }
    h = ty_layer_global_avg_pool(self, "avgpool", norm_relu(at, "norm5", h), (ty_global_avg_pool_layer){0});
    y[0] = ty_layer_linear(self, "classifier", h, (ty_linear_layer){.units = o->classes});
}

const ty_network ty_network_densenet121 = {.name = "densenet121",
                                           .doc = "Huang et al. 2017",
                                           .forward = forward,
                                           .classes = 1000,
                                           .dtype = TY_F32,
                                           .rank = 3,
                                           .shape = {224, 224, 3},
                                           .images = true};
