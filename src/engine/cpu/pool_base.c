/* Max pooling for any processor. */
#define VECTOR_BYTES 16
#define TABLE pool_base
#include "engine/cpu/pool_isa.kernel.c"
