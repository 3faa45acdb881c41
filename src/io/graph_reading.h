/* What reading a graph knows while it goes on, and its parts. */
#ifndef IO_GRAPH_READING_H
#define IO_GRAPH_READING_H
#include "base/map.h"
#include "io/graph_file.h"
#include "io/json.h"

struct graph_reading {
    ty_graph *graph;
    const ty_archive *archive;
    struct map places; /* hash of a tensor's name -> its place in the archive */
    ty_tensor **held;  /* by place: the value of a node before, so that who shared it shares it again */
    const char *file;
    struct fault *fault;
    bool newer;      /* written by a later version: fields that are not known are passed over */
    uint64_t budget; /* bytes that variables without values may still take */
    int64_t nbodies;
    struct body **bodies;
    int *depths; /* of body i: how many are inside each other there, itself too */
    /* the graph at hand */
    int64_t body; /* its number; -1: the outermost */
    int depth;
    int64_t n, nparameters; /* nodes so far, and parameters among them */
    ty_tensor **nodes;
    const char *op; /* of the node at hand; NULL: none is */
};

/* "file: body 2, node 5, add: ..."; false. */
bool graph_refuse(struct graph_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where `found` stands for what was expected. */
bool graph_unexpected(struct graph_reading *r, const char *field, const struct json *found,
                      const char *expected);
/* Whether an object has no other fields than these, of which NULL ends; a word with "?" in front need not be there. */
bool graph_check_fields(struct graph_reading *r, const struct json *object, const char *const *fields);
/* The field, a whole number of low .. high. */
bool graph_integer(struct graph_reading *r, const char *field, const struct json *value, int64_t low,
                   int64_t high, int64_t *number);
bool graph_dtype(struct graph_reading *r, const char *field, const struct json *value, ty_dtype *dtype);

/*
 * The attributes of in->op from an object of JSON; in has the operands, and the dtype and shape that the file says.  They
 * are in memory of the caller's (mem_free), whose size is *bytes; NULL after a fault.
 */
void *graph_fields_read(struct graph_reading *r, const struct json *object, const struct infer *in,
                        size_t *bytes);
/* Reads node `i` of a list. */
ty_tensor *graph_node_read(struct graph_reading *r, const struct json *node);
#endif
