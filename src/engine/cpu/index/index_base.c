/* Index loops for any processor. */
#define TABLE index_base
#include "engine/cpu/index/index.kernel.c"
