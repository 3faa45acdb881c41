/* The machine as the compiler of contractions should see it, and who carries out users' configurations. */
#ifndef ENGINE_CPU_CONTRACT_RUNNER_H
#define ENGINE_CPU_CONTRACT_RUNNER_H
#include "contract/contraction.h"

/* For c's dtypes; sums_apart: an epilogue waits for complete sums. */
void contract_machine_of(const ty_contraction *c, int threads, struct cpu_body *body,
                         struct contract_machine *machine);
#endif
