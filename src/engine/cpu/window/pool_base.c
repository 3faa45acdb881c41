/* Pooling for the base instruction set. */
#define TABLE pool_base
#define VECTOR_BYTES 16
#include "engine/cpu/window/pool_isa.kernel.c"
