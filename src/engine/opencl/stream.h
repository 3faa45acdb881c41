/* Memory, streams and events of an OpenCL device: the functions of struct device_family (array/device.h). */
#ifndef ENGINE_OPENCL_STREAM_H
#define ENGINE_OPENCL_STREAM_H
#include <pthread.h>
#include "engine/opencl/api.h"

/* device.own of an open device. */
struct opencl_device {
    const struct opencl_found *found;
    cl_context context;
    pthread_mutex_t building; /* held while programs are built */
    cl_mem no_cell;           /* an error cell that is not set, for launches without one */
};
static inline struct opencl_device *opencl_device_of(const struct device *d) { return d->own; }

/* The functions of struct device_family for devices themselves. */
bool opencl_describe(int i, struct device_facts *facts, struct fault *fault);
bool opencl_open(int i, struct device *d, struct fault *fault);
void opencl_close(struct device *d);

/* A stream: a queue, and the event of the last command, for which the next one waits.  So a command that fails makes all
   later ones fail. */
struct opencl_stream {
    pthread_mutex_t mutex; /* held while a command is given */
    cl_command_queue queue;
    cl_event last, given; /* NULL: none; of the command that is being given */
};
/* Return true if entry points may be called for the device; else false, with the fault set. */
bool opencl_usable(const struct device *d, struct fault *fault);
/* Give the command to start a kernel whose arguments are set, `global` work items in groups of `local`.  False,
   with the fault set, if it could not be given. */
bool opencl_start(struct device *d, struct opencl_stream *s, cl_kernel kernel, int ndims,
                  const size_t *global, const size_t *local, struct fault *fault);

void *opencl_allocate(struct device *d, size_t bytes, struct fault *fault);
void opencl_release(struct device *d, void *handle);
void *opencl_stream_open(struct device *d, struct fault *fault);
void opencl_stream_close(struct device *d, void *stream);
void *opencl_record(struct device *d, void *stream, struct fault *fault);
enum device_state opencl_state(struct device *d, void *event);
bool opencl_wait(struct device *d, void *event, struct fault *fault);
void opencl_event_release(struct device *d, void *event);
/* Wait on the host for all commands of the stream.  False, with the fault set, if one failed; all have ended also then. */
bool opencl_finish(struct device *d, struct opencl_stream *s, struct fault *fault);
bool opencl_upload(struct device *d, void *stream, struct device_place to, const void *from, size_t bytes,
                   struct fault *fault);
bool opencl_download(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                     struct fault *fault);
bool opencl_copy(struct device *d, void *stream, struct device_place to, struct device_place from,
                 size_t bytes, struct fault *fault);
bool opencl_zero(struct device *d, void *stream, struct device_place to, size_t bytes, struct fault *fault);
#endif
