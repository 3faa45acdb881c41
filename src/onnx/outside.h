/* Files beside a model that hold the elements of its large tensors. */
#ifndef ONNX_OUTSIDE_H
#define ONNX_OUTSIDE_H
#include "onnx/value.h"

/* A mapped file. */
struct onnx_mapping {
    const char *location; /* as the model names it */
    struct wire_bytes bytes;
};
struct onnx_outside {
    const char *path; /* of the model */
    struct onnx_mapping *files;
    int nfiles, capacity;
};

/* Map a regular file for reading.  Bytes of an empty file have no address.  False, with the fault set. */
bool outside_map(const char *path, const char *name, struct wire_bytes *bytes, struct fault *fault);
void outside_unmap(struct wire_bytes bytes);

/* Get the bytes of a tensor that lie in another file, which is mapped once.  By the true paths of both, after all
   links, this file must lie in the model's folder or beneath it.  So a cache of links works, and no other file can be
   read. outside NULL: refused.  False, with the fault set. */
bool outside_find(struct onnx_outside *outside, const struct proto_tensor *tensor, struct wire_bytes *bytes,
                  struct fault *fault);
/* Return the pages of these bytes to the system, after they were copied. */
void outside_done(struct onnx_outside *outside, struct wire_bytes bytes);
/* Unmap all files. */
void outside_close(struct onnx_outside *outside);
#endif
