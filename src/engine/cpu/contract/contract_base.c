/* Contraction loops for the base instruction set. */
#define TABLE contract_base
#include "engine/cpu/contract/contract_isa.kernel.c"
