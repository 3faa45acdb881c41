/* Inception v3 (Szegedy et al. 2016) with the branches and names of torchvision, without the auxiliary
   classifier. */
#include "zoo/parts.h"

/* Return x [N, H, W, C] through a convolution with windows h x w, batch norm and ReLU. If `keep`, it is
   padded so that stride 1 preserves the size; else it is not padded. */
static ty_tensor *unit(ty_layer *at, const char *name, ty_tensor *x, int64_t channels, int64_t h, int64_t w,
                       int64_t stride, bool keep) {
    ty_conv_layer o = {.size = {h, w}, .channels = channels, .stride = {stride, stride}};
    if (keep) o.low[0] = o.high[0] = h / 2, o.low[1] = o.high[1] = w / 2;
    ty_layer *self = ty_layer_in(at, name);
    ty_tensor *y = ty_layer_conv2d(self, "conv", x,
                                   (o.no_bias = true, o.weight = (ty_init){ty_init_he_normal, 0, 0}, o));
    return ty_relu(ty_layer_batch_norm(self, "bn", y, (ty_batch_norm_layer){.epsilon = 0.001}));
}

static ty_tensor *mean3(ty_tensor *x) {
    return ty_avg_pool2d(
        x, (ty_pool){.size = {3, 3}, .stride = {1, 1}, .low = {1, 1}, .high = {1, 1}, .count_padding = true});
}
static ty_tensor *most3(ty_tensor *x) {
    return ty_max_pool2d(x, (ty_pool){.size = {3, 3}, .stride = {2, 2}});
}

/* Return x [N, H, W, C] through Inception's block A, of the same size; `pooled` is the number of channels
   of its pooling branch. */
static ty_tensor *block_a(ty_layer *at, ty_tensor *x, int64_t pooled) {
    ty_tensor *five = unit(at, "branch5x5_1", x, 48, 1, 1, 1, true);
    ty_tensor *three = unit(at, "branch3x3dbl_1", x, 64, 1, 1, 1, true);
    three = unit(at, "branch3x3dbl_2", three, 96, 3, 3, 1, true);
    ty_tensor *all[] = {unit(at, "branch1x1", x, 64, 1, 1, 1, true),
                        unit(at, "branch5x5_2", five, 64, 5, 5, 1, true),
                        unit(at, "branch3x3dbl_3", three, 96, 3, 3, 1, true),
                        unit(at, "branch_pool", mean3(x), pooled, 1, 1, 1, true)};
    return ty_concat(4, all, -1);
}

/* Return x [N, H, W, C] through Inception's block B, which halves H and W. */
static ty_tensor *block_b(ty_layer *at, ty_tensor *x) {
    ty_tensor *twice = unit(at, "branch3x3dbl_1", x, 64, 1, 1, 1, true);
    twice = unit(at, "branch3x3dbl_2", twice, 96, 3, 3, 1, true);
    ty_tensor *all[] = {unit(at, "branch3x3", x, 384, 3, 3, 2, false),
                        unit(at, "branch3x3dbl_3", twice, 96, 3, 3, 2, false), most3(x)};
    return ty_concat(3, all, -1);
}

/* Return x [N, H, W, C] through Inception's block C, of the same size, with c channels inside its 7 x 7
   branches. */
static ty_tensor *block_c(ty_layer *at, ty_tensor *x, int64_t c) {
    ty_tensor *seven = unit(at, "branch7x7_1", x, c, 1, 1, 1, true);
    seven = unit(at, "branch7x7_2", seven, c, 1, 7, 1, true);
    ty_tensor *twice = unit(at, "branch7x7dbl_1", x, c, 1, 1, 1, true);
    twice = unit(at, "branch7x7dbl_2", twice, c, 7, 1, 1, true);
    twice = unit(at, "branch7x7dbl_3", twice, c, 1, 7, 1, true);
    twice = unit(at, "branch7x7dbl_4", twice, c, 7, 1, 1, true);
    ty_tensor *all[] = {unit(at, "branch1x1", x, 192, 1, 1, 1, true),
                        unit(at, "branch7x7_3", seven, 192, 7, 1, 1, true),
                        unit(at, "branch7x7dbl_5", twice, 192, 1, 7, 1, true),
                        unit(at, "branch_pool", mean3(x), 192, 1, 1, 1, true)};
    return ty_concat(4, all, -1);
}

/* Return x [N, H, W, C] through Inception's block D, which halves H and W. */
static ty_tensor *block_d(ty_layer *at, ty_tensor *x) {
    ty_tensor *three = unit(at, "branch3x3_1", x, 192, 1, 1, 1, true);
    ty_tensor *seven = unit(at, "branch7x7x3_1", x, 192, 1, 1, 1, true);
    seven = unit(at, "branch7x7x3_2", seven, 192, 1, 7, 1, true);
    seven = unit(at, "branch7x7x3_3", seven, 192, 7, 1, 1, true);
    ty_tensor *all[] = {unit(at, "branch3x3_2", three, 320, 3, 3, 2, false),
                        unit(at, "branch7x7x3_4", seven, 192, 3, 3, 2, false), most3(x)};
    return ty_concat(3, all, -1);
}

/* Return x [N, H, W, C] through Inception's block E, of the same size. */
static ty_tensor *block_e(ty_layer *at, ty_tensor *x) {
    ty_tensor *three = unit(at, "branch3x3_1", x, 384, 1, 1, 1, true);
    ty_tensor *twice = unit(at, "branch3x3dbl_1", x, 448, 1, 1, 1, true);
    twice = unit(at, "branch3x3dbl_2", twice, 384, 3, 3, 1, true);
    ty_tensor *all[] = {unit(at, "branch1x1", x, 320, 1, 1, 1, true),
                        unit(at, "branch3x3_2a", three, 384, 1, 3, 1, true),
                        unit(at, "branch3x3_2b", three, 384, 3, 1, 1, true),
                        unit(at, "branch3x3dbl_3a", twice, 384, 1, 3, 1, true),
                        unit(at, "branch3x3dbl_3b", twice, 384, 3, 1, 1, true),
                        unit(at, "branch_pool", mean3(x), 192, 1, 1, 1, true)};
    return ty_concat(6, all, -1);
}

/* Set y[0] [N, classes] to the class scores of images x[0] [N, H, W, 3]; poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_network_options *o = options;
    (void)n;
    ty_tensor *h = unit(self, "Conv2d_1a_3x3", x[0], 32, 3, 3, 2, false);
    h = unit(self, "Conv2d_2a_3x3", h, 32, 3, 3, 1, false);
    h = most3(unit(self, "Conv2d_2b_3x3", h, 64, 3, 3, 1, true));
    h = unit(self, "Conv2d_3b_1x1", h, 80, 1, 1, 1, false);
    h = most3(unit(self, "Conv2d_4a_3x3", h, 192, 3, 3, 1, false));
    h = block_a(ty_layer_in(self, "Mixed_5b"), h, 32);
    h = block_a(ty_layer_in(self, "Mixed_5c"), h, 64);
    h = block_a(ty_layer_in(self, "Mixed_5d"), h, 64);
    h = block_b(ty_layer_in(self, "Mixed_6a"), h);
    h = block_c(ty_layer_in(self, "Mixed_6b"), h, 128);
    h = block_c(ty_layer_in(self, "Mixed_6c"), h, 160);
    h = block_c(ty_layer_in(self, "Mixed_6d"), h, 160);
    h = block_c(ty_layer_in(self, "Mixed_6e"), h, 192);
    h = block_d(ty_layer_in(self, "Mixed_7a"), h);
    h = block_e(ty_layer_in(self, "Mixed_7b"), h);
    h = block_e(ty_layer_in(self, "Mixed_7c"), h);
    h = ty_layer_global_avg_pool(self, "avgpool", h, (ty_global_avg_pool_layer){0});
    h = ty_layer_dropout(self, "dropout", h, (ty_dropout_layer){.p = 0.5});
    y[0] = ty_layer_linear(self, "fc", h, (ty_linear_layer){.units = o->classes});
}

const ty_network ty_network_inception_v3 = {.name = "inception_v3",
                                            .doc = "Szegedy et al. 2016",
                                            .forward = forward,
                                            .classes = 1000,
                                            .dtype = TY_F32,
                                            .rank = 3,
                                            .shape = {299, 299, 3},
                                            .images = true};
