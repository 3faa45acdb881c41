/* Formatting of an array's numbers in aligned columns, by NumPy's rules. */
#ifndef ARRAY_NUMBER_FORMAT_H
#define ARRAY_NUMBER_FORMAT_H
#include "array/dtype.h"
#include "base/for_command.h"
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

/* Choose the format of the n elements shown[] of this dtype. All fields of `options` must be set; their
   strings must outlive the format. `padded` aligns the numbers in columns. */
struct number_format number_format_fit(ty_dtype dtype, int64_t n, const struct element *shown,
                                       const ty_print_options *options, bool padded);
/* Append element e of the format's dtype, padded to the format's columns. */
void number_format_add(struct text *t, const struct number_format *format, struct element e);
/* Append the element e of `dtype` in full, as NumPy writes scalars: 1.0, 1e-05, (1+2j). */
void number_add_scalar(struct text *t, ty_dtype dtype, struct element e) FOR_COMMAND(number_add_scalar);
#endif
