/* Elementwise loops for AVX2, FMA and F16C: vectors of 32 bytes. */
#define VECTOR_BYTES 32
#define ELEMENTWISE_SET avx2
#include "engine/cpu/elementwise/elementwise_types.h"
