/* Memory, streams and events: see stream.h and array/device.h. */
#include "engine/opencl/stream.h"
#include "base/alloc.h"
#include "base/threads/cancel.h"
#include "engine/text/text.h"

static char done; /* its address is the event of a stream without commands */

static bool is_usable(const struct device *d) { return opencl_alive() && !atomic_load(&d->lost); }

bool opencl_usable(const struct device *d, struct fault *fault) {
    return is_usable(d) || fault_set(fault, E_DEVICE, "%s: the device is lost%s", d->name,
                                     opencl_alive() ? "" : ", because the process was forked");
}

/* ---- devices ---- */

bool opencl_describe(int i, struct device_facts *facts, struct fault *fault) {
    const struct opencl_found *f = opencl_find(i, fault);
    if (f) *facts = f->facts;
    return f;
}

bool opencl_open(int i, struct device *d, struct fault *fault) {
    static struct text_cell zero;
    const struct opencl_found *f = opencl_find(i, fault);
    struct opencl_device *own = f ? mem_alloc(sizeof *own) : NULL;
    cl_int code = CL_SUCCESS;
    if (!own) return f && fault_memory(fault, sizeof *own);
    *own = (struct opencl_device){.found = f};
    pthread_mutex_init(&own->building, NULL);
    d->own = own;
    own->context = OPENCL_MAKE(NULL, fault, code, clCreateContext, NULL, 1, &f->id, NULL, NULL);
    if (own->context)
        own->no_cell = OPENCL_MAKE(NULL, fault, code, clCreateBuffer, own->context,
                                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
    if (own->no_cell) return true;
    opencl_close(d);
    return false;
}

void opencl_close(struct device *d) {
    struct opencl_device *own = d->own;
    if (opencl_alive()) {
        if (own->no_cell) opencl.clReleaseMemObject(own->no_cell);
        if (own->context) opencl.clReleaseContext(own->context);
        pthread_mutex_destroy(&own->building);
    }
    mem_free(own);
    d->own = NULL;
}

/* ---- memory ---- */

void *opencl_allocate(struct device *d, size_t bytes, struct fault *fault) {
    enum { LINE = 64 }; /* whole cache lines: atomic words and vectors end inside */
    cl_int code = CL_SUCCESS;
    if (!opencl_usable(d, fault)) return NULL;
    return OPENCL_MAKE(d, fault, code, clCreateBuffer, opencl_device_of(d)->context, CL_MEM_READ_WRITE,
                       (bytes + LINE - 1) / LINE * LINE, NULL);
}

void opencl_release(struct device *d, void *handle) {
    (void)d;
    if (opencl_alive()) opencl.clReleaseMemObject(handle);
}

/* ---- streams ---- */

void *opencl_stream_open(struct device *d, struct fault *fault) {
    struct opencl_device *own = opencl_device_of(d);
    cl_int code = CL_SUCCESS;
    if (!opencl_usable(d, fault)) return NULL;
    struct opencl_stream *s = mem_alloc(sizeof *s);
    if (!s) return fault_memory(fault, sizeof *s), NULL;
    s->queue = OPENCL_MAKE(d, fault, code, clCreateCommandQueue, own->context, own->found->id, 0);
    if (s->queue) {
        pthread_mutex_init(&s->mutex, NULL);
        return s;
    }
    mem_free(s);
    return NULL;
}

void opencl_stream_close(struct device *d, void *stream) {
    struct opencl_stream *s = stream;
    if (opencl_alive()) {
        if (!atomic_load(&d->lost)) opencl.clFinish(s->queue);
        if (s->last) opencl.clReleaseEvent(s->last);
        opencl.clReleaseCommandQueue(s->queue);
        pthread_mutex_destroy(&s->mutex);
    }
    mem_free(s);
}

/* Note the result of an entry point that gives a command to the stream, whose mutex is held: its name and its code.  If
   it succeeded, the event of the command is s->given.  False, with the fault set, if it failed. */
static bool given(struct device *d, struct opencl_stream *s, cl_int code, const char *name,
                  struct fault *fault) {
    if (!opencl_ok(d, code, name, fault)) return false;
    if (s->last) opencl.clReleaseEvent(s->last);
    s->last = s->given;
    return true;
}

/* Call an entry point that gives a command to stream s, with these arguments before the wait list; its mutex is held.
   True if it succeeds. */
#define GIVE(d, s, fault, name, ...)                                                                         \
    given(d, s, opencl.name(__VA_ARGS__, (s)->last ? 1 : 0, (s)->last ? &(s)->last : NULL, &(s)->given),     \
          #name, fault)
/* The same for a stream whose mutex is not held: the whole of a function. */
#define COMMAND(d, s, fault, ...)                                                                            \
    do {                                                                                                     \
        if (!opencl_usable(d, fault)) return false;                                                          \
        pthread_mutex_lock(&(s)->mutex);                                                                     \
        bool given_ = GIVE(d, s, fault, __VA_ARGS__);                                                        \
        pthread_mutex_unlock(&(s)->mutex);                                                                   \
        return given_;                                                                                       \
    } while (0)

bool opencl_upload(struct device *d, void *stream, struct device_place to, const void *from, size_t bytes,
                   struct fault *fault) {
    struct opencl_stream *s = stream;
    COMMAND(d, s, fault, clEnqueueWriteBuffer, s->queue, to.handle, CL_FALSE, (size_t)to.offset, bytes, from);
}

bool opencl_download(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                     struct fault *fault) {
    struct opencl_stream *s = stream;
    COMMAND(d, s, fault, clEnqueueReadBuffer, s->queue, from.handle, CL_FALSE, (size_t)from.offset, bytes,
            to);
}

bool opencl_copy(struct device *d, void *stream, struct device_place to, struct device_place from,
                 size_t bytes, struct fault *fault) {
    struct opencl_stream *s = stream;
    COMMAND(d, s, fault, clEnqueueCopyBuffer, s->queue, from.handle, to.handle, (size_t)from.offset,
            (size_t)to.offset, bytes);
}

bool opencl_zero(struct device *d, void *stream, struct device_place to, size_t bytes, struct fault *fault) {
    static const uint8_t zero;
    struct opencl_stream *s = stream;
    COMMAND(d, s, fault, clEnqueueFillBuffer, s->queue, to.handle, &zero, sizeof zero, (size_t)to.offset,
            bytes);
}

bool opencl_start(struct device *d, struct opencl_stream *s, cl_kernel kernel, int ndims,
                  const size_t *global, const size_t *local, struct fault *fault) {
    COMMAND(d, s, fault, clEnqueueNDRangeKernel, s->queue, kernel, (cl_uint)ndims, NULL, global, local);
}

/* ---- events ---- */

void *opencl_record(struct device *d, void *stream, struct fault *fault) {
    struct opencl_stream *s = stream;
    bool ok = opencl_usable(d, fault);
    if (!opencl_alive()) return NULL;
    pthread_mutex_lock(&s->mutex);
    void *event = s->last ? (void *)s->last : &done;
    ok = ok && (event == &done || OPENCL_CALL(d, fault, clRetainEvent, event));
    pthread_mutex_unlock(&s->mutex);
    if (ok && OPENCL_CALL(d, fault, clFlush, s->queue)) return event;
    if (ok) opencl_event_release(d, event);
    opencl.clFinish(s->queue); /* the caller may free memory that commands use */
    return NULL;
}

/* Return the status of an event: CL_COMPLETE, a positive number before, or the code of its failure. */
static cl_int status_of(cl_event event) {
    cl_int status = CL_COMPLETE;
    cl_int code =
        opencl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return code == CL_SUCCESS ? status : code;
}

enum device_state opencl_state(struct device *d, void *event) {
    if (event == &done) return DEVICE_DONE;
    if (!is_usable(d)) return DEVICE_FAILED;
    cl_int status = status_of(event);
    return status < 0 ? DEVICE_FAILED : status == CL_COMPLETE ? DEVICE_DONE : DEVICE_PENDING;
}

bool opencl_wait(struct device *d, void *event, struct fault *fault) {
    bool usable = opencl_usable(d, fault);
    if (event == &done || !opencl_alive()) return usable;
    cl_event events[] = {event};
    int cancel = cancel_hold_off();
    cl_int code = usable ? opencl.clWaitForEvents(1, events) : CL_SUCCESS, status = status_of(event);
    if (status < 0) code = status;
    bool well = usable && opencl_ok(d, code, "a command", fault);
    cl_command_queue queue = NULL;
    if (!well && status > 0 &&
        !opencl.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) && queue)
        opencl.clFinish(queue); /* the caller may free memory that commands use */
    cancel_restore(cancel);
    if (!well) atomic_store(&d->lost, true); /* all later commands of its stream fail */
    return well;
}

void opencl_event_release(struct device *d, void *event) {
    (void)d;
    if (event != &done && opencl_alive()) opencl.clReleaseEvent(event);
}

bool opencl_finish(struct device *d, struct opencl_stream *s, struct fault *fault) {
    void *event = opencl_record(d, s, fault);
    bool ok = event && opencl_wait(d, event, fault);
    if (event) opencl_event_release(d, event);
    return ok;
}
