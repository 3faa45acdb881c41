/* The scans for AVX2. */
#if defined(__x86_64__)
#define VECTOR_BYTES 32
#define TABLE scan_avx2
#define TYPE_STRUCT scan_type
#define TYPE_KERNEL "engine/cpu/scan.kernel.c"
#include "engine/cpu/scan.h"
#include "engine/cpu/fold_types.kernel.c"
#endif
