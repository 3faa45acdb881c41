/* Max pooling for any processor. */
#define TABLE pool_base
#include "engine/cpu/pool_isa.kernel.c"
