/*
 * Mathematics of doubles, one value at a time: math_exp(x), math_pow(a, b), ... (scalar.def). All code but the
 * reference engine uses these in the place of the C library's, whose bits differ between libraries. They make the same
 * bits on every processor: a text of sums, products, fma(), square roots, tables and integers, for the most part that
 * of the vector mathematics for one lane (engine/cpu/math/scalar.kernel.c). Results and errors at the ends are C's
 * (annex F); errno is not set. Complex functions have the signs, infinities and NaN of annex G.
 */
#ifndef BASE_MATH_SCALAR_H
#define BASE_MATH_SCALAR_H

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
#endif
