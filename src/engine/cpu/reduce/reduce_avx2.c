/* Folds for AVX2. */
#define VECTOR_BYTES 32
#define TABLE reduce_avx2
#define TYPE_STRUCT reduce_type
#define TYPE_KERNEL "engine/cpu/reduce/reduce.kernel.c"
#include "engine/cpu/reduce/reduce_loops.h"
#include "engine/cpu/reduce/fold_types.kernel.c"
