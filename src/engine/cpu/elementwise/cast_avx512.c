/* Casts for AVX-512 F, DQ, BW and VL. */
#define CAST_TABLE cast_avx512
#include "engine/cpu/elementwise/cast_types.h"
