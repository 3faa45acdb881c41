/* A loaded model: graphs whose names have been resolved to slots. */
#ifndef ONNX_GRAPH_H
#define ONNX_GRAPH_H
#include "onnx/call.h"

/* A node whose operator has been found. */
struct onnx_node {
    const struct proto_node *proto;
    const struct onnx_row *row;           /* NULL: a call of a function of the model */
    const struct onnx_function *function; /* NULL: an operator */
    int64_t opset;
    int ninputs, noutputs, nbodies;
    int32_t *inputs, *outputs; /* slots; -1: absent */
    struct onnx_graph **bodies;
    int nends;
    int32_t *ends; /* slots that no later node reads */
};

/* A graph.  Slots hold first what it sees of the graphs around it, then inputs, initialisers and results of nodes. */
struct onnx_graph {
    const char *name;
    const char *attribute; /* of the node that contains it; NULL: a model's or function's */
    int ncaptured, ninputs, noutputs, nnodes, nslots, ninitial;
    int32_t *captured;        /* slots of the graph around it, from which the first slots are copied */
    const char *const *names; /* of slots */
    int32_t *inputs, *outputs;
    struct onnx_node *nodes;
    struct onnx_initial *initial;
    const struct proto_graph *proto; /* NULL: of a function */
};

/* An initialiser. */
struct onnx_initial {
    int32_t slot;
    const struct proto_tensor *proto;
    const struct proto_sparse *sparse;
    struct onnx_value value; /* the model owns its tensor */
    ty_tensor
        *parameter; /* the variable that stands for it in recorded graphs; NULL: not made, or no parameter */
    bool is_input;  /* also an input, which a caller may give */
};

/* A function of the model. */
struct onnx_function {
    const struct proto_function *proto;
    struct onnx_graph *graph;
    bool resolving; /* it is being resolved: a call of it calls itself */
};
#endif
