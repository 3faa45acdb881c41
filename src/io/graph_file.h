/*
 * Graphs in files (docs/graph_format.md): a safetensors file of the values, whose texts have one of JSON for the structure.
 */
#ifndef IO_GRAPH_FILE_H
#define IO_GRAPH_FILE_H
#include <tyto/io.h>
#include "base/arena.h"
#include "control/body.h"

#define GRAPH_KEY "tyto_graph"
enum {
    GRAPH_VERSION = 1, /* what is written, and the newest that is known */
    GRAPH_READER = 1,  /* the oldest version whose readers understand what is written */
    GRAPH_DEPTH = 16   /* bodies inside of each other: each takes a part of the stack when it is compiled */
};

struct ty_graph {
    struct fault fault;
    struct arena arena;
    int noutputs, nvariables, nupdates;
    const char **names;
    ty_tensor **outputs; /* a reference to each, as to the variables */
    ty_tensor **variables;
    ty_update *updates; /* of the same references' variables, and a reference to each value */
};

/* Adds the attributes of in->op as an object of JSON; `number` tells which one a body is in the file, negative after a
   fault. */
bool graph_fields_write(struct text *t, const struct infer *in,
                        int64_t (*number)(void *context, struct body *b), void *context);

/* Fills a graph from the text and the values of its archive; sentences begin with `name`.  False after a fault: what is
   filled is the graph's none the less. */
bool graph_read(ty_graph *g, const ty_archive *archive, const char *name, const char *json, uint64_t most,
                struct fault *fault);
#endif
