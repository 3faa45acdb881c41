/* Scans for AVX2. */
#define VECTOR_BYTES 32
#define TABLE scan_avx2
#define TYPE_STRUCT scan_type
#define TYPE_KERNEL "engine/cpu/reduce/scan.kernel.c"
#include "engine/cpu/reduce/scan_loops.h"
#include "engine/cpu/reduce/fold_types.kernel.c"
