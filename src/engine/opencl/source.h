/*
 * Programs from text.  A source is built when one of its kernels is called for the first time: from the compiled
 * program of an earlier process (base/files/disk_cache.h), else by the driver's compiler.  A source that cannot be
 * built keeps its fault.
 */
#ifndef ENGINE_OPENCL_SOURCE_H
#define ENGINE_OPENCL_SOURCE_H
#include "engine/opencl/stream.h"

struct opencl_source;

/* The text of a program; source_make copies it. */
struct opencl_text {
    const char *text;
    size_t length;
    const char *options;
    const char *name; /* words for messages */
};
/* Return the source of this text on an open device; equal texts have one.  Each caller frees it by source_free.  NULL,
   with the fault set, without memory. */
struct opencl_source *source_make(struct device *d, const struct opencl_text *text, struct fault *fault);
/* Free the sources of a device that nobody uses, before it is closed. */
void source_close(const struct device *d);
/* Free a source; commands that were given before may still run.  NULL is allowed. */
void source_free(struct opencl_source *source);

enum { OPENCL_DIMS = 3 };
/* A call of a kernel. */
struct opencl_call {
    const char *kernel; /* name of the function in the text */
    int nplaces;
    const struct device_place *places; /* each is two arguments: the memory, and a u64, the offset in bytes */
    int nvalues;
    const uint64_t *values; /* further arguments */
    int nwords;
    const uint32_t *words;       /* further arguments */
    cl_mem cell;                 /* last argument: memory; NULL: there is none */
    int ndims;                   /* 1 .. OPENCL_DIMS */
    int64_t global[OPENCL_DIMS]; /* least numbers of work items; whole groups are started */
};
/* Give the command to call a kernel.  False, with the fault set, if it could not be built or called. */
bool source_call(struct device *d, struct opencl_stream *s, struct opencl_source *source,
                 const struct opencl_call *call, struct fault *fault);
#endif
