/* Properties of dtypes; dtype_table.c has one table entry for each. */
#ifndef ARRAY_DTYPE_H
#define ARRAY_DTYPE_H
#include <complex.h>
#include <stdbool.h>
#include <tyto/core.h>
#include "base/arithmetic.h"

/* Classes as bits, so that a set of classes is one integer. */
enum dtype_class {
    CLASS_BOOL = 1,
    CLASS_SIGNED = 2,
    CLASS_UNSIGNED = 4,
    CLASS_FLOAT = 8,
    CLASS_COMPLEX = 16,
    CLASS_STORED = 32 /* for storage alone: no operator computes in it */
};
#define CLASS_INTEGER (CLASS_SIGNED | CLASS_UNSIGNED)

struct dtype_info {
    const char *name;
    size_t size; /* bytes of an element, rounded up */
    int bits;    /* bits of an element among others without gaps */
    enum dtype_class klass;
    ty_dtype real;     /* dtype of the real part of a complex dtype, else the dtype itself */
    ty_dtype floating; /* dtype in which float-only operators compute it */
    ty_dtype computed; /* accumulation dtype, where many elements make one result: f32 for half floats, else
                          the dtype itself */
    ty_dtype sums;     /* dtype of its sums and products: 64-bit for integers and bool, as in NumPy, else the
                          dtype itself */
    int digits;        /* value bits, or significand bits; of complex dtypes those of a part */
    int exponent;      /* all finite values are below 2 to this power; 0 for integers and bool */
};

enum { DTYPE_ROWS = TY_U2 + 1 };
/* By dtype; row TY_DTYPES, no dtype, is empty. */
extern const struct dtype_info dtype_table[DTYPE_ROWS];
/* True if d is one of the dtypes in which operators compute. */
static inline bool dtype_valid(ty_dtype d) { return (unsigned)d < TY_DTYPES; }
/* True if d is one of the dtypes for storage. */
static inline bool dtype_stored(ty_dtype d) {
    return (unsigned)d - 1 - TY_DTYPES < DTYPE_ROWS - 1 - TY_DTYPES;
}
/* True if d is a dtype, whether operators compute in it or not. */
static inline bool dtype_known(ty_dtype d) { return dtype_valid(d) || dtype_stored(d); }
/* Return the number of elements that share a byte: 1, or 2 and 4 of dtypes for storage. */
static inline int64_t dtype_share(ty_dtype d) {
    return dtype_table[d].bits < 8 ? 8 / dtype_table[d].bits : 1;
}
/* Return the bytes of n >= 0 elements without gaps. */
static inline int64_t dtype_bytes(ty_dtype d, int64_t n) {
    if (__builtin_expect(dtype_table[d].bits < 8, 0)) return n / dtype_share(d) + (n % dtype_share(d) != 0);
    return n * (int64_t)dtype_table[d].size;
}
/* Write why `dtype`, which is not valid, is refused to words[room]: it is unknown, or ty_dtype_for returned it. */
void dtype_refusal(char *words, size_t room, int dtype);
/* True for f16 and bf16, which are too narrow to compute in. */
static inline bool dtype_is_half(ty_dtype d) { return dtype_table[d].computed != d; }
/* True if d belongs to one of `classes`, a combination of enum dtype_class bits. */
static inline bool dtype_is(ty_dtype d, int classes) { return (dtype_table[d].klass & classes) != 0; }

/* Return the bit of d in a set of dtypes, the argument of promote_set. A set has no order, so promotion
   cannot depend on the order of operands. */
static inline uint32_t dtype_bit(ty_dtype d) { return UINT32_C(1) << d; }
/* Return the dtype that all dtypes of a set (bits of dtype_bit) promote to; TY_DTYPES if the set is empty; the last
   dtype for storage if it has some, which the caller refuses. */
ty_dtype promote_set(uint32_t dtypes);

/* Return the largest finite value of a real floating dtype. */
double dtype_greatest(ty_dtype dtype);
/* Return e, where 2^e is the least normal number of the real floating dtype d. */
static inline int dtype_least_normal(ty_dtype d) { return 2 - dtype_table[d].exponent; }
/* Return e, where 2^e is the least subnormal number of the real floating dtype d. */
static inline int dtype_least(ty_dtype d) { return dtype_least_normal(d) + 1 - dtype_table[d].digits; }

/* Convert f16 to f32, exactly; NaN stays NaN. */
float f16_to_f32(uint16_t h);
/* Round to f16, to nearest, ties to even.  NaN stays NaN; values out of range become infinite. */
uint16_t f32_to_f16(float f);
/* Round to f16 without an intermediate f32, to nearest, ties to even. NaN stays NaN; values out of range
   become infinite. */
uint16_t f64_to_f16(double f);
/* Convert bf16 to f32, exactly; NaN stays NaN. */
float bf16_to_f32(uint16_t h);
/* Round to bf16, to nearest, ties to even.  NaN stays NaN. */
uint16_t f32_to_bf16(float f);
/* Round to bf16 as if without an intermediate f32, to nearest, ties to even. NaN stays NaN; values out of
   range become infinite. */
uint16_t f64_to_bf16(double f);

/* One element in the widest type of its class: `i` for integers and bool (u64 as its bits), `z` for all others. */
struct element {
    int64_t i;
    long double _Complex z;
};
/* Load the element of `dtype` at address `from`: bool and integers into the field i, other dtypes into z. */
struct element element_load(ty_dtype dtype, const void *from);
/* Convert e, an element of dtype `from`, to `dtype` as ty_cast does, and store it at address `to`. */
void element_store(ty_dtype dtype, void *to, ty_dtype from, struct element e);
/* Return the value of e, an element of `dtype`, as a double; only the real part if it is complex. */
double element_number(ty_dtype dtype, struct element e);
/* Compare e, an element of dtype `from`, with the range of the integer dtype `to`, after cutting off its
   fraction. Return -1 below, 0 within, 1 above the range; NaN is above. Return 0 if `to` is no integer dtype;
   of complex elements only the real part counts. */
int element_beyond(ty_dtype to, ty_dtype from, struct element e);
#endif
