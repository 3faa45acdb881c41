/*
 * Programs of the driver: from the compiled program of an earlier process (base/files/disk_cache.h), else from text by
 * the driver's compiler.
 */
#ifndef ENGINE_OPENCL_BUILD_H
#define ENGINE_OPENCL_BUILD_H
#include "engine/opencl/stream.h"

/* A text of OpenCL C. */
struct opencl_text {
    const char *text;
    size_t length;
    const char *name; /* words for messages: its kernel; NULL: it has those of several sources */
};
/* Return the built program of a text, released by clReleaseProgram.  NULL, with the fault set, on failure: E_MEMORY if
   the driver ran out of memory, which may have ended the next time. */
cl_program opencl_build(struct device *d, const struct opencl_text *text, struct fault *fault);
#endif
