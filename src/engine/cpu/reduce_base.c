/* The folds for any processor. */
#define VECTOR_BYTES 16
#define TABLE reduce_base
#define TYPE_STRUCT reduce_type
#define TYPE_KERNEL "engine/cpu/reduce.kernel.c"
#include "engine/cpu/reduce.h"
#include "engine/cpu/fold_types.kernel.c"
