/* Scalar mathematics for AVX2 and FMA. */
#define SCALAR_SET avx2
#include "engine/cpu/math/scalar.kernel.c"
