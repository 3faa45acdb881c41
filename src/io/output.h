/* Bytes that go somewhere, front to end: a file (all at once or not at all), memory, the caller's function,
   or through a compressor into another output. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H
#include <tyto/io.h>
#include "base/text.h"

struct output {
    uint64_t position; /* bytes written so far */
    struct fault *fault;
    bool (*write)(struct output *out, const void *bytes, size_t n);
    struct replacement *file;
    struct text memory;
    ty_sink sink;
    struct output *parent;
    struct deflater *deflater;
};

/* The address of an output must not change while it is used.  False with a sentence: nothing is to be ended.
 */
bool output_to_path(struct output *out, const char *path, struct fault *fault);
void output_to_memory(struct output *out, struct fault *fault);
void output_to_sink(struct output *out, ty_sink sink, struct fault *fault);
/* Compresses into `parent`: raw deflate, or a gzip file. */
bool output_deflate(struct output *out, struct output *parent, bool gzip);
/* Writes what the compressor still holds; after it only `parent` is to be ended. */
bool output_deflate_end(struct output *out);

/* Both false after a failure, whose sentence stands in out->fault. */
bool output_write(struct output *out, const void *bytes, size_t n);
/* Writes the text and empties it. */
bool output_text(struct output *out, struct text *t);
/* Ends a file (it stands when all went well and `keep`) or memory (dropped unless taken). */
bool output_end(struct output *out, bool keep);
#endif
