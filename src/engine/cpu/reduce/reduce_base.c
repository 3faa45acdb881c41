/* Folds for the base instruction set. */
#define VECTOR_BYTES 16
#define TABLE reduce_base
#define TYPE_STRUCT reduce_type
#define TYPE_KERNEL "engine/cpu/reduce/reduce.kernel.c"
#include "engine/cpu/reduce/reduce_loops.h"
#include "engine/cpu/reduce/fold_types.kernel.c"
