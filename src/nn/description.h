/* A network that was described in a file: nodes in an order in which operands come before what uses them. */
#ifndef NN_DESCRIPTION_H
#define NN_DESCRIPTION_H
#include "nn/model/model.h"

struct described_node {
    char *name; /* NULL: by number */
    const ty_layer_kind *kind;
    void *options;
    int ninputs;
    int *inputs; /* numbers of nodes; -1 - i: input i of the model */
};

struct described_input {
    char *name;
    ty_dtype dtype;
    int rank;
    int64_t shape[TY_MAX_RANK]; /* without the batch axis */
};

struct description {
    int ninputs, nnodes, noutputs;
    struct described_input *inputs;
    struct described_node *nodes;
    int *order;   /* in which nodes are computed */
    int *outputs; /* as inputs of nodes */
};

struct description *description_read(const char *what, const char *json, size_t n, struct fault *fault);
void description_drop(struct description *d);
#endif
