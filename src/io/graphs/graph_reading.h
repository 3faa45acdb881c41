/* State of the reader of graphs, and its helper functions. */
#ifndef IO_GRAPH_READING_H
#define IO_GRAPH_READING_H
#include "base/map.h"
#include "io/graphs/graph_file.h"
#include "io/json.h"

/* State of reading one file: what is built so far, and the graph being read, outermost or a subgraph. */
struct graph_reading {
    ty_graph *graph;
    const ty_archive *archive;
    struct map places; /* hash of a tensor's name -> its index in the archive */
    ty_tensor **held;  /* value by index in the archive, if an earlier node uses it; restores sharing */
    const char *file;
    struct fault *fault;
    bool newer;      /* file of a later version: unknown fields are ignored */
    uint64_t budget; /* bytes that variables without stored values may still use */
    int64_t nbodies;
    struct body **bodies;
    int *depths; /* nesting depth of subgraph i, itself included */
    /* the graph that is being read */
    int64_t body; /* index of this graph among the subgraphs; -1: the outermost graph */
    int depth;
    int64_t n, nparameters; /* nodes so far, and parameters among them */
    ty_tensor **nodes;
    const char *op; /* operator of the node that is being read; NULL: between nodes */
};

/* Set a fault with the formatted reason that begins with the position, "file: body 2, node 5, add: ...";
   always return false. */
bool graph_refuse(struct graph_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Set a fault about a field: it shows the value `found` (NULL: the field is missing) and the expected kind.
   Always return false. */
bool graph_unexpected(struct graph_reading *r, const char *field, const struct json *found,
                      const char *expected);
/* Return true if the object has exactly these fields, a list ended by NULL; a name with "?" in front is
   optional. Unknown fields are allowed in files of later versions. Else set a fault and return false. */
bool graph_check_fields(struct graph_reading *r, const struct json *object, const char *const *fields);
/* Read the value of a field that must be an integer low..high into *number; false sets a fault. */
bool graph_integer(struct graph_reading *r, const char *field, const struct json *value, int64_t low,
                   int64_t high, int64_t *number);
/* Read the value of a field that must be the name of a dtype into *dtype; false sets a fault. */
bool graph_dtype(struct graph_reading *r, const char *field, const struct json *value, ty_dtype *dtype);

/* Build the attributes of in->op from a JSON object; `in` has the operands and the dtype and shape of the
   file. Return memory that the caller frees (mem_free) and its size in *bytes; NULL after a fault. */
void *graph_fields_read(struct graph_reading *r, const struct json *object, const struct infer *in,
                        size_t *bytes);
/* Return the tensor of one node, recorded from its JSON object; NULL after a fault. */
ty_tensor *graph_node_read(struct graph_reading *r, const struct json *node);
#endif
