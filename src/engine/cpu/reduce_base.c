/* The folds for any processor. */
#define VECTOR_BYTES 16
#define TABLE reduce_base
#include "engine/cpu/reduce_isa.kernel.c"
