/*
 * A body: the small graph that a loop or a branch runs.  It is recorded once, on parameters (op_parameter leaves), and
 * never changes.  What it used of the graph around it became parameters too (recorder.c), so it hangs on nothing.
 * Bodies of equal structure are one, so loops are compared and found by their attributes as other operators are.
 */
#ifndef CONTROL_BODY_H
#define CONTROL_BODY_H
#include "ops/core/structure.h"

struct body {
    atomic_int refs;
    uint64_t id; /* of no other body, ever */
    uint64_t hash;
    int nparameters, nroots;
    ty_tensor **parameters;
    ty_tensor **roots;
    char *key; /* its structure */
    size_t key_bytes;
    bool refuses; /* a kernel in it may refuse what it reads (op_may_refuse) */
    struct body
        *base; /* the body that this one extends; NULL: none.  Its carries, sequences, shared parameters and
                          results are the first of each kind here, and are computed alike. */
    struct body *next; /* with a hash of the same bucket */
};

struct parameter_attr {
    int64_t number;
    struct shape_attr of;
};
extern const struct op op_parameter;

/* A parameter of a body that is being recorded; belongs to the innermost scope. */
ty_tensor *parameter_new(int64_t number, ty_dtype dtype, int rank, const int64_t *shape);
static inline bool is_parameter(const ty_tensor *x) { return x->op == &op_parameter; }
static inline int64_t parameter_number(const ty_tensor *x) {
    return ((const struct parameter_attr *)x->attr)->number;
}

/* The body with these parameters, numbered 0, 1, ..., and roots that hang on them alone; one of equal structure
   that exists is shared.  The caller's reference; NULL: a fault. */
struct body *body_make(int nparameters, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                       struct body *base, struct fault *fault);
struct body *body_retain(struct body *b);
void body_release(struct body *b);
#endif
