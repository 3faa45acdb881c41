/* The elementwise loops for AVX2, FMA and F16C: vectors of 32 bytes. */
#define VECTOR_BYTES 32
#define SLEEF_f32 f8
#define SLEEF_f64 d4
#define SLEEF_SUFFIX avx2
#define ELEMENTWISE_SET avx2
#include "engine/cpu/elementwise/elementwise_types.h"
