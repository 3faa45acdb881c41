/* Formatting of an array's numbers in aligned columns, by NumPy's rules. */
#ifndef ARRAY_NUMBER_FORMAT_H
#define ARRAY_NUMBER_FORMAT_H
#include "array/dtype.h"
#include "base/text.h"

/* Format of all elements of an array, or of one part of complex elements. */
struct real_format {
    ty_dtype dtype;
    int precision, least; /* digits after the point: at most, at least */
    char sign;            /* '-', '+' or ' ' */
    bool scientific;
    const char *nan_text, *inf_text;
    int left, right; /* columns before the point; after it */
    int exponent;    /* digits of the exponent */
};

struct number_format {
    ty_dtype dtype;
    bool padded; /* aligned in columns; false for a single number */
    int integer_width;
    char sign;
    struct real_format real, imaginary;
};

/* Choose the format for the n elements that will be shown.  All fields of `options` must be filled; their
   strings must outlive the format. */
struct number_format number_format_fit(ty_dtype dtype, int64_t n, const struct element *shown,
                                       const ty_print_options *options, bool padded);
/* Append one element, padded to its columns. */
void number_format_add(struct text *t, const struct number_format *format, struct element e);
/* Append a single number in full, as NumPy writes scalars: 1.0, 1e-05, (1+2j). */
void number_add_scalar(struct text *t, ty_dtype dtype, struct element e);
#endif
