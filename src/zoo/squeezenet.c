/* SqueezeNet 1.1 (Iandola et al. 2016). */
#include <stdio.h>
#include "zoo/parts.h"

/* Return x [N, H, W, C] through a convolution of size x size with `channels` channels and ReLU; H and W
   stay. */
static ty_tensor *conv(ty_layer *at, const char *name, ty_tensor *x, int64_t channels, int64_t size) {
    ty_conv_layer o = zoo_window(size, channels, 1);
    o.activation = ty_relu;
    o.weight.draw = ty_init_he_uniform;
    return ty_layer_conv2d(at, name, x, o);
}

/* Return x [N, H, W, C] through the fire module called `place`: a layer of `squeeze` channels, then two of
   `expand` channels with windows 1x1 and 3x3, concatenated. */
static ty_tensor *fire(ty_layer *features, int place, ty_tensor *x, int64_t squeeze, int64_t expand) {
    ty_layer *at = zoo_numbered(features, place);
    x = conv(at, "squeeze", x, squeeze, 1);
    ty_tensor *sides[] = {conv(at, "expand1x1", x, expand, 1), conv(at, "expand3x3", x, expand, 3)};
    return ty_concat(2, sides, -1);
}

/* Set y[0] [N, classes] to the class scores of images x[0] [N, H, W, 3]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    const ty_pool pool = {.size = {3, 3}, .stride = {2, 2}, .ceil = true};
    ty_layer *at = ty_layer_in(self, "features"), *classifier = ty_layer_in(self, "classifier");
    (void)n;
    ty_tensor *h = ty_layer_conv2d(
        at, "0", x[0],
        (ty_conv_layer){.size = {3, 3}, .channels = 64, .stride = {2, 2}, .activation = ty_relu});
    h = fire(at, 3, ty_max_pool2d(h, pool), 16, 64);
    h = fire(at, 4, h, 16, 64);
    h = fire(at, 6, ty_max_pool2d(h, pool), 32, 128);
    h = fire(at, 7, h, 32, 128);
    h = fire(at, 9, ty_max_pool2d(h, pool), 48, 192);
    h = fire(at, 10, h, 48, 192);
    h = fire(at, 11, h, 64, 256);
    h = fire(at, 12, h, 64, 256);
    h = ty_layer_dropout(classifier, "0", h, (ty_dropout_layer){.p = 0.5});
    h = ty_layer_conv2d(classifier, "1", h,
                        (ty_conv_layer){.size = {1, 1},
                                        .channels = o->classes,
                                        .activation = ty_relu,
                                        .weight = {ty_init_normal, 0, 0.01}});
    y[0] = ty_layer_global_avg_pool(self, "avgpool", h, (ty_global_avg_pool_layer){0});
}

const ty_network ty_network_squeezenet = {.name = "squeezenet",
                                          .doc = "SqueezeNet 1.1, Iandola et al. 2016",
                                          .forward = forward,
                                          .classes = 1000,
                                          .dtype = TY_F32,
                                          .rank = 3,
                                          .shape = {224, 224, 3},
                                          .images = true};
