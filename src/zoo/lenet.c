/* LeNet-like network of the demonstration, after the chapter on computation graphs of Owl's book. */
#include "zoo/parts.h"

/* Set y[0] [N, classes] to the class scores of images of bytes x[0] [N, 28, 28, 1]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    (void)n;
    const ty_layer_value layers[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {5, 5}, .channels = 32, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.1),
        TY_LAYER(fully_connected, .units = 1024, .activation = ty_relu),
        TY_LAYER(linear, .units = o->classes)};
    y[0] = ty_layer_sequence(self, sizeof layers / sizeof *layers, layers, x[0]);
}

const ty_network ty_network_lenet = {.name = "lenet",
                                     .doc = "5x5 convolution, pooling, dropout, two linear layers",
                                     .forward = forward,
                                     .classes = 10,
                                     .dtype = TY_U8,
                                     .rank = 3,
                                     .shape = {28, 28, 1}};
