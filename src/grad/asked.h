/* What functions that derive share: all they do is remembered, and the scope around gets their results. */
#ifndef GRAD_ASKED_H
#define GRAD_ASKED_H
#include "array/tensor.h"

struct asked {
    const char *name; /* of the public function, in sentences */
    ty_scope *scope;
    bool remembers; /* ty_remember before */
    bool unused;    /* unused_allow before */
    struct fault fault;
};

struct asked asked_open(const char *name);
/* Results are handed over, or, after a fault, are all that sentence; false when one is poisoned.  Called once for the
   results of each array (n of them; NULL: not wanted), then asked_close. */
bool asked_give(struct asked *a, int n, ty_tensor **results);
void asked_close(struct asked *a);

/* False with a sentence: y or an x is poisoned or no floating or complex tensor; `real`: nor a complex one; or y does not
   depend on an x.  Until asked_close derivatives of derivatives, which may be 0 everywhere, are zeros. */
bool asked_check(struct asked *a, const ty_tensor *y, int n, ty_tensor *const *x, bool real);
/* False with its sentence where x is poisoned. */
bool asked_well(struct asked *a, const ty_tensor *x);
#endif
