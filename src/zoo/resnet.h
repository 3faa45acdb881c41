/* Residual networks as backbones. */
#ifndef ZOO_RESNET_H
#define ZOO_RESNET_H
#include <tyto/zoo.h>

/* Layout of a residual network. */
struct resnet {
    int blocks[4]; /* number of blocks per stage */
    bool wide;     /* bottleneck blocks of three convolutions, with four times the channels */
};
/* Compute the outputs stages[4] of the four stages, at 1/4, 1/8, 1/16 and 1/32 of the size of x. */
void resnet_stages(ty_layer *self, const struct resnet *net, ty_tensor *x, ty_tensor **stages);
#endif
