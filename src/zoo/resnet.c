/* Residual networks (He et al. 2016); as in torchvision a bottleneck's stride is in its 3x3 convolution. */
#include <stdio.h>
#include "zoo/parts.h"
#include "zoo/resnet.h"

/* Return x [N, H, W, C] itself, or its 1x1 projection with batch norm if `channels` or the stride changes
   its shape. */
static ty_tensor *shortcut(ty_layer *at, ty_tensor *x, int64_t channels, int64_t stride) {
    if (stride == 1 && ty_shape(x)[3] == channels) return x;
    return zoo_conv_norm(ty_layer_in(at, "downsample"), "0", "1", x,
                         (ty_conv_layer){.size = {1, 1}, .channels = channels, .stride = {stride, stride}},
                         NULL);
}

static ty_tensor *basic(ty_layer *at, ty_tensor *x, int64_t channels, int64_t stride) {
    ty_tensor *y = zoo_conv_norm(at, "conv1", "bn1", x, zoo_window(3, channels, stride), ty_relu);
    y = zoo_conv_norm(at, "conv2", "bn2", y, zoo_window(3, channels, 1), NULL);
    return ty_relu(ty_add(y, shortcut(at, x, channels, stride)));
}

/* Return x [N, H, W, C] through a bottleneck block, whose result has 4 times `channels` channels and H and
   W divided by the stride. */
static ty_tensor *bottleneck(ty_layer *at, ty_tensor *x, int64_t channels, int64_t stride) {
    ty_conv_layer point = {.size = {1, 1}, .channels = channels},
                  out = {.size = {1, 1}, .channels = 4 * channels};
    ty_tensor *y = zoo_conv_norm(at, "conv1", "bn1", x, point, ty_relu);
    y = zoo_conv_norm(at, "conv2", "bn2", y, zoo_window(3, channels, stride), ty_relu);
    y = zoo_conv_norm(at, "conv3", "bn3", y, out, NULL);
    return ty_relu(ty_add(y, shortcut(at, x, 4 * channels, stride)));
}

void resnet_stages(ty_layer *self, const struct resnet *net, ty_tensor *x, ty_tensor **stages) {
    ty_tensor *h = zoo_conv_norm(self, "conv1", "bn1", x, zoo_window(7, 64, 2), ty_relu);
    h = ty_layer_max_pool2d(self, "maxpool", h,
                            (ty_pool){.size = {3, 3}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}});
    for (int stage = 0; stage < 4; stage++) {
        char name[16];
        snprintf(name, sizeof name, "layer%d", stage + 1);
        ty_layer *at = ty_layer_in(self, name);
        for (int i = 0; i < net->blocks[stage] && ty_ok(h); i++) {
            int64_t channels = (int64_t)64 << stage, stride = !i && stage ? 2 : 1;
            h = (net->wide ? bottleneck : basic)(zoo_numbered(at, i), h, channels, stride);
        }
        stages[stage] = h;
    }
}

/* Set y[0] [N, classes] to the class scores of images x[0] [N, H, W, 3]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    ty_tensor *stages[4];
    (void)n;
    resnet_stages(self, o->network->variant, x[0], stages);
    ty_tensor *h = ty_layer_global_avg_pool(self, "avgpool", stages[3], (ty_global_avg_pool_layer){0});
    y[0] = ty_layer_linear(self, "fc", h, (ty_linear_layer){.units = o->classes});
}

#define RESNET(number, a, b, c, d, bottlenecks)                                                              \
    const ty_network ty_network_resnet##number = {.name = "resnet" #number,                                  \
                                                  .doc = "He et al. 2016, " #number " layers",               \
                                                  .forward = forward,                                        \
                                                  .variant =                                                 \
                                                      &(const struct resnet){{a, b, c, d}, bottlenecks},     \
                                                  .classes = 1000,                                           \
                                                  .dtype = TY_F32,                                           \
                                                  .rank = 3,                                                 \
                                                  .shape = {224, 224, 3},                                    \
                                                  .images = true};
RESNET(18, 2, 2, 2, 2, false)
RESNET(50, 3, 4, 6, 3, true)
RESNET(101, 3, 4, 23, 3, true)
