/*
 * Mathematics of doubles, one value at a time: math_exp(x), math_pow(a, b), ... (scalar.def). All code but the
 * reference engine uses these in the place of the C library's, whose bits differ between libraries. They make the same
 * bits on every processor: a text of sums, products, fma(), square roots, tables and integers, for the most part that
 * of the vector mathematics for one lane (engine/cpu/math/scalar.kernel.c). Results and errors at the ends are C's
 * (annex F); errno is not set. Complex functions have the signs, infinities and NaN of annex G. Write math_cmul(a, b)
 * for a * b of complex numbers: in rare cases compilers call a function of their own.
 */
#ifndef BASE_MATH_SCALAR_H
#define BASE_MATH_SCALAR_H
#include <math.h>
#include <stdbool.h>

/* One pointer for each function; defined in engine/cpu/math/scalar.c. */
struct scalar_math {
#define SCALAR1(name) double (*name)(double);
#define SCALAR2(name) double (*name)(double, double);
#define COMPLEX1(name) double _Complex (*name)(double _Complex);
#define COMPLEX2(name) double _Complex (*name)(double _Complex, double _Complex);
#include "base/math/scalar.def"
};
extern const struct scalar_math scalar_math;

#define SCALAR1(name)                                                                                        \
    static inline double math_##name(double x) { return scalar_math.name(x); }
#define SCALAR2(name)                                                                                        \
    static inline double math_##name(double a, double b) { return scalar_math.name(a, b); }
#define COMPLEX1(name)                                                                                       \
    static inline double _Complex math_##name(double _Complex x) { return scalar_math.name(x); }
#define COMPLEX2(name)                                                                                       \
    static inline double _Complex math_##name(double _Complex a, double _Complex b) {                        \
        return scalar_math.name(a, b);                                                                       \
    }
#include "base/math/scalar.def"

/* Return |z|. */
static inline double math_cabs(double _Complex z) { return math_hypot(__real__ z, __imag__ z); }

/* Hide from GCC how the double or float x was computed. GCC 12 makes vfmaddsub of a pair of sums of products,
   regardless of contraction settings (GCC bug 106902 describes others). */
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
#define MATH_APART(x) __asm__("" : "+x"(x))
#else
#define MATH_APART(x) (void)(x)
#endif

/* Return a product of complex numbers both of whose parts are NaN as sums of products (complex_product.c). */
float _Complex math_cmul_infinitef(float _Complex a, float _Complex b);
double _Complex math_cmul_infinite(double _Complex a, double _Complex b);

#define MATH_ALWAYS static inline __attribute__((always_inline))
#define CMUL(name) math_##name##f
#define CMUL_REAL float
#define CMUL_COMPLEX float _Complex
#include "base/math/complex_product.h"
#define CMUL(name) math_##name
#define CMUL_REAL double
#define CMUL_COMPLEX double _Complex
#include "base/math/complex_product.h"
#endif
