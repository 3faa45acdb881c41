/* Index loops for the base instruction set. */
#define TABLE index_base
#include "engine/cpu/index/index.kernel.c"
