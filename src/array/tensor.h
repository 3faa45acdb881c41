/*
 * The tensor: one allocation with its shape, strides, operands and attributes behind it.
 *
 *   value      buffer set, promise false; op set as well when it is tracked (remembers its history)
 *   promise    promise true: op, inputs, attr say how to compute it; an input variable also has a buffer
 *   variable   of the eager kind: `current` is the tracked value that reading it means
 *   poison     error set; shape is 0-d; tensor_null is what a NULL handle stands for
 */
#ifndef ARRAY_TENSOR_H
#define ARRAY_TENSOR_H
#include <stdatomic.h>
#include "array/dtype.h"
#include "array/layout.h"
#include "array/location.h"
#include "base/text.h"

struct op;

struct buffer {
    atomic_int refs;
    size_t bytes;
    char *data;
    void (*done)(void *context, void *data); /* NULL: the memory is the buffer's own */
    void *context;
    atomic_bool exported; /* others were given the address, to write there as well */
    struct buffer *next;  /* in a list of dead ones */
};

/* Gives a reference up; true: it was the last.  Who holds the only one need not ask the other processors. */
static inline bool last_reference(atomic_int *refs) {
    return atomic_load_explicit(refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

struct ty_tensor {
    atomic_int refs;
    ty_dtype dtype;
    bool promise;
    bool weak;      /* a number that takes the dtype of what it meets */
    bool tracked;   /* gradients flow to it: a tracked leaf or computed from one */
    bool varies;    /* a promise that reads a variable (ty_var), or a value that was computed from one and
                      would not follow it: no promise may be made of that */
    bool immortal;  /* static: never counted, never freed */
    uint16_t level; /* how many bodies (of loops, of branches) were being recorded when it was made */
    char claim;     /* variable: what a run does to it, enum variable_claim (ops/core/variable.h) */
    int ninputs;
    struct layout layout; /* shape and strides are in the same allocation */
    const struct op *op;  /* NULL: a plain value */
    struct ty_tensor **inputs;
    void *attr;
    size_t attr_bytes;
    void (*attr_release)(void *attr); /* what attr refers to ends with the tensor; NULL: it is plain bytes */
    struct buffer *buffer;
    struct ty_tensor *current; /* eager variable */
    int64_t version; /* variable of the lazy kind: how often its value was replaced or written over */
    char *error;
    char *name;
    struct location location;
};

/* How many bodies this thread is recording, one inside the other. */
extern _Thread_local uint16_t tensor_level;

/* What NULL means wherever a handle is expected: a poisoned tensor, static, whose sentence says so. */
extern struct ty_tensor tensor_null;
/* The tensor of a handle.  Public functions and the doors that they share see handles through this or tensor_resolve
   (ops/core/op.h), so that NULL flows like any other poison. */
static inline ty_tensor *tensor_of(const ty_tensor *x) {
    return x ? (ty_tensor *)(uintptr_t)x : &tensor_null;
}

/* --- making: each returns a tensor with one reference owned by the caller, or NULL: no memory --- */
struct ty_tensor *tensor_new(ty_dtype dtype, int rank, int ninputs, size_t attr_bytes);
void tensor_free_one_reference(struct ty_tensor *x); /* iterative: chains of any length */

/* --- hands a fresh tensor (NULL: no memory) to the innermost scope; what public functions return --- */
ty_tensor *tensor_return(struct ty_tensor *fresh);
/* One more reference of x owned by the innermost scope (or the caller); for NULL the poison of tensor_refuse_null. */
#define tensor_share(x) tensor_share_in(public_name(__func__), x)
ty_tensor *tensor_share_in(const char *name, ty_tensor *x);
/* "concat" in ty_concat; "" in a function that callers of the library do not know. */
static inline const char *public_name(const char *function) {
    return function[0] == 't' && function[1] == 'y' && function[2] == '_' ? function + 3 : "";
}
/* "add: operand 2 is NULL; ..."; i 0: the only one, name "": nobody has said it yet. */
ty_tensor *tensor_refuse_null(const char *name, int i);
ty_tensor *tensor_out_of_memory(void);
ty_tensor *tensor_fault(const struct fault *f);

struct buffer *buffer_new(size_t bytes); /* one reference; NULL: no memory */
/* Around memory of others, which `done` (not NULL) ends; NULL: no memory, and done is not called. */
struct buffer *buffer_around(void *data, size_t bytes, void (*done)(void *context, void *data),
                             void *context);
struct buffer *buffer_retain(struct buffer *b);
void buffer_release(struct buffer *b);
/* Under a lock, where `done` must not be called: a buffer whose last reference this was (NULL is allowed) joins a list,
   and ends with it later. */
void buffer_drop(struct buffer *b, struct buffer **dead);
void buffers_end(struct buffer *dead);

/* A fresh row-major value with a buffer of its own, not zeroed. */
struct ty_tensor *tensor_new_value(ty_dtype dtype, int rank, const int64_t *shape);
/* A fresh tensor that looks at x's buffer through another layout. */
struct ty_tensor *tensor_new_view(const ty_tensor *x, const struct layout *layout);

/* Address of the first element of a value. */
static inline void *tensor_data(const ty_tensor *x) {
    return x->buffer->data + x->layout.offset * (int64_t)dtype_table[x->dtype].size;
}
/* Whether others than the library may write a value's elements: then they are read when something runs, and
   neither folded nor compared before. */
static inline bool buffer_may_change(const struct buffer *b) {
    return b && (b->done || atomic_load_explicit(&b->exported, memory_order_relaxed));
}
static inline bool tensor_may_change(const ty_tensor *x) { return buffer_may_change(x->buffer); }
static inline int64_t tensor_size(const ty_tensor *x) { return shape_size(x->layout.rank, x->layout.shape); }
/* Bytes of its elements, lying dense. */
static inline size_t tensor_bytes(const ty_tensor *x) {
    return (size_t)tensor_size(x) * dtype_table[x->dtype].size;
}
/* Whether both have the same dtype and shape. */
static inline bool tensor_same_form(const ty_tensor *x, const ty_tensor *y) {
    return x->dtype == y->dtype &&
           shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape);
}
/* "f32[2,3]" into t. */
void tensor_describe(struct text *t, const ty_tensor *x);
/* The same and its name, "f32[2,3] 'weights'", into a fixed buffer, cut when too long; returns `out`. */
char *tensor_describe_into(char *out, size_t capacity, const ty_tensor *x);
#endif
