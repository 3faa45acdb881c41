/* Max pooling for any processor. */
#define TABLE pool_base
#define VECTOR_BYTES 16
#include "engine/cpu/pool_isa.kernel.c"
