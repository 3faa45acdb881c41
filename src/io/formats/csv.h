/* Numbers of delimited text. */
#ifndef IO_FORMATS_CSV_H
#define IO_FORMATS_CSV_H
#include "array/number_format.h"

/* Append an element of `dtype` as text.  Real and complex numbers get `precision` significant digits; 0 or less: as
   many as distinguish them. */
void csv_add(struct text *t, ty_dtype dtype, struct element e, int precision);
#endif
