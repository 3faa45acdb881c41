/* A run of a model: walking nodes with values or promises. */
#ifndef ONNX_RUN_H
#define ONNX_RUN_H
#include "base/for_command.h"
#include "onnx/call.h"
#include "onnx/graph.h"

enum onnx_mode {
    ONNX_EAGER, /* all tensors are values */
    ONNX_TRACE, /* tensors may be promises of a graph that is recorded to be compiled; elements of these end a segment */
    ONNX_RECORD /* promises of the caller; elements are read where the library reads those of promises */
};

/* The values of a graph while it is walked.  A slot owns references to its tensors. */
struct onnx_frame {
    const struct onnx_graph *graph;
    struct onnx_frame *outer; /* of the graph whose node runs this one */
    struct onnx_value *slots;
};

/* Called after each node of the outermost graph, with its results. */
struct onnx_watch {
    void (*after)(void *context, const struct proto_node *node, const struct onnx_value *outputs);
    void *context;
};

struct onnx_run {
    struct ty_onnx *model;
    enum onnx_mode mode;
    struct arena *arena; /* of lists and strings */
    struct fault *fault;
    struct onnx_frame *frame;       /* innermost */
    struct onnx_trace *trace;       /* ONNX_TRACE */
    const struct onnx_watch *watch; /* NULL: none */
    bool needs_elements;            /* a row has asked for elements of a promise while tracing */
    int whole;                      /* number of nodes around this one in whose graphs no segment may end */
    int inside; /* number of loops and branches of the graph around this node, whose bodies are recorded */
    int unrecorded; /* number of these that could not be recorded (ops/control/loops.c) */
    int64_t keys;   /* keys of random numbers that were made */
    ty_tensor *key; /* from which they are made; NULL: none yet */
};

/* Walk a graph with values for its inputs and captures, and set its outputs, which belong to the innermost scope.  False,
   with run->fault set. */
bool onnx_walk(struct onnx_run *run, const struct onnx_graph *graph, const struct onnx_scope *scope,
               const struct onnx_value *inputs, const struct onnx_value *captured, struct onnx_value *outputs)
    FOR_COMMAND(onnx_walk);

/* Continue to execute a graph from node `first` on, with the slots of a frame, which it empties; otherwise as
   onnx_walk. */
bool onnx_walk_on(struct onnx_run *run, struct onnx_frame *frame, int first, const struct onnx_scope *scope,
                  struct onnx_value *outputs);

/* Run the row or function of a node on inputs, and on captures of each body; both need not be those of the frame. */
bool onnx_node_run(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
                   const struct onnx_value *inputs, const struct onnx_value *const *captured,
                   struct onnx_value *outputs);

/* Gather the values that each body of a node sees in the frame, in the arena.  NULL sets the fault. */
const struct onnx_value *const *onnx_gather(struct onnx_run *run, const struct onnx_node *node,
                                            const struct onnx_frame *frame, struct arena *arena);

/* Set a slot: its old value loses a reference to each tensor, the new one gets one. */
void onnx_slot_set(struct onnx_value *slot, struct onnx_value value);
/* Add or drop a reference to each tensor of a value. */
void onnx_value_retain(const struct onnx_value *value);
void onnx_value_release(const struct onnx_value *value);
/* Add a reference to each tensor, which the innermost scope owns.  False, with the fault set, if memory runs out: some
   tensors may have the reference. */
bool onnx_value_share(const struct onnx_value *value, struct fault *fault);
#endif
