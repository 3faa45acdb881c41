/* The kinds of layers.  Each is a function ty_layer_<kind>(at, name, x, options) that calls the layer `name` inside
   `at` (model.h) on x and returns its result, poison on failure.  Zero in an option stands for its default; for a
   number that may be 0, as a momentum or a slope, -0.0 (TY_ZERO) is 0 itself.  Images are (N,H,W,C) unless an
   option says nchw.  The result has the dtype to which operands and parameters are promoted.  Norms, and layers without
   parameters but scale, keep a floating dtype. */
#ifndef TYTO_LAYERS_H
#define TYTO_LAYERS_H

#include <tyto/attention.h>
#include <tyto/model.h>
#include <tyto/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Convolution (ty_conv of contract.h): x (N,H,W,C) gives (N,H',W',channels), with nchw (N,C,H,W) gives
   (N,channels,H',W').  Weights are glorot uniform and biases zeros unless given. */
typedef struct ty_conv_layer {
    int64_t size[3], channels;      /* kernel size of each spatial axis; channels of the result */
    int64_t stride[3], dilation[3]; /* 0 means 1 */
    int64_t low[3], high[3];        /* padding, unless `same` */
    bool same, no_bias;
    ty_activation activation;
    ty_init weight, bias;
    bool same_lower, nchw;
    int64_t groups;            /* 0 means 1 */
    bool depthwise;            /* a group for each channel; channels 0 means as many as x has */
    int64_t output_padding[3]; /* transposed only */
} ty_conv_layer;
typedef ty_conv_layer ty_conv1d_layer, ty_conv2d_layer, ty_conv3d_layer;
typedef ty_conv_layer ty_conv_transpose1d_layer, ty_conv_transpose2d_layer, ty_conv_transpose3d_layer;

/* Linear layer over the last axis of x, which becomes `units`.  Weights are glorot uniform and biases zeros unless
   given. */
typedef struct ty_linear_layer {
    int64_t units;
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_linear_layer;
typedef ty_linear_layer ty_fully_connected_layer;

/* Dropout: in training elements are zeroed with probability p, others scaled by 1 / (1 - p). */
typedef struct ty_dropout_layer {
    double p; /* in [0, 1) */
} ty_dropout_layer;

/* x times a constant factor. */
typedef struct ty_scale_layer {
    double factor;
} ty_scale_layer;

/* An activation as a layer. */
typedef struct ty_activation_layer {
    ty_activation function;
} ty_activation_layer;

/* Options of layers without options. */
typedef struct ty_plain_layer {
    char none;
} ty_plain_layer;
/* All axes of x but the first become one: (N,...) gives (N,size).  There are no options. */
typedef ty_plain_layer ty_flatten_layer;
/* Elementwise combination of n tensors, which broadcast; dot: of two tensors, over the last axis. */
typedef ty_plain_layer ty_add_layer, ty_mul_layer, ty_max_layer, ty_average_layer, ty_dot_layer;

/* function(x, context) as a layer; context outlives the model. */
typedef struct ty_lambda_layer {
    ty_tensor *(*function)(ty_tensor *x, void *context);
    void *context;
} ty_lambda_layer;

/* Pooling of x (N,...,C) over windows of its spatial axes: the largest element or the mean of each window (pool.h). */
typedef ty_pool ty_max_pool1d_layer, ty_max_pool2d_layer, ty_max_pool3d_layer;
typedef ty_pool ty_avg_pool1d_layer, ty_avg_pool2d_layer, ty_avg_pool3d_layer;
/* Adaptive pooling of x (N,...,C) over its spatial axes (pool.h); `size` is that of the result, 0 keeps the size of x. */
typedef ty_pool ty_adaptive_max_pool1d_layer, ty_adaptive_max_pool2d_layer, ty_adaptive_max_pool3d_layer;
typedef ty_pool ty_adaptive_avg_pool1d_layer, ty_adaptive_avg_pool2d_layer, ty_adaptive_avg_pool3d_layer;

/* Pooling over all spatial axes, of any number: (N,...,C) gives (N,C), or with `keep` (N,1,...,C). */
typedef struct ty_global_pool_layer {
    bool nchw, keep;
} ty_global_pool_layer;
typedef ty_global_pool_layer ty_global_max_pool_layer, ty_global_avg_pool_layer;

/* ---- norms: the statistics of f16 and bf16 are computed in f32 ---- */

/* Batch norm (Ioffe and Szegedy 2015): each channel minus its mean over the batch and the spatial axes, by its
   deviation, times weight plus bias.  Inference, and `frozen`, use the states running_mean and running_var.
   Training updates these: running += momentum (batch - running), with the batch's variance over n - 1, as PyTorch
   does. */
typedef struct ty_batch_norm_layer {
    double epsilon;  /* 0 means 1e-5 */
    double momentum; /* 0 means 0.1; Keras' is one minus this */
    bool no_scale, no_shift;
    bool nchw;
    bool frozen;
    int unused;
} ty_batch_norm_layer;

/* Layer norm (Ba et al. 2016): over the last `axes` axes of each example.  RMS norm (Zhang and Sennrich 2019): the
   same without means and bias.  Weights have the shape of these axes. */
typedef struct ty_layer_norm_layer {
    int64_t axes;   /* 0 means 1 */
    double epsilon; /* 0 means 1e-5, for rms_norm 1e-6 */
    bool no_scale, no_shift;
    bool unused[6];
} ty_layer_norm_layer;
typedef ty_layer_norm_layer ty_rms_norm_layer;

/* Group norm (Wu and He 2018): over the spatial axes and the channels of a group, of each example.  Instance norm:
   a group for each channel. */
typedef struct ty_group_norm_layer {
    int64_t groups; /* not used by instance_norm */
    double epsilon; /* 0 means 1e-5 */
    bool no_scale, no_shift;
    bool nchw;
    bool unused[5];
} ty_group_norm_layer;
typedef ty_group_norm_layer ty_instance_norm_layer;

/* ---- embeddings ---- */

/* Embedding: integers (...) select rows of the weights (rows, units), counted from 0: (..., units).  A number
   outside is an error.  Weights are normal unless given.  On floats (..., units), in another call of the same
   layer, it returns their products with all rows (..., rows): logits with tied weights. */
typedef struct ty_embedding_layer {
    int64_t rows, units;
    bool padded;     /* row `padding` is zeros and does not learn */
    int64_t padding; /* negative: from the end */
    double scale;    /* factor of the rows; 0 means 1 */
    ty_init weight;
} ty_embedding_layer;

/* x (..., T, C) plus a learned vector for each of the T positions: row t of the weights (rows, C).  As a kind of layer
   (ty_layer_call) it takes a second operand, integer[]: the position of the first vector of x. */
typedef struct ty_position_embedding_layer {
    int64_t rows; /* greatest T */
    ty_init weight;
} ty_position_embedding_layer;
/* x (..., T, C) plus fixed vectors (ty_sinusoids). */
typedef struct ty_sinusoidal_layer {
    double base; /* 0 means 10000 */
} ty_sinusoidal_layer;

/* ---- recurrence ---- */

/*
 * Recurrence over the T steps of x (N,T,C):
 *
 *   recurrent  h' = tanh(W x + b + U h + c)      (Elman 1990);
 *   lstm       gates i, f, g, o in PyTorch's order (Hochreiter and Schmidhuber 1997);
 *   gru        gates r, z, n in PyTorch's order   (Cho et al. 2014; Keras' reset_after);
 *
 * The products of x are one contraction for all steps and gates, those of h one contraction a step.  Parameters of
 * layer k: weight_ih_lk (C, gates * units), weight_hh_lk (units, gates * units), bias_ih_lk, bias_hh_lk; backward ones
 * end in _reverse.  All are uniform in +-1/sqrt(units) unless given.  The result is (N,T,units), with `bidirectional`
 * (N,T,2*units).
 */
typedef struct ty_recurrent_layer {
    int64_t units;
    int64_t layers; /* stacked; 0 means 1 */
    bool bidirectional;
    /* return (N,units): the last layer's state after the last step, for backward ones after the first */
    bool last;
    bool no_bias;
    bool time_first;          /* x and results are (T,N,...) */
    double dropout;           /* between layers */
    ty_activation activation; /* recurrent: ty_tanh; not used by others */
    ty_init weight, bias;
} ty_recurrent_layer;
typedef ty_recurrent_layer ty_lstm_layer, ty_gru_layer;

/* Further operands and results of a recurrence; NULL: none. */
typedef struct ty_recurrence {
    ty_tensor *h, *c; /* (layers * directions, N, units): the states, c for lstm only; NULL: zeros */
    /* (N), integers: steps of each example; results of others are zeros and states stay */
    ty_tensor *lengths;
    ty_tensor *unused[4]; /* 0: room for later members */
} ty_recurrence;

/* ---- attention as layers ---- */

/* Multi-head self-attention: x (N,T,C) gives (N,T,units).  One product with in_proj_weight (C, (heads + 2 kv_heads)
   * head_size), whose columns are queries, keys and values in PyTorch's order; out_proj is a linear layer inside. */
typedef struct ty_multi_head_attention_layer {
    int64_t heads;
    /* heads of keys and values, each for heads / kv_heads of queries (Ainslie et al. 2023); 0 means heads */
    int64_t kv_heads;
    int64_t head_size; /* 0 means C / heads */
    int64_t units;     /* of the result; 0 means C */
    bool causal;
    int64_t window;
    bool no_bias;
    bool separate;     /* linear layers q_proj, k_proj, v_proj inside, as in most files of large models */
    double rotary;     /* base of rotary positions (Su et al. 2021), usually 10000; 0 means none */
    bool rotary_pairs; /* rotate neighbours, as Su et al., instead of halves of a head */
    bool alibi;
    double dropout; /* of attention weights */
    int64_t block;  /* as in ty_attention_options */
    ty_init weight, bias;
} ty_multi_head_attention_layer;

/* Further operands and results of multi-head attention; NULL: none. */
typedef struct ty_heads {
    ty_tensor *keys, *values;  /* (N,Tk,...): sources of keys and values; NULL: x, and keys */
    ty_tensor *mask, *lengths; /* as in ty_attention_options */
    /* A cache of keys and values of S positions (N,kv_heads,S,head_size), of which `position` (integer[]) are
       filled.  Those of x are written after them, queries see all up to their own position, and the cache is
       replaced by its new value.  The caller adds T to `position`.  More than S positions are an error. */
    ty_tensor *cached_keys, *cached_values, *position;
    ty_tensor *unused[4]; /* 0: room for later members */
} ty_heads;

/* Transformer block: norm, attention, plus x; norm, linear, gelu, linear, plus that.  Names of layers inside are
   PyTorch's: self_attn, linear1, linear2, norm1, norm2. */
typedef struct ty_transformer_block_layer {
    int64_t hidden;           /* 0 means 4 C */
    ty_activation activation; /* NULL: ty_gelu */
    bool gated;               /* linear1 times activation(gate), gate a third linear layer (Shazeer 2020) */
    bool post;                /* norms after the sums, as in the paper, instead of before */
    bool rms;                 /* rms_norm instead of layer_norm */
    double epsilon;           /* of the norms */
    double dropout;           /* of both branches, and after the activation */
    int64_t unused[4];        /* 0: room for later members */
    /* its dropout is that of attention weights; stays last, since it grows */
    ty_multi_head_attention_layer attention;
} ty_transformer_block_layer;

/* ---- shapes ---- */

/* x unchanged; its shape must be (batch, shape[0], ..., shape[rank - 1]), where 0 is any size. */
typedef struct ty_input_layer {
    int64_t rank; /* axes after the batch */
    int64_t shape[8];
} ty_input_layer;
/* Reshape to (batch, shape[0], ..., shape[rank - 1]); one size may be -1 and is then inferred. */
typedef ty_input_layer ty_reshape_layer;

/* Elements start, start + step, ... before stop of an axis. */
typedef struct ty_slice_layer {
    int64_t axis;        /* 0 means 1, the first after the batch; negative: from the end */
    int64_t start, stop; /* negative: from the end; stop 0 means to the end */
    int64_t step;        /* 0 means 1 */
} ty_slice_layer;

/* Padding of the spatial axes by zeros or, of another kind, as ty_pad_mode. */
typedef struct ty_padding_layer {
    int64_t low[3], high[3]; /* negative ones crop */
    int64_t kind;            /* 0 means zeros; 1 + TY_PAD_EDGE, ... */
    bool nchw;
    bool unused[7];
} ty_padding_layer;

/* Enlargement of the spatial axes by `size`: elements repeated, or interpolated (ty_upsample). */
typedef struct ty_upsampling_layer {
    int64_t size; /* 0 means 2 */
    bool linear, cubic;
    bool nchw;
    bool unused[5];
} ty_upsampling_layer;

/* Concatenation of n tensors along an axis. */
typedef struct ty_concatenate_layer {
    int64_t axis; /* 0 means the last; else the batch is axis 0 */
} ty_concatenate_layer;

/* function(n, x, context) as a layer; context outlives the model. */
typedef struct ty_lambda_array_layer {
    ty_tensor *(*function)(int n, ty_tensor *const *x, void *context);
    void *context;
} ty_lambda_array_layer;

/* ---- noise; x unchanged in inference ---- */

/* Adds normal noise of mean 0. */
typedef struct ty_gaussian_noise_layer {
    double deviation;
} ty_gaussian_noise_layer;
/* Gaussian dropout: each element times a normal number of mean 1 and variance p / (1 - p).  Alpha dropout: keeps
   mean and variance of networks of selu (Klambauer et al. 2017). */
typedef ty_dropout_layer ty_gaussian_dropout_layer, ty_alpha_dropout_layer;

/* ---- activations with options or parameters ---- */

/* x if x > 0, else slope x. */
typedef struct ty_leaky_relu_layer {
    double slope; /* 0 means 0.01 */
} ty_leaky_relu_layer;
/* x if x > 0, else alpha (exp(x) - 1). */
typedef struct ty_elu_layer {
    double alpha; /* 0 means 1 */
} ty_elu_layer;
/* x if x > theta, else 0: Owl's TRelu. */
typedef struct ty_threshold_layer {
    double theta; /* 0 means 1 */
} ty_threshold_layer;
/* x if x > 0, else a learned slope times x (He et al. 2015): one slope for all, or one for each channel. */
typedef struct ty_prelu_layer {
    bool channels;
    bool nchw;
    double slope; /* initial value; 0 means 0.25 */
} ty_prelu_layer;

/* ---- blocks ---- */

/* Depthwise convolution, norm, activation, 1x1 convolution to `channels`, norm, activation (Howard et al. 2017).
   Layers inside: depthwise, norm1, pointwise, norm2. */
typedef struct ty_depthwise_separable_layer {
    int64_t channels;
    int64_t size, stride;     /* 0 means 3 and 1 */
    bool no_norm;             /* biases instead */
    ty_activation activation; /* NULL: ty_relu6 */
    bool nchw;
    bool unused[7];
} ty_depthwise_separable_layer;

/* x times a gate for each channel: mean of the channel, a linear layer of `units`, activation, a linear layer back,
   sigmoid or `gate` (Hu et al. 2018). */
typedef struct ty_squeeze_excite_layer {
    int64_t units;            /* 0 means a 16th of the channels, at least 1 */
    ty_activation activation; /* NULL: ty_relu */
    ty_activation gate;       /* NULL: ty_sigmoid */
    bool nchw;
    bool unused[7];
} ty_squeeze_excite_layer;

/* 1x1 convolution to `expand` times the channels, depthwise, 1x1 to `channels` without activation, plus x if shapes
   agree (Sandler et al. 2018).  Layers inside: expand, norm1, depthwise, norm2, squeeze, project, norm3. */
typedef struct ty_inverted_residual_layer {
    int64_t channels;
    int64_t expand;           /* 0 means 6, 1 means no expansion */
    int64_t size, stride;     /* 0 means 3 and 1 */
    int64_t squeeze;          /* units of a squeeze_excite after the depthwise convolution; 0 means none */
    ty_activation activation; /* NULL: ty_relu6 */
    bool nchw;
    bool unused[7];
} ty_inverted_residual_layer;

/* activation(function(x) + x): function calls layers at `self` and returns x's shape. */
typedef struct ty_residual_layer {
    ty_tensor *(*function)(ty_layer *self, ty_tensor *x, void *context);
    void *context; /* outlives the model */
    ty_activation activation;
} ty_residual_layer;

/*
 * Graph convolution (Kipf and Welling 2017) of x (nodes, C) or (batch, nodes, C) and a graph: each node gets the sum
 * of its neighbours' features times weight (C, units), plus bias.
 *
 * The graph is a matrix (nodes, nodes), or one for each example; row i holds the weights of edges to node i.  Or it is
 * a list of edges, integers (2, E) of source and target, and an optional third operand holds their weights (E).
 */
typedef struct ty_graph_conv_layer {
    int64_t units;
    bool no_self;      /* a node is not its own neighbour */
    bool no_normalise; /* weights are not divided by the roots of both nodes' degrees */
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_graph_conv_layer;

/* Linear layer with random weights, drawn in each call of training (Blundell et al. 2015).  They are normal, with
   means weight and bias and deviations softplus of weight_rho and bias_rho, all learned.  Inference uses the means. */
typedef struct ty_bayesian_linear_layer {
    int64_t units;
    double prior; /* deviation of the prior, of mean 0; 0 means 1 */
    double rho;   /* initial value; 0 means -5 */
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_bayesian_linear_layer;

/* Bilinear layer of a (...,A) and b (...,B): sum over i and j of a[i] weight[k,i,j] b[j], plus bias: (..., units). */
typedef struct ty_bilinear_layer {
    int64_t units;
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias; /* uniform in +-1/sqrt(A) unless given */
} ty_bilinear_layer;

/* ---- a function and a kind for each entry of layers.def ---- */

/* Call the layer `name` of this kind inside the layer `at` (name NULL: the kind's prefix and a number) on x, or on
   the n tensors x, with options as its struct describes.  Returns the result; the first call makes the parameters.
   Poison that names the layer if operands or options do not fit. */
#define LAYER(kind)                                                                                          \
    extern TY_API const ty_layer_kind ty_kind_##kind;                                                        \
    TY_API ty_tensor *ty_layer_##kind##_sized(ty_layer *at, const char *name, ty_tensor *x,                  \
                                              const ty_##kind##_layer *options, size_t size);                \
    TY_INLINE ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, ty_tensor *x,                       \
                                         ty_##kind##_layer options) {                                        \
        return ty_layer_##kind##_sized(at, name, x, &options, sizeof options);                               \
    }
#define LAYERS(kind)                                                                                         \
    extern TY_API const ty_layer_kind ty_kind_##kind;                                                        \
    TY_API ty_tensor *ty_layer_##kind##_sized(ty_layer *at, const char *name, int n, ty_tensor *const *x,    \
                                              const ty_##kind##_layer *options, size_t size);                \
    TY_INLINE ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, int n, ty_tensor *const *x,         \
                                         ty_##kind##_layer options) {                                        \
        return ty_layer_##kind##_sized(at, name, n, x, &options, sizeof options);                            \
    }
#include <tyto/tables/layers.def>

/* ---- layers of several operands and results ---- */

TY_API ty_tensor *ty_layer_recurrent_from_sized(ty_layer *at, const char *name, ty_tensor *x,
                                                ty_recurrence *more, const ty_recurrent_layer *options,
                                                size_t size);
/* Call the recurrent layer `name` inside `at` on x (N,T,C) and return its result (N,T,units), poison on failure.
   *more (NULL: nothing) holds the initial states h and the lengths; its states, (layers * directions, N, units),
   are replaced by the final ones. */
TY_INLINE ty_tensor *ty_layer_recurrent_from(ty_layer *at, const char *name, ty_tensor *x,
                                             ty_recurrence *more, ty_recurrent_layer options) {
    return ty_layer_recurrent_from_sized(at, name, x, more, &options, sizeof options);
}
TY_API ty_tensor *ty_layer_lstm_from_sized(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                           const ty_lstm_layer *options, size_t size);
/* Call the lstm layer `name` inside `at` on x (N,T,C) and return its result (N,T,units), poison on failure.  *more
   (NULL: nothing) holds the initial states h and c and the lengths; its states, (layers * directions, N, units),
   are replaced by the final ones. */
TY_INLINE ty_tensor *ty_layer_lstm_from(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                        ty_lstm_layer options) {
    return ty_layer_lstm_from_sized(at, name, x, more, &options, sizeof options);
}
TY_API ty_tensor *ty_layer_gru_from_sized(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                          const ty_gru_layer *options, size_t size);
/* Call the gru layer `name` inside `at` on x (N,T,C) and return its result (N,T,units), poison on failure.  *more
   (NULL: nothing) holds the initial states h and the lengths; its states, (layers * directions, N, units), are
   replaced by the final ones. */
TY_INLINE ty_tensor *ty_layer_gru_from(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                       ty_gru_layer options) {
    return ty_layer_gru_from_sized(at, name, x, more, &options, sizeof options);
}
TY_API ty_tensor *ty_layer_attend_sized(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                        const ty_multi_head_attention_layer *options, size_t size);
/* Call the multi_head_attention layer `name` inside `at` on x (N,T,C) and return its result (N,T,units), poison on
   failure.  *more (NULL: nothing) holds further operands and a cache of keys and values (N,kv_heads,S,head_size) of
   S positions, which are replaced by their new values (see ty_heads). */
TY_INLINE ty_tensor *ty_layer_attend(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                     ty_multi_head_attention_layer options) {
    return ty_layer_attend_sized(at, name, x, more, &options, sizeof options);
}
TY_API ty_tensor *ty_layer_transform_sized(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                           const ty_transformer_block_layer *options, size_t size);
/* Call the transformer_block layer `name` inside `at` on x (N,T,C) and return its result, of x's shape; poison
   on failure.  *more (NULL: nothing) holds a mask, lengths and a cache of keys and values (see ty_heads), and
   receives the new cache. */
TY_INLINE ty_tensor *ty_layer_transform(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                        ty_transformer_block_layer options) {
    return ty_layer_transform_sized(at, name, x, more, &options, sizeof options);
}
TY_API ty_tensor *ty_layer_bayesian_linear_kl_sized(ty_layer *at, const char *name, ty_tensor *x,
                                                    ty_tensor **kl, const ty_bayesian_linear_layer *options,
                                                    size_t size);
/* Call the bayesian_linear layer `name` inside `at` on x (...,C) and return its result (...,units), poison on
   failure.  *kl receives the divergence of the weights' distribution from the prior, []: add it to the loss,
   scaled by the batch's share of the data. */
TY_INLINE ty_tensor *ty_layer_bayesian_linear_kl(ty_layer *at, const char *name, ty_tensor *x, ty_tensor **kl,
                                                 ty_bayesian_linear_layer options) {
    return ty_layer_bayesian_linear_kl_sized(at, name, x, kl, &options, sizeof options);
}

/* ---- activations ---- */

/* Activations with usual constants, for options; elementwise but for softmax and log_softmax, which work along the
   last axis.  ty_activation_named knows them by the part after ty_activate_.  All but trelu give poison for
   complex x. */
#define ACTIVATION(name, value, doc) TY_API ty_tensor *ty_activate_##name(ty_tensor *x);
#include <tyto/tables/activations.def>

/* All kinds, NULL-terminated. */
extern TY_API const ty_layer_kind *const ty_layer_kinds[];
/* Return the kind of layer of a name, such as "conv2d", which is static; NULL if there is none. */
TY_API const ty_layer_kind *ty_layer_kind_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif
