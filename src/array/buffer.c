#include "array/tensor.h"
#include "base/alloc.h"

struct buffer *buffer_new(size_t bytes) {
    struct buffer *b = mem_alloc(sizeof *b);
    if (!b) return NULL;
    b->data = mem_data_alloc(bytes);
    if (!b->data) {
        mem_free(b);
        return NULL;
    }
    atomic_init(&b->refs, 1);
    b->bytes = bytes;
    return b;
}

struct buffer *buffer_retain(struct buffer *b) {
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void buffer_release(struct buffer *b) {
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
    if (b->done) b->done(b->context, b->data);
    else mem_data_free(b->data, b->bytes);
    mem_free(b);
}
