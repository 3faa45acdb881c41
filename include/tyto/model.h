/*
 * Tyto: models.  A layer is a function of tensors with a place in a model.  The place has a name, parameters, states,
 * random keys, and places inside it.  Parameters are made when a layer is first called, in shapes that follow from its
 * operands; called again under the same name, it is the same layer with the same parameters.
 *
 *   static void net(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
 *       ty_tensor *h = ty_layer_linear(self, "hidden", x[0], (ty_linear_layer){.units = 128, .activation = ty_relu});
 *       h = ty_layer_dropout(self, NULL, h, (ty_dropout_layer){.p = 0.1});
 *       y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 10});
 *   }
 *   ty_model *m = ty_model_new(net, NULL, (ty_model_options){.seed = 1, .lazy = true});
 *
 * A layer of one's own is a C function that calls others at a place inside its own: ty_layer_in(self, "block1").
 * Layers in a row are values, too: TY_LAYER(linear, .units = 10) is one, and ty_model_sequence makes a model of several.
 *
 * A model that comes back is never NULL, and NULL counts as one that has failed.  One thread at a time uses a model.
 */
#ifndef TYTO_MODEL_H
#define TYTO_MODEL_H

#include <tyto/core.h>
#include <tyto/graph.h>

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
/* A place in a model.  It belongs to the model; use it during the call that gave it. */
typedef struct ty_layer ty_layer;

/* The function of a model or of a kind of layer: fills the results y[0 ..) from x[0 .. n).  options: what the kind's caller
   gave, or the model's context. */
typedef void (*ty_forward)(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y);

typedef struct ty_model_options {
    uint64_t seed;        /* of the first values */
    bool lazy;            /* parameters are ty_var (to be compiled) instead of ty_track (computes at once) */
    ty_dtype dtype;       /* of parameters: TY_F64, ...; 0 (bool is no dtype for this) means TY_F32 */
    ty_dtype compute;     /* what layers compute in: TY_BF16 or TY_F16 beside parameters of f32; 0: dtype */
    int inputs;           /* tensors that the model takes; 0 means 1 */
    int results;          /* tensors that it gives; 0 means 1 */
    size_t context_bytes; /* the context is copied: so many bytes; 0: it is borrowed and outlives the model */
} ty_model_options;

/* forward is called at each ty_model_call.  forward NULL: a model whose layers are called at
   ty_model_root.  Ended with ty_model_free. */
TY_API ty_model *ty_model_new(ty_forward forward, const void *context, ty_model_options options);
TY_API void ty_model_free(ty_model *model);
/* "" while all is well. */
TY_API const char *ty_model_error(const ty_model *model);
TY_API bool ty_model_is_lazy(const ty_model *model);
/* How many tensors it takes, and gives. */
TY_API int ty_model_operands(const ty_model *model);
TY_API int ty_model_results(const ty_model *model);

/* The results y[0 ..) of x[0 .. n).  `key`: the random numbers of this training step (ty_fold of a key); NULL: inference,
   where dropout does nothing and norms use what they have gathered.  The first call makes the parameters.  A call that
   fails leaves the model as it was, and its results are poisoned with a sentence that begins with the layer's name. */
TY_API void ty_model_call(ty_model *model, ty_tensor *key, int n, ty_tensor *const *x, ty_tensor **y);
/* The same for one operand and one result. */
TY_API ty_tensor *ty_model_forward(ty_model *model, ty_tensor *x, ty_tensor *key);
/* Inference on values, compiled once for each form of the operands where the model is lazy.  False: results are poison. */
TY_API bool ty_model_predict(ty_model *model, int n, ty_tensor *const *x, ty_tensor **y);
/* Makes the parameters for operands of these forms, and computes nothing.  False: *error, when given, tells why. */
TY_API bool ty_model_build(ty_model *model, int n, ty_tensor *const *x, ty_tensor **error);

/* Makes a model for inference alone: a batch norm that reads what a convolution or a linear layer (any kind with `channels`)
   gave, and nobody else reads, hands its factors over to the weight of that layer, and is a sum from then on.  x: operands of
   any such form, as for ty_model_build.  Values of parameters and states change, results by roundings.  Returns how many norms
   were folded; training and loading are refused from then on, and who assigns to what a norm has is left alone with it.  -1:
   nothing changed, *error tells why. */
TY_API int ty_model_fold(ty_model *model, int n, ty_tensor *const *x, ty_tensor **error);

/* The outermost place, for layers that are called outside of a forward function. */
TY_API ty_layer *ty_model_root(ty_model *model);
/* Begins a pass of calls at ty_model_root: names that layers get by number begin at 1 again. */
TY_API void ty_model_begin(ty_model *model, ty_tensor *key);

/* Parameters in the order in which they were made; they belong to the model.  Names: ty_name, "conv1.weight". */
TY_API int ty_model_parameters(const ty_model *model);
TY_API ty_tensor *ty_model_parameter(const ty_model *model, int i);
/* States: what training changes beside gradients, as running means; named in the same way. */
TY_API int ty_model_states(const ty_model *model);
TY_API ty_tensor *ty_model_state(const ty_model *model, int i);
/* The parameter or state of the name; poison when there is none. */
TY_API ty_tensor *ty_model_find(const ty_model *model, const char *name);
/* What the states become by the last call with a key: at most `room` of them are written to `updates`; returns how many
   there are.  They go into ty_compile, or to ty_model_commit. */
TY_API int ty_model_updates(const ty_model *model, int room, ty_update *updates);
/* Gives the states their new values; a ty_trainer does so by itself.  False: nothing changed, *error tells why. */
TY_API bool ty_model_commit(ty_model *model, ty_tensor **error);
/* Whether trainers leave parameters alone whose names begin with `prefix`; returns of how many that was said. */
TY_API int ty_model_freeze(ty_model *model, const char *prefix, bool frozen);
TY_API bool ty_model_is_frozen(const ty_model *model, int parameter);

/* Table of the layers as they were last called: names, kinds, shapes of results, parameters, operations of contractions and
   bytes of results; the caller frees it with ty_free.  NULL: no memory. */
TY_API char *ty_model_summary(const ty_model *model);

/* ---- weights in files ------------------------------------------------------------------------ */

typedef enum ty_layout { TY_LAYOUT_TYTO, TY_LAYOUT_PYTORCH, TY_LAYOUT_KERAS } ty_layout;

/* A tensor of the model whose name begins with `model` is in the file under the name that begins with `file` instead. */
typedef struct ty_renaming {
    const char *model, *file;
} ty_renaming;

typedef struct ty_weights_options {
    ty_layout layout;          /* names of parameters and order of their axes */
    const ty_renaming *rename; /* nrename of them; the first whose `model` fits counts */
    int nrename;
    bool skip_missing; /* tensors that the file lacks keep their values */
    bool skip_extra;   /* tensors that the model lacks are no error (those of a trainer never are) */
    bool cast;         /* another floating dtype is converted */
} ty_weights_options;

/* Parameters and states to a file (any format with names; safetensors with a checksum), and from one.  A model is built
   before it is loaded.  What is missing, extra, of another shape or of another dtype is listed all at once.  False: nothing
   changed, and *error, when given, is a poisoned tensor that tells why; the model stays usable. */
TY_API bool ty_model_save(const ty_model *model, const char *path, ty_weights_options options,
                          ty_tensor **error);
TY_API bool ty_model_load(ty_model *model, const char *path, ty_weights_options options, ty_tensor **error);

/* ---- inside a layer -------------------------------------------------------------------------- */

/* The place of that name inside `at`, for a function that calls several layers. */
TY_API ty_layer *ty_layer_in(ty_layer *at, const char *name);

/* How several parameters of a layer, made one after the other, are one tensor under their Keras name. */
typedef enum ty_join {
    TY_JOIN_NONE,  /* each is one of its own */
    TY_JOIN_SUM,   /* it is their sum; read, the first has it and the others 0 */
    TY_JOIN_STACK, /* they are its elements along a first axis */
} ty_join;

typedef struct ty_parameter {
    int rank;
    const int64_t *shape;
    ty_init init;
    double fan_in, fan_out;
    ty_dtype dtype; /* of a state; 0: the model's */
    int pytorch[8]; /* axes of this tensor in the order in which PyTorch has them; all 0: the same */
    /* Keras' name (copied), which comes after the layer's and a point; one that begins with _ comes after the layer's at
       once.  NULL: the same. */
    const char *keras;
    int keras_axes[8]; /* as `pytorch` */
    int keras_blocks
        [8]; /* the last axis as blocks of one size, in the order in which Keras has them: {1, 0, 2}; all 0: the same */
    ty_join keras_join;
} ty_parameter;

/* The parameter `name` of the layer, made when it is first asked for, in the dtype that the model computes in. */
TY_API ty_tensor *ty_layer_parameter(ty_layer *self, const char *name, ty_parameter parameter);
/* The state `name` (ty_init_zeros where no init is given): its value, or what it was set to in this pass. */
TY_API ty_tensor *ty_layer_state(ty_layer *self, const char *name, ty_parameter form);
/* What the state becomes after this step; of its shape and dtype.  In inference nothing happens. */
TY_API void ty_layer_set_state(ty_layer *self, const char *name, ty_tensor *value);
/* Random numbers of this call of the layer; NULL in inference. */
TY_API ty_tensor *ty_layer_key(ty_layer *self);
TY_API bool ty_layer_trains(const ty_layer *self);
/* What the model computes in. */
TY_API ty_dtype ty_layer_dtype(const ty_layer *self);
/* Adds to the operations of this call that the summary shows: two for each product of a contraction. */
TY_API void ty_layer_count(ty_layer *self, double operations);
/* "encoder.3.attn"; "" of the root. */
TY_API const char *ty_layer_path(const ty_layer *self);

/* ---- kinds of layers ------------------------------------------------------------------------- */

typedef enum ty_option_type {
    TY_OPTION_INT,        /* int64_t */
    TY_OPTION_REAL,       /* double */
    TY_OPTION_FLAG,       /* bool */
    TY_OPTION_ACTIVATION, /* ty_activation */
    TY_OPTION_INIT,       /* ty_init */
    TY_OPTION_POINTER     /* nothing that a description could say */
} ty_option_type;

/* One option: its name, type, place in the struct, and of how many it is an array (0 means 1). */
typedef struct ty_option {
    const char *name;
    ty_option_type type;
    size_t offset;
    int count;
} ty_option;

typedef struct ty_layer_kind {
    const char *name;   /* in summaries and descriptions: "conv2d" */
    const char *prefix; /* of layers that are named by number: "conv"; NULL: name */
    const char *doc;    /* a line */
    size_t bytes;       /* of the struct of options */
    /* its table, ended by a row without a name; NULL: nothing of it is shown or read */
    const ty_option *options;
    int operands; /* tensors that it takes; 0 means 1, -1 any number, which its function looks at */
    int results;  /* tensors that it gives; 16 at most; 0 means 1 */
    ty_forward forward;
    /* Of a kind whose results are linear in its parameter "weight", for ty_model_fold: the axis of the weight along which
       channels of the results lie, those of "bias", if it has one, being its only axis; -1: not with these options.  *result:
       their axis in the result; -1 is the last.  NULL: of no such kind. */
    int (*channels)(const void *options, int *result);
} ty_layer_kind;

/* A layer of the kind at the place of that name inside `at` (NULL: the kind's prefix and a number).  Every layer of
   layers.h is such a call, and so may the caller's own be. */
TY_API void ty_layer_call(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                          int n, ty_tensor *const *x, ty_tensor **y);

/* A layer as a value: TY_LAYER(linear, .units = 10). */
typedef struct ty_layer_value {
    const ty_layer_kind *kind;
    const char *name; /* NULL: by number */
    const void *options;
} ty_layer_value;

/* C only: the options live as long as the block around. */
#define TY_LAYER(kind, ...) TY_LAYER_AS(NULL, kind, __VA_ARGS__)
#define TY_LAYER_AS(name, kind, ...)                                                                         \
    {                                                                                                        \
        &ty_kind_##kind, name, &(ty_##kind##_layer) { __VA_ARGS__ }                                          \
    }

/* A model of steps, each on the first result of the one before; they are copied. */
TY_API ty_model *ty_model_sequence(int n, const ty_layer_value *steps, ty_model_options options);
/* The same inside of another model. */
TY_API ty_tensor *ty_layer_sequence(ty_layer *at, int n, const ty_layer_value *steps, ty_tensor *x);

/*
 * A model from a description in JSON (docs/networks.md):
 *
 *   {"inputs": {"image": [28, 28, 1]},
 *    "layers": [{"layer": "conv2d", "name": "c1", "size": [5, 5], "channels": 32, "activation": "relu"},
 *               {"layer": "linear", "units": 10, "inputs": ["c1"]}],
 *    "outputs": ["linear1"]}
 *
 * A layer's other fields are its options.  Its operand is the layer before, or what "inputs" names.  The result is the last
 * layer's, or what "outputs" names.  Parameters are made at once.
 */
TY_API ty_model *ty_model_read(const char *path, ty_model_options options);
/* The same from n bytes. */
TY_API ty_model *ty_model_parse(const char *json, size_t n, ty_model_options options);
/* Input i of a model that was described: its shape without the batch axis, which lives as long as the model; NULL for
   what is not wanted.  False: outside, or another model. */
TY_API bool ty_model_input(const ty_model *model, int i, const char **name, ty_dtype *dtype, int *rank,
                           const int64_t **shape);

/* ty_relu, ty_tanh, ty_gelu, ... or the caller's own; NULL: none. */
typedef ty_tensor *(*ty_activation)(ty_tensor *x);
/* By name, as descriptions and summaries have it: "relu"; NULL: none. */
TY_API ty_activation ty_activation_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
