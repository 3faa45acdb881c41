/* Included before all else in every unit of the library (CMakeLists.txt): what a compiler may not do to it.  NaN,
   infinities, -0 and subnormal numbers are numbers here, and each sum has the order that is written down. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||                     \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error                                                                                                       \
    "Tyto is wrong with -ffast-math, -Ofast, -ffinite-math-only and their like: leave the option out of CFLAGS"
#endif
