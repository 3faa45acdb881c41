/*
 * A model is a tree of layers, which own variables (parameters and states).  Layers and variables stand in lists in the
 * order in which they were made, so that a pass that fails is undone by cutting both to what they were.
 */
#ifndef NN_MODEL_MODEL_H
#define NN_MODEL_MODEL_H
#include "base/text.h"
#include <tyto/layers.h>

struct variable_entry {
    ty_layer *owner;
    struct variable_entry *next; /* of the same owner */
    ty_tensor *variable;
    ty_tensor *pending; /* what a state becomes after this pass; NULL: what it was */
    const char *name;   /* "weight": in the variable's own */
    int pytorch[8], keras_axes[8], keras_blocks[8];
    char *keras; /* a copy, or NULL */
    ty_join keras_join;
    bool is_state, frozen;
};

struct ty_layer {
    ty_model *model;
    ty_layer *parent, *child, *next; /* next: of the same parent; the youngest comes first */
    char *path;
    const char *name;          /* the last part of the path */
    const ty_layer_kind *kind; /* NULL: a place of a function */
    void *options;             /* a copy */
    struct variable_entry *variables;
    int index; /* in the model's list */
    int numbered; /* of the layers of its prefix in its parent, which have names by number; 0: it has one of its own */
    int64_t pass;      /* in which it was last called, or entered */
    int64_t calls;     /* in that pass */
    double operations; /* that the last call counted */
    bool folded;       /* a norm whose factor is part of the weight before it */
    int rank;          /* of the first result of the last call; -1: none */
    int64_t shape[TY_MAX_RANK];
    ty_dtype dtype;
};

struct entries {
    int n, capacity;
    struct variable_entry **at;
};

struct ty_model {
    ty_model_options options;
    ty_forward forward;
    const void *context;
    void (*drop)(const void *context); /* of a context that the model owns */
    struct fault fault;
    ty_layer root;
    int nlayers, capacity;
    ty_layer **layers;
    struct entries parameters, states;
    ty_tensor *key; /* of this pass; retained; NULL: inference */
    int64_t pass;
    struct fault pass_fault; /* of a place that could not be made in this pass */
    uint64_t told;           /* hash of the sentence of this pass that names its layer */
    ty_function *predictor;  /* inference, compiled for each form; NULL: not asked for yet */
    bool keep;               /* the next pass goes on from the pending states of the one before */
    bool folded;             /* some norms are: for inference alone */
    void (*watch)(void *watcher, ty_layer *l, const ty_tensor *x,
                  const ty_tensor *y); /* of calls; NULL: nobody */
    void *watcher;
    int depth;   /* of calls */
    int nesting; /* of calls of layers */
};

/* ty_model_new with a context (or NULL) that the model owns: `drop` (NULL: the caller keeps it) ends it with the model,
   refused or not, and at once where there is no memory for a model. */
ty_model *model_new_owning(ty_forward forward, void *context, void (*drop)(const void *context),
                           ty_model_options options);

/* What NULL means where a model or a layer is expected: one that has failed, static and never changed. */
extern struct ty_model model_null;
static inline ty_model *model_of(const ty_model *m) { return m ? (ty_model *)(uintptr_t)m : &model_null; }
static inline ty_layer *layer_of(const ty_layer *l) {
    return l ? (ty_layer *)(uintptr_t)l : &model_null.root;
}

/* Takes over x's sentence when x is poisoned; true when x is well. */
bool model_check(struct fault *fault, const char *what, const ty_tensor *x);
/* *error = the fault as a poisoned tensor, when both are there; returns whether there is no fault. */
bool model_tell(const struct fault *fault, ty_tensor **error);
/* Room for one more pointer. */
bool model_room(void **array, int count, int *capacity, struct fault *fault);

/* A tensor that lives from step to step: ty_var where the model is lazy, else ty_track. */
static inline ty_tensor *model_variable(const ty_model *m, ty_tensor *value, const char *name) {
    return m->options.lazy ? ty_var(value, name) : ty_track(value, name);
}

/* How much of a model there is. */
struct extent {
    int layers, parameters, states;
};
struct extent model_extent(const ty_model *m);
/* Takes away what was made since. */
void model_cut(ty_model *m, struct extent extent);
/* Whether it is for inference alone, of which the fault tells. */
static inline bool model_is_folded(const ty_model *m, struct fault *fault) {
    return m->folded &&
           !fault_set(fault, "model: ty_model_fold made it one for inference alone; training and "
                             "loading are for a model that is not folded yet");
}
/* Forgets what states were to become. */
void model_forget(ty_model *m);

/* The layer of the name inside `at`, made where there is none; NULL, and a fault. */
ty_layer *layer_enter(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                      struct fault *fault);
/* The first result of the layer. */
ty_tensor *layer_one(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options, int n,
                     ty_tensor *const *x);
/* A sentence of the layer: "conv1: ...".  Poison. */
ty_tensor *layer_refuse(ty_layer *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "relu"; "function" for one without a name; NULL for NULL. */
const char *activation_name(ty_activation activation);
/* activation(x), or x for NULL. */
ty_tensor *activation_apply(ty_activation activation, ty_tensor *x);
#endif
