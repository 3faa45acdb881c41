/*
 * Tyto: the kinds of layers.  Each is a function ty_layer_<kind>(at, name, x, options) that calls the layer `name` inside
 * the place `at` (model.h) on x.  Zero in an option means its default; where 0 itself makes sense, as for
 * a momentum or a slope, it is said as -0.0 (TY_ZERO).  Images are (N,H,W,C) unless an option says nchw.
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
/* Of n tensors, which broadcast: element by element; dot: of two, over the last axis. */
typedef ty_plain_layer ty_add_layer, ty_mul_layer, ty_max_layer, ty_average_layer, ty_dot_layer;

/* function(x, context); context outlives the model. */
typedef struct ty_lambda_layer {
    ty_tensor *(*function)(ty_tensor *x, void *context);
    void *context;
} ty_lambda_layer;

typedef ty_pool ty_max_pool1d_layer, ty_max_pool2d_layer, ty_max_pool3d_layer;
typedef ty_pool ty_avg_pool1d_layer, ty_avg_pool2d_layer, ty_avg_pool3d_layer;
/* `size` of the result; 0 keeps the size of x. */
typedef ty_pool ty_adaptive_max_pool1d_layer, ty_adaptive_max_pool2d_layer, ty_adaptive_max_pool3d_layer;
typedef ty_pool ty_adaptive_avg_pool1d_layer, ty_adaptive_avg_pool2d_layer, ty_adaptive_avg_pool3d_layer;

/* Over all spatial axes, of which there may be any number: (N,...,C) -> (N,C), or with `keep` (N,1,...,C). */
typedef struct ty_global_pool_layer {
    bool nchw, keep;
} ty_global_pool_layer;
typedef ty_global_pool_layer ty_global_max_pool_layer, ty_global_avg_pool_layer;

/* ---- norms: the statistics of f16 and bf16 are computed in f32 ---- */

/* Ioffe and Szegedy 2015.  Each channel minus its mean over the batch and the spatial axes, by its deviation, times weight
   plus bias.  In inference, and where `frozen`, by the states running_mean and running_var, which training moves:
   running += momentum (batch - running), with the batch's variance over n - 1, as PyTorch does. */
typedef struct ty_batch_norm_layer {
    double epsilon;  /* 0 means 1e-5 */
    double momentum; /* 0 means 0.1; Keras' is one minus this */
    bool no_scale, no_shift;
    bool nchw;
    bool frozen;
} ty_batch_norm_layer;

/* Layer (Ba et al. 2016): over the last `axes` axes of each example.  RMS (Zhang and Sennrich 2019): the same without
   means and bias.  Weights have the shape of these axes. */
typedef struct ty_layer_norm_layer {
    int64_t axes;   /* 0 means 1 */
    double epsilon; /* 0 means 1e-5, of rms_norm 1e-6 */
    bool no_scale, no_shift;
} ty_layer_norm_layer;
typedef ty_layer_norm_layer ty_rms_norm_layer;

/* Group (Wu and He 2018): over the spatial axes and the channels of a group, of each example.  Instance: a group for each
   channel. */
typedef struct ty_group_norm_layer {
    int64_t groups; /* of instance_norm not used */
    double epsilon; /* 0 means 1e-5 */
    bool no_scale, no_shift;
    bool nchw;
} ty_group_norm_layer;
typedef ty_group_norm_layer ty_instance_norm_layer;

/* ---- words and places ---- */

/* Integers (...) -> the rows of the weights (rows, units) that they number: (..., units).  A number outside of the rows is
   an error.  Weights: normal, unless given.  Called on floats (..., units), in another call of the same layer, it gives
   their products with all rows (..., rows): the logits of a model whose last weights are its first. */
typedef struct ty_embedding_layer {
    int64_t rows, units;
    bool padded;     /* the row number `padding` is zeros and does not learn */
    int64_t padding; /* negative: from the end */
    double scale;    /* rows are multiplied by it; 0 means 1 */
    ty_init weight;
} ty_embedding_layer;

/* x (..., T, C) plus, to each of the T places, a vector that is learned: row t of the weights (rows, C). */
typedef struct ty_position_embedding_layer {
    int64_t rows; /* places there are at most */
    ty_init weight;
} ty_position_embedding_layer;
/* The same with vectors that do not learn (ty_sinusoids). */
typedef struct ty_sinusoidal_layer {
    double base; /* 0 means 10000 */
} ty_sinusoidal_layer;

/* ---- recurrence ---- */

/*
 * Over the T steps of x (N,T,C): recurrent  h' = tanh(W x + b + U h + c)      (Elman 1990)
 *                                lstm       gates i, f, g, o in PyTorch's order (Hochreiter and Schmidhuber 1997)
 *                                gru        gates r, z, n in PyTorch's order   (Cho et al. 2014; Keras' reset_after)
 * The products of x are one contraction for all steps and gates, those of h one contraction a step.  Parameters of layer k:
 * weight_ih_lk (C, gates * units), weight_hh_lk (units, gates * units), bias_ih_lk, bias_hh_lk, backward ones with _reverse
 * behind, all uniform in +-1/sqrt(units) unless given.  Gives (N,T,units), with `bidirectional` (N,T,2*units).
 */
typedef struct ty_recurrent_layer {
    int64_t units;
    int64_t layers; /* one on the results of the other; 0 means 1 */
    bool bidirectional;
    /* gives (N,units): the last layer's state after the last step, of backward ones after the first */
    bool last;
    bool no_bias;
    bool time_first;          /* x and results are (T,N,...) */
    double dropout;           /* between layers */
    ty_activation activation; /* recurrent: ty_tanh; not used by others */
    ty_init weight, bias;
} ty_recurrent_layer;
typedef ty_recurrent_layer ty_lstm_layer, ty_gru_layer;

/* What a recurrence takes and gives beside x and y.  NULL: none. */
typedef struct ty_recurrence {
    ty_tensor *h, *c;   /* (layers * directions, N, units): the states, c of lstm only; NULL: zeros */
    ty_tensor *lengths; /* (N), integers: so many steps count; results of others are zeros and states stay */
} ty_recurrence;

/* ---- attention (Vaswani et al. 2017) ---- */

/* What scores become before their softmax, and how they are computed. */
typedef struct ty_attention_options {
    /* broadcasts to (N,H,Tq,Tk): bool, true where a query sees a key; or floats that are added */
    ty_tensor *mask;
    ty_tensor *lengths; /* (N), integers: so many keys of each example count */
    ty_tensor *offset;  /* integer[]: query i stands at place i + offset among the keys; NULL: 0 */
    ty_tensor *slopes; /* (H): ALiBi, scores lose slope times distance (Press et al. 2022); ty_alibi_slopes */
    bool causal;       /* a query sees keys up to its own place */
    int64_t window;    /* and of these the last so many; 0: all */
    double scale;      /* of scores; 0 means 1 / sqrt(D) */
    double dropout;    /* of shares, when there is a key */
    ty_tensor *key;    /* random numbers; NULL: no dropout */
    /* keys that are looked at at once; 0: all below 2^20 scores a head, else 256; negative: all */
    int64_t block;
} ty_attention_options;

/* ---- attention as layers ---- */

/* x (N,T,C) -> (N,T,C).  Each of the heads has its part of the products with in_proj_weight (C, (heads + 2 kv_heads) *
   head_size), whose columns are those of queries, keys and values in this order, as PyTorch has them; out_proj is a linear
   layer inside. */
typedef struct ty_multi_head_attention_layer {
    int64_t heads;
    /* heads of keys and values, each for heads / kv_heads of queries (Ainslie et al. 2023); 0: heads */
    int64_t kv_heads;
    int64_t head_size; /* 0 means C / heads */
    int64_t units;     /* of the result; 0 means C */
    bool causal;
    int64_t window;
    bool no_bias;
    bool separate; /* linear layers q_proj, k_proj, v_proj inside, as most files of large models have them */
    double rotary; /* base of rotary places (Su et al. 2021), mostly 10000; 0: none */
    bool rotary_pairs; /* neighbours turn, as Su et al. have it, instead of halves of a head */
    bool alibi;
    double dropout; /* of shares */
    int64_t block;  /* as of ty_attention */
    ty_init weight, bias;
} ty_multi_head_attention_layer;

/* What multi-head attention takes beside x, and gives beside y.  NULL: none. */
typedef struct ty_heads {
    ty_tensor *keys, *values;  /* (N,Tk,...): what keys and values are made of; NULL: x, and keys */
    ty_tensor *mask, *lengths; /* as of ty_attention */
    /* A cache: keys and values of S places (N,kv_heads,S,head_size), of which `position` (integer[]) are filled.  Those of x
       are written behind them, queries see all up to their own place, and the cache is replaced by what it becomes; the
       caller adds T to the position.  What does not fit into S places is an error. */
    ty_tensor *cached_keys, *cached_values, *position;
} ty_heads;

/* norm, attention, plus x; norm, linear, gelu, linear, plus that.  Names of layers inside are PyTorch's: self_attn, linear1,
   linear2, norm1, norm2. */
typedef struct ty_transformer_block_layer {
    ty_multi_head_attention_layer attention; /* its dropout is that of shares */
    int64_t hidden;                          /* 0 means 4 C */
    ty_activation activation;                /* NULL: ty_gelu */
    bool gated;     /* linear1 times activation(gate), gate a third linear layer (Shazeer 2020) */
    bool post;      /* norms after the sums, as in the paper, instead of before */
    bool rms;       /* rms_norm instead of layer_norm */
    double epsilon; /* of the norms */
    double dropout; /* of both branches, and behind the activation */
} ty_transformer_block_layer;

/* ---- forms ---- */

/* x as it is; what is given is checked: (batch, shape[0], ..., shape[rank - 1]), where 0 is any size. */
typedef struct ty_input_layer {
    int64_t rank; /* axes after the batch */
    int64_t shape[8];
} ty_input_layer;
/* (batch, shape[0], ..., shape[rank - 1]); one size may be -1: whatever fits. */
typedef ty_input_layer ty_reshape_layer;

/* Elements start, start + step, ... before stop of an axis. */
typedef struct ty_slice_layer {
    int64_t axis;        /* 0 means 1, the first behind the batch; negative: from the end */
    int64_t start, stop; /* negative: from the end; stop 0: to the end */
    int64_t step;        /* 0 means 1 */
} ty_slice_layer;

/* Elements around the spatial axes: zeros, or by another kind what ty_pad_mode pads with. */
typedef struct ty_padding_layer {
    int64_t low[3], high[3]; /* negative ones crop */
    int64_t kind;            /* 0: zeros; 1 + TY_PAD_EDGE, ... */
    bool nchw;
} ty_padding_layer;

/* The spatial axes `size` times as long: elements repeated, or interpolated (ty_upsample). */
typedef struct ty_upsampling_layer {
    int64_t size; /* 0 means 2 */
    bool linear, cubic;
    bool nchw;
} ty_upsampling_layer;

/* Of n tensors along an axis. */
typedef struct ty_concatenate_layer {
    int64_t axis; /* 0 means the last; else counted with the batch, which is axis 0 */
} ty_concatenate_layer;

/* function(n, x, context); context outlives the model. */
typedef struct ty_lambda_array_layer {
    ty_tensor *(*function)(int n, ty_tensor *const *x, void *context);
    void *context;
} ty_lambda_array_layer;

/* ---- noise: in inference x as it is ---- */

/* Numbers of mean 0 are added. */
typedef struct ty_gaussian_noise_layer {
    double deviation;
} ty_gaussian_noise_layer;
/* Gaussian: each element times a number of mean 1 and variance p / (1 - p).  Alpha: for networks of selu, mean and variance
   stay (Klambauer et al. 2017). */
typedef ty_dropout_layer ty_gaussian_dropout_layer, ty_alpha_dropout_layer;

/* ---- activations with numbers or parameters ---- */

typedef struct ty_leaky_relu_layer {
    double slope; /* where x is negative; 0 means 0.01 */
} ty_leaky_relu_layer;
typedef struct ty_elu_layer {
    double alpha; /* 0 means 1 */
} ty_elu_layer;
/* x where it is greater than theta, else 0: Owl's TRelu. */
typedef struct ty_threshold_layer {
    double theta; /* 0 means 1 */
} ty_threshold_layer;
/* The slope where x is negative is learned (He et al. 2015): one for all, or one for each channel. */
typedef struct ty_prelu_layer {
    bool channels;
    bool nchw;
    double slope; /* at first; 0 means 0.25 */
} ty_prelu_layer;

/* ---- blocks ---- */

/* A convolution of each channel, a norm and an activation; then a 1x1 convolution to `channels`, norm, activation (Howard et
   al. 2017).  Layers inside: depthwise, norm1, pointwise, norm2. */
typedef struct ty_depthwise_separable_layer {
    int64_t channels;
    int64_t size, stride;     /* 0 means 3 and 1 */
    bool no_norm;             /* biases instead */
    ty_activation activation; /* NULL: ty_relu6 */
    bool nchw;
} ty_depthwise_separable_layer;

/* x times a share of each channel: the mean of the channel, a linear layer of `units`, activation, a linear layer back,
   sigmoid or `gate` (Hu et al. 2018). */
typedef struct ty_squeeze_excite_layer {
    int64_t units;            /* 0 means a 16th of the channels, 1 at least */
    ty_activation activation; /* NULL: ty_relu */
    ty_activation gate;       /* NULL: ty_sigmoid */
    bool nchw;
} ty_squeeze_excite_layer;

/* 1x1 to `expand` times the channels, depthwise, 1x1 to `channels` without an activation, plus x where shapes agree (Sandler
   et al. 2018).  Layers inside: expand, norm1, depthwise, norm2, squeeze, project, norm3. */
typedef struct ty_inverted_residual_layer {
    int64_t channels;
    int64_t expand;           /* 0 means 6; 1: no expansion */
    int64_t size, stride;     /* 0 means 3 and 1 */
    int64_t squeeze;          /* units of a squeeze_excite behind the depthwise one; 0: none */
    ty_activation activation; /* NULL: ty_relu6 */
    bool nchw;
} ty_inverted_residual_layer;

/* activation(function(x) + x): function calls layers at `self`, and what it gives has x's shape. */
typedef struct ty_residual_layer {
    ty_tensor *(*function)(ty_layer *self, ty_tensor *x, void *context);
    void *context; /* outlives the model */
    ty_activation activation;
} ty_residual_layer;

/* Of x (nodes, C) or (batch, nodes, C) and a graph: each node gets the sum of what its neighbours' features times weight
   (C, units) are, plus bias (Kipf and Welling 2017).  The graph is a matrix (nodes, nodes) or one for each example, where
   row i has the weights of what comes to node i; or edges, integers (2, E) of where each comes from and where it goes, and
   then a third operand may give their weights (E). */
typedef struct ty_graph_conv_layer {
    int64_t units;
    bool no_self;      /* else each node is its own neighbour, too */
    bool no_normalise; /* else weights are divided by the roots of both nodes' degrees */
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_graph_conv_layer;

/* A linear layer whose weights are drawn anew in each call of training, normal with the means weight and bias and the
   deviations softplus of weight_rho and bias_rho, which are learned (Blundell et al. 2015).  Inference takes the means. */
typedef struct ty_bayesian_linear_layer {
    int64_t units;
    double prior; /* deviation of weights before anything is known, of mean 0; 0 means 1 */
    double rho;   /* at first; 0 means -5 */
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_bayesian_linear_layer;

/* Of a (...,A) and b (...,B): sum over i and j of a[i] weight[k,i,j] b[j], plus bias: (..., units). */
typedef struct ty_bilinear_layer {
    int64_t units;
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias; /* uniform in +-1/sqrt(A), unless given */
} ty_bilinear_layer;

/* ---- all of them ---- */

#define LAYER(kind)                                                                                          \
    extern TY_API const ty_layer_kind ty_kind_##kind;                                                        \
    TY_API ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, ty_tensor *x,                          \
                                      ty_##kind##_layer options);
#define LAYERS(kind)                                                                                         \
    extern TY_API const ty_layer_kind ty_kind_##kind;                                                        \
    TY_API ty_tensor *ty_layer_##kind(ty_layer *at, const char *name, int n, ty_tensor *const *x,            \
                                      ty_##kind##_layer options);
#include <tyto/layers.def>

/* ---- layers of several operands and results ---- */

/* As their kinds; *more (NULL: nothing) has the states before, and then the states after. */
TY_API ty_tensor *ty_layer_recurrent_from(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                          ty_recurrent_layer options);
TY_API ty_tensor *ty_layer_lstm_from(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                     ty_lstm_layer options);
TY_API ty_tensor *ty_layer_gru_from(ty_layer *at, const char *name, ty_tensor *x, ty_recurrence *more,
                                    ty_gru_layer options);
TY_API ty_tensor *ty_layer_attend(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                  ty_multi_head_attention_layer options);
TY_API ty_tensor *ty_layer_transform(ty_layer *at, const char *name, ty_tensor *x, ty_heads *more,
                                     ty_transformer_block_layer options);
/* *kl: the divergence of the weights' distribution from the prior, [], to be added to the loss by its share of a batch. */
TY_API ty_tensor *ty_layer_bayesian_linear_kl(ty_layer *at, const char *name, ty_tensor *x, ty_tensor **kl,
                                              ty_bayesian_linear_layer options);

/* ---- functions of tensors alone ---- */

/*
 * softmax(q k' scale + mask) v of q (N,H,Tq,D), k (N,G,Tk,D), v (N,G,Tk,E): (N,H,Tq,E); H is a multiple of G, and each head
 * of k and v serves H/G of q.  A query that sees no key gets zeros.  Scores of f16 and bf16 are computed in f32.  Beyond
 * `block` keys scores are never all in memory: blocks of keys are summed by a running greatest score (Milakov and Gimelshein
 * 2018; Dao et al. 2022), and gradients compute them again.
 */
TY_API ty_tensor *ty_attention(ty_tensor *q, ty_tensor *k, ty_tensor *v, ty_attention_options options);
/* (H), f64: 2^(-8/H), 2^(-16/H), ..., and for an H that is no power of two as Press et al. interpolate. */
TY_API ty_tensor *ty_alibi_slopes(int64_t heads);
/* x (...,T,D) with its halves (pairs: neighbours) as parts of complex numbers, number j of place t turned by
   t base^(-2j/D); places: (T) or what broadcasts to (...,T); NULL: 0, 1, 2, ...  D is even. */
TY_API ty_tensor *ty_rotary(ty_tensor *x, ty_tensor *places, double base, bool pairs);
/* (T,C): sin(t base^(-2j/C)) in columns 2j and its cosine in 2j + 1 (Vaswani et al. 2017, sec. 3.5); base 0 means 10000. */
TY_API ty_tensor *ty_sinusoids(ty_dtype dtype, int64_t places, int64_t units, double base);

/* Activations with numbers that are usual, for options; ty_activation_find knows them by their last word. */
#define ACTIVATION(name, value, doc) TY_API ty_tensor *ty_activate_##name(ty_tensor *x);
#include <tyto/activations.def>

/* All kinds, NULL-terminated. */
extern TY_API const ty_layer_kind *const ty_layer_kinds[];
/* By name; NULL: none. */
TY_API const ty_layer_kind *ty_layer_kind_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
