/* Check of the leaves of a graph before it is differentiated. */
#ifndef GRAD_LEAVES_H
#define GRAD_LEAVES_H
#include "graph/walk.h"

/* Check that no x[i] is an eager variable that was assigned after the graph had read it. values[i] is the
   current value of x[i]. False with a message that begins with `name`, also if memory runs out. */
bool leaves_check(const char *name, const struct walk *w, int n, ty_tensor *const *x,
                  ty_tensor *const *values, struct fault *fault);
#endif
