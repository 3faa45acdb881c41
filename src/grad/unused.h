/* Derivatives by tensors that y does not depend on. They are errors unless zeros are allowed. */
#ifndef GRAD_UNUSED_H
#define GRAD_UNUSED_H
#include "array/tensor.h"

struct walk;

/* Set whether derivatives by a tensor that y does not depend on are zeros, not errors, on this thread, for
   the library's own calls. Return the previous setting, which the caller restores. Switch it off around user
   functions. */
bool unused_allow(bool on);
/* Return the setting of unused_allow on this thread. */
bool unused_allowed(void);

/* Check that each x[i] is used by at least one of y[0..ny) and, with `each`, that each y depends on at least
   one x. w is the walk over y with history; values[i] is the current value of x[i]. True without a check if
   zeros are allowed. False with a message that begins with `name`. */
bool unused_check(const char *name, const struct walk *w, int ny, ty_tensor *const *y, bool each, int n,
                  ty_tensor *const *x, ty_tensor *const *values, struct fault *fault);
/* Check that y depends on each of x[0..n), with a walk of its own. True without a check if zeros are allowed.
   False with a message that begins with `name`. */
bool unused_check_of(const char *name, ty_tensor *y, int n, ty_tensor *const *x, struct fault *fault);
#endif
