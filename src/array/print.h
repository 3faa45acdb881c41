/* Printing values, and what it goes by when nothing else is said. */
#ifndef ARRAY_PRINT_H
#define ARRAY_PRINT_H
#include "array/tensor.h"

/* Adds the elements of a value (no promise, no eager variable), or the sentence of poison, as NumPy prints. */
void print_value(struct text *t, const ty_tensor *x, ty_print_options options);
/* Options without zeros: this thread's where zeros stood, precision 0 for none. */
ty_print_options print_options_fill(ty_print_options options);
#endif
