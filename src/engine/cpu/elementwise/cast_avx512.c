/* The casts for AVX-512 F, DQ, BW and VL. */
#if defined(__x86_64__)
#define CAST_TABLE cast_avx512
#include "engine/cpu/elementwise/cast_types.h"
#else
typedef int nothing_for_this_architecture;
#endif
