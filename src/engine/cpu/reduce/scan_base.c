/* Scans for the base instruction set. */
#define VECTOR_BYTES 16
#define TABLE scan_base
#define TYPE_STRUCT scan_type
#define TYPE_KERNEL "engine/cpu/reduce/scan.kernel.c"
#include "engine/cpu/reduce/scan_loops.h"
#include "engine/cpu/reduce/fold_types.kernel.c"
