/*
 * Memory and streams of engines of the user's own.  An engine without functions of memory gets blocks of the host's;
 * one without functions of streams does its work before it returns, so its events have come when they are made.
 */
#include "engine/user/user.h"
#include <string.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/threads/cancel.h"

/* ---- calls ---- */

bool user_begin(struct user_call *c, struct device *d, struct fault *fault) {
    struct user_engine *u = d->own;
    c->cancel = cancel_hold_off();
    pthread_rwlock_rdlock(&u->gate);
    c->engine = u;
    c->device = d;
    c->context = u->own.context;
    c->error.code = TY_ERROR_NONE;
    c->error.text[0] = 0;
    if (!atomic_load(&d->orphan)) return true;
    pthread_rwlock_unlock(&u->gate);
    cancel_restore(c->cancel);
    return fault_set(fault, E_DEVICE, "%s: its engine was removed", d->name);
}

/* Set the fault of a function that failed.  Always false. */
static bool failed(struct user_call *c, const char *function, struct fault *fault) {
    bool known = c->error.code > TY_ERROR_NONE && c->error.code < TY_CODES;
    c->error.text[sizeof c->error.text - 1] = 0;
    if (known && c->error.code == TY_ERROR_DEVICE) device_lose(c->device);
    return fault_set(fault, known ? c->error.code : E_DEVICE, "%s: %s: %s", c->device->name, function,
                     c->error.text[0] ? c->error.text : "it failed and gave no reason");
}

bool user_end(struct user_call *c, bool done, const char *function, struct fault *fault) {
    pthread_rwlock_unlock(&c->engine->gate);
    cancel_restore(c->cancel);
    return done || failed(c, function, fault);
}

static ty_engine_place place_of(struct device_place p) { return (ty_engine_place){p.handle, p.offset}; }

/* ---- memory ---- */

/* Before a block of the host's memory: its bytes.  BLOCK keeps the alignment. */
enum { BLOCK = 64 };

static void *allocate_host(struct device *d, size_t bytes, struct fault *fault) {
    char *block;
    if (atomic_load(&d->held) + (int64_t)bytes > d->facts.memory) return NULL;
    if (bytes > SIZE_MAX - BLOCK || !(block = mem_data_alloc(bytes + BLOCK))) {
        fault_memory(fault, bytes);
        return NULL;
    }
    memcpy(block, &bytes, sizeof bytes);
    return block + BLOCK;
}

static void *allocate(struct device *d, size_t bytes, struct fault *fault) {
    struct user_call c;
    if (!user_begin(&c, d, fault)) return NULL;
    void *memory = c.engine->own.allocate ? c.engine->own.allocate(c.context, bytes, &c.error)
                                          : allocate_host(d, bytes, fault);
    bool reasoned = c.error.code != TY_ERROR_NONE;
    if (memory) atomic_fetch_add(&c.engine->live, 1);
    user_end(&c, memory || !reasoned, "allocate", fault);
    return memory;
}

static void release(struct device *d, void *handle) {
    struct user_call c;
    struct fault unused;
    fault_clear(&unused);
    if (!user_begin(&c, d, &unused)) return;
    if (c.engine->own.release) {
        c.engine->own.release(c.context, handle);
    } else {
        char *block = (char *)handle - BLOCK;
        size_t bytes;
        memcpy(&bytes, block, sizeof bytes);
        mem_data_free(block, bytes + BLOCK);
    }
    atomic_fetch_sub(&c.engine->live, 1);
    user_end(&c, true, "release", &unused);
}

static char *address(struct device_place p) { return (char *)p.handle + p.offset; }

static bool upload(struct device *d, void *stream, struct device_place to, const void *from, size_t bytes,
                   struct fault *fault) {
    struct user_call c;
    bool done = true;
    if (!user_begin(&c, d, fault)) return false;
    if (c.engine->own.upload)
        done = c.engine->own.upload(c.context, stream, place_of(to), from, bytes, &c.error);
    else
        memcpy(address(to), from, bytes);
    return user_end(&c, done, "upload", fault);
}

static bool download(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                     struct fault *fault) {
    struct user_call c;
    bool done = true;
    if (!user_begin(&c, d, fault)) return false;
    if (c.engine->own.download)
        done = c.engine->own.download(c.context, stream, to, place_of(from), bytes, &c.error);
    else
        memcpy(to, address(from), bytes);
    return user_end(&c, done, "download", fault);
}

static bool copy(struct device *d, void *stream, struct device_place to, struct device_place from,
                 size_t bytes, struct fault *fault) {
    struct user_call c;
    bool done = true;
    if (!user_begin(&c, d, fault)) return false;
    if (c.engine->own.copy)
        done = c.engine->own.copy(c.context, stream, place_of(to), place_of(from), bytes, &c.error);
    else
        memcpy(address(to), address(from), bytes);
    return user_end(&c, done, "copy", fault);
}

static bool zero(struct device *d, void *stream, struct device_place to, size_t bytes, struct fault *fault) {
    struct user_call c;
    bool done = true;
    if (!user_begin(&c, d, fault)) return false;
    if (c.engine->own.zero)
        done = c.engine->own.zero(c.context, stream, place_of(to), bytes, &c.error);
    else
        memset(address(to), 0, bytes);
    return user_end(&c, done, "zero", fault);
}

/* ---- streams and events ---- */

/* Result of a function that the engine lacks: any address that is not NULL. */
static void *none(struct user_call *c) { return c->engine; }

/* stream_open and stream_close are called while devices.c opens or closes the device under its lock.  Unregistering
   waits for that lock, so they do not pass the gate. */
static void *stream_open(struct device *d, struct fault *fault) {
    struct user_engine *u = d->own;
    struct user_call c = {.engine = u, .device = d};
    if (!u->own.stream_open) return u;
    void *stream = u->own.stream_open(u->own.context, &c.error);
    if (!stream) failed(&c, "stream_open", fault);
    return stream;
}

static void stream_close(struct device *d, void *stream) {
    const struct user_engine *u = d->own;
    if (u->own.stream_close) u->own.stream_close(u->own.context, stream);
}

static void *record(struct device *d, void *stream, struct fault *fault) {
    struct user_call c;
    if (!user_begin(&c, d, fault)) return NULL;
    void *event = c.engine->own.record ? c.engine->own.record(c.context, stream, &c.error) : none(&c);
    if (event) atomic_fetch_add(&c.engine->live, 1);
    user_end(&c, event, "record", fault);
    return event;
}

static enum device_state state(struct device *d, void *event) {
    struct user_call c;
    struct fault unused;
    fault_clear(&unused);
    if (!user_begin(&c, d, &unused)) return DEVICE_FAILED;
    ty_engine_state is = c.engine->own.state ? c.engine->own.state(c.context, event) : TY_ENGINE_DONE;
    user_end(&c, true, "state", &unused);
    return is == TY_ENGINE_PENDING ? DEVICE_PENDING : is == TY_ENGINE_DONE ? DEVICE_DONE : DEVICE_FAILED;
}

static bool wait(struct device *d, void *event, struct fault *fault) {
    struct user_call c;
    if (!user_begin(&c, d, fault)) return false;
    bool done = !c.engine->own.wait || c.engine->own.wait(c.context, event, &c.error);
    return user_end(&c, done, "wait", fault);
}

static void event_release(struct device *d, void *event) {
    struct user_call c;
    struct fault unused;
    fault_clear(&unused);
    if (!user_begin(&c, d, &unused)) return;
    if (c.engine->own.event_release) c.engine->own.event_release(c.context, event);
    atomic_fetch_sub(&c.engine->live, 1);
    user_end(&c, true, "event_release", &unused);
}

bool user_fetch(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                struct fault *fault) {
    if (!download(d, stream, to, from, bytes, fault)) return false;
    void *event = record(d, stream, fault);
    bool done = event && wait(d, event, fault);
    if (event) event_release(d, event);
    return done;
}

/* ---- the family ---- */

static bool open_device(int i, struct device *d, struct fault *fault) {
    (void)i, (void)fault;
    d->own = (void *)(uintptr_t)d->family; /* its first member */
    return true;
}

static void close_device(struct device *d) { (void)d; }

/* A refused launch fails at once, so no cell is ever set. */
static int refused(struct device *d, const void *cell) {
    (void)d, (void)cell;
    return 0;
}

static void refusal(struct device *d, const struct kernel *k, const void *cell, struct fault *fault) {
    (void)k, (void)cell;
    fault_set(fault, E_INTERNAL, "%s: no kernel was refused", d->name);
}

void user_fill(struct user_engine *u) {
    struct device_facts *facts = &u->only.facts;
    int64_t memory = u->own.memory ? u->own.memory : (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    *facts = (struct device_facts){.kind = u->own.allocate ? DEVICE_OTHER : DEVICE_CPU,
                                   .memory = memory,
                                   .most = u->own.most ? u->own.most : memory,
                                   .align = BLOCK,
                                   .lacks = u->own.lacks,
                                   .shares = !u->own.allocate};
    text_print(facts->model, sizeof facts->model, "%s", u->own.model ? u->own.model : u->name);
    text_make_visible(facts->model);
    u->own.name = u->name;
    u->own.model = facts->model;
    u->family = (struct device_family){.name = u->name,
                                       .only = &u->only,
                                       .cell_bytes = sizeof(int64_t),
                                       .open = open_device,
                                       .close = close_device,
                                       .allocate = allocate,
                                       .release = release,
                                       .stream_open = stream_open,
                                       .stream_close = stream_close,
                                       .record = record,
                                       .state = state,
                                       .wait = wait,
                                       .event_release = event_release,
                                       .upload = upload,
                                       .download = download,
                                       .copy = copy,
                                       .zero = zero,
                                       .prepare = user_prepare,
                                       .drop = user_drop,
                                       .launch = user_launch,
                                       .refusal = refusal,
                                       .refused = refused,
                                       .explain = user_explain};
}
