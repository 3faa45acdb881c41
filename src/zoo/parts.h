/* Parts shared by several networks. */
#ifndef ZOO_PARTS_H
#define ZOO_PARTS_H
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/image.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/pool.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include <tyto/zoo.h>

enum {
    MOST_BLOCKS = 1000 /* bounds the layers that a damaged file asks for; the largest models have some 130 */
};

struct json;
/* Set the sizes in *o that the note of a network (TY_NOTE_NETWORK), parsed, has; others stay. */
void zoo_sizes_read(const struct json *note, ty_network_options *o);

/* Return the options of a size x size convolution, size odd, padded so that stride 1 preserves the image's
   size. */
ty_conv_layer zoo_window(int64_t size, int64_t channels, int64_t stride);
/* Return x through a convolution without bias named `conv`, a batch norm named `norm`, and an activation
   unless NULL. */
ty_tensor *zoo_conv_norm(ty_layer *at, const char *conv, const char *norm, ty_tensor *x,
                         ty_conv_layer options, ty_activation activation);
/* Enter and return the layer inside `at` named by a number: "layer1.0" is zoo_numbered(layer1, 0). */
ty_layer *zoo_numbered(ty_layer *at, int number);
/* Reshape images [N, H, W, C] to [N, C*H*W] in PyTorch's order; other ranks keep their order. */
ty_tensor *zoo_flatten(ty_tensor *x);
#endif
