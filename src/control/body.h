/*
 * Bodies of loops and branches: small closed graphs on parameters (op_parameter leaves). A body is recorded
 * once and never changes. Tensors from outside become parameters too (recorder.c). Bodies of equal structure
 * are shared, so attributes of loops compare by pointer.
 */
#ifndef CONTROL_BODY_H
#define CONTROL_BODY_H
#include "ops/core/structure.h"

/* Order of a loop body's parameters: `carries`, then `sequences`, then the index, then shared operands. */
struct body_kinds {
    int carries, sequences;
};

/* Says that a body extends `base`: of each kind of parameter and result, those of `base` come first. */
struct extension {
    struct body *base;
    struct body_kinds of_base, own;
};

/* A body. Reference counted; `next` and the last reference are guarded by the lock of body.c. */
struct body {
    atomic_int refs;
    uint64_t id; /* unique, never reused */
    uint64_t hash;
    int nparameters, nroots;
    ty_tensor **parameters;
    ty_tensor **roots;
    char *key; /* serialised structure, owned */
    size_t key_bytes;
    bool refuses;             /* a kernel in it may refuse its data (op_may_refuse) */
    struct extension extends; /* base NULL: extends no body */
    struct body *next;        /* next in the hash bucket */
};

/* Attributes of op_parameter: its index, dtype and shape. */
struct parameter_attr {
    int64_t number;
    struct shape_attr of;
};
extern const struct op op_parameter;

/* Return parameter `number` (from 0) of a loop body or branch that is being recorded; it belongs to the
   innermost scope. Poison on failure. */
ty_tensor *parameter_new(int64_t number, ty_dtype dtype, int rank, const int64_t *shape);
static inline bool is_parameter(const ty_tensor *x) { return x->op == &op_parameter; }
static inline int64_t parameter_number(const ty_tensor *x) {
    return ((const struct parameter_attr *)x->attr)->number;
}

/* Return a subgraph (a loop body or branch) with the given parameters, numbered from 0, and outputs `roots`
   that depend on these alone. If one of equal structure exists it is returned with one more reference, and
   `extends`, which may be NULL, is ignored. The caller releases the result. NULL after a fault. */
struct body *body_make(int nparameters, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                       const struct extension *extends, struct fault *fault);
/* Return the index in b of parameter i of the loop body that b extends. */
int body_extended_parameter(const struct body *b, int i);
/* Return the index in b of output i of the loop body that b extends. With `stops` the last output of each is
   its stop flag. */
int body_extended_result(const struct body *b, int i, bool stops);
/* Add a reference to b and return it. */
struct body *body_retain(struct body *b);
/* Drop a reference; the last one removes the body from the table and frees it. */
void body_release(struct body *b);
#endif
