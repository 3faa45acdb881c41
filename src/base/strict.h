/* Included first in every unit of the library (CMakeLists.txt): refuses compiler options that break IEEE
   arithmetic. NaN, infinities, -0 and subnormals are valid values, and sums keep their written order. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||                     \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error                                                                                                       \
    "Tyto computes wrong results with -ffast-math, -Ofast, -ffinite-math-only and similar options: remove it from CFLAGS"
#endif
