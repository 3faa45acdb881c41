/* Perceptron with two hidden layers for images of digits. */
#include "zoo/parts.h"

/* Set y[0] [N, classes] to the class scores of images of bytes x[0] [N, ..], which are scaled to 0..1, or of
   prepared numbers [N, features]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    (void)n;
    bool numbers = ty_rank(x[0]) == 2 && ty_dtype_of(x[0]) >= TY_F16;
    ty_tensor *h = numbers ? x[0] : ty_layer_scale(self, NULL, x[0], (ty_scale_layer){.factor = 1.0 / 256});
    h = ty_layer_fully_connected(self, NULL, h, (ty_linear_layer){.units = 256, .activation = ty_relu});
    h = ty_layer_linear(self, NULL, h, (ty_linear_layer){.units = 128, .activation = ty_relu});
    y[0] = ty_layer_linear(self, NULL, h, (ty_linear_layer){.units = o->classes});
}

const ty_network ty_network_mlp = {.name = "mlp",
                                   .doc = "two hidden layers of 256 and 128",
                                   .forward = forward,
                                   .classes = 10,
                                   .dtype = TY_U8,
                                   .rank = 3,
                                   .shape = {28, 28, 1}};
