/* The bits of floats for storage, and of f32, into which they are converted. */
#ifndef OPS_MATH_STORAGE_FORMATS_H
#define OPS_MATH_STORAGE_FORMATS_H
#include "array/dtype.h"

/* A float of sign, exponent and mantissa.  Codes are without the sign. */
struct storage_format {
    int digits, exponents; /* bits of mantissa and exponent */
    int bias;
    int largest;        /* code of the largest number */
    int infinity;       /* code of infinity; 0: none */
    int nan;            /* first code of NaN, with the sign if zero has none; 0: none */
    int quiet;          /* code that conversion gives NaN */
    bool unsigned_zero; /* the code of -0 is NaN */
};

static inline const struct storage_format *storage_format_of(ty_dtype dtype) {
    static const struct storage_format formats[] = {
        {3, 4, 7, 0x7e, 0, 0x7f, 0x7f, false},     /* TY_F8_E4M3FN */
        {3, 4, 8, 0x7f, 0, 0x80, 0x80, true},      /* TY_F8_E4M3FNUZ */
        {2, 5, 15, 0x7b, 0x7c, 0x7d, 0x7e, false}, /* TY_F8_E5M2 */
        {2, 5, 16, 0x7f, 0, 0x80, 0x80, true},     /* TY_F8_E5M2FNUZ */
        {0, 0, 0, 0, 0, 0, 0, false},              /* TY_F8_E8M0 has neither sign nor mantissa */
        {1, 2, 1, 7, 0, 0, 0, false},              /* TY_F4_E2M1 */
    };
    return &formats[dtype - TY_F8_E4M3FN];
}

/* Bits of f32. */
enum {
    F32_DIGITS = 23,
    F32_BIAS = 127,
    F32_INFINITY = 0x7f800000,
    F32_NAN = 0x7fc00000,
    F32_LEAST_SCALE = 1 << 22 /* 2^-127, the least number of TY_F8_E8M0, is subnormal */
};
enum { SCALE_NAN = 255 };

/* Return what the exponent of f32 is larger by than that of the format, at its place in the bits of f32. */
static inline int f32_shift(const struct storage_format *f) { return (F32_BIAS - f->bias) << F32_DIGITS; }
#endif
