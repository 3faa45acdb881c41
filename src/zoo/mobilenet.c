/* MobileNet v2 (Sandler et al. 2018). */
#include <stdio.h>
#include "zoo/parts.h"

static ty_conv_layer point(int64_t channels) { return (ty_conv_layer){.size = {1, 1}, .channels = channels}; }

/* Return x [N, H, W, C] through an inverted residual block: expand `expand` times, depthwise, project to
   `channels`. torchvision's names shift if the expansion (1) is missing. */
static ty_tensor *inverted(ty_layer *at, ty_tensor *x, int64_t channels, int64_t stride, int64_t expand) {
    int64_t in = ty_shape(x)[3];
    ty_layer *conv = ty_layer_in(at, "conv");
    ty_tensor *y = x;
    int step = 0;
    if (expand > 1) y = zoo_conv_norm(zoo_numbered(conv, step++), "0", "1", y, point(in * expand), ty_relu6);
    ty_conv_layer window = zoo_window(3, 0, stride);
    window.depthwise = true;
    y = zoo_conv_norm(zoo_numbered(conv, step++), "0", "1", y, window, ty_relu6);
    char name[16], norm[16];
    snprintf(name, sizeof name, "%d", step);
    snprintf(norm, sizeof norm, "%d", step + 1);
    y = zoo_conv_norm(conv, name, norm, y, point(channels), NULL);
    return stride == 1 && in == channels ? ty_add(x, y) : y;
}

/* Set y[0] [N, classes] to the class scores of images x[0] [N, H, W, 3]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    /* table 2 of the paper */
    static const struct {
        int expand, channels, blocks, stride;
    } rows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    const ty_network_options *o = options;
    ty_layer *features = ty_layer_in(self, "features");
    (void)n;
    ty_tensor *h = zoo_conv_norm(zoo_numbered(features, 0), "0", "1", x[0], zoo_window(3, 32, 2), ty_relu6);
    int place = 1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int i = 0; i < rows[k].blocks && ty_ok(h); i++)
            h = inverted(zoo_numbered(features, place++), h, rows[k].channels, i ? 1 : rows[k].stride,
                         rows[k].expand);
    h = zoo_conv_norm(zoo_numbered(features, place), "0", "1", h, point(1280), ty_relu6);
    h = ty_layer_global_avg_pool(self, "avgpool", h, (ty_global_avg_pool_layer){0});
    ty_layer *classifier = ty_layer_in(self, "classifier");
    h = ty_layer_dropout(classifier, "0", h, (ty_dropout_layer){.p = 0.2});
    y[0] = ty_layer_linear(classifier, "1", h,
                           (ty_linear_layer){.units = o->classes, .weight = {ty_init_normal, 0, 0.01}});
}

const ty_network ty_network_mobilenet_v2 = {.name = "mobilenet_v2",
                                            .doc = "Sandler et al. 2018",
                                            .forward = forward,
                                            .classes = 1000,
                                            .dtype = TY_F32,
                                            .rank = 3,
                                            .shape = {224, 224, 3},
                                            .images = true};
