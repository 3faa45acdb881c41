/* Casts for AVX2 and F16C. */
#define CAST_TABLE cast_avx2
#include "engine/cpu/elementwise/cast_types.h"
