/* Finite samples read to arrays, for searches that decide on values. */
#ifndef REGRESSION_SAMPLES_H
#define REGRESSION_SAMPLES_H
#include "array/tensor.h"
#include "ops/core/structure.h"

struct samples {
    int64_t n, p;
    double *x; /* [n, p], owned */
    double *y; /* [n], owned */
};
/* Read x [n, p] and y [n] in f64.  Poison in the name of function `name` if shapes do not fit, n or p is 0, or an element
   is not finite; messages call y `what`.  samples_free in any case. */
ty_tensor *samples_read(struct samples *s, const char *name, ty_tensor *x, ty_tensor *y, const char *what);
void samples_free(struct samples *s);
#endif
