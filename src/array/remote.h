/*
 * Copies of buffers in device memory (device.h).  A buffer has elements in the host's memory, in that of devices, or in
 * both.  Values do not change, so copies are made when somebody asks, once, and all of them are valid.  If a program
 * writes a buffer in place on a device, that copy alone is valid; `data` of the buffer is then NULL.  Memory that
 * others may write is copied to a device each time it is asked for.
 */
#ifndef ARRAY_REMOTE_H
#define ARRAY_REMOTE_H
#include "array/device_memory.h"
#include "array/tensor.h"

/* Make a buffer of bytes > 0 in the memory of device d, with one reference.  NULL, with the fault set, on failure. */
struct buffer *buffer_new_on(struct device *d, size_t bytes, struct fault *fault);
/* Return the address in the host's memory, where the elements are valid then.  NULL, with the fault set, on failure. */
char *buffer_home(struct buffer *b, struct fault *fault);
/* Return the address in the memory of d, where the elements are valid for commands that are given later.  d NULL: the
   host's.  NULL, with the fault set, on failure. */
char *buffer_copy_at(struct buffer *b, struct device *d, struct fault *fault);
static inline char *buffer_at(struct buffer *b, struct device *d, struct fault *fault) {
    char *data = d ? NULL : __atomic_load_n(&b->data, __ATOMIC_ACQUIRE);
    return __builtin_expect(data != NULL, 1) ? data : buffer_copy_at(b, d, fault);
}
/* Let the copy on device d, which exists, be the only valid one: a command that writes it is given. */
void buffer_written_on(struct buffer *b, struct device *d);
/* Forget copies on devices: the memory of the host, which is valid, is written. */
void buffer_forget_copies(struct buffer *b);
static inline void buffer_written_home(struct buffer *b) {
    if (__builtin_expect(b->remote != NULL, 0)) buffer_forget_copies(b);
}
/* Return the address of the host's memory of b, valid or not, for comparisons of addresses; NULL: it has none. */
char *buffer_address(const struct buffer *b);
/* Return how many times zeros stood for elements that could not be fetched (tensor_data), for tests. */
int64_t remote_unread(void);
/* Return the device that has the only valid copy; NULL: the host's memory is valid. */
struct device *buffer_device(const struct buffer *b);
/* A promise to tell later if elements are valid, which a command computes. */
struct ticket {
    atomic_int refs;
    /* Wait for the command.  False, with the fault set, if the elements are not valid. */
    bool (*settle)(struct ticket *t, struct fault *fault);
    void (*end)(struct ticket *t); /* free it */
};
static inline void ticket_retain(struct ticket *t) { atomic_fetch_add(&t->refs, 1); }
static inline void ticket_release(struct ticket *t) {
    if (t && last_reference(&t->refs)) t->end(t);
}
/* Let the elements of b be asked for only after the ticket, of which b takes a reference. */
void buffer_depends(struct buffer *b, struct ticket *t);
/* Free all memory of the buffer's copies. */
void remote_end(struct buffer *b);

/* Let the elements of x be valid in the host's memory.  False, with the fault set, on failure. */
static inline bool tensor_home(const ty_tensor *x, struct fault *fault) {
    return buffer_at(x->buffer, NULL, fault);
}
/* As tensor_home, without a reason: where other code can do without the elements. */
static inline bool tensor_known(const ty_tensor *x) {
    struct fault unused;
    fault_clear(&unused);
    return tensor_home(x, &unused);
}
/* Return x, whose elements are valid in the host's memory then if it is a value; poison on failure. */
ty_tensor *at_home(ty_tensor *x);
/* Return the address of the element of x with index 0 on all axes in the memory of d; NULL: the host's.  NULL, with the
   fault set, on failure. */
static inline char *tensor_at(const ty_tensor *x, struct device *d, struct fault *fault) {
    char *data = buffer_at(x->buffer, d, fault);
    return data ? data + dtype_bytes(x->dtype, x->layout.offset) : NULL;
}
/* As tensor_new_value, with a buffer in the memory of d; NULL: the host's.  NULL, with the fault set, on failure. */
struct ty_tensor *tensor_new_value_on(struct device *d, ty_dtype dtype, int rank, const int64_t *shape,
                                      struct fault *fault);
#endif
