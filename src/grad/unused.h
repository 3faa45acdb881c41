/* Derivatives by tensors that y does not depend on: errors, unless zeros are allowed. */
#ifndef GRAD_UNUSED_H
#define GRAD_UNUSED_H
#include "array/tensor.h"

struct walk;

/* Allows zeros on this thread, in the library's own calls whose callers expect them; returns the previous setting.  The
   caller restores it, and switches it off around functions of the user's. */
bool unused_allow(bool on);
bool unused_allowed(void);

/* False, with a sentence that begins with `name`, where none of the ny results depends on an x, or one of several results
   (`each`) on no x.  The walk is the history of y; values: what x are now.  True where zeros are allowed. */
bool unused_check(const char *name, const struct walk *w, int ny, ty_tensor *const *y, bool each, int n,
                  ty_tensor *const *x, ty_tensor *const *values, struct fault *fault);
/* The same of one result with a walk of its own. */
bool unused_check_of(const char *name, ty_tensor *y, int n, ty_tensor *const *x, struct fault *fault);
#endif
