/* The loops of contractions: base. */
#define TABLE contract_base
#include "engine/cpu/contract/contract_isa.kernel.c"
