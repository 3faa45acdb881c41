/* State of the reader of graphs, and its helper functions. */
#ifndef IO_GRAPH_READING_H
#define IO_GRAPH_READING_H
#include "base/map.h"
#include "io/graphs/graph_file.h"
#include "io/fields.h"

/* State of reading one file: what is built so far, and the graph being read, outermost or a subgraph. */
struct graph_reading {
    ty_graph *graph;
    const ty_archive *archive;
    struct map places; /* hash of a tensor's name -> its index in the archive */
    ty_tensor **held;  /* value by index in the archive, if an earlier node uses it; restores sharing */
    const char *file;
    struct fault *fault;
    struct field_reader fields; /* refuses by graph_refuse; `newer` for files of a later version */
    uint64_t budget;            /* bytes that variables without stored values may still use */
    int64_t nbodies;
    struct body **bodies;
    int *depths; /* nesting depth of subgraph i, itself included */
    /* the graph that is being read */
    int64_t body; /* index of this graph among the subgraphs; -1: the outermost graph */
    int depth;
    int64_t n, nparameters; /* nodes so far, and parameters among them */
    ty_tensor **nodes;
    int places_read; /* texts of locations that the file is the first to have */
    const char *op;  /* operator of the node that is being read; NULL: between nodes */
};

/* Set a fault with the formatted reason that begins with the position, "file: body 2, node 5, add: ...";
   always return false. */
bool graph_refuse(struct graph_reading *r, ty_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Read the value of a field that must be an integer low..high into *number; false sets a fault. */
bool graph_integer(struct graph_reading *r, const char *field, const struct json *value, int64_t low,
                   int64_t high, int64_t *number);
/* Store a subgraph already read, whose index is `value`, and its id at `at`; false sets a fault. context is the
   struct graph_reading. */
bool graph_body_read(void *context, const struct field *f, const struct json *value, void *at);

/* Return the tensor of one node, recorded from its JSON object; NULL after a fault. */
ty_tensor *graph_node_read(struct graph_reading *r, const struct json *node);
#endif
