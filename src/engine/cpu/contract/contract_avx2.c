/* Contraction loops for AVX2. */
#define TABLE contract_avx2
#include "engine/cpu/contract/contract_isa.kernel.c"
