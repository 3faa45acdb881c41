/* VGG-16 (Simonyan and Zisserman 2015), configuration D. */
#include <stdio.h>
#include "zoo/parts.h"

/* channels of the convolutions; 0 is pooling */
static const int plan[] = {64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0};

/* Return the options of a 3 x 3 convolution of `channels` channels with ReLU, which keeps the size. */
static ty_conv_layer window(int64_t channels) {
    ty_conv_layer o = zoo_window(3, channels, 1);
    o.activation = ty_relu;
    o.weight.draw = ty_init_he_normal;
    return o;
}

/* Return the features of images x [N, H, W, 3]: convolutions and poolings as the table `plan` says. */
static ty_tensor *features(ty_layer *at, ty_tensor *x) {
    char name[16];
    int place = 0; /* torchvision counts activations and poolings, too */
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        snprintf(name, sizeof name, "%d", place);
        if (!plan[i])
            x = ty_layer_max_pool2d(at, name, x, (ty_pool){.size = {2, 2}});
        else
            x = ty_layer_conv2d(at, name, x, window(plan[i]));
        place += plan[i] ? 2 : 1;
    }
    return x;
}

/* Set y[0] [N, classes] to the class scores of images x[0] [N, H, W, 3]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    const ty_linear_layer wide = {.units = 4096, .activation = ty_relu, .weight = {ty_init_normal, 0, 0.01}};
    (void)n;
    ty_tensor *h = features(ty_layer_in(self, "features"), x[0]);
    h = zoo_flatten(ty_adaptive_avg_pool2d(h, (ty_pool){.size = {7, 7}}));
    ty_layer *classifier = ty_layer_in(self, "classifier");
    h = ty_layer_dropout(classifier, "2", ty_layer_linear(classifier, "0", h, wide),
                         (ty_dropout_layer){.p = 0.5});
    h = ty_layer_dropout(classifier, "5", ty_layer_linear(classifier, "3", h, wide),
                         (ty_dropout_layer){.p = 0.5});
    y[0] = ty_layer_linear(classifier, "6", h, (ty_linear_layer){.units = o->classes});
}

const ty_network ty_network_vgg16 = {.name = "vgg16",
                                     .doc = "Simonyan and Zisserman 2015, configuration D",
                                     .forward = forward,
                                     .classes = 1000,
                                     .dtype = TY_F32,
                                     .rank = 3,
                                     .shape = {224, 224, 3},
                                     .images = true};
