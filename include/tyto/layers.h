/*
 * Tyto: the kinds of layers.  Each is a function ty_layer_<kind>(at, name, x, options) that calls the layer `name` inside
 * the place `at` (model.h) on x.  Zero in an option means its default.  Images are (N,H,W,C) unless an option says nchw.
 */
#ifndef TYTO_LAYERS_H
#define TYTO_LAYERS_H

#include <tyto/model.h>
#include <tyto/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Convolutions by ty_conv of contract.h: x (N,H,W,C) -> (N,H',W',channels), or with nchw (N,C,H,W) -> ...
   Weights: glorot uniform, bias: zeros, unless given. */
typedef struct ty_conv_layer {
    int64_t size[3], channels;      /* as many sizes as spatial axes; what the channels become */
    int64_t stride[3], dilation[3]; /* 0 means 1 */
    int64_t low[3], high[3];        /* padding, when not `same` */
    bool same, no_bias;
    ty_activation activation;
    ty_init weight, bias;
    bool same_lower, nchw;
    int64_t groups;            /* 0 means 1 */
    bool depthwise;            /* a group for each channel; channels 0 means as many again */
    int64_t output_padding[3]; /* transposed only */
} ty_conv_layer;
typedef ty_conv_layer ty_conv1d_layer, ty_conv2d_layer, ty_conv3d_layer;
typedef ty_conv_layer ty_conv_transpose1d_layer, ty_conv_transpose2d_layer, ty_conv_transpose3d_layer;

/* The last axis of x becomes `units`.  Weights: glorot uniform, bias: zeros, unless given. */
typedef struct ty_linear_layer {
    int64_t units;
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_linear_layer;
typedef ty_linear_layer ty_fully_connected_layer;

typedef ty_pool ty_max_pool2d_layer, ty_avg_pool2d_layer;

typedef struct ty_dropout_layer {
    double p; /* in [0, 1) */
} ty_dropout_layer;

typedef struct ty_scale_layer {
    double factor;
} ty_scale_layer;

typedef struct ty_activation_layer {
    ty_activation function;
} ty_activation_layer;

/* Of layers without options. */
typedef struct ty_plain_layer {
    char none;
} ty_plain_layer;
typedef ty_plain_layer ty_flatten_layer;

/* function(x, context); context outlives the model. */
typedef struct ty_lambda_layer {
    ty_tensor *(*function)(ty_tensor *x, void *context);
    void *context;
} ty_lambda_layer;

#define LAYER(kind)                                                                                          \
    extern TY_API const ty_layer_kind ty_kind_##kind;                                                        \
    TY_API ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, ty_tensor *x,                          \
                                      ty_##kind##_layer options);
#define LAYERS(kind)                                                                                         \
    extern TY_API const ty_layer_kind ty_kind_##kind;                                                        \
    TY_API ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, int n, ty_tensor *const *x,            \
                                      ty_##kind##_layer options);
#include <tyto/layers.def>

/* All kinds, NULL-terminated. */
extern TY_API const ty_layer_kind *const ty_layer_kinds[];
/* By name; NULL: none. */
TY_API const ty_layer_kind *ty_layer_kind_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
