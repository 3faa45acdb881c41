/* Checks of the coefficients of filters. */
#ifndef SIGNAL_COEFFICIENTS_H
#define SIGNAL_COEFFICIENTS_H
#include "array/tensor.h"

/* Return NULL if the first two of n operands are coefficients b and a, vectors, else poison. */
ty_tensor *refuse_vectors(const char *name, int n, ty_tensor **operands);
/* Return NULL if the first of n operands has sections of second order, else poison. */
ty_tensor *refuse_sections(const char *name, int n, ty_tensor **operands);
#endif
