/* What holds of the leaves of a graph before it is differentiated. */
#ifndef GRAD_LEAVES_H
#define GRAD_LEAVES_H
#include "graph/walk.h"

/* False, with a sentence that begins with `name`, where the graph was computed from a value that an eager variable among x
   had before it was assigned; values: what x are now. */
bool leaves_check(const char *name, const struct walk *w, int n, ty_tensor *const *x,
                  ty_tensor *const *values, struct fault *fault);
#endif
