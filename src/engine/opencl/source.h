/*
 * Programs from text.  A source is built when one of its kernels is called for the first time: from the compiled
 * program of an earlier process (binaries.h), else by the driver's compiler.  A source that cannot be built keeps its
 * fault.
 */
#ifndef ENGINE_OPENCL_SOURCE_H
#define ENGINE_OPENCL_SOURCE_H
#include "engine/opencl/stream.h"

struct opencl_source;

/* The text of a program; source_get copies it. */
struct opencl_text {
    const char *text;
    size_t length;
    const char *options;
    const char *name; /* words for messages */
};
/* Return a reference, for source_release, to the source of this text on an open device; several callers share it.
   NULL, with the fault set, without memory. */
struct opencl_source *source_get(struct device *d, const struct opencl_text *text, struct fault *fault);
/* Drop a reference; commands that were given before may still run.  NULL is allowed. */
void source_release(struct opencl_source *source);

enum { OPENCL_DIMS = 3 };
/* An argument of a kernel: a place in memory, which the kernel gets as a buffer and, if `offset`, an offset in
   bytes. */
struct opencl_call {
    const char *kernel; /* name of the function in the text */
    int nplaces;
    const struct device_place *places; /* each is two arguments: the memory, and a u64, the offset in bytes */
    int nwords;
    const uint32_t *words;       /* further arguments */
    int ndims;                   /* 1 .. OPENCL_DIMS */
    int64_t global[OPENCL_DIMS]; /* least numbers of work items; whole groups are started */
};
/* Give the command to call a kernel.  False, with the fault set, if it could not be built or called. */
bool source_call(struct device *d, struct opencl_stream *s, struct opencl_source *source,
                 const struct opencl_call *call, struct fault *fault);
#endif
