/* Pooling layers: maximum or mean of each window, of a given number of windows, or of everything. */
#include <tyto/pool.h>
#include <tyto/reduce.h>
#include "nn/layers/options.h"

#define AT(member, what) OPTION(ty_pool, member, what)
#define THREE(member) OPTION_LIST(ty_pool, member, INT, 3)
static const ty_option options[] = {
    THREE(size),    THREE(stride),           THREE(dilation),      THREE(low),
    THREE(high),    AT(same, FLAG),          AT(same_lower, FLAG), AT(ceil, FLAG),
    AT(nchw, FLAG), AT(count_padding, FLAG), AT(divisor, REAL),    {0}};

#define POOL(title, prefix_of_names, words)                                                                  \
    static void title(ty_layer *self, const void *o, int n, ty_tensor *const *x, ty_tensor **y) {            \
        (void)self;                                                                                          \
        (void)n;                                                                                             \
        y[0] = ty_##title(x[0], *(const ty_pool *)o);                                                        \
    }                                                                                                        \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .prefix = prefix_of_names,                                        \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_pool),                                         \
                                           .options = options,                                               \
                                           .forward = title};
POOL(max_pool1d, "maxpool", "the largest of each window along one axis")
POOL(max_pool2d, "maxpool", "the largest of each window")
POOL(max_pool3d, "maxpool", "the largest of each window along three axes")
POOL(avg_pool1d, "avgpool", "the mean of each window along one axis")
POOL(avg_pool2d, "avgpool", "the mean of each window")
POOL(avg_pool3d, "avgpool", "the mean of each window along three axes")
POOL(adaptive_max_pool1d, "maxpool",
     "the largest of each window along one axis, for a given number of windows")
POOL(adaptive_max_pool2d, "maxpool", "the largest of each window, for a given number of windows")
POOL(adaptive_max_pool3d, "maxpool",
     "the largest of each window along three axes, for a given number of windows")
POOL(adaptive_avg_pool1d, "avgpool", "the mean of each window along one axis, for a given number of windows")
POOL(adaptive_avg_pool2d, "avgpool", "the mean of each window, for a given number of windows")
POOL(adaptive_avg_pool3d, "avgpool",
     "the mean of each window along three axes, for a given number of windows")

/* Set y[0] to x pooled by `pool` over all spatial axes: [N, C], or with those axes of size 1 if o->keep.
   Poison if x has fewer than three axes. */
static void global(ty_layer *self, const ty_global_pool_layer *o, ty_tensor *x, ty_tensor **y,
                   ty_tensor *(*pool)(ty_tensor *x, bool nchw)) {
    if (ty_rank(x) < 3) {
        y[0] = layer_refuse(self, E_SHAPE,
                            "the input has %d axes, expected a batch, channels and at least one more",
                            ty_rank(x));
        return;
    }
    int64_t shape[] = {ty_shape(x)[0], ty_shape(x)[channel_axis(x, o->nchw)]};
    y[0] = pool(x, o->nchw);
    if (!o->keep) y[0] = ty_reshape(y[0], 2, shape);
}

#define GLOBAL(title, words)                                                                                 \
    static void title(ty_layer *self, const void *o, int n, ty_tensor *const *x, ty_tensor **y) {            \
        (void)n;                                                                                             \
        global(self, o, x[0], y, ty_##title);                                                                \
    }                                                                                                        \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .prefix = "globalpool",                                           \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_global_pool_layer),                            \
                                           .options = global_options,                                        \
                                           .forward = title};
static const ty_option global_options[] = {
    OPTION(ty_global_pool_layer, nchw, FLAG), OPTION(ty_global_pool_layer, keep, FLAG), {0}};
GLOBAL(global_max_pool, "the largest of each channel")
GLOBAL(global_avg_pool, "the mean of each channel")
