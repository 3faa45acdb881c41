/*
 * The tensor: one allocation that also holds its shape, strides, operands and attributes.
 *   value     buffer is set, promise is false; op is set too if it is tracked (remembers its history)
 *   promise   promise is true: op, inputs and attr say how to compute it; an input variable also has a buffer
 *   variable  (eager) `current` is the tracked value that reading it returns
 *   poison    error is set; the shape is 0-d; tensor_null stands for a NULL handle
 */
#ifndef ARRAY_TENSOR_H
#define ARRAY_TENSOR_H
#include "base/for_command.h"
#include <stdatomic.h>
#include "array/dtype.h"
#include "array/layout.h"
#include "array/location.h"
#include "base/text.h"

struct device;
struct op;
struct remote;

struct buffer {
    atomic_int refs;
    size_t bytes;
    char *data; /* NULL: the elements are in device memory alone (array/remote.h), or the buffer is new */
    void (*done)(void *context, void *data); /* NULL: the buffer owns the memory */
    void *context;
    atomic_bool exported;  /* the address was given to others, who may write */
    atomic_int readers;    /* what reads the elements later: see tensor_count_reader */
    bool read_only;        /* borrowed memory that nobody may write, such as a mapped file */
    struct buffer *next;   /* next in a list of dead buffers */
    struct remote *remote; /* its copies in device memory; NULL: none */
};

/* Decrement the reference count *refs. True if it was the last; the count is then no longer valid, since a sole
   owner skips the atomic write. */
static inline bool last_reference(atomic_int *refs) {
    return atomic_load_explicit(refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

struct ty_tensor {
    atomic_int refs;
    ty_dtype dtype;
    bool promise;
    bool weak;        /* a number that takes the dtype of the other operands */
    bool tracked;     /* gradients flow to it: a tracked leaf, or computed from one */
    bool varies;      /* a promise that reads a variable (ty_var), or a value computed from one; such a
                       value does not follow the variable, so no promise may be made of it */
    bool immortal;    /* static: not counted, not freed */
    bool remembers;   /* a value with history, counted among the readers of its memory */
    bool keeps_order; /* a value, dense in another order than row-major (array/dense.h), of ty_columns:
                         results of elementwise operators have its order */
    uint16_t level;   /* nesting depth of the subgraphs (of loops, branches) that were being recorded */
    uint8_t code;     /* of poison: the kind of its error, a ty_code */
    char claim;       /* of a variable: how a run uses it, enum variable_claim (ops/core/variable.h) */
    uint16_t
        given; /* 1 + number of scopes that were open at ty_give (ops/core/memory/give.h); 0: not given */
    int ninputs;
    struct layout layout; /* shape and strides lie in the same allocation */
    const struct op *op;  /* NULL: a plain value */
    struct ty_tensor **inputs;
    void *attr;
    size_t attr_bytes;
    void (*attr_release)(void *attr); /* frees objects that attr refers to; NULL: plain bytes */
    struct buffer *buffer;
    struct ty_tensor *current; /* value of an eager variable */
    struct device *place; /* the device that ty_to chose for it or for an operand; NULL: none was chosen */
    int64_t version;      /* of a lazy variable: counts the changes of its value */
    char *error;
    char *name;
    struct location location;
};

/* Number of nested subgraphs that this thread is recording. */
extern _Thread_local uint16_t tensor_level;

/* The static poisoned tensor that stands for NULL handles. */
extern struct ty_tensor tensor_null;
/* The sentence of a value whose memory a result has taken (ty_give), static. */
extern char tensor_given_away[];
/* Return the tensor of a handle, without const; &tensor_null, a poisoned tensor, for NULL. Public functions
   access handles through this or through tensor_resolve (ops/core/op.h), so that NULL propagates like other
   poison. */
static inline ty_tensor *tensor_of(const ty_tensor *x) {
    return x ? (ty_tensor *)(uintptr_t)x : &tensor_null;
}

/* --- Construction: each returns a tensor with one reference, owned by the caller; NULL: no memory --- */
/* Allocate a tensor with one reference and space for `rank` sizes and strides, `ninputs` operands and
   attr_bytes of attributes, all zero. NULL if memory runs out. */
struct ty_tensor *tensor_new(ty_dtype dtype, int rank, int ninputs, size_t attr_bytes);
/* Drop a reference; the last one frees the tensor, without recursion, and drops its references to operands.
   NULL is allowed. */
void tensor_free_one_reference(struct ty_tensor *x);

/* Give the new tensor `fresh` to the innermost scope, if one is open, and return it. NULL becomes a poisoned
   tensor "out of memory". Public functions return their results through this. */
ty_tensor *tensor_return(struct ty_tensor *fresh);
/* Return x with one more reference, owned by the innermost scope (or the caller).  For NULL, the poisoned
   tensor of tensor_refuse_null. */
#define tensor_share(x) tensor_share_in(public_name(__func__), x)
ty_tensor *tensor_share_in(const char *name, ty_tensor *x);
/* Return the name of a public function without "ty_", such as "concat"; "" if the name does not begin with
   "ty_". */
static inline const char *public_name(const char *function) {
    return function[0] == 't' && function[1] == 'y' && function[2] == '_' ? function + 3 : "";
}
/* Return a poisoned tensor "NAME: operand I is NULL; ...", where i counts from 1 and 0 means the only
   operand. If `name` is "", return &tensor_null. */
ty_tensor *tensor_refuse_null(const char *name, int i);
/* Return the static poisoned tensor that reports lack of memory. */
ty_tensor *tensor_out_of_memory(void) FOR_COMMAND(tensor_out_of_memory);
/* Return a poisoned tensor with the sentence of the fault, owned by the innermost scope. If memory runs out,
   its sentence says that. */
ty_tensor *tensor_fault(const struct fault *f) FOR_COMMAND(tensor_fault);
/* Return tensor_fault(f) if the fault is set, else NULL: the result of ty_..._failure. */
ty_tensor *tensor_failure(const struct fault *f);
/* As tensor_fault; also keep the function's name and the n operands for ty_error_details.  The operands are valid. */
ty_tensor *tensor_fault_on(const struct fault *f, const char *function, int n, ty_tensor *const *operands);
/* Set code and message of poison x, unless a message is set already. Always return false. */
bool fault_tensor(struct fault *f, const ty_tensor *x) FOR_COMMAND(fault_tensor);
/* As fault_from, with code and message of poison x. */
bool fault_tensor_from(struct fault *f, const char *function, const ty_tensor *x);
ty_tensor *ty_poison_code(ty_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Make a buffer of `bytes` bytes with one reference; large buffers are not zeroed. NULL if memory runs out. */
struct buffer *buffer_new(size_t bytes);
/* Make a buffer around foreign memory of `bytes` bytes, with one reference. When the last reference goes,
   done(context, data) is called to free it. NULL if memory runs out; `done` is not called then. */
struct buffer *buffer_around(void *data, size_t bytes, void (*done)(void *context, void *data),
                             void *context);
/* Add a reference.  Return b. */
struct buffer *buffer_retain(struct buffer *b);
/* Drop a reference; the last one frees the buffer, or calls `done` for borrowed memory.  NULL is allowed. */
void buffer_release(struct buffer *b);
/* Drop a reference under a lock, where `done` must not be called: a dead buffer joins the list *dead, which
   buffers_end frees later.  NULL is allowed. */
void buffer_drop(struct buffer *b, struct buffer **dead);
/* Free a list of dead buffers; call it without locks. */
void buffers_end(struct buffer *dead);

/* Return the address of b's elements in the host's memory, after they are brought home.  If that fails, return memory of
   zeros that stays valid as long as b; NULL if there is none. */
char *buffer_fetch(struct buffer *b);

/* Make a row-major value with its own buffer, of which large ones are not zeroed. NULL if memory runs out.
   The caller owns the one reference. */
struct ty_tensor *tensor_new_value(ty_dtype dtype, int rank, const int64_t *shape);
/* Make a tensor that shares x's buffer through another layout; the caller owns its one reference. NULL if
   memory runs out. */
struct ty_tensor *tensor_new_view(const ty_tensor *x, const struct layout *layout);

/* Return the address in the host's memory of the element of x with index 0 on all axes. x must be a value whose elements
   are at home: it was made there, or at_home or tensor_home (array/remote.h) has brought it, which tell failures.  If it
   is not, its elements are fetched, and are 0 where they cannot be; the harness of tests lets no test do so. */
static inline void *tensor_data(const ty_tensor *x) {
    char *data = __atomic_load_n(&x->buffer->data, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!data, 0)) data = buffer_fetch(x->buffer);
    return data + dtype_bytes(x->dtype, x->layout.offset);
}
/* True if the user or another library may write the buffer's memory: it is borrowed or exported. Such values
   are read at run time, and neither folded nor compared before. NULL: false. */
static inline bool buffer_may_change(const struct buffer *b) {
    return b && (b->done || atomic_load_explicit(&b->exported, memory_order_relaxed));
}
/* True if the user or another library may write the memory of x: it is borrowed or exported. False if x has
   no buffer. */
static inline bool tensor_may_change(const ty_tensor *x) { return buffer_may_change(x->buffer); }
/*
 * Add `more`, 1 or -1, to the readers of the memory of x, if x is a value.  Readers are operands of promises and of
 * values with history, those values themselves, and constants of programs: what is computed later depends on the
 * elements.  Memory that was taken away since (give_end) has no readers.
 */
static inline void tensor_count_reader(const ty_tensor *x, int more) {
    if (x->promise || x->immortal || !x->buffer) return;
    atomic_fetch_add_explicit(&x->buffer->readers, more, memory_order_relaxed);
}
/* Set operand i of a new node y to x, with a reference. */
static inline void tensor_set_input(ty_tensor *y, int i, ty_tensor *x) {
    y->inputs[i] = ty_retain(x);
    tensor_count_reader(x, 1);
}
/* Note that x, a new value with its memory, remembers its history. */
static inline void tensor_remembers(ty_tensor *x) {
    x->remembers = true;
    tensor_count_reader(x, 1);
}
/* Return the number of elements of x, the product of its shape; 1 for rank 0. */
static inline int64_t tensor_size(const ty_tensor *x) { return shape_size(x->layout.rank, x->layout.shape); }
/* Return the number of bytes of x's elements when stored densely. */
static inline size_t tensor_bytes(const ty_tensor *x) {
    return (size_t)dtype_bytes(x->dtype, tensor_size(x));
}
/* True if both have the same dtype and shape. */
static inline bool tensor_same_form(const ty_tensor *x, const ty_tensor *y) {
    return x->dtype == y->dtype &&
           shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape);
}
/* Append dtype and shape of x, such as "f32[2,3]". */
void tensor_describe(struct text *t, const ty_tensor *x);
/* Write dtype, shape and name of x, such as "f32[2,3] 'weights'", to out, cut to `capacity` bytes; "NULL" if
   x is NULL. Return out. */
char *tensor_describe_into(char *out, size_t capacity, const ty_tensor *x);
#endif
