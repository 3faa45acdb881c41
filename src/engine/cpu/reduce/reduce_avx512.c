/* Folds for AVX-512. */
#define VECTOR_BYTES 64
#define TABLE reduce_avx512
#define TYPE_STRUCT reduce_type
#define TYPE_KERNEL "engine/cpu/reduce/reduce.kernel.c"
#include "engine/cpu/reduce/reduce_loops.h"
#include "engine/cpu/reduce/fold_types.kernel.c"
