/* A loaded model: graphs whose names have been resolved to slots. */
#ifndef ONNX_GRAPH_H
#define ONNX_GRAPH_H
#include "base/for_command.h"
#include <tyto/context.h>
#include <tyto/onnx.h>
#include "base/map.h"
#include "onnx/call.h"
#include "onnx/outside.h"

/* A node whose operator has been found. */
struct onnx_node {
    const struct proto_node *proto;
    const struct onnx_row *row;     /* NULL: a call of a function of the model */
    struct onnx_function *function; /* NULL: an operator */
    int64_t opset;
    int ninputs, noutputs, nbodies, nends;
    int32_t *inputs, *outputs; /* slots; -1: absent */
    struct onnx_graph *bodies; /* graphs of attributes */
    int32_t *ends;             /* slots that no later node reads */
};

/* An initialiser. */
struct onnx_initial {
    int32_t slot;
    const char *name;
    struct onnx_value value; /* the model owns its tensor */
    ty_tensor
        *parameter; /* the variable of it in recorded graphs; NULL: none is made yet, or it is no parameter */
};

/* A slot that gets a value of the graph around this one. */
struct onnx_capture {
    int32_t outer, slot;
};

/* A graph.  Slots hold inputs, initialisers, results of nodes, and values of the graphs around it. */
struct onnx_graph {
    const char *attribute; /* of the node that contains it; NULL: a model's or function's */
    int ninputs, noutputs, nnodes, nslots, ninitial, ncaptures;
    int32_t *inputs, *outputs;
    struct onnx_node *nodes;
    struct onnx_initial *initial;
    struct onnx_capture *captures;
    const char **names;              /* of slots */
    const struct proto_graph *proto; /* NULL: of a function */
    int64_t weight;                  /* number of nodes when functions and graphs inside are expanded */
    int inside;                      /* depth of functions and graphs inside one another */
};

/* A function of the model. */
struct onnx_function {
    const struct proto_function *proto;
    struct onnx_graph graph;
    bool resolved, resolving;
};

/* An operator that the table lacks, and how many nodes use it. */
struct onnx_lack {
    const char *domain, *name;
    int64_t opset, count;
};

/* A model.  All but tensors lies in its arena or in the mapped file. */
struct ty_onnx {
    struct arena arena;
    struct fault fault;
    const char *path;        /* in messages */
    struct wire_bytes bytes; /* the file */
    bool mapped;
    struct onnx_outside outside;
    const struct proto_model *proto;
    struct onnx_graph graph;
    int nfunctions;
    struct onnx_function *functions;
    struct map function_map; /* hash of a name -> number of a function */
    struct onnx_lack *lacks;
    int nlacks, lacks_capacity;
    struct onnx_initial **initial; /* of all graphs */
    int ninitial, initial_capacity;
    ty_onnx_port *ports;       /* of the inputs, then of the outputs */
    struct onnx_trace *traces; /* latest first */
    int fallbacks;             /* number of sets of inputs without a trace; for tests */
    struct fault untraced;     /* why the last one has none */
    bool eager;
    bool unfused;     /* programs are compiled without fusion and rewrites */
    int64_t retraced; /* nodes that gradients compute again */
    bool draws;       /* a run has made random numbers */
    bool fixed;       /* static */
    int64_t runs;     /* number of runs, from which random numbers are made */
    bool running;     /* its programs and their memory are in use */
    void *shared;     /* memory of shared_bytes for the intermediate results of all programs (reserve.h) */
    int64_t shared_bytes;
    ty_context *shared_account; /* the context that is charged for it; NULL: none */
};

/* Load a model of a file, or of bytes that outlive it.  Never NULL: model->fault is set if the model cannot run. */
struct ty_onnx *onnx_model_load(const char *path);
struct ty_onnx *onnx_model_read(const char *name, struct wire_bytes bytes);
void onnx_model_free(struct ty_onnx *model);

/* Describe an input or output; arrays lie in the model's arena.  False: no memory. */
bool onnx_port(struct ty_onnx *model, const struct proto_value *value, ty_onnx_port *port)
    FOR_COMMAND(onnx_port);

/* Resolve the names and operators of all graphs.  False, with the fault set; unknown operators are in model->lacks, and
   one fault lists them all. */
bool onnx_resolve(struct ty_onnx *model);
#endif
