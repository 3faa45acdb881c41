/* The scans for any processor. */
#define VECTOR_BYTES 16
#define TABLE scan_base
#define TYPE_STRUCT scan_type
#define TYPE_KERNEL "engine/cpu/scan.kernel.c"
#include "engine/cpu/scan.h"
#include "engine/cpu/fold_types.kernel.c"
