/*
 * A model is a list of layers.  A layer kind is one file that ends in one struct of functions, listed in
 * layers.def; nothing else in the tree knows a kind by name.  Output shapes are never computed by hand:
 * adding a layer records it once on a promise, and the operators' own shape rules answer.
 */
#ifndef NN_MODEL_H
#define NN_MODEL_H
#include "base/text.h"
#include <tyto/nn.h>

enum { LAYER_MAX_PARAMETERS = 4 };

struct layer {
    const struct layer_kind *kind;
    char *name;    /* "conv1" */
    void *options; /* a copy of what the caller gave */
    int nparameters;
    ty_tensor *parameters[LAYER_MAX_PARAMETERS];
    int rank; /* of the output, with the batch axis first; shape[0] is of no meaning */
    int64_t shape[TY_MAX_RANK];
};

struct layer_kind {
    const char *name;   /* in the summary */
    const char *prefix; /* of the layer's name */
    size_t options;     /* bytes */
    /* Checks the options, makes parameters with model_parameter; may be NULL.  `in` is the layer before. */
    bool (*build)(ty_model *m, struct layer *l, const struct layer *in);
    ty_tensor *(*forward)(const ty_model *m, const struct layer *l, ty_tensor *x, ty_tensor *key);
    /* Adds what the options say: "5x5 same, relu"; may be NULL. */
    void (*describe)(const struct layer *l, struct text *t);
    const void *variant; /* what tells kinds of the same functions apart */
};

struct ty_model {
    ty_model_options options;
    struct fault fault;
    int nlayers, capacity;
    struct layer *layers; /* layers[0] stands for the input and has no kind */
    int nparameters, parameter_capacity;
    ty_tensor **parameters;
};

/* What NULL means where a model or a trainer is expected: one that has failed, static and never changed. */
extern struct ty_model model_null;
static inline ty_model *model_of(const ty_model *m) { return m ? (ty_model *)(uintptr_t)m : &model_null; }

/* Every layer kind, NULL-terminated. */
extern const struct layer_kind *const layer_table[];

/* Appends a layer of the kind; on failure the model has a fault. */
void model_add(ty_model *m, const struct layer_kind *kind, const void *options);
/* Draws the next parameter of layer l; false after a fault. */
bool model_parameter(ty_model *m, struct layer *l, const char *name, ty_init init, int rank,
                     const int64_t *shape, double fan_in, double fan_out);
/* Takes over x's sentence when x is poisoned; true when x is well. */
bool model_check(struct fault *fault, const char *what, const ty_tensor *x);
/* Adds the activation's name, or nothing for NULL. */
void activation_describe(ty_activation activation, struct text *t);
/* activation(x), or x for NULL. */
ty_tensor *activation_apply(ty_activation activation, ty_tensor *x);
#endif
