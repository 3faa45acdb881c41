/* Values of polynomials whose coefficients are tensors. */
#ifndef SIGNAL_HORNER_H
#define SIGNAL_HORNER_H
#include "array/tensor.h"

/* Return the polynomial p [n], n > 0, highest power first, at all elements of x, by Horner's rule.  Both have one dtype, or
   p is real and x complex. */
ty_tensor *horner(ty_tensor *p, ty_tensor *x);
#endif
