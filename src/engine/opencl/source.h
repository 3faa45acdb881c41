/*
 * Kernels from text.  When a kernel is called that is not built, all programs of the device that wait are built as one
 * text (text_join), so that the driver's compiler runs once, and reads the mathematics once.  A program that cannot be
 * built keeps its fault, and does not harm the others.
 */
#ifndef ENGINE_OPENCL_SOURCE_H
#define ENGINE_OPENCL_SOURCE_H
#include "engine/opencl/stream.h"
#include "engine/text/text.h"

struct opencl_source;

/* Return the source of a program on an open device, whose `steps` and `uses` it copies; equal programs have one.
   `name`: words for messages.  Each caller frees it by source_free.  NULL, with the fault set, without memory. */
struct opencl_source *source_make(struct device *d, const struct text_program *program, const char *name,
                                  struct fault *fault);
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
    const uint64_t *values;      /* further arguments */
    const uint64_t *last;        /* one more; NULL: none */
    int ndims;                   /* 1 .. OPENCL_DIMS */
    int64_t global[OPENCL_DIMS]; /* least numbers of work items; whole groups are started */
};
/* Give the command to call a kernel.  False, with the fault set, if it could not be built or called. */
bool source_call(struct device *d, struct opencl_stream *s, struct opencl_source *source,
                 const struct opencl_call *call, struct fault *fault);
#endif
