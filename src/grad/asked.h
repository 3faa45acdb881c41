/* Common frame of the public derivative functions: operators they call keep their history, and results
   move to the caller's scope. */
#ifndef GRAD_ASKED_H
#define GRAD_ASKED_H
#include "array/tensor.h"

/* State of one public call; open with asked_open, close with asked_close. */
struct asked {
    const char *name; /* name of the public function, for messages */
    ty_scope *scope;
    bool remembers;     /* previous setting of ty_remember */
    bool unused;        /* previous setting of unused_allow */
    struct fault fault; /* the first failure */
};

/* Opens a scope and switches ty_remember on. */
struct asked asked_open(const char *name);
/* Moves n results to the caller's scope; after a fault all are that poison. Values are detached if
   ty_remember was off before. results may be NULL. False if a result is poison. Call it once for each
   array, before asked_close. */
bool asked_give(struct asked *a, int n, ty_tensor **results);
/* Restores the settings and closes the scope. */
void asked_close(struct asked *a);

/* Checks that y and x are valid floating or complex tensors, floating only if `real`, and that y depends
   on each x. False with a message. On success, zero derivatives are allowed until asked_close
   (unused_allow). */
bool asked_check(struct asked *a, const ty_tensor *y, int n, ty_tensor *const *x, bool real);
/* True if x is valid; else copies its message to the fault. */
bool asked_well(struct asked *a, const ty_tensor *x);
#endif
