/*
 * A body: the small graph that a loop or a branch runs.  It is recorded once, on parameters (op_parameter leaves), and
 * never changes.  What it used of the graph around it became parameters too (recorder.c), so it hangs on nothing.
 * Bodies of equal structure are one, so loops are compared and found by their attributes as other operators are.
 */
#ifndef CONTROL_BODY_H
#define CONTROL_BODY_H
#include "ops/core/structure.h"

/* How many of a loop's parameters are carries, and sequences after these; the index and what is shared come next. */
struct body_kinds {
    int carries, sequences;
};

/* That a body extends another one: of each kind of parameter and result, the other's are the first of its own. */
struct extension {
    struct body *base;
    struct body_kinds of_base, own;
};

struct body {
    atomic_int refs;
    uint64_t id; /* of no other body, ever */
    uint64_t hash;
    int nparameters, nroots;
    ty_tensor **parameters;
    ty_tensor **roots;
    char *key; /* its structure */
    size_t key_bytes;
    bool refuses;             /* a kernel in it may refuse what it reads (op_may_refuse) */
    struct extension extends; /* base NULL: nothing */
    struct body *next;        /* with a hash of the same bucket */
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
   that exists is shared.  extends NULL: nothing.  The caller's reference; NULL: a fault. */
struct body *body_make(int nparameters, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                       const struct extension *extends, struct fault *fault);
/* The number here of parameter i, or of result i, of the body that it extends; `stops`: the last result of both tells
   whether to stop. */
int body_extended_parameter(const struct body *b, int i);
int body_extended_result(const struct body *b, int i, bool stops);
struct body *body_retain(struct body *b);
void body_release(struct body *b);
#endif
