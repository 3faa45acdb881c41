/* A run of a model: walking nodes with values or promises. */
#ifndef ONNX_RUN_H
#define ONNX_RUN_H
#include "onnx/call.h"
#include "onnx/graph.h"

enum onnx_mode {
    ONNX_EAGER, /* all tensors are values */
    ONNX_TRACE, /* tensors may be promises of a graph that is recorded to be compiled; elements of these end a segment */
    ONNX_RECORD /* promises of the caller; elements are read where the library reads those of promises */
};

struct onnx_run {
    const struct onnx_model *model;
    enum onnx_mode mode;
    struct arena *arena; /* of values that live as long as the run */
    struct fault *fault;
    bool needs_elements;      /* a row has asked for elements of a promise while tracing */
    struct onnx_frame *frame; /* innermost */
    struct onnx_trace *trace;
    int64_t keys; /* keys of random numbers given in this run */
    ty_tensor *seed;
    int depth;
};

/* The values of a graph while it is walked. */
struct onnx_frame {
    const struct onnx_graph *graph;
    struct onnx_frame *outer;
    struct onnx_value *slots;
    const struct onnx_scope
        *scope; /* of the call of the function of which the graph is the body; NULL: none */
};

/* Walk a graph with values for its inputs and for what it sees of the graphs around it, and set its outputs, which belong
   to the innermost scope.  False, with run->fault set. */
bool onnx_walk(struct onnx_run *run, const struct onnx_graph *graph, const struct onnx_scope *scope,
               const struct onnx_value *inputs, const struct onnx_value *captured,
               struct onnx_value *outputs);
#endif
