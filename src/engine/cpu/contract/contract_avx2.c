/* The loops of contractions: avx2. */
#define TABLE contract_avx2
#include "engine/cpu/contract/contract_isa.kernel.c"
