/* Elementwise loops for AVX-512 F, DQ, BW and VL: vectors of 64 bytes. */
#define VECTOR_BYTES 64
#define ELEMENTWISE_SET avx512
#include "engine/cpu/elementwise/elementwise_types.h"
