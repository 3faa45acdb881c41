/* Printing of values, and default print options. */
#ifndef ARRAY_PRINT_H
#define ARRAY_PRINT_H
#include "array/tensor.h"

/* Append the elements of x as NumPy prints them, or "error: " and the sentence of a poisoned tensor. x must
   be no promise and no eager variable. */
void print_value(struct text *t, const ty_tensor *x, ty_print_options options);
/* Return `options` with the thread's settings in unset fields; a negative precision becomes 0. */
ty_print_options print_options_fill(ty_print_options options);
#endif
