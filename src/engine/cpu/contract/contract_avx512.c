/* Contraction loops for AVX-512. */
#define TABLE contract_avx512
#include "engine/cpu/contract/contract_isa.kernel.c"
