/* Resolving the names of a graph: its state, and functions on it. */
#ifndef ONNX_RESOLVE_H
#define ONNX_RESOLVE_H
#include "base/for_command.h"
#include "base/map.h"
#include "onnx/graph.h"

/* A graph while its names are resolved. */
struct naming {
    struct ty_onnx *model;
    struct naming *outer; /* of the graph around it, whose names it sees; NULL: there is none */
    struct onnx_graph *graph;
    const struct proto_opset *opsets;
    int64_t nopsets;
    struct map slots; /* hash of a name -> slot */
    const char **names;
    int32_t *last; /* the last node that reads a slot; -1: none yet */
    struct onnx_capture *captures;
    int capacity, captures_capacity;
    int node;  /* number of the node that is being resolved */
    int depth; /* graphs and functions around this one */
};

/* Find the slot of a name.  A name of the graphs around this one becomes a capture.  -1 if the name is unknown. */
int32_t naming_find(struct naming *n, const char *name);
/* Find the slot of a name in this graph alone; -1 if there is none. */
int32_t naming_own(const struct naming *n, const char *name);
/* Add a slot.  -1, with the fault set, if the name is there already or memory runs out. */
int32_t naming_add(struct naming *n, const char *name);
/* Return zeroed memory for `count` items that lives as long as the model, with one item more; NULL with the fault set. */
void *naming_room(struct naming *n, int64_t count, size_t size);
/* Copy the lists of names and captures to the graph.  False, with the fault set. */
bool naming_finish(struct naming *n);
void naming_drop(struct naming *n);

/* Return a domain's short name: "" for ai.onnx. */
const char *onnx_domain(const char *domain) FOR_COMMAND(onnx_domain);
/* Check the versions, opsets and functions that a model names, and set its list and map of functions.  False, with the fault
   set. */
bool onnx_check_head(struct ty_onnx *model);
/* Find a function of the model; NULL if there is none. */
struct onnx_function *onnx_function_find(struct ty_onnx *model, const char *domain, const char *name,
                                         const char *overload);
/* Find the operator or function of a node; count a missing one.  False, with the fault set, for wrong domains. */
bool resolve_operator(struct naming *n, const struct proto_node *proto, struct onnx_node *node);
/* Return the graph of the nodes that compute the value y of xs and zs, its inputs.  Attributes of this node name these
   values.  NULL, with the fault set, if a name is unknown or memory runs out. */
struct proto_graph *resolve_retrace(struct naming *n, const struct proto_node *proto);
/* Resolve a function at its first call; depth: graphs and functions around it. */
bool resolve_function(struct ty_onnx *model, struct onnx_function *function, int depth);
#endif
