/* The casts for AVX2 and F16C. */
#if defined(__x86_64__)
#define CAST_TABLE cast_avx2
#include "engine/cpu/elementwise/cast_types.h"
#else
typedef int nothing_for_this_architecture;
#endif
