/* Reference-counted memory.  Small buffers hold their data in the same allocation as the count, so that a
   scalar costs one malloc. */
#include "array/remote.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "base/number.h"
#include "base/context/stop.h"

enum { WITHIN = 256 };

static char *room_within(struct buffer *b) {
    return (char *)(((uintptr_t)(b + 1) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

struct buffer *buffer_new(size_t bytes) {
    size_t room = bytes <= WITHIN ? CACHE_LINE - 1 + (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE : 0;
    struct buffer *b = mem_alloc(sizeof *b + room);
    ty_context *account;
    if (!b) return NULL;
    bool charged = account_charge(bytes, &account);
    if (charged) b->data = room ? room_within(b) : mem_data_alloc(bytes);
    if (!b->data) {
        if (charged) account_credit(bytes, account);
        mem_free(b);
        return NULL;
    }
    atomic_init(&b->refs, 1);
    b->bytes = bytes;
    b->context = account;
    return b;
}

struct buffer *buffer_around(void *data, size_t bytes, void (*done)(void *context, void *data),
                             void *context) {
    struct buffer *b = mem_alloc(sizeof *b);
    if (!b) return NULL;
    atomic_init(&b->refs, 1);
    b->data = data;
    b->bytes = bytes;
    b->done = done;
    b->context = context;
    return b;
}

struct buffer *buffer_retain(struct buffer *b) {
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

/* Free buffer b, which has no references left: call the user's `done` for borrowed data, else free the data and
   credit its bytes to the context that was charged for them, then free the struct. */
static void end(struct buffer *b) {
    if (b->remote) remote_end(b); /* `data` is the host's memory that the buffer owns then, NULL: none */
    if (b->done) {
        scope_call_done(b->done, b->context, b->data);
    } else {
        if (b->bytes > WITHIN) mem_data_free(b->data, b->bytes);
        account_credit(b->bytes, b->context);
    }
    mem_free(b);
}

void buffer_release(struct buffer *b) {
    if (b && last_reference(&b->refs)) end(b);
}

void buffer_drop(struct buffer *b, struct buffer **dead) {
    if (!b || !last_reference(&b->refs)) return;
    b->next = *dead;
    *dead = b;
}

void buffers_end(struct buffer *dead) {
    while (dead) {
        struct buffer *b = dead;
        dead = b->next;
        end(b);
    }
}
