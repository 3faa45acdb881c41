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

/* Return a product of complex numbers both of whose parts are NaN as sums of products (complex_product.c). Products of
   parts from `end` on are infinite. */
double _Complex math_cmul_infinite(double _Complex a, double _Complex b, double end);

/* Return a * b, each product and sum rounded once; infinities are those of annex G. */
#define CMUL(name, real, end)                                                                                \
    static inline __attribute__((always_inline)) real _Complex name(real _Complex a, real _Complex b) {      \
        real _Complex y;                                                                                     \
        real ac = __real__ a * __real__ b, bd = __imag__ a * __imag__ b, ad = __real__ a * __imag__ b,       \
             bc = __imag__ a * __real__ b;                                                                   \
        MATH_APART(ac);                                                                                      \
        MATH_APART(bd);                                                                                      \
        MATH_APART(ad);                                                                                      \
        MATH_APART(bc);                                                                                      \
        __real__ y = ac - bd;                                                                                \
        __imag__ y = ad + bc;                                                                                \
        bool lost = __real__ y != __real__ y && __imag__ y != __imag__ y;                                    \
        return __builtin_expect(lost, 0) ? (real _Complex)math_cmul_infinite(a, b, end) : y;                 \
    }
CMUL(math_cmulf, float, 0x1.ffffffp127) /* half a unit above the largest float */
CMUL(math_cmul, double, (double)INFINITY)
#undef CMUL
#endif
