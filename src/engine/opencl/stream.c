/* Memory, streams and events: see stream.h and array/device.h. */
#include "engine/opencl/stream.h"
#include <inttypes.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/threads/cancel.h"

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
    const struct opencl_found *f = opencl_find(i, fault);
    struct opencl_device *own = f ? mem_alloc(sizeof *own) : NULL;
    if (!own) return f && fault_memory(fault, sizeof *own);
    cl_int code = CL_SUCCESS;
    *own = (struct opencl_device){.found = f};
    own->context = opencl.clCreateContext(NULL, 1, &f->id, NULL, NULL, &code);
    pthread_mutex_init(&own->mutex, NULL);
    d->own = own;
    if (own->context && code == CL_SUCCESS) return true;
    opencl_ok(NULL, code ? code : CL_OUT_OF_RESOURCES, "clCreateContext", fault);
    own->context = NULL;
    opencl_close(d);
    return false;
}

void opencl_close(struct device *d) {
    struct opencl_device *own = d->own;
    if (opencl_alive()) {
        if (own->context) opencl.clReleaseContext(own->context);
        pthread_mutex_destroy(&own->mutex);
    }
    mem_free(own->cells);
    mem_free(own);
    d->own = NULL;
}

/* ---- error cells ---- */

bool opencl_cell_is_set(struct opencl_device *own, const struct device_place *cell) {
    bool set = false;
    pthread_mutex_lock(&own->mutex);
    for (int i = 0; i < own->ncells; i++)
        set = set || (own->cells[i].handle == cell->handle && own->cells[i].offset == cell->offset);
    pthread_mutex_unlock(&own->mutex);
    return set;
}

bool opencl_cell_set(struct opencl_device *own, const struct device_place *cell) {
    pthread_mutex_lock(&own->mutex);
    bool ok = list_append(own->cells, own->ncells, own->capacity, *cell);
    pthread_mutex_unlock(&own->mutex);
    return ok;
}

/* Forget the cells of a block of memory whose offsets are in from .. end-1. */
static void forget_cells(struct opencl_device *own, const void *handle, int64_t from, int64_t end) {
    pthread_mutex_lock(&own->mutex);
    for (int i = own->ncells - 1; i >= 0; i--) {
        const struct device_place *c = &own->cells[i];
        if (c->handle == handle && c->offset >= from && c->offset < end)
            own->cells[i] = own->cells[--own->ncells];
    }
    pthread_mutex_unlock(&own->mutex);
}

/* ---- memory ---- */

void *opencl_allocate(struct device *d, size_t bytes, struct fault *fault) {
    enum { LINE = 64 }; /* whole cache lines: atomic words and vectors end inside */
    if (!opencl_usable(d, fault)) return NULL;
    if (bytes > (uint64_t)d->facts.most) {
        fault_set(fault, E_MEMORY,
                  "%s: out of memory: %zu bytes were asked for; a block has at most %" PRId64 " of %" PRId64
                  ", and %" PRId64 " are held",
                  d->name, bytes, d->facts.most, d->facts.memory, (int64_t)d->held);
        return NULL;
    }
    cl_int code = CL_SUCCESS;
    size_t whole = (bytes + LINE - 1) / LINE * LINE;
    cl_mem memory =
        opencl.clCreateBuffer(opencl_device_of(d)->context, CL_MEM_READ_WRITE, whole, NULL, &code);
    if (memory && code == CL_SUCCESS) return memory;
    struct fault why = {0};
    opencl_ok(d, code ? code : CL_OUT_OF_RESOURCES, "clCreateBuffer", &why);
    if (why.code == E_MEMORY)
        fault_set(fault, E_MEMORY,
                  "%s: out of memory: %zu bytes were asked for, %" PRId64 " of %" PRId64 " are held", d->name,
                  bytes, (int64_t)d->held, d->facts.memory);
    else
        fault_copy(fault, &why);
    return NULL;
}

void opencl_release(struct device *d, void *handle) {
    if (!opencl_alive()) return;
    forget_cells(opencl_device_of(d), handle, 0, INT64_MAX);
    opencl.clReleaseMemObject(handle);
}

/* ---- streams ---- */

void *opencl_stream_open(struct device *d, struct fault *fault) {
    struct opencl_device *own = opencl_device_of(d);
    cl_int code = CL_SUCCESS;
    if (!opencl_usable(d, fault)) return NULL;
    struct opencl_stream *s = mem_alloc(sizeof *s);
    if (!s) {
        fault_memory(fault, sizeof *s);
        return NULL;
    }
    s->queue = opencl.clCreateCommandQueue(
        own->context, own->found->id, own->found->out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
        &code);
    if (s->queue && code == CL_SUCCESS) {
        pthread_mutex_init(&s->mutex, NULL);
        pthread_mutex_init(&s->checking, NULL);
        return s;
    }
    opencl_ok(d, code ? code : CL_OUT_OF_RESOURCES, "clCreateCommandQueue", fault);
    mem_free(s);
    return NULL;
}

static void drop_waits(struct opencl_stream *s) {
    while (s->nwaits) opencl.clReleaseEvent(s->waits[--s->nwaits]);
}

void opencl_stream_close(struct device *d, void *stream) {
    struct opencl_stream *s = stream;
    if (opencl_alive()) {
        if (!atomic_load(&d->lost)) opencl.clFinish(s->queue);
        drop_waits(s);
        opencl.clReleaseCommandQueue(s->queue);
        if (s->checks) opencl.clReleaseMemObject(s->checks);
        pthread_mutex_destroy(&s->mutex);
        pthread_mutex_destroy(&s->checking);
    }
    mem_free(s);
}

/* Note the result of an entry point that gives a command to the stream, whose mutex is held: its name and its code.  If
   it succeeded, the event of the command is s->given.  False, with the fault set, if it failed. */
static bool given(struct device *d, struct opencl_stream *s, cl_int code, const char *name,
                  struct fault *fault) {
    if (!opencl_ok(d, code, name, fault)) return false;
    drop_waits(s);
    s->waits[s->nwaits++] = s->given;
    return true;
}

/* Call an entry point that gives a command to stream s, with these arguments before the wait list; its mutex is held.
   True if it succeeds. */
#define GIVE(d, s, fault, name, ...)                                                                         \
    given(d, s, opencl.name(__VA_ARGS__, (s)->nwaits, (s)->nwaits ? (s)->waits : NULL, &(s)->given), #name,  \
          fault)
/* The same for a stream whose mutex is not held: the whole of a function. */
#define COMMAND(d, s, fault, ...)                                                                            \
    do {                                                                                                     \
        if (!opencl_usable(d, fault)) return false;                                                          \
        pthread_mutex_lock(&(s)->mutex);                                                                     \
        bool given_ = GIVE(d, s, fault, __VA_ARGS__);                                                        \
        pthread_mutex_unlock(&(s)->mutex);                                                                   \
        return given_;                                                                                       \
    } while (0)

/* Make the stream, whose mutex is held, wait for at most one event.  False, with the fault set, on failure. */
static bool join_waits(struct device *d, struct opencl_stream *s, struct fault *fault) {
    return s->nwaits <= 1 || GIVE(d, s, fault, clEnqueueMarkerWithWaitList, s->queue);
}

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
    forget_cells(opencl_device_of(d), to.handle, to.offset, to.offset + (int64_t)bytes);
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
    if (!opencl_usable(d, fault)) return NULL;
    pthread_mutex_lock(&s->mutex);
    bool ok = join_waits(d, s, fault);
    void *event = ok && s->nwaits ? (void *)s->waits[0] : &done;
    ok = ok && (event == &done || OPENCL_CALL(d, fault, clRetainEvent, event));
    pthread_mutex_unlock(&s->mutex);
    if (ok && OPENCL_CALL(d, fault, clFlush, s->queue)) return event;
    if (ok) opencl_event_release(d, event);
    opencl.clFinish(s->queue); /* the caller may free memory that commands use */
    return NULL;
}

bool opencl_await(struct device *d, void *stream, void *event, struct fault *fault) {
    struct opencl_stream *s = stream;
    if (event == &done) return true;
    if (!opencl_usable(d, fault)) return false;
    pthread_mutex_lock(&s->mutex);
    bool ok = s->nwaits < OPENCL_WAITS || join_waits(d, s, fault);
    ok = ok && OPENCL_CALL(d, fault, clRetainEvent, event);
    if (ok) s->waits[s->nwaits++] = event;
    pthread_mutex_unlock(&s->mutex);
    return ok;
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
    if (!opencl_usable(d, fault)) return false;
    if (event == &done) return true;
    cl_event events[] = {event};
    int cancel = cancel_hold_off();
    cl_int code = opencl.clWaitForEvents(1, events), status = status_of(event);
    cancel_restore(cancel);
    if (status < 0) code = status;
    if (code == CL_SUCCESS) return true;
    opencl_ok(d, code, "a command", fault);
    cl_command_queue queue = NULL;
    if (status > 0 && !opencl.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) &&
        queue)
        opencl.clFinish(queue);   /* the caller may free memory that commands use */
    atomic_store(&d->lost, true); /* all later commands of its stream fail */
    return false;
}

void opencl_event_release(struct device *d, void *event) {
    (void)d;
    if (event != &done && opencl_alive()) opencl.clReleaseEvent(event);
}
