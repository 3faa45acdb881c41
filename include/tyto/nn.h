/*
 * Tyto: networks.  Layers, losses, optimisers and a training loop, all composed of the functions of
 * tyto.h, so the same network runs eagerly and compiled.
 *
 *   ty_model *m = ty_model_new(TY_SHAPE(28, 28, 1), (ty_model_options){.seed = 1, .lazy = true});
 *   ty_layer_scale(m, 1.0 / 256);
 *   ty_layer_conv2d(m, (ty_conv2d_layer){.size = {5, 5}, .channels = 32, .activation = ty_relu});
 *   ty_layer_max_pool2d(m, (ty_pool){.size = {2, 2}});
 *   ty_layer_dropout(m, 0.1);
 *   ty_layer_fully_connected(m, (ty_linear_layer){.units = 1024, .activation = ty_relu});
 *   ty_layer_linear(m, (ty_linear_layer){.units = 10});
 *
 * A model or trainer that comes back is never NULL, and NULL counts as one that has failed.  The first failure stays
 * and makes further calls do nothing; ty_model_error and ty_trainer_error tell it as a sentence.  Zero in an option
 * means its default.
 */
#ifndef TYTO_NN_H
#define TYTO_NN_H

#include <tyto/core.h>
#include <tyto/loss.h>
#include <tyto/metrics.h>
#include <tyto/minimise.h>
#include <tyto/optimiser.h>
#include <tyto/pool.h>
#include <tyto/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- initialisers: rows of initialisers.def -------------------------------------------------- */

/* The parameter that wants values; fans: how many inputs feed one output, and outputs one input feeds (of convolutions as
   PyTorch counts them: by the axes of the weight, whatever groups and strides are). */
typedef struct ty_place {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    double fan_in, fan_out;
    ty_tensor *key;
} ty_place;

/* {ty_init_normal, 0, 0.1}; draw may be the caller's own.  draw NULL: what the layer takes by default. */
typedef struct ty_init {
    ty_tensor *(*draw)(ty_place place, double a, double b);
    double a, b;
} ty_init;

#define INIT(name, value, doc) TY_API ty_tensor *ty_init_##name(ty_place place, double a, double b);
#include <tyto/initialisers.def>

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct ty_model ty_model;

typedef struct ty_model_options {
    uint64_t seed;  /* of the first values */
    bool lazy;      /* parameters are ty_var (to be compiled) instead of ty_track (computes at once) */
    ty_dtype dtype; /* of parameters: TY_F64, ...; 0 (bool is no dtype for this) means TY_F32 */
} ty_model_options;

/* An empty model on inputs of `shape` (without the batch axis).  Ended with ty_model_free. */
TY_API ty_model *ty_model_new(int rank, const int64_t *shape, ty_model_options options);
TY_API void ty_model_free(ty_model *model);
/* "" while all is well. */
TY_API const char *ty_model_error(const ty_model *model);
TY_API bool ty_model_is_lazy(const ty_model *model);

/* The layers on x (batch, shape...).  `key`: the random numbers of this training step (ty_fold of a key);
   NULL: inference, where dropout does nothing. */
TY_API ty_tensor *ty_model_forward(const ty_model *model, ty_tensor *x, ty_tensor *key);

/* Parameters in order; they belong to the model.  Names: ty_name, "conv1.weight". */
TY_API int ty_model_parameters(const ty_model *model);
TY_API ty_tensor *ty_model_parameter(const ty_model *model, int i);
/* Table of layers, output shapes, parameters; the caller frees it with ty_free.  NULL: no memory. */
TY_API char *ty_model_summary(const ty_model *model);
/* Parameters to and from a file (checkpoints of a trainer are read as well).  False: nothing changed, and
   *error, when given, is a poisoned tensor that tells why (as ty_archive_save's); the model stays usable. */
TY_API bool ty_model_save(const ty_model *model, const char *path, ty_tensor **error);
TY_API bool ty_model_load(ty_model *model, const char *path, ty_tensor **error);

/* The network that `tyto demo` trains, for images (28,28,1) of bytes: x/256, conv 5x5x32 relu,
   max-pool 2x2, dropout 0.1, fully connected 1024 relu, linear 10. */
TY_API ty_model *ty_lenet(ty_model_options options);

/* ---- layers: each appends to the model ------------------------------------------------------- */

/* ty_relu, ty_tanh, ty_gelu, ... or the caller's own; NULL: none. */
typedef ty_tensor *(*ty_activation)(ty_tensor *x);

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
typedef ty_conv_layer ty_conv2d_layer;

/* The last axis of x becomes `units`. */
typedef struct ty_linear_layer {
    int64_t units;
    bool no_bias;
    ty_activation activation;
    ty_init weight, bias;
} ty_linear_layer;

TY_API void ty_layer_conv1d(ty_model *model, ty_conv_layer options);
TY_API void ty_layer_conv2d(ty_model *model, ty_conv_layer options);
TY_API void ty_layer_conv3d(ty_model *model, ty_conv_layer options);
TY_API void ty_layer_conv_transpose1d(ty_model *model, ty_conv_layer options);
TY_API void ty_layer_conv_transpose2d(ty_model *model, ty_conv_layer options);
TY_API void ty_layer_conv_transpose3d(ty_model *model, ty_conv_layer options);
TY_API void ty_layer_linear(ty_model *model, ty_linear_layer options);
/* Flattens, then linear. */
TY_API void ty_layer_fully_connected(ty_model *model, ty_linear_layer options);
TY_API void ty_layer_max_pool2d(ty_model *model, ty_pool options);
TY_API void ty_layer_avg_pool2d(ty_model *model, ty_pool options);
/* In training each element is 0 with probability p, else divided by 1 - p. */
TY_API void ty_layer_dropout(ty_model *model, double p);
TY_API void ty_layer_flatten(ty_model *model);
TY_API void ty_layer_activation(ty_model *model, ty_activation activation);
/* Casts to the model's dtype and multiplies. */
TY_API void ty_layer_scale(ty_model *model, double factor);
/* Any function of a tensor that keeps the batch axis; it is called once here with a promise of a batch of 2.
 */
TY_API void ty_layer_lambda(ty_model *model, ty_tensor *(*function)(ty_tensor *x, void *context),
                            void *context);

/* ---- training -------------------------------------------------------------------------------- */

typedef struct ty_trainer ty_trainer;

typedef struct ty_trainer_options {
    ty_tensor *inputs;      /* (n, shape of the model...), values */
    ty_tensor *targets;     /* (n) integers, or what the loss takes */
    int64_t batch;          /* 0 means 100 */
    uint64_t seed;          /* of the order of examples and of dropout */
    ty_optimiser optimiser; /* no rule: Adagrad */
    ty_tensor *(*loss)(ty_tensor *prediction, ty_tensor *target); /* NULL: ty_cross_entropy */
} ty_trainer_options;

/* Where a training stands. */
typedef struct ty_moment {
    int64_t step, steps; /* done; planned by ty_trainer_run */
    double epoch;        /* passes over the examples, fractions included */
    double loss;         /* of the last step */
    double ms;           /* median of the last steps */
    double seconds;      /* since ty_trainer_run began */
} ty_moment;

/* A trainer of `model`: compiled when the model is lazy, else eager; both compute the same.  Borrows the
   model, retains the tensors.  Ended with ty_trainer_free. */
TY_API ty_trainer *ty_trainer_new(ty_model *model, ty_trainer_options options);
TY_API void ty_trainer_free(ty_trainer *trainer);
TY_API const char *ty_trainer_error(const ty_trainer *trainer);
/* One step on the next batch; the loss before it, NaN on failure. */
TY_API double ty_trainer_step(ty_trainer *trainer);
/* Steps until `steps` are done; each(context, now), when given, is called after every step and stops the run
   by false.  True when all were done. */
TY_API bool ty_trainer_run(ty_trainer *trainer, int64_t steps, bool (*each)(void *context, ty_moment now),
                           void *context);
/* Steps done so far, and in one pass over the examples (the last partial batch is left out). */
TY_API int64_t ty_trainer_steps(const ty_trainer *trainer);
TY_API int64_t ty_trainer_steps_per_epoch(const ty_trainer *trainer);
/* A learning rate for the steps to come: call it before each for a schedule. */
TY_API void ty_trainer_set_rate(ty_trainer *trainer, double rate);
/* The compiled step, owned by the trainer; NULL before the first step, and always of an eager one. */
TY_API const ty_program *ty_trainer_program(const ty_trainer *trainer);
/* The share of inputs whose largest output is at the label, an integer; any number of inputs.  NaN on failure:
   *error as of ty_trainer_save; the trainer stays usable. */
TY_API double ty_trainer_accuracy(ty_trainer *trainer, ty_tensor *inputs, ty_tensor *labels,
                                  ty_tensor **error);

/* Parameters, optimiser states, step, rate, seed and options, written atomically; after ty_trainer_load
   (which takes over step, rate and seed) further steps have the same bits as if never stopped.  A damaged or
   mismatching file changes nothing.  False: *error as above; the trainer stays usable. */
TY_API bool ty_trainer_save(const ty_trainer *trainer, const char *path, ty_tensor **error);
TY_API bool ty_trainer_load(ty_trainer *trainer, const char *path, ty_tensor **error);

/* ---- progress line --------------------------------------------------------------------------- */

/* A `each` for ty_trainer_run that redraws one line, at most ten times a second: bar, step, loss, ms/step,
   time left.  Draws only when the file is a terminal and TERM is not dumb. */
typedef struct ty_progress {
    FILE *file;
    double drawn; /* seconds when last drawn; starts as 0 */
    int width;    /* columns drawn; starts as 0 */
} ty_progress;
TY_API bool ty_progress_draw(void *progress, ty_moment now);
/* Wipes the line. */
TY_API void ty_progress_end(ty_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
