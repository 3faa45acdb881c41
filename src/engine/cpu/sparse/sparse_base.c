/* Sparse products for any processor. */
#define VECTOR_BYTES 16
#define TABLE sparse_base
#include "engine/cpu/sparse/sparse_isa.kernel.c"
