/* Networks described in files: nodes and their operands. */
#ifndef NN_DESCRIPTION_H
#define NN_DESCRIPTION_H
#include "nn/model/model.h"

/* A layer of a description; owns its name, options and list of operands. */
struct described_node {
    char *name; /* generated from the kind if not given */
    const ty_layer_kind *kind;
    void *options;
    int ninputs;
    int *inputs; /* indices of nodes; -1 - i stands for input i of the model */
};

/* An input of the described model. */
struct described_input {
    char *name;
    ty_dtype dtype;
    int rank;
    int64_t shape[TY_MAX_RANK]; /* shape without the batch axis */
};

/* A parsed description, freed by description_drop. */
struct description {
    int ninputs, nnodes, noutputs;
    struct described_input *inputs;
    struct described_node *nodes;
    int *order;   /* topological order, as indices of nodes */
    int *outputs; /* encoded like inputs of nodes */
};

/* Parse the n bytes of a JSON description; messages begin with `what`. The caller frees the result with
   description_drop; NULL sets the fault. */
struct description *description_read(const char *what, const char *json, size_t n, struct fault *fault);
/* Return a new model made from the n bytes of a description, with at most so many elements in all variables; 0: any
   number.  Mistakes are faults of the model; never NULL. */
ty_model *description_model(const char *json, size_t n, double most_elements, ty_model_options options);
/* Free a description and everything in it; NULL is ignored. */
void description_drop(struct description *d);
#endif
