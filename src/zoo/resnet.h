/* Residual networks as backbones. */
#ifndef ZOO_RESNET_H
#define ZOO_RESNET_H
#include <tyto/zoo.h>

struct resnet {
    int blocks[4]; /* of the stages */
    bool wide;     /* of three convolutions, with four times the channels */
};
/* What the four stages give, at a 4th, 8th, 16th and 32nd of the size. */
void resnet_stages(ty_layer *self, const struct resnet *net, ty_tensor *x, ty_tensor **stages);
#endif
