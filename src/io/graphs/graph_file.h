/*
 * Graphs in files (docs/graph_format.md): a safetensors file of the values, with the structure as JSON in its
 * metadata.
 */
#ifndef IO_GRAPH_FILE_H
#define IO_GRAPH_FILE_H
#include "base/for_command.h"
#include <tyto/io.h>
#include "base/arena.h"
#include "control/body.h"

#define GRAPH_KEY "tyto_graph"
enum {
    GRAPH_VERSION = 2, /* the newest that is known */
    GRAPH_PLAIN = 1,   /* version of files whose nodes have no layers and places, which version 2 added */
    GRAPH_READER = 1,  /* oldest version whose readers understand written files */
    GRAPH_DEPTH = 16   /* most nesting of subgraphs: compiling each level takes stack */
};

/* A graph loaded from a file. It owns its arena and references to its tensors. */
struct ty_graph {
    struct fault fault;
    struct arena arena;
    int noutputs, nvariables, nupdates;
    const char **names;
    ty_tensor **outputs; /* outputs; the graph has one reference to each, as to the variables */
    ty_tensor **variables;
    ty_update *updates; /* variables borrowed from the list above, one reference to each value */
};

/* Fill graph g from the JSON text and the values of its archive; messages begin with `name`, `most` limits
   memory in bytes. False after a fault; the contents so far still belong to g. */
bool graph_read(ty_graph *g, const ty_archive *archive, const char *name, const char *json, uint64_t most,
                struct fault *fault);
/* Set the graph's variables to all among the n nodes; false without memory, with no fault set. */
bool graph_list_variables(ty_graph *g, int64_t n, ty_tensor *const *nodes);
/* Return a graph of n outputs as they are: it shares their nodes, which keep their locations.  The caller frees it with
   ty_graph_free.  Never NULL: failures are kept in the graph's fault. */
ty_graph *graph_hold(int n, const char *const *names, ty_tensor *const *outputs) FOR_COMMAND(graph_hold);
#endif
