/* How the numbers of one array are written so that they line up: NumPy's choices. */
#ifndef ARRAY_NUMBER_FORMAT_H
#define ARRAY_NUMBER_FORMAT_H
#include "array/dtype.h"
#include "base/text.h"

/* Shared by all elements of one array (of one part of complex ones). */
struct real_format {
    ty_dtype dtype;
    int precision, least; /* digits after the point: at most, at least */
    char sign;            /* '-', '+' or ' ' */
    bool scientific;
    const char *nan_text, *inf_text;
    int left, right; /* columns before the point, and after it */
    int exponent;    /* digits of the exponent */
};

struct number_format {
    ty_dtype dtype;
    bool padded; /* in columns: not for a single number */
    int integer_width;
    char sign;
    struct real_format real, imaginary;
};

/* Looks at the n elements that will be shown; the options are filled and their texts outlive the format. */
struct number_format number_format_fit(ty_dtype dtype, int64_t n, const struct element *shown,
                                       const ty_print_options *options, bool padded);
/* Adds one element in its columns. */
void number_format_add(struct text *t, const struct number_format *format, struct element e);
/* Adds a single number in full, as NumPy writes its scalars: 1.0, 1e-05, (1+2j). */
void number_add_scalar(struct text *t, ty_dtype dtype, struct element e);
#endif
