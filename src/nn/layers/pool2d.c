/* Pooling of images (N,H,W,C): the largest of each window, or its mean. */
#include <tyto/pool.h>
#include "nn/layers/options.h"

static void forward_max(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self;
    (void)n;
    y[0] = ty_max_pool2d(x[0], *(const ty_pool *)options);
}

static void forward_avg(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self;
    (void)n;
    y[0] = ty_avg_pool2d(x[0], *(const ty_pool *)options);
}

#define AT(member, what) OPTION(ty_pool, member, what)
#define THREE(member) OPTION_LIST(ty_pool, member, INT, 3)
static const ty_option options[] = {
    THREE(size),    THREE(stride),           THREE(dilation),      THREE(low),
    THREE(high),    AT(same, FLAG),          AT(same_lower, FLAG), AT(ceil, FLAG),
    AT(nchw, FLAG), AT(count_padding, FLAG), AT(divisor, REAL),    {0}};

const ty_layer_kind ty_kind_max_pool2d = {.name = "max_pool2d",
                                          .prefix = "maxpool",
                                          .doc = "the largest of each window",
                                          .bytes = sizeof(ty_pool),
                                          .options = options,
                                          .forward = forward_max};
const ty_layer_kind ty_kind_avg_pool2d = {.name = "avg_pool2d",
                                          .prefix = "avgpool",
                                          .doc = "the mean of each window",
                                          .bytes = sizeof(ty_pool),
                                          .options = options,
                                          .forward = forward_avg};
