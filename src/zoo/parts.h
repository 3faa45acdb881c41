/* What several networks are made of. */
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

/* A convolution of size x size that keeps the image's size at stride 1: half as many zeros around. */
ty_conv_layer zoo_window(int64_t size, int64_t channels, int64_t stride);
/* A convolution without bias called `conv`, a batch norm called `norm`, an activation or NULL. */
ty_tensor *zoo_conv_norm(ty_layer *at, const char *conv, const char *norm, ty_tensor *x,
                         ty_conv_layer options, ty_activation activation);
/* The place of a number: "layer1.0" is zoo_numbered(layer1, 0). */
ty_layer *zoo_numbered(ty_layer *at, int number);
/* Images (N,H,W,C) as (N, C*H*W) in the order in which PyTorch flattens them. */
ty_tensor *zoo_flatten(ty_tensor *x);
#endif
