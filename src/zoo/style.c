/*
 * Fast style transfer (Johnson et al. 2016): two downsampling steps, five residual blocks, two upsampling
 * steps, with instance norms (Ulyanov et al. 2017). Images are floats from 0 to 255.
 */
#include <stdio.h>
#include "zoo/parts.h"

/* Return x [N, H, W, C] through a convolution of size x size, of the given stride, with reflected edges,
   which avoids visible borders. */
static ty_tensor *conv(ty_layer *at, const char *name, ty_tensor *x, int64_t channels, int64_t size,
                       int64_t stride) {
    ty_layer *self = ty_layer_in(at, name);
    const int64_t h = size / 2, around[] = {0, 0, h, h, h, h, 0, 0};
    x = ty_pad_around(x, 8, around, TY_PAD_REFLECT);
    return ty_layer_conv2d(
        self, "conv2d", x,
        (ty_conv_layer){.size = {size, size}, .channels = channels, .stride = {stride, stride}});
}

static ty_tensor *norm(ty_layer *at, const char *name, ty_tensor *x) {
    return ty_layer_instance_norm(at, name, x, (ty_instance_norm_layer){0});
}

static ty_tensor *residual(ty_layer *at, const char *name, ty_tensor *x) {
    ty_layer *self = ty_layer_in(at, name);
    ty_tensor *y = ty_relu(norm(self, "in1", conv(self, "conv1", x, 128, 3, 1)));
    return ty_add(x, norm(self, "in2", conv(self, "conv2", y, 128, 3, 1)));
}

/* Set y[0] to images x[0] [N, H, W, 3] painted in the network's style, of the same shape for H and W
   multiples of 4; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    (void)n;
    ty_tensor *h = ty_relu(norm(self, "in1", conv(self, "conv1", x[0], 32, 9, 1)));
    h = ty_relu(norm(self, "in2", conv(self, "conv2", h, 64, 3, 2)));
    h = ty_relu(norm(self, "in3", conv(self, "conv3", h, 128, 3, 2)));
    for (int i = 1; i <= 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "res%d", i);
        h = residual(self, name, h);
    }
    h = ty_relu(norm(self, "in4", conv(self, "deconv1", ty_upsample(h, 2, TY_NEAREST, true), 64, 3, 1)));
    h = ty_relu(norm(self, "in5", conv(self, "deconv2", ty_upsample(h, 2, TY_NEAREST, true), 32, 3, 1)));
    y[0] = conv(self, "deconv3", h, 3, 9, 1);
}

const ty_network ty_network_style_transfer = {.name = "style_transfer",
                                              .doc = "Johnson et al. 2016: an image in the style of another",
                                              .forward = forward,
                                              .dtype = TY_F32,
                                              .rank = 3,
                                              .shape = {256, 256, 3},
                                              .any_size = true};
