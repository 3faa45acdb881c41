/* What is known of each dtype: one row each in dtype.c. */
#ifndef ARRAY_DTYPE_H
#define ARRAY_DTYPE_H
#include <complex.h>
#include <stdbool.h>
#include <tyto/core.h>
#include "base/arithmetic.h"

/* Classes as bits, so that a set of dtypes is one number. */
enum dtype_class {
    CLASS_BOOL = 1,
    CLASS_SIGNED = 2,
    CLASS_UNSIGNED = 4,
    CLASS_FLOAT = 8,
    CLASS_COMPLEX = 16
};
#define CLASS_INTEGER (CLASS_SIGNED | CLASS_UNSIGNED)

struct dtype_info {
    const char *name;
    size_t size;
    enum dtype_class klass;
    ty_dtype real;     /* of a complex dtype its part, else itself */
    ty_dtype floating; /* what a row without integers computes it in */
    ty_dtype
        computed; /* what it is computed in where one result is made of many: half floats in f32, else itself */
    ty_dtype
        sums;   /* what its sums and products are of: integers and bool of 64 bits, as NumPy's, else itself */
    int digits; /* bits of a whole number that fits (of the parts of complex numbers) */
    int exponent; /* numbers are below 2 to this; 0 of integers and bool */
};

extern const struct dtype_info dtype_table[TY_DTYPES];
static inline bool dtype_valid(ty_dtype d) { return (unsigned)d < TY_DTYPES; }
/* Half floats: too narrow to compute in. */
static inline bool dtype_is_half(ty_dtype d) { return dtype_table[d].computed != d; }
static inline bool dtype_is(ty_dtype d, int classes) { return (dtype_table[d].klass & classes) != 0; }

/* Dtypes that meet are a set, a bit each: a set has no order that the result could depend on. */
static inline uint32_t dtype_bit(ty_dtype d) { return UINT32_C(1) << d; }
ty_dtype promote_set(uint32_t dtypes); /* TY_DTYPES for the empty one */

/* Of a floating dtype: its greatest finite number and the exponents of its least normal and subnormal ones. */
double dtype_greatest(ty_dtype dtype);
static inline int dtype_least_normal(ty_dtype d) { return 2 - dtype_table[d].exponent; }
static inline int dtype_least(ty_dtype d) { return dtype_least_normal(d) + 1 - dtype_table[d].digits; }

/* f16 and bf16 to and from f32: round to nearest, ties to even; NaN stays NaN. */
float f16_to_f32(uint16_t h);
uint16_t f32_to_f16(float f);
uint16_t f64_to_f16(double f);
float bf16_to_f32(uint16_t h);
uint16_t f32_to_bf16(float f);
uint16_t f64_to_bf16(double f);

/* One element in the widest type of its class: an integer or bool in `i` (u64 as its bits), else `z`. */
struct element {
    int64_t i;
    long double _Complex z;
};
struct element element_load(ty_dtype dtype, const void *from);
/* Stores `e`, an element of class `from`, converting as ty_cast does. */
void element_store(ty_dtype dtype, void *to, ty_dtype from, struct element e);
double element_number(ty_dtype dtype, struct element e); /* real part */
/* Whether `e`, an element of class `from`, is below (-1), within (0) or above (1) what the integer dtype `to` holds
   after its fraction is cut off.  0 for every other `to`; NaN is above. */
int element_beyond(ty_dtype to, ty_dtype from, struct element e);
#endif
