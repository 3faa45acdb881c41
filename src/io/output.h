/* Sequential outputs of bytes: a file that is replaced atomically, memory, the caller's function, or a
   compressor in front of another output. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H
#include <tyto/io.h>
#include "base/text.h"

/* An output of bytes, in the caller's memory; output_end closes it. */
struct output {
    uint64_t position; /* number of bytes written so far */
    struct fault *fault;
    bool (*write)(struct output *out, const void *bytes, size_t n);
    struct replacement *file;
    struct text memory;
    ty_sink sink;
    struct output *parent;
    struct deflater *deflater;
    bool stops; /* a request to stop fails the writing; not if it came before the beginning */
};

/* Begin to write the file at `path`, replaced by output_end. The address of `out` must not change while it
   is used. False sets the fault; then output_end must not be called. */
bool output_to_path(struct output *out, const char *path, struct fault *fault);
/* Begin to write into out->memory, which the caller may take before output_end. */
void output_to_memory(struct output *out, struct fault *fault);
/* Begin to write to the caller's function; errors set the fault. */
void output_to_sink(struct output *out, ty_sink sink, struct fault *fault);
/* Begin to compress into `parent`: raw deflate, or a gzip file. Errors set the parent's fault. If false,
   output_deflate_end must not be called. */
bool output_deflate(struct output *out, struct output *parent, bool gzip);
/* Write the rest of the compressed data and free the compressor; the parent remains open. False if anything
   failed. */
bool output_deflate_end(struct output *out);

/* True if the writing may go on.  False, with out->fault set, at a request to stop. */
bool output_goes_on(struct output *out);
/* Append n bytes; false after this or an earlier failure, with out->fault set. */
bool output_write(struct output *out, const void *bytes, size_t n);
/* Append the text and empty it; false after this or an earlier failure, with out->fault set. */
bool output_text(struct output *out, struct text *t);
/* Close the output. A file is put in place if `keep` is set and nothing failed, else discarded; memory that
   was not taken is freed. Return true if kept. */
bool output_end(struct output *out, bool keep);
#endif
