/*
 * A model is a tree of layers that own variables (parameters and states). Layers and variables are listed in
 * order of creation, so a failed pass is undone by truncating the lists.
 */
#ifndef NN_MODEL_MODEL_H
#define NN_MODEL_MODEL_H
#include "base/for_command.h"
#include "base/text.h"
#include <tyto/layers.h>

/* A parameter or a state; owned by the model's lists. */
struct variable_entry {
    ty_layer *owner;
    struct variable_entry *next; /* next variable of the same owner */
    ty_tensor *variable;
    ty_tensor *pending; /* value of a state after this pass; NULL: unchanged */
    const char *name;   /* such as "weight"; a suffix of the variable's own name */
    int pytorch[8], keras_axes[8], keras_blocks[8];
    char *keras; /* owned copy, or NULL */
    ty_join keras_join;
    bool is_state, frozen;
};

/* A layer, or a name in the tree that groups layers; owned by the model. */
struct ty_layer {
    ty_model *model;
    ty_layer *parent, *child, *next; /* next: sibling; the newest child comes first */
    char *path;
    const char *name;          /* last part of the path */
    const char *place;         /* of the tensors that it records (location_layer); NULL: none */
    const ty_layer_kind *kind; /* kind of the layer; NULL: a name in the tree without a function */
    void *options;             /* owned copy */
    struct variable_entry *variables;
    int index;         /* index in the model's list */
    int numbered;      /* number in an automatic name; 0: named by the caller */
    int64_t pass;      /* pass in which it was last called or entered */
    int64_t calls;     /* calls in that pass */
    double operations; /* operations counted by the last call */
    bool folded;       /* norm whose factor is folded into the weight before it */
    int rank;          /* rank of the first result of the last call; -1: none */
    int64_t shape[TY_MAX_RANK];
    ty_dtype dtype;
};

/* A list of variables in order of creation. */
struct entries {
    int n, capacity;
    struct variable_entry **at;
};

/* A model; owns its layers and variables. It has no lock: one thread at a time may call it. */
struct ty_model {
    ty_model_options options;
    ty_forward forward;
    const void *context;
    void (*drop)(const void *context); /* frees a context that the model owns */
    struct fault fault;
    ty_layer root;
    int nlayers, capacity;
    ty_layer **layers;
    struct entries parameters, states;
    ty_tensor *key; /* random key of this pass, retained; NULL: inference */
    int64_t pass;
    struct fault pass_fault; /* failure to create a layer in this pass */
    uint64_t told;           /* hash of the last message of this pass, which already names its layer */
    ty_function *predictor;  /* compiled inference; NULL: not requested yet */
    bool keep;               /* the next pass continues from the pending states */
    bool folded;             /* contains folded norms: inference only */
    /* Hook called for each call of a layer, with an operand x and the result y; NULL: none. */
    void (*watch)(void *watcher, ty_layer *l, const ty_tensor *x, const ty_tensor *y);
    void *watcher;
    /* Limit of the elements of all variables, 0: none; and the number of those that are made.  Files of weights bound the
       model that they name. */
    double most_elements, elements;
    char *notes[TY_NOTES]; /* texts that are saved with the weights, owned; NULL: none */
    int depth;             /* nesting of model calls */
    int nesting;           /* nesting of layer calls */
};

/* Create a model that owns `context` (may be NULL). `drop` (NULL: none) frees it with the model, or at once
   without memory. Never NULL; errors set the model's fault. */
ty_model *model_new_owning(ty_forward forward, void *context, void (*drop)(const void *context),
                           ty_model_options options);
/* Return a model that has failed with this fault; the caller frees it. */
ty_model *model_failed(const struct fault *fault);

/* Replaces NULL where a model or layer is expected: static, failed, never changed. */
extern struct ty_model model_null;
/* Return m without const; for NULL the static model_null, which has failed. */
static inline ty_model *model_of(const ty_model *m) { return m ? (ty_model *)(uintptr_t)m : &model_null; }
/* Return l without const; the root of model_null for NULL. */
static inline ty_layer *layer_of(const ty_layer *l) {
    return l ? (ty_layer *)(uintptr_t)l : &model_null.root;
}

/* Return the table of ty_model_summary, whose rounded numbers have at most `digits` digits. */
char *model_summary(const ty_model *m, int digits) FOR_COMMAND(model_summary);
/* Return true if x is valid and the fault unset; a poisoned x sets the fault to "what: message". */
bool model_check(struct fault *fault, const char *what, const ty_tensor *x);
/* Return true if the fault is unset; else set *error to poison with its message, unless error is NULL, and
   return false. */
bool model_tell(const struct fault *fault, ty_tensor **error);

/* Return a new tensor `name` that persists across steps and starts as `value`: by ty_var in a lazy model,
   else by ty_track. Poison on failure. */
static inline ty_tensor *model_variable(const ty_model *m, ty_tensor *value, const char *name) {
    return m->options.lazy ? ty_var(value, name) : ty_track(value, name);
}

/* Lengths of the lists of a model. */
struct extent {
    int layers, parameters, states;
};
/* Return the current lengths, for model_cut. */
struct extent model_extent(const ty_model *m);
/* Remove layers and variables made since model_extent returned `extent`. */
void model_cut(ty_model *m, struct extent extent);
/* Return true, with the fault set, if the model is folded, so for inference only. */
static inline bool model_is_folded(const ty_model *m, struct fault *fault) {
    return m->folded &&
           !fault_set(fault, E_STATE,
                      "model: ty_model_fold made it inference-only; train and load before folding");
}
/* Release the pending values of all states. */
void model_forget(ty_model *m);

/* Call a layer on n operands and return its first result, poison on failure. */
ty_tensor *layer_one(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                     size_t size, int n, ty_tensor *const *x);
/* Return poison whose message begins with the layer's path, such as "conv1: ...". */
ty_tensor *layer_refuse(ty_layer *self, ty_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Return the name of an activation, such as "relu"; "function" if it is unlisted, NULL for NULL. */
const char *activation_name(ty_activation activation);
/* Return the name of activation i of all that have one; NULL behind the last one. */
const char *activation_listed(int i);
/* Return activation(x), or x if the activation is NULL. */
ty_tensor *activation_apply(ty_activation activation, ty_tensor *x);
#endif
