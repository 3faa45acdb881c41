/* Scans for AVX-512. */
#define VECTOR_BYTES 64
#define TABLE scan_avx512
#define TYPE_STRUCT scan_type
#define TYPE_KERNEL "engine/cpu/reduce/scan.kernel.c"
#include "engine/cpu/reduce/scan_loops.h"
#include "engine/cpu/reduce/fold_types.kernel.c"
