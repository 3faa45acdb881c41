/*
 * Models.  A layer is a function of tensors at a position in a model's tree.  Each position (ty_layer) has a name,
 * parameters, states, random keys, and layers inside it.  Parameters are made when a layer is first called, in shapes
 * that follow from its operands; called again under the same name, it is the same layer with the same parameters.
 *
 *   static void net(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
 *       ty_tensor *h = ty_layer_linear(self, "hidden", x[0], (ty_linear_layer){.units = 128, .activation = ty_relu});
 *       h = ty_layer_dropout(self, NULL, h, (ty_dropout_layer){.p = 0.1});
 *       y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 10});
 *   }
 *   ty_model *m = ty_model_new(net, NULL, (ty_model_options){.seed = 1, .lazy = true});
 *
 * A custom layer is a C function that calls others inside its own layer: ty_layer_in(self, "block1").  Sequences of
 * layers are values, too: TY_LAYER(linear, .units = 10) is one, and ty_model_sequence makes a model of several.
 *
 * A returned model is never NULL; NULL as an argument counts as one that has failed.  One thread at a time uses a
 * model.
 */
#ifndef TYTO_MODEL_H
#define TYTO_MODEL_H

#include <tyto/core.h>
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- initialisers: the entries of initialisers.def ---- */

/* A parameter to be initialised.  Fans: number of inputs of one output, and of outputs of one input; for
   convolutions counted as PyTorch does, by the axes of the weight, whatever groups and strides are. */
typedef struct ty_place {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    double fan_in, fan_out;
    ty_tensor *key;
} ty_place;

/* An initialiser with two numbers, such as {ty_init_normal, 0, 0.1}.  draw may be the caller's own; NULL: the
   layer's default. */
typedef struct ty_init {
    ty_tensor *(*draw)(const ty_place *place, double a, double b);
    double a, b;
} ty_init;

/* Draw the initial value of a parameter, of place's dtype and shape, with the numbers a and b as initialisers.def
   says.  Poison if place is NULL, or its shape or key is invalid. */
#define INIT(name, value, doc) TY_API ty_tensor *ty_init_##name(const ty_place *place, double a, double b);
#include <tyto/tables/initialisers.def>

/* ---- models ---------------------------------------------------------------------------------- */

/* A tree of layers with their variables. */
typedef struct ty_model ty_model;
/* A layer's position in a model, which owns it; valid during the call that passed it. */
typedef struct ty_layer ty_layer;

/* The function of a model or of a kind of layer: computes the results y[0 ..) from x[0 .. n).  options: the layer's
   options, or the model's context. */
typedef void (*ty_forward)(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y);

/* Options of a model; zeros are the defaults. */
typedef struct ty_model_options {
    uint64_t seed;  /* of the initial values */
    bool lazy;      /* parameters are ty_var (to be compiled) instead of ty_track (computes at once) */
    ty_dtype dtype; /* of parameters: TY_F64, ...; 0 (bool, which is not possible) stands for TY_F32 */
    /* dtype in which layers compute: TY_BF16 or TY_F16 with parameters of f32; 0 means dtype */
    ty_dtype compute;
    int inputs;  /* number of operands; 0 means 1 */
    int results; /* number of results; 0 means 1 */
    /* size of the context, which is copied; 0 means that it is borrowed and outlives the model */
    size_t context_bytes;
} ty_model_options;

TY_API ty_model *ty_model_new_sized(ty_forward forward, const void *context, const ty_model_options *options,
                                    size_t size);
/* Make a model whose function is called at each ty_model_call, with `context`, which must outlive the model, or is
   copied if options.context_bytes says its size.  forward NULL: a model whose layers are called at ty_model_root.
   Never NULL: ty_model_error returns the reason of a failure.  The caller frees it with ty_model_free. */
TY_INLINE ty_model *ty_model_new(ty_forward forward, const void *context, ty_model_options options) {
    return ty_model_new_sized(forward, context, &options, sizeof options);
}
/* Free a model.  NULL is allowed. */
TY_API void ty_model_free(ty_model *model);
/* Return the error message of a model, "" if it is valid.  The text lives as long as the model. */
TY_API const char *ty_model_error(const ty_model *model);
/* Return the error of a model as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_model_failure(const ty_model *model);
/* Return true if the model's parameters are ty_var, to be compiled; false if they are ty_track, which compute at
   once. */
TY_API bool ty_model_is_lazy(const ty_model *model);
/* Return the number of tensors that a call takes.  0 for NULL. */
TY_API int ty_model_operands(const ty_model *model);
/* Return the number of results of a call.  0 for NULL. */
TY_API int ty_model_results(const ty_model *model);

/* Compute the model's results y[0 ..) of x[0 .. n).  `key`: random numbers of this training step (ty_fold of a
   key); NULL: inference, where dropout does nothing and norms use their running statistics.  The first call
   makes the parameters.  A call that fails leaves the model unchanged, and poisons all results with a message
   that begins with the layer's name. */
TY_API void ty_model_call(ty_model *model, ty_tensor *key, int n, ty_tensor *const *x, ty_tensor **y);
/* Call a model of one operand x and one result, which is returned.  `key` is as for ty_model_call: NULL:
   inference.  Poison on failure. */
TY_API ty_tensor *ty_model_forward(ty_model *model, ty_tensor *x, ty_tensor *key);
/* Compute the model's results y[0 ..) in inference on values x[0 .. n), compiled once for each shape and dtype of the
   operands if the model is lazy.  False on failure: all results are then poisoned. */
TY_API bool ty_model_predict(ty_model *model, int n, ty_tensor *const *x, ty_tensor **y);
/* Declare for ty_model_predict that axis `axis` of operand `operand` has many sizes, of at most `most`, as
   ty_function_bound does; ty_model_fold forgets it.  False, with the reason in *error unless NULL, if the model has
   failed or is not lazy, or an argument is out of range. */
TY_API bool ty_model_bound(ty_model *model, int operand, int axis, int64_t most, ty_tensor **error);
/* Make the parameters for operands of the dtypes and shapes of x[0 .. n), without computing.  False on failure,
   with the reason in *error unless NULL: a poisoned tensor that the scope owns. */
TY_API bool ty_model_build(ty_model *model, int n, ty_tensor *const *x, ty_tensor **error);

/*
 * Fold batch norms into the layers before them, for inference alone.  Returns the number of norms folded; -1 on
 * failure: *error, unless NULL, receives the reason: a poisoned tensor that the scope owns.  Norms are folded one after
 * the other, each completely, so memory holds one layer besides the weights.  After a failure some may be folded; the
 * model computes the same results, and another call folds the others.
 *
 * A norm is folded if it reads the result of a convolution or linear layer (any kind with `channels`), and no other
 * layer reads it.  Its factors are multiplied into that layer's weight; an addition remains.  x[0 .. n) are operands of
 * any valid shape, as for ty_model_build.  Values of parameters and states change, results by roundings.  Training and
 * loading are refused from then on; do not assign to a folded norm's variables.
 */
TY_API int ty_model_fold(ty_model *model, int n, ty_tensor *const *x, ty_tensor **error);

/* Return the outermost layer, which the model owns, for layers that are called outside a forward function.
   Never NULL; for a NULL model it is a layer that has failed. */
TY_API ty_layer *ty_model_root(ty_model *model);
/* Begin a pass of calls at ty_model_root: numbers of unnamed layers start at 1 again.  `key`: random numbers of
   a training step; NULL: inference. */
TY_API void ty_model_begin(ty_model *model, ty_tensor *key);

/* Return the number of parameters; they are numbered from 0 in the order in which they were made.  0 before
   they are made, and for NULL. */
TY_API int ty_model_parameters(const ty_model *model);
/* Return parameter i, counted from 0, which the model owns; ty_name gives its name, such as "conv1.weight".  Poison
   if i is outside. */
TY_API ty_tensor *ty_model_parameter(const ty_model *model, int i);
/* Return the number of states: variables that training changes without gradients, such as running means.  0
   before they are made, and for NULL. */
TY_API int ty_model_states(const ty_model *model);
/* Return state i, counted from 0, which the model owns; ty_name gives its name.  Poison if i is outside. */
TY_API ty_tensor *ty_model_state(const ty_model *model, int i);
/* Return the parameter or state of a name, which the model owns.  Poison if there is none. */
TY_API ty_tensor *ty_model_find(const ty_model *model, const char *name);
/* Write the states' new values, from the last call with a key, to updates[], at most `room` of them (updates
   may be NULL).  Returns their total number, which may be more; 0 if there are none or the model is NULL.  They
   are for ty_compile; ty_model_commit assigns them. */
TY_API int ty_model_updates(const ty_model *model, int room, ty_update *updates);
/* Give the states their new values from the last call with a key; a ty_trainer does so itself.  False on
   failure: nothing changed, and *error, unless NULL, receives the reason: a poisoned tensor that the scope owns. */
TY_API bool ty_model_commit(ty_model *model, ty_tensor **error);
/* Exclude the parameters whose names begin with `prefix` (NULL: all) from training, or with `frozen` false
   include them again.  Returns the number of parameters with that prefix. */
TY_API int ty_model_freeze(ty_model *model, const char *prefix, bool frozen);
/* Return true if the parameter of that index, counted from 0, is frozen; false if it is outside. */
TY_API bool ty_model_is_frozen(const ty_model *model, int parameter);

/* Format a table of the layers as last called: names, kinds, shapes of results, parameters, operations of
   contractions, bytes of results.  For a failed model the text is "error: " and the reason.  The caller frees
   the text with ty_free; NULL: out of memory. */
TY_API char *ty_model_summary(const ty_model *model);

/* ---- weights in files ------------------------------------------------------------------------ */

/* Names of parameters and order of their axes in a file. */
typedef enum ty_layout { TY_LAYOUT_TYTO, TY_LAYOUT_PYTORCH, TY_LAYOUT_KERAS } ty_layout;

/* A change of names: tensors of the model whose names begin with `model` have names that begin with `file` in the
   file. */
typedef struct ty_renaming {
    const char *model, *file;
} ty_renaming;

/* Options of reading and writing weights. */
typedef struct ty_weights_options {
    ty_layout layout;          /* names of parameters and order of their axes */
    const ty_renaming *rename; /* nrename entries; the first whose `model` fits counts */
    int nrename;
    bool skip_missing; /* keep the values of tensors that the file lacks */
    bool skip_extra;   /* ignore tensors that the model lacks (those of a trainer are always ignored) */
    bool cast;         /* convert from another floating dtype */
    bool unused;
} ty_weights_options;

TY_API bool ty_model_save_sized(const ty_model *model, const char *path, const ty_weights_options *options,
                                size_t size, ty_tensor **error);
/* Write parameters and states to the file `path`, of any format with names; safetensors get a checksum.
   `options` change names and order of axes.  False on failure: nothing changed, and *error, unless NULL,
   receives a poisoned tensor that the scope owns; TY_ERROR_STATE if the model has no parameters yet. */
TY_INLINE bool ty_model_save(const ty_model *model, const char *path, ty_weights_options options,
                             ty_tensor **error) {
    return ty_model_save_sized(model, path, &options, sizeof options, error);
}
TY_API bool ty_model_load_sized(ty_model *model, const char *path, const ty_weights_options *options,
                                size_t size, ty_tensor **error);
/* Read parameters and states from the file `path`, of any format with names (ty_archive_open); the model must be
   built before.  `options` change names and order of axes.  The error lists tensors that are missing, extra, or of
   another shape or dtype: the first 12 and the number of the others.  False on failure: nothing changed, and *error,
   unless NULL, receives a poisoned tensor that the scope owns.  The model stays usable. */
TY_INLINE bool ty_model_load(ty_model *model, const char *path, ty_weights_options options,
                             ty_tensor **error) {
    return ty_model_load_sized(model, path, &options, sizeof options, error);
}

/* Texts that travel with the weights of a model. */
typedef enum ty_note {
    TY_NOTE_PREPARATION, /* how tables become inputs: ty_preparation_to_json */
    TY_NOTE_NETWORK,     /* how the model was made, as JSON; models of descriptions and of zoo.h have it */
    TY_NOTE_INPUT, /* dtype and shape of an example of operand 0, "f32 28 28 1"; set as parameters are made */
    TY_NOTE_CLASSES,   /* names of classes, a line for each */
    TY_NOTE_TOKENIZER, /* how text becomes tokens: ty_tokenizer_to_json */
    TY_NOTES
} ty_note;
/* Keep a copy of a text with the model, NULL: none.  ty_model_save, to safetensors, and ty_trainer_save write it, and
   ty_model_load reads it.  False if the model has failed, there is no such note, or without memory: nothing changed. */
TY_API bool ty_model_set_note(ty_model *model, ty_note note, const char *text);
/* Return a text that the model keeps, which lives until the next one; NULL if there is none. */
TY_API const char *ty_model_note(const ty_model *model, ty_note note);

/* ---- inside a layer -------------------------------------------------------------------------- */

/* Return the layer `name` inside the layer `at`, which the model owns, for a function that calls several layers.
   `name` must not be NULL.  Never returns NULL; on failure layers called inside it report the error. */
TY_API ty_layer *ty_layer_in(ty_layer *at, const char *name);

/* Representation of several consecutive parameters of a layer as one tensor under their Keras name. */
typedef enum ty_join {
    TY_JOIN_NONE,  /* separate tensors */
    TY_JOIN_SUM,   /* their sum; when read, the first gets it and the others 0 */
    TY_JOIN_STACK, /* stacked along a new first axis */
} ty_join;

/* Description of a parameter or state, for ty_layer_parameter and ty_layer_state. */
typedef struct ty_parameter {
    int rank;
    const int64_t *shape;
    ty_init init;
    double fan_in, fan_out;
    ty_dtype dtype; /* of a state; 0 means the model's */
    int pytorch[8]; /* axes of this tensor in PyTorch's order; all 0 means the same */
    /* Keras' name (copied), appended to the layer's name with a point, or directly if it begins with _.  NULL: the
       same. */
    const char *keras;
    int keras_axes[8]; /* axes of this tensor in Keras' order; all 0 means the same */
    /* the last axis as blocks of equal size, in Keras' order: {1, 0, 2}; all 0 means the same */
    int keras_blocks[8];
    ty_join keras_join;
    int unused;
} ty_parameter;

TY_API ty_tensor *ty_layer_parameter_sized(ty_layer *self, const char *name, const ty_parameter *parameter,
                                           size_t size);
/* Return the parameter `name` of the layer, made at the first call as `parameter` describes, in the dtype in
   which the model computes.  Poison on failure. */
TY_INLINE ty_tensor *ty_layer_parameter(ty_layer *self, const char *name, ty_parameter parameter) {
    return ty_layer_parameter_sized(self, name, &parameter, sizeof parameter);
}
TY_API ty_tensor *ty_layer_state_sized(ty_layer *self, const char *name, const ty_parameter *form,
                                       size_t size);
/* Return the value of the state `name`, or the one set in this pass.  Made at the first call as `form`
   describes, of zeros unless that has an init.  Poison on failure. */
TY_INLINE ty_tensor *ty_layer_state(ty_layer *self, const char *name, ty_parameter form) {
    return ty_layer_state_sized(self, name, &form, sizeof form);
}
/* Set the value that the state `name` gets after this step.  It is cast to the state's dtype; another shape makes
   the model's call fail, as does a state that ty_layer_state has not read before.  Does nothing in inference. */
TY_API void ty_layer_set_state(ty_layer *self, const char *name, ty_tensor *value);
/* Return the key of random numbers of this call of the layer: another one in each call and layer.  The scope owns
   it.  NULL in inference. */
TY_API ty_tensor *ty_layer_key(ty_layer *self);
/* Return true in training (a call with a key), false in inference. */
TY_API bool ty_layer_trains(const ty_layer *self);
/* Return the dtype in which the model computes.  TY_F32 for NULL. */
TY_API ty_dtype ty_layer_dtype(const ty_layer *self);
/* Add `operations` to the number of this call that the model's summary shows: two for each product of a
   contraction. */
TY_API void ty_layer_count(ty_layer *self, double operations);
/* Return the path of a layer, such as "encoder.3.attn"; "" for the root and NULL.  The text lives as long as
   the model. */
TY_API const char *ty_layer_path(const ty_layer *self);

/* ---- kinds of layers ------------------------------------------------------------------------- */

/* Type of a layer's option. */
typedef enum ty_option_type {
    TY_OPTION_INT,        /* int64_t */
    TY_OPTION_REAL,       /* double */
    TY_OPTION_FLAG,       /* bool */
    TY_OPTION_ACTIVATION, /* ty_activation */
    TY_OPTION_INIT,       /* ty_init */
    TY_OPTION_POINTER     /* not expressible in a description */
} ty_option_type;

/* An option of a layer: name, type, offset in its struct in bytes, and length if it is an array (0 means 1). */
typedef struct ty_option {
    const char *name;
    ty_option_type type;
    size_t offset;
    int count;
} ty_option;

/* A kind of layer; static. */
typedef struct ty_layer_kind {
    const char *name;   /* in summaries and descriptions: "conv2d" */
    const char *prefix; /* of layers without a name, before a number: "conv"; NULL: name */
    const char *doc;    /* one line */
    size_t bytes;       /* size of the struct of options */
    /* table of the options, ended by an entry without a name; NULL: none are shown or read */
    const ty_option *options;
    int operands; /* number of operands; 0 means 1, -1: any number, which the function checks */
    int results;  /* number of results, at most 16; 0 means 1 */
    ty_forward forward;
    /* For ty_model_fold, if results are linear in the parameter "weight": returns the axis of the weight along
       which the results' channels lie, the only axis of "bias".  -1: not with these options.  *result: their axis
       in the result; -1 is the last.  NULL: not such a kind. */
    int (*channels)(const void *options, int *result);
    const void *unused[4]; /* 0: room for later members */
} ty_layer_kind;

/* Call a layer of a kind with the given options, of `size` bytes (sizeof *options; NULL and 0: the defaults), named
   `name` inside `at` (NULL: the kind's prefix and a number), on x[0 .. n).  Every layer of layers.h is such a call, and
   a custom layer may be one.  The results, as many as the kind has, are written to y[], all poisoned on failure. */
TY_API void ty_layer_call(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                          size_t size, int n, ty_tensor *const *x, ty_tensor **y);

/* A layer as a value: TY_LAYER(linear, .units = 10). */
typedef struct ty_layer_value {
    const ty_layer_kind *kind;
    const char *name;    /* NULL: by number */
    const void *options; /* NULL: the defaults */
    size_t size;         /* sizeof *options */
} ty_layer_value;

/* A ty_layer_value in C (not C++); its options live as long as the enclosing block. */
#define TY_LAYER(kind, ...) TY_LAYER_AS(NULL, kind, __VA_ARGS__)
#define TY_LAYER_AS(name, kind, ...)                                                                         \
    { &ty_kind_##kind, name, &(ty_##kind##_layer){__VA_ARGS__}, sizeof(ty_##kind##_layer) }

TY_API ty_model *ty_model_sequence_sized(int n, const ty_layer_value *steps, const ty_model_options *options,
                                         size_t size);
/* Make a model of n layers, steps[i], each applied to the first result of the one before; their options are
   copied.  Never NULL: ty_model_error returns the reason of a failure.  The caller frees it with ty_model_free. */
TY_INLINE ty_model *ty_model_sequence(int n, const ty_layer_value *steps, ty_model_options options) {
    return ty_model_sequence_sized(n, steps, &options, sizeof options);
}
/* Call n layers, steps[i], inside the layer `at`, the first on x, each other one on the first result of the one
   before.  Returns the last one's first result, poison on failure. */
TY_API ty_tensor *ty_layer_sequence(ty_layer *at, int n, const ty_layer_value *steps, ty_tensor *x);

TY_API ty_model *ty_model_read_sized(const char *path, const ty_model_options *options, size_t size);
/*
 * Make a model from a file with a description in JSON (docs/networks.md):
 *
 *   {"inputs": {"image": [28, 28, 1]},
 *    "layers": [{"layer": "conv2d", "name": "c1", "size": [5, 5], "channels": 32, "activation": "relu"},
 *               {"layer": "linear", "units": 10, "inputs": ["c1"]}],
 *    "outputs": ["linear1"]}
 *
 * A layer's other fields are its options.  Its operand is the previous layer, or those that "inputs" names.  The
 * result is the last layer's, or those that "outputs" names.  Parameters are made at once.  Never NULL: ty_model_error
 * returns the reason of a failure.  The caller frees it with ty_model_free.
 */
TY_INLINE ty_model *ty_model_read(const char *path, ty_model_options options) {
    return ty_model_read_sized(path, &options, sizeof options);
}
TY_API ty_model *ty_model_parse_sized(const char *json, size_t n, const ty_model_options *options,
                                      size_t size);
/* Make a model from n bytes of a description in JSON, as ty_model_read; the bytes are needed during the call
   alone.  Never NULL: ty_model_error returns the reason of a failure.  The caller frees it with ty_model_free. */
TY_INLINE ty_model *ty_model_parse(const char *json, size_t n, ty_model_options options) {
    return ty_model_parse_sized(json, n, &options, sizeof options);
}
/* Get input i, counted from 0, of a model made from a description: name, dtype, rank and shape without the batch
   axis, which live as long as the model.  Pointers may be NULL.  False if i is outside, or for another model. */
TY_API bool ty_model_input(const ty_model *model, int i, const char **name, ty_dtype *dtype, int *rank,
                           const int64_t **shape);

/* An activation: ty_relu, ty_tanh, ty_gelu, ... or the caller's own; NULL: none. */
typedef ty_tensor *(*ty_activation)(ty_tensor *x);
/* Return the activation of a name in descriptions and summaries, such as "relu"; NULL if there is none. */
TY_API ty_activation ty_activation_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif
