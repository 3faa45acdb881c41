/* Common frame of the public derivative functions: operators they call keep their history, and results
   move to the caller's scope. */
#ifndef GRAD_ASKED_H
#define GRAD_ASKED_H
#include "array/tensor.h"

/* State of one public call; open with asked_open, close with asked_close. */
struct asked {
    const char *name; /* name of the public function, for messages */
    ty_scope *scope;
    bool remembers;     /* previous setting of ty_set_history */
    bool unused;        /* previous setting of unused_allow */
    struct fault fault; /* the first failure */
};

/* Begin a call of the public function `name`: open a scope and switch ty_set_history on. End it by asked_close. */
struct asked asked_open(const char *name);
/* Move n results to the caller's scope; if a fault is set, set all to that poison. Values are detached if
   ty_set_history was off before. results may be NULL. False if a result is poison. Call it once for each array,
   before asked_close. */
bool asked_give(struct asked *a, int n, ty_tensor **results);
/* Restore the thread's settings from before asked_open and close its scope. */
void asked_close(struct asked *a);

/* Check that y and the n tensors x[] are valid floating or complex tensors, floating only if `real`, and that
   y depends on each x. False, with the fault a->fault set, if not. On success, zero derivatives are allowed
   until asked_close (unused_allow). */
bool asked_check(struct asked *a, const ty_tensor *y, int n, ty_tensor *const *x, bool real);
/* True if x is valid. Otherwise copy its message to a->fault and return false. */
bool asked_well(struct asked *a, const ty_tensor *x);
#endif
